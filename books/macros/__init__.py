"""Partial decision trees that guide the search. ``macro.py`` says what a macro is and where it applies."""
