"""Sessions over an MQTT broker. ``link.py`` makes each line arrive exactly once; ``server.py`` and ``bridge.py`` are
the ends.
"""
