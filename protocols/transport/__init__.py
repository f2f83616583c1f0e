"""Transports: standard input and output, TCP, MQTT, and the bridge. ``stdio.py`` is the simplest one."""
