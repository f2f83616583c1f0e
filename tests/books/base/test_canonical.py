"""A position has one place in a book, whichever of its images is asked for and whatever line led to it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from playout.books.base.canonical import Places
from playout.games import catalogue
from playout.games.game import HasSymmetries, is_over, text_to_action
from playout.games.support.symmetry import board, square

KEYS = {
    "tic_tac_toe": 0xF815122431AC30B6,
    "connect_four": 0x9E65474D8C713AD1,
    "hex": 0x5BE6530873D60619,
    "go": 0x5D0D62705C6A910F,
    "chess": 0x3DF0567762D0069F,
    "backgammon": 0xA90BAA74B2C7772B,
    "go:9": 0x5D0D62705C6A910F,
    "go:5x4": 0xD5B9CABE5A2AB4CD,
    "hex:5": 0xA88B1D10D45E6927,
    "chess:chess960=true,position=7": 0xED15F34BBF8602BC,
}
"""Canonical key of each game's start position."""


def walk(game: Any, plies: int, seed: int) -> list[Any]:
    """The states of a random game."""
    rng = random.Random(seed)
    states = [game.initial_state()]
    while len(states) <= plies and not is_over(game, states[-1]):
        states.append(game.next_state(states[-1], rng.choice(list(game.legal_actions(states[-1])))))
    return [state for state in states if not is_over(game, state)]


@pytest.mark.parametrize("name", KEYS)
def test_images_share_their_place_and_actions_find_their_way(name: str) -> None:
    game: Any = catalogue.load(name)
    places = Places(game)
    rng = random.Random(1)
    for state in walk(game, 8, 3):
        place = places.of(state)
        for action in rng.sample(list(game.legal_actions(state)), min(5, len(game.legal_actions(state)))):
            held = place.to_book(action)
            assert held in game.legal_actions(place.state)
            assert place.to_book(place.from_book(held)) == held
            word = places.word(place, action)
            assert (word if isinstance(word, int) else text_to_action(game, place.state, word)) == held
            for symmetry in game.symmetries() if isinstance(game, HasSymmetries) else ():
                image = places.of(symmetry.state(state))
                assert (image.key, image.state) == (place.key, place.state)
                assert image.to_book(symmetry.action(action)) == held


def test_keys_do_not_change_from_run_to_run() -> None:
    """Books on disk depend on the keys."""
    for name, key in KEYS.items():
        game: Any = catalogue.load(name)
        assert Places(game).of(game.initial_state()).key == key, name


def test_backgammon_is_one_for_both_players() -> None:
    backgammon: Any = catalogue.load("backgammon")
    places = Places(backgammon)
    for state in walk(backgammon, 20, 4):
        if state.player == 1:
            other = backgammon.book_state(state)
            assert other.player == 0
            assert places.of(state).key == places.of(other).key
            assert backgammon.legal_actions(state) == backgammon.legal_actions(other)
            texts = [[backgammon.action_to_text(s, a) for a in backgammon.legal_actions(s)] for s in (state, other)]
            assert texts[0] == texts[1]
            after = [backgammon.next_state(s, backgammon.legal_actions(s)[0]) for s in (state, other)]
            assert places.of(after[0]).key == places.of(after[1]).key


def test_the_line_does_not_matter() -> None:
    chess: Any = catalogue.load("chess")
    places = Places(chess)
    state = chess.initial_state()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        state = chess.next_state(state, chess.text_to_action(state, move))
    assert places.of(state).key == places.of(chess.initial_state()).key


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_boards_turn_as_their_cells_do(size: int) -> None:
    cells = "".join(chr(ord("A") + cell) for cell in range(size * size))
    for number in range(8):
        image = board(size, number, cells)
        assert all(image[square(size, number, cell)] == mark for cell, mark in enumerate(cells))
