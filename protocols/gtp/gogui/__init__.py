"""GTP commands of GoGui and HexGui: drawings, rules queries, moves by clicks. Open ``commands.py`` first."""
