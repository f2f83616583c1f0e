"""The file that describes a tournament: its types, its reader, its openings.

Open ``types.py`` first.
"""
