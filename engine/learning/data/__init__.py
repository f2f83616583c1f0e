"""Games that were played for learning. ``records.py`` reads their files with numpy."""
