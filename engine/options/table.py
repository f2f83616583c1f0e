"""The one options table. Every protocol, the configuration file, the command line and docs/options.md come from it.

The options of the search come from ``search.py``, which is generated; those that only Python reads are declared here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from playout.books.shipped import WORD
from playout.engine.options.books import BOOK_OPTIONS
from playout.engine.options.option import USERS, Need, Option, Term, Value, quote, written
from playout.engine.options.search import SEARCH_OPTIONS
from playout.engine.terms.kernel import kernel_of
from playout.engine.terms.option_values import FrozenOptions, OptionValues
from playout.engine.terms.ratings import ELO, FULL
from playout.engine.terms.rights import Rights
from playout.engine.terms.shipped_nets import shipped_nets
from playout.games.board_hooks import HasPoints, HasSwap, HasTerritory
from playout.games.errors import BadOption
from playout.games.game import HasChess960
from playout.games.nearest import nearest

__all__ = ["COMMON", "OPTIONS", "SHOW_ALL", "Option", "Options", "Value", "in_order", "is_told"]

COMMON = (
    "Level",
    "UCI_LimitStrength",
    "UCI_Elo",
    "Hash",
    "Threads",
    "MoveTime",
    "MaxNodes",
    "Move Overhead",
    "MultiPV",
    "Ponder",
    "OwnBook",
    "BookFile",
    "BookLearn",
    "SyzygyPath",
    "EvalFile",
    "Resign",
    "Seed",
)
"""The options that people set, the first first. They come first everywhere; most of the others are techniques of the
search."""
SHOW_ALL = "ShowAllOptions"
"""The option that decides whether interfaces are told of all options."""

_SEARCH = {option.name: option for option in SEARCH_OPTIONS}
_DECLARED: tuple[Option, ...] = (
    _SEARCH["Hash"],
    Option("Clear Hash", "button", "", "Forgets everything that earlier searches learned.", interface=True),
    _SEARCH["Threads"],
    Option(
        "Move Overhead",
        "spin",
        10,
        "Least time in milliseconds kept back per move for interface and network. More is kept back if the clock shows "
        "that a move costs more.",
        0,
        10000,
    ),
    Option(
        "AdaptiveTime",
        "check",
        True,
        "With a clock: a search ends early once no other move can become best, and may exceed its planned time while "
        "the best move is unsettled.",
    ),
    Option("MoveTime", "spin", 3000, "Milliseconds for a move when the interface sets no limit at all.", 1, 86400000),
    Option(
        "MaxNodes",
        "spin",
        0,
        "Greatest number of simulations for a move; replaces MoveTime. Analysis and pondering exceed it. 0 is no "
        "bound.",
        0,
        2**31 - 1,
    ),
    Option("MultiPV", "spin", 1, "Number of best lines to report.", 1, 500),
    Option("Ponder", "check", False, "Tells the engine that the interface will let it think on the opponent's time."),
    _SEARCH["Seed"],
    *(option for name, option in _SEARCH.items() if name not in ("Hash", "Threads", "Seed")),
    Option(
        "ExactPlay",
        "check",
        False,
        "With a time limit, a position that is likely to be solved within half of the time for the move is solved "
        "before the search, and the exact best move is played. On in connect four alone: no other game gained by it in "
        "matches at equal time (docs/strength.md). Not used in analysis, in pondering, and with a limit of "
        "simulations.",
        games=("connect_four", "go", "hex", "tic_tac_toe", USERS),
        by_game=(("connect_four", True),),
    ),
    Option(
        "LookAhead",
        "spin",
        0,
        "With a time limit, the percent of the time for the move that a search by alpha-beta has, before the tree is "
        "searched; the tree then chooses among the moves that come near its best one. An interface's analysis is its "
        "own alone. 0 is none. Not used with a limit of simulations.",
        0,
        95,
        games=("chess",),
        by_game=(("chess", 95),),
    ),
    Option(
        "LookAheadMargin",
        "float",
        0.0,
        "Difference of value from the best move up to which a move comes near it in the look-ahead, where the game is "
        "even; it shrinks to nothing as the game is decided. 0: the look-ahead chooses alone.",
        0.0,
        2.0,
        games=("chess",),
        needs=(Need((Term("LookAhead", "above", ("0",)),)),),
    ),
    Option(
        "Contempt",
        "spin",
        0,
        "Hundredths of a pawn by which a draw is worse than even for the engine in its look-ahead; below 0, better.",
        -200,
        200,
        games=("chess",),
        needs=(Need((Term("LookAhead", "above", ("0",)),)),),
    ),
    Option(
        "EvalFile",
        "string",
        WORD,
        f"Weights of nets that judge positions, in place of the game's own H(s) and H(s, a). The word {WORD} stands "
        "for those that the package has for the game, if any; empty means none. A file that cannot be used is "
        "reported.",
        needs=(Need((Term("", "game", ("nets",)),)),),
        implies=(("LeafEvaluation", "static"), ("TreePolicy", "puct")),
    ),
    Option(
        "PatternFile",
        "string",
        WORD,
        "Weights that say which moves are promising, in place of the game's own H(s, a): strengths of the features of "
        f"moves (shapes, tactics, places), or nets with a policy. The word {WORD} stands for those that the package "
        "has for the game, if any; empty means none. A file that cannot be used is reported.",
        games=("go", "hex", USERS),
        needs=(Need((Term("", "game", ("features of moves",)),)),),
    ),
    Option(
        "GraphFile",
        "string",
        "",
        "The graph is loaded from this file at the first search of a game, and saved there at the end of the session "
        "or before a new game. A file that cannot be used is reported and not changed.",
    ),
    Option(
        "KeepGraph",
        "check",
        False,
        "The graph is kept from game to game, so that a session learns from its games; the least visited part goes "
        "where Hash is full. A game with other rules begins with an empty one.",
    ),
    Option("InfoInterval", "spin", 500, "Milliseconds between reports.", 10, 60000),
    *BOOK_OPTIONS,
    Option(
        "Resign",
        "float",
        0.0,
        "Resigns (GTP, XBoard) when the best value is below -1 + Resign and the simulations bear it out; 0 never "
        "resigns. Under GTP the default is 0.1 in Go and Hex.",
        0.0,
        1.0,
    ),
    Option("Level", "spin", FULL, "Playing strength, from 0 (a beginner) to 20 (full strength).", 0, FULL),
    Option(
        "Skill Level",
        "spin",
        FULL,
        "Level, by the name that interfaces of chess know; the lower of the two holds.",
        0,
        FULL,
        games=("chess",),
    ),
    Option("UCI_LimitStrength", "check", False, "Plays with the rating UCI_Elo.", games=("chess",)),
    Option("UCI_Elo", "spin", ELO[0][0], "Rating for UCI_LimitStrength.", ELO[0][0], ELO[-1][0], games=("chess",)),
    Option(
        "UCI_Variant",
        "combo",
        "chess",
        "The game, under UCI. Once it has been set, moves of tic-tac-toe and connect four are in cutechess's notation.",
        choices=("chess", "tictactoe", "cfour"),
        games=("chess", "tic_tac_toe", "connect_four"),
        by_game=(("tic_tac_toe", "tictactoe"), ("connect_four", "cfour")),
        interface=True,
    ),
    Option(
        "SwapDialect",
        "combo",
        "standard",
        "Meaning of swap-pieces under GTP. standard: the stone changes its colour and is reflected. benzene: the "
        "players change their colours.",
        choices=("standard", "benzene"),
        hook=HasSwap,
        interface=True,
    ),
    Option(
        "GtpName",
        "string",
        "",
        "Answer to the command name under GTP; empty is playout. Lizzie requires Leela Zero 0.15 or later, or a name "
        "that begins with KataGo, for which it also shows ownership.",
        hook=HasTerritory,
        interface=True,
    ),
    Option(
        "LiveGraphics",
        "check",
        False,
        "Draws the running search on the board of GoGui (through standard error) or, in Hex, of HexGui (GTP).",
        hook=HasPoints,
        interface=True,
    ),
    Option("UCI_Chess960", "check", False, "Castling is written king takes rook.", hook=HasChess960, interface=True),
    Option("UCI_ShowWDL", "check", False, "Adds win, draw and loss per mille to the reports.", interface=True),
    Option("UCI_AnalyseMode", "check", False, "The interface analyses: no book moves.", interface=True),
    Option("UCI_Opponent", "string", "", "The opponent's name, for the log.", remote=True, interface=True),
    Option(
        "Debug Log File",
        "string",
        "",
        "Every line of the interface and of the engine, and the log, are appended to this file with their times. Empty "
        "ends that.",
        interface=True,
    ),
    Option(
        SHOW_ALL,
        "check",
        False,
        "Interfaces are told of all options; by default only of those that people or interfaces set. The interface has "
        "to ask again. An option can be set even if the interface was not told of it.",
        interface=True,
    ),
)
_BY_NAME = {option.name: option for option in _DECLARED}
OPTIONS: tuple[Option, ...] = (
    *(_BY_NAME[name] for name in COMMON),
    *(option for option in _DECLARED if option.name not in COMMON and option.interface),
    *(option for option in _DECLARED if option.name not in COMMON and not option.interface),
)
"""All options: those that people set, then those that interfaces set, then the techniques of the search."""


def is_told(option: Option) -> bool:
    """Whether interfaces are told of ``option`` without ShowAllOptions: people or interfaces set it."""
    return option.interface or option.name in COMMON


def in_order(settings: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Names with values, each option after those that it may need; otherwise in the order given."""
    known = {option.name.lower(): option for option in OPTIONS}

    def depth(name: str) -> int:
        option = known.get(" ".join(name.lower().split()))
        others = [term.option for need in option.needs for term in need.terms if term.option] if option else []
        return 1 + max(map(depth, others)) if others else 0

    return sorted(settings, key=lambda setting: depth(setting[0]))


