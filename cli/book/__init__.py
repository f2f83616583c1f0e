"""The command ``playout book`` and its subcommands. ``commands.py`` lists them."""
