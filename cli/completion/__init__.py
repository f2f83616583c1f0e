"""The command ``playout completion``, in ``command.py``."""
