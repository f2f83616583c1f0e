"""GTP commands for games with territory, handicaps or the rules of Go. ``score.py`` is the largest part."""
