"""``playout completion``: makes a shell complete the words of ``playout`` by Tab.

The shell's function calls ``playout completion words SHELL LINE`` with the line up to the cursor. Where nothing is
printed, the shell completes names of files.
"""

from __future__ import annotations

import importlib
import inspect
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from playout.cli.app import ELSEWHERE, MODULES
from playout.games.errors import PlayoutError
from playout.games.nearest import suggestion
from playout.protocols.registry import PROTOCOLS

if TYPE_CHECKING:
    from argparse import ArgumentParser

BREAKS = "=:"
"""Characters at which bash divides words: it replaces only what follows the last of them."""
SCRIPTS = {
    "bash": r"""_playout() {
    local IFS=$'\n'
    COMPREPLY=($(playout completion words bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _playout playout
""",
    "zsh": r"""_playout() {
    local -a found
    found=("${(@f)$(playout completion words zsh "$LBUFFER" 2>/dev/null)}")
    if [[ -z "$found" ]]; then _files; return; fi
    compadd -Q -- ${found:#*=}
    compadd -Q -S '' -- ${(M)found:#*=}
}
compdef _playout playout
""",
    "fish": r"""complete -c playout -a '(playout completion words fish (commandline -cp) 2>/dev/null)'
""",
}
"""The program that makes each shell complete."""
GAME, OPTION = "game", "option"
"""Names of parameters whose values are names of games, and settings of options."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The words that a command takes."""

    flags: dict[str, Sequence[str] | None] = field(default_factory=dict)
    """Flags with the values that they take: None for a flag without a value, empty for any."""
    words: Sequence[str] = ()
    """Commands of the command, or values of its first argument."""


def run_completion(arguments: Sequence[str]) -> int:
    """Prints the script of a shell, or the completions of a line; returns the exit status.

    Raises:
        PlayoutError: if the arguments are wrong.
    """
    if arguments[:1] == ["words"] and len(arguments) == 3:
        sys.stdout.write("".join(f"{word}\n" for word in completions(*arguments[1:])))
        return 0
    if len(arguments) != 1:
        raise PlayoutError(f"completion: the name of a shell expected: one of {', '.join(SCRIPTS)}")
    if arguments[0] not in SCRIPTS:
        raise PlayoutError(f"completion: no shell {arguments[0]!r}{suggestion(arguments[0], SCRIPTS)}")
    sys.stdout.write(SCRIPTS[arguments[0]])
    return 0


def completions(shell: str, line: str) -> list[str]:
    """Returns what the last word of ``line`` may become, as the shell inserts it."""
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation that is not closed
        words = line.split()
    begun = "" if line.removesuffix("\\ ")[-1:].isspace() or not words else words.pop()
    found = [word for word in _possible(words[1:], begun) if word.startswith(begun)]
    if shell == "fish":  # it quotes by itself
        return found
    kept = 1 + max(begun.rfind(one) for one in BREAKS) if shell == "bash" else 0
    return [word[kept:].replace(" ", "\\ ") for word in found]


def _possible(words: list[str], begun: str) -> Iterable[str]:
    """Returns the words that may follow ``words``."""
    if not words:
        return ["--help", "--version"] if begun.startswith("-") else [*PROTOCOLS, *ELSEWHERE, *MODULES]
    known = _known(words)
    flag, equals, _ = begun.partition("=")
    if equals and flag.startswith("--"):
        return [f"{flag}={value}" for value in known.flags.get(flag) or ()]
    values = known.flags.get(words[-1])
    if values is not None:
        return values
    return known.flags if begun.startswith("-") else known.words


def _known(words: list[str]) -> _Known:
    """Returns what the command at the begin of ``words`` takes."""
    name = words[0]
    if name in PROTOCOLS:
        from playout.cli.engine_commands import make_parser

        return _of_parser(make_parser(name))
    if name in ("serve", "connect"):
        return _of_parser(importlib.import_module(f"playout.cli.network.{name}").make_parser())
    if name == "completion":
        return _Known(words=list(SCRIPTS))
    return _of_typer(words) if name in MODULES else _Known()


def _of_parser(parser: ArgumentParser) -> _Known:
    flags: dict[str, Sequence[str] | None] = {}
    for action in parser._actions:
        for flag in action.option_strings:
            flags[flag] = None if action.nargs == 0 else _values(action.dest, action.choices)
    return _Known(flags)


def _of_typer(words: list[str]) -> _Known:
    from typer.main import get_command

    from playout.cli.app import make_app

    command: Any = get_command(make_app(words[0]))
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    flags: dict[str, Sequence[str] | None] = {"--help": None}
    values: Sequence[str] = list(getattr(command, "commands", ()))
    hints = get_type_hints(inspect.unwrap(command.callback)) if command.callback else {}
    for param in command.params:
        found = _values(param.name, _members(hints.get(param.name)))
        if param.param_type_name == "argument":
            values = values or found
        for flag in [*param.opts, *param.secondary_opts]:
            if flag.startswith("-"):
                flags[flag] = None if param.is_flag else found
    return _Known(flags, values)


def _members(hint: Any) -> Iterable[str] | None:
    """Returns the values of an enumeration, also of one that may be None or of which there are several."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return [member.value for member in hint]
    return next((found for one in get_args(hint) if (found := _members(one)) is not None), None)


def _values(name: str | None, choices: Iterable[str] | None) -> Sequence[str]:
    """Returns the values that a parameter may have, as far as they are known."""
    if choices is not None:
        return list(choices)
    if name == GAME:
        from playout.games.catalogue import names

        return names()
    if name == OPTION:
        from playout.engine.options.table import OPTIONS

        return [f"{option.name}=" for option in OPTIONS]
    return ()
