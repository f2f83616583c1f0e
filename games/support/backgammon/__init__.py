"""Formats of backgammon positions and plays. Open ``setup.py`` first; it holds the cube, the dice and the score."""
