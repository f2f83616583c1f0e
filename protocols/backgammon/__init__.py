"""UBGI and GNU Backgammon's external player. Open ``table.py`` first: both protocols drive a session through it."""
