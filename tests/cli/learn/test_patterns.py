"""``playout learn import`` and ``patterns``: from games in SGF to the moves that the search prefers."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout import Engine
from playout.cli.main import main
from playout.engine.learning.data.records import Kind, RecordFile
from playout.engine.learning.training.workshop import workshop_of
from playout.games import catalogue
from playout.games.game import text_to_action

SGF = """(;GM[1]SZ[5]KM[0.5]RE[B+R];B[cc];W[bb];B[cb];W[bc];B[cd];W[bd])
(;GM[1]SZ[5]KM[0.5]RE[W+3.5];B[bb];W[cc];B[dd];W[cd])
(;GM[1]SZ[5]KM[0.5];B[bb];W[cc])
(;GM[1]SZ[5]KM[0.5]RE[B+R];B[bb];W[bb])
(;GM[1]SZ[5]KM[0.5]RE[W+T])
"""
GAME = "go:5,komi=0.5"


def imported(tmp_path: Path) -> Path:
    (tmp_path / "games.sgf").write_text(SGF)
    assert main(["learn", "import", GAME, str(tmp_path / "games.sgf"), "--out", str(tmp_path / "r")]) == 0
    return tmp_path / "r"


def numbers(weights: bytes) -> bytes:
    """The numbers behind the head of the file."""
    return weights[8 + int.from_bytes(weights[:8], "little") :]


def test_games_of_others_become_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = imported(tmp_path)
    caught = capsys.readouterr()
    assert caught.out == f"{records}: 2 games added, 1 without a result, 2 broken\n"
    illegal, empty = caught.err.splitlines()
    assert "games.sgf, line 4" in illegal and "game 4" in illegal
    assert "games.sgf, line 5, game 5: no moves" in empty
    first, second = RecordFile(records)
    game = catalogue.load(GAME)
    assert (first.result, second.result) == (1.0, -1.0)
    start = game.initial_state()
    assert first.actions.tolist() == [
        text_to_action(game, start, text) for text in ("c3", "b4", "c4", "b3", "c2", "b2")
    ]
    assert set(first.kinds.tolist()) == {Kind.GIVEN}
    assert first.visited.tolist() == first.actions.tolist()
    assert set(first.visits.tolist()) == {1}


def test_moves_after_the_end_by_the_rules_are_left_out(tmp_path: Path) -> None:
    games, records = tmp_path / "games.pgn", tmp_path / "r"
    games.write_text('[Result "1-0"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 e5 1-0\n')
    assert main(["learn", "import", "chess", str(games), "--out", str(records)]) == 0
    (game,) = RecordFile(records)
    assert (len(game), game.result) == (8, 0.0), "the start stands on the board for the third time"


def test_damage_is_named_where_nothing_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = imported(tmp_path)
    records.write_bytes(records.read_bytes()[:-1])
    capsys.readouterr()
    assert main(["learn", "patterns", GAME, str(records), "--out", str(tmp_path / "w")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "r: record 1, at byte " in line and "cut off or damaged" in line


@pytest.mark.parametrize("game", ["go:5", "hex:4"])
def test_strengths_guide_the_search(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records, weights = str(tmp_path / "r"), str(tmp_path / "w.safetensors")
    assert main(["learn", "generate", game, records, "--games", "30", "--simulations", "60"]) == 0
    words = ["learn", "patterns", game, records, "--out", weights, "--least", "10", "--sweeps", "8"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert f"{weights}: 30 games, " in said and "log-likelihood -" in said
    before = Path(weights).read_bytes()
    assert main(words) == 0
    assert numbers(Path(weights).read_bytes()) == numbers(before), "the same records give the same strengths"
    visits = []
    for file in ("", weights):
        with Engine(
            game, hash=16, seed=1, tree_policy="puct", own_book=False, eval_file="", pattern_file=file
        ) as engine:
            result = engine.think(nodes=30)
            assert not result.remarks
            visits.append({move.move: move.visits for move in result.moves})
    assert visits[0] != visits[1]


def test_what_is_not_there_to_learn_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = imported(tmp_path)
    capsys.readouterr()
    for words, why in (
        (["patterns", "go:6", str(records), "--out", "w"], 'r: its game is "go:size=5'),
        (["patterns", "chess", str(records), "--out", "w"], 'r: its game is "go:size=5'),
        (["patterns", GAME, str(records), "--out", "w", "--least", "1000"], "no feature is that of 1000 moves"),
        (["import", "backgammon", str(tmp_path / "games.sgf"), "--out", "x"], "SGF holds games of go and hex"),
        (["import", GAME, str(tmp_path / "none.sgf"), "--out", "x"], "none.sgf"),
    ):
        assert main(["learn", *words]) == 2, words
        (line,) = capsys.readouterr().err.splitlines()
        assert why in line


def test_the_weights_of_another_game_are_refused(tmp_path: Path) -> None:
    records, weights = tmp_path / "r", tmp_path / "w.safetensors"
    workshop = workshop_of(catalogue.load("hex:4"))
    workshop.append(records, [(None, 1.0, ["b2", "c3", "b3"], None)] * 30)
    workshop.fit([records], weights, {}, least=1, positions=100, sweeps=2, on_sweep=lambda *_: None)
    with Engine("go:5", pattern_file=str(weights), own_book=False) as engine:
        (remark,) = engine.think(nodes=10).remarks
    assert remark.startswith("PatternFile is not used: ") and 'game is "hex" instead of "go"' in remark
    with Engine("tic_tac_toe", eval_file=str(weights), own_book=False) as engine:
        (remark,) = engine.think(nodes=10).remarks
    assert 'format is "playout-gammas" instead of "playout-net"' in remark
