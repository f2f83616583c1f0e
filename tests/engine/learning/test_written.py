"""Games of records in PGN, SGF and lines of text."""

from __future__ import annotations

import io
from pathlib import Path

import chess.pgn
import pytest

from playout import load_game
from playout.cli.main import main
from playout.engine.learning.data.past import import_games
from playout.engine.learning.data.records import Kind, RecordFile
from playout.engine.learning.data.written import export
from playout.engine.learning.training import stages
from playout.engine.learning.training.settings import Settings
from playout.engine.learning.training.watch import Silent
from playout.engine.learning.training.workshop import workshop_of
from playout.games.errors import PlayoutError
from tests.users.learnable import Row

from .test_labels import Notes

FEW = Settings(games=3, simulations=10, random_plies=2)


def test_comments_of_a_game_of_chess_are_the_values_of_its_searches(tmp_path: Path) -> None:
    game = load_game("chess")
    stages.generate(workshop_of(game), game, FEW, tmp_path / "r", None, 1, Silent())
    assert export(game, [tmp_path / "r"], tmp_path / "a.pgn", Silent()) == 3
    pgn = io.StringIO((tmp_path / "a.pgn").read_text())
    for one in RecordFile(tmp_path / "r"):
        read = chess.pgn.read_game(pgn)
        assert read is not None and not read.errors
        assert read.headers["Result"] == {1.0: "1-0", 0.0: "1/2-1/2", -1.0: "0-1"}[one.result]
        said = [node.comment for node in read.mainline()]
        assert said == [
            f"{value:+.2f}" if kind in (Kind.VALUE, Kind.VISITS) else ""
            for value, kind in zip(one.values.tolist(), one.kinds.tolist(), strict=True)
        ]
        assert any(said)


@pytest.mark.parametrize("name", ["connect_four", "chess", "go:5", "hex:4", "row"])
def test_records_come_back_from_what_is_exported(name: str, tmp_path: Path) -> None:
    game = load_game(Row() if name == "row" else name)
    path, back = tmp_path / "r", tmp_path / "back"
    stages.generate(workshop_of(game), game, FEW, path, None, 1, Silent())
    endings = {"chess": ".pgn", "go:5": ".sgf", "hex:4": ".sgf"}
    for ending in {".games", endings.get(name, ".games")}:
        out, back = tmp_path / f"a{ending}", tmp_path / f"back{ending}"
        assert export(game, [path], out, Silent()) == 3
        found = import_games(workshop_of(game), game, [out], back, Silent())
        assert (found.taken, found.unknown, found.broken) == (3, 0, 0)
        for one, other in zip(RecordFile(path), RecordFile(back), strict=True):
            assert one.actions.tolist() == other.actions.tolist() and one.result == other.result
            assert set(other.kinds.tolist()) == {Kind.GIVEN}


class Countdown:
    """Players in turn take one or two; whoever takes the last one wins."""

    name = "countdown"

    def initial_state(self) -> tuple[int, int]:
        return 7, 0

    def current_player(self, state: tuple[int, int]) -> int:
        return state[1]

    def legal_actions(self, state: tuple[int, int]) -> list[str]:
        return [f"{count} of {state[0]}" for count in (1, 2) if count <= state[0]]

    def next_state(self, state: tuple[int, int], action: str) -> tuple[int, int]:
        return state[0] - int(action[0]), 1 - state[1]

    def returns(self, state: tuple[int, int]) -> tuple[int, int] | None:
        return None if state[0] else (-1, 1) if state[1] == 0 else (1, -1)

    def state_to_text(self, state: tuple[int, int]) -> str:
        return f"{state[0]} {state[1]}"

    def state_from_text(self, text: str) -> tuple[int, int]:
        left, player = map(int, text.split())
        return left, player


def test_games_in_python_that_begin_elsewhere_and_mistakes_in_them(tmp_path: Path) -> None:
    game, lines = load_game(Countdown()), tmp_path / "a.games"
    text = "playout games of countdown\n1\t4 1\t1 of 4\t2 of 3\t1 of 1\n*\t2 0\t2 of 2\n"
    lines.write_text(text + "1\tx y\t1 of 4\n1\t\t3 of 7\n")
    told = Notes()
    found = import_games(workshop_of(game), game, [lines], tmp_path / "r", told)
    assert (found.taken, found.unknown, found.broken) == (2, 0, 2), "the rules give the result of a game without one"
    assert "position 'x y': ValueError: " in told.lines[0] and "move 1, '3 of 7': illegal move" in told.lines[1]
    assert export(game, [tmp_path / "r"], tmp_path / "b.games", Silent()) == 2
    assert (tmp_path / "b.games").read_text() == text.replace("1\t4 1", "-1\t4 1").replace("*", "1")


def test_the_command_names_what_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = load_game("connect_four")
    path = tmp_path / "r"
    stages.generate(workshop_of(game), game, FEW, path, None, 1, Silent())
    assert main(["learn", "export", "connect_four", str(path), "--out", str(tmp_path / "a.games")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/a.games: 3 games\n"
    for game_name, out, said in (
        ("connect_four", "a.pgn", "a.pgn: games of connect_four are written to .games"),
        ("go:9", "a.txt", "a.txt: games of go:9 are written to .games, .sgf"),
        ("tic_tac_toe", "b.games", "r: its games are of 'connect_four:columns=7,rows=6' instead of 'tic_tac_toe'"),
        ("connect_four", "none/a.games", "no such folder"),
    ):
        assert main(["learn", "export", game_name, str(path), "--out", str(tmp_path / out)]) == 2
        assert said in capsys.readouterr().err
        assert not (tmp_path / out).exists()
    with pytest.raises(PlayoutError, match="none: No such file"):
        export(game, [tmp_path / "none"], tmp_path / "c.games", Silent())
