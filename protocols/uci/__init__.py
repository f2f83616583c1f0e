"""UCI and UGI. ``universal.py`` has what both share, ``uci.py`` and ``ugi.py`` the differences."""
