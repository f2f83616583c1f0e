"""Reproductions of results from the literature. ``table.py`` lists them, ``experiment.py`` has their contract."""
