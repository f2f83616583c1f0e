"""The terms of a search: the task that it is given, and the reports that it gives. Open ``task.py`` first, then
``info.py``.
"""
