"""Learning by self-play and search. ``books/run.py`` is the loop that grows an opening book by search."""
