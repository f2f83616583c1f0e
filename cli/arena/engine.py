"""``playout engine check``: says what an engine of any protocol gets wrong."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena.probes.check import Outcome


def group() -> typer.Typer:
    """Returns the subcommands for the application."""
    made = typer.Typer(help="Engines: playout engine check COMMAND says what an engine gets wrong.")
    made.command("check")(check)
    return made


def check(
    command: Annotated[str, typer.Argument(metavar="COMMAND", help="A command line, such as 'stockfish'.")],
    protocol: Annotated[
        str | None, typer.Option(metavar="NAME", help="uci, ugi, gtp or xboard; by the command if not given.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="chess, go:9, hex:11, ...; by the protocol if not given.")
    ] = None,
    patience: Annotated[float, typer.Option(metavar="SECONDS", help="For each answer of the engine.")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Prints one JSON object.")] = False,
) -> int:
    """Checks that an engine keeps its protocol. Exit status 1 if it finds an error."""
    from playout.arena.file.plan import protocol_of
    from playout.arena.probes.check import GAMES, desk_of, examine, probes_of, protocol_name
    from playout.games import catalogue

    if not 0 < patience <= 3600:
        raise PlayoutError(f"--patience {patience:g}: seconds above 0, at most 3600, expected")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PlayoutError(f"engine {command!r}: {error}") from error
    if words in ([], ["playout"]):
        raise PlayoutError(f"engine {command!r}: a command line expected, such as 'playout uci'")
    spoken = protocol_name(protocol or protocol_of(words))
    desk = desk_of(words, spoken, catalogue.load(game or GAMES[spoken]), patience)
    outcomes: list[Outcome] = []
    try:
        for outcome in examine(desk, probes_of(spoken)):
            outcomes.append(outcome)
            if outcome.finding is not None and not as_json:
                typer.echo(str(outcome.finding))
    finally:
        desk.close()
    findings = [outcome.finding for outcome in outcomes if outcome.finding is not None]
    probed = sum(not outcome.skipped for outcome in outcomes)
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    if as_json:
        from dataclasses import asdict

        numbers = {"protocol": spoken, "probed": probed, "errors": errors, "warnings": warnings}
        skipped = {outcome.name: outcome.skipped for outcome in outcomes if outcome.skipped}
        findings_told = [asdict(finding) for finding in findings]
        typer.echo(json.dumps({**numbers, "findings": findings_told, "not_applicable": skipped}, indent=2))
    else:
        skips = len(outcomes) - probed
        typer.echo(
            f"{spoken}: {_number(probed, 'behaviour')} probed, {_number(errors, 'error')}, "
            f"{_number(warnings, 'warning')}{f'; {skips} not applicable' if skips else ''}"
        )
    return 1 if errors else 0


def _number(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"
