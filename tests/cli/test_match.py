"""``playout match`` and the tournaments behind it, with playout's own engines in the process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import chess.pgn
import pytest

from playout.arena.cup import Cup
from playout.arena.file.reader import parse
from playout.arena.file.types import SPRT_GAMES, Tournament
from playout.cli.arena.match import GAMES, engine_of
from playout.cli.main import main
from playout.games.errors import PlayoutError


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process."""

    def made(*words: str) -> Done:
        status = main(list(words))
        said = capsys.readouterr()
        return Done(status, said.out, said.err)

    return made


@pytest.mark.parametrize(
    ("words", "name", "fields"),
    [
        ("playout", "playout", {"options": {}}),
        ("playout Exploration=0.5", "playout Exploration=0.5", {"options": {"Exploration": "0.5"}}),
        ("playout 'Move Overhead=5'", "playout 'Move Overhead=5'", {"options": {"Move Overhead": "5"}}),
        (
            "/opt/stockfish Hash=64 Threads=2",
            "stockfish Hash=64 Threads=2",
            {"command": ("/opt/stockfish",), "options": {"Hash": "64", "Threads": "2"}},
        ),
        ("gnugo --mode gtp", "gnugo --mode gtp", {"command": ("gnugo", "--mode", "gtp"), "options": {}}),
        ("gnugo --level=3", "gnugo --level=3", {"command": ("gnugo", "--level=3"), "options": {}}),
        ("playout uci", "playout uci", {"command": ("playout", "uci"), "options": {}}),
        (
            "crafty Hash=64 protocol=xboard",
            "crafty Hash=64",
            {"command": ("crafty",), "options": {"Hash": "64"}, "protocol": "xboard"},
        ),
    ],
)
def test_an_engine_is_a_command_line_with_options(words: str, name: str, fields: dict[str, object]) -> None:
    assert engine_of(words) == (name, fields)


@pytest.mark.parametrize("words", ["", "'"])
def test_a_command_line_that_is_none_is_told(words: str) -> None:
    with pytest.raises(PlayoutError):
        engine_of(words)


def test_a_protocol_that_is_none_is_told() -> None:
    with pytest.raises(PlayoutError, match=r"engine 'a protocol=gpt': no protocol 'gpt': did you mean 'gtp'\?"):
        engine_of("a protocol=gpt")


