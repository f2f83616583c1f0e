"""Experiments that reproduce the theory: ``playout experiment NAME``, and docs/theory.md for what they show."""
