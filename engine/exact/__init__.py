"""Exact solving, before the search and on its own. ``solving.py`` is the interface to the solvers."""
