"""Positions as pictures: SVG documents of a few kilobytes, which any browser shows. Open ``picture.py`` first, which
chooses among a game's own picture, its cells and its text.
"""
