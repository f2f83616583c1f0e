"""Readers of past games. ``pgn.py`` is the simpler reader, ``counting.py`` makes a book of what is read."""
