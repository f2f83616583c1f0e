"""Books of known moves. ``base/book.py`` says what a book is, ``formats.py`` lists the file formats."""
