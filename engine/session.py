"""A game in progress with its clock, books and searcher: the only thing that a protocol drives.

One thread owns a session and calls its methods; those marked "Any thread" may be called by others too. Reports leave
by ``post``, which is called from the search thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from playout.books.book import Book, BookMove
from playout.engine.books import Books
from playout.engine.config import SearchConfig, check_config, kernel_of, options_for, search_config
from playout.engine.deadlines import Deadlines
from playout.engine.exact_play import MEMORY, SHARE, ExactPlay, wanted
from playout.engine.graph_file import GraphFile, check_graph_file
from playout.engine.guidance import Guide
from playout.engine.info import SearchInfo, SearchResult
from playout.engine.life import Judgement, Verdicts
from playout.engine.limits import Limits
from playout.engine.line import Line
from playout.engine.ownership import Foresight, ownership
from playout.engine.prior import search_priors
from playout.engine.rights import Rights
from playout.engine.rollout import ENOUGH, Rollout
from playout.engine.searcher import PLAYER_TOKENS, Searcher
from playout.engine.strength import handicap
from playout.games.errors import BadOption, IllegalMove, PlayoutError
from playout.games.game import (
    CHANCE,
    Game,
    action_to_text,
    is_over,
)

log = logging.getLogger(__name__)

Post = Callable[[SearchInfo | SearchResult], None]
MATE_EXPLORATION = 0.7
"""Of a search for a mate, by plain UCB1: it is to find a forced win, not a good move, and priors hide sacrifices."""
NOTHING = SearchInfo(0.0, 0, 0.0, 0, 0.0, 0, 0, ())


class Session:
    """A game in progress."""

    def __init__(self, game: Game[Any, Any], *, post: Post, books: Sequence[Book] = ()) -> None:
        """``post`` gets each report and, exactly once per ``go``, the result; it must not block."""
        self._post = post
        self.books = Books(books)
        self._guide = Guide()
        self._exact = ExactPlay()
        self._deadlines = Deadlines()
        self._thread: threading.Thread | None = None
        self._release = threading.Event()
        self._pondering: Limits | None = None
        self._lock = threading.Lock()
        self._rollout: Rollout | None = None
        self._graph_file = GraphFile()
        self._verdicts = Verdicts()
        self._rights = Rights()
        self._start(game)
        self.options = options_for(game, {})
        self.books.prepare(game, self.options)

    def _start(self, game: Game[Any, Any]) -> None:
        self._line = Line.start(game)
        self._game = game
        self._searcher: Searcher | None = None
        self._forget = False
        self._learned: tuple[str | None, tuple[str, ...]] | None = None
        self._guide.forget()
        self._exact.forget()
        self._deadlines.new_game()
        self._graph_file.reset()

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
        self._keep_graph()
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
        self._keep_graph()
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

    def glance(self) -> Judgement:
        """Which chains of Go are dead or in seki, by playouts alone. Blocks for some tenths of a second on large
        boards."""
        return self._verdicts.glance(self._game, self._line, search_config(self._game, self.options))

    def judge(self) -> None:
        """Starts to find out by search which chains of Go are dead or in seki; when ``judgement`` has it, a result with
        the reason ``judged`` is posted. Must not block.

        Raises:
            PlayoutError: if a search is under way.
        """
        if self.searching:
            raise PlayoutError("a search is under way")
        self._verdicts.enough.clear()
        arguments = (self._line, search_config(self._game, self.options))
        self._thread = threading.Thread(target=self._run_judge, args=arguments, name="playout-judge", daemon=True)
        self._thread.start()

    @property
    def judgement(self) -> Judgement:
        """What the last ``judge`` found; once its result has been posted."""
        assert self._verdicts.last is not None
        return self._verdicts.last

    def priors(self) -> dict[str, float]:
        """The prior of each legal move, adding up to 1; empty where the search goes by none. Never raises."""
        return search_priors(self._game, self._line, search_config(self._game, self.options))

    def visits_along(self, moves: Sequence[str]) -> list[int]:
        """How often the last search was at each position that ``moves`` pass from the current one. Blocks; not during a
        search."""
        if self._searcher is None:
            return []
        return self._searcher.visits_along(*self._line.path(self._game), moves)

    def remarks(self) -> tuple[str, ...]:
        """Lines for people about books that cannot be used, each once; a search's result has them too."""
        return () if self.searching else self.books.remarks()

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
            self._forget = True
        try:
            check_config(self._game, search_config(self._game, self.options))
        except BadOption:
            self.options.restore(option.name, before)
            raise
        if not self.searching:
            self.books.prepare(self._game, self.options)

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
        limits = self._some_bound(limits)
        searcher = self._searcher_for(limits)
        self._deadlines.asked(limits, len(self.move_texts))
        with self._lock:  # a stop comes before all of this, or after
            if limits.infinite or limits.ponder:
                self._release.clear()
            else:
                self._release.set()
            self._pondering = limits if limits.ponder else None
            searcher.prepare()
            self._exact.prepare()
            self._set_deadlines(searcher, limits)
        arguments = (searcher, limits, self._line.taken_up(self._game))
        self._thread = threading.Thread(target=self._run, args=arguments, name="playout-search", daemon=True)
        self._thread.start()

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
        limits = self._some_bound(replace(limits, received=received))
        bounds = [bound for bound in (self._time_for(limits), self._rights.seconds) if bound is not None]
        seconds = min(bounds) - (time.monotonic() - received) if bounds else None
        self._rollout = rollout = Rollout(self._game, self._line, self.options.integer("Seed"))
        arguments = (rollout, limits.nodes or ENOUGH, seconds)
        self._thread = threading.Thread(target=self._play_out, args=arguments, name="playout-rollout", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the search, whose result is posted soon. Silent when there is none. Any thread. Must not block."""
        with self._lock:
            self._pondering = None
            if (rollout := self._rollout) is not None:
                rollout.stop()
            if self._searcher is not None:
                self._searcher.stop()
            self._exact.stop()
            self._verdicts.enough.set()
            self._release.set()

    def ponder_hit(self, limits: Limits | None = None) -> None:
        """The expected move was played: the clock starts now, or is that of ``limits``, which have ``received``. Any
        thread. Must not block."""
        with self._lock:
            pondered, self._pondering = self._pondering, None
            searcher = self._searcher
            if pondered is None or searcher is None:
                return
            limits = limits or replace(pondered, received=time.monotonic())
            limits = self._some_bound(replace(limits, ponder=False))
            self._deadlines.hit(limits)
            self._set_deadlines(searcher, limits)
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
        self._keep_graph()
        self._searcher = None
        self.books.close()

    def _idle(self) -> None:
        self.stop()
        self.wait()

    def _keep_graph(self) -> None:
        if self._searcher is not None:
            self._graph_file.save(self._searcher)

    def _searcher_for(self, limits: Limits) -> Searcher:
        config = search_config(self._game, self.options)
        if self._plays_exactly:
            config = replace(config, hash_mib=config.hash_mib - self._exact_hash)
        weaker = handicap(self._game, self.state, config, self.options)
        if weaker is not None and not limits.infinite:
            config = replace(config, temperature=max(config.temperature, weaker.temperature))
        if limits.mate is not None:
            config = replace(config, tree_policy="ucb1", exploration=MATE_EXPLORATION, root_noise=0.0)
        if self._searcher is None:
            self._searcher = Searcher(self._game, config)
        else:
            self._searcher.configure(config)
        if self._forget:
            self._searcher.clear()
            self._forget = False
        return self._searcher

    def _some_bound(self, limits: Limits) -> Limits:
        most = self.options.integer("MaxNodes")
        if most and not (limits.infinite or limits.ponder):
            limits = replace(limits, nodes=most if limits.nodes is None else min(limits.nodes, most))
        weaker = handicap(self._game, self.state, search_config(self._game, self.options), self.options)
        if weaker is not None and not limits.infinite:
            most = weaker.simulations
            limits = replace(limits, nodes=most if limits.nodes is None else min(limits.nodes, most))
        return limits if limits.bounded else replace(limits, movetime=self.options.integer("MoveTime") / 1000)

    def _set_deadlines(self, searcher: Searcher, limits: Limits) -> None:
        most = self._rights.seconds
        if limits.ponder:
            if most is not None:
                searcher.set_deadline(None, most)
            return
        assert limits.received is not None
        late = time.monotonic() - limits.received
        soft, hard = self._deadlines.shares(limits, self._game, self.options, len(self.move_texts))
        if most is not None:
            hard = most if hard is None else min(hard, most)
        searcher.set_deadline(soft - late if soft is not None else None, hard - late if hard is not None else None)

    def _time_for(self, limits: Limits) -> float | None:
        """Seconds that the move is expected to take; None if no clock bounds it."""
        soft, hard = self._deadlines.shares(limits, self._game, self.options, len(self.move_texts))
        return hard if soft is None else soft

    def _run(self, searcher: Searcher, limits: Limits, line: Line) -> None:
        try:
            result = self._think(searcher, limits, line)
        except BaseException as error:  # a panic in Rust is no Exception, and the client still waits for a move
            log.exception("the search failed")
            result = replace(self._any_move(line.state, "fault"), fault=f"{type(error).__name__}: {error}")
        if result.info.moves and not self._release.is_set():
            self._post(result.info)
        self._release.wait()
        self._thread = None
        self._deadlines.answered()
        self._post(result)

    def _play_out(self, rollout: Rollout, most: int, seconds: float | None) -> None:
        try:
            result = rollout.run(most, seconds)
        except BaseException as error:
            log.exception("the rollout failed")
            result = SearchResult(None, None, NOTHING, "fault", fault=f"{type(error).__name__}: {error}")
        self._rollout = self._thread = None
        self._post(result)

    def _run_judge(self, line: Line, config: SearchConfig) -> None:
        reason, fault = "judged", None
        try:
            self._verdicts.find(self._game, line, config)
        except BaseException as error:  # as in _run
            log.exception("the judgement failed")
            reason, fault = "fault", f"{type(error).__name__}: {error}"
        self._thread = None
        self._post(SearchResult(None, None, NOTHING, reason, fault=fault))

    def _think(self, searcher: Searcher, limits: Limits, line: Line) -> SearchResult:
        state = line.state
        if is_over(self._game, state):
            return SearchResult(None, None, NOTHING, "over")
        self.books.prepare(self._game, self.options)
        apart = limits.infinite or self.options.flag("UCI_AnalyseMode")
        drawing: Sequence[Any] = ()
        if not (apart or limits.ponder or limits.search_moves):
            solved = self.books.solved(state)
            drawing = [move.action for move in solved[1] if move.value == 0.0] if solved is not None else ()
            known = self._book_move(line, solved) if len(drawing) < 2 else None
            if known is not None:
                return known
            if limits.clock is not None and len(self._game.legal_actions(state)) == 1:
                return self._any_move(state, "forced")
        exact = self._exact_move(limits, line)
        if exact is not None:
            return exact
        remarks = self._graph_file.load(self.options.text("GraphFile"), searcher)
        self.books.lend_tables(searcher, self.options, drawn=len(drawing) > 1)
        searcher.set_position(*line.path(self._game))
        # Of a draw by the tables, the moves that keep it are searched: the opponent may go wrong.
        only = limits.search_moves or [action_to_text(self._game, state, action) for action in drawing]
        if only and not searcher.restrict(only):
            return SearchResult(None, None, NOTHING, "over", remarks=(*remarks, "no legal move among those to search"))
        seconds = self._time_for(limits)
        hints = self._guide.refresh(self._game, line, self.books, self.options, apart=apart, seconds=seconds)
        if hints is not None:
            searcher.guide(hints)
        reports = limits.reports
        foresight = Foresight(self._game, *line.path(self._game), self.options.integer("Seed"))
        result = searcher.run(
            nodes=limits.nodes,
            depth=limits.depth,
            mate=limits.mate,
            past_proof=limits.past_proof,
            interval=reports.interval or self.options.integer("InfoInterval") / 1000,
            lines=max(1, reports.lines or self.options.integer("MultiPV")),
            on_info=lambda info: self._post(foresight.report(info) if reports.ownership else info),
        )
        remarks = (*remarks, *self.books.remarks())
        info = foresight.last(result.info) if reports.ownership else result.info
        result = replace(result, info=info, remarks=remarks)
        self._graph_file.learned(result.info.simulations)
        if result.fault is not None:
            log.error("%s", result.fault)
        if result.move is None:
            return replace(self._any_move(state, result.reason), remarks=remarks, fault=result.fault)
        return result

    def _exact_move(self, limits: Limits, line: Line) -> SearchResult | None:
        seconds = self._time_for(limits)
        if seconds is None or not self._plays_exactly or not wanted(limits, self.options.integer("MultiPV")):
            return None
        assert limits.received is not None
        seconds = SHARE * (seconds - (time.monotonic() - limits.received))
        threads = self.options.integer("Threads")
        found = self._exact.think(self._game, line, seconds, self._exact_hash, threads) if seconds > 0 else None
        return None if found is None else replace(found, remarks=self.books.remarks())

    @property
    def _plays_exactly(self) -> bool:
        return "ExactPlay" in self.options and self.options.flag("ExactPlay")

    @property
    def _exact_hash(self) -> int:
        """MiB."""
        return int(MEMORY * self.options.integer("Hash"))

    def _book_move(self, line: Line, solved: tuple[Book, Sequence[BookMove]] | None) -> SearchResult | None:
        known = self.books.choose(line.state, len(line.moves), self.options, solved)
        if known is None:
            return None
        book, best = known
        if best.action not in self._game.legal_actions(line.state):
            # Superko hangs on the game so far, and a book may be wrong.
            return None
        text = action_to_text(self._game, line.state, best.action)
        source = f"{book.name}: {text} weight {best.weight:g}"
        return SearchResult(text, None, NOTHING, "book", book=source, remarks=self.books.remarks())

    def _any_move(self, state: Any, reason: str) -> SearchResult:
        """The first legal move, for when there is nothing to choose or no time to."""
        try:
            actions = self._game.legal_actions(state)
            move = action_to_text(self._game, state, actions[0]) if actions else None
        except BaseException:
            log.exception("the game failed")
            move = None
        return SearchResult(move, None, NOTHING, reason)
