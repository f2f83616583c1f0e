"""Queries of the analysis protocol: one JSON object on a line, checked field by field.

The names are KataGo's where a field means the same (lightvector/KataGo, docs/Analysis_Engine.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from playout.games.errors import ProtocolError
from playout.games.nearest import nearest
from playout.protocols.base.lines import one_line

LONGEST_ID = 1000
MOST_MOVES = 10_000
MOST_TURNS = MOST_MOVES + 1
LARGEST = 2**50
PRIORITY = 2**62

Player = Literal["B", "W", "b", "w", "black", "white", "Black", "White", "BLACK", "WHITE"]
Move = str | tuple[Player, str]
Perspective = Literal[
    "SIDETOMOVE", "BLACK", "WHITE", "FIRST", "SECOND", "sidetomove", "black", "white", "first", "second"
]
Scalar = bool | int | float | str
Count = Annotated[int, Meta(ge=1, le=LARGEST)]
Seconds = Annotated[float, Meta(ge=0.001, le=1e6)]
Size = Annotated[int, Meta(ge=1, le=64)]
Komi = Annotated[float, Meta(ge=-1000, le=1000)]
TurnNumber = Annotated[int, Meta(ge=0, le=MOST_MOVES)]
Turns = Annotated[tuple[TurnNumber, ...], Meta(max_length=MOST_TURNS)]
Priority = Annotated[int, Meta(ge=-PRIORITY, le=PRIORITY)]


class QueryError(ProtocolError):
    """An invalid line: the field that is wrong, if any, and the query's id, if it has one."""

    def __init__(self, message: str, field: str | None = None, id: str | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.id = id


class QueryRestriction(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Moves that a player must avoid, or must choose among."""

    player: Player
    moves: Annotated[tuple[str, ...], Meta(max_length=MOST_MOVES)]
    until_depth: Annotated[int, Meta(ge=1, le=10**9)]


class Query(Struct, frozen=True, kw_only=True, rename="camel"):
    """Positions to analyse. ``None`` stands for a field that was not given."""

    id: Annotated[str, Meta(description="Any text; every reply has it. Required.")]
    game: Annotated[
        str | None,
        Meta(description="As on the command line: `hex:11`, `my.py:Mnk`. The default is the game of the command."),
    ] = None
    options: Annotated[dict[str, Scalar], Meta(description='Parameters of the game: `{"size": 13, "komi": 5.5}`.')] = (
        msgspec.field(default_factory=dict)
    )
    position: Annotated[
        str | None, Meta(description="Where the moves begin, in the game's notation (FEN and its like).")
    ] = None
    moves: Annotated[
        tuple[Move, ...],
        Meta(
            max_length=MOST_MOVES,
            description="Moves, each a text or a pair of player and text. Rolls of the dice are moves too.",
        ),
    ] = ()
    board_x_size: Annotated[
        Size | None, Meta(description="Columns, if the game has sizes. Alone: also the number of rows.")
    ] = None
    board_y_size: Annotated[
        Size | None, Meta(description="Rows. Alone: also the number of columns. Hex boards are square.")
    ] = None
    komi: Annotated[Komi | None, Meta(description="Go. The default depends on the rules.")] = None
    rules: Annotated[
        str | dict[str, Any] | None,
        Meta(description="Go. One of KataGo's names, or an object with `ko`, `scoring`, `suicide`."),
    ] = None
    white_handicap_bonus: Annotated[
        Literal["0", "N", "N-1"] | None,
        Meta(description="Go. Points for White for N handicap stones. The default depends on the rules."),
    ] = None
    initial_stones: Annotated[
        tuple[tuple[Player, str], ...],
        Meta(max_length=1000, description="Go and Hex. Stones on the board before the first move."),
    ] = ()
    initial_player: Annotated[
        Player | None,
        Meta(description="Who moves first. Default: the first of `moves`, or White if only Black has stones, or `B`."),
    ] = None
    analyze_turns: Annotated[
        Turns | None,
        Meta(description="Numbers of moves after which to analyse, each a position. Default: after all moves."),
    ] = None
    max_visits: Annotated[Count | None, Meta(description="Maximum simulations.")] = None
    max_time_ms: Annotated[
        Annotated[int, Meta(ge=1, le=86_400_000)] | None, Meta(description="Maximum milliseconds.")
    ] = None
    seed: Annotated[Annotated[int, Meta(ge=0, le=2**31 - 1)] | None, Meta(description="The option Seed.")] = None
    multi_pv: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(description="Maximum number of moves, best first. Default: all visited moves."),
    ] = msgspec.field(default=None, name="multiPV")
    analysis_pv_len: Annotated[
        int, Meta(ge=1, le=1000, description="Maximum moves of a variation after its first. Default 15.")
    ] = msgspec.field(default=15, name="analysisPVLen")
    include_ownership: Annotated[bool, Meta(description="Go. Replies get `ownership`.")] = False
    include_moves_ownership: Annotated[bool, Meta(description="Go. Moves get `ownership`.")] = False
    include_score: Annotated[bool, Meta(description="Go. The fields that begin with `score`. Default true.")] = True
    include_policy: Annotated[bool, Meta(description="Replies get `policy`.")] = False
    include_pv_visits: Annotated[bool, Meta(description="Moves get `pvVisits` and `pvEdgeVisits`.")] = msgspec.field(
        default=False, name="includePVVisits"
    )
    avoid_moves: Annotated[
        tuple[QueryRestriction, ...],
        Meta(
            max_length=100,
            description="Objects with `player`, `moves`, `untilDepth`: moves "
            "of the player excluded in the first `untilDepth` plies; see below.",
        ),
    ] = ()
    allow_moves: Annotated[
        tuple[QueryRestriction, ...],
        Meta(max_length=2, description="The opposite: excludes all moves but these. One entry for each player."),
    ] = ()
    override_settings: Annotated[
        dict[str, Any],
        Meta(description="Options for this query ([options.md](options.md)), names in one word with their values."),
    ] = msgspec.field(default_factory=dict)
    report_analysis_winrates_as: Annotated[
        Perspective | None,
        Meta(description="Whose values: `SIDETOMOVE`, `BLACK`, `WHITE`, `FIRST` or `SECOND`. Default: the command's."),
    ] = None
    report_during_search_every: Annotated[
        Seconds | None, Meta(description="Seconds between replies while a position is searched.")
    ] = None
    first_report_during_search_after: Annotated[
        Seconds | None, Meta(description="Seconds until the first of them. Default: the same.")
    ] = None
    priority: Annotated[
        int,
        Meta(ge=-PRIORITY, le=PRIORITY, description="The greatest is searched first, equal ones in order. Default 0."),
    ] = 0
    priorities: Annotated[
        tuple[Priority, ...] | None,
        Meta(description="Instead of `priority`: one for each of `analyzeTurns`."),
    ] = None


NOT_HERE = {
    "includeOwnershipStdev": False,
    "includeMovesOwnershipStdev": False,
    "includeNoResultValue": False,
    "rootPolicyTemperature": None,
    "rootFpuReductionMax": None,
}
"""KataGo's fields that have no effect here, with their neutral value."""

_FIELDS = {field.encode_name: field for field in msgspec.structs.fields(Query)}


def described() -> dict[str, str]:
    """Returns each field with its meaning, for the documentation."""
    return {name: _description(field.type) for name, field in _FIELDS.items()}


def _description(hint: Any) -> str:
    found = (part.description for part in get_args(hint)[1:] if isinstance(part, Meta) and part.description)
    return next(found, "")


def read_object(line: str) -> dict[str, Any]:
    """Parses the JSON object on a line.

    Raises:
        QueryError: if there is none.
    """
    try:
        found = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise QueryError(f"not JSON: {one_line(str(error), 80)}: {one_line(line, 60)}") from None
    except RecursionError:
        raise QueryError(f"JSON nested too deeply: {one_line(line, 60)}") from None
    if not isinstance(found, dict):
        raise QueryError(f"not a JSON object: {one_line(line, 60)}")
    return found


def read_id(fields: Mapping[str, Any]) -> str:
    """Returns the id of a query.

    Raises:
        QueryError: if it has none.
    """
    id = fields.get("id")
    if not isinstance(id, str):
        raise QueryError('a query needs an "id", which is a text', "id")
    if len(id) > LONGEST_ID:
        raise QueryError(f"an id has at most {LONGEST_ID} characters", "id")
    return id


def read_query(fields: Mapping[str, Any]) -> tuple[Query, list[tuple[str, str]]]:
    """Parses a query; returns it with warnings, each a field and a message.

    Raises:
        QueryError: for the first field that is wrong.
    """
    id = read_id(fields)
    values, warnings = {}, []
    for name, value in fields.items():
        if name in _FIELDS:
            values[_FIELDS[name].name] = convert(id, name, value, _FIELDS[name].type)
        elif name not in NOT_HERE:
            warnings.append((one_line(name, 60), f"no such field: ignored{nearest(name, _FIELDS)}"))
        elif value != NOT_HERE[name]:
            warnings.append((name, "means nothing to this engine: ignored"))
    query = Query(**values)
    _check(query, fields)
    return query, warnings


def convert(id: str, name: str, value: Any, kind: Any) -> Any:
    """Converts ``value`` to a field of type ``kind``.

    Raises:
        QueryError: if it is not of that type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise QueryError(one_line(str(error).replace("`$", f"`{name}")), name, id) from None
    except (RecursionError, OverflowError):
        raise QueryError("out of all bounds", name, id) from None


def _check(query: Query, given: Mapping[str, Any]) -> None:
    """Checks conditions between fields."""
    turns = query.analyze_turns
    if query.priorities is not None:
        if turns is None:
            raise QueryError("needs analyzeTurns", "priorities", query.id)
        if len(query.priorities) != len(turns):
            raise QueryError("must be as many as analyzeTurns", "priorities", query.id)
        if "priority" in given:
            raise QueryError("one of priority and priorities, not both", "priority", query.id)
    late = [turn for turn in turns or () if turn > len(query.moves)]
    if late:
        raise QueryError(f"turn {late[0]}: there are {len(query.moves)} moves", "analyzeTurns", query.id)
    if query.avoid_moves and query.allow_moves:
        raise QueryError("one of avoidMoves and allowMoves, not both", "allowMoves", query.id)
    players = [restriction.player.lower()[0] for restriction in query.allow_moves]
    if len(players) != len(set(players)):
        raise QueryError("at most one entry for a player", "allowMoves", query.id)
