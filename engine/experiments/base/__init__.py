"""Parts that experiments share: their contract, the plain search, toy games and exact values. ``experiment.py`` is the
first to open.
"""
