"""What several games or their users share: board sizes, handicaps, symmetries, SGF. ``board_size.py`` is the shortest
introduction.
"""
