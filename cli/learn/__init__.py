"""The command ``playout learn`` and its subcommands. ``commands.py`` lists them."""
