"""Move selection for a session: books, tables, exact solving, then search."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from playout.books.base.book import Book, BookMove
from playout.engine.clock.deadlines import Deadlines
from playout.engine.exact.look_ahead import NOTHING as LOOK_ALL
from playout.engine.exact.look_ahead import LookAheadPlay
from playout.engine.exact.play import ExactPlay
from playout.engine.judge.ownership import Foresight
from playout.engine.known.asked_books import AskedBooks
from playout.engine.known.guidance import Guide
from playout.engine.known.session_books import Books
from playout.engine.options.config import SearchConfig, search_config
from playout.engine.options.search import SEARCH_OPTIONS
from playout.engine.search.graph_file import GraphFile
from playout.engine.search.searcher import Searcher
from playout.engine.search.weights import Weights
from playout.engine.strength.levels import handicap
from playout.engine.terms.info import NOTHING, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.task import SearchTask
from playout.games.errors import GameError
from playout.games.game import Game, action_to_text, is_over

log = logging.getLogger(__name__)

MATE_EXPLORATION = 0.7
"""Exploration constant of mate searches. They use plain UCB1, because priors hide the sacrifices that many mates begin
with."""

HOTTEST_PRIORS = next(float(option.high or 0) for option in SEARCH_OPTIONS if option.name == "PriorTemperature")
"""Greatest temperature that the search takes."""


class Thinker:
    """Finds the moves of one session, and owns the state that survives from one move to the next.

    A search has three steps: ``ready``, ``start`` and ``think``, all with the same task. Nothing here reads anything
    else that may change while the search runs.

    Thread contract: ``think`` runs on the search thread; ``stop`` and ``hit`` on any thread; all other methods on the
    session thread.
    """

    def __init__(self, books: Books) -> None:
        self._books = books
        self._guide = Guide()
        self._asked = AskedBooks()
        self._exact = ExactPlay()
        self._look_ahead = LookAheadPlay()
        self._graph_file = GraphFile()
        self._weights = Weights()
        self._searcher: Searcher | None = None
        self._task: SearchTask | None = None
        self._forget = False
        self._untold: tuple[str, ...] = ()
        """Remarks for the next result."""
        self.deadlines = Deadlines()
        self.due: float | None = None
        """The time of ``time.monotonic`` at which the search under way is to end; None is no bound. Any thread."""

    @property
    def searcher(self) -> Searcher | None:
        """The searcher of this game; None before its first search."""
        return self._searcher

    @property
    def solving(self) -> int | None:
        """Identifier of the thread in which a user's game is solved; None while none is. Any thread."""
        return self._exact.thread

    def new_game(self, *, keep_graph: bool) -> None:
        """Forgets what was learned, unless the graph is kept, after saving it if it has a file. Blocks."""
        self.keep()
        if not keep_graph:
            self._searcher = None
            self._forget = False
            self._guide.forget()
            self._asked.forget()
            self._graph_file.reset()
            self._weights.reset()
        self._exact.forget()
        self._look_ahead.forget()
        self.deadlines.new_game()

    def forget(self) -> None:
        """Makes the next search start with an empty graph."""
        self._forget = True

    def abandon(self) -> None:
        """Leaves the searcher to the thread in which it is stuck; the next search gets another one. Any thread."""
        self._searcher = None
        self._guide, self._asked, self._exact, self._weights = Guide(), AskedBooks(), ExactPlay(), Weights()
        self._look_ahead = LookAheadPlay()

    def keep(self) -> None:
        """Saves the graph, if it has a file. Blocks."""
        searcher = self._searcher
        if searcher is not None:
            self._graph_file.save(searcher)

    def close(self) -> None:
        """Saves the graph, if it has a file, and frees the memory. Blocks."""
        self.keep()
        self._searcher = None
        self._weights.reset()
        self._exact.forget()
        self._look_ahead.forget()

    def ready(self, task: SearchTask) -> Searcher:
        """Configures the searcher for ``task`` and returns it. Blocks while memory is allocated or freed."""
        config = search_config(task.game, task.options)
        weaker = handicap(task)
        if weaker is not None:
            config = replace(
                config,
                temperature=max(config.temperature, weaker.temperature),
                prior_temperature=min(config.prior_temperature * weaker.prior_heat, HOTTEST_PRIORS),
                root_noise=max(config.root_noise, weaker.noise),
            )
        if task.limits.mate is not None:
            config = replace(config, tree_policy="ucb1", exploration=MATE_EXPLORATION, root_noise=0.0)
        searcher = self._configured(task.game, config)
        if self._forget:
            searcher.clear()
            self._look_ahead.forget()
            self._forget = False
        return searcher

    def get_ready(self, task: SearchTask) -> None:
        """Does now what the first search with this game and these options would have to do first. Blocks."""
        searcher = self.ready(task)
        self._books.prepare(task.game, task.options, task.books)
        self._untold += self._weights.lend(task.game, task.options, searcher)
        self._look_ahead.get_ready(task)

    def equipped(self, task: SearchTask) -> Searcher:
        """Returns the searcher, as ``ready`` does, with the weights that the options name. Blocks.

        Raises:
            GameError: one line if they cannot be used.
        """
        searcher = self.ready(task)
        remarks = self._weights.lend(task.game, task.options, searcher)
        if remarks:
            self._weights.reset()  # the next search tells it too
            raise GameError("; ".join(remarks))
        return searcher

    def _configured(self, game: Game[Any, Any], config: SearchConfig) -> Searcher:
        searcher = self._searcher
        if searcher is None:
            self._searcher = searcher = Searcher(game, config)
        else:
            searcher.configure(config)
        return searcher

    def start(self, task: SearchTask) -> None:
        """Clears the stop flag and sets the deadlines of the search. Call after ``ready``. Must not block."""
        assert self._searcher is not None
        self._task = task
        self._searcher.prepare()
        self._exact.prepare()
        self._look_ahead.prepare()
        self.deadlines.asked(task)
        self._set_deadlines(task)

    def stop(self) -> None:
        """Ends the search. Any thread. Must not block."""
        searcher = self._searcher
        if searcher is not None:
            searcher.stop()
        self._exact.stop()
        self._look_ahead.stop()

    def hit(self, limits: Limits) -> None:
        """Ends the pondering of the task that was started: its move now has ``limits``, which have ``received``.

        The search goes on with the options that it was started with. Any thread. Must not block.
        """
        assert self._task is not None
        task = bounded(replace(self._task, limits=replace(limits, ponder=False)))
        self.deadlines.hit(task)
        self._set_deadlines(task)

    def _set_deadlines(self, task: SearchTask) -> None:
        searcher = self._searcher
        assert searcher is not None
        self._look_ahead.bound(task, *self.deadlines.shares(task))
        if task.limits.ponder:
            if task.rights.seconds is not None:
                searcher.set_deadline(None, task.rights.seconds)
            self.due = None
            return
        assert task.limits.received is not None
        late = time.monotonic() - task.limits.received
        soft, hard = self.deadlines.shares(task)
        self.deadlines.told(hard)
        self.due = task.limits.received + hard if hard is not None else None
        searcher.set_deadline(soft - late if soft is not None else None, hard - late if hard is not None else None)

    def think(self, task: SearchTask, post: Callable[[SearchInfo], None]) -> SearchResult:
        """Returns the move for ``task``, which ``ready`` and ``start`` have had; ``post`` gets the reports. Blocks.

        Raises:
            Exception: what a user's game raises.
        """
        game, limits, state, books = task.game, task.limits, task.state, self._books
        if is_over(game, state):
            return SearchResult(None, None, NOTHING, "over")
        books.prepare(game, task.options, task.books)
        drawing: Sequence[Any] = ()
        if not (task.analysis or limits.ponder or limits.narrowed or task.lines > 1):
            solved = books.solved(state)
            drawing = [move.action for move in solved[1] if move.value == 0.0] if solved is not None else ()
            known = self._book_move(task, solved) if len(drawing) < 2 else None
            if known is not None:
                return known
            if limits.clock is not None and len(game.legal_actions(state)) == 1:
                return any_move(game, state, "forced")
        seconds = self.deadlines.expected_seconds(task)
        searcher = self._searcher
        assert searcher is not None
        exact = self._exact.think(task, seconds, searcher)
        if exact.result is not None:
            return replace(exact.result, remarks=books.remarks())
        remarks = (*self._untold, *self._weights.lend(game, task.options, searcher))
        self._untold = ()
        weaker = handicap(task)
        seen = weaker.positions if weaker is not None else None
        if exact.drawing or drawing:
            prospect = LOOK_ALL
        else:
            books.lend_tables(self._look_ahead, task)
            prospect = self._look_ahead.think(task, post, seen)
        if prospect.result is not None:
            return replace(prospect.result, remarks=(*remarks, *books.remarks()))
        remarks += self._graph_file.load(task.options.text("GraphFile"), searcher)
        books.lend_tables(searcher, task, drawn=len(drawing) > 1)
        searcher.set_position(*task.line.path(game))
        # In a proven draw, the moves that keep it are searched: the opponent may go wrong.
        keeping = [action_to_text(game, state, action) for action in drawing]
        only = limits.search_moves or exact.drawing or prospect.moves or keeping
        left = searcher.keep_out(limits.restrictions) if limits.restrictions else 1
        if not left or (only and not searcher.restrict(only)):
            return SearchResult(None, None, NOTHING, "over", remarks=(*remarks, "no legal move among those to search"))
        self._asked.lend(searcher, task, books)
        self._guide.lend(searcher, task, books, seconds)
        if prospect.seconds is not None:
            searcher.set_deadline(None, prospect.seconds)
        before = prospect.info
        if weaker is not None:
            task = replace(task, limits=_at_most(limits, weaker.simulations))
        result = _search(searcher, task, post if before is None else lambda info: post(info.after(before)))
        result = replace(result, remarks=(*remarks, *books.remarks()))
        self._graph_file.learned(result.info.simulations)
        if before is not None:
            result = replace(result, info=result.info.after(before))
        if result.fault is not None:
            log.error("%s", result.fault)
        if result.move is None:
            return replace(any_move(game, state, result.reason), remarks=result.remarks, fault=result.fault)
        return result

    def _book_move(self, task: SearchTask, solved: tuple[Book, Sequence[BookMove]] | None) -> SearchResult | None:
        known = self._books.choose(task, solved)
        if known is None:
            return None
        book, best = known
        if best.action not in task.game.legal_actions(task.state):
            # Superko depends on the game so far, and a book may be wrong.
            return None
        text = action_to_text(task.game, task.state, best.action)
        source = f"{book.name}: {text} weight {best.weight:g}"
        return SearchResult(text, None, NOTHING, "book", book=source, remarks=self._books.remarks())


