"""GTP 2 for every game. Open ``protocol.py`` first, which joins the tables of commands, then ``board.py``, the game as
GTP sees it.
"""
