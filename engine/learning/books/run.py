"""Growing an opening book by search: repeatedly expands the line with the highest expected benefit, into a store."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.books.base.canonical import Place
from playout.books.store.reader import decisions, open_book
from playout.books.store.writer import StoreWriter
from playout.engine.learning.books.evaluation import Evaluation, Verdict
from playout.engine.learning.books.file import BookFile
from playout.engine.learning.books.graph import NEVER, BookNode, Edge, Graph
from playout.engine.learning.books.positions import Positions
from playout.engine.options.config import SearchConfig
from playout.engine.search.weights import WeightFiles
from playout.engine.terms.info import MoveInfo
from playout.engine.terms.line import Line
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, action_to_text, is_over, text_to_action

COMMIT_SECONDS = 1.0
REPORT_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Growth:
    """Parameters of a growing book."""

    nodes: int = 2000
    """Simulations of each search."""
    width: int = 5
    """Moves that a position gets when it is expanded."""
    alpha: float = 20.0
    """Plies by which a line is shortened for each unit of value that its moves give up."""
    margin: float = 0.05
    """Moves worse than the best by this much have weight 0; the weight falls linearly up to there."""
    positions: int | None = None
    """The run ends when the book has this many positions."""
    seconds: float | None = None
    """The run ends after this many seconds, when the current expansion is finished."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Progress of a run."""

    positions: int
    """Positions of the book reachable from its start."""
    expansions: int
    """Expansions of this run: positions entered, and moves added to positions."""
    searches: int
    """Searches of this run."""
    value: float | None
    """Value of the start, for the player to move, at a chance position for player 0; None while unknown."""
    exact: bool
    line: tuple[str, ...]
    """The line that is being expanded, or was last."""
    best: tuple[str, ...]
    """The line of the best moves as far as the book has it; for dice, the first of the most probable outcomes."""
    whole: bool
    """Whether nothing is left to expand."""


def learn_book(
    path: Path,
    game: Game[Any, Any],
    config: SearchConfig,
    growth: Growth,
    *,
    start: str | None = None,
    moves: Sequence[str] = (),
    weights: WeightFiles | None = None,
    on_progress: Callable[[Learned], None] | None = None,
) -> Learned:
    """Grows the store at ``path`` from the position after ``moves`` from ``start`` (None: the game's own), until a
    limit of ``growth`` is reached, nothing is left to expand, or KeyboardInterrupt. Continues from the store's content.
    Blocks; each result is on the disk within a second.

    With one thread the book depends only on the configuration and ``growth``, not on where runs were interrupted. In
    games whose lines transpose, such as chess, it also depends on the order in which the runs found the transpositions.

    Raises:
        BookError: if the store cannot be read or written, or its weights are computed from counts of games.
        GameError, IllegalMove: if the start or ``weights`` cannot be used, or a method of a user's game failed.
    """
    line = Line.start(game, start).extended(game, moves)
    if is_over(game, line.state):
        raise GameError(f"{game.name}: the game is over at the start of the book")
    with StoreWriter(path, game) as writer, closing(open_book(path, game)) as book:
        positions = Positions(game)
        file = BookFile(positions, writer, book, growth.margin)
        if line.words or start is not None:
            for state, _ in decisions(game, line.state, ()):
                writer.add_root(state)
        evaluation = Evaluation(game, line.text, config, growth.nodes, weights or {})
        grower = _Grower(positions, line, evaluation, growth, file)
        try:
            with suppress(KeyboardInterrupt):
                grower.grow(on_progress)
        finally:
            grower.finish()
    return grower.learned()


