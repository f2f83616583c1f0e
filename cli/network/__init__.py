"""The commands ``playout serve`` and ``playout connect``. Open ``serve.py`` first."""
