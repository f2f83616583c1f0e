"""The command ``playout bench``: measurements of the engine on this machine. ``commands.py`` has its list;
``speed.py`` measures speed, and ``epd.py`` plays the positions of a test suite.
"""
