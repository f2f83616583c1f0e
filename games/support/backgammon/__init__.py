"""Formats of backgammon positions and plays. ``setup.py`` first: it says what surrounds the checkers."""
