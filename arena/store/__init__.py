"""The state of a tournament on the disk: pairs that are to be played, games that were.

Open ``store.py`` first.
"""
