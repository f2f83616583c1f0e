"""The nouns of the arena: time controls, jobs, games that were played and the reasons of their ends.

Open ``job.py`` first.
"""
