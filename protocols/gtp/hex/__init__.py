"""GTP commands that only Hex has. ``commands.py`` is all of it."""
