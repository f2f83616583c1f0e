"""The page in the browser: boards, play and analysis for people.

``app.py`` serves it; ``table.py`` is a game in progress.
"""
