"""Knowledge of books, tables and macros for the search. ``session_books.py`` holds the open ones; ``asked_books.py``
and ``guidance.py`` lend them to the searcher.
"""
