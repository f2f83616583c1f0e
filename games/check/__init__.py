"""The property checker behind ``playout check``. ``checker.py`` has the laws that any game must keep."""
