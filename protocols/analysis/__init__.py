"""The JSON analysis protocol. ``protocol.py`` schedules the queries, ``query.py`` says what may stand in one."""
