"""The declaration of every option, the presets of the games, and the configuration made of both. Open ``table.py``
first.
"""
