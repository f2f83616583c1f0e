"""Game servers on the network that an engine joins as a player. Open ``cgos.py`` first: the player at a CGOS server."""
