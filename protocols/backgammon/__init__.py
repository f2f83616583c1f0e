"""UBGI and GNU Backgammon's external player. ``table.py`` is the position that both drive."""
