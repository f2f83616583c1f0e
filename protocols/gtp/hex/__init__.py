"""GTP commands for games with a swap rule, such as Hex. ``commands.py`` defines all of them."""
