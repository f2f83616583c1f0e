"""Games of users: objects and classes with five methods."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from playout.games import catalogue
from playout.games.adopted import REQUIRED, adopted
from playout.games.check.checker import check
from playout.games.errors import GameError
from playout.games.game import HasKey, HasRender


class Race:
    """The player who reaches ten first wins; each adds one or two."""

    def initial_state(self) -> Any:
        return (0, 0)

    def current_player(self, state: Any) -> int:
        return int(state[1])

    def legal_actions(self, state: Any) -> list[int]:
        return [] if self.returns(state) else [1, 2]

    def next_state(self, state: Any, action: int) -> Any:
        return (state[0] + action, 1 - state[1])

    def returns(self, state: Any) -> tuple[int, int] | None:
        if state[0] < 10:
            return None
        return (1, -1) if state[1] else (-1, 1)


class Slotted(Race):
    __slots__ = ("extra",)


class Slots:
    """A game without an instance dictionary, so that it cannot store a name."""

    __slots__ = ()
    initial_state = Race.initial_state
    current_player = Race.current_player
    legal_actions = Race.legal_actions
    next_state = Race.next_state
    returns = Race.returns


@dataclass(frozen=True, slots=True)
class Frozen(Race):
    size: int = 3

    def key(self, state: Any) -> Any:
        return state


class Nameless(Race):
    """A game whose name is not a text."""

    @property
    def name(self) -> int:
        return 5


@pytest.mark.parametrize("kind", [Race, Slotted, Slots, Frozen, Nameless])
def test_a_game_without_a_name_is_called_after_its_class(kind: Any) -> None:
    for game in (kind, kind()):
        found = adopted(game)
        assert found.name == kind.__name__.lower()
        assert isinstance(found, kind)
        assert check(found, games=2) == []


def test_the_users_object_stays_as_it_was() -> None:
    own = Frozen(4)
    found: Any = adopted(own, "mine")
    assert (found.name, found.size) == ("mine", 4)
    assert type(own) is Frozen
    assert not hasattr(own, "name")
    assert isinstance(found, HasKey)
    assert not isinstance(found, HasRender)
    changed: Any = catalogue.replaced(found, size=5)
    assert (changed.name, changed.size) == ("mine", 5)


def test_a_game_with_a_name_is_itself() -> None:
    class Named(Race):
        name = "named"

    own = Named()
    assert adopted(own) is own
    assert adopted(catalogue.load("hex:5")).name == "hex:5"


def test_what_is_no_game_gets_one_line_with_what_is_missing() -> None:
    with pytest.raises(GameError, match=rf"^object: not a game, it lacks {', '.join(REQUIRED)}$"):
        adopted(object())  # type: ignore[arg-type]
    with pytest.raises(GameError, match=r"^SimpleNamespace: not a game, it lacks next_state, returns$"):
        adopted(SimpleNamespace(initial_state=id, current_player=id, legal_actions=id, returns=3))  # type: ignore[arg-type]


def test_a_class_that_needs_arguments_gets_one_line() -> None:
    class Sized(Race):
        def __init__(self, size: int) -> None:
            self.size = size

    with pytest.raises(GameError, match=r"^Sized: TypeError: .*'size'; pass an instance$"):
        adopted(Sized)
    assert adopted(Sized(3)).name == "sized"


def test_an_object_that_can_have_no_name_gets_one_line() -> None:
    game = SimpleNamespace(**dict.fromkeys(REQUIRED, id))
    with pytest.raises(GameError, match=r"^SimpleNamespace: the game needs an attribute name, a text: "):
        adopted(game)
    assert adopted(SimpleNamespace(**dict.fromkeys(REQUIRED, id), name="mine")).name == "mine"
