"""Books in binary files: playout's own store on SQLite, and Polyglot's. ``reader.py`` opens a store."""
