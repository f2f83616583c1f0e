"""Sessions over an MQTT broker. ``link.py`` delivers each line exactly once; ``server.py`` and ``bridge.py`` are the
two ends.
"""
