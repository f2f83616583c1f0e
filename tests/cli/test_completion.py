"""Completion of words in the shell."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time

import pytest

from playout.cli.app import MODULES
from playout.cli.completion.command import SCRIPTS, completions
from playout.cli.main import main
from playout.protocols.registry import PROTOCOLS

from ..opponents.pipe import playout
from ..patience import PATIENCE


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("playout pl", ["play"]),
        ("playout --v", ["--version"]),
        ("playout perft --de", ["--depth"]),
        ("playout play --game co", ["connect_four"]),
        ("playout play --game=co", ["--game=connect_four"]),
        ("playout play --side f", ["first"]),
        ("playout play --side=f", ["--side=first"]),
        ("playout solve he", ["hex"]),
        ("playout uci --lo", ["--log-file"]),
        ("playout gtp --options ", ["common", "all"]),
        ("playout uci --option Has", ["Hash="]),
        ("playout uci --option Mov", ["MoveTime=", "Move\\ Overhead="]),
        ("playout uci --option Move\\ ", ["Move\\ Overhead="]),
        ("playout serve --protocol xb", ["xboard"]),
        ("playout connect --tok", ["--token-file"]),
        ("playout book bu", ["build"]),
        ("playout book build --tr", ["--trim"]),
        ("playout arena run --log", ["--log-file"]),
        ("playout completion ", ["bash", "zsh", "fish"]),
        ("playout web --cup ", []),
        ("playout nonsense --", []),
        ("playout play --config 'my fi", []),
    ],
)
def test_the_last_word_is_completed(line: str, found: list[str]) -> None:
    assert completions("zsh", line) == found


def test_bash_keeps_what_stands_before_an_equals_sign() -> None:
    assert completions("bash", "playout play --side=f") == ["first"]


def test_every_command_completes_its_flags() -> None:
    assert {*PROTOCOLS, *MODULES, "serve", "connect", "completion"} <= set(completions("zsh", "playout "))
    for name in (*PROTOCOLS, *MODULES, "serve", "connect"):
        assert "--help" in completions("zsh", f"playout {name} -"), name


def test_a_wrong_shell_gets_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bsh"]) == 2
    assert main(["completion"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("playout: completion: no shell 'bsh'")
    assert second == "playout: completion: the name of a shell expected: one of bash, zsh, fish"


@pytest.mark.opponents
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("playout perf\t", "playout perft "),
        ("playout play --option Move\\ \t", "playout play --option Move\\ Overhead="),
    ],
)
def test_bash_completes_by_tab(typed: str, line: str) -> None:
    ours, its = pty.openpty()
    script = subprocess.run(playout("completion", "bash"), capture_output=True, text=True, check=True).stdout
    assert script == SCRIPTS["bash"]
    folder = os.path.dirname(playout()[0])
    environment = {**os.environ, "TERM": "dumb", "PS1": "> ", "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    shown = b""

    def until(text: str) -> None:
        nonlocal shown
        end = time.monotonic() + PATIENCE
        while text.encode() not in shown:
            assert select.select([ours], [], [], max(0.0, end - time.monotonic()))[0], shown
            shown += os.read(ours, 2**16)

    with subprocess.Popen(
        ["bash", "--norc", "-i"], stdin=its, stdout=its, stderr=its, env=environment, start_new_session=True
    ) as shell:
        os.close(its)
        os.write(ours, b"eval \"$(playout completion bash)\"; echo 're''ady'\n")
        until("ready\r\n")
        shown = b""
        os.write(ours, typed.encode())
        until(line)
        shell.kill()
    os.close(ours)
