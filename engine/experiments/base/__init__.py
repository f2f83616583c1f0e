"""Parts that experiments share: their contract, the plain search, toy games, exact values. Open ``experiment.py`` first."""