def test_an_engine_that_does_not_speak_uci_is_told_with_the_way_to_name_another(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playout.arena.drivers.universal.PATIENCE", 0.5)
    done = run("match", "playout", "sleep 60", "--nodes", "10")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert done.err.endswith("after uci; protocol=NAME among its words names another protocol\n")


def test_fewer_games_than_before_are_refused(run: Run, tmp_path: Path) -> None:
    words = ["match", "playout", "playout Exploration=9", "-g", "hex:3", "--nodes", "20"]
    state = tmp_path / "m.arena"
    assert run(*words, "--state", str(state), "-n", "4").status == 0
    done = run(*words, "--state", str(state), "-n", "2")
    assert (done.status, done.out) == (2, "")
    said = "this tournament began with events.1.games 4, not 2; the number of games may only grow"
    assert done.err == f"playout: {state}: {said}\n"


def test_an_engine_that_was_removed_or_added_is_told_by_its_name(tmp_path: Path) -> None:
    game, state = "game: tic_tac_toe\n", tmp_path / "cup.arena"
    two, three = ("{" + ", ".join(f"{name}: {{nodes: 9}}" for name in names) + "}" for names in ("ab", "abc"))
    for earlier, now, said in ((three, two, "with engines.c, which is missing"), (two, three, "without engines.c")):
        state.unlink(missing_ok=True)
        with Cup(parse(f"engines: {earlier}\n{game}", "cup.yaml"), tmp_path, state):
            pass
        with pytest.raises(PlayoutError, match=rf"this tournament began {said}; only"):
            Cup(parse(f"engines: {now}\n{game}", "cup.yaml"), tmp_path, state)


def test_a_match_prints_its_table(run: Run) -> None:
    done = run(
        "match", "playout", "playout Exploration=9", "-g", "tic_tac_toe", "--nodes", "20", "-n", "6", "--plies", "2"
    )
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("tic_tac_toe: tic_tac_toe")
    assert [line.split()[0] for line in lines[2:4]] == ["1", "2"]
    assert "Ptnml(0-2): " in done.out
    assert "LOS " in done.out


def test_a_match_goes_on_where_its_file_has_it(run: Run, tmp_path: Path) -> None:
    words = ["match", "playout", "playout Exploration=9", "-g", "hex:3", "--nodes", "20", "--plies", "1"]
    state = ["--state", str(tmp_path / "m.arena"), "--out", str(tmp_path / "m.sgf")]
    assert run(*words, *state, "-n", "4").status == 0
    first = (tmp_path / "m.sgf").read_text()
    assert run(*words, *state, "-n", "4").status == 0
    assert (tmp_path / "m.sgf").read_text() == first
    assert run(*words, *state, "-n", "8").status == 0
    longer = (tmp_path / "m.sgf").read_text()
    assert longer.startswith(first)
    assert longer.count("(;") == 8
    other = run("match", "playout", "playout Exploration=8", *words[3:], *state)
    assert other.status == 2
    assert "this tournament began without engines.playout Exploration=8; only" in other.err


def test_the_records_of_chess_are_pgn_that_others_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    assert (
        run(
            "match", "playout", "playout Seed=7", "--nodes", "30", "-n", "2", "--max-plies", "30", "-o", str(path)
        ).status
        == 0
    )
    with path.open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert [game.errors for game in games] == [[], []]
    assert [game.headers["White"] for game in games] == ["playout", "playout Seed=7"]
    for game in games:
        board = game.end().board()
        assert len(board.move_stack) == int(game.headers["PlyCount"]) <= 30
        comments = [node.comment for node in game.mainline()]
        assert comments[:4] == ["book"] * 4
        assert all("/" in comment and "s" in comment for comment in comments[4:])


def test_a_test_ends_the_match(run: Run) -> None:
    words = ["match", "playout", "playout MaxNodes=1", "-g", "hex:4", "--nodes", "60", "-n", "400"]
    done = run(*words, "--sprt", "0,200")
    assert done.status == 0
    assert "H1 accepted: 200 Elo" in done.out or "H0 accepted: 0 Elo" in done.out


@pytest.mark.parametrize(
    ("words", "games"), [([], GAMES), (["--sprt", "0,5"], SPRT_GAMES), (["--sprt", "0,5", "-n", "4"], 4)]
)
def test_a_match_with_a_test_has_no_limit_but_the_one_given(
    run: Run, words: list[str], games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[int]()

    def opened(_: Cup, tournament: Tournament, *__: object) -> None:
        seen.append(tournament.events[0].games)
        raise PlayoutError("seen")

    monkeypatch.setattr(Cup, "__init__", opened)
    run("match", "playout", "playout Seed=2", *words)
    assert seen == [games]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sprt", "5"], "--sprt '5': ELO0,ELO1 expected"),
        (["--time", "soon"], "time control 'soon'"),
        (["-g", "ches"], "no game 'ches'"),
        (["-o", "/nowhere/m.pgn"], "no such folder"),
        (["-o", "m.txt"], "m.txt"),
        (["--nodes", "0"], "--nodes"),
        (["--games", "x"], "playout: --games, -n: Input should be a valid integer"),
        (["--openings", "none.epd"], "none.epd: No such file"),
    ],
)
def test_a_wrong_argument_gets_one_line(run: Run, words: list[str], said: str) -> None:
    done = run("match", "playout", "playout Seed=2", *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("playout Sped=2", "engine playout Sped=2: no option 'Sped': did you mean 'Seed'?"),
        ("no-such-program", "engine no-such-program: no such program"),
    ],
)
def test_an_engine_that_does_not_start_is_told_before_the_match(run: Run, engine: str, said: str) -> None:
    done = run("match", "playout", engine, "--nodes", "10")
    assert (done.status, done.out) == (2, "")
    assert said in done.err
