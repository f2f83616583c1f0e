"""Opening books grown by search. ``run.py`` is the loop, ``graph.py`` the rule for what to expand next."""
