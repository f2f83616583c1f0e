"""Learning by self-play and search. ``books/`` grows opening books by search."""
