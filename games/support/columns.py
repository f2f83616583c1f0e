"""The letters by which Go and GTP name the columns of a board."""

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""Left to right; I is left out, because it looks like J."""
