"""The one options table. Every protocol, the configuration file, the command line and docs/options.md come from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from playout.engine.book_options import BOOK_OPTIONS
from playout.engine.option import Option, Value, quote
from playout.engine.search_options import SEARCH_OPTIONS
from playout.games.errors import BadOption

__all__ = ["OPTIONS", "Option", "Options", "Value"]

OPTIONS: tuple[Option, ...] = (
    Option("Hash", "spin", 256, "Memory for the search graph in MiB: a hard bound.", 1, 65536, field="hash_mib"),
    Option("Clear Hash", "button", "", "Forgets everything that earlier searches learned."),
    Option("Threads", "spin", 1, "Search threads. A game written in Python uses one.", 1, 256, field="threads"),
    Option("Move Overhead", "spin", 50, "Milliseconds kept back per move for the interface and the network.", 0, 10000),
    Option("MoveTime", "spin", 3000, "Milliseconds for a move when the interface sets no limit at all.", 1, 86400000),
    Option(
        "MaxNodes",
        "spin",
        0,
        "Simulations for a move at most, and instead of MoveTime; analysis and pondering go on beyond. 0 is no bound.",
        0,
        2**31 - 1,
    ),
    Option("MultiPV", "spin", 1, "Number of best lines to report.", 1, 500),
    Option("Ponder", "check", False, "Tells the engine that the interface will let it think on the opponent's time."),
    Option(
        "Seed",
        "spin",
        0,
        "Seed of the random source; with one thread and a node limit a search repeats exactly.",
        0,
        2**31 - 1,
        field="seed",
    ),
    *SEARCH_OPTIONS,
    Option(
        "GraphFile",
        "string",
        "",
        "The graph is loaded from this file when a game's search begins and saved there when the session ends or a new "
        "game begins. A file that cannot be used is reported and left as it is.",
    ),
    Option("InfoInterval", "spin", 500, "Milliseconds between reports.", 10, 60000),
    *BOOK_OPTIONS,
    Option(
        "Resign",
        "float",
        0.0,
        "Resigns (GTP, XBoard) when the best value stays below minus 1 plus this; 0 never resigns.",
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

    def __init__(self, kernel: str | None = None, defaults: Mapping[str, Value] | None = None) -> None:
        """``defaults`` are a game's own, by field of ``SearchConfig``."""
        own = defaults or {}
        self._declared = {
            option.name.lower(): replace(option, default=own.get(option.field, option.default))
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
            raise BadOption(f"no option {quote(name)}: one of {known}")
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

    def restore(self, name: str, value: Value | None) -> None:
        """Gives an option back a value that it had; None is a button's."""
        if value is not None:
            self._values[name] = value

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
