"""Exact tables of endings: Syzygy, the bear-off database, files of solved positions. Each file is one source."""
