"""Judgements about a position by playouts: ownership, dead stones, scores, doubling. ``ownership.py`` is the common
part.
"""
