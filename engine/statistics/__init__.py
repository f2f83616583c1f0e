"""Statistics of matches and tournaments: Elo with its error, sequential tests, ratings of many engines. ``pairs.py``
has the results that all of it is computed from; open it first.
"""
