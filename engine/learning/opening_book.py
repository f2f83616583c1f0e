"""Opening books grown by search: the line most worth searching is expanded, again and again, into a store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playout.books.book import BookMove
from playout.books.canonical import Place, Places
from playout.books.store import StoreBook, decisions, open_book
from playout.books.store_writer import StoreWriter
from playout.engine.config import SearchConfig
from playout.engine.learning.book_graph import Edge, Graph, Node, Reply
from playout.engine.learning.evaluation import Evaluation, storable
from playout.engine.line import Line
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, action_to_text, is_over, text_to_action

LEARNED, PROVEN, BEST = "learned", "proven", "proven best"
"""The sources of values: searches; searches that found the exact result; and these where no other move is better."""
EXACT = (PROVEN, BEST, "solved")
MARGIN = 0.05
"""Moves that are worse than the best by this have weight 0."""
COMMIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Growth:
    """How a book grows."""

    nodes: int = 2000
    """Simulations of each search."""
    width: int = 3
    """Moves that a position gets when it is expanded."""
    alpha: float = 20.0
    """Plies that a line is followed less far for each unit of value that its moves give away."""
    positions: int | None = None
    """The run ends when the book has so many."""
    seconds: float | None = None
    """The run ends after so long, with the expansion under way."""


@dataclass(frozen=True, slots=True)
class Learned:
    """How far a run has come."""

    positions: int
    """Of the book, behind the start."""
    expansions: int
    """Of this run."""
    searches: int
    """Of this run."""
    value: float | None
    """Of the start, for the player to move, at a chance position for player 0; None while it is not known."""
    exact: bool
    line: tuple[str, ...]
    """The line expanded last."""
    best: tuple[str, ...]
    """The line of the best moves, as far as the book has it; of dice the first of the likeliest outcomes."""
    whole: bool
    """Whether there is nothing left to expand: the start's value is exact."""


def learn_book(
    path: Path,
    game: Game[Any, Any],
    config: SearchConfig,
    growth: Growth,
    *,
    start: str | None = None,
    moves: Sequence[str] = (),
    on_progress: Callable[[Learned], None] | None = None,
) -> Learned:
    """Grows the store at ``path`` from the position after ``moves`` from ``start`` (None: the game's own), until a
    bound of ``growth`` is reached, or KeyboardInterrupt. What the store has is gone on from. Blocks.

    With one thread the book hangs on the seed and the parameters alone, not on where runs were stopped.

    Raises:
        BookError: if the store cannot be read or written.
        GameError, IllegalMove: if the start cannot be read, or a method of a user's game failed.
    """
    line = Line.start(game, start)
    for word in moves:
        line = line.played(game, word)
    if is_over(game, line.state):
        raise GameError(f"{game.name}: the game is over at the start of the book")
    with StoreWriter(path, game) as writer:
        if line.words or start is not None:
            for state, _ in decisions(game, line.state, ()):
                writer.add_root(state)
        writer.commit()
        with closing(open_book(path, game)) as book:
            grower = _Grower(game, line, Evaluation(game, start, config, growth.nodes), growth, writer, book)
            grower.read()
            try:
                grower.grow(on_progress)
            except KeyboardInterrupt:
                pass
            finally:
                grower.write()
    return grower.learned()


