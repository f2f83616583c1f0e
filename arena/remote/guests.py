"""Engines that enter a tournament at its broker: how they are called there, and how a worker reaches them.

An engine called GUEST of the tournament NAME is a server of sessions called NAME.GUEST (``protocols/transport/mqtt``).
The name of a session's protocol is ``ugi:GAME``, so that one engine plays every game of the tournament.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import msgspec

from playout.arena.terms.job import Job, Player
from playout.protocols.transport.mqtt.client import Broker

PROTOCOL = "ugi"
WAIT = 50
"""Seconds for an engine that has not entered yet; less than a driver waits for an engine's first answer."""


def place_of(broker: Broker, guest: str) -> Broker:
    """Returns the address of the engine that enters the tournament at ``broker`` under the name ``guest``."""
    return dataclasses.replace(broker, name=f"{broker.name}.{guest}")


def service_name(game: str) -> str:
    """Returns the name under which sessions of ``game`` are opened."""
    return f"{PROTOCOL}:{game}"


def game_of(service: str) -> str | None:
    """Returns the game of a session's name; None if it is none of an engine that has entered."""
    protocol, colon, game = service.partition(":")
    return game if protocol == PROTOCOL and colon else None


@dataclass(frozen=True, slots=True)
class Door:
    """A worker's way to engines that have entered."""

    broker: Broker
    words: tuple[str, ...] = ()
    """Arguments of ``playout connect`` for files: ``--password-file FILE``, ``--ca FILE``."""

    def invite(self, job: Job) -> Job:
        """Returns ``job`` with a command for each engine that enters."""
        one, two = (self._reached(player, job.game) for player in job.players)
        return msgspec.structs.replace(job, players=(one, two))

    def _reached(self, player: Player, game: str) -> Player:
        if not player.enters:
            return player
        place = place_of(self.broker, player.name)
        user = f"{place.user}@" if place.user else ""
        url = str(place).replace("://", f"://{user}", 1)
        words = ("playout", "connect", url, "--protocol", service_name(game), "--wait", str(WAIT), *self.words)
        return msgspec.structs.replace(player, command=words)
