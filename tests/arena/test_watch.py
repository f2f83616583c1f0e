"""``playout watch``: the standings of a tournament that is over, is played, or has not begun."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from playout.arena.cup import Cup
from playout.arena.file.reader import read
from playout.arena.local import LocalRun
from playout.cli.arena import watch
from playout.cli.console import console
from playout.cli.main import main
from playout.games.errors import PlayoutError

CUP = "engines: {one: {}, two: {}}\ngame: tic_tac_toe\nnodes: 5\ngames: 4\n"


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    path = tmp_path / "cup.yaml"
    path.write_text(CUP)
    return path


def play(cup: Path, games: int) -> None:
    """Plays ``games`` games of a tournament, or a pair more."""
    ended = 0

    def count(_: object) -> None:
        nonlocal ended
        ended += 1
        if ended >= games:
            run.stop()

    with Cup(read(cup), cup.parent, cup.with_suffix(".arena")) as made:
        run = LocalRun(made.coordinator, 1, count)
        run.run()


def test_a_tournament_is_shown_once_in_a_pipe(cup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play(cup, 2)
    assert main(["watch", str(cup)]) == 0
    out = capsys.readouterr().out
    assert "tic_tac_toe: tic_tac_toe, 2 of 4 games" in out
    assert out.rstrip().endswith("under way")


def test_on_a_terminal_it_is_shown_until_it_is_over(
    cup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(cup, 2)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(type(console()), "is_terminal", True)
    monkeypatch.setattr(console(), "is_interactive", True)
    monkeypatch.setattr(watch, "time", SimpleNamespace(sleep=lambda _: play(cup, 4)))
    assert watch.command(cup) == 0
    out = capsys.readouterr().out
    assert "2 of 4 games" in out
    assert "4 of 4 games" in out
    assert out.index("under way") < out.index("finished")


def test_a_tournament_that_has_not_begun_is_told(cup: Path) -> None:
    with pytest.raises(PlayoutError, match=r"cup\.arena: no such file"):
        watch.command(cup)
