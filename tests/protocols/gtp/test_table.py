from __future__ import annotations

import pytest

from playout.games import catalogue
from playout.protocols.gtp import protocol
from playout.protocols.gtp.syntax import GtpCommand, Handler
from playout.protocols.gtp.table import Commands, Wraps, extend

from ..fake_session import FakeSession


def first(_: GtpCommand) -> str:
    return "first"


def second(_: GtpCommand) -> str:
    return "second"


def test_a_command_of_two_tables_is_an_error() -> None:
    table: dict[str, Handler] = {"name": first}
    with pytest.raises(ValueError, match="two tables define 'name'"):
        extend(table, {"name": second})
    assert table == {"name": first}


def test_a_handler_that_wraps_the_former_takes_its_place() -> None:
    table: dict[str, Handler] = {"name": first, "version": first}
    extend(table, {"other": second, "name": Wraps(second)})
    assert list(table.items()) == [("name", second), ("version", first), ("other", second)]


def test_a_handler_that_wraps_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="wraps a command that no earlier table defines"):
        extend({}, {"name": Wraps(first)})


@pytest.mark.parametrize("game", catalogue.BUILT_IN)
def test_every_table_of_a_game_is_merged_by_extend(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``extend`` raises on duplicates while the protocol is made; here it also has to have seen every command."""
    seen: dict[str, int] = {}

    def counted(table: dict[str, Handler], later: Commands) -> None:
        for name, entry in later.items():
            seen[name] = seen.get(name, 0) + (not isinstance(entry, Wraps))
        extend(table, later)

    monkeypatch.setattr(protocol, "extend", counted)
    session = FakeSession(catalogue.load(game))
    commands = protocol.Gtp(session).commands()  # type: ignore[arg-type]
    assert {name for name, count in seen.items() if count != 1} == set()
    own = {name for name, handler in commands.items() if handler.__module__ == protocol.__name__}
    assert set(commands) == own | set(seen)
