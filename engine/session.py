"""A game in progress with its clock, books and searcher: the one object that a protocol drives.

Thread contract: one thread owns a session and calls its methods; methods marked "Any thread" may be called by others
too. Reports leave through ``post``, which is called on the search thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from secrets import randbits
from typing import Any

from playout.books.base.book import Book
from playout.engine.judge.life import Judgement, Verdicts
from playout.engine.judge.ownership import PLAYOUTS, OwnershipPlayouts
from playout.engine.judge.prior import Priors
from playout.engine.judge.rollout import Rollout
from playout.engine.known.session_books import Books
from playout.engine.options.config import kernel_of, options_for
from playout.engine.options.needs import check_options, idle_options
from playout.engine.running import Post, Running, thread_of
from playout.engine.search.graph_file import check_graph_file
from playout.engine.search.searcher import Searcher
from playout.engine.terms.info import NOTHING, SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.line import Line
from playout.engine.terms.option_values import FrozenOptions
from playout.engine.terms.policies import WITH_PRIORS
from playout.engine.terms.rights import Rights
from playout.engine.terms.shipped_nets import shipped_nets
from playout.engine.terms.task import SearchTask
from playout.engine.thinker import Thinker, bounded
from playout.games.errors import BadOption, PlayoutError
from playout.games.game import (
    CHANCE,
    Game,
    is_over,
)
from playout.games.support.log_file import log_by_option

log = logging.getLogger(__name__)


class Session:
    """A game in progress.

    ``go`` starts a search with a ``SearchTask`` of what the session holds at that moment. Options and positions that
    are set during the search belong to the next one.
    """

    def __init__(self, game: Game[Any, Any], *, post: Post, books: Sequence[Book] = ()) -> None:
        """``post`` gets each report and, exactly once per ``go``, ``roll_out`` or ``judge``, the result; it must not
        block. ``books`` are asked before those that options name; the caller closes them.
        """
        self._post = post
        self._given = tuple(books)
        self.books = Books()
        self._thinker = Thinker(self.books)
        self._thread: threading.Thread | None = None
        """Thread of a rollout or a judgement."""
        self._search: Running | None = None
        self._left: list[Running] = []
        self._task: SearchTask | None = None
        self._lock = threading.Lock()
        self._rollout: Rollout | None = None
        self._verdicts = Verdicts()
        self._priors = Priors()
        self._rights = Rights()
        self._idle_options: tuple[str, ...] = ()
        self._untold: tuple[str, ...] = ()
        self._start(game)
        self.options = options_for(game, {})
        self._open_books()

    def _start(self, game: Game[Any, Any], *, keep_graph: bool = False) -> None:
        self._line = Line.start(game)
        self._game = game
        self._thinker.new_game(keep_graph=keep_graph)
        self._variation = randbits(64)
        self._learned: tuple[str | None, tuple[str, ...]] | None = None

    def _open_books(self) -> None:
        self.books.prepare(self._game, self.options, self._given)

    @property
    def game(self) -> Game[Any, Any]:
        """The rules of the game; ``set_game`` changes them."""
        return self._game

    @property
    def state(self) -> Any:
        """The current state, as the game's definition has it."""
        return self._line.states[-1]

    @property
    def line(self) -> Line:
        """The start position and all that was played since then."""
        return self._line

    @property
    def move_texts(self) -> tuple[str, ...]:
        """The moves since the start position, in the game's notation."""
        return self._line.moves

    @property
    def searching(self) -> bool:
        """Whether a search is under way. Any thread. Must not block."""
        thread, search = self._thread, self._search
        return (thread is not None and thread.is_alive()) or (search is not None and search.under_way)

    @property
    def stuck(self) -> str | None:
        """The method of a user's game that does not return in a search which has reported its move without it; None if
        there is none. Its thread goes on until the process ends."""
        return next((search.stuck for search in (*self._left, self._search) if search and search.stuck), None)

    @property
    def task(self) -> SearchTask | None:
        """The task of the search under way or, without one, of the last; None before the first. Any thread."""
        return self._task

    def set_game(self, game: Game[Any, Any]) -> None:
        """Changes the rules and sets their start position. Options keep their values. Blocks until idle."""
        self._idle()
        # Nets that ship are for one board.
        if kernel_of(game) != kernel_of(self._game) or shipped_nets(game) != shipped_nets(self._game):
            self.options = options_for(game, self.options.given, self.options.preferred)
            self.options.restrict(self._rights)
        self._start(game)
        self._open_books()

    @property
    def rights(self) -> Rights:
        """The user's share of the machine: everything, unless ``restrict`` has been called."""
        return self._rights

    def restrict(self, rights: Rights) -> None:
        """Confines the user to ``rights`` from now on. Options that were set before stay in force."""
        self._rights = rights
        self.options.restrict(rights)

    def new_game(self) -> None:
        """Sets the start position, and forgets what was learned after saving it if there is a graph file; with the
        option KeepGraph nothing is forgotten. Blocks until idle."""
        self._idle()
        self._start(self._game, keep_graph=self.options.flag("KeepGraph"))

    def set_position(self, text: str | None, moves: Sequence[str]) -> None:
        """Sets the position after ``moves`` from the position ``text``; None is the game's start.

        Raises:
            GameError: if ``text`` is not a position of the game, or there are more moves than the rights allow; nothing
                changes.
            IllegalMove: if one of the moves is not legal; nothing changes.
        """
        self._line = line = self._line.moved_to(self._game, text, moves, self._rights.moves)
        self._learn(line)

    def set_line(self, line: Line) -> None:
        """Sets the position at the end of ``line``, which must be of this game."""
        self._line = line

    def play(self, text: str, player: int | None = None) -> None:
        """Plays one move, or enters a roll. With ``player`` it is this player's move, even out of turn.

        Raises:
            IllegalMove: if the move is not legal; nothing changes.
        """
        line = self._line if player is None else self._line.with_player(self._game, player)
        self._line = line.played(self._game, text)
        self._learn(self._line)

    def ended(self, result: float) -> None:
        """Notes that the game has ended off the board, as by resignation; ``result`` is player 0's, in [-1, 1]."""
        self._learn(self._line, result)

    def settle(self, move: str) -> None:
        """Notes that ``move``, found by the last search, is played: if it ends the game, no ``play`` follows. Never
        raises."""
        if self.options.flag("BookLearn") and not self.searching:
            try:
                self._learn(self._line.played(self._game, move))
            except Exception:
                log.exception("whether %s ends the game cannot be told", move)

    def _learn(self, line: Line, result: float | None = None) -> None:
        """Has the books learn the game of ``line``, once, if it is over or ``result`` is given."""
        if not self.options.flag("BookLearn") or (line.text, line.words) == self._learned or self.searching:
            return
        returns = self._game.returns(line.states[-1])
        result = returns[0] if returns is not None else result
        if result is not None:
            self._learned = (line.text, line.words)
            self._open_books()
            self.books.learn(line, result, self.options)

    def undo(self) -> None:
        """Takes back the last move, together with a change of the player to move.

        Raises:
            IllegalMove: at the start position.
        """
        self._line = self._line.undone()

    def set_player(self, player: int) -> None:
        """Gives the move to ``player``.

        Raises:
            IllegalMove: if the game does not allow that.
        """
        self._line = self._line.with_player(self._game, player)

    def ownership(self) -> list[float]:
        """Returns the expected ownership of each point at the end of the game, in [-1, 1]; 1 is player 0.

        It is estimated by playouts; empty for a game whose points have no owners. Blocks for some hundredths of a
        second.
        """
        return OwnershipPlayouts(self._game, self._line).owners(PLAYOUTS, self.options.integer("Seed"))

    def judge(self, quick: bool = False) -> None:
        """Starts a search for the chains of Go that are dead or in seki, by playouts alone if ``quick``.

        A result with the reason ``judged`` is posted once ``judgement`` has them. Must not block.

        Raises:
            PlayoutError: if a search is under way.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        self._verdicts.enough.clear()
        self._task = task = self._asked(Limits())
        self._begin("playout-judge", self._run_judge, task, quick)

    @property
    def judgement(self) -> Judgement:
        """The chains that the last ``judge`` found. Only after its result has been posted."""
        assert self._verdicts.last is not None
        return self._verdicts.last

    def priors(self) -> dict[str, float]:
        """Returns the prior of each legal move; they add up to 1. Empty where the search uses none. Never raises."""
        if self.options.text("TreePolicy") not in WITH_PRIORS:
            return {}
        return self._priors.at(self._game, self._line, self.options)

    def remarks(self) -> tuple[str, ...]:
        """Returns lines for people, each once: options that no longer act since another was set, and books that cannot
        be used. During a search none about books: its result has them."""
        untold, self._untold = self._untold, ()
        return untold if self.searching else (*untold, *self.books.remarks())

    def set_option(self, name: str, text: str) -> None:
        """Sets an option for the next search. One that is under way keeps the options that it started with.

        Raises:
            BadOption: if there is no such option or ``text`` is not a value of it; nothing changes.
        """
        option = self.options.find(name)
        if option.name == "GraphFile":
            check_graph_file(text.strip())
        if option.name == "Debug Log File":
            log_by_option(text.strip())
        before = self.options.snapshot()
        self.options.set(name, text)
        if option.name == "Clear Hash":
            self._thinker.forget()
        try:
            check_options(self._game, self.options, [option.name])
        except BadOption:
            self.options.restore(before)
            raise
        self._note_idle_options()
        if not self.searching:  # else the next search opens them
            self._open_books()

    def prefer_no_book(self) -> None:
        """Makes false the default of OwnBook, for interfaces that have books of their own."""
        self.options.prefer("OwnBook", False)
        self._open_books()

    def _note_idle_options(self) -> None:
        idle = idle_options(self._game, self.options)
        new = tuple(line for line in idle if line not in self._idle_options)
        self._idle_options = idle
        self._untold += new
        for line in new:
            log.warning("%s", line)

    def searcher(self, *, to_load: bool = False) -> Searcher:
        """Returns the searcher with what it has learned of this game, to read or save its graph between searches.

        To load a graph it gets the weights that the options name, which may clear what it has learned.

        Raises:
            PlayoutError: if a search is under way, or the weights cannot be used.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        task = self._asked(Limits())
        return self._thinker.equipped(task) if to_load else self._thinker.ready(task)

    def get_ready(self) -> None:
        """Does now what the first search would have to do first: memory is allocated, books are opened, nets are read.
        Does nothing while a search is under way, and for a game in Python, whose methods are only called where they are
        watched. Blocks."""
        if not self.searching and kernel_of(self._game) is not None:
            self._thinker.get_ready(bounded(self._asked(Limits())))

    def go(self, limits: Limits, options: FrozenOptions | None = None) -> None:
        """Starts a search of the current position, also after a draw that nobody has claimed. Must not block.

        ``options`` replace those of the session for this search: an analysis has one changed, and of a decision that
        takes several searches all have those of the first.

        Raises:
            PlayoutError: if a search is under way, or dice have to be rolled first.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        if not is_over(self._game, self.state) and self._game.current_player(self.state) == CHANCE:
            raise PlayoutError("the dice are to be rolled first")
        task = bounded(self._asked(limits, options))
        self._thinker.ready(task)
        self._left = [search for search in (*self._left, self._search) if search and search.stuck]
        with self._lock:  # a stop comes before all of this, or after
            self._task = task
            self._thinker.start(task)
            self._search = Running(self._thinker, task, self._post)
        self._search.start()

    def _asked(self, limits: Limits, options: FrozenOptions | None = None) -> SearchTask:
        """Returns a task of what the session holds now."""
        received = time.monotonic() if limits.received is None else limits.received
        options = options or self.options.frozen()
        return SearchTask(
            self._game,
            self._line.taken_up(self._game),
            replace(limits, received=received),
            options,
            self._rights,
            self._given,
            0 if options.integer("Seed") else self._variation,
        )

    def roll_out(self, limits: Limits) -> None:
        """Starts playouts of the current position, which may be before a roll of dice. Must not block.

        ``outcomes`` of the result has the results of the playouts. ``limits.nodes`` counts playouts; without it there
        are at most ``rollout.ENOUGH``.

        Raises:
            PlayoutError: if a search is under way, or the game is over or cannot be played out.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        if is_over(self._game, self.state):
            raise PlayoutError("the game is over")
        self._task = task = bounded(self._asked(limits))
        wanted = self._thinker.deadlines.expected_seconds(task)
        assert task.limits.received is not None
        seconds = None if wanted is None else wanted - (time.monotonic() - task.limits.received)
        self._rollout = rollout = Rollout(task)
        self._begin("playout-rollout", self._play_out, rollout, seconds)

    def stop(self) -> None:
        """Ends the search, whose result is posted soon. Does nothing without a search. Any thread. Must not block."""
        with self._lock:
            if (rollout := self._rollout) is not None:
                rollout.stop()
            if self._search is not None:
                self._search.stop()
            self._verdicts.enough.set()

    def ponder_hit(self, limits: Limits | None = None) -> None:
        """Ends pondering, because the expected move was played: the search goes on for its move.

        ``limits``, which have ``received``, bound it; by default those of the search, received now. The options stay
        those that it started with. Any thread. Must not block.
        """
        with self._lock:
            if self._search is not None:
                self._search.hit(limits)

    def wait(self, timeout: float | None = None) -> bool:
        """Blocks until no search is under way, or for ``timeout`` seconds. Returns whether none is under way."""
        thread, search = self._thread, self._search
        if thread is not None:
            thread.join(timeout)
        elif search is not None:
            search.wait(timeout)
        return not self.searching

    def close(self) -> None:
        """Stops a search, saves the graph if it has a file, and frees memory and files. Blocks."""
        self._idle()
        self._thinker.close()
        self.books.close()

    def _begin(self, name: str, run: Callable[..., None], *arguments: Any) -> None:
        """Starts a thread of that name."""
        self._thread = thread_of(name, run, *arguments)
        self._thread.start()

    def _idle(self) -> None:
        self.stop()
        self.wait()

    def _play_out(self, rollout: Rollout, seconds: float | None) -> None:
        try:
            result = rollout.run(seconds)
        except BaseException as error:
            log.exception("the rollout failed")
            result = SearchResult(None, None, NOTHING, "fault", fault=f"{type(error).__name__}: {error}")
        self._rollout = self._thread = None
        self._post(result)

    def _run_judge(self, task: SearchTask, quick: bool) -> None:
        reason, fault = "judged", None
        try:
            self._verdicts.find(task, quick)
        except BaseException as error:  # as in _run
            log.exception("the judgement failed")
            reason, fault = "fault", f"{type(error).__name__}: {error}"
        self._thread = None
        self._post(SearchResult(None, None, NOTHING, reason, fault=fault))
