"""How a move is found: books and tables, exact solving, and the search, with all that lasts from move to move."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from playout.books.base.book import Book, BookMove
from playout.engine.clock.deadlines import Deadlines
from playout.engine.exact.play import ExactPlay
from playout.engine.judge.ownership import Foresight
from playout.engine.known.guidance import Guide
from playout.engine.known.session_books import Books
from playout.engine.options.config import SearchConfig, search_config
from playout.engine.options.search import SEARCH_OPTIONS
from playout.engine.options.table import Options
from playout.engine.search.graph_file import GraphFile
from playout.engine.search.searcher import Searcher
from playout.engine.strength.levels import Handicap, handicap
from playout.engine.terms.info import NOTHING, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.line import Line
from playout.engine.terms.rights import Rights
from playout.games.game import Game, action_to_text, is_over

log = logging.getLogger(__name__)

MATE_EXPLORATION = 0.7
"""Of a search for a mate, by plain UCB1: it is to find a forced win, not a good move, and priors hide sacrifices."""

HOTTEST_PRIORS = next(float(option.high or 0) for option in SEARCH_OPTIONS if option.name == "PriorTemperature")
"""Greatest temperature that the search takes."""


class Thinker:
    """Of one session. ``think`` is called on the search's thread, everything else on the session's, unless it says
    otherwise."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._guide = Guide()
        self._exact = ExactPlay()
        self._graph_file = GraphFile()
        self._searcher: Searcher | None = None
        self._forget = False
        self.deadlines = Deadlines()

    @property
    def searcher(self) -> Searcher | None:
        """The one of this game; None before its first search."""
        return self._searcher

    def new_game(self) -> None:
        """Forgets what was learned; the graph goes to its file first, if it has one. Blocks."""
        self.keep()
        self._searcher = None
        self._forget = False
        self._guide.forget()
        self._exact.forget()
        self.deadlines.new_game()
        self._graph_file.reset()

    def forget(self) -> None:
        """The next search begins with nothing."""
        self._forget = True

    def keep(self) -> None:
        """Saves the graph, if there is a file for it. Blocks."""
        if self._searcher is not None:
            self._graph_file.save(self._searcher)

    def close(self) -> None:
        """Saves the graph, if there is a file for it, and frees the memory. Blocks."""
        self.keep()
        self._searcher = None
        self._exact.forget()

    def bounded(self, game: Game[Any, Any], options: Options, limits: Limits, state: Any) -> Limits:
        """``limits`` with those that options add; some bound there always is."""
        most = options.integer("MaxNodes")
        if most and not (limits.infinite or limits.ponder):
            limits = _at_most(limits, most)
        weaker = _weaker(game, options, limits, state)
        if weaker is not None:
            limits = _at_most(limits, weaker.simulations)
        return limits if limits.bounded else replace(limits, movetime=options.integer("MoveTime") / 1000)

    def ready(self, game: Game[Any, Any], options: Options, limits: Limits, state: Any) -> None:
        """Makes ready for ``think``: from here on ``stop`` and deadlines are of the coming search."""
        config = search_config(game, options)
        config = replace(config, hash_mib=config.hash_mib - self._exact.hash_mib(options))
        weaker = _weaker(game, options, limits, state)
        if weaker is not None:
            config = replace(
                config,
                temperature=max(config.temperature, weaker.temperature),
                prior_temperature=min(config.prior_temperature * weaker.prior_heat, HOTTEST_PRIORS),
            )
        if limits.mate is not None:
            config = replace(config, tree_policy="ucb1", exploration=MATE_EXPLORATION, root_noise=0.0)
        searcher = self._configured(game, config)
        if self._forget:
            searcher.clear()
            self._forget = False

    def _configured(self, game: Game[Any, Any], config: SearchConfig) -> Searcher:
        if self._searcher is None:
            self._searcher = Searcher(game, config)
        else:
            self._searcher.configure(config)
        return self._searcher

    def begin(self) -> None:
        """The search that ``ready`` was for begins: its stops and deadlines are none yet."""
        assert self._searcher is not None
        self._searcher.prepare()
        self._exact.prepare()

    def stop(self) -> None:
        """Ends the search. Any thread. Must not block."""
        if self._searcher is not None:
            self._searcher.stop()
        self._exact.stop()

    def set_deadlines(self, game: Game[Any, Any], options: Options, limits: Limits, ply: int, rights: Rights) -> None:
        """Tells the search how long it may go on. Any thread. Must not block."""
        searcher, most = self._searcher, rights.seconds
        assert searcher is not None
        if limits.ponder:
            if most is not None:
                searcher.set_deadline(None, most)
            return
        assert limits.received is not None
        late = time.monotonic() - limits.received
        soft, hard = self.deadlines.shares(limits, game, options, ply)
        if most is not None:
            hard = most if hard is None else min(hard, most)
        self.deadlines.told(hard)
        searcher.set_deadline(soft - late if soft is not None else None, hard - late if hard is not None else None)

    def seconds(self, game: Game[Any, Any], options: Options, limits: Limits, ply: int) -> float | None:
        """What the move is expected to take; None if no clock bounds it. Any thread. Must not block."""
        soft, hard = self.deadlines.shares(limits, game, options, ply)
        return hard if soft is None else soft

    def think(
        self,
        game: Game[Any, Any],
        options: Options,
        limits: Limits,
        line: Line,
        post: Callable[[SearchInfo], None],
    ) -> SearchResult:
        """The move at the end of ``line``. Blocks; what a user's game raises comes through."""
        state, books = line.state, self._books
        if is_over(game, state):
            return SearchResult(None, None, NOTHING, "over")
        books.prepare(game, options)
        apart = limits.infinite or options.flag("UCI_AnalyseMode")
        drawing: Sequence[Any] = ()
        if not (apart or limits.ponder or limits.narrowed):
            solved = books.solved(state)
            drawing = [move.action for move in solved[1] if move.value == 0.0] if solved is not None else ()
            known = self._book_move(game, options, line, solved) if len(drawing) < 2 else None
            if known is not None:
                return known
            if limits.clock is not None and len(game.legal_actions(state)) == 1:
                return any_move(game, state, "forced")
        seconds = self.seconds(game, options, limits, len(line.moves))
        exact = self._exact.think(game, line, limits, options, seconds)
        if exact is not None:
            return replace(exact, remarks=books.remarks())
        searcher = self._searcher
        assert searcher is not None
        remarks = self._graph_file.load(options.text("GraphFile"), searcher)
        books.lend_tables(searcher, options, drawn=len(drawing) > 1)
        searcher.set_position(*line.path(game))
        # Of a draw by the tables, the moves that keep it are searched: the opponent may go wrong.
        only = limits.search_moves or [action_to_text(game, state, action) for action in drawing]
        left = searcher.keep_out(limits.restrictions) if limits.restrictions else 1
        if not left or (only and not searcher.restrict(only)):
            return SearchResult(None, None, NOTHING, "over", remarks=(*remarks, "no legal move among those to search"))
        hints = self._guide.refresh(game, line, books, options, apart=apart, seconds=seconds)
        if hints is not None:
            searcher.guide(hints)
        result = self._search(searcher, game, options, limits, line, post)
        result = replace(result, remarks=(*remarks, *books.remarks()))
        self._graph_file.learned(result.info.simulations)
        if result.fault is not None:
            log.error("%s", result.fault)
        if result.move is None:
            return replace(any_move(game, state, result.reason), remarks=result.remarks, fault=result.fault)
        return result

    def _search(
        self,
        searcher: Searcher,
        game: Game[Any, Any],
        options: Options,
        limits: Limits,
        line: Line,
        post: Callable[[SearchInfo], None],
    ) -> SearchResult:
        reports = limits.reports
        foresight = Foresight(game, *line.path(game), options.integer("Seed")) if reports.ownership else None
        result = searcher.run(
            nodes=limits.nodes,
            depth=limits.depth,
            mate=limits.mate,
            past_proof=limits.past_proof,
            interval=reports.interval or options.integer("InfoInterval") / 1000,
            lines=max(1, reports.lines or options.integer("MultiPV")),
            on_info=post if foresight is None else lambda info: post(foresight.report(info)),
        )
        return result if foresight is None else replace(result, info=foresight.last(result.info))

    def _book_move(
        self, game: Game[Any, Any], options: Options, line: Line, solved: tuple[Book, Sequence[BookMove]] | None
    ) -> SearchResult | None:
        known = self._books.choose(line.state, len(line.moves), options, solved)
        if known is None:
            return None
        book, best = known
        if best.action not in game.legal_actions(line.state):
            # Superko hangs on the game so far, and a book may be wrong.
            return None
        text = action_to_text(game, line.state, best.action)
        source = f"{book.name}: {text} weight {best.weight:g}"
        return SearchResult(text, None, NOTHING, "book", book=source, remarks=self._books.remarks())


def any_move(game: Game[Any, Any], state: Any, reason: str) -> SearchResult:
    """The first legal move, for when there is nothing to choose or no time to. Never raises."""
    try:
        actions = game.legal_actions(state)
        move = action_to_text(game, state, actions[0]) if actions else None
    except BaseException:
        log.exception("the game failed")
        move = None
    return SearchResult(move, None, NOTHING, reason)


def _at_most(limits: Limits, nodes: int) -> Limits:
    return replace(limits, nodes=nodes if limits.nodes is None else min(limits.nodes, nodes))


def _weaker(game: Game[Any, Any], options: Options, limits: Limits, state: Any) -> Handicap | None:
    """Analysis is done at full strength."""
    return None if limits.infinite else handicap(game, state, options)
