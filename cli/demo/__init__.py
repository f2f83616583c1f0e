"""The command ``playout demo``. ``command.py`` is the loop over the games."""
