"""The game and the line of play of a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from playout.engine.terms.line import Line
from playout.games import catalogue
from playout.games.board_hooks import HasGoRules, HasPoints, HasSetup, HasTerritory, points
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.game import CHANCE, Game, HasStateText, colours, is_over, text_to_action
from playout.games.support.board_size import has_size, resized
from playout.games.support.go.komi import has_komi, with_komi
from playout.protocols.analysis.query import Query, QueryError
from playout.protocols.base.katago_rules import GoRules, read_rules

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Played:
    """A game with the positions of a line of play."""

    game: Game[Any, Any]
    line: Line
    ends: tuple[int, ...]
    """The words of the line up to each turn."""
    begin: tuple[str | None, str | None]
    """Text of the starting position, and the initial player given by the query."""
    moves: tuple[tuple[str | None, str], ...]
    """The player and the move of each turn, as in the query."""
    warnings: tuple[tuple[str, str], ...] = ()

    def turn(self, number: int) -> Line:
        """Returns the line up to a turn."""
        return self.line.first(self.ends[number])

    def shared(self, game: Game[Any, Any], begin: tuple[str | None, str | None], moves: Sequence[Any]) -> int | None:
        """Returns the number of leading moves that two lines share; None if they start differently."""
        if (game, begin) != (self.game, self.begin):
            return None
        pairs = enumerate(zip(self.moves, moves, strict=False))
        return next((number for number, (one, other) in pairs if one != other), min(len(self.moves), len(moves)))


def letters(game: Game[Any, Any]) -> str:
    """Returns the letters of player 0 and player 1: ``"BW"``, or ``"WB"`` in chess."""
    return "".join(colour[0].upper() for colour in colours(game))


def player_of(game: Game[Any, Any], word: str) -> int:
    """Returns the player that a colour stands for."""
    return letters(game).index(word[0].upper())


def played(
    query: Query, default: Game[Any, Any], files: bool, before: Played | None = None, most: int | None = None
) -> Played:
    """Returns the game and line of ``query``. ``default`` is used if it names no game; unless ``files``, a game in a
    file is refused. Positions shared with the query ``before`` are reused, because programs query a game turn by turn.
    ``most`` bounds the new moves that Python has to play.

    Raises:
        QueryError: for the field that is wrong.
    """
    game = _game(query, default, files)
    game, rules, warnings = _with_board(query, game)
    warnings += [(name, "means nothing in this game: ignored") for name in _foreign(query, game)]
    first, moves = _first_player(query, game), tuple(_parts(move) for move in query.moves)
    text = _start_text(query, game, first)
    if rules is not None and (bonus := _bonus(query, game, rules, moves)):
        game = _asked(query, "whiteHandicapBonus", lambda: with_komi(game, game.komi + bonus))  # type: ignore[attr-defined]
    begin = text, query.initial_player
    same = before.shared(game, begin, moves) if before is not None else None
    if before is not None and same is not None:
        line, ends = before.turn(same), list(before.ends[: same + 1])
    else:
        line = _asked(query, "initialStones" if query.initial_stones else "position", lambda: Line.start(game, text))
        if query.initial_player is not None:
            mover = player_of(game, query.initial_player)
            line = _asked(query, "initialPlayer", lambda: line.with_player(game, mover))
        ends = [len(line.words)]
    new = moves[same or 0 :]
    place = len(line.words)
    plain = place == (same or 0) and not isinstance(game, HasTerritory) and all(player is None for player, _ in new)
    if plain:
        words = [move for _, move in new]
        line = _asked(query, "moves", lambda: line.extended(game, words, "move {number}: ", most))
        ends += range(place + 1, len(line.words) + 1)
        new = ()
    elif most is not None and len(new) > most:
        raise QueryError(f"at most {most} new moves at a time", "moves", query.id)
    for number, (player, move) in enumerate(new, same or 0):
        line = _asked(query, "moves", lambda: _after(game, line, player, move), f"move {number + 1}: ")  # noqa: B023
        ends.append(len(line.words))
    known = Played(game, line, tuple(ends), begin, moves, tuple(warnings))
    for turn in query.analyze_turns if query.analyze_turns is not None else (len(moves),):
        state = line.states[ends[turn]]
        if not is_over(game, state) and game.current_player(state) == CHANCE:
            raise QueryError(f"turn {turn}: the dice are to be rolled first", "analyzeTurns", query.id)
    return known


def _asked(query: Query, field: str, make: Callable[[], T], place: str = "") -> T:
    """Returns the result of ``make`` for ``field``."""
    try:
        return make()
    except QueryError:
        raise
    except IllegalMove as error:
        raise QueryError(f"{place}{error}", field, query.id) from None
    except PlayoutError as error:
        raise QueryError(str(error), field, query.id) from None


@lru_cache(maxsize=32)
def _load(name: str) -> Game[Any, Any]:
    return catalogue.load(name)


def _game(query: Query, default: Game[Any, Any], files: bool) -> Game[Any, Any]:
    """Returns the game by name, with its parameters."""
    name = query.game.strip() if query.game is not None else None
    own = name is None or name == default.name
    if name is not None and not own and not files and not catalogue.is_built_in(name):
        raise QueryError("games in files and of other packages are named on the command line only", "game", query.id)
    game = default if own else _asked(query, "game", lambda: _load(name))
    if not query.options:
        return game
    known = {field.name: field for field in catalogue.parameters(type(game))}
    for option, value in query.options.items():
        if option not in known:
            names = ", ".join(sorted(known)) or "none"
            raise QueryError(f"{game.name} has no parameter {option[:40]!r}: {names}", "options", query.id)
        kind = type(getattr(game, option))
        allowed = {kind, int} if kind is float else {int, str} if catalogue.takes_text(known[option]) else {kind}
        if type(value) not in allowed:
            raise QueryError(f"{option}: {str(value)[:40]!r} is not of type {kind.__name__}", "options", query.id)
    return _asked(query, "options", lambda: catalogue.replaced(game, **query.options))


def _with_board(query: Query, game: Game[Any, Any]) -> tuple[Game[Any, Any], GoRules | None, list[tuple[str, str]]]:
    """Returns the game with KataGo's fields for board and rules applied, and the rules if they are given."""
    warnings: list[tuple[str, str]] = []
    width, height = query.board_x_size or query.board_y_size, query.board_y_size or query.board_x_size
    if width is not None and height is not None and has_size(game):
        board = _asked(query, "boardXSize", lambda: resized(game, width, width))
        game = _asked(query, "boardYSize", lambda: resized(board, width, height))
    rules = None
    if not isinstance(game, HasTerritory):
        return game, None, warnings
    if query.rules is not None and isinstance(game, HasGoRules):
        rules, missing = _asked(query, "rules", lambda: read_rules(query.rules or ""))
        if missing is not None:
            warnings.append(("rules", missing))
        game = catalogue.replaced(game, ko=rules.ko, scoring=rules.scoring, suicide=rules.suicide)
        game = with_komi(game, rules.komi) if has_komi(game) else game
    if query.komi is not None:
        komi = query.komi
        game = _asked(query, "komi", lambda: with_komi(game, komi))
    return game, rules or (GoRules("", "", False) if query.white_handicap_bonus else None), warnings


