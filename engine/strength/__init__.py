"""Play below full strength. ``levels.py`` weakens a search by a level."""
