"""Exact tables of endings, a source in each file. ``solved.py`` holds solved positions and is the simplest; the others
read Syzygy's files and bear-off databases.
"""
