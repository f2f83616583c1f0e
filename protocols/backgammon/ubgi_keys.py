"""The keys of UBGI 0.2: the engine's options under other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playout.engine.options.table import Option, Value
from playout.games.errors import BadOption
from playout.games.nearest import nearest
from playout.protocols.backgammon.ubgi_context import UbgiError
from playout.protocols.base.lines import one_line

if TYPE_CHECKING:
    from playout.engine.session import Session

VARIANT = "game.variant"
BACKGAMMON = "backgammon"
PREFIX = "engine."


def key_of(option: Option) -> str:
    """The key of an option, such as ``engine.move_overhead``."""
    return PREFIX + option.name.lower().replace(" ", "_")


class Keys:
    """The keys of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._defaults: dict[str, Value] = dict(session.options)
        self._names = {key_of(option): option for option in session.options.declared() if option.kind != "button"}

    def listed(self) -> list[str]:
        """One ``key`` line for each key that the controller is told of."""
        lines = [f"key {VARIANT} enum {BACKGAMMON} {BACKGAMMON}"]
        told = (option for option in self._session.options.told() if option.kind != "button")
        return lines + [f"key {key_of(option)} {self._type(option)}" for option in told]

    def get(self, name: str) -> str:
        """The ``value`` line of a key."""
        if name == VARIANT:
            return f"value {VARIANT} {BACKGAMMON}"
        return f"value {name} {_word(self._session.options[self._option(name).name])}"

    def set(self, name: str, value: str) -> None:
        """Sets a key to a value. Raises UbgiError for an unknown key or a wrong value."""
        if name == VARIANT:
            if value != BACKGAMMON:
                raise UbgiError("bad_value", f"{VARIANT} {one_line(value, 40)} (only {BACKGAMMON} is played)")
            return
        option = self._option(name)
        try:
            self._session.set_option(option.name, "" if value == "<empty>" else value)
        except BadOption as error:
            raise UbgiError("bad_value", one_line(f"{name} {error}")) from None

    def _option(self, name: str) -> Option:
        if name not in self._names:
            raise UbgiError("unsupported", f"key {one_line(name, 60)}{nearest(name, self._names, PREFIX)}")
        return self._names[name]

    def _type(self, option: Option) -> str:
        default = _word(self._defaults[option.name])
        if option.kind == "check":
            return f"bool {default}"
        if option.kind == "spin":
            return f"int {int(option.low or 0)}..{int(option.high or 0)} {default}"
        if option.kind == "combo":
            return f"enum {'|'.join(option.choices)} {default}"
        return f"string * {default}"


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value != "" else "<empty>"
