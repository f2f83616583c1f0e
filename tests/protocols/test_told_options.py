"""The options that an interface is told of: those that people or interfaces set; all with ShowAllOptions. Every option
can be set, whether it was told or not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from playout.cli.arguments import Parser, add_engine_arguments, engine_options
from playout.cli.settings import read_settings
from playout.engine.options.table import COMMON, OPTIONS, SHOW_ALL, is_told
from playout.engine.session import Session
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.protocols.base.protocol import Protocol
from playout.protocols.registry import PROTOCOLS

HIDDEN = "ExpandVisits"
"""An option that needs no other and that only the search reads."""


@dataclass(frozen=True)
class Dialect:
    """The words of a protocol for its options."""

    protocol: str
    game: str
    asked: str
    """The line that is answered by the list of options."""
    line: str
    """A pattern of one entry of that list, with the option's name as its group."""
    setting: Callable[[str, str], str]
    """The line that sets an option."""
    written: Callable[[str], str] = lambda name: name
    unlisted: frozenset[str] = frozenset()
    """Options that the protocol sets by commands of its own, or does not have."""


def _universal(name: str, value: str) -> str:
    return f"setoption name {name} value {value}"


def _joined(name: str) -> str:
    return name.replace(" ", "")


UNDER_OTHER_NAMES = ("UCI_Chess960", "UCI_Variant", "UCI_ShowWDL", "UCI_AnalyseMode", "UCI_Opponent")
OPTION = r"^option name (.+?) type "
DIALECTS = {
    "uci": Dialect("uci", "chess", "uci", OPTION, _universal),
    "ugi": Dialect("ugi", "chess", "ugi", OPTION, _universal, unlisted=frozenset({"UCI_Variant"})),
    "ubgi": Dialect("ubgi", "backgammon", "ubgi", r"^option name (?!Variant)(.+?) type ", _universal),
    "ubgi keys": Dialect(
        "ubgi",
        "backgammon",
        "keys",
        r"^key engine\.(\S+) ",
        lambda name, value: f"set engine.{name.lower().replace(' ', '_')} {value}",
        lambda name: name.lower().replace(" ", "_"),
        frozenset({"Clear Hash"}),
    ),
    "xboard": Dialect(
        "xboard",
        "chess",
        "protover 2",
        r'^feature option="(\w+) -',
        lambda name, value: f"option {_joined(name)}={value.replace('true', '1')}",
        _joined,
        frozenset(("Hash", "Threads", "Ponder", *UNDER_OTHER_NAMES)),
    ),
    "gtp": Dialect(
        "gtp",
        "go:5",
        "playout-list_options",
        r"^(?:= )?(.+?) = ",
        lambda name, value: f"playout-set_option {name} {value}",
    ),
    "kata": Dialect(
        "gtp",
        "go:5",
        "kata-list-params",
        r"(?<!\S)(?!maxPlayouts|numSearchThreads)(\w+)",
        lambda name, value: f"kata-set-param {_joined(name)} {value}",
        _joined,
    ),
    "gogui": Dialect(
        "gtp",
        "go:5",
        "playout-param",
        r"^(?:= )?\[[^]]+\] (\S+)",
        lambda name, value: f"playout-param {name} {value.replace('true', '1')}",
        lambda name: name.replace(" ", "_"),
        frozenset({"Clear Hash"}),
    ),
}


def opened(dialect: Dialect) -> tuple[Protocol, Session]:
    session = Session(catalogue.load(dialect.game), post=lambda _: None)
    return PROTOCOLS[dialect.protocol].open(session), session


def told(dialect: Dialect, speaker: Protocol) -> list[str]:
    answer = "\n".join(speaker.handle_line(dialect.asked, 0.0))
    return re.findall(dialect.line, answer, re.MULTILINE)


def expected(dialect: Dialect, session: Session, every: bool) -> list[str]:
    """The names that the dialect has to tell, in the order of the declarations."""
    declared = [option for option in session.options.declared() if option.name not in dialect.unlisted]
    return [dialect.written(option.name) for option in declared if every or is_told(option)]


@pytest.mark.parametrize("name", DIALECTS)
def test_an_interface_is_told_what_people_and_interfaces_set(name: str) -> None:
    dialect = DIALECTS[name]
    speaker, session = opened(dialect)
    found = told(dialect, speaker)
    assert found == expected(dialect, session, every=False)
    assert dialect.written(HIDDEN) not in found
    common = [dialect.written(one) for one in COMMON if one in session.options and one not in dialect.unlisted]
    assert found[: len(common)] == common, "those that people set come first"
    assert len(found) < 26


@pytest.mark.parametrize("name", DIALECTS)
def test_show_all_options(name: str) -> None:
    dialect = DIALECTS[name]
    speaker, session = opened(dialect)
    few = told(dialect, speaker)
    assert dialect.written(SHOW_ALL) in few
    list(speaker.handle_line(dialect.setting(SHOW_ALL, "true"), 0.0))
    found = told(dialect, speaker)
    assert found == expected(dialect, session, every=True)
    assert dialect.written(HIDDEN) in found
    assert found[: len(few)] == few


@pytest.mark.parametrize("name", DIALECTS)
def test_an_option_that_was_not_told_can_be_set(name: str) -> None:
    dialect = DIALECTS[name]
    speaker, session = opened(dialect)
    told(dialect, speaker)
    answer = "".join(speaker.handle_line(dialect.setting(HIDDEN, "3"), 0.0))
    assert session.options[HIDDEN] == 3, answer


def test_interfaces_are_told_of_the_options_that_their_protocols_reserve() -> None:
    names = {option.name for option in OPTIONS if is_told(option)}
    reserved = {"Hash", "Threads", "Clear Hash", "Ponder", "OwnBook", "MultiPV"}
    assert reserved | {option.name for option in OPTIONS if option.name.startswith("UCI_")} <= names


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ((), False),
        (("--options", "all"), True),
        (("--options", "common"), False),
        (("--options", "all", "--option", "ShowAllOptions=false"), False),
    ],
)
def test_the_argument_options(arguments: tuple[str, ...], value: bool) -> None:
    parser = Parser()
    add_engine_arguments(parser, "chess")
    words = parser.parse_args(arguments)
    settings = read_settings("chess", words.game, engine_options(words), words.config)
    session = Session(catalogue.load("chess"), post=lambda _: None)
    settings.apply(session)
    assert session.options[SHOW_ALL] is value
    speaker = PROTOCOLS["uci"].open(session)
    assert (HIDDEN in told(DIALECTS["uci"], speaker)) is value


def test_the_argument_options_has_two_words() -> None:
    parser = Parser(prog="playout uci")
    add_engine_arguments(parser, "chess")
    with pytest.raises(PlayoutError, match="invalid choice: 'most'"):
        parser.parse_args(["--options", "most"])