class _Grower:
    """One run."""

    def __init__(
        self, positions: Positions, line: Line, evaluation: Evaluation, growth: Growth, file: BookFile
    ) -> None:
        self._game, self._positions, self._start = positions.game, positions, line
        self._evaluation, self._growth, self._file = evaluation, growth, file
        self._graph = Graph(positions.root(line.state), growth.alpha, growth.width)
        self._expansions = 0
        self._line: tuple[str, ...] = ()
        self._linking = False
        self._reported = 0.0
        file.read(self._graph, line.state)

    def grow(self, on_progress: Callable[[Learned], None] | None) -> None:
        """Expands until a limit is reached."""
        growth = self._growth
        begun = committed = time.monotonic()
        while self._graph.root.priority < NEVER:
            if growth.positions is not None and len(self._graph.nodes) >= growth.positions:
                break
            if growth.seconds is not None and time.monotonic() - begun >= growth.seconds:
                break
            self._expand_next(on_progress)
            if time.monotonic() - committed >= COMMIT_SECONDS:
                self._file.write()
                committed = time.monotonic()

    def finish(self) -> None:
        """Commits the rest, unless an interrupt left the graph between two states."""
        if not self._linking:
            self._file.write()

    def learned(self) -> Learned:
        """Returns the progress of the run."""
        root = self._graph.root
        return Learned(
            positions=len(self._graph.nodes),
            expansions=self._expansions,
            searches=self._evaluation.searches,
            value=root.value if root.followed else None,
            exact=root.exact,
            line=self._line,
            best=self._best_line(),
            whole=root.priority == NEVER,
        )

    def _expand_next(self, on_progress: Callable[[Learned], None] | None) -> None:
        """Finds the next position and expands it or gives it another move."""
        game = self._game
        state, words, edge = self._start.state, self._start.words, self._graph.root
        while True:
            reply = edge.next_reply()
            for outcome in reply.outcomes:
                words = (*words, action_to_text(game, state, outcome))
                state = game.next_state(state, outcome)
            place = self._positions.places.of(state)
            node = reply.node
            chosen = None if node is None else self._graph.choose(node)
            if chosen is None:
                break
            action = place.from_book(chosen.action)
            after = game.next_state(state, action) if action in game.legal_actions(state) else None
            if node is not None and (after is None or is_over(game, after)):
                # The line that led here forbids it, by superko or a repetition.
                chosen.blocked = True
                self._spread(node)
                return
            words = (*words, action_to_text(game, state, action))
            state, edge = after, chosen
        self._line = words[len(self._start.words) :]
        if on_progress is not None and time.monotonic() - self._reported >= REPORT_SECONDS:
            self._reported = time.monotonic()
            on_progress(self.learned())
        self._evaluation.forget()
        verdict = self._evaluation.search(state, words)
        if node is None:
            self._enter(state, words, place, verdict)
        else:
            self._widen(node, state, words, place, verdict)
        self._expansions += 1

    def _enter(self, state: Any, words: tuple[str, ...], place: Place, verdict: Verdict) -> None:
        """Adds a position with its best moves."""
        edges: dict[Any, Edge] = {}
        for action, move in self._ranked(state, verdict):
            held = place.to_book(action)
            if held in edges:
                continue
            if not verdict.proven:
                edges[held] = self._search(state, words, place, action)
            elif move is not None and move.proven:
                edges[held] = self._proven(state, place, action, move)
            if len(edges) == self._growth.width:
                break
        node = self._positions.node(state, place, list(edges.values()))
        node.proven = verdict.value if verdict.proven else None
        self._linking = True
        self._graph.add(node)
        self._spread(node)

    def _widen(self, node: BookNode, state: Any, words: tuple[str, ...], place: Place, verdict: Verdict) -> None:
        """Gives a position one more move: the best, by a search, of those that it lacks."""
        known = {edge.action: edge for edge in node.edges}
        ranked = [action for action, _ in self._ranked(state, verdict)]
        left = [action for action in (*ranked, *self._game.legal_actions(state)) if place.to_book(action) not in known]
        if verdict.proven:
            best = self._proven(state, place, ranked[0], verdict.moves[0])
            self._linking = True
            if best.action in known:
                known[best.action].proven, known[best.action].searched = True, best.searched
            else:
                self._graph.add_edge(node, best)
            node.proven = verdict.value
        elif left:
            edge = self._search(state, words, place, left[0])
            self._linking = True
            self._graph.add_edge(node, edge)
        else:
            # The missing moves are forbidden on this line.
            node.alternatives = len(node.edges)
        self._spread(node)

    def _ranked(self, state: Any, verdict: Verdict) -> list[tuple[Any, MoveInfo | None]]:
        """Returns the searched moves, best first; if the search was too short to try any, all moves."""
        if not verdict.moves:
            return [(action, None) for action in self._game.legal_actions(state)]
        return [(text_to_action(self._game, state, move.move), move) for move in verdict.moves]

    def _proven(self, state: Any, place: Place, action: Any, move: MoveInfo) -> Edge:
        return self._positions.edge(state, place, action, move.lower + 0.0, move.visits, True)

    def _search(self, state: Any, words: tuple[str, ...], place: Place, action: Any) -> Edge:
        """Returns the move with the result of searching the position after it."""
        game = self._game
        after, mover = game.next_state(state, action), game.current_player(state)
        if is_over(game, after):
            return self._positions.edge(state, place, action, 0.0, 0, True)
        verdict = self._evaluation.search(after, (*words, action_to_text(game, state, action)))
        player = game.current_player(after)
        value = verdict.value if mover == (0 if player == CHANCE else player) else -verdict.value
        return self._positions.edge(state, place, action, value + 0.0, verdict.simulations, verdict.proven)

    def _spread(self, node: BookNode) -> None:
        self._linking = True
        self._file.note(self._graph.spread([node]))
        self._linking = False

    def _best_line(self) -> tuple[str, ...]:
        game, state, edge = self._game, self._start.state, self._graph.root
        words: list[str] = []
        while edge.replies:
            reply = max(edge.replies, key=lambda reply: reply.probability)
            if reply.node is None:
                break
            for outcome in reply.outcomes:
                words.append(action_to_text(game, state, outcome))
                state = game.next_state(state, outcome)
            edge = reply.node.best()
            action = self._positions.places.of(state).from_book(edge.action)
            if action not in game.legal_actions(state):
                break
            words.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
        return tuple(words)
