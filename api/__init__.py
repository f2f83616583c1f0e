"""playout: a Monte Carlo tree search engine for many games."""

__version__ = "0.1.0"
