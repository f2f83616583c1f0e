"""One knob, one declaration: Rust's table, Python's configuration, the options of every protocol and the documents are
the same. Adding a parameter changes ``engine/search/config.rs`` and the place where it acts; ``python -m
playout.engine.options.generate`` does the rest."""

from __future__ import annotations

import dataclasses
import re
import typing
from pathlib import Path
from typing import Any

import pytest

from playout.engine import _core
from playout.engine.options import generate
from playout.engine.options.config import preset
from playout.engine.options.document import rows
from playout.engine.options.needs import ABILITIES
from playout.engine.options.search import SEARCH_OPTIONS
from playout.engine.options.search_config import SearchConfig
from playout.engine.options.search_options import SearchOptions
from playout.engine.options.table import OPTIONS, Options
from playout.engine.session import Session
from playout.games import catalogue
from playout.protocols import registry

ROOT = Path(__file__).resolve().parents[3]
PARAMS = {row[0]: row for row in _core.search_params()}
NAMES = [option.name for option in SEARCH_OPTIONS]


@pytest.mark.parametrize("path", generate.FILES)
def test_the_generated_files_are_what_the_declarations_say(path: str) -> None:
    """After a change: ``python -m playout.engine.options.generate``."""
    assert (ROOT / path).read_text(encoding="utf-8") == generate.FILES[path]()


def test_pythons_configuration_has_rusts_parameters_and_defaults() -> None:
    fields = {field.name: field.default for field in dataclasses.fields(SearchConfig)}
    assert fields == {name: row[3] for name, row in PARAMS.items()}
    assert [type(value) for value in fields.values()] == [type(row[3]) for row in PARAMS.values()]


def test_each_parameter_has_one_option_of_its_name() -> None:
    assert [(option.field, option.name) for option in SEARCH_OPTIONS] == [row[:2] for row in PARAMS.values()]
    assert {option.field: option.key for option in SEARCH_OPTIONS if option.key != option.field} == {"hash_mib": "hash"}
    assert len({option.key for option in OPTIONS}) == len(OPTIONS)


def test_the_options_are_the_parameters() -> None:
    for option in SEARCH_OPTIONS:
        _, _, kind, default, bounds, words, help, needs = PARAMS[option.field]
        assert (option.kind, option.default, list(option.choices), option.help) == (kind, default, words, help)
        assert (option.low, option.high) == (bounds or (None, None))
        assert len(option.needs) == len(needs)
        assert option in OPTIONS


def test_needs_name_what_there_is() -> None:
    """A need is met by default or by an earlier option. So no option is refused because of the order, if all are set in
    the order of the engine's list; docs/options.md names the exceptions."""
    later = {("FirstPlayUrgency", "Rave"), ("ExpansionOrder", "Widening"), ("ExpansionEpsilon", "Widening")}
    options = Options()
    for place, option in enumerate(SEARCH_OPTIONS):
        for need in option.needs:
            assert set(need.values) <= set(option.choices)
            for term in need.terms:
                if term.relation == "game":
                    assert term.words[0] in ABILITIES
                    continue
                other = next(one for one in SEARCH_OPTIONS if one.name == term.option)
                if term.relation != "above":
                    for word in term.words:
                        assert other.parse(word) is not None
                by_default = str(options[other.name]) in term.words
                pair = (option.name, other.name)
                assert NAMES.index(other.name) < place or by_default or pair in later, pair


def test_every_protocol_offers_every_parameter() -> None:
    game = catalogue.load("backgammon")
    for name, word in (("uci", "uci"), ("ugi", "ugi"), ("ubgi", "ubgi")):
        said = _answer(name, game, word)
        assert [n for n in NAMES if not re.search(rf"^option name {n} type", said, re.MULTILINE)] == [], name
    listed = _answer("gtp", catalogue.load("go:5"), "playout-list_options")
    assert [n for n in NAMES if not re.search(rf"\b{n} = ", listed)] == []
    features = _answer("xboard", catalogue.load("chess"), "xboard\nprotover 2")
    missing = [n for n in NAMES if f'option="{n} -' not in features]
    assert set(missing) == {"Hash", "Threads"}, "CECP has commands for these"


def test_the_documents_and_the_typed_face_have_every_option() -> None:
    documented = [row[0] for row in rows()]
    assert documented == [option.name for option in OPTIONS]
    keys = typing.get_type_hints(SearchOptions)
    assert list(keys) == [option.key for option in OPTIONS if option.kind != "button"]


def test_presets_name_parameters() -> None:
    for file in (ROOT / "engine" / "options" / "presets").glob("*.yaml"):
        assert preset(None if file.stem == "default" else file.stem).search


def _answer(protocol: str, game: Any, text: str) -> str:
    """All replies to the lines of ``text``."""
    session = Session(game, post=lambda _: None)
    session.set_option("ShowAllOptions", "true")
    speaker = registry.PROTOCOLS[protocol].open(session)
    return "\n".join(reply for line in text.split("\n") for reply in speaker.handle_line(line, 0.0))
