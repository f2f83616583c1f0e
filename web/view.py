"""Positions and searches as the page sees them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from playout.games.board_hooks import HasPoints, points
from playout.games.game import CHANCE, Game, HasStateText, action_to_text, text_to_action
from playout.games.picture.picture import svg
from playout.games.picture.places import clicks
from playout.games.support.outcome import spoken
from playout.results import Analysis
from playout.tree import Node
from playout.web.messages import Branch, Choice, Info, Line

LINES = 10
"""Most moves of an analysis that are shown."""
VARIATIONS = 3
"""Moves of an analysis that have a variation."""
SHOWN = 8
"""Most moves of a variation that are shown on the board."""
ROLLS_AND_MOVES = 2000
"""Most legal moves for which the page is told how to click them."""
_VIEW_BOX = re.compile(r"viewBox=['\"]0 0 ([\d.]+) ([\d.]+)['\"]")
_SIZE = (400.0, 400.0)
"""Size of a picture that does not say its own."""


def picture(game: Game[Any, Any], state: Any) -> tuple[str, tuple[float, float]]:
    """Returns the picture of a position, and the width and height in whose units its places are."""
    drawn = svg(game, state)
    found = _VIEW_BOX.search(drawn)
    return drawn, (float(found[1]), float(found[2])) if found else _SIZE


def choices(game: Game[Any, Any], state: Any) -> list[Choice]:
    """Returns the legal moves of a player who is to move."""
    actions = game.legal_actions(state)
    told = len(actions) <= ROLLS_AND_MOVES
    return [
        Choice(action_to_text(game, state, action), _ways(game, state, action) if told else []) for action in actions
    ]


def places_of(game: Game[Any, Any], state: Any, text: str) -> list[str]:
    """Returns the places of a legal move; none for a roll."""
    if game.current_player(state) == CHANCE:
        return []
    ways = _ways(game, state, text_to_action(game, state, text))
    return ways[0] if ways else []


def position_text(game: Game[Any, Any], state: Any) -> str:
    """Returns a position as text; empty in games that have none."""
    return game.state_to_text(state) if isinstance(game, HasStateText) else ""


def info(game: Game[Any, Any], state: Any, ply: int, found: Analysis, hint: str = "") -> Info:
    """Returns what a search knows of ``state``, the position after ``ply`` moves, from player 0's point of view."""
    sign = 1.0 if game.current_player(state) == 0 else -1.0
    whole = sum(one.visits for one in found.moves) or 1
    lines = [
        Line(
            spoken(game, state, one.move),
            places_of(game, state, one.move),
            one.visits,
            one.visits / whole,
            sign * one.value,
            (one.win, one.draw, one.loss) if sign > 0 else (one.loss, one.draw, one.win),
            one.proven,
            *_variation(game, state, one.pv),
        )
        for one in found.moves[:LINES]
    ]
    value = None if found.value is None else sign * found.value
    return Info(
        ply=ply,
        value=value,
        simulations=found.simulations,
        seconds=found.seconds,
        depth=found.depth,
        lines=lines,
        hint=spoken(game, state, hint) if hint else "",
        ownership=_owners(game, found.ownership),
    )


def branch(game: Game[Any, Any], state: Any, node: Node, sign: float, most: int) -> Branch:
    """Returns a tree from ``state``, with at most ``most`` children of each position; ``sign`` turns its values into
    player 0's.
    """
    below = []
    for child in node.children[:most]:
        move = child.move or ""
        after = game.next_state(state, text_to_action(game, state, move))
        said = spoken(game, state, move)
        below.append(msgspec.structs.replace(branch(game, after, child, sign, most), move=said))
    return Branch("", node.visits, sign * node.value, node.proven, below, list(node.images), node.position)


def _variation(game: Game[Any, Any], state: Any, moves: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Returns a variation as people write it, and the places of its first moves."""
    said, ways = list[str](), list[list[str]]()
    for number, move in enumerate(moves):
        said.append(spoken(game, state, move))
        if number < SHOWN:
            ways.append(places_of(game, state, move))
        state = game.next_state(state, text_to_action(game, state, move))
    return said, ways


def _owners(game: Game[Any, Any], ownership: Sequence[float]) -> dict[str, float]:
    """Returns the ownership of places; that of the search is by the number of the point."""
    if not ownership or not isinstance(game, HasPoints):
        return {}
    state = game.initial_state()
    return {action_to_text(game, state, point): round(ownership[point], 2) for point in points(game)}


def _ways(game: Game[Any, Any], state: Any, action: Any) -> list[list[str]]:
    return [list(way) for way in clicks(game, state, action)]
