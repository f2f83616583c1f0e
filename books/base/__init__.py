"""The contract of a book and the operations that need no file format. Open ``book.py`` first, then ``canonical.py``."""
