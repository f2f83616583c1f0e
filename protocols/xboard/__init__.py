"""The protocol of XBoard and WinBoard (CECP). ``protocol.py`` is its front, the other files are its parts."""