Snapshot = tuple[Mapping[str, Value], frozenset[str]]
"""Values by name, and the names of those that were set."""


class Options(OptionValues):
    """The options of one session with their values; names are compared without case."""

    def __init__(
        self,
        kernel: str | None = None,
        defaults: Mapping[str, Value] | None = None,
        game: Any = None,
        with_nets: Mapping[str, Value] = MappingProxyType({}),
    ) -> None:
        """The options of ``game`` with its kernel. ``defaults`` holds the game's own without nets, by field of
        ``SearchConfig``, and ``with_nets`` values that nets imply in this game, beside those that they imply in each.
        """
        own = defaults or {}
        self._declared = {
            option.name.lower(): replace(
                option, default=own.get(option.field, dict(option.by_game).get(kernel or "", option.default))
            )
            for option in OPTIONS
            if (not option.games or (kernel or USERS) in option.games)
            and (option.hook is None or isinstance(game, option.hook))
        }
        nets = self._declared["evalfile"]
        fields = {option.field: option.name for option in self._declared.values()}
        implied = {**dict(nets.implies), **{fields[field]: value for field, value in with_nets.items()}}
        self._declared["evalfile"] = replace(nets, implies=tuple(implied.items()))
        self._without_nets = dict[str, Value]()
        if kernel is not None and kernel == kernel_of(game) and shipped_nets(game) is not None:
            for name, value in implied.items():
                plain = self._declared[name.lower()]
                self._without_nets[name] = plain.default
                self._declared[name.lower()] = replace(plain, default=value)
        self._values: dict[str, Value] = {option.name: option.default for option in self._declared.values()}
        self._given: set[str] = set()
        self._preferred: dict[str, Value] = {}
        self._rights = Rights()

    def restrict(self, rights: Rights) -> None:
        """Limits the options to ``rights`` from now on. Greater values are reduced to the greatest allowed."""
        self._rights = rights
        for name, most in rights.most.items():
            self._values[name] = min(self.integer(name), most)

    def declared(self) -> tuple[Option, ...]:
        """The options that the user of this session's game may set, in the order of the table."""
        most, files = self._rights.most, self._rights.files
        allowed = (option for option in self._declared.values() if files or option.harmless)
        return tuple(_bounded(option, most[option.name]) if option.name in most else option for option in allowed)

    def told(self) -> tuple[Option, ...]:
        """Returns the options of ``declared`` that an interface is told of: all of them with ShowAllOptions, otherwise
        those that people or interfaces set."""
        every = self.flag(SHOW_ALL)
        return tuple(option for option in self.declared() if every or is_told(option))

    def _allowed(self, option: Option) -> bool:
        return self._rights.files or option.harmless

    def find(self, name: str) -> Option:
        """The option called ``name``.

        Raises:
            BadOption: if there is no such option, or the user may not set it.
        """
        option = self._declared.get(" ".join(name.lower().split()))
        if option is None:
            near = nearest(name, (option.name for option in self.declared()))
            raise BadOption(f"no option {quote(name)}{near or ': playout options --all lists them'}")
        if not self._allowed(option):
            raise BadOption(f"option {option.name} is not for users on the network")
        return option

    def set(self, name: str, text: str) -> Option:
        """Sets ``name`` to the value that ``text`` represents, and returns the option. A button keeps no value.

        A value above the user's rights is reduced to the greatest allowed.

        Raises:
            BadOption: and nothing changes, if there is no such option or the value is out of its bounds.
        """
        option = self.find(name)
        value = option.parse(text)
        most = self._rights.most.get(option.name)
        if most is not None:
            value = min(int(value), most)
        if option.kind != "button":
            self._values[option.name] = value
            self._given.add(option.name)
        for other, implied in option.implies:
            if other in self._given:
                continue
            if value not in ("", option.default):
                self._values[other] = implied
                continue
            usual = self._declared[other.lower()].default
            if value == "":
                usual = self._without_nets.get(other, usual)
            self._values[other] = self._preferred.get(other, usual)
        return option

    def prefer(self, name: str, value: Value) -> None:
        """Gives the option called ``name`` a value that it has unless the user sets it."""
        self._preferred[name] = value
        if name not in self._given:
            self._values[name] = value

    @property
    def preferred(self) -> Mapping[str, Value]:
        """The values that ``prefer`` has given."""
        return self._preferred

    @property
    def given(self) -> Mapping[str, Value]:
        """The values of the options that were set."""
        return {name: self._values[name] for name in self._values if name in self._given}

    def changed(self) -> dict[str, str]:
        """The values that differ from the game's defaults, by name, as texts for ``set``."""
        own = {option.name: option.default for option in self._declared.values()}
        return {name: written(value) for name, value in self._values.items() if value != own[name]}

    def frozen(self) -> FrozenOptions:
        """The values as they are now."""
        return FrozenOptions(self._values)

    def snapshot(self) -> Snapshot:
        """Returns what ``restore`` brings back: the values, and which of them were set."""
        return dict(self._values), frozenset(self._given)

    def restore(self, snapshot: Snapshot) -> None:
        """Undoes all that was set since the snapshot, with what it implied."""
        self._values, self._given = dict(snapshot[0]), set(snapshot[1])


def _bounded(option: Option, most: int) -> Option:
    return replace(option, high=most, default=min(int(option.default), most))
