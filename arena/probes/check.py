"""The examination of one engine: each probe of its protocol, one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from playout.arena.drivers.fault import Fault
from playout.arena.probes.desk import Desk, check_game
from playout.arena.probes.finding import Finding, NotApplicable, Probe, Wrong
from playout.games.errors import PlayoutError
from playout.games.game import Game

ProtocolName = Literal["uci", "ugi", "gtp", "xboard"]
"""The protocols that have probes."""
GAMES: dict[ProtocolName, str] = {"uci": "chess", "ugi": "chess", "gtp": "go:9", "xboard": "chess"}
"""Game of an examination if none is named."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one probe."""

    name: str
    """Name of the behaviour."""
    finding: Finding | None = None
    """None if nothing is wrong."""
    skipped: str = ""
    """Reason for which it was not examined; empty if it was."""


def protocol_name(text: str) -> ProtocolName:
    """Returns the protocol of that name.

    Raises:
        PlayoutError: if it has no probes.
    """
    names: tuple[ProtocolName, ...] = get_args(ProtocolName)
    for name in names:
        if text == name:
            return name
    raise PlayoutError(f"protocol {text!r}: no probes; one of {', '.join(names)} expected")


def desk_of(command: Sequence[str], protocol: ProtocolName, game: Game[Any, Any], patience: float) -> Desk:
    """Returns a desk for an engine, which is not started yet. The caller closes it.

    Raises:
        PlayoutError: if the game cannot be played in the probes of the protocol.
    """
    check_game(game)
    match protocol:
        case "uci" | "ugi":
            from playout.arena.probes.uci_desk import UniversalDesk

            return UniversalDesk(command, protocol, game, patience)
        case "gtp":
            from playout.arena.probes.gtp_desk import GtpDesk

            return GtpDesk(command, protocol, game, patience)
        case "xboard":
            from playout.arena.probes.xboard_desk import XBoardDesk

            return XBoardDesk(command, protocol, game, patience)


def probes_of(protocol: ProtocolName) -> list[Probe[Any]]:
    """Returns the probes of a protocol."""
    match protocol:
        case "uci" | "ugi":
            from playout.arena.probes import uci, uci_reports, uci_search

            return [*uci.PROBES.of(protocol), *uci_search.PROBES.of(protocol), *uci_reports.PROBES.of(protocol)]
        case "gtp":
            from playout.arena.probes import gtp, gtp_moves

            return [*gtp.PROBES.of(protocol), *gtp_moves.PROBES.of(protocol)]
        case "xboard":
            from playout.arena.probes import xboard, xboard_moves

            return [*xboard.PROBES.of(protocol), *xboard_moves.PROBES.of(protocol)]


def examine(desk: Desk, probes: Sequence[Probe[Any]]) -> Iterator[Outcome]:
    """Yields the outcome of each probe. An engine that does not start has one finding, and no other outcome.

    Raises:
        PlayoutError: if the program cannot be started.
    """
    for probe in probes:
        try:
            desk.open()
        except (Wrong, Fault) as error:
            expected = "The engine introduces itself, and is ready."
            yield Outcome("start", Finding("start", "error", expected, str(error), "the introduction"))
            return
        yield _outcome(desk, probe)


def _outcome(desk: Desk, probe: Probe[Any]) -> Outcome:
    try:
        probe.run(desk)
    except NotApplicable as reason:
        return Outcome(probe.name, skipped=str(reason))
    except Wrong as wrong:
        desk.close()  # nobody knows what it does next
        return Outcome(probe.name, probe.finding(str(wrong)))
    except Fault as fault:
        sent = desk.sent
        desk.close()
        return Outcome(probe.name, probe.finding(f"{fault}, after {sent!r}"))
    return Outcome(probe.name)
