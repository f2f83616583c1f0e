"""What the engine teaches itself. ``books/`` grows opening books by search."""
