"""Code that several games share: board sizes, handicaps, symmetries, SGF. ``board_size.py`` is the shortest
introduction.
"""
