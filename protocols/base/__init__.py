"""The common part of all protocol families: the contract of a protocol, and the dispatcher that implements most of it.
Open ``protocol.py`` first, then ``dispatch.py``.
"""
