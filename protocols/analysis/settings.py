"""Search settings of a query: options, limits, point of view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from playout.engine.analyst import Wanted
from playout.engine.options.config import options_for
from playout.engine.options.needs import check_options
from playout.engine.options.option import written
from playout.engine.options.table import Options
from playout.engine.terms.limits import Limits
from playout.engine.terms.rights import Rights
from playout.games.board_hooks import HasTerritory
from playout.games.errors import BadOption
from playout.games.game import Game
from playout.games.nearest import nearest
from playout.protocols.analysis.query import Count, Perspective, Query, QueryError, convert
from playout.protocols.analysis.reply import Style
from playout.protocols.base.lines import one_line

MOST_LINES = 500
"""Number of variations that a search reports."""
SHORTEST_INTERVAL, LONGEST_INTERVAL = 0.01, 60.0
"""Seconds between a search's reports."""
LONGEST_TIME = 86_400.0
"""Seconds for a position."""
OWN_FIELDS = {"multipv": "multiPV", "infointerval": "reportDuringSearchEvery"}
"""Options that queries have fields for."""
NOT_OF_A_QUERY = ("hash", "clearhash", "graphfile", "ponder", "booklearn", "uci_analysemode", "moveoverhead")
KATAGO_THREADS = ("numsearchthreads", "numsearchthreadsperanalysisthread")


@dataclass(frozen=True, slots=True)
class QuerySettings:
    """Settings for all positions of a query."""

    options: Mapping[str, str]
    limits: Limits
    wanted: Wanted
    style: Style
    first_report: float | None
    """Seconds of search until the first reply during it; None for no such replies."""
    report_every: float
    warnings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values used where a query does not set them."""

    options: Mapping[str, str]
    """Options set by the user, for all games that have them."""
    parallel: int
    """Number of simultaneous searches, which share memory and threads."""
    perspective: str
    files: bool
    """Whether a query may name files."""
    rights: Rights
    """The user's limits of machine resources."""


def read_settings(query: Query, game: Game[Any, Any], defaults: Defaults) -> QuerySettings:
    """Returns the settings that ``query`` requests in ``game``.

    Raises:
        QueryError: if an option is out of its bounds, or may not be set by a query.
    """
    options = options_for(game, {})
    for name, text in defaults.options.items():
        _try(game, options, name, text)
    options.restrict(defaults.rights)
    known = {option.name.replace(" ", "").lower(): option.name for option in options.declared()}
    threads = options.integer("Threads") * (defaults.parallel if defaults.rights.threads is None else 1)
    options.set("Hash", str(max(1, options.integer("Hash") // defaults.parallel)))
    asked: dict[str, Any] = {"nodes": query.max_visits, "seconds": None}
    if query.max_time_ms is not None:
        asked["seconds"] = query.max_time_ms / 1000
    asked["perspective"] = query.report_analysis_winrates_as
    warnings, overridden = [], []
    for name, value in query.override_settings.items():
        word = name.replace(" ", "").lower()
        if word in KATAGO_THREADS:
            word = "threads"
        if not _katagos(query, word, value, asked):
            if word in known:
                _set(query, options, known[word], value, defaults.files)
                overridden.append(known[word])
            else:
                near = nearest(name, known.values())
                warnings.append(("overrideSettings", f"{one_line(name, 40)}: no such option: ignored{near}"))
    if options.integer("Threads") > threads:
        raise QueryError(f"Threads: at most {threads}", "overrideSettings", query.id)
    try:
        check_options(game, options, overridden)
    except BadOption as error:
        raise QueryError(str(error), "overrideSettings", query.id) from None
    first, every = query.first_report_during_search_after, query.report_during_search_every
    first = every if first is None else first
    interval = min(first or LONGEST_INTERVAL, every or LONGEST_INTERVAL)
    own = {
        "MultiPV": str(min(query.multi_pv or MOST_LINES, MOST_LINES)),
        "InfoInterval": str(round(1000 * min(max(interval, SHORTEST_INTERVAL), LONGEST_INTERVAL))),
        "Move Overhead": "0",
        "GraphFile": "",
        "BookLearn": "false",
    }
    if query.seed is not None:
        own["Seed"] = str(query.seed)
    territory = isinstance(game, HasTerritory)
    return QuerySettings(
        {**options.changed(), **own},
        Limits(movetime=asked["seconds"], nodes=asked["nodes"]),
        Wanted(
            ownership=territory and query.include_ownership,
            moves_ownership=territory and query.include_moves_ownership,
        ),
        Style(
            (asked["perspective"] or defaults.perspective).upper(),
            query.multi_pv,
            query.analysis_pv_len + 1,
            query.include_ownership,
            query.include_moves_ownership,
            query.include_policy,
            query.include_pv_visits,
            territory and query.include_score,
        ),
        first,
        every if every is not None else float("inf"),
        tuple(warnings),
    )


def _try(game: Game[Any, Any], options: Options, name: str, text: str) -> None:
    """Sets an option if the game has it and it has an effect there."""
    before = options.snapshot()
    try:
        options.set(name, text)
        check_options(game, options, [name])
    except BadOption:
        options.restore(before)


def _katagos(query: Query, word: str, value: Any, asked: dict[str, Any]) -> bool:
    """Whether a setting is one of KataGo's for which queries have a field; it is then stored in ``asked``."""
    if word in ("maxvisits", "maxplayouts"):
        nodes = convert(query.id, "overrideSettings", value, Count)
        asked["nodes"] = nodes if asked["nodes"] is None else min(asked["nodes"], nodes)
    elif word == "maxtime":
        seconds = min(convert(query.id, "overrideSettings", value, Annotated[float, Meta(gt=0)]), LONGEST_TIME)
        asked["seconds"] = seconds if asked["seconds"] is None else min(asked["seconds"], seconds)
    elif word == "reportanalysiswinratesas":
        asked["perspective"] = convert(query.id, "overrideSettings", value, Perspective)
    else:
        return False
    return True


def _set(query: Query, options: Options, name: str, value: Any, files: bool) -> None:
    word = name.replace(" ", "").lower()
    if word in OWN_FIELDS:
        raise QueryError(f"{name}: the field {OWN_FIELDS[word]} says it", "overrideSettings", query.id)
    if word in NOT_OF_A_QUERY:
        raise QueryError(f"{name}: holds for all queries, or none", "overrideSettings", query.id)
    if options.find(name).kind == "string" and not files:
        raise QueryError(f"{name}: a query may not name files", "overrideSettings", query.id)
    if not isinstance(value, bool | int | float | str):
        raise QueryError(f"{name}: expected a text, a number, true or false", "overrideSettings", query.id)
    try:
        options.set(name, written(value))
    except (BadOption, ValueError) as error:
        raise QueryError(one_line(str(error)), "overrideSettings", query.id) from None
