"""Forms of events: who meets whom, round by round.

Open ``form.py`` first.
"""
