"""The searcher of one game: the Rust search with the Python definition's notation on both sides."""

from __future__ import annotations

import logging
import traceback
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from playout.engine import _core
from playout.engine.options.config import SearchConfig
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.engine.terms.limits import Restriction
from playout.games.errors import BookError, GameError
from playout.games.game import Game

log = logging.getLogger(__name__)

MOST_PLIES = 2**31
"""Greatest bound of plies or moves that the kernel accepts; greater ones mean the same."""


Matrix = tuple[int, int, int, int]
Images = tuple[Sequence[Matrix], Sequence[Matrix], Matrix | None, bool]
"""The linear maps (``cell_boards.Matrix``) by which drawings apply, those for drawings with a direction, the map to the
second player's view of the board, and whether the board's edges belong to players."""
DrawnCell = tuple[int, int, tuple[str, int], str | None]
"""A cell of a drawing: column, row, its symbol with the kinds of men if the symbol is ``words.KINDS``, its letter."""
DrawnMove = tuple[Sequence[tuple[str | None, str]], int]
"""A move by letters of cells: steps from a cell, or from beyond the board, to a cell; the promotion."""
DrawnTurn = tuple[
    DrawnMove | None,
    Sequence[tuple[str, Sequence[str], bool]],
    Sequence[tuple[DrawnMove, int]],
    int | None,
    int | None,
]
"""A turn of a macro: our move; its conditions as relation, letters and whether it must not hold; replies with the
number of the turn that answers each; the numbers of the turn that answers all others, and of the one in place of this
one."""
DrawnMacro = tuple[
    tuple[float, int, float, bool],
    Sequence[tuple[Sequence[DrawnCell], bool]],
    Sequence[tuple[str, tuple[str, int]]],
    Sequence[DrawnTurn],
]
"""A macro with drawings: weight, visits, value and whether it allows its moves only; each drawing as cells, with
whether it has a direction; men by letters; its turns, the first one at the root of the tree."""
KnownMove = tuple[Any, float, int, float, bool]
"""A book's move for the search: the action (for a kernel its number or text in the book's image of the position), then
weight, visits, value and banned as in ``Hint``."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Knowledge about a move before the search, from books and macros."""

    move: str
    """The move in the game's notation."""
    weight: float = 1.0
    """Share of the node's simulations, in proportion to the other hints of the position and to 1 for all moves without
    a hint (docs/search.md); relative frequency in playouts, in proportion to the other hints. At most a million."""
    visits: int = 0
    """Number of prior observations, at most a million."""
    value: float = 0.0
    """Mean result of the prior observations, in [-1, 1], for the player to move."""
    banned: bool = False
    """Whether the move is known to lose. A banned move is taken only if all moves are banned."""
    trees: tuple[int, ...] = ()
    """Numbers of the macros whose trees name the move. With MetaActions the search may follow a tree as one choice."""
    ours: bool = True
    """Whether the move is one of the trees' own player; otherwise it is a reply that they answer."""


Hinted = tuple[str | None, Sequence[str], Sequence[Hint]]
"""A position, given by a start text (None: the game's start) and the moves from there, with its hints."""


