"""Rules of the games. Each game is a readable Python module with a Rust kernel beside it; ``game.py`` has the
contract, open it first.
"""
