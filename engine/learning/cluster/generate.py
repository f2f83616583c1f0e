"""Self-play on the workers of a cluster: the driver hands out chunks of games and keeps their records."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from playout import __version__
from playout.engine import _core
from playout.engine.learning.cluster.chunks import Chunk, Collection
from playout.engine.learning.cluster.connection import library
from playout.engine.learning.cluster.work import Order, located
from playout.engine.learning.training.settings import Settings, learned_search, plain_search
from playout.engine.learning.training.watch import Watch
from playout.engine.learning.training.workshop import full_name, one_line
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.games.nearest import unusable

CHUNKS_A_PLACE = 4
"""Chunks for each place of the cluster, so that quick machines get more of them and all end at nearly the same time."""
MOST_GAMES = 50
"""Most games of a chunk: those that are played again if their worker is lost."""
MOST_LOSSES = 3
"""Workers that may be lost with the same chunk before the run ends: the chunk itself may be what kills them."""


class Workers:
    """The workers of the cluster with which this process is connected."""

    def __init__(self, game: str, chunk: int | None = None) -> None:
        """``game`` is the name for the catalogue; ``chunk`` the number of games of a chunk, by default few enough
        to keep all workers busy."""
        self._game, self._source = located(game)
        self._chunk = chunk
        self._ray = library()

    def generate(
        self,
        workshop: _core.Learning,
        game: Game[Any, Any],
        settings: Settings,
        records: Path,
        weights: Path | None,
        seed: int,
        watch: Watch,
    ) -> int:
        """Has games played until the file ``records`` has ``settings.games`` of them. Returns how many it has.

        The games are those that ``stages.generate`` plays with the same arguments.

        Raises:
            PlayoutError: one line that says what is wrong, and on which machine.
        """
        manner = settings.manner(game, plain_search(game) if weights is None else learned_search())
        with one_line():  # makes the file, or cuts off what is damaged at its end
            workshop.generate(records, None, manner, games=0, seed=seed, threads=1, on_game=lambda *_: None)
        try:
            nets = None if weights is None else weights.read_bytes()
        except OSError as error:
            raise PlayoutError(unusable(str(weights), error)) from error
        order = Order(self._game, full_name(game), self._source, manner, nets, seed, settings.threads)
        collection = Collection(records, settings.games, order.key)
        watch.begin("games", settings.games)
        watch.advance(collection.done)
        self._play(collection, order, watch)
        collection.close()
        return collection.done

    def _play(self, collection: Collection, order: Order, watch: Watch) -> None:
        ray, places = self._ray, self._places(order.threads)
        if not places:
            raise PlayoutError(f"--threads {order.threads}: no machine of the cluster has that many processors")
        began, before = monotonic(), collection.done
        size = self._chunk or min(MOST_GAMES, max(1, math.ceil(collection.lacking / (CHUNKS_A_PLACE * places))))
        shared = ray.put(pickle.dumps(order))
        task = ray.remote(num_cpus=order.threads, max_retries=0)(_task())
        losses = Counter[Chunk]()
        pending: dict[Any, Chunk] = {}

        def hand_out(chunk: Chunk) -> None:
            pending[task.remote(__version__, shared, chunk.first, chunk.last)] = chunk

        for chunk in collection.missing(size):
            hand_out(chunk)
        while pending:
            (ready,), _ = ray.wait(list(pending))
            chunk = pending.pop(ready)
            try:
                came = ray.get(ready)
            except ray.exceptions.RayTaskError as error:
                raise PlayoutError(f"{chunk}: {_last_line(error)}") from error
            except ray.exceptions.RayError as error:
                losses[chunk] += 1
                if losses[chunk] == MOST_LOSSES:
                    raise PlayoutError(f"{chunk}: {MOST_LOSSES} workers were lost: {_last_line(error)}") from error
                watch.note(f"{chunk}: the worker was lost; another one plays them")
                hand_out(chunk)
                continue
            if isinstance(came, str):
                raise PlayoutError(came)
            collection.take(chunk, came)
            rate = (collection.done - before) / max(monotonic() - began, 1e-9)
            watch.advance(collection.done, f"{rate:.3g} games/s, workers: {self._places(order.threads)}")

    def _places(self, threads: int) -> int:
        """Number of workers that the machines of the cluster have room for."""
        machines = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        return sum(int(resources.get("CPU", 0)) // threads for resources in machines)


def _task() -> Callable[[str, bytes, int, int], bytes | str]:
    """Returns the function that a worker runs.

    Ray sends a function inside a function by value, so it runs where another playout, or none, is installed, and can
    say so.
    """

    def play_chunk(version: str, order: bytes, first: int, last: int) -> bytes | str:
        import pickle
        from importlib import import_module

        try:
            from playout import __version__ as installed

            if installed != version:
                raise ImportError(f"playout {installed} is installed there, and {version} at the driver")
            from playout.engine.learning.cluster.work import play

            return play(pickle.loads(order), first, last)
        except Exception as error:
            kind = "" if type(error).__name__ in ("GameError", "PlayoutError") else f"{type(error).__name__}: "
            return f"worker at {import_module('ray.util').get_node_ip_address()}: {kind}{' '.join(str(error).split())}"

    return play_chunk


def _last_line(error: Exception) -> str:
    """The last line of an error of Ray, which comes after the traceback of the worker."""
    lines = str(error).strip().splitlines()
    return lines[-1].strip() if lines else type(error).__name__
