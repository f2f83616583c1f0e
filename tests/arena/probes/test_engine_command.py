"""The command ``playout engine check``: what it prints, its exit status, and its end whatever the engine does."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from playout.cli.main import main

from ...needs import needs, program
from .test_probes import wrong

DEAF = [sys.executable, "-c", "import time; time.sleep(3600)"]
FLOODING = [sys.executable, "-c", "while True: print('info depth 1' * 99)"]


def check(command: list[str], *arguments: str) -> int:
    """The exit status."""
    return main(["engine", "check", shlex.join(command), *arguments])


def test_a_finding_is_a_line_and_the_status_tells_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    rules = [["out", r"^=(\d*) Wrong$", r"=\1 "]]
    assert check(wrong("gtp", rules), "--protocol", "gtp", "--patience", "60") == 1
    *findings, summary = capsys.readouterr().out.splitlines()
    assert findings == [
        "error: name and version: expected: The commands name and version are answered by a line each, and the name is "
        "not empty. Came: '=' to 'name' (GTP 2 draft: name, version)"
    ]
    assert summary == "gtp: 52 behaviours probed, 1 error, 0 warnings"


def test_json_and_a_status_of_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    rules = [["out", "unknown command", "no such command"]]
    assert check(wrong("gtp", rules), "--json", "--patience", "60", "--protocol", "gtp") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["protocol"], told["errors"], told["warnings"]) == ("gtp", 0, 1)
    (finding,) = told["findings"]
    assert finding == {
        "name": "text of an unknown command",
        "severity": "warning",
        "expected": "The failure of an unknown command has the text: unknown command.",
        "came": "'? no such command' to 'playout-no_such_command'",
        "source": "GTP 2 draft: standard error messages",
    }


@pytest.mark.parametrize("protocol", ["uci", "ugi", "gtp", "xboard"])
@pytest.mark.parametrize("engine", [DEAF, FLOODING], ids=["deaf", "flooding"])
def test_an_engine_that_does_not_start_is_one_error(
    engine: list[str], protocol: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(engine, "--protocol", protocol, "--patience", "0.2") == 1
    finding, summary = capsys.readouterr().out.splitlines()
    assert finding.startswith("error: start: ")
    assert len(finding) < 500
    assert summary == f"{protocol}: 1 behaviour probed, 1 error, 0 warnings"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no_such_engine"], "no_such_engine: no such program on the path"),
        (["playout"], "engine 'playout': a command line expected, such as 'playout uci'"),
        (["playout ubgi"], "protocol 'ubgi': no probes; one of uci, ugi, gtp, xboard expected"),
        (["x", "--patience", "0"], "--patience 0: seconds above 0, at most 3600, expected"),
        (
            ["x", "--protocol", "ugi", "--game", "backgammon"],
            "--game backgammon: the probes have no dice",
        ),
        (["x", "--protocol", "gtp", "--game", "chess"], "--game chess: the probes of GTP are for square boards"),
        (["x", "--protocol", "xboard", "--game", "go"], "the probes of XBoard's protocol are for chess"),
        (["x", "--game", "chequers"], "chequers"),
        (["'x"], 'engine "\'x": No closing quotation'),
    ],
)
def test_wrong_input_is_a_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_program_that_the_system_cannot_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = tmp_path / "engine"
    engine.write_text("#!/no/such/interpreter\n")
    engine.chmod(0o755)
    assert check([str(engine)], "--patience", "60") == 2
    assert "the program cannot be started" in capsys.readouterr().err


@pytest.mark.slow
@needs("stockfish", "gnugo")
@pytest.mark.parametrize(
    ("name", "arguments"), [("stockfish", []), ("gnugo", ["--mode", "gtp", "--level", "1"])], ids=["stockfish", "gnugo"]
)
def test_peers_are_examined_to_the_end(name: str, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Also where they crash or fall silent."""
    path = program(name)
    assert path is not None
    protocol = "gtp" if name == "gnugo" else "uci"
    assert check([path, *arguments], "--json", "--patience", "2") in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert told["protocol"] == protocol
    assert told["probed"] > 40
