"""Code that several games share: board sizes, symmetries, SGF, results. ``board_size.py`` is the shortest
introduction.
"""
