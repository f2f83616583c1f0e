"""The terms of a search: what is asked, what is answered. ``limits.py`` and ``info.py`` are the two ends."""
