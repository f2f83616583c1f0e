"""What every protocol family shares: the contract, lines of text, causes of errors. Open ``protocol.py`` first."""
