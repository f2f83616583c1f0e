"""``playout.Engine``: a game in progress, and an engine that thinks about it."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Generator, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from playout import settings
from playout.bounds import Bounds
from playout.engine.options.option import Value
from playout.engine.options.search_options import SearchOptions
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Clock, Limits
from playout.games.game import Game
from playout.loading import GameLike, load_game
from playout.position import Position, checked_moves
from playout.results import Analysis, Result, import_numpy
from playout.searching import Searches
from playout.tree import Node, TreeReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from playout.awaiting import AsyncAnalysis

logging.getLogger("playout").addHandler(logging.NullHandler())


class Engine:
    """A game in progress, and an engine that thinks about it.

        with playout.Engine("connect_four", threads=2, seed=1) as engine:
            engine.play("d")
            print(engine.think(seconds=0.1).move)

    Values are in [-1, 1] from the point of view of the player to move. What the engine learned lasts from move to move
    until ``new_game`` or ``close``. Like any engine of playout it plays from the books that come with a game: a book
    move comes at once and has no value; ``own_book=False`` does without.

    One thread uses an engine at a time; ``stop`` is for any thread. Several engines search side by side, each on
    threads of its own.
    """

    def __init__(self, game: GameLike, **options: Unpack[SearchOptions]) -> None:
        """Makes an engine for ``game``, as ``load_game`` takes it.

        Options are those of ``docs/options.md`` in lower case with underscores: ``threads=4``, ``hash=1024`` (MiB),
        ``multi_pv=3``, ``tree_policy="puct"``, ``book_file=["my.book", "shipped"]``.

        Raises:
            GameError: if there is no such game, or the object lacks a method of a game.
            BadOption: if there is no such option, or its value is out of bounds.
        """
        self._searches = Searches(load_game(game))
        try:
            settings.apply(self.session, options)
        except BaseException:
            self.close()
            raise

    # The game.

    @property
    def game(self) -> Game[Any, Any]:
        """The rules."""
        return self.session.game

    @property
    def position(self) -> Position:
        """The present position, a value that later moves do not change."""
        return Position.at(self.session.game, self.session.line)

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves and rolls since the start position, in the game's notation."""
        return self.session.move_texts

    @property
    def player(self) -> int | None:
        """The player to move, 0 or 1; ``CHANCE`` (-1) where dice are to be rolled, None where the game is over."""
        return self.position.player

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.position.over

    @property
    def result(self) -> tuple[float, float] | None:
        """The results of player 0 and player 1, each in [-1, 1]; None while the game goes on."""
        return self.position.result

    @property
    def session(self) -> Session:
        """The session below, which the protocols drive too, for what an engine has no method for."""
        return self._searches.session

    def legal_moves(self) -> list[str]:
        """Returns the legal moves in the game's notation, or the rolls where dice are to be rolled."""
        return self.position.legal_moves()

    def play(self, *moves: str) -> None:
        """Plays moves, or enters rolls, one after another.

        Raises:
            IllegalMove: if one is illegal; the moves before it stay played.
        """
        session = self._searches.idle()
        for move in moves:
            session.play(move)

    def roll(self, dice: random.Random | None = None) -> str:
        """Rolls the dice, plays the roll and returns it. ``dice`` is the random source.

        Raises:
            IllegalMove: if there is nothing to roll.
        """
        session = self._searches.idle()
        roll = self.position.roll(dice)
        session.play(roll)
        return roll

    def undo(self) -> None:
        """Takes the last move, or roll, back.

        Raises:
            IllegalMove: at the start position.
        """
        self._searches.idle().undo()

    def new_game(self) -> None:
        """Stands at the start of the game, and forgets what was learned."""
        self._searches.idle().new_game()

    def forget(self) -> None:
        """Forgets what was learned; the position stays."""
        self.set_option("Clear Hash", "")

    def set_position(self, text: str | None = None, moves: Sequence[str] = ()) -> None:
        """Stands after ``moves`` from the position that ``text`` describes (FEN or the like; None is the start).

        Raises:
            GameError: if ``text`` is no position of the game.
            IllegalMove: if one of ``moves`` is illegal. Nothing changes then.
        """
        self._searches.idle().set_position(text, checked_moves("moves", moves))

    # The options.

    @property
    def options(self) -> Mapping[str, Value]:
        """The options by name, with their values."""
        return settings.values(self.session)

    def configure(self, **options: Unpack[SearchOptions]) -> None:
        """Sets options, by the names that the constructor takes.

        Raises:
            BadOption: if there is no such option, or its value is out of bounds; the options before it stay set.
        """
        settings.apply(self._searches.idle(), options)

    def set_option(self, name: str, text: str) -> None:
        """Sets the option of a name, as protocols write it (``"Move Overhead"``), to what ``text`` stands for.

        Raises:
            BadOption: if there is no such option, or its value is out of bounds.
        """
        self._searches.idle().set_option(name, text)

    # The search.

    def think(
        self,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        mate: int | None = None,
        clock: Clock | None = None,
        root_moves: Sequence[str] = (),
        lines: int | None = None,
        ownership: bool = False,
        report: Callable[[Analysis], object] | None = None,
    ) -> Result:
        """Searches the present position and returns the move to play. The first bound that is reached ends the search;
        without any, the options ``move_time`` and ``max_nodes`` do.

        Args:
            seconds: the time for this move.
            nodes: simulations. With one thread the same seed and the same nodes give the same result.
            depth: the length of the principal variation, in plies.
            mate: ends at a proven win within this many moves of the player to move.
            clock: what the player's clock shows: the engine shares the time out.
            root_moves: the only moves that are considered; all by default.
            lines: how many of the best moves get a principal variation; by default the option ``multi_pv``.
            ownership: whether the result says who will own each point, in Go and Hex.
            report: is called now and then with what is known so far, on the thread that called ``think``.

        Raises:
            PlayoutError: if an argument makes no sense, a search is under way, or dice are to be rolled.
            IllegalMove: if one of ``root_moves`` is illegal.
            GameError: if a method of a game in Python failed; its traceback is a note of the error.
        """
        wanted = self._searches.limits(
            seconds=seconds,
            nodes=nodes,
            depth=depth,
            mate=mate,
            clock=clock,
            root_moves=root_moves,
            lines=lines,
            ownership=ownership,
        )
        for event in self._searches.watch(wanted):
            if isinstance(event, SearchResult):
                result = event
            elif report is not None:
                report(self._searches.shown(event))
        return self._searches.shown_result(result)

    def analyse(
        self,
        *,
        interval: float = 0.1,
        seconds: float | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        mate: int | None = None,
        root_moves: Sequence[str] = (),
        lines: int | None = None,
        ownership: bool = False,
    ) -> Generator[Analysis, None, None]:
        """Searches the present position, without books, and yields what is known every ``interval`` seconds and at the
        end.

        Without a bound the search goes on until the position is solved, ``stop`` is called, or the loop is left: by
        ``break``, by an exception, or by the generator's ``close``. The arguments and errors are those of ``think``.
        The options ``level`` and ``max_nodes`` bound an analysis too.
        """
        wanted = self._searches.limits(
            endless=True,
            interval=interval,
            seconds=seconds,
            nodes=nodes,
            depth=depth,
            mate=mate,
            root_moves=root_moves,
            lines=lines,
            ownership=ownership,
        )
        return self._watch(wanted)

    async def think_async(self, **bounds: Unpack[Bounds]) -> Result:
        """Searches as ``think`` does, with its arguments, while the event loop goes on.

        Cancelling it stops the search, which has ended when ``CancelledError`` comes out.
        """
        from playout.awaiting import think

        return await think(self._searches, self._searches.limits(**bounds))

    def analyse_async(self, *, interval: float = 0.1, **bounds: Unpack[Bounds]) -> AsyncAnalysis:
        """Returns what ``analyse`` yields, for ``async for``; its arguments are the same.

        Leaving the loop, or cancelling its task, stops the search. ``async with`` waits for the search's end too.
        """
        from playout.awaiting import AsyncAnalysis

        return AsyncAnalysis(self._searches, self._searches.limits(endless=True, interval=interval, **bounds))

    def stop(self) -> None:
        """Ends the search under way, if there is one; its result comes soon. Any thread. Returns at once."""
        self._searches.stop()

    @property
    def searching(self) -> bool:
        """Whether a search is under way. Any thread."""
        return self.session.searching

    # What the search has learned.

    def tree(self, depth: int = 1, visits: int = 1) -> Node:
        """Returns what the graph knows of the present position: its root with ``depth`` generations of moves.

        Moves with fewer than ``visits`` visits are left out.

        Raises:
            PlayoutError: if a search is under way.
        """
        return TreeReader(self._searches.idle(), visits).read(depth)

    def priors(self) -> dict[str, float]:
        """Returns the prior of each legal move, adding up to 1; nothing where the search does not use priors."""
        return self._searches.idle().priors()

    def ownership(self) -> NDArray[np.float64]:
        """Returns the expected ownership of each point at the end of the game, found by random playouts.

        Shape (rows, columns), rows as the game numbers its points, in Go from the bottom, in Hex from the top; in
        [-1, 1], 1 is player 0. Shape (0, 0) in games whose points have no owners.

        Raises:
            PlayoutError: if numpy is not installed.
        """
        owners = self._searches.idle().ownership()
        shape = self._searches.shape if owners else (0, 0)
        array: NDArray[np.float64] = import_numpy().array(owners, float).reshape(shape)
        return array

    def save(self, path: str | PathLike[str]) -> None:
        """Saves what was learned of this game to a file, which ``load`` reads.

        Raises:
            GameError: one line with the file and the reason; always for a game in Python, whose graph has no form that
                another process could read.
        """
        self._searches.idle().searcher().save(path)

    def load(self, path: str | PathLike[str]) -> None:
        """Loads what an engine for the same game with the same search options saved; what was known is forgotten.

        Raises:
            GameError: one line with the file and what is wrong with it.
        """
        self._searches.idle().searcher(to_load=True).load(path)

    # The end, and notebooks.

    def close(self) -> None:
        """Ends a search under way and frees the memory. A second call does nothing."""
        self._searches.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def svg(self) -> str:
        """Returns a picture of the present position, an SVG document."""
        return self.position.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        count = len(self.moves)
        closed = ", closed" if self._searches.closed else ""
        return f"<playout.Engine {self.game.name}, {count} {'move' if count == 1 else 'moves'}{closed}>"

    def _watch(self, wanted: Limits) -> Generator[Analysis, None, None]:
        for event in self._searches.watch(wanted, analysis=True):
            if isinstance(event, SearchInfo):
                yield self._searches.shown(event)
            else:
                last = self._searches.shown_result(event)
        if last.moves:
            yield last
