"""Positions as pictures: SVG documents of a few kilobytes that need nothing but a browser. Open ``picture.py`` first,
which chooses among a game's own picture, its cells and its text.
"""
