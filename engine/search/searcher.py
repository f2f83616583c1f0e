"""The searcher of one game: the Rust search with the Python definition's notation on both sides."""

from __future__ import annotations

import dataclasses
import logging
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from playout.engine import _core
from playout.engine.options.config import SearchConfig, kernel_of
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.limits import Restriction
from playout.games.errors import BookError, GameError
from playout.games.game import Game

log = logging.getLogger(__name__)

MOST_PLIES = 2**31
"""No bound on plies or moves that is larger means more."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What is known of a move before the search."""

    move: str
    """In the game's notation."""
    weight: float = 1.0
    """How often rollouts take it, in proportion to the other hints of the position."""
    visits: int = 0
    """Games or simulations that the hint stands for."""
    value: float = 0.0
    """Their mean result in [-1, 1] for the player to move."""
    banned: bool = False
    """Known to lose: taken only if all moves are banned."""


def kernel_params(game: Game[Any, Any]) -> dict[str, str]:
    """The game's parameters as its kernel reads them."""
    if not dataclasses.is_dataclass(game):
        return {}
    values = {field.name: getattr(game, field.name) for field in dataclasses.fields(game)}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}


class Searcher:
    """Searches positions of one game and keeps what it learned from search to search."""

    def __init__(self, game: Game[Any, Any], config: SearchConfig | None = None) -> None:
        """Raises GameError if the game's kernel refuses its parameters, or what the user's own game raises."""
        self._game = game
        self._tables: tuple[tuple[Path, ...], int, int] | None = None
        kernel = kernel_of(game)
        try:
            self._core = (
                _core.Search.python(game) if kernel is None else _core.Search.kernel(kernel, kernel_params(game))
            )
        except GameError:
            log.exception("the game failed")
            raise
        except ValueError as error:
            raise GameError(str(error)) from error
        self.configure(config or SearchConfig())

    def configure(self, config: SearchConfig) -> None:
        """Takes a new configuration; the graph is kept unless the change makes it meaningless."""
        self._core.configure(config)

    def guide(self, entries: Sequence[tuple[str | None, Sequence[str], Sequence[Hint]]]) -> None:
        """Takes what books and decision trees know: for the position after the moves from the text (None: the game's
        start) its hints. One entry serves all symmetric images. They hold at the root of the next search and at
        positions that it meets for the first time; what was learned before is kept.

        Raises:
            GameError: a text that is no position, or an illegal move.
        """
        plain = [
            (text, list(moves), [(h.move, h.weight, h.visits, h.value, h.banned) for h in hints])
            for text, moves, hints in entries
        ]
        try:
            self._core.set_guide(plain)
        except ValueError as error:
            raise GameError(str(error)) from error

    def set_tables(self, paths: Sequence[Path], *, most_pieces: int = 7, depth: int = 1) -> None:
        """Takes tables of solved positions for the search: directories of Syzygy tables, or one bear-off database. No
        path puts them away. Positions ``depth`` plies below the root, or more, with at most ``most_pieces`` pieces
        (chess only) have the tables' values and are searched no further. What was learned before is forgotten, unless
        the tables are those in use. Blocks.

        Raises:
            BookError: one line that names the file, and nothing changes; also if the game has no such tables.
        """
        wanted = (tuple(paths), most_pieces, depth) if paths else None
        if wanted == self._tables:
            return
        try:
            self._core.set_tables(list(paths), most_pieces, depth)
        except ValueError as error:
            raise BookError(str(error)) from error
        self._tables = wanted

    def set_position(self, text: str | None, moves: Sequence[str]) -> None:
        """Stands at the position after ``moves`` from ``text`` (None: the game's start).

        Raises:
            GameError: if the kernel cannot read them. A legal position of the definition never fails.
        """
        try:
            self._core.set_position(text, list(moves))
        except ValueError as error:
            raise GameError(str(error)) from error

    def restrict(self, moves: Sequence[str]) -> int:
        """Considers only these moves at the root, until the next ``set_position``; returns how many of them are legal.
        If none is, all moves are considered."""
        return self._core.restrict(list(moves))

    def keep_out(self, restrictions: Sequence[Restriction]) -> int:
        """Keeps moves out of the first plies, until the next ``set_position``; comes before ``restrict``. Returns how
        many moves are left at the root, of which images count once. What is found there is kept apart from what other
        searches find."""
        return self._core.keep_out(
            [(rule.player, set(rule.moves), rule.only, min(rule.plies, MOST_PLIES)) for rule in restrictions]
        )

    def prepare(self) -> None:
        """Makes ready for ``run``: from here on ``stop`` and ``set_deadline`` are of the coming search."""
        self._core.prepare()

    def run(
        self,
        *,
        nodes: int | None = None,
        depth: int | None = None,
        mate: int | None = None,
        past_proof: bool = False,
        interval: float = 1.0,
        lines: int = 1,
        on_info: Callable[[SearchInfo], None] | None = None,
    ) -> SearchResult:
        """Searches until a bound is reached, or ``stop``, or a deadline; reports every ``interval`` seconds.

        Blocks. ``lines`` principal variations are worked out. A failing method of a user's game ends the search; the
        result then has its traceback.
        """

        def report(values: Any) -> None:
            if on_info is not None:
                on_info(_info(values))

        try:
            reason, values = self._core.run(
                nodes=nodes,
                depth=None if depth is None else min(depth, MOST_PLIES),
                mate=None if mate is None else min(mate, MOST_PLIES),
                past_proof=past_proof,
                interval=interval,
                lines=lines,
                on_report=report,
            )
            fault = None
        except Exception as error:
            reason, fault = "fault", "".join(traceback.format_exception(error)).rstrip()
            values = (0.0, 0, 0.0, 0, 0.0, 0, 0.0, [])
        info = _info(values)
        best = info.moves[0] if info.moves else None
        ponder = best.pv[1] if best is not None and len(best.pv) > 1 else None
        return SearchResult(best.move if best else None, ponder, info, reason, fault=fault)

    def report(self, lines: int = 1) -> SearchInfo:
        """What the graph knows of the position, without a search; nothing of one that it does not have."""
        return _info(self._core.report(lines))

    def stop(self) -> None:
        """Ends the search. Any thread. Must not block."""
        self._core.stop()

    def set_deadline(self, soft: float | None, hard: float | None) -> None:
        """Seconds from now; with ``soft`` the search also ends once its move is decided. Any thread. Must not block."""
        self._core.set_deadline(soft, hard)

    def clear(self) -> None:
        """Forgets everything that earlier searches learned."""
        self._core.clear()

    @property
    def savable(self) -> bool:
        """Whether the graph can be saved: that of a game without a kernel has actions of this process only."""
        return kernel_of(self._game) is not None

    def save(self, path: str | PathLike[str]) -> None:
        """Saves the graph to a file; whatever happens, ``path`` holds the old file or the new one. Blocks.

        Raises:
            GameError: one line with the file and the reason; always for a game without a kernel.
        """
        try:
            self._core.save(path)
        except ValueError as error:
            raise GameError(str(error)) from error

    def load(self, path: str | PathLike[str]) -> None:
        """Loads a graph that was saved with this game and configuration; what the search knew is forgotten. Blocks.

        Raises:
            GameError: one line with the file, the place and what is wrong; what was known stays, but for a file whose
                contents make no sense although its checksums hold.
        """
        try:
            self._core.load(path)
        except ValueError as error:
            raise GameError(str(error)) from error

    @property
    def upkeep(self) -> tuple[int, int]:
        """Times that part of the graph was reclaimed at the memory bound, and that its visit counts were halved."""
        return self._core.upkeep()

    @property
    def used(self) -> int:
        """Bytes of the graph in use."""
        return self._core.used()


def _info(values: Any) -> SearchInfo:
    seconds, simulations, depth, seldepth, value, visits, fill, moves = values
    return SearchInfo(
        time=seconds,
        simulations=simulations,
        depth=depth,
        seldepth=seldepth,
        value=value,
        visits=visits,
        hashfull=min(1000, int(fill * 1000)),
        moves=tuple(
            MoveInfo(
                *(move, n, q, win, draw, max(0.0, 1.0 - win - draw), lower, upper, plies, tuple(line)),
                pv_visits=tuple(visits for visits, _ in along),
                pv_edge_visits=tuple(taken for _, taken in along),
            )
            for move, n, q, win, draw, lower, upper, plies, line, along in moves
        ),
    )
