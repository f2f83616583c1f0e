"""CECP's introduction and settings: features, engine options, and the opponent's data."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from playout.engine.options.table import Option, Value
from playout.games.errors import BadOption, ProtocolError
from playout.games.nearest import nearest
from playout.protocols.base.dispatch import Command
from playout.protocols.base.version import NAME, VERSION
from playout.protocols.xboard.syntax import Handler, whole

if TYPE_CHECKING:
    from playout.engine.session import Session

VARIANTS = {"normal": "chess", "fischerandom": "chess:chess960=true"}
"""Maps CECP's names of variants to games."""

COMMANDED = frozenset(
    ("Hash", "Threads", "Ponder", "UCI_Chess960", "UCI_Variant", "UCI_ShowWDL", "UCI_AnalyseMode", "UCI_Opponent")
)
"""Options for which CECP has its own commands: ``memory``, ``cores``, ``hard``, ``variant``, ``analyze``, ``name``."""

_FEATURES = (
    "ping=1 setboard=1 playother=1 usermove=1 san=0 time=1 draw=1 reuse=1 analyze=1",
    "sigint=0 colors=0 ics=1 name=1 pause=1 nps=1 debug=1 memory=1 smp=1 exclude=1",
    f'variants="{",".join(VARIANTS)}"',
)


