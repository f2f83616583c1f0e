"""Features of an engine that speaks XBoard's protocol, by its own account."""

from __future__ import annotations

import re
from collections.abc import Mapping

from playout.arena.drivers.untold import has_more
from playout.arena.terms.job import OptionValue
from playout.games.errors import PlayoutError
from playout.games.nearest import nearest

DEFAULTS = {"time": "1", "reuse": "1", "colors": "1", "sigint": "1", "sigterm": "1", "draw": "1", "analyze": "1"}
"""Features that an engine has unless it says otherwise; all others it has only if it says so."""
KNOWN = re.compile(
    "ping|setboard|playother|san|usermove|time|draw|sigint|sigterm|reuse|analyze|myname|variants|colors|ics|name|pause"
    "|nps|debug|memory|smp|egt|option|exclude|setscore|highlight|done"
)
COMMANDS = {"memory": "memory", "cores": "smp"}
"""Settings that have a command of their own, each with its feature."""
_FEATURE = re.compile(r'(\w+)\s*=\s*(?:"([^"]*)"|(\S+))')
_OPTION = re.compile(r"(.+?)\s+-(\w+)\b")
_TRUTH = {"true": "1", "false": "0"}


class Features:
    """The features, as far as they have been read."""

    def __init__(self) -> None:
        self._values = dict(DEFAULTS)
        self._options: dict[str, tuple[str, str]] = {}
        """Name and kind of each option, by its name in lower case."""

    def ask_again(self) -> None:
        """Forgets that the list of features has ended, because the engine is asked for it."""
        self._values.pop("done", None)

    def has_more(self, wanted: Mapping[str, OptionValue]) -> bool:
        """Whether the engine has to be asked for all of its options, because ``wanted`` has one it has not told of."""
        return has_more(self._known(), wanted)

    def read(self, line: str) -> str:
        """Reads a line that begins with ``feature``; returns the lines that answer it."""
        answers = ""
        for name, quoted, bare in _FEATURE.findall(line[len("feature") :]):
            answers += f"{'accepted' if KNOWN.fullmatch(name) else 'rejected'} {name}\n"
            if name == "option":
                if found := _OPTION.match(quoted):
                    self._options[found[1].strip().lower()] = (found[1].strip(), found[2])
            else:
                self._values[name] = quoted or bare
        return answers

    def flag(self, name: str) -> bool:
        """Whether the engine has a feature."""
        return self._values.get(name, "0") == "1"

    def text(self, name: str) -> str:
        """Value of a feature that is a text; empty if the engine does not name it."""
        return self._values.get(name, "")

    def words(self, name: str) -> list[str]:
        """Value of a feature that is a list with commas."""
        return [word.strip() for word in self.text(name).split(",")]

    def setting_lines(self, wanted: Mapping[str, OptionValue], player: str) -> list[str]:
        """Returns the lines that set the options of ``wanted``; ``player`` is the engine's name in complaints.

        ``memory`` (in MB), ``cores`` and ``egtpath TYPE`` stand for the protocol's own commands.

        Raises:
            PlayoutError: if the engine has no such option.
        """
        lines = []
        known = list(self._known().values())
        for option, value in wanted.items():
            text = str(value)
            if option.lower() in self._options:
                name, kind = self._options[option.lower()]
                if kind == "check":
                    text = _TRUTH.get(text.lower(), text)
                lines.append(f"option {name}" if kind in ("button", "save", "reset") else f"option {name}={text}")
            elif option in known:
                lines.append(f"{option} {text}")
            else:
                raise PlayoutError(f"{player}: no option {option!r}{nearest(option, known)}")
        return lines

    def _known(self) -> dict[str, str]:
        """Names of options and of settings that have commands, by lower case."""
        names = [name for name, _ in self._options.values()]
        names += [f"egtpath {kind}" for kind in self.words("egt") if kind]
        names += [name for name, feature in COMMANDS.items() if self.flag(feature)]
        return {name.lower(): name for name in names}
