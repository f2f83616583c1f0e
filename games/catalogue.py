"""The catalogue of games by name.

A name is ``game``, ``game:parameters`` or ``file.py:Class``. Parameters are the fields of the game's dataclass, by
position or by name: ``hex:11``, ``go:9``, ``go:13x9``, ``go:9,komi=5.5,ko=simple``. Other packages add games by the
entry point group ``playout.games``.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.games.adopted import adopted
from playout.games.errors import RAISED_BY_GAMES, GameError, PlayoutError
from playout.games.game import Game
from playout.games.nearest import nearest, nearest_file, suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

BUILT_IN: Mapping[str, str] = {
    "tic_tac_toe": "playout.games.tic_tac_toe:TicTacToe",
    "connect_four": "playout.games.connect_four:ConnectFour",
    "hex": "playout.games.hex:Hex",
    "go": "playout.games.go:Go",
    "chess": "playout.games.chess:Chess",
    "backgammon": "playout.games.backgammon:Backgammon",
}
"""Maps a name to module:class. The class is loaded on first use."""


def names() -> list[str]:
    """Returns the names of all installed games, built-in ones first."""
    return [*BUILT_IN, *sorted({point.name for point in _entry_points()} - set(BUILT_IN))]


def is_built_in(text: str) -> bool:
    """Whether the name ``text``, perhaps with parameters, is that of a game of playout's own, not of a user's."""
    return text.strip().partition(":")[0] in BUILT_IN


def game_class(name: str) -> type[Any]:
    """Returns the class of the game called ``name``, without parameters.

    Raises:
        GameError: if there is no such game, or its module cannot be loaded.
    """
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return getattr(importlib.import_module(module), attribute)  # type: ignore[no-any-return]
    for point in _entry_points():
        if point.name == name:
            return point.load()  # type: ignore[no-any-return]
    known = names()
    near = nearest(name, known) or f": one of {', '.join(known)}, or file.py:Class"
    raise GameError(f"no game {name!r}{near}")


def parameters(game: type[Any]) -> list[dataclasses.Field[Any]]:
    """Returns the parameters of a game's class, in order."""
    return list(dataclasses.fields(game)) if dataclasses.is_dataclass(game) else []


def takes_text(field: dataclasses.Field[Any]) -> bool:
    """Whether a number parameter also accepts a text: its annotation is then ``int | str``."""
    return field.type in ("int | str", int | str)


def replaced(game: Any, **changes: Any) -> Game[Any, Any]:
    """Returns ``game`` with other parameters.

    Raises:
        GameError: if the parameters are invalid.
    """
    try:
        return adopted(dataclasses.replace(game, **changes), game.name)
    except PlayoutError:
        raise
    except RAISED_BY_GAMES as error:
        raise GameError(f"{game.name}: {type(error).__name__}: {error}") from error


def load(text: str) -> Game[Any, Any]:
    """Returns the game that ``text`` names, with its parameters.

    Raises:
        GameError: one line with the part of ``text`` that is wrong, and what is allowed.
    """
    name, _, rest = text.strip().partition(":")
    if name.endswith(".py"):
        attribute, _, rest = rest.partition(":")
        game = _class_from_file(Path(name), attribute)
    else:
        game = game_class(name)
    try:
        made = game(**_arguments(game, name, rest))
    except GameError:
        raise
    except RAISED_BY_GAMES as error:
        raise GameError(f"{text}: {error}") from error
    return adopted(made, attribute.lower() if name.endswith(".py") else name, text)


def _entry_points() -> EntryPoints:
    """Returns the games of other packages. The import takes 20 ms, which built-in games do not need."""
    from importlib.metadata import entry_points

    return entry_points(group="playout.games")


def _class_from_file(path: Path, attribute: str) -> type[Any]:
    if not path.is_file():
        raise GameError(f"no file {str(path)!r}{nearest_file(path)}")
    spec = importlib.util.spec_from_file_location(f"playout_user_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except RAISED_BY_GAMES as error:
        here = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = here[-1] if here else getattr(error, "lineno", None)
        raise GameError(f"{path}, line {line}: {type(error).__name__}: {error}") from error
    found = getattr(module, attribute, None)
    if not isinstance(found, type):
        classes = [
            key for key, value in vars(module).items() if isinstance(value, type) and value.__module__ == spec.name
        ]
        what = f"no class {attribute!r}" if attribute else "which class? FILE:CLASS names one"
        raise GameError(f"{path}: {what}; it has {', '.join(classes) or 'none'}")
    return found


def _arguments(game: type[Any], name: str, text: str) -> dict[str, Any]:
    fields = parameters(game)
    known = {field.name: field for field in fields}
    arguments: dict[str, Any] = {}
    for position, part in enumerate(filter(None, (part.strip() for part in text.split(",")))):
        key, equals, value = part.partition("=")
        if not equals:
            if position >= len(fields):
                raise GameError(f"{name}: too many parameters: {part!r}")
            key, value = fields[position].name, part
        if key not in known:
            raise GameError(f"{name}: no parameter {key!r}{suggestion(key, known or ['none'])}")
        arguments[key] = _convert(name, known[key], value.strip())
    return arguments


def _convert(name: str, field: dataclasses.Field[Any], text: str) -> Any:
    kind: Any = type(field.default)
    if kind is bool:
        if text.lower() in ("true", "yes", "on", "1"):
            return True
        if text.lower() in ("false", "no", "off", "0"):
            return False
        raise GameError(f"{name}: {field.name}={text!r} is neither true nor false")
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            if takes_text(field):
                return text
            raise GameError(f"{name}: {field.name}={text!r} is not a number") from None
    return text
