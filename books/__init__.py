"""Books: moves known beforehand."""
