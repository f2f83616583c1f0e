"""Knowledge of books, tables and macros for the search. ``session_books.py`` holds the open books, ``guidance.py``
turns them into hints.
"""
