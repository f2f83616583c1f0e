"""Tables, records and reports of a tournament.

Open ``standings.py`` first: the others show what it computes.
"""
