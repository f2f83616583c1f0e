"""Protocols: text in, text out; and the transports that carry the lines."""
