"""The command ``playout``, one file for each command. ``main.py`` dispatches."""
