"""GTP commands that only Go has: rules, handicap, scoring. ``score.py`` is the largest part."""