class Searcher:
    """Searches positions of one game, and keeps its graph from search to search."""

    def __init__(self, game: Game[Any, Any], config: SearchConfig | None = None) -> None:
        """Raises GameError if the game's kernel refuses its parameters, and any error that a user's game raises."""
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
        """Sets a new configuration. The graph is kept unless the change invalidates it.

        Raises:
            GameError: for a value out of its bounds; one line that names it.
        """
        try:
            self._core.configure(config)
        except ValueError as error:
            raise GameError(str(error)) from error

    def guide(self, entries: Sequence[Hinted], *, lasting: bool = False) -> None:
        """Sets hints; those that are ``lasting`` and the others replace each their own kind.

        Each entry has a start text (None: the game's start), the moves from there to a position, and the position's
        hints. One entry serves all symmetry images of the position. Hints apply at the root of the next search and at
        nodes that it makes; the values of existing nodes are kept.

        Raises:
            GameError: for a text that is not a position, or an illegal move.
        """
        plain = [
            (text, list(moves), [((h.move, h.weight, h.visits, h.value, h.banned), h.trees, h.ours) for h in hints])
            for text, moves, hints in entries
        ]
        try:
            self._core.set_guide(plain, lasting)
        except ValueError as error:
            raise GameError(str(error)) from error

    def set_macros(self, images: Images, macros: Sequence[DrawnMacro]) -> None:
        """Sets the macros with drawings. They are matched wherever a search chooses between moves.

        Raises:
            GameError: if the game has no board of cells.
        """
        try:
            self._core.set_macros(images, macros)
        except ValueError as error:
            raise GameError(str(error)) from error

    def hints(self) -> list[Hint]:
        """Hints for the moves of the root, from all sources."""
        return [Hint(*hint) for hint in self._core.hints()]

    def set_books(
        self, ask: Callable[..., Sequence[KnownMove]] | None, keys: array[int], shared_keys: array[int]
    ) -> None:
        """Sets the books that are asked for the root of the next search and for the nodes that it makes; None is none.

        For a game with a kernel, ``ask`` is called with the key (``Place.key``) and the text (``book_text``) of a
        position whose key is among ``keys`` or whose key in books of a shared format is among ``shared_keys``; both are
        arrays of unsigned 64-bit numbers. For a game in Python it is called with each state. Illegal moves that it
        returns are left out. ``ask`` is called by the search's threads and must not raise. Nodes that exist keep what
        they know.
        """
        self._core.set_books(ask, keys.tobytes(), shared_keys.tobytes())

    def set_book_plies(self, plies: int | None) -> None:
        """Has the books asked at positions less than ``plies`` plies from the root; None is no bound."""
        self._core.set_book_plies(MOST_PLIES if plies is None else min(plies, MOST_PLIES))

    def set_tables(self, paths: Sequence[Path], *, most_pieces: int = 7, depth: int = 1) -> None:
        """Sets the tables of solved positions: directories of Syzygy tables, or one bear-off database. Without paths,
        no tables are used. A position at least ``depth`` plies below the root, in chess with at most ``most_pieces``
        pieces, gets its value from the tables and is not searched further. A change of the tables clears the graph.
        Blocks.

        Raises:
            BookError: if a table cannot be used, or the game has no such tables; one line that names the file. Nothing
                changes then.
        """
        wanted = (tuple(paths), most_pieces, depth) if paths else None
        if wanted == self._tables:
            return
        try:
            self._core.set_tables(list(paths), most_pieces, depth)
        except ValueError as error:
            raise BookError(str(error)) from error
        self._tables = wanted

    def set_nets(self, path: Path | None) -> None:
        """Sets the nets that judge positions in place of the game's own H(s) and H(s, a); None is none. A change of
        the nets clears the graph. Blocks.

        Raises:
            GameError: if the file cannot be used; one line that names it. Nothing changes then.
        """
        try:
            self._core.set_nets(path)
        except ValueError as error:
            raise GameError(str(error)) from error

    def set_patterns(self, path: Path | None) -> None:
        """Sets what takes the place of the game's own H(s, a): strengths of features of moves, or nets with a policy;
        None is none. A change clears the graph. Blocks.

        Raises:
            GameError: if the file cannot be used; one line that names it. Nothing changes then.
        """
        try:
            self._core.set_patterns(path)
        except ValueError as error:
            raise GameError(str(error)) from error

    def set_position(self, text: str | None, moves: Sequence[str]) -> None:
        """Sets the root: the position after ``moves`` from ``text`` (None: the game's start).

        Raises:
            GameError: if the kernel cannot read them. A legal position of the definition never fails.
        """
        try:
            self._core.set_position(text, list(moves))
        except ValueError as error:
            raise GameError(str(error)) from error

    def estimates(self) -> tuple[float | None, dict[str, float] | None]:
        """Returns H(s) of the root, in [-1, 1] for the player to move, and H(s, a) of each legal move, in logits.

        They come from the nets or the strengths of features if they are set, else from the game's own knowledge.

        Each is None where there is none; both at the end of the game and where dice are to fall.

        Raises:
            Exception: any that a method of a user's game raises.
        """
        value, preferences = self._core.estimates()
        return value, None if preferences is None else dict(preferences)

    def restrict(self, moves: Sequence[str]) -> int:
        """Restricts the root to ``moves``, until the next ``set_position``, and returns the number of legal ones among
        them. If none is legal, all moves are searched."""
        return self._core.restrict(list(moves))

    def keep_out(self, restrictions: Sequence[Restriction]) -> int:
        """Keeps moves out of the first plies, until the next ``set_position``. Call it before ``restrict``. Returns the
        number of moves that are left at the root; symmetry images count once. The nodes of these plies are not shared
        with other searches."""
        return self._core.keep_out(
            [(rule.player, set(rule.moves), rule.only, min(rule.plies, MOST_PLIES)) for rule in restrictions]
        )

    def prepare(self) -> None:
        """Prepares for ``run``: ``stop`` and ``set_deadline`` apply to the coming search from now on."""
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
        variation: int = 0,
        on_info: Callable[[SearchInfo], None] | None = None,
    ) -> SearchResult:
        """Searches until a limit is reached, a deadline has passed, or ``stop`` is called.

        Reports every ``interval`` seconds, with ``lines`` principal variations. Each ``variation`` (0 to 2**64 - 1)
        has random numbers of its own. If a method of a user's game fails, the search ends, and the result has the
        traceback. Blocks.
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
                variation=variation,
                on_report=report,
            )
            fault = None
        except Exception as error:
            reason, fault = "fault", "".join(traceback.format_exception(error)).rstrip()
            values = (0.0, 0, 0.0, 0, 0.0, 0, 0.0, [], None, None)
        info = _info(values)
        best = info.moves[0] if info.moves else None
        ponder = best.pv[1] if best is not None and len(best.pv) > 1 else None
        return SearchResult(best.move if best else None, ponder, info, reason, fault=fault)

    def report(self, lines: int = 1) -> SearchInfo:
        """The report of the root from the graph as it is, without a search. Empty if the graph lacks the position."""
        return _info(self._core.report(lines))

    def stop(self) -> None:
        """Ends the search. Any thread. Must not block."""
        self._core.stop()

    def set_deadline(self, soft: float | None, hard: float | None) -> None:
        """Sets the deadlines, in seconds from now. The search ends at ``soft`` unless it has a reason to go on, at
        ``hard`` in any case; with ``soft`` it also ends once its move is decided. Any thread. Must not block."""
        self._core.set_deadline(soft, hard)

    def clear(self) -> None:
        """Clears the graph."""
        self._core.clear()

    def free_half(self) -> None:
        """Frees the least visited part of the graph if it takes more than half of its memory. Blocks."""
        self._core.free_half()

    def check_savable(self) -> None:
        """Checks that the graph can be saved.

        Raises:
            GameError: if it cannot, because a game without a kernel has keys or actions that mean nothing in another
                process; one line with the reason.
        """
        try:
            self._core.check_savable()
        except ValueError as error:
            raise GameError(str(error)) from error

    def save(self, path: str | PathLike[str]) -> None:
        """Saves the graph to a file. At every moment ``path`` holds the whole old file or the whole new one. Blocks.

        Raises:
            GameError: if it cannot be saved; one line with the file and the reason.
        """
        try:
            self._core.save(path)
        except ValueError as error:
            raise GameError(str(error)) from error

    def load(self, path: str | PathLike[str]) -> None:
        """Replaces the graph by one that was saved with this game and configuration. Blocks.

        Raises:
            GameError: if the file cannot be used; one line with the file, the place and the reason. The old graph is
                kept, except after a file with valid checksums and invalid contents.
        """
        try:
            self._core.load(path)
        except ValueError as error:
            raise GameError(str(error)) from error

    @property
    def upkeep(self) -> tuple[int, int]:
        """Number of times that part of the graph was reclaimed at the memory bound, and number of times that its visit
        counts were halved."""
        return self._core.upkeep()

    @property
    def used(self) -> int:
        """Bytes of the graph in use."""
        return self._core.used()


def _info(values: Any) -> SearchInfo:
    seconds, simulations, depth, seldepth, value, visits, fill, moves, lead, simulated = values
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
                lead=gained,
            )
            for move, n, q, win, draw, lower, upper, plies, line, along, gained in moves
        ),
        lead=lead,
        simulated=simulated,
    )
