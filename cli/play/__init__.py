"""The command ``playout play``. ``table.py`` is the game in the terminal, ``command.py`` its arguments."""
