"""Each definition and its kernel, walked in step along seeded random games."""

from __future__ import annotations

import random
from collections.abc import Hashable
from typing import Any

import chess
import chess.polyglot
import pytest

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.kernel import kernel_params
from playout.games import catalogue
from playout.games.game import CHANCE, HasBookState, HasChance, HasKey, HasPlayerChange, HasStateText, HasSymmetries

GAMES = {
    "tic_tac_toe": 30,
    "connect_four": 6,
    "connect_four:4,rows=4": 15,
    "hex:1": 2,
    "hex:3,swap=true": 20,
    "hex:5": 8,
    "hex:11": 1,
    "hex:13": 1,
    "go:2": 15,
    "go:3": 10,
    "go:4,suicide=true": 4,
    "go:5": 2,
    "go:5,ko=simple": 2,
    "go:5,ko=situational": 2,
    "go:5,scoring=territory": 2,
    "go:9": 1,
    "go:4x3": 5,
    "go:5x7,ko=situational": 1,
    "chess": 2,
    "chess:true,position=0": 1,
    "backgammon": 1,
    "backgammon:gammons=false": 1,
}
"""Registry name -> random games. A built-in game that is missing here fails ``test_every_kernel_is_walked``."""


def kernel_position(game: Any, text: str | None = None) -> _core.Position:
    kernel = kernel_of(game)
    assert kernel is not None
    return _core.Position(kernel, kernel_params(game), text)


def check_step(game: Any, state: Any, kernel: _core.Position) -> dict[str, tuple[Any, int]]:
    """Compares one position of both; returns the actions of both by text."""
    returns = game.returns(state)
    result = kernel.result()
    assert (returns is None) == (result is None)
    if returns is not None:
        assert result == pytest.approx(returns[0], abs=1e-6)
        assert kernel.actions() == [] == list(game.legal_actions(state))
        return {}
    assert game.current_player(state) == kernel.player()
    definition = {game.action_to_text(state, action): action for action in game.legal_actions(state)}
    ours = {kernel.action_text(action): action for action in kernel.actions()}
    assert definition.keys() == ours.keys()
    assert len(ours) == len(kernel.actions())
    for text in sorted(ours)[:: len(ours) // 12 + 1]:  # reading a text takes as long as listing all
        assert kernel.parse_action(text) == ours[text]
        assert game.text_to_action(state, text) == definition[text]
    if game.current_player(state) == CHANCE:
        assert isinstance(game, HasChance)
        for outcome, probability in game.chance_outcomes(state):
            assert kernel.probability(ours[game.action_to_text(state, outcome)]) == pytest.approx(probability, abs=1e-6)
    return {text: (definition[text], ours[text]) for text in ours}


class Keys:
    """Equal keys of the definition are equal keys of the kernel and the other way round."""

    def __init__(self) -> None:
        self._kernel: dict[Hashable, int] = {}
        self._definition: dict[int, Hashable] = {}

    def same(self, definition: Hashable, kernel: int) -> None:
        assert self._kernel.setdefault(definition, kernel) == kernel
        assert self._definition.setdefault(kernel, definition) == definition


def test_every_kernel_is_walked() -> None:
    assert set(catalogue.BUILT_IN) == {name.partition(":")[0] for name in GAMES}


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_twins_agree(name: str) -> None:
    game: Any = catalogue.load(name)
    assert isinstance(game, HasKey)
    symmetries = list(game.symmetries()) if isinstance(game, HasSymmetries) else [None]
    keys = Keys()
    for seed in range(1, GAMES[name] + 1):
        rng = random.Random(seed)
        state = game.initial_state()
        kernel = kernel_position(game)
        images = [kernel_position(game) for _ in symmetries]
        assert kernel.frames() == len(symmetries)
        for _ in range(400):
            pairs = check_step(game, state, kernel)
            for number, symmetry in enumerate(symmetries):
                image = state if symmetry is None else symmetry.state(state)
                keys.same(game.key(image), kernel.key(number))
                assert images[number].key() == kernel.key(number)
            least = min(kernel.key(number) for number in range(kernel.frames()))
            assert kernel.canonical() == (least, [kernel.key(i) for i in range(kernel.frames())].index(least))
            if not pairs:
                break
            text = rng.choice(sorted(pairs))
            action, number = pairs[text]
            for frame, symmetry in enumerate(symmetries):
                mapped = kernel.to_frame(frame, number)
                assert kernel.undo_frame(frame, mapped) == number
                if symmetry is not None:
                    expected = game.action_to_text(symmetry.state(state), symmetry.action(action))
                    assert images[frame].action_text(mapped) == expected
                images[frame].play(mapped)
            state = game.next_state(state, action)
            kernel.play(number)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_twins_read_the_same_texts(name: str) -> None:
    game: Any = catalogue.load(name)
    assert isinstance(game, HasStateText)
    rng = random.Random(7)
    state = game.initial_state()
    for _ in range(40):
        text = game.state_to_text(state)
        again = game.state_from_text(text)
        assert game.state_to_text(again) == text
        check_step(game, again, kernel_position(game, text))
        actions = game.legal_actions(state)
        if not actions:
            break
        state = game.next_state(state, rng.choice(list(actions)))


@pytest.mark.parametrize("name", GAMES)
def test_twins_change_the_player_alike(name: str) -> None:
    game: Any = catalogue.load(name)
    if not isinstance(game, HasPlayerChange):
        assert not kernel_position(game).set_player(1)
        return
    rng = random.Random(3)
    state, kernel = game.initial_state(), kernel_position(game)
    for _ in range(12):
        pairs = check_step(game, state, kernel)
        if not pairs:
            break
        if game.current_player(state) != CHANCE:
            player = rng.randrange(2)
            state = game.with_player(state, player)
            assert kernel.set_player(player)
            pairs = check_step(game, state, kernel)
        action, number = pairs[rng.choice(sorted(pairs))]
        state = game.next_state(state, action)
        kernel.play(number)


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_twins_have_the_same_texts_and_actions_in_books(name: str) -> None:
    game: Any = catalogue.load(name)
    assert isinstance(game, HasBookState)
    symmetries = list(game.symmetries()) if isinstance(game, HasSymmetries) else [None]
    for seed in range(min(2, GAMES[name])):
        rng = random.Random(seed)
        state, kernel = game.initial_state(), kernel_position(game)
        for _ in range(40):
            pairs = check_step(game, state, kernel)
            if not pairs:
                break
            assert all(action == number for action, number in pairs.values())
            if game.current_player(state) != CHANCE:
                images = [state if symmetry is None else symmetry.state(state) for symmetry in symmetries]
                for frame, image in enumerate(images):
                    assert kernel.book_text(frame) == game.book_text(image)
                if kernel_of(game) == "chess":
                    assert kernel.shared_book_key() == chess.polyglot.zobrist_hash(state.board)
            action, number = pairs[rng.choice(sorted(pairs))]
            state = game.next_state(state, action)
            kernel.play(number)


def test_a_pinned_pawn_counts_in_the_shared_key_of_chess_and_not_in_the_text() -> None:
    text = "8/8/8/K2pP2r/8/8/8/7k w - d6 0 2"
    kernel = kernel_position(catalogue.load("chess"), text)
    assert kernel.shared_book_key() == chess.polyglot.zobrist_hash(chess.Board(text))
    assert kernel.book_text(0).endswith(" w - -")