def bounded(task: SearchTask) -> SearchTask:
    """Returns ``task`` with its limits tightened by its options. They always have at least one bound."""
    limits, options = task.limits, task.options
    most = options.integer("MaxNodes")
    if most and not (limits.infinite or limits.ponder):
        limits = _at_most(limits, most)
    weaker = handicap(task)
    if weaker is not None and (weaker.positions is None or not replace(task, limits=limits).one_move):
        limits = _at_most(limits, weaker.simulations)
    if not limits.bounded:
        limits = replace(limits, movetime=options.integer("MoveTime") / 1000)
    return replace(task, limits=limits)


def any_move(game: Game[Any, Any], state: Any, reason: str) -> SearchResult:
    """Returns the first legal move, where there is nothing to choose or no time to. Never raises."""
    try:
        actions = game.legal_actions(state)
        move = action_to_text(game, state, actions[0]) if actions else None
    except BaseException:
        log.exception("the game failed")
        move = None
    return SearchResult(move, None, NOTHING, reason)


def _search(searcher: Searcher, task: SearchTask, post: Callable[[SearchInfo], None]) -> SearchResult:
    limits, reports = task.limits, task.limits.reports
    foresight = Foresight(task) if reports.ownership else None
    result = searcher.run(
        nodes=limits.nodes,
        depth=limits.depth,
        mate=limits.mate,
        past_proof=limits.past_proof,
        interval=reports.interval or task.options.integer("InfoInterval") / 1000,
        lines=task.lines,
        variation=task.variation,
        on_info=post if foresight is None else lambda info: post(foresight.report(info)),
    )
    return result if foresight is None else replace(result, info=foresight.last(result.info))


def _at_most(limits: Limits, nodes: int) -> Limits:
    return replace(limits, nodes=nodes if limits.nodes is None else min(limits.nodes, nodes))
