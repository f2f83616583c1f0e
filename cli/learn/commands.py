"""``playout learn``: nets that a game's self-play teaches."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from playout.cli.learn import (
    balance,
    correction,
    deep,
    export,
    generate,
    import_games,
    label,
    loop,
    match,
    patterns,
    score,
    td,
    train,
)


class _Group(TyperGroup):
    """Takes a first word that is no subcommand for the game of ``loop``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "--version"):
            args = ["loop", *args]
        return super().parse_args(ctx, args)


def group() -> typer.Typer:
    """Returns the subcommands for the application."""
    made = typer.Typer(
        cls=_Group,
        help="Teaches nets a game by self-play: playout learn GAME --out FOLDER does all stages again and again.",
    )
    made.command("loop")(loop.command)
    made.command("generate")(generate.command)
    made.command("train")(train.command)
    made.command("gate")(match.command)
    made.command("deep")(deep.command)
    made.command("correction")(correction.command)
    made.command("td")(td.command)
    made.command("import")(import_games.command)
    made.command("export")(export.command)
    made.command("label")(label.command)
    made.command("score")(score.command)
    made.command("patterns")(patterns.command)
    made.command("balance")(balance.command)
    return made
