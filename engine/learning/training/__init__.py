"""Nets of values and policies that a game's self-play teaches: generate, train, gate, repeat.

``stages.py`` has the three stages, ``run.py`` the loop of them in a folder, ``settings.py`` what they are told.
"""