def _foreign(query: Query, game: Game[Any, Any]) -> list[str]:
    """Returns the fields of ``query`` that apply only to other games."""
    territory, rules = isinstance(game, HasTerritory), isinstance(game, HasGoRules)
    found = [] if has_size(game) else ["boardXSize"] * (query.board_x_size is not None)
    found += [] if has_size(game) else ["boardYSize"] * (query.board_y_size is not None)
    for name, given, known in (
        ("komi", query.komi is not None, territory),
        ("rules", query.rules is not None, rules),
        ("whiteHandicapBonus", query.white_handicap_bonus is not None, territory),
        ("includeOwnership", query.include_ownership, territory),
        ("includeMovesOwnership", query.include_moves_ownership, territory),
    ):
        found += [name] if given and not known else []
    return found


def _first_player(query: Query, game: Game[Any, Any]) -> int | None:
    """Returns the player who moves first; None if the query does not determine it."""
    if query.initial_player is not None:
        return player_of(game, query.initial_player)
    if query.position is not None:
        return None
    for move in query.moves[:1]:
        if not isinstance(move, str):
            return player_of(game, move[0])
    owners = {player_of(game, player) for player, _ in query.initial_stones}
    return 1 if owners == {0} and len(query.initial_stones) > 1 else None


def _start_text(query: Query, game: Game[Any, Any], first: int | None) -> str | None:
    """Returns the text of the starting position; None is the game's own start."""
    if not query.initial_stones:
        return query.position
    if query.position is not None:
        raise QueryError("one of position and initialStones, not both", "initialStones", query.id)
    if not (isinstance(game, HasSetup) and isinstance(game, HasPoints) and isinstance(game, HasStateText)):
        raise QueryError("in this game positions are given by position", "initialStones", query.id)
    stones, empty, known = {}, game.initial_state(), set(points(game))
    for player, text in query.initial_stones:
        point = _asked(query, "initialStones", lambda: text_to_action(game, empty, text))  # noqa: B023
        if point not in known:
            raise QueryError(f"not a point: {text[:40]!r}", "initialStones", query.id)
        stones[point] = player_of(game, player)
    return _asked(query, "initialStones", lambda: game.state_to_text(game.set_up(stones, first or 0)))


def _bonus(query: Query, game: Game[Any, Any], rules: GoRules, moves: Sequence[tuple[str | None, str]]) -> int:
    """Returns White's bonus for Black's handicap: stones on the board, or consecutive moves by Black at the start."""
    bonus = query.white_handicap_bonus or rules.bonus
    owners = [player_of(game, player) for player, _ in query.initial_stones]
    stones = len(owners) if owners and not any(owners) else 0
    if not owners:
        for player, move in moves:
            if player is None or player_of(game, player) == 1 or move.lower() == "pass":
                break
            stones += 1
    if bonus == "0" or stones < 2:
        return 0
    return stones if bonus == "N" else stones - 1


def _parts(move: str | tuple[str, str]) -> tuple[str | None, str]:
    return (None, move) if isinstance(move, str) else move


def _to_move(game: Game[Any, Any], line: Line, player: int) -> Line:
    """Returns the line with ``player`` to move, unless dice determine the player."""
    state = line.states[-1]
    if not is_over(game, state) and game.current_player(state) == CHANCE:
        return line
    return line.with_player(game, player)


def _after(game: Game[Any, Any], line: Line, player: str | None, move: str) -> Line:
    if player is not None:
        line = _to_move(game, line, player_of(game, player))
    elif isinstance(game, HasTerritory) and is_over(game, line.state):
        line = line.with_player(game, game.current_player(line.state))
    return line.played(game, move)
