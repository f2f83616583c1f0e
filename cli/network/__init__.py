"""The commands ``playout serve`` and ``playout connect``. ``serve.py`` first."""
