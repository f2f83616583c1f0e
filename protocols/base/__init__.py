"""What every protocol family shares: the contract of a protocol, and the dispatcher that implements most of it. Open
``protocol.py`` first, then ``dispatch.py``.
"""
