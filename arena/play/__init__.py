"""One game between two engines: the board, the clocks, the referee and his rules of adjudication.

Open ``referee.py`` first.
"""
