"""Tournaments between engines: any that speaks UCI, UGI, GTP, UBGI or XBoard's protocol, in any game.

Open ``terms/job.py`` for the nouns, then ``play/referee.py``, which plays one game.
"""
