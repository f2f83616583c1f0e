"""Files of positions whose exact value is known: JSON, one object on each line, after a first line that names the
format.

    {"format": "playout-solved", "version": 1}
    {"game": "tic_tac_toe", "start": null, "moves": ["b2"], "position": "3/1x1/3 o", "player": 1, "value": 0.0,
     "plies": null, "best": ["a1", "a3", "c1", "c3"], "results": {"a1": [0.0, null], "b1": [-1.0, 6], ...}}

(Each object stands on one line.) ``docs/solving.md`` describes each key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from playout.books.base.book_file import replace_book
from playout.games.errors import BookError

FORMAT = "playout-solved"
VERSION = 1


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """One position with its exact value."""

    game: str
    """The game's name with its parameters."""
    start: str | None
    """Text of the position from which ``moves`` lead here; None for the game's own start."""
    moves: tuple[str, ...]
    position: str | None
    """Text of the position; None if the game has no position texts."""
    player: int
    """Player to move: 0, 1 or CHANCE (-1)."""
    value: float
    """Exact value in [-1, 1], from the point of view of ``player``; at a chance position, of player 0."""
    plies: int | None
    """Plies to the end with best play, the winner hurrying; None for draws, and if the method finds no length."""
    best: tuple[str, ...] = ()
    """Moves that reach ``value`` (and ``plies``): all of them if ``results`` is given, else at least one if known."""
    results: Mapping[str, tuple[float, int | None]] = field(default_factory=dict)
    """Value (from the point of view of ``player``) and plies of each legal move, if all of them were solved."""

    @property
    def identity(self) -> tuple[str, str | None, str | None, tuple[str, ...]]:
        """The fields that identify a position; unique within a file."""
        if self.position is not None:
            return (self.game, self.position, None, ())
        return (self.game, None, self.start, self.moves)


def read_solved(path: Path) -> list[SolvedPosition]:
    """Reads the positions of a file, in its order.

    Raises:
        BookError: one line with the file and the line in it that is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{path}: {error}") from error
    positions = []
    for number, line in enumerate(lines, 1):
        try:
            values = json.loads(line)
            if number == 1:
                if (values["format"], values["version"]) != (FORMAT, VERSION):
                    raise ValueError(f"not {FORMAT} of version {VERSION}")
                continue
            positions.append(_position(values))
        except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise BookError(f"{path}, line {number}: not a solved position ({reason})") from error
    if not lines:
        raise BookError(f"{path}: empty, not {FORMAT}")
    return positions


def _position(values: Mapping[str, Any]) -> SolvedPosition:
    value = float(values["value"])
    if not -1.0 <= value <= 1.0:
        raise ValueError(f"value {value} is not between -1 and 1")
    return SolvedPosition(
        game=str(values["game"]),
        start=values["start"],
        moves=tuple(values["moves"]),
        position=values["position"],
        player=int(values["player"]),
        value=value,
        plies=values["plies"],
        best=tuple(values["best"]),
        results={move: (float(result), plies) for move, (result, plies) in values["results"].items()},
    )


def add_solved(path: Path, positions: Iterable[SolvedPosition]) -> None:
    """Adds positions to a file and replaces those that it already has. The file stays whole at every moment.

    Raises:
        BookError: if the existing file has another format, or the file cannot be written.
    """
    known = {position.identity: position for position in (read_solved(path) if path.exists() else ())}
    known |= {position.identity: position for position in positions}
    objects: list[dict[str, Any]] = [{"format": FORMAT, "version": VERSION}]
    objects += [asdict(position) for position in known.values()]
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
    replace_book(path, text.encode())
