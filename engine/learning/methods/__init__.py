"""Temporal-difference methods of n steps, for one agent and for games of two players.

``rules.py`` has the methods, each a few lines; ``learner.py`` carries them out; ``docs/learning.md`` has the formulae.
"""
