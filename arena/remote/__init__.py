"""A tournament over many machines: coordinator and workers that reach each other through an MQTT broker.

Open ``messages.py`` first, then ``hub.py``, the coordinator's side, and ``hand.py``, that of a worker.
"""
