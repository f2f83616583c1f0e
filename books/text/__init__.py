"""The text book: YAML files written by people. ``yaml_book.py`` is its entry in the table of formats."""