class _Grower:
    """A run."""

    def __init__(
        self,
        game: Game[Any, Any],
        line: Line,
        evaluation: Evaluation,
        growth: Growth,
        writer: StoreWriter,
        book: StoreBook,
    ) -> None:
        self._game, self._line, self._evaluation, self._growth = game, line, evaluation, growth
        self._writer, self._book = writer, book
        self._places = Places(game)
        state = line.state
        first = 0 if game.current_player(state) == CHANCE else game.current_player(state)
        self._graph = Graph(Edge(None, 0.0, 0, False, tuple(self._replies(state, first))), growth.alpha, growth.width)
        self._dirty: dict[int, Node] = {}
        self._expansions = 0
        self._last: tuple[str, ...] = ()

    def read(self) -> None:
        """Takes over what the store has, found by walking from the start."""
        found: list[Node] = []
        seen: set[int] = set()
        waiting = [after for after, _, _ in self._decisions(self._line.state)]
        while waiting:
            state = waiting.pop()
            place = self._places.of(state)
            if place.key in seen:
                continue
            seen.add(place.key)
            legal = set(self._game.legal_actions(state))
            known = [m for m in self._book.lookup(state) if m.value is not None and m.action in legal]
            if not known:
                continue
            edges = []
            for move in known:
                assert move.value is not None
                after = self._game.next_state(state, move.action)
                exact = move.source in EXACT
                edges.append(self._edge(state, place, move.action, after, storable(move.value), move.depth or 0, exact))
                waiting += [one for one, _, _ in self._decisions(after)]
            node = self._node(state, place, edges)
            node.proven = next((storable(move.value or 0.0) for move in known if move.source == BEST), None)
            self._graph.add(node)
            found.append(node)
        self._restore(found)
        self._graph.spread(reversed(found))

    def _restore(self, nodes: Sequence[Node]) -> None:
        """Finds what only follows from what the store has: which positions are proven, and the simulations of each
        move's own search, which are those of its line less those of the line behind it."""
        for node in nodes:
            for edge in node.edges:
                edge.value, edge.depth = edge.searched, edge.simulations
            node.depth = node.best().depth
        for node in nodes:
            for edge in node.edges:
                behind = [(reply, reply.node) for reply in edge.replies if reply.node is not None]
                if edge.proven:
                    for reply, after in behind if len(edge.replies) == 1 else ():
                        after.proven = reply.sign * edge.searched + 0.0
                elif len(behind) == len(edge.replies):
                    edge.simulations -= int(sum(reply.probability * after.depth for reply, after in behind))

    def grow(self, on_progress: Callable[[Learned], None] | None) -> None:
        """Expands until a bound is reached."""
        begun = committed = time.monotonic()
        growth = self._growth
        while not self._graph.root.exact:
            if growth.positions is not None and len(self._graph.nodes) >= growth.positions:
                break
            if growth.seconds is not None and time.monotonic() - begun >= growth.seconds:
                break
            if not self._expand_next():
                break
            if time.monotonic() - committed >= COMMIT_SECONDS:
                self.write()
                committed = time.monotonic()
            if on_progress is not None:
                on_progress(self.learned())

    def write(self) -> None:
        """Commits what has changed."""
        for node in self._dirty.values():
            self._writer.put(node.state, self._moves(node))
        self._writer.commit()
        self._dirty.clear()

    def learned(self) -> Learned:
        """How far the run is."""
        root, nodes = self._graph.root, self._graph.nodes
        known = not any(reply.open for reply in root.replies)
        return Learned(
            positions=len(nodes),
            expansions=self._expansions,
            searches=self._evaluation.searches,
            value=root.value if known else None,
            exact=root.exact,
            line=self._last,
            best=self._best_line(),
            whole=root.exact or root.priority == float("inf"),
        )

    def _expand_next(self) -> bool:
        """Expands the position that is next; False if there is none."""
        game, graph = self._game, self._graph
        state, words, edge = self._line.state, self._line.words, graph.root
        while True:
            if not any(reply.open for reply in edge.replies) and edge.priority == float("inf"):
                return False
            reply = graph.choose_reply(edge)
            for outcome in reply.outcomes:
                words = (*words, action_to_text(game, state, outcome))
                state = game.next_state(state, outcome)
            place = self._places.of(state)
            node = reply.node
            if node is None:
                self._last = words
                self._expand(state, words, place)
                return True
            chosen = graph.choose(node)
            if chosen is None:
                self._last = words
                self._widen(node, state, words, place)
                return True
            action = place.from_book(chosen.action)
            after = game.next_state(state, action) if action in game.legal_actions(state) else None
            if after is None or is_over(game, after):
                # The line by which the game came here forbids it: superko, a repetition.
                chosen.blocked = True
                self._spread(node)
                return True
            words = (*words, action_to_text(game, state, action))
            state, edge = after, chosen

    def _expand(self, state: Any, words: tuple[str, ...], place: Place) -> None:
        self._evaluation.forget()
        verdict = self._evaluation.search(state, words)
        edges: list[Edge] = []
        taken = set()
        for move in verdict.moves:
            action = self._action(state, move.move)
            if place.to_book(action) in taken or (verdict.proven and edges and not move.proven):
                continue
            taken.add(place.to_book(action))
            if verdict.proven:
                after, value = self._game.next_state(state, action), storable(move.lower)
                edges.append(self._edge(state, place, action, after, value, move.visits, exact=True))
            else:
                edges.append(self._search_move(state, words, place, action))
            if len(taken) == self._growth.width:
                break
        node = self._node(state, place, edges)
        if verdict.proven:
            node.proven = verdict.value
        self._graph.add(node)
        self._spread(node)
        self._expansions += 1

    def _widen(self, node: Node, state: Any, words: tuple[str, ...], place: Place) -> None:
        """Gives a position one more move: the next best by a search."""
        self._evaluation.forget()
        verdict = self._evaluation.search(state, words)
        taken = {edge.action for edge in node.edges}
        ranked = [self._action(state, move.move) for move in verdict.moves]
        actions = [one for one in (*ranked, *self._game.legal_actions(state)) if place.to_book(one) not in taken]
        if actions:
            self._graph.add_edge(node, self._search_move(state, words, place, actions[0]))
        else:
            node.alternatives = len(node.edges)
        self._spread(node)
        self._expansions += 1

    def _search_move(self, state: Any, words: tuple[str, ...], place: Place, action: Any) -> Edge:
        game = self._game
        after = game.next_state(state, action)
        mover = game.current_player(state)
        returns = game.returns(after)
        if returns is not None:
            return self._edge(state, place, action, after, storable(returns[mover]), 0, exact=True)
        verdict = self._evaluation.search(after, (*words, action_to_text(game, state, action)))
        player = game.current_player(after)
        sign = 1.0 if (0 if player == CHANCE else player) == mover else -1.0
        value = sign * verdict.value + 0.0
        return self._edge(state, place, action, after, value, verdict.simulations, verdict.proven)

    def _node(self, state: Any, place: Place, edges: list[Edge]) -> Node:
        alternatives = len({place.to_book(action) for action in self._game.legal_actions(state)})
        return Node(place.key, place.state, alternatives, edges)

    def _edge(
        self, state: Any, place: Place, action: Any, after: Any, value: float, simulations: int, exact: bool
    ) -> Edge:
        replies = () if is_over(self._game, after) else self._replies(after, self._game.current_player(state))
        return Edge(place.to_book(action), value, simulations, exact or not replies, tuple(replies))

    def _replies(self, state: Any, mover: int) -> Sequence[Reply]:
        replies = []
        for after, outcomes, probability in self._decisions(state, ends=True):
            returns = self._game.returns(after)
            if returns is not None:
                replies.append(Reply(outcomes, probability, None, 1.0, float(returns[mover])))
            else:
                sign = 1.0 if self._game.current_player(after) == mover else -1.0
                replies.append(Reply(outcomes, probability, self._places.of(after).key, sign))
        return replies

    def _decisions(self, state: Any, *, ends: bool = False) -> Iterator[tuple[Any, tuple[Any, ...], float]]:
        """The positions at and after ``state`` in which a player decides, through the dice, with their outcomes and
        their probability; with ``ends`` also those in which the game is over."""
        game: Any = self._game
        if is_over(game, state):
            if ends:
                yield state, (), 1.0
        elif game.current_player(state) != CHANCE:
            yield state, (), 1.0
        else:
            for outcome, probability in game.chance_outcomes(state):
                for after, outcomes, share in self._decisions(game.next_state(state, outcome), ends=ends):
                    yield after, (outcome, *outcomes), probability * share

    def _action(self, state: Any, word: str) -> Any:
        return text_to_action(self._game, state, word)

    def _spread(self, node: Node) -> None:
        for touched in self._graph.spread([node]):
            self._dirty[touched.key] = touched

    def _moves(self, node: Node) -> list[BookMove]:
        """What the book is to say: counts of games that it has stay."""
        own = self._places.of(node.state)
        known = {own.to_book(move.action): move for move in self._book.lookup(node.state)}
        best = max(edge.value for edge in node.edges)
        moves = []
        for edge in sorted(node.edges, key=lambda edge: -edge.value):
            source = PROVEN if edge.exact else LEARNED
            if node.exact and edge.exact and edge.value == best:
                source = BEST
            before = known.pop(edge.action, None) or BookMove(edge.action, 0.0)
            moves.append(
                replace(
                    before,
                    weight=max(0.0, 1.0 - (best - edge.value) / MARGIN),
                    value=edge.value,
                    depth=edge.depth,
                    source=source,
                )
            )
        return [*moves, *known.values()]

    def _best_line(self) -> tuple[str, ...]:
        game, state, edge = self._game, self._line.state, self._graph.root
        words: list[str] = []
        while edge.replies:
            reply = max(edge.replies, key=lambda reply: reply.probability)
            node = reply.node
            if node is None:
                break
            for outcome in reply.outcomes:
                words.append(action_to_text(game, state, outcome))
                state = game.next_state(state, outcome)
            place = self._places.of(state)
            edge = node.best()
            action = place.from_book(edge.action)
            if action not in game.legal_actions(state):
                break
            words.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
        return tuple(words)
