"""The files of records: how PGN is written, what a restart keeps, and what a failure leaves."""

from __future__ import annotations

import errno
import io
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import msgspec
import pytest

from playout.arena.cup import Cup
from playout.arena.file.reader import parse
from playout.arena.play.referee import play
from playout.arena.report import records
from playout.arena.report.pgn import pgn
from playout.arena.report.recorded import results_of
from playout.arena.report.records import RecordFile
from playout.arena.terms.end import End
from playout.arena.terms.job import Played
from playout.books.past.written import WrittenGame
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ..players import ScriptedDriver, job

CHESS = catalogue.load("chess")
SHUFFLED = catalogue.load("chess:chess960=true,position=0")


def texts(game: Any, sans: str, start: str | None = None) -> list[str]:
    """The moves in the game's notation."""
    board = (game.state_from_text(start) if start else game.initial_state()).board.copy()
    return [board.uci(board.push_san(san), chess960=game.chess960) for san in sans.split()]


@pytest.mark.parametrize(
    ("game", "start", "sans"),
    [
        (CHESS, None, "f3 e5 g4 Qh4#"),
        (CHESS, None, "e4 c5 Nf3 d6 Bb5+ Nd7 O-O Nf6 Re1 a6 Bxd7+ Nxd7"),
        (CHESS, None, "e4 a6 e5 d5 exd6 h6 dxc7 h5 cxb8=Q Rxb8"),
        (CHESS, "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 17", "O-O-O O-O Rhe8 Rad1 Rxd1 Rxd1"),
        (CHESS, "1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "Qh4e1 Kc7 Qe5+"),
        (CHESS, "4k3/4r3/8/8/1N6/4N3/8/4K3 w - - 0 1", "Nd5 Re6 Nc7+"),
        (CHESS, "3k4/8/8/8/r6r/8/2R1R3/3K4 w - - 0 1", "Rcd2+ Kc7 Rc2+"),
        (CHESS, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8=N Kg7 Nb6"),
        (SHUFFLED, None, "Nf3 Nf6 Nc3 Nc6 e4"),
        (SHUFFLED, "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "O-O-O Ke7 Rge1+ Kf8"),
    ],
)
def test_moves_stand_in_algebraic_notation(game: Any, start: str | None, sans: str) -> None:
    """python-chess reads the same moves, and would write them so."""
    moves = texts(game, sans, start)
    comments = tuple(f"+0.{ply}0/3 1s" for ply in range(len(moves)))
    text = pgn(game, WrittenGame(moves, 1.0, start, comments, ("a", "b"), {"Event": "e"}), 1)
    read = chess.pgn.read_game(io.StringIO(text))
    assert read is not None
    assert read.errors == []
    assert [node.san() for node in read.mainline()] == sans.split()
    assert [node.comment for node in read.mainline()] == list(comments)
    words = [word for line in text.split("\n\n")[1].splitlines() for word in line.split()]
    assert [word for word in words if word[0].isalpha()] == sans.split()
    assert ("FEN" in read.headers) is (start is not None or game.chess960)
    assert (read.headers.get("Variant") == "Chess960") is game.chess960


@pytest.mark.parametrize("seed", range(6))
def test_moves_are_those_of_python_chess(seed: int) -> None:
    """In games at random with many men of a kind."""
    draws, start = random.Random(seed), "QQQ1k3/8/8/6NN/QQ4NN/2B1B3/8/K6Q b - - 0 1"
    game = SHUFFLED if seed % 3 == 0 else CHESS
    board = game.state_from_text(start).board.copy() if seed % 3 == 1 else game.initial_state().board.copy()
    moves, sans = list[str](), list[str]()
    while len(moves) < 150 and not board.is_game_over(claim_draw=True):
        move = draws.choice(list(board.legal_moves))
        moves.append(board.uci(move, chess960=game.chess960))
        sans.append(board.san_and_push(move))
    text = pgn(game, WrittenGame(moves, None, start if seed % 3 == 1 else None), 1)
    assert [word for word in text.split("\n\n")[1].split() if word[0].isalpha()] == sans


def test_moves_are_written_as_match_runners_write_them() -> None:
    moves = texts(CHESS, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6")
    comments = ("book", "book", *["+0.10/12 0.12s"] * 5, "-0.10/12 0.12s, resign: {odd} \n words")
    text = pgn(CHESS, WrittenGame(moves, 1.0, None, comments), 7)
    assert text.split("\n\n")[1:] == [
        "1. e4 {book} e5 {book} 2. Nf3 {+0.10/12 0.12s} Nc6 {+0.10/12 0.12s}\n"
        "3. Bb5 {+0.10/12 0.12s} a6 {+0.10/12 0.12s} 4. Ba4 {+0.10/12 0.12s}\n"
        "Nf6 {-0.10/12 0.12s, resign: {odd words} 1-0",
        "",
    ]
    tags = [line.split(" ")[0] for line in text.splitlines()[:7]]
    assert tags == ["[Event", "[Site", "[Date", "[Round", "[White", "[Black", "[Result"]


def test_castling_can_be_given_by_the_rook() -> None:
    moves = [*texts(CHESS, "e4 e5 Nf3 Nc6 Bc4 Bc5"), "e1h1"]
    assert "4. O-O *" in pgn(CHESS, WrittenGame(moves, None), 1)


def test_what_is_no_game_of_chess_is_refused() -> None:
    with pytest.raises(ValueError, match="e2e5"):
        pgn(CHESS, WrittenGame(["e2e5"], None), 1)
    with pytest.raises(ValueError, match="e2e4"):
        pgn(CHESS, WrittenGame([*texts(CHESS, "f3 e5 g4 Qh4#"), "e2e4"], None), 1)
    with pytest.raises(PlayoutError, match="none of chess"):
        pgn(CHESS, WrittenGame([], 0.3), 1)


# What a restart keeps.

CUP = "engines: {one: {}, two: {}}\ngame: chess\nnodes: 1\ngames: 8\nopenings: {random: 2}\n"


def cup(folder: Path, ending: str = ".pgn", text: str = CUP) -> Cup:
    """A tournament with its state and its records in a folder."""
    return Cup(parse(text, "cup.yaml"), folder, folder / "cup.arena", folder / f"cup{ending}")


def played_by(one: Cup, numbers: Sequence[int] = (0, 1), *, writes: bool = True) -> list[Played]:
    """The games of the next pair; they are recorded."""
    grant = one.coordinator.claim("w", "b")
    assert grant is not None
    made = []
    for number in sorted(set(numbers) - grant.played):
        drivers = ScriptedDriver(["resign"]), ScriptedDriver(["resign"])
        made.append(play(catalogue.load(grant.job.game), grant.job, number, drivers))
        one.coordinator.deliver("w", grant.job.id, number, grant.attempt, made[-1])
        if writes:
            one.write(made[-1])
    if set(numbers) != {0, 1}:
        one.coordinator.release("w", "b", grant.job.id, grant.attempt)
    return made


def rounds(path: Path) -> list[str]:
    """The games in a file of PGN, in its order."""
    return [line.split('"')[1] for line in path.read_text().splitlines() if line.startswith("[Round ")]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the games whose records are made."""
    found, real = list[str](), records.written_game

    def noted(played: Played, event: str) -> WrittenGame:
        found.append(played.id.partition("/")[2])
        return real(played, event)

    monkeypatch.setattr(records, "written_game", noted)
    return found


@pytest.mark.parametrize("ending", [".pgn", ".sgf"])
def test_a_restart_writes_no_game_anew(ending: str, tmp_path: Path, made: list[str]) -> None:
    text = CUP if ending == ".pgn" else CUP.replace("chess", "hex:4")
    with cup(tmp_path, ending, text) as one:
        played_by(one)
        played_by(one)
    before = (tmp_path / f"cup{ending}").read_bytes()
    made.clear()
    with cup(tmp_path, ending, text) as one:
        assert made == []
        played_by(one)
    assert made == ["3/1/0", "3/1/1"]
    assert (tmp_path / f"cup{ending}").read_bytes().startswith(before)


def test_a_restart_after_a_crash_writes_what_is_missing(
    tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game that was written in part is cut off."""
    monkeypatch.setattr("playout.arena.cup.NOTED", 2)
    one = cup(tmp_path)
    played_by(one)
    monkeypatch.setattr("playout.arena.cup.NOTED", 500)
    played_by(one)
    played_by(one, writes=False)
    one.store.close()
    path = tmp_path / "cup.pgn"
    path.write_text(path.read_text() + '[Event "ev')
    made.clear()
    with cup(tmp_path):
        assert made == ["2/1/0", "2/1/1", "3/1/0", "3/1/1"]
    assert rounds(path) == ["1/1/0", "1/1/1", *made]
    assert len(list(results_of(path))) == 6


@pytest.mark.parametrize("damage", ["changed", "cut", "gone", "elsewhere"])
def test_a_file_that_is_not_as_it_was_left_is_written_anew(damage: str, tmp_path: Path, made: list[str]) -> None:
    with cup(tmp_path) as one:
        played_by(one)
        played_by(one)
    path = tmp_path / "cup.pgn"
    whole = path.read_text()
    if damage == "changed":
        path.write_text(whole.replace('[White "one"]', '[White "own"]', 1))
    elif damage == "cut":
        path.write_text(whole[:-100])
    elif damage == "gone":
        path.unlink()
    made.clear()
    name = ".PGN" if damage == "elsewhere" else ".pgn"
    with cup(tmp_path, name):
        assert made == ["1/1/0", "1/1/1", "2/1/0", "2/1/1"]
    assert (tmp_path / f"cup{name}").read_text() == whole


def test_games_of_pairs_that_do_not_count_are_no_records(tmp_path: Path) -> None:
    """Not even if a run ended between the first game and the giving up."""
    path = tmp_path / "cup.pgn"
    with cup(tmp_path) as one:
        played_by(one)
        [half] = played_by(one, [0])
        assert rounds(path) == ["1/1/0", "1/1/1"]
    assert rounds(path) == ["1/1/0", "1/1/1", "2/1/0"]
    with cup(tmp_path) as one:
        one.store.give_up([half.id.rpartition("/")[0]], "void")
        assert [played.id for played in one.games("chess")] == ["chess/1/1/0", "chess/1/1/1"]
    assert rounds(path) == ["1/1/0", "1/1/1"]


def test_the_second_game_of_a_pair_joins_the_first_after_a_restart(tmp_path: Path) -> None:
    with cup(tmp_path) as one:
        played_by(one, [0])
    with cup(tmp_path) as one:
        played_by(one)
        assert rounds(tmp_path / "cup.pgn") == ["1/1/0", "1/1/1"]


# Failures.


class Full(io.FileIO):
    """A file on a disk that has room for some bytes only."""

    room = 0

    def write(self, data: Any) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data[: self.room])


def fill(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """Lets files that are opened to append have room for some bytes."""
    real = Path.open

    def opened(path: Path, mode: str = "r", *others: Any, **more: Any) -> Any:
        if not mode.startswith("a"):
            return real(path, mode, *others, **more)
        file = Full(path, "a")
        file.room = room
        return file

    monkeypatch.setattr(Path, "open", opened)


@pytest.mark.parametrize("room", [0, 100])
def test_a_full_disk_leaves_no_part_of_a_game(room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cup.pgn"
    with cup(tmp_path) as one:
        played_by(one)
        before = path.read_bytes()
        with monkeypatch.context() as patch:
            fill(patch, room)
            with pytest.raises(PlayoutError, match=r"cup\.pgn: No space left"):
                played_by(one)
            assert path.read_bytes() == before
        played_by(one)
        assert rounds(path) == ["1/1/0", "1/1/1", "3/1/0", "3/1/1"]
    assert sorted(rounds(path)) == ["1/1/0", "1/1/1", "2/1/0", "2/1/1", "3/1/0", "3/1/1"]


def odd(played: Played) -> Played:
    """A game with an evaluation that has no text."""
    move = msgspec.structs.replace(played.moves[0], seconds=1.0, centipawns=10**400)
    return msgspec.structs.replace(
        played, moves=(move,), opening=msgspec.structs.replace(played.opening, moves=()), end=End.RESIGN
    )


def test_a_game_that_cannot_be_written_is_named_and_the_others_are_written(tmp_path: Path) -> None:
    one, two = (play(CHESS, job("chess", moves=["e2e4"]), number, (ScriptedDriver([]),) * 2) for number in (0, 1))
    file = RecordFile(tmp_path / "g.pgn", CHESS, "e")
    [said] = file.rewrite([odd(one), two])
    assert said.startswith(f"{tmp_path}/g.pgn: the game e/1/1/0 is not written: ")
    assert "\n" not in said
    assert rounds(tmp_path / "g.pgn") == ["1/1/1"]
    with pytest.raises(PlayoutError, match="the game e/1/1/0 is not written"):
        file.append(odd(one))
    assert rounds(tmp_path / "g.pgn") == ["1/1/1"]


def test_a_writer_that_stumbles_ends_no_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While it is played, at its end, and at the next start."""

    def stumbling(played: Played, event: str) -> WrittenGame:
        raise OverflowError("too odd")

    with cup(tmp_path) as one:
        played_by(one)
        monkeypatch.setattr(records, "written_game", stumbling)
        with pytest.raises(PlayoutError, match="the game chess/2/1/0 is not written: too odd"):
            played_by(one)
    assert capsys.readouterr().err == ""  # it was said
    with cup(tmp_path):
        pass
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert all("is not written: too odd" in line for line in said)
    monkeypatch.undo()
    with cup(tmp_path):
        pass
    assert sorted(rounds(tmp_path / "cup.pgn")) == ["1/1/0", "1/1/1", "2/1/0", "2/1/1"]


def test_the_end_says_what_it_cannot_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with cup(tmp_path) as one:
        played_by(one, writes=False)
        fill(monkeypatch, 0)
    assert "cup.pgn: No space left" in capsys.readouterr().err
