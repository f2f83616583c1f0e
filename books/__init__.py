"""Books of known moves. ``base/book.py`` defines a book; ``formats.py`` lists the file formats."""