class XBoardSettings:
    """Settings made by the interface, apart from the game."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known = {_word(option.name): option for option in session.options.declared()}
        self._comments = False
        self._opponent, self._rating, self._computer = "", "none", False

    @property
    def comments(self) -> bool:
        """Whether the interface takes lines that begin with ``#``."""
        return self._comments

    def commands(self) -> dict[str, Handler]:
        """The commands about settings."""
        return {
            "xboard": self._xboard,
            "protover": self._protover,
            "accepted": self._accepted,
            "rejected": self._rejected,
            "option": self._option,
            "memory": self._memory,
            "cores": self._cores,
            "egtpath": self._egtpath,
            "name": self._name,
            "rating": self._rating_of,
            "computer": self._is_computer,
            "ics": self._ics,
            "random": self._random,
        }

    def new_game(self) -> None:
        """Resets the opponent's data for a new game."""
        self._opponent, self._rating, self._computer = "", "none", False

    def _xboard(self, _: Command) -> Sequence[str]:
        """``xboard``: opens the session; no reply."""
        return ()

    def _protover(self, command: Command) -> Sequence[str]:
        """``protover N``: replies with the features, including the options that people set, or with ShowAllOptions
        all of them; ``feature done=1`` ends them."""
        self._comments = whole(command.text, "the version of the protocol") >= 2
        if not self._comments:
            return ()
        options = self._session.options
        told = [option for option in options.told() if option.name not in COMMANDED]
        return [
            f'feature myname="{NAME} {VERSION}"',
            *(f"feature {line}" for line in _FEATURES),
            *(['feature egt="syzygy"'] if any(option.name == "SyzygyPath" for option in told) else []),
            *(f'feature option="{_declaration(option, options.get(option.name, ""))}"' for option in told),
            "feature done=1",
        ]

    def _accepted(self, _: Command) -> Sequence[str]:
        """``accepted FEATURE``: ignored; no reply."""
        return ()

    def _rejected(self, command: Command) -> Sequence[str]:
        """``rejected FEATURE``: accepted; after ``rejected debug`` no line begins with ``#``."""
        if command.text == "debug":
            self._comments = False
        return ()

    def _option(self, command: Command) -> Sequence[str]:
        """``option NAME[=VALUE]``: sets an option (docs/options.md); the name in one word or as it is
        declared, a check as 0 or 1, a button without a value. The next search obeys it."""
        name, _, value = command.text.partition("=")
        option = self._known.get(_word(name))
        if option is None:
            near = nearest(name, ("".join(option.name.split()) for option in self._known.values()))
            raise BadOption(f"no such option{near}")
        if option.kind == "check":
            value = {"1": "true", "0": "false"}.get(value.strip(), value)
        self._session.set_option(option.name, value)
        return self.remarks()

    def _memory(self, command: Command) -> Sequence[str]:
        """``memory MEGABYTES``: sets the option Hash."""
        self._within("Hash", whole(command.text, "the memory"))
        return ()

    def _cores(self, command: Command) -> Sequence[str]:
        """``cores NUMBER``: sets the option Threads."""
        cores = whole(command.text, "the number of cores")
        try:
            self._within("Threads", cores)
        except BadOption as error:  # the cores are allowed, not asked for
            return self.comment(str(error))
        return ()

    def _egtpath(self, command: Command) -> Sequence[str]:
        """``egtpath syzygy FOLDERS``: sets the option SyzygyPath. Refused if there is no such folder: XBoard sends one
        unasked."""
        kind, _, path = command.text.partition(" ")
        if kind.lower() != "syzygy":
            raise ProtocolError("the tables are syzygy")
        self._session.options.find("SyzygyPath")  # a user on the network learns nothing about folders
        if not any(os.path.isdir(os.path.expanduser(folder.strip())) for folder in re.split(r"[;:]", path)):
            raise ProtocolError("no such folder")
        self._session.set_option("SyzygyPath", path.strip())
        return self.remarks()

    def _name(self, command: Command) -> Sequence[str]:
        """``name NAME``: the opponent's name, for the option UCI_Opponent."""
        self._opponent = command.text
        return self._tell_opponent()

    def _rating_of(self, command: Command) -> Sequence[str]:
        """``rating OWN OTHERS``: the ratings, for the option UCI_Opponent; 0 means none."""
        words = command.text.split()
        if len(words) != 2:
            raise ProtocolError("expected rating OWN OTHERS")
        self._rating = str(whole(words[1], "a rating") or "none")
        return self._tell_opponent()

    def _is_computer(self, _: Command) -> Sequence[str]:
        """``computer``: the opponent is a computer, for the option UCI_Opponent."""
        self._computer = True
        return self._tell_opponent()

    def _ics(self, _: Command) -> Sequence[str]:
        """``ics HOST``: the server on which the game is played, ``-`` for none; ignored."""
        return ()

    def _random(self, _: Command) -> Sequence[str]:
        """``random``: ignored; the options BookVariety and Seed vary the play."""
        return ()

    def remarks(self) -> list[str]:
        """Returns errors of books as comments."""
        return self.comment(*self._session.remarks())

    def comment(self, *texts: str) -> list[str]:
        """Returns lines for people, which the interface only logs."""
        return [f"# {text}" for text in texts] if self._comments else []

    def _within(self, name: str, number: int) -> None:
        """Sets an option to ``number`` or the nearest bound."""
        option = self._known[_word(name)]
        low, high = int(option.low or 0), int(option.high or 0)
        self._session.set_option(option.name, str(max(low, min(number, high))))

    def _tell_opponent(self) -> Sequence[str]:
        kind = "computer" if self._computer else "human"
        self._session.set_option("UCI_Opponent", f"none {self._rating} {kind} {self._opponent}".rstrip())
        return ()


def _word(name: str) -> str:
    """Returns an option's name for CECP: in one word, because clients split declarations at spaces."""
    return "".join(name.split()).lower()


def _declaration(option: Option, value: Value) -> str:
    head = "".join(option.name.split())
    if option.kind == "check":
        return f"{head} -check {int(bool(value))}"
    if option.kind == "spin":
        return f"{head} -spin {value} {int(option.low or 0)} {int(option.high or 0)}"
    if option.kind == "combo":
        return f"{head} -combo " + " /// ".join(f"*{one}" if one == value else one for one in option.choices)
    if option.kind == "button":
        return f"{head} -button"
    kind = "path" if option.name.endswith("Path") else "string"
    return f"{head} -{kind} {value}".replace('"', "'")
