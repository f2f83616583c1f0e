"""Reproductions of results from the literature. ``table.py`` lists them, ``base/experiment.py`` has their contract."""
