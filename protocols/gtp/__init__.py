"""GTP 2 for every game. ``protocol.py`` joins the tables of commands, ``board.py`` is the game as GTP sees it."""
