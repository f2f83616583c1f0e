"""Users' variants of Go and Hex get what Go and Hex get, by what they declare."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.books.base.past_games import PastGame
from playout.books.past.sgf import read_games
from playout.games.catalogue import load
from playout.games.check.checker import check

from ..opponents.pipe import Pipe, forked

FILE = Path(__file__).with_name("stones.py")
OPTIONS = ("--option", "MaxNodes=30", "--option", "Seed=1")
HALVES = "(;GM[1]SZ[5]AB[ba][bb][bc][bd][be]AW[da][db][dc][dd][de])"
"""A board of 5 whose second column is Black's and whose fourth is White's."""


def gtp(game: str) -> Pipe:
    return Pipe(forked("gtp", "--game", game, *OPTIONS))


def users(name: str) -> str:
    return f"{FILE}:{name}"


@pytest.fixture
def stone_go() -> Iterator[Pipe]:
    with gtp(users("StoneGo:5")) as engine:
        yield engine


@pytest.fixture
def capture_go() -> Iterator[Pipe]:
    with gtp(users("CaptureGo:7")) as engine:
        yield engine


@pytest.fixture
def rex() -> Iterator[Pipe]:
    with gtp(users("Rex:5")) as engine:
        yield engine


def listed(game: str) -> tuple[set[str], set[str]]:
    """The commands of a game under GTP, and the names of its options."""
    with gtp(game) as engine:
        options = engine.ask("playout-list_options").split("\n")
        return set(engine.ask("list_commands").split("\n")), {option.partition(" = ")[0] for option in options}


@pytest.mark.long
@pytest.mark.parametrize("name", ["StoneGo:3", "CaptureGo:3", "Rex:3"])
def test_they_keep_the_contract_of_games(name: str) -> None:
    assert check(load(users(name)), games=3) == []


@pytest.mark.long
@pytest.mark.parametrize(("variant", "model"), [("StoneGo:5", "go:5"), ("Rex:5", "hex:5")])
def test_a_variant_has_all_commands_and_options_of_its_model(variant: str, model: str) -> None:
    commands, options = listed(users(variant))
    assert (commands, options) == listed(model)


def test_a_game_without_territory_lacks_what_territory_brings() -> None:
    commands, _ = listed(users("CaptureGo:5"))
    go, _ = listed("go:5")
    assert commands < go
    assert go - commands == {
        *("komi", "get_komi", "final_status", "final_status_list"),
        *("kata-get-rules", "kata-set-rules", "kata-set-rule", "kgs-rules", "scoring_system"),
        *("list_stones", "captures", "color", "countlib"),
        *("cgos-opponent_name", "cgos-opponent_rating", "cgos-gameover", "cgos-genmove_analyze"),
        *("kgs-game_over", "kgs-genmove_cleanup"),
        *("playout-influence", "playout-territory"),
    }


def test_komi_size_and_rules_of_a_variant_are_set(stone_go: Pipe) -> None:
    assert stone_go.ask("get_komi") == "0"
    assert stone_go.ask("komi 3.5") == ""
    assert stone_go.ask("get_komi") == "3.5"
    assert stone_go.ask("rectangular_boardsize 7 5") == ""
    assert stone_go.ask("query_boardsize") == "7 5"
    assert stone_go.ask("kgs-rules japanese") == ""
    assert '"scoring":"TERRITORY"' in stone_go.ask("kata-get-rules")


def test_the_score_of_a_variant_is_its_own_and_leaves_out_dead_stones(stone_go: Pipe) -> None:
    stone_go.ask(f"loadsgf {HALVES}")
    assert stone_go.ask("play b C3") == ""
    assert stone_go.ask("final_score") == "B+1"
    assert stone_go.ask("undo") == ""
    assert stone_go.ask("play w A3") == ""
    assert stone_go.ask("final_status_list dead") == "A3"
    assert stone_go.ask("final_score") == "0"
    assert stone_go.ask("final_status B3") == "alive"
    assert stone_go.ask("komi 0.5") == ""
    assert stone_go.ask("final_score") == "W+0.5"


def test_a_variant_of_go_is_taken_up_after_two_passes(stone_go: Pipe) -> None:
    for command in (
        "play b C3",
        "play w pass",
        "play b pass",
        "play w D3",
        "play b pass",
        "play w pass",
        "play b pass",
    ):
        assert stone_go.ask(command) == ""
    assert stone_go.ask("move_history").count("\n") == 5


def test_handicap_and_setup_of_a_variant(stone_go: Pipe) -> None:
    assert stone_go.ask("boardsize 7") == ""
    assert stone_go.ask("fixed_handicap 2") == "C3 E5"
    assert stone_go.ask("kata-set-rule whiteHandicapBonus N") == ""
    assert stone_go.ask("get_handicap") == "2"
    assert stone_go.ask("final_score") == "0"
    assert stone_go.ask("clear_board") == ""
    assert stone_go.ask("gogui-setup b A1 w B1 b G7") == ""
    assert stone_go.ask("gogui-setup_player w") == ""
    assert stone_go.ask("list_stones b") == "A1 G7"
    assert stone_go.respond("gogui-setup b A1 b A2").startswith("? board not empty")


def test_records_of_a_variant_are_read_and_written(stone_go: Pipe) -> None:
    stone_go.ask(f"loadsgf {HALVES}")
    assert stone_go.ask("play b C3") == ""
    record = stone_go.ask("printsgf").replace("\n", "")
    assert "KM[0]" in record
    assert record.endswith(";B[cc])")
    assert stone_go.ask("loadsgf (;GM[1]SZ[7:5]KM[1.5];B[aa];W[])") == ""
    assert stone_go.ask("query_boardsize") == "7 5"
    assert stone_go.ask("move_history") == "white pass\nblack A5"
    assert stone_go.ask("get_komi") == "1.5"


def test_a_variant_is_analysed_with_ownership(stone_go: Pipe) -> None:
    stone_go.ask(f"loadsgf {HALVES}")
    line = stone_go.ask("kata-search_analyze b 0 maxmoves 3 ownership true rootInfo true").split("\nplay ")[0]
    owners = [float(word) for word in line.partition(" ownership ")[2].split()]
    assert len(owners) == 25
    assert all(owners[row * 5 + 1] > 0.5 > -0.5 > owners[row * 5 + 3] for row in range(5))
    assert "scoreLead" in line
    drawing = stone_go.ask("playout-territory").split("\n")
    assert {row.split()[1] for row in drawing if row} == {"black"}
    stone_go.send("lz-analyze b 1")
    stone_go.until("info move")
    stone_go.send("name")
    stone_go.until("= playout")


def test_a_game_of_points_alone_gets_handicap_setup_and_records(capture_go: Pipe) -> None:
    assert capture_go.ask("fixed_handicap 2") == "C3 E5"
    assert capture_go.ask("get_handicap") == "2"
    assert "HA[2]" in capture_go.ask("printsgf")
    assert capture_go.ask("boardsize 5") == ""
    assert capture_go.ask("loadsgf (;GM[1]SZ[5]AB[aa]AW[ba]PL[W])") == ""
    assert capture_go.ask("genmove w") == "A4"
    assert capture_go.ask("final_score") == "W+"
    assert capture_go.ask("undo") == ""
    assert capture_go.ask("set_position b A1 w B1") == ""
    assert capture_go.respond("set_position b A1 w A1") == "? illegal position"


def test_a_variant_of_hex_swaps_as_hex_does(rex: Pipe) -> None:
    assert rex.ask("play b b1") == ""
    assert rex.ask("play w swap-pieces") == ""
    assert rex.ask("move_history") == "white swap-pieces\nblack b1"
    assert rex.ask("playout-set_option SwapDialect benzene") == ""
    for command in ("undo", "play w swap-pieces", "play w c3"):
        assert rex.ask(command) == ""
    assert rex.ask("printsgf").replace("\n", "").endswith("AB[b1]PL[W];W[c3])")
    assert rex.ask("hexgui-analyze_commands").startswith("pspairs/")
    assert rex.respond("play w pass") == "? illegal move"


def test_a_variant_of_hex_is_won_by_its_own_rule(rex: Pipe) -> None:
    assert rex.ask("loadsgf (;GM[11]SZ[3]AB[a1][a2]AW[c1][c2])") == ""
    assert rex.ask("play b a3") == ""
    assert rex.ask("final_score") == "W+"
    assert rex.ask("genmove w") == "resign"


def test_the_analysis_protocol_takes_the_stones_and_the_komi_of_a_variant() -> None:
    columns = [("B", f"B{row}") for row in range(1, 6)] + [("W", f"D{row}") for row in range(1, 6)]
    query = {
        "id": "a",
        "moves": [["B", "C3"]],
        "initialStones": columns,
        "komi": 2.5,
        "rules": "japanese",
        "maxVisits": 20,
        "includeOwnership": True,
        "includeMovesOwnership": True,
    }
    with Pipe(forked("analysis", "--game", users("StoneGo:5"))) as engine:
        engine.send(json.dumps(query))
        reply = json.loads(engine.line())
    assert "warning" not in reply
    owners = [reply["ownership"][start : start + 5] for start in range(0, 25, 5)]
    assert all(row[3] > 0.5 > -0.5 > row[1] for row in owners)
    assert reply["rootInfo"]["currentPlayer"] == "W"
    assert "scoreLead" in reply["rootInfo"]


@pytest.mark.parametrize(
    ("name", "record", "turns", "result"),
    [
        ("StoneGo:5", "(;GM[1]SZ[5]HA[2]AB[bb][dd]RE[W+2];W[aa];B[])", [(1, "A5"), (0, "pass")], -1),
        ("CaptureGo:5", "(;GM[1]SZ[5]AB[aa]AW[ba]PL[W]RE[W+R];W[ab])", [(1, "A4")], -1),
        ("Rex:3", "(;GM[11]SZ[3];B[a2];W[swap-pieces];B[c3])", [(0, "a2"), (1, "swap-pieces"), (0, "c3")], None),
    ],
)
def test_books_read_the_records_of_a_variant(
    tmp_path: Path, name: str, record: str, turns: list[tuple[int, str]], result: int | None
) -> None:
    path = tmp_path / "games.sgf"
    path.write_text(record, encoding="utf-8")
    game = load(users(name))
    (found,) = read_games(path, game)
    assert isinstance(found, PastGame)
    state, texts = found.start, []
    for player, action in found.turns:
        texts.append((player, game.action_to_text(state, action)))
        state = game.next_state(state, action)
    assert texts == turns
    assert found.result == result
