"""The command line: dispatch, help, and one clear line about each wrong input."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from playout.cli.app import make_app
from playout.cli.main import main
from playout.cli.settings import read_settings
from playout.games.errors import PlayoutError

from ..needs import FULL_DISK
from ..patience import PATIENCE


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for name in (
        "uci",
        "ugi",
        "gtp",
        "play",
        "demo",
        "games",
        "solve",
        "perft",
        "bench",
        "check",
        "book",
        "serve",
        "connect",
    ):
        assert f" {name} " in out
    assert main([]) == 0
    assert capsys.readouterr().out == out


def test_every_command_shows_its_help_as_it_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for words, helps in _helps(get_command(make_app()), []):
        assert main([*words, "--help"]) == 0
        out = "".join(capsys.readouterr().out.split())
        for text in helps:
            assert "".join(text.split()) in out, f"{words}: {text}"
        shown.append(words)
    assert ["arena", "work"] in shown
    assert ["perft"] in shown


def _helps(command: Any, words: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yields the words of each command that has a --help, with the help texts of its parameters."""
    if command.add_help_option:
        yield words, [param.help for param in command.params if getattr(param, "help", None)]
    for name, child in getattr(command, "commands", {}).items():
        yield from _helps(child, [*words, name])


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("playout")


@pytest.mark.parametrize("protocol", ["uci", "ugi", "gtp"])
def test_an_engine_has_a_help_of_its_own(protocol: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([protocol, "--help"])
    assert ended.value.code == 0
    assert "--config FILE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chess"], "No such command 'chess'"),
        (["perft", "--depth", "many"], "--depth: "),
        (["perft", "--deep"], "--deep"),
        (["perft", "--game", "ches"], "no game 'ches': did you mean 'chess'?"),
        (["perft", "--game", "tic_tac_toe", "--python", "--position", "x"], "not a tic-tac-toe position"),
        (["check"], "GAME"),
        (["check", "nowhere.py:Game"], "no file 'nowhere.py'"),
        (["play", "--game", "tic_tac_toe:4"], "tic_tac_toe: too many parameters"),
        (["demo", "--game", "shogi"], "demo does not have shogi"),
        (["uci", "--game", "shogi"], "no game 'shogi'"),
        (["gtp", "--option", "Hash"], "--option 'Hash': expected NAME=VALUE"),
        (["ugi", "--config", "nowhere.yaml"], "nowhere.yaml: "),
        (["uci", "--gme", "go"], "uci: unrecognized arguments: --gme go"),
        (["uci", "--game"], "uci: argument --game: expected one argument"),
    ],
)
def test_wrong_input_gets_one_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("playout: ")
    assert words in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("Hash", "0", "is not between 1 and 65536"),
        ("Seed", "-1", "is not between 0 and 2147483647"),
        ("Hsh", "1", "no option 'Hsh'"),
        ("Solver", "maybe", "neither true"),
    ],
)
def test_a_wrong_option_ends_an_engine_before_it_speaks(
    name: str, value: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["uci", "--game", "tic_tac_toe", "--option", f"{name}={value}"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1


def test_games_lists_names_parameters_and_descriptions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    assert "tic_tac_toe" in out
    assert "Three in a row on three by three." in out
    assert "hex" in out
    assert "size=" in out


def test_protocols_lists_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protocols", "ugi"]) == 0
    out = capsys.readouterr().out
    assert "playout ugi: " in out
    assert "query p1turn|gameover|result" in out
    assert main(["protocols", "chess"]) == 2
    assert "no protocol 'chess': one of uci" in capsys.readouterr().err


def test_protocols_writes_the_tables_of_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tmp_path / "protocols.md"
    document.write_text("Nothing.\n")
    assert main(["protocols", "--markdown", str(document)]) == 2
    assert document.read_text() == "Nothing.\n"
    assert main(["protocols", "--markdown", str(tmp_path / "nowhere.md")]) == 2
    err = capsys.readouterr().err
    assert "no table of 'uci'" in err
    assert err.count("\n") == 2


def test_perft_by_the_definition(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "--game", "tic_tac_toe", "--depth", "5", "--python"]) == 0
    assert "tic_tac_toe depth 5: 15120 in" in capsys.readouterr().out


def test_perft_divides(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["perft", "--game", "tic_tac_toe", "--depth", "2", "--position", "xo1/3/2x o", "--divide"]
    assert main([*arguments, "--python"]) == 0
    definition = capsys.readouterr().out.splitlines()
    assert main(arguments) == 0
    kernel = capsys.readouterr().out.splitlines()
    assert sorted(kernel[:-1]) == sorted(definition[:-1])
    assert len(kernel) == 7
    assert "tic_tac_toe depth 2: 30 in" in kernel[-1]
    assert kernel[-1].endswith("(kernel)")


def test_check_reports_problems_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.py").write_text(
        "from playout.games.tic_tac_toe import TicTacToe\n\n\nclass Bad(TicTacToe):\n    max_game_length = 2\n"
    )
    assert main(["check", f"{tmp_path}/bad.py:Bad", "--games", "1"]) == 1
    out = capsys.readouterr().out
    assert "length: a game is 3 plies long; max_game_length says 2" in out
    assert "tic_tac_toe: 1 problem\n" in out
    assert main(["check", "tic_tac_toe", "--games", "2"]) == 0
    assert "tic_tac_toe: no problem found in 2 random games (seed 0)" in capsys.readouterr().out


def test_a_list_in_the_configuration_names_several_files(tmp_path: Path) -> None:
    file = tmp_path / "playout.yaml"
    file.write_text("options:\n  BookFile: [a b.book, c.bin]\n")
    settings = read_settings("hex:11", None, [], file)
    assert settings.options == (("BookFile", "a b.book;c.bin"),)
    file.write_text("options:\n  BookFile: [[a]]\n")
    with pytest.raises(PlayoutError, match="lists of files"):
        read_settings("hex:11", None, [], file)


def test_settings_come_from_the_file_and_then_from_the_words(tmp_path: Path) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text("game: hex:7\noptions:\n  Hash: 64\n  OwnBook: false\n  Exploration: 0.5\n")
    settings = read_settings("chess", None, ["Hash=32"], file)
    assert settings.game == "hex:7"
    assert settings.options == (("Hash", "64"), ("OwnBook", "false"), ("Exploration", "0.5"), ("Hash", "32"))
    assert read_settings("chess", "go:9", [], file).game == "go:9"
    assert read_settings("chess", None, [], None).game == "chess"


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "- 1",
        "gme: go",
        "game: 9",
        "options: [1]",
        "options:\n  Hash: [1]",
        "a: b: c",
        "\tgame: go",
        "game: \x00",
        "game: 2001-13-01",
        "game: !!timestamp x",
        "game: !!bool x",
        "game: !!int ''",
        pytest.param("[" * 1000, id="deep"),
    ],
)
def test_a_wrong_file_gets_one_line(text: str, tmp_path: Path) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text(text)
    with pytest.raises(PlayoutError) as raised:
        read_settings("chess", None, [], file)
    assert str(raised.value).startswith(f"{file}: ")
    assert "\n" not in str(raised.value)


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "engine.yaml"
    file.write_text(json.dumps(None))
    assert read_settings("chess", None, [], file).options == ()


@pytest.mark.long
@FULL_DISK
def test_output_that_cannot_be_written_is_one_line() -> None:
    command = [sys.executable, "-c", "import sys; from playout.cli.main import main; sys.exit(main(['games']))"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (2, "playout: No space left on device\n")


@pytest.mark.parametrize(
    ("closed", "words", "status", "said"),
    [
        (">&-", "uci", 2, "playout: standard output is closed\n"),
        (">&-", "xboard", 2, "playout: standard output is closed\n"),
        ("2>&- <&-", "gtp", 0, ""),
        ("2>&-", "gtp --nonsense", 2, ""),
    ],
)
def test_streams_may_be_closed(closed: str, words: str, status: int, said: str) -> None:
    program = "import sys; from playout.cli.main import main; sys.exit(main())"
    command = ["sh", "-c", f'exec "$0" -c "$1" {words} {closed}', sys.executable, program]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", said)
