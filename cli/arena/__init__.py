"""The commands ``playout match`` and ``playout arena``. Open ``match.py`` first."""
