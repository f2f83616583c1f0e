"""The JSON analysis protocol. ``protocol.py`` schedules the queries, ``query.py`` defines their fields."""
