"""Random books of any game, and the content by which two books are compared."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.games.game import CHANCE, is_over

Content = dict[int, dict[Any, tuple[float, int, int, int, int, str]]]


def random_entries(game: Any, rng: random.Random, games: int, plies: int, *, gaps: bool = True) -> list[BookEntry]:
    """Positions of random games, each once. Without ``gaps`` (and without symmetries) their moves lead to all of them;
    else some are left out."""
    found: dict[int, BookEntry] = {}
    places = Places(game)
    for _ in range(games):
        state, line = game.initial_state(), ()
        for _ in range(plies):
            if is_over(game, state):
                break
            legal = list(game.legal_actions(state))
            action = rng.choice(legal)
            if game.current_player(state) != CHANCE and not (gaps and rng.random() < 0.2):
                place = places.of(state)
                moves = {place.to_book(one): _random_move(one, rng) for one in rng.sample(legal, min(2, len(legal)))}
                moves.setdefault(place.to_book(action), _random_move(action, rng))
                first = found.setdefault(place.key, BookEntry(state, list(moves.values()), line))
                if not gaps and action not in [move.action for move in first.moves]:
                    found[place.key] = BookEntry(first.state, [*first.moves, _random_move(action, rng)], first.line)
            state, line = game.next_state(state, action), (*line, action)
    return list(found.values())


def _random_move(action: Any, rng: random.Random) -> BookMove:
    weight = rng.choice([0.0, 1.0, 1.0, 3.0, 0.1, 1e-7, 1e20, rng.random()])
    counts = (rng.randrange(10**6), rng.randrange(9), rng.randrange(9)) if rng.random() < 0.3 else (0, 0, 0)
    learn = rng.choice([0, 0, -4, 2**32 - 1])
    comment = rng.choice(["", "", "sound", 'a: "b" # c', "é - [x], *y ':3'", "1. e4?"])
    return BookMove(action, weight, *counts, learn, comment=comment)


def content(game: Any, entries: Iterable[BookEntry]) -> Content:
    """Contents of the book by place, which is the same for all symmetry images."""
    places = Places(game)
    found: Content = {}
    for entry in entries:
        place = places.of(entry.state)
        assert place.key not in found, "a position stands twice"
        found[place.key] = {
            place.to_book(m.action): (m.weight, m.wins, m.draws, m.losses, m.learn, m.comment) for m in entry.moves
        }
        assert len(found[place.key]) == len(entry.moves)
    return found
