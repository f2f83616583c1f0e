"""Interpretation of the nodes of an SGF record of a game, with the swap rule of Hex or without."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from playout.books.base.past_games import Turn
from playout.games.board_hooks import HasHandicap
from playout.games.errors import GameError, IllegalMove
from playout.games.game import HasPlayerChange
from playout.games.support import sgf

SWAPS = ("swap", "swap-pieces", "swap-sides")
NO_MOVES = ("resign", "forfeit")
_RESULT = re.compile(r"([BW])(?:\+.*|(?:lack|hite)?)\Z", re.IGNORECASE)
_EMPTY = 2
"""Stands in place of a player for a swap."""
_DRAWS = ("0", "draw", "jigo")

MainLine = Sequence[sgf.TreeNode]


class SgfRecord(Protocol):
    """A record, translated to the actions of the game."""

    start: Any
    """The state before the first move."""
    result: int | None
    """Result for player 0: 1, 0 or -1; None if the record does not have it."""
    players: tuple[str, str]

    def turns(self, line: MainLine) -> tuple[Turn, ...]:
        """Returns the moves along a line of nodes from the root, up to the end of the game.

        Raises:
            PlayoutError: at an illegal move, or at stones set up after the start.
        """


class PlainRecord:
    """A record of a game without swaps, such as Go. Handicap and setup stones make the starting position."""

    def __init__(self, game: Any, main: MainLine) -> None:
        self._game = game
        stones, first = _setup(main, lambda values: [self._point(value) for value in sgf.expand(values)])
        moves = list(_moves(main))
        handicap = _text(main, "HA")
        if (
            not stones
            and re.fullmatch("[0-9]{1,3}", handicap)
            and int(handicap) > 1
            and first != 0
            and moves
            and moves[0][0] == 1
            and isinstance(game, HasHandicap)
        ):
            # Old records omit the stones of a fixed handicap.
            stones = dict.fromkeys(game.handicap_points(int(handicap)), 0)
        if first is None:
            handicapped = bool(stones) and 1 not in stones.values()
            first = moves[0][0] if moves else int(handicapped)
        self.start = _start(game, stones, first)
        self.players = (_text(main, "PB"), _text(main, "PW"))
        self.result = _winner(main)

    def turns(self, line: MainLine) -> tuple[Turn, ...]:
        game, state = self._game, self.start
        turns: list[Turn] = []
        for player, value in _moves(line):
            if game.returns(state) is not None:
                break
            if isinstance(game, HasPlayerChange):
                state = game.with_player(state, player)
            try:
                action = game.text_to_action(state, game.move_from_sgf(value))
            except IllegalMove as error:
                raise IllegalMove(f"move {len(turns) + 1}: {error}") from None
            turns.append((player, action))
            state = game.next_state(state, action)
        return tuple(turns)

    def _point(self, value: str) -> int:
        game = self._game
        point: int = game.text_to_action(game.initial_state(), game.move_from_sgf(value))
        if point >= game.columns * game.rows:
            raise GameError("a setup stone without a point")
        return point


class SwapRecord:
    """A record of Hex, or of another game with its swap rule, in any of the dialects that Hex programs write.

    Black connects top and bottom and moves first. Where White moves first, the colours are exchanged and the board is
    reflected in the long diagonal, which exchanges the goals. The letter pairs of Little Golem are not reflected,
    because there White connects top and bottom.

    Programs disagree about the word for a swap, so the move after it decides: after swap-pieces the other colour is to
    move (the stone was reflected and recoloured); after swap-sides the same colour is to move (the players exchanged
    colours and the stone stays). Each becomes the other when colours are exchanged and the board is reflected. Either
    can therefore be translated to a game with the swap rule, which swaps pieces, and to one without it, where a swap of
    sides is not a move. The names of the players are those from before the swap.
    """

    def __init__(self, game: Any, main: MainLine) -> None:
        self._game = game
        stones, first = _setup(main, lambda values: [self._cell(sgf.hex_point(value)) for value in values])
        moves = list(_moves(main))
        self._set_up = bool(stones) or first is not None
        self._exchanged = self._reflected = False
        if self._set_up:
            first = first if first is not None else moves[0][0] if moves else 0
            self.start = _start(game, stones, first)
        else:
            self.start = game.initial_state()
            if moves and moves[0][0] == 1:
                self._exchanged = True
                self._reflected = re.fullmatch("[a-z]{2}", moves[0][1]) is None
        names = _text(main, "PB"), _text(main, "PW")
        swapped = len(moves) > 1 and moves[1][1].lower() in SWAPS
        self.players = names if self._exchanged == (swapped and not game.swap) else (names[1], names[0])
        self.result = self._result(main)

    def turns(self, line: MainLine) -> tuple[Turn, ...]:
        return self._read(line)[0]

    def _read(self, line: MainLine) -> tuple[tuple[Turn, ...], Any, bool]:
        """Returns the turns, the state after them, and whether the colours are exchanged at the end."""
        game, state = self._game, self.start
        exchanged, reflected = self._exchanged, self._reflected
        moves = list(_moves(line))
        turns: list[Turn] = []
        for number, (colour, value) in enumerate(moves):
            if game.returns(state) is not None:
                break
            if value.lower() in SWAPS:
                if number != 1 or self._set_up:
                    raise IllegalMove(f"move {number + 1}: {value!r} is not the answer to the first move")
                if _swaps_pieces(moves) != game.swap:
                    exchanged, reflected = not exchanged, not reflected
                if not game.swap:
                    continue
                player, action = 1, game.swap_action
            else:
                player, action = colour ^ exchanged, self._cell(sgf.hex_point(value), reflected)
                if game.current_player(state) != player:
                    state = game.with_player(state, player)
                if action not in game.legal_actions(state):
                    raise IllegalMove(f"move {number + 1}: illegal move: {value!r} (an empty cell)")
            turns.append((player, action))
            state = game.next_state(state, action)
        return tuple(turns), state, exchanged

    def _result(self, main: MainLine) -> int | None:
        _, state, exchanged = self._read(main)
        # Little Golem records name the player who resigned as the winner.
        winner = _winner(main, trust_result=self._reflected or not self._exchanged)
        if winner is not None:
            return -winner if exchanged else winner
        returns = self._game.returns(state)
        return None if returns is None else int(returns[0])

    def _cell(self, name: str, reflected: bool = False) -> int:
        size: int = self._game.columns
        if not re.fullmatch("[a-zA-Z][0-9]{1,2}", name):
            raise IllegalMove(f"illegal move: {name[:20]!r} (a cell)")
        column, row = sgf.LETTERS.index(name[0].lower()), int(name[1:]) - 1
        if column >= size or not 0 <= row < size:
            raise IllegalMove(f"illegal move: {name!r} (a cell of a board of {size})")
        return column * size + row if reflected else row * size + column


def _start(game: Any, stones: dict[int, int], first: int) -> Any:
    """Returns the state with these stones and player ``first`` to move."""
    return game.set_up(stones, first) if stones or first else game.initial_state()


def _swaps_pieces(moves: Sequence[Turn]) -> bool:
    """Whether the swap at the second move swaps pieces (otherwise sides)."""
    sides = moves[1][1].lower() == "swap-sides"
    if len(moves) == 2:
        return not sides
    pieces: bool = moves[2][0] != moves[1][0]
    if sides and pieces:
        raise IllegalMove("move 3: after swap-sides the same colour is to move")
    return pieces


def _moves(line: MainLine) -> Iterator[Turn]:
    """Yields colour (0 Black) and value of each move; resignations are skipped."""
    for node in line:
        for player, key in enumerate("BW"):
            for value in node.properties.get(key, ())[:1]:
                if value.strip().lower() not in NO_MOVES:
                    yield player, value.strip()


def _setup(line: MainLine, points: Any) -> tuple[dict[int, int], int | None]:
    """Returns the stones that stand before the first move, by point, and the player to move given by PL."""
    stones: dict[int, int] = {}
    first = None
    moved = False
    count = 0
    for node in line:
        properties = node.properties
        moved = moved or "B" in properties or "W" in properties
        if moved and not {"AB", "AW", "AE"}.isdisjoint(properties):
            raise GameError("stones are changed in the middle of the game")
        for player, key in enumerate(("AB", "AW", "AE")):
            named = points(properties.get(key, ()))
            count += len(named)
            if count > sgf.MOST_POINTS:
                raise GameError(f"more than {sgf.MOST_POINTS} points are set")
            stones |= dict.fromkeys(named, player)
        if "PL" in properties and not moved:
            first = int(sgf.first(properties, "PL").strip().lower()[:1] in ("w", "2"))
    return {point: player for point, player in stones.items() if player != _EMPTY}, first


def _winner(line: MainLine, trust_result: bool = True) -> int | None:
    """Returns 1 if Black won, -1 if White won, 0 for a draw, None if the record does not say. A player who resigned has
    lost.
    """
    for node in line:
        for player, key in enumerate("BW"):
            if any(value.strip().lower() in NO_MOVES for value in node.properties.get(key, ())):
                return -1 if player == 0 else 1
    said = _text(line, "RE") if trust_result else ""
    if said.lower() in _DRAWS:
        return 0
    match = _RESULT.fullmatch(said)
    return match and (1 if match[1].upper() == "B" else -1)


def _text(line: MainLine, key: str) -> str:
    """Returns a property of the root."""
    return " ".join(sgf.first(line[0].properties, key).split())
