"""The options of the search: every technique works in every game, and what makes no sense is refused by name."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from playout.cli.settings import Settings
from playout.engine.options.config import SearchConfig, kernel_of, option_defaults, preset, search_config
from playout.engine.options.option import written
from playout.engine.options.search import SEARCH_OPTIONS
from playout.engine.options.table import OPTIONS, Options
from playout.engine.search.searcher import Hint, Searcher
from playout.engine.session import Session
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.errors import BadOption, GameError
from playout.games.game import CHANCE, action_to_text, text_to_action

GAMES = ("tic_tac_toe", "connect_four", "hex:5", "go:5", "chess", "backgammon")
TREE_POLICIES = next(option.choices for option in SEARCH_OPTIONS if option.name == "TreePolicy")


def opening(game: Any) -> list[str]:
    """Moves until a player is to move."""
    state, moves = game.initial_state(), list[str]()
    while game.current_player(state) == CHANCE:
        outcome = game.chance_outcomes(state)[0][0]
        moves.append(action_to_text(game, state, outcome))
        state = game.next_state(state, outcome)
    return moves


def search(game: Any, config: SearchConfig, nodes: int = 300, **limits: Any) -> Any:
    searcher = Searcher(game, config)
    searcher.set_position(None, opening(game))
    searcher.prepare()
    return searcher.run(nodes=nodes, **limits)


def test_every_field_of_the_configuration_has_its_option() -> None:
    named = {option.field for option in OPTIONS if option.field}
    assert named == {field.name for field in fields(SearchConfig)} | {"macros"}


@pytest.mark.parametrize("name", GAMES)
def test_options_begin_with_the_preset(name: str) -> None:
    game = catalogue.load(name)
    options = Options(kernel_of(game), option_defaults(game))
    assert search_config(game, options) == preset(kernel_of(game)).search


def test_a_board_that_has_a_policy_begins_with_values_for_it() -> None:
    suited = preset("go")
    assert suited.with_policy
    for name, values in (("go:13", suited.with_policy), ("go:10", suited.with_policy), ("go:9", {}), ("go:5", {})):
        game = catalogue.load(name)
        assert search_config(game, {}) == replace(suited.search, **values), name


def test_a_preset_names_fields_that_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.resources.files", lambda _: tmp_path)
    (tmp_path / "presets").mkdir()
    for text, key in (
        ("exploratoin: 1.0", "exploratoin"),
        ("with_nets: {expand: 1}", "expand"),
        ("with_policy: {rave_dely: 1}", "rave_dely"),
    ):
        (tmp_path / "presets" / "hex.yaml").write_text(text)
        with pytest.raises(GameError, match=rf"preset hex\.yaml: no such key: {key}$"):
            preset.__wrapped__("hex")


@pytest.mark.parametrize(
    ("name", "policy"),
    [(name, policy) for name in GAMES for policy in TREE_POLICIES if (name, policy) != ("backgammon", "rave")],
)
def test_every_policy_plays_every_game(name: str, policy: str) -> None:
    game = catalogue.load(name)
    config = replace(preset(kernel_of(game)).search, tree_policy=policy, search_depth=1, hash_mib=16)
    result = search(game, config, nodes=20_000 if policy == "minimax" else 300)
    state = game.initial_state()
    for text in opening(game):
        state = game.next_state(state, text_to_action(game, state, text))
    text_to_action(game, state, result.move)
    for text in result.info.moves[0].pv:
        state = game.next_state(state, text_to_action(game, state, text))
    assert all(-1.0 <= move.value <= 1.0 for move in result.info.moves)


@pytest.mark.parametrize(
    "option", [o for o in SEARCH_OPTIONS if o.kind in ("spin", "float")], ids=lambda o: str(o.name)
)
def test_constants_out_of_range_are_refused_by_name_with_the_range(option: Any) -> None:
    session = Session(catalogue.load("hex:5"), post=lambda _: None)
    before = session.options[option.name]
    for text in (str(option.low - 1), str(option.high * 2 + 1), "nan", "many"):
        with pytest.raises(BadOption) as refused:
            session.set_option(option.name, text)
        assert option.name in str(refused.value)
    assert session.options[option.name] == before


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("backgammon", {"Rave": "true"}, "dice"),
        ("backgammon", {"TreePolicy": "rave"}, "dice"),
        ("hex:5", {"GraveVisits": "50"}, "Rave true"),
        ("tic_tac_toe", {"RootNoise": "0.25"}, "TreePolicy puct"),
        ("hex:5", {"ExpansionOrder": "preference"}, "TreePolicy other than puct or Rave true"),
        ("hex:5", {"TreePolicy": "ucb1", "ExpansionEpsilon": "0.5"}, "ExpansionOrder preference"),
        ("go:5", {"TreePolicy": "ucb1", "Widening": "0", "ExpansionOrder": "preference"}, "Rave false or Widening"),
        ("tic_tac_toe", {"PlayoutTemperature": "2"}, "PlayoutPolicy boltzmann"),
        ("chess", {"PlayoutCutoff": "9"}, "LeafEvaluation playout or a game with dice"),
        ("chess", {"Symmetries": "false"}, "chess has no symmetries"),
        ("backgammon", {"ProgressiveBias": "1"}, "dice"),
        ("tic_tac_toe", {"VirtualLoss": "3"}, "Threads above 1"),
        ("tests/users/mnk.py:Mnk", {"Threads": "2"}, "written in Python: one thread"),
        ("tests/users/mnk.py:Mnk", {"PlayoutPolicy": "knowledge"}, "rollout_action"),
        ("tests/users/mnk.py:Mnk", {"Transpositions": "false"}, "no method key"),
        ("tests/users/mnk.py:Mnk", {"ProgressiveBias": "1"}, "no method value"),
        ("tests/users/mnk.py:Mnk", {"LeafEvaluation": "static"}, "no method value"),
        ("tests/users/mnk.py:Mnk", {"PlayoutPolicy": "boltzmann"}, "no method action_values"),
        ("tests/users/mnk.py:Mnk", {"ExpansionOrder": "preference"}, "no method action_values"),
        ("hex:5", {"Hash": "0"}, "between 1 and 65536"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(name: str, settings: dict[str, str], words: str) -> None:
    session = Session(catalogue.load(name), post=lambda _: None)
    *first, (option, value) = settings.items()
    for known, good in first:
        session.set_option(known, good)
    before = dict(session.options)
    with pytest.raises(BadOption, match=words):
        session.set_option(option, value)
    assert dict(session.options) == before


def test_an_option_that_a_later_one_makes_idle_is_kept_and_told_once() -> None:
    session = Session(catalogue.load("hex:5"), post=lambda _: None)
    session.set_option("RootNoise", "0.25")
    session.set_option("TreePolicy", "ucb1")
    assert session.options["RootNoise"] == 0.25
    assert session.remarks() == ("option RootNoise: needs TreePolicy puct; allowed without: 0.0",)
    session.set_option("Exploration", "0.5")
    assert session.remarks() == ()
    session.set_option("RootNoise", "0")
    session.set_option("TreePolicy", "puct")
    assert session.remarks() == ()


def test_the_order_of_settings_does_not_matter() -> None:
    settings = Settings("hex:5", (("PuctBase", "100"), ("puctgrowth", "1"), ("TreePolicy", "puct"), ("Hash", "8")))
    session = Session(catalogue.load("hex:5"), post=lambda _: None)
    settings.apply(session)
    assert session.options.number("PuctBase") == 100


@pytest.mark.parametrize("name", [*GAMES, "tests/users/mnk.py:Mnk"])
def test_every_default_may_be_set_under_every_policy(name: str) -> None:
    """An interface may send all defaults, whatever they are worth."""
    game = catalogue.load(name)
    for policy in TREE_POLICIES:
        session = Session(game, post=lambda _: None)
        if (name, policy) != ("backgammon", "rave"):
            session.set_option("TreePolicy", policy)
        for option in session.options.declared():
            if option.kind not in ("button", "string") and option.name != "TreePolicy":
                session.set_option(option.name, written(option.default))
        assert session.remarks() == ()


def test_values_out_of_bounds_are_refused_by_the_core_too() -> None:
    with pytest.raises(GameError, match="exploration: -1 is not between 0 and 100"):
        Searcher(catalogue.load("hex:5"), SearchConfig(exploration=-1.0))
    with pytest.raises(GameError, match="threads: many is no value of it"):
        Searcher(catalogue.load("hex:5"), SearchConfig(threads="many"))  # type: ignore[arg-type]


def test_an_unknown_word_is_refused_by_the_core_too() -> None:
    with pytest.raises(GameError, match='tree_policy: "best" is not one of ucb1, '):
        Searcher(catalogue.load("hex:5"), SearchConfig(tree_policy="best"))


def test_minimax_is_exact_where_it_reaches_the_end() -> None:
    game = catalogue.load("tic_tac_toe")
    result = search(game, SearchConfig(tree_policy="minimax", search_depth=9), nodes=10**7)
    assert result.reason == "depth"
    assert all(move.proven and move.value == 0.0 for move in result.info.moves)


def test_minimax_obeys_its_limits() -> None:
    game = catalogue.load("chess")
    config = SearchConfig(tree_policy="minimax", search_depth=30)
    assert search(game, config, nodes=5000).reason == "nodes"
    shallow = search(game, config, nodes=10**7, depth=2)
    assert shallow.reason == "depth" and len(shallow.info.moves) == 20
    searcher = Searcher(game, config)
    searcher.set_position(None, [])
    searcher.prepare()
    searcher.set_deadline(None, 0.1)
    assert searcher.run().reason == "deadline"
    searcher.restrict(["a2a3"])
    searcher.prepare()
    assert searcher.run(nodes=3000).move == "a2a3"


def test_hints_lead_the_search_in_every_symmetric_image() -> None:
    searcher = Searcher(catalogue.load("hex:5"), SearchConfig(seed=1, exploration=0.3))
    searcher.guide([(None, [], [Hint("a1", visits=400, value=0.95)]), (None, ["e5"], [Hint("c3", banned=True)])])
    searcher.set_position(None, [])
    searcher.prepare()
    assert searcher.run(nodes=50).move in ("a1", "e5")
    searcher.set_position(None, ["a1"])
    searcher.prepare()
    replies = searcher.run(nodes=2000).info.moves
    assert next((move.visits for move in replies if move.move == "c3"), 0) <= 1, "a1's image is e5"
    with pytest.raises(GameError, match="z9"):
        searcher.guide([(None, [], [Hint("z9")])])


def test_a_beginners_priors_stay_within_the_bounds_of_the_search() -> None:
    results: list[Any] = []
    session = Session(catalogue.load("backgammon"), post=results.append)
    session.set_option("PriorTemperature", "100")
    session.set_option("Level", "0")
    session.set_position(None, opening(session.game))
    session.go(Limits(nodes=20))
    session.wait()
    assert results[-1].move is not None
    assert results[-1].fault is None
