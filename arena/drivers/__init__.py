"""The engines of a tournament as the referee sees them, a file for each protocol.

Open ``driver.py`` first: it has the contract and the table of protocols.
"""
