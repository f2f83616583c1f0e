"""Protocols as text in, text out, and the transports that carry the lines. ``base/protocol.py`` has the contract."""
