"""An engine that enters a tournament at its MQTT broker."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from playout.cli.network.limits import LINE, MOVE, NEW_MOVES, machine_memory
from playout.cli.network.mqtt import broker_tls, check_broker
from playout.cli.network.opening import opener
from playout.cli.network.serve import GRACE, stop_signals
from playout.cli.settings import Settings
from playout.engine.options.table import OPTIONS
from playout.engine.terms.rights import Rights
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.nearest import nearest
from playout.protocols.base.cause import Formatter, log_to_standard_error
from playout.protocols.registry import find
from playout.protocols.transport.address import is_name
from playout.protocols.transport.sessions import Service, Sessions

if TYPE_CHECKING:
    from playout.engine.session import Session
    from playout.protocols.base.protocol import Protocol
    from playout.protocols.serve import Inbox
    from playout.protocols.transport.mqtt.client import Broker


class Games(Mapping[str, Service]):
    """A service for each game of playout's own, opened when a session asks for it."""

    def __init__(self, options: Settings, rights: Rights) -> None:
        self._options, self._rights = options, rights

    def __getitem__(self, name: str) -> Service:
        from playout.arena.remote.guests import PROTOCOL, game_of

        game = game_of(name)
        if game is None or not catalogue.is_built_in(game):
            raise KeyError(name)

        def open_session(inbox: Inbox) -> tuple[Session, Protocol]:
            return opener(find(PROTOCOL), catalogue.load(game), self._options, self._rights)(inbox)

        return Service(PROTOCOL, open_session)

    def __iter__(self) -> Iterator[str]:
        from playout.arena.remote.guests import service_name

        return iter([service_name("GAME")])

    def __len__(self) -> int:
        return 1


def enter(broker: Broker, name: str, options: Settings, trusted: Path | None, sessions: int | None) -> int:
    """Plays as the engine ``name`` of the tournament at ``broker`` until SIGTERM, SIGHUP or an interrupt; returns the
    exit status. At most ``sessions`` games at a time; None: as many as this machine has processors.

    Raises:
        PlayoutError: if the name or an option is wrong, the broker cannot be reached, or another engine of that name is
            there.
    """
    from playout.arena.remote.guests import place_of
    from playout.protocols.transport.mqtt.server import MqttServer

    if not is_name(name):
        raise PlayoutError(f"--name {name!r}: a name without blanks and / + # $ expected")
    known = {option.name.lower(): option.name for option in OPTIONS}
    for option, _ in options.options:
        if option.lower() not in known:
            raise PlayoutError(f"no option {option!r}{nearest(option, known.values())}")
    check_broker(broker)
    most = sessions or os.cpu_count() or 1
    memory = machine_memory() // 2 // most
    rights = Rights(files=False, hash_mib=memory, threads=os.cpu_count(), seconds=MOVE, moves=NEW_MOVES)
    place = place_of(broker, name)
    log_to_standard_error(Formatter("%(levelname)s %(threadName)s %(name)s: %(message)s"))
    logging.getLogger("playout.protocols").setLevel(logging.INFO)
    with stop_signals() as wait:
        counted = Sessions(most, most)
        server = MqttServer(counted, Games(options, rights), place, tls=broker_tls(broker, trusted), line=LINE)
        server.start()
        sys.stdout.write(f"{name} has entered {broker}\n")
        sys.stdout.flush()
        wait()
        counted.drain()
        counted.wait(GRACE - server.LONGEST_STOP)
        server.stop()
    return 130
