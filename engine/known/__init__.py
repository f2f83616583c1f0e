"""What books, tables and macros tell the search. ``session_books.py`` holds the open books, ``guidance.py`` turns
them into hints.
"""
