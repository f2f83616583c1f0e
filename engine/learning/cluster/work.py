"""The part of a worker: it plays a chunk of games and returns the bytes of their records."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playout.engine.learning.training.settings import Manner
from playout.engine.learning.training.workshop import full_name, one_line, workshop_of
from playout.games import catalogue
from playout.games.errors import PlayoutError


@dataclass(frozen=True, slots=True)
class Order:
    """Description of the games of a file; the number of a game does the rest."""

    game: str
    """The name for the catalogue; the path of a file is absolute."""
    full_name: str
    """The name with all parameters."""
    source: str | None
    """The digest of the game's file, if it has one."""
    manner: Manner
    weights: bytes | None
    """The file of the nets that play; None for the plain search."""
    seed: int
    threads: int

    @property
    def key(self) -> str:
        """Digest of all that the games depend on, beside their numbers."""
        said = hashlib.blake2b(repr((self.full_name, self.source, self.manner, self.seed)).encode(), digest_size=8)
        if self.weights is not None:
            # Only the numbers: the head before them (safetensors) has a date, which a run that goes on writes anew.
            said.update(self.weights[8 + int.from_bytes(self.weights[:8], "little") :])
        return said.hexdigest()


def located(game: str) -> tuple[str, str | None]:
    """Returns the name of a game with the absolute path of its file, and the digest of that file, if it has one."""
    name, colon, rest = game.strip().partition(":")
    path = Path(name)
    if path.suffix != ".py" or not path.is_file():
        return game, None
    digest = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    return f"{path.resolve()}{colon}{rest}", digest


def play(order: Order, first: int, last: int) -> bytes:
    """Plays the games with the numbers ``first`` to ``last`` - 1, and returns a file of records that has them.

    Raises:
        PlayoutError: one line if the game is not here or is another one.
    """
    game = catalogue.load(order.game)
    if full_name(game) != order.full_name or located(order.game)[1] != order.source:
        raise PlayoutError(f"{order.game}: another game than the driver's; copy the driver's file to this machine")
    workshop = workshop_of(game)
    with TemporaryDirectory() as name, one_line():
        records, weights = Path(name) / "records", None
        if order.weights is not None:
            weights = Path(name) / "weights"
            weights.write_bytes(order.weights)

        def up_to(games: int) -> bytes:
            workshop.generate(
                records,
                weights,
                order.manner,
                games=games,
                seed=order.seed,
                threads=order.threads,
                on_game=lambda *_: None,
            )
            return records.read_bytes()

        # A game depends on its number in the file. Empty games stand for those before the chunk, and are cut out.
        head = up_to(0)
        workshop.append(records, [(None, 0.0, [], [])] * first)
        before = records.stat().st_size
        return head + up_to(last)[before:]
