"""Tuning of engines' options by games: SPSA and sequential halving.

Open ``types.py`` for the file of a tuning, then ``run.py``, which plays it.
"""
