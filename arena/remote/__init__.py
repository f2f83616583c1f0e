"""A tournament over many machines: coordinator and workers that reach each other through an MQTT broker.

Open ``messages.py`` first: it has everything that is said. ``hub.py`` is the coordinator's side, ``hand.py`` that of a
worker.
"""
