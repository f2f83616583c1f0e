"""The engine: sessions, options, clocks and the search."""
