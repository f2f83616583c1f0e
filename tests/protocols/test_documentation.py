"""The tables of commands: what a docstring must be, and in which table a command stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playout.games.errors import PlayoutError
from playout.protocols import documentation
from playout.protocols.documentation import Description, describe, filled, grouped


def handler(text: str | None) -> Callable[[], None]:
    def run() -> None:
        pass

    run.__doc__ = text
    return run


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("``undo``: takes back a move.", Description("undo", "Takes back a move.")),
        ("``undo [COUNT]``: ``cannot undo``.", Description("undo [COUNT]", "`cannot undo`.")),
        ("``u A|B``: one.\n    Two.\n\n    For developers.\n    ", Description("undo A|B", "One. Two.")),
    ],
)
def test_a_docstring_says_what_users_read(docstring: str, expected: Description) -> None:
    assert describe("undo", handler(docstring)) == expected


@pytest.mark.parametrize("docstring", [None, "", "Takes back.", "``undo``", "``undo``:", "`undo`: x", "```` : x"])
def test_a_handler_that_does_not_say_what_it_does_is_refused(docstring: str | None) -> None:
    with pytest.raises(PlayoutError, match="the handler of 'undo' has no docstring"):
        describe("undo", handler(docstring))


def test_a_command_stands_with_those_that_the_same_games_have() -> None:
    usual, own, go_only = Description("time_left C S", "X."), Description("time_left", "Y."), Description("komi", "Z.")
    tables = {"go": {"time_left": usual, "komi": go_only}, "hex": {"time_left": own}, "chess": {"time_left": usual}}
    assert grouped(tables) == {("go", "hex", "chess"): [usual], ("hex",): [own], ("go",): [go_only]}


DOCUMENT = "<!-- commands: {} -->\nold\n<!-- end -->\n"


@pytest.fixture
def one_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"a": Description("a X|Y", "Does a."), "b": Description("b", "Does b.")}
    monkeypatch.setattr(documentation, "PROTOCOLS", {"p": None})
    monkeypatch.setattr(documentation, "commands_of", lambda _: {"go": rows, "hex": {"a": rows["a"]}})


@pytest.mark.usefixtures("one_protocol")
@pytest.mark.parametrize("go", ["p go", "p except hex"])
def test_the_tables_are_written_between_their_markers(go: str) -> None:
    text = "Prose.\n\n" + DOCUMENT.format("p") + "\nMore.\n" + DOCUMENT.format(go)
    expected = f"""Prose.

<!-- commands: p -->
| Command | What it does |
| --- | --- |
| `a X\\|Y` | Does a. |
<!-- end -->

More.
<!-- commands: {go} -->
| Command | What it does |
| --- | --- |
| `b` | Does b. |
<!-- end -->
"""
    assert filled(text) == expected
    assert filled(expected) == expected


@pytest.mark.usefixtures("one_protocol")
@pytest.mark.parametrize(
    ("titles", "complaint"),
    [
        ((), "no table of 'p'"),
        (("p",), "no table <!-- commands: p go --> for b"),
        (("p", "p go", "p go"), "there are two such tables"),
        (("p", "p chess"), "table 'p chess': no such commands"),
        (("q",), "no protocol 'q': one of p"),
    ],
)
def test_every_command_has_a_table_and_every_table_commands(titles: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(PlayoutError, match=complaint):
        filled("".join(map(DOCUMENT.format, titles)))
