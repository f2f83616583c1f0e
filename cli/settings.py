"""Settings of a command's game and options: words on the command line, and a YAML file such as::

game: go:9
options:
  Hash: 512
  Threads: 2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.engine.options.books import SEPARATOR
from playout.engine.options.table import Options, in_order
from playout.games.errors import PlayoutError
from playout.games.nearest import nearest, unusable

if TYPE_CHECKING:
    from playout import Engine
    from playout.engine.options.search_config import SearchConfig
    from playout.engine.search.weights import WeightFiles
    from playout.engine.session import Session
    from playout.games.game import Game

KNOWN = ("game", "options")


@dataclass(frozen=True, slots=True)
class Settings:
    """The name of a game, and its options; of one that stands twice the last holds."""

    game: str
    options: tuple[tuple[str, str], ...]

    def apply(self, session: Session | Engine) -> None:
        """Sets the options, each after those that it needs.

        Raises:
            BadOption: for the first that does not exist, is out of its bounds or lacks what it needs.
        """
        for name, value in in_order(self.options):
            session.set_option(name, value)


def read_settings(default_game: str, game: str | None, options: Sequence[str], config: Path | None) -> Settings:
    """Reads the file ``config``; ``game`` and ``options`` (each NAME=VALUE) override it.

    Raises:
        PlayoutError: one line about an error in the file or the options.
    """
    said = {} if config is None else _read_file(config)
    pairs = [(name, _text(value)) for name, value in said.get("options", {}).items()]
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise PlayoutError(f"--option {option!r}: expected NAME=VALUE")
        pairs.append((name.strip(), value.strip()))
    return Settings(game or said.get("game", default_game), tuple(pairs))


def search_of(game: Game[Any, Any], texts: Sequence[str]) -> SearchConfig:
    """Returns the configuration of a search of ``game`` with the options ``texts``, each NAME=VALUE.

    Raises:
        PlayoutError: one line about an option that is wrong, or lacks what it needs.
    """
    from playout.engine.options.config import search_config

    return search_config(game, _options_of(game, texts))


def weights_of(game: Game[Any, Any], texts: Sequence[str]) -> WeightFiles:
    """Returns the files of weights of a search with the options ``texts``, which ``search_of`` has accepted."""
    from playout.engine.search.weights import weight_files

    return weight_files(game, _options_of(game, texts))


def _options_of(game: Game[Any, Any], texts: Sequence[str]) -> Options:
    from playout.engine.options.config import options_for
    from playout.engine.options.needs import check_options

    options = options_for(game, {})
    for name, value in read_settings("", None, texts, None).options:
        options.set(name, value)
    check_options(game, options, options.given)
    return options


def _read_file(path: Path) -> dict[str, Any]:
    import yaml

    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlayoutError(unusable(path, error)) from error
    except (UnicodeError, yaml.YAMLError) as error:
        raise PlayoutError(f"{path}: {' '.join(str(error).split())}") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, ValueError) as error:
        # PyYAML raises ValueError for a value that does not fit its tag, such as 2001-13-01.
        raise PlayoutError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    if said is None:
        return {}
    wrong = sorted(map(str, set(said) - set(KNOWN))) if isinstance(said, dict) else [""]
    if wrong:
        near = nearest(wrong[0], KNOWN)
        raise PlayoutError(f"{path}: expected a mapping with the keys {' and '.join(KNOWN)}{near}")
    if not isinstance(said.get("game", ""), str):
        raise PlayoutError(f"{path}: game must be a text")
    options = said.setdefault("options", {}) or {}
    if not isinstance(options, dict) or not all(map(_is_value, options.values())):
        raise PlayoutError(f"{path}: options must be a mapping of names to values, or to lists of files")
    return {**said, "options": {str(name): value for name, value in options.items()}}


def _is_value(value: object) -> bool:
    """Whether an option can have this value. A list names several files."""
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return not isinstance(value, dict)


def _text(value: object) -> str:
    if isinstance(value, list):
        return SEPARATOR.join(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
