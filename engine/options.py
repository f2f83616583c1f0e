"""The one options table. Every protocol, the configuration file, the command line and docs/options.md come from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from playout.games.errors import BadOption

Kind = Literal["check", "spin", "float", "combo", "string", "button"]
Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Option:
    """One option: ``check`` is a bool, ``spin`` an int, ``float`` a float, ``combo`` one of ``choices``."""

    name: str
    kind: Kind
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    """The kernels of the games that have the option; empty means all."""

    def parse(self, text: str) -> Value:
        """The value that ``text`` stands for.

        Raises:
            BadOption: if it is not of the option's kind or outside its bounds.
        """
        word = text.strip()
        if self.kind == "check":
            if word.lower() not in ("true", "false"):
                raise BadOption(f"option {self.name}: {_quote(word)} is neither true nor false")
            return word.lower() == "true"
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == word.lower():
                    return choice
            raise BadOption(f"option {self.name}: {_quote(word)} is not one of {', '.join(self.choices)}")
        if self.kind in ("spin", "float"):
            try:
                number = int(word) if self.kind == "spin" else float(word)
            except ValueError:
                raise BadOption(f"option {self.name}: {_quote(word)} is not a number") from None
            assert self.low is not None and self.high is not None
            if not self.low <= number <= self.high:
                raise BadOption(
                    f"option {self.name}: {_quote(word)} is not between {self.low:.12g} and {self.high:.12g}"
                )
            return number
        return word


def _quote(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


OPTIONS: tuple[Option, ...] = (
    Option("Hash", "spin", 256, "Memory for the search graph in MiB: a hard bound.", 1, 65536),
    Option("Clear Hash", "button", "", "Forgets everything that earlier searches learned."),
    Option("Threads", "spin", 1, "Search threads. A game written in Python uses one.", 1, 256),
    Option("Move Overhead", "spin", 50, "Milliseconds kept back per move for the interface and the network.", 0, 10000),
    Option("MoveTime", "spin", 3000, "Milliseconds for a move when the interface sets no limit at all.", 1, 86400000),
    Option("MultiPV", "spin", 1, "Number of best lines to report.", 1, 500),
    Option("Ponder", "check", False, "Tells the engine that the interface will let it think on the opponent's time."),
    Option(
        "Seed",
        "spin",
        0,
        "Seed of the random source; with one thread and a node limit a search repeats exactly.",
        0,
        2**31 - 1,
    ),
    Option("Exploration", "float", 0.0, "C of UCB1, Q + C sqrt(ln N / n); 0 takes the game's preset.", 0.0, 100.0),
    Option(
        "LeafEvaluation",
        "combo",
        "auto",
        "What a new leaf is worth: a random playout, or the game's static evaluation; auto takes the game's preset.",
        choices=("auto", "playout", "static"),
    ),
    Option("Transpositions", "check", True, "Positions reached by different orders of moves share one node."),
    Option("Symmetries", "check", True, "Positions that are images of each other share one node."),
    Option("Solver", "check", True, "Proven results spread through the graph (MCTS-Solver)."),
    Option(
        "SharedVisits",
        "combo",
        "descend",
        "At a child that others visited more than this parent: sample again, or count the visit and use its value.",
        choices=("descend", "count"),
    ),
    Option("VirtualLoss", "spin", 1, "Losses that a simulation under way counts for, to spread threads.", 0, 100),
    Option(
        "Parallelism",
        "combo",
        "tree",
        "What several threads search: one graph together, or each its own with a share of Hash, merged at the root.",
        choices=("tree", "root"),
    ),
    Option(
        "GraphFile",
        "string",
        "",
        "The graph is loaded from this file when a game's search begins and saved there when the session ends or a new "
        "game begins. A file that cannot be used is reported and left as it is.",
    ),
    Option("InfoInterval", "spin", 500, "Milliseconds between reports.", 10, 60000),
    Option("OwnBook", "check", True, "Plays known book moves at once."),
    Option(
        "Resign",
        "float",
        0.0,
        "Resigns (GTP) when the best value stays below minus 1 plus this; 0 never resigns.",
        0.0,
        1.0,
    ),
    Option("UCI_Chess960", "check", False, "Castling is written king takes rook.", games=("chess",)),
    Option("UCI_ShowWDL", "check", False, "Adds win, draw and loss per mille to the reports."),
    Option("UCI_AnalyseMode", "check", False, "The interface analyses: no book moves."),
    Option("UCI_Opponent", "string", "", "The opponent's name, for the log."),
)


class Options(Mapping[str, Value]):
    """The options of one session with their values; names are compared without case."""

    def __init__(self, kernel: str | None = None) -> None:
        self._declared = {
            option.name.lower(): option
            for option in OPTIONS
            if not option.games or (kernel is not None and kernel in option.games)
        }
        self._values: dict[str, Value] = {option.name: option.default for option in self._declared.values()}

    def declared(self) -> tuple[Option, ...]:
        """The options that this session's game has, in the order of the table."""
        return tuple(self._declared.values())

    def find(self, name: str) -> Option:
        """The option called ``name``.

        Raises:
            BadOption: if there is none.
        """
        option = self._declared.get(" ".join(name.lower().split()))
        if option is None:
            known = ", ".join(option.name for option in self._declared.values())
            raise BadOption(f"no option {_quote(name)}: one of {known}")
        return option

    def set(self, name: str, text: str) -> Option:
        """Gives ``name`` the value that ``text`` stands for and returns the option. A button keeps no value.

        Raises:
            BadOption: and nothing changes, if there is no such option or the value is out of its bounds.
        """
        option = self.find(name)
        value = option.parse(text)
        if option.kind != "button":
            self._values[option.name] = value
        return option

    def flag(self, name: str) -> bool:
        """The value of a ``check``."""
        return bool(self._values[name])

    def integer(self, name: str) -> int:
        """The value of a ``spin``."""
        return int(self._values[name])

    def number(self, name: str) -> float:
        """The value of a ``float`` or ``spin``."""
        return float(self._values[name])

    def text(self, name: str) -> str:
        """The value of a ``combo`` or ``string``."""
        return str(self._values[name])

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
