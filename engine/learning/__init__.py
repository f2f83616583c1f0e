"""What the engine teaches itself. ``books/run.py`` is the loop that grows an opening book by search."""
