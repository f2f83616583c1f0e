"""The command ``playout web``, in ``command.py``."""
