"""The protocol of XBoard and WinBoard (CECP). Open ``protocol.py`` first; the other files are its parts."""
