"""The engine: everything between a protocol and the rules. ``session.py`` is what protocols drive; open it first."""
