"""The forms of records: PGN as cutechess writes it, SGF, lines of text."""

from __future__ import annotations

from pathlib import Path

import chess.pgn
import pytest

from playout.arena.play.referee import play
from playout.arena.report.recorded import results_of
from playout.arena.report.records import RecordFile, comment
from playout.arena.terms.end import End
from playout.arena.terms.job import Move
from playout.books.past import lines
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ..made import chess_game
from ..players import ScriptedDriver, job


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Move("e2e4", 0.12, centipawns=10, depth=12), "+0.10/12 0.12s"),
        (Move("e2e4", 12.345, centipawns=-250, depth=3), "-2.50/3 12.3s"),
        (Move("e2e4", 1.0, mate=5, depth=20), "+M5/20 1s"),
        (Move("e2e4", 1.0, mate=-2), "-M2/0 1s"),
        (Move("e2e4", 0.5), "0.5s"),
        (Move("e2e4", 999.7), "1000s"),
        (Move("e2e4", 1234.5), "1234s"),
        (Move("e2e4", 120.0), "120s"),
        (Move("e2e4", 0.0001), "0.0001s"),
        (Move("e2e4", 0.00002), "0.00002s"),
        (Move("31"), ""),
    ],
)
def test_comments_are_as_cutechess_writes_them(move: Move, text: str) -> None:
    assert comment(move) == text


def test_a_record_of_chess_has_clocks_and_evaluations(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "g.pgn", catalogue.load("chess"), "cup")
    file.rewrite([chess_game()])
    file.append(chess_game(end=End.TIME, detail="b8c6 late", at_fault=1))
    with (tmp_path / "g.pgn").open() as stream:
        one, two = chess.pgn.read_game(stream), chess.pgn.read_game(stream)
    assert one is not None and two is not None
    assert {
        name: one.headers[name] for name in ("Event", "Round", "White", "TimeControl", "Termination", "Result")
    } == {
        "Event": "cup",
        "Round": "1/1/0",
        "White": "one",
        "TimeControl": "10+0.1",
        "Termination": "normal",
        "Result": "0-1",
    }
    assert [node.comment for node in one.mainline()] == ["book", "-0.20/0 0.25s", "+0.31/0 1.5s", "resign"]
    assert two.headers["Termination"] == "time forfeit"
    assert [node.comment for node in two.mainline()][-1] == "time forfeit: b8c6 late"


NAMES = ("one \\", 'a "b" \\" c\nd')


def test_any_name_can_stand_in_a_record_of_chess(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "g.pgn", catalogue.load("chess"), 'the "cup\\')
    file.rewrite([chess_game(names=NAMES), chess_game(names=NAMES[::-1], id="cup/1/1/1")])
    text = (tmp_path / "g.pgn").read_text()
    for line in (r'[White "one \\"]', r'[Black "a \"b\" \\\" c d"]', r'[Event "the \"cup\\"]'):
        assert line in text.splitlines()
    names = NAMES[0], NAMES[1].replace("\n", " ")
    assert [result.names for result in results_of(tmp_path / "g.pgn")] == [names, names[::-1]]


@pytest.mark.parametrize(("name", "ending"), [("hex:3", ".sgf"), ("go:5", ".sgf"), ("tic_tac_toe", ".games")])
def test_other_games_have_their_own_records(name: str, ending: str, tmp_path: Path) -> None:
    game = catalogue.load(name)
    resigned = ScriptedDriver(lambda _: "resign"), ScriptedDriver(lambda _: "resign")
    file = RecordFile(tmp_path / f"g{ending}", game, "cup")
    file.rewrite([])
    file.append(play(game, job(name, moves=["a1"]), 0, resigned))
    text = (tmp_path / f"g{ending}").read_text()
    if ending == ".sgf":
        assert "PB[one]" in text and "PW[two]" in text and "RE[B+]" in text
    else:
        [past] = lines.read_games(tmp_path / "g.games", game)
        assert getattr(past, "result", None) == 1


def test_a_record_of_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=r"g\.pgn"):
        RecordFile(tmp_path / "g.pgn", catalogue.load("hex:3"), "cup")
