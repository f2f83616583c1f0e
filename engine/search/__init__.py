"""The search: the Rust crate ``playout-search``, and its Python face. ``searcher.py`` drives it from Python,
``lib.rs`` begins the crate.
"""
