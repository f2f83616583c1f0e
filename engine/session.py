"""A game in progress with its clock, books and searcher: the only thing that a protocol drives.

One thread owns a session and calls its methods; those marked "Any thread" may be called by others too. Reports leave
by ``post``, which is called from the search thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import replace
from typing import Any

from playout.books.base.book import Book
from playout.engine.judge.life import Judgement, Verdicts
from playout.engine.judge.ownership import ownership
from playout.engine.judge.prior import search_priors
from playout.engine.judge.rollout import ENOUGH, Rollout
from playout.engine.known.session_books import Books
from playout.engine.options.config import SearchConfig, kernel_of, options_for, search_config
from playout.engine.options.needs import check_options, idle_options
from playout.engine.search.graph_file import check_graph_file
from playout.engine.terms.info import NOTHING, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.line import PLAYER_TOKENS, Line
from playout.engine.terms.rights import Rights
from playout.engine.thinker import Thinker, any_move
from playout.games.errors import BadOption, IllegalMove, PlayoutError
from playout.games.game import (
    CHANCE,
    Game,
    is_over,
)

log = logging.getLogger(__name__)

Post = Callable[[SearchInfo | SearchResult], None]


class Session:
    """A game in progress."""

    def __init__(self, game: Game[Any, Any], *, post: Post, books: Sequence[Book] = ()) -> None:
        """``post`` gets each report and, exactly once per ``go``, the result; it must not block."""
        self._post = post
        self.books = Books(books)
        self._thinker = Thinker(self.books)
        self._thread: threading.Thread | None = None
        self._release = threading.Event()
        self._pondering: Limits | None = None
        self._lock = threading.Lock()
        self._rollout: Rollout | None = None
        self._verdicts = Verdicts()
        self._rights = Rights()
        self._idle_options: tuple[str, ...] = ()
        self._untold: tuple[str, ...] = ()
        self._start(game)
        self.options = options_for(game, {})
        self.books.prepare(game, self.options)

    def _start(self, game: Game[Any, Any]) -> None:
        self._line = Line.start(game)
        self._game = game
        self._thinker.new_game()
        self._learned: tuple[str | None, tuple[str, ...]] | None = None

    @property
    def game(self) -> Game[Any, Any]:
        """The rules; ``set_game`` changes them."""
        return self._game

    @property
    def state(self) -> Any:
        """The current state, of the game's definition."""
        return self._line.states[-1]

    @property
    def move_texts(self) -> tuple[str, ...]:
        """The moves since the start position, in the game's notation."""
        return self._line.moves

    @property
    def searching(self) -> bool:
        """Whether a search is under way. Any thread. Must not block."""
        thread = self._thread
        return thread is not None and thread.is_alive()

    def set_game(self, game: Game[Any, Any]) -> None:
        """Changes the rules and stands at their start position; options keep their values. Blocks until idle."""
        self._idle()
        if kernel_of(game) != kernel_of(self._game):
            self.options = options_for(game, self.options.given)
            self.options.restrict(self._rights)
        self._start(game)
        self.books.prepare(game, self.options)

    @property
    def rights(self) -> Rights:
        """What the user may have of the machine: everything, unless ``restrict`` has been called."""
        return self._rights

    def restrict(self, rights: Rights) -> None:
        """From here on the user may have only what ``rights`` allow. Options that were set before stay in force."""
        self._rights = rights
        self.options.restrict(rights)

    def new_game(self) -> None:
        """Stands at the start position; what was learned goes to the graph file, or is forgotten. Blocks until idle."""
        self._idle()
        self._start(self._game)

    def set_position(self, text: str | None, moves: Sequence[str]) -> None:
        """Stands at the position after ``moves`` from ``text``; None is the game's start.

        Raises:
            GameError, IllegalMove: and nothing changes, if the text or one of the moves is not of the game.
        """
        line = Line.start(self._game, text)
        known = self._line
        if line.text == known.text and all(word not in PLAYER_TOKENS for word in known.words):
            same = 0
            for word, move in zip(known.words, moves, strict=False):
                if word != move:
                    break
                same += 1
            line = known.first(same)
        for number, move in enumerate(moves[len(line.words) :], len(line.words) + 1):
            try:
                line = line.played(self._game, move)
            except IllegalMove as error:
                raise IllegalMove(f"move {number}: {error}") from None
        self._line = line
        self._learn(line)

    def set_line(self, line: Line) -> None:
        """Stands at the end of ``line``, which is of this game."""
        self._line = line

    def play(self, text: str, player: int | None = None) -> None:
        """Plays one move, or enters a roll. With ``player``, it is this player's move, whoever was to move.

        Raises:
            IllegalMove: and nothing changes.
        """
        line = self._line if player is None else self._line.with_player(self._game, player)
        self._line = line.played(self._game, text)
        self._learn(self._line)

    def ended(self, result: float) -> None:
        """The game is over although the board does not say so, as by resignation; ``result`` is player 0's."""
        self._learn(self._line, result)

    def settle(self, move: str) -> None:
        """``move``, the last search's, is played, but nobody will say so if it ends the game. Never raises."""
        if self.options.flag("BookLearn") and not self.searching:
            try:
                self._learn(self._line.played(self._game, move))
            except Exception:
                log.exception("whether %s ends the game cannot be told", move)

    def _learn(self, line: Line, result: float | None = None) -> None:
        """Has the books learn the game of ``line``, once, if it is over; ``result`` says so if the board does not."""
        if not self.options.flag("BookLearn") or (line.text, line.words) == self._learned or self.searching:
            return
        returns = self._game.returns(line.states[-1])
        result = returns[0] if returns is not None else result
        if result is not None:
            self._learned = (line.text, line.words)
            self.books.learn(line, result, self.options)

    def undo(self) -> None:
        """Takes the last move back, and a change of the player to move with it.

        Raises:
            IllegalMove: at the start.
        """
        self._line = self._line.undone()

    def set_player(self, player: int) -> None:
        """Makes ``player`` the one to move.

        Raises:
            IllegalMove: if the game does not allow that.
        """
        self._line = self._line.with_player(self._game, player)

    def ownership(self) -> list[float]:
        """How surely each point is player 0's at the end, in [-1, 1], by playouts; empty without territory. Blocks for
        some hundredths of a second."""
        return ownership(self._game, self._line.text, self._line.words, seed=self.options.integer("Seed"))

    def judge(self, quick: bool = False) -> None:
        """Starts to find out by search, or if ``quick`` by playouts alone, which chains of Go are dead or in seki; when
        ``judgement`` has it, a result with the reason ``judged`` is posted. Must not block.

        Raises:
            PlayoutError: if a search is under way.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        self._verdicts.enough.clear()
        self._begin("playout-judge", self._run_judge, self._line, search_config(self._game, self.options), quick)

    @property
    def judgement(self) -> Judgement:
        """What the last ``judge`` found; once its result has been posted."""
        assert self._verdicts.last is not None
        return self._verdicts.last

    def priors(self) -> dict[str, float]:
        """The prior of each legal move, adding up to 1; empty where the search goes by none. Never raises."""
        return search_priors(self._game, self._line, search_config(self._game, self.options))

    def remarks(self) -> tuple[str, ...]:
        """Lines for people, each once: options that do nothing any more since another was set, and books that cannot be
        used, which a search's result tells too."""
        untold, self._untold = self._untold, ()
        return untold if self.searching else (*untold, *self.books.remarks())

    def set_option(self, name: str, text: str) -> None:
        """Sets an option; the next search obeys it.

        Raises:
            BadOption: and nothing changes.
        """
        option = self.options.find(name)
        if option.name == "GraphFile":
            check_graph_file(text.strip())
        before = self.options.get(option.name)
        self.options.set(name, text)
        if option.name == "Clear Hash":
            self._thinker.forget()
        try:
            check_options(self._game, self.options, [option.name])
        except BadOption:
            self.options.restore(option.name, before)
            raise
        self._note_idle_options()
        if not self.searching:
            self.books.prepare(self._game, self.options)

    def _note_idle_options(self) -> None:
        idle = idle_options(self._game, self.options)
        new = tuple(line for line in idle if line not in self._idle_options)
        self._idle_options = idle
        self._untold += new
        for line in new:
            log.warning("%s", line)

    def go(self, limits: Limits) -> None:
        """Starts a search of the current position, also after a draw that nobody has claimed. Must not block.

        Raises:
            PlayoutError: if a search is under way, or dice have to be rolled first.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        if not is_over(self._game, self.state) and self._game.current_player(self.state) == CHANCE:
            raise PlayoutError("the dice are to be rolled first")
        received = time.monotonic() if limits.received is None else limits.received
        limits = replace(limits, received=received)
        limits = self._bounded(limits)
        thinker = self._thinker
        thinker.ready(self._game, self.options, limits, self.state)
        thinker.deadlines.asked(limits, len(self.move_texts))
        with self._lock:  # a stop comes before all of this, or after
            if limits.infinite or limits.ponder:
                self._release.clear()
            else:
                self._release.set()
            self._pondering = limits if limits.ponder else None
            thinker.begin()
            self._set_deadlines(limits)
        self._begin("playout-search", self._run, limits, self._line.taken_up(self._game))

    def roll_out(self, limits: Limits) -> None:
        """Starts playing the current position out, with dice if they come first; ``outcomes`` of the result says how
        the games ended. ``nodes`` counts playouts; at most ``ENOUGH`` are made if it is not given. Must not block.

        Raises:
            PlayoutError: if a search is under way, or the game is over or cannot be played out.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        if is_over(self._game, self.state):
            raise PlayoutError("the game is over")
        received = time.monotonic() if limits.received is None else limits.received
        limits = self._bounded(replace(limits, received=received))
        wanted = self._thinker.seconds(self._game, self.options, limits, len(self.move_texts))
        bounds = [bound for bound in (wanted, self._rights.seconds) if bound is not None]
        seconds = min(bounds) - (time.monotonic() - received) if bounds else None
        self._rollout = rollout = Rollout(self._game, self._line, self.options.integer("Seed"))
        self._begin("playout-rollout", self._play_out, rollout, limits.nodes or ENOUGH, seconds)

    def stop(self) -> None:
        """Ends the search, whose result is posted soon. Silent when there is none. Any thread. Must not block."""
        with self._lock:
            self._pondering = None
            if (rollout := self._rollout) is not None:
                rollout.stop()
            self._thinker.stop()
            self._verdicts.enough.set()
            self._release.set()

    def ponder_hit(self, limits: Limits | None = None) -> None:
        """The expected move was played: the clock starts now, or is that of ``limits``, which have ``received``. Any
        thread. Must not block."""
        with self._lock:
            pondered, self._pondering = self._pondering, None
            if pondered is None:
                return
            limits = limits or replace(pondered, received=time.monotonic())
            limits = self._bounded(replace(limits, ponder=False))
            self._thinker.deadlines.hit(limits)
            self._set_deadlines(limits)
            if not limits.infinite:
                self._release.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Blocks until no search is under way, or ``timeout`` seconds; whether none is."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout)
        return not self.searching

    def close(self) -> None:
        """Stops a search, saves the graph if there is a file for it, and frees what the session holds. Blocks."""
        self._idle()
        self._thinker.close()
        self.books.close()

    def _begin(self, name: str, run: Callable[..., None], *arguments: Any) -> None:
        """Starts a thread of that name; it has this one's context, by which the log knows what led to it."""
        self._thread = threading.Thread(target=copy_context().run, args=(run, *arguments), name=name, daemon=True)
        self._thread.start()

    def _idle(self) -> None:
        self.stop()
        self.wait()

    def _bounded(self, limits: Limits) -> Limits:
        return self._thinker.bounded(self._game, self.options, limits, self.state)

    def _set_deadlines(self, limits: Limits) -> None:
        self._thinker.set_deadlines(self._game, self.options, limits, len(self.move_texts), self._rights)

    def _run(self, limits: Limits, line: Line) -> None:
        try:
            result = self._thinker.think(self._game, self.options, limits, line, self._post)
        except BaseException as error:  # a panic in Rust is no Exception, and the client still waits for a move
            log.exception("the search failed")
            result = replace(any_move(self._game, line.state, "fault"), fault=f"{type(error).__name__}: {error}")
        if result.info.moves and not self._release.is_set():
            self._post(result.info)
        self._release.wait()
        self._thread = None
        self._thinker.deadlines.answered()
        self._post(result)

    def _play_out(self, rollout: Rollout, most: int, seconds: float | None) -> None:
        try:
            result = rollout.run(most, seconds)
        except BaseException as error:
            log.exception("the rollout failed")
            result = SearchResult(None, None, NOTHING, "fault", fault=f"{type(error).__name__}: {error}")
        self._rollout = self._thread = None
        self._post(result)

    def _run_judge(self, line: Line, config: SearchConfig, quick: bool) -> None:
        reason, fault = "judged", None
        try:
            self._verdicts.find(self._game, line, config, quick)
        except BaseException as error:  # as in _run
            log.exception("the judgement failed")
            reason, fault = "fault", f"{type(error).__name__}: {error}"
        self._thread = None
        self._post(SearchResult(None, None, NOTHING, reason, fault=fault))
