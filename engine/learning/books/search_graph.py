"""An opening book from the graph of a search: what many games or a long analysis have learned."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.engine.options.config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.engine.search.weights import WeightFiles, set_weights
from playout.games.game import CHANCE, Game, action_to_text, is_over, text_to_action

LOST = -1.0


@dataclass(frozen=True, slots=True)
class Choice:
    """The rule by which positions and moves of a graph become those of a book."""

    visits: int = 100
    """Least number of visits of a position, and of a move that the book plays or answers."""
    margin: float = 0.1
    """Moves whose value is less than the best one's by more than this have weight 0: the book answers them only."""
    plies: int = 40
    """Greatest number of plies from the game's start to a position; dice rolls count."""


def graph_entries(
    path: str | PathLike[str],
    game: Game[Any, Any],
    config: SearchConfig,
    choice: Choice,
    *,
    weights: WeightFiles | None = None,
) -> Iterator[BookEntry]:
    """Yields the positions of the graph that was saved at ``path``, those nearest to the game's start first.

    A move's weight is its number of visits, its value the search's for the player who makes it, and its depth the
    visits behind that value. The graph is read with the configuration and ``weights`` with which it was made. Blocks.

    Raises:
        GameError: if the file cannot be used; one line with the file, the place and the reason.
    """
    searcher = Searcher(game, config)
    set_weights(searcher, weights or {})
    searcher.load(path)
    places = Places(game)
    seen: set[int] = set()
    queue: deque[tuple[Any, tuple[str, ...]]] = deque([(game.initial_state(), ())])
    while queue:
        state, line = queue.popleft()
        if is_over(game, state) or len(line) >= choice.plies:
            continue
        if game.current_player(state) == CHANCE:
            for outcome in game.legal_actions(state):
                queue.append((game.next_state(state, outcome), (*line, action_to_text(game, state, outcome))))
            continue
        key = places.of(state).key
        if key in seen:
            continue
        searcher.set_position(None, line)
        report = searcher.report(1)
        if report.visits < choice.visits:
            continue  # The graph may know an image of it.
        seen.add(key)
        for move in report.moves:
            queue.append((game.next_state(state, text_to_action(game, state, move.move)), (*line, move.move)))
        moves = [move for move in report.moves if move.visits >= choice.visits or (move.proven and move.lower > LOST)]
        if not moves:
            continue
        best = max(move.value for move in moves)
        found = {}
        for move in moves:
            action = text_to_action(game, state, move.move)
            good = move.value >= best - choice.margin and move.upper > LOST
            weight = float(move.visits) if good else 0.0
            found[action] = BookMove(action, weight, value=move.value, depth=move.visits)
        yield BookEntry(state, tuple(found.values()))
