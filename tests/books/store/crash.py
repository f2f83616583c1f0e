"""A crash in the midst of a write."""

from __future__ import annotations

CRASH = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN IMMEDIATE")
database.execute("UPDATE position SET moves = zeroblob(300)")
os._exit(0)
"""
"""Writes half of a transaction into the file and dies."""
