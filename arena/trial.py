"""The trial of the engines before a tournament: each is started once, and asked to get ready for a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from playout.arena.drivers.table import start
from playout.arena.file.plan import Plan
from playout.arena.file.source import FieldError, dotted
from playout.arena.play.board import board_of
from playout.arena.terms.job import Player
from playout.games import catalogue
from playout.games.errors import PlayoutError


def try_engines(plans: Sequence[Plan]) -> Iterator[tuple[Plan, Player, str, str | None]]:
    """Starts each engine of each event once and ends it again.

    Yields the event, the engine, the name that the engine gives itself, and what is wrong with it in one line, or None.

    Raises:
        PlayoutError: one line about an event whose tables cannot be opened.
    """
    seen = set[bytes]()
    for plan in plans:
        game = catalogue.load(plan.game)
        if plan.adjudication.tables:
            try:
                board_of(game, tables=plan.adjudication.tables)
            except PlayoutError as error:
                place = ("adjudication", "tables")
                raise plan.told(FieldError(place, str(error).removeprefix(f"{dotted(place)}: "))) from error
        for player in plan.players:
            key = msgspec.json.encode((plan.game, player))
            if key in seen:
                continue
            seen.add(key)
            name = ""
            try:
                driver = start(player, game)
                try:
                    name = driver.name
                    driver.begin(game, plan.openings[0].start, player.pace, afresh=True, seed=0)
                finally:
                    driver.close()
            except PlayoutError as error:
                yield plan, player, name, str(error)
            else:
                yield plan, player, name, None


def check_engines(plans: Sequence[Plan]) -> None:
    """Checks that every engine starts.

    Raises:
        PlayoutError: one line about the first that does not.
    """
    for plan, player, _, wrong in try_engines(plans):
        if wrong is not None:
            said = wrong if wrong.startswith(f"{player.name}:") else f"{player.name}: {wrong}"
            raise PlayoutError(f"event {plan.name}: engine {said}")
