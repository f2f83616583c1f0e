"""Readers of past games: PGN and SGF. Open ``pgn.py`` first; ``books/from_games.py`` builds books of them."""
