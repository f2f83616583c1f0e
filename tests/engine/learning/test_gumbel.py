"""Gumbel self-play, whose positions are judged in Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playout.engine import _core
from playout.engine.learning.data.records import Kind, RecordFile
from playout.engine.learning.training.settings import Aims
from playout.engine.learning.training.workshop import full_name, workshop_of
from playout.games import catalogue

AIMS = Aims(result_share=0.5, every_value=True, values=True, choices=True)
GAMES = 8


@dataclass(frozen=True)
class Manner:
    simulations: int = 12
    cheap_simulations: int = 4
    full_share: float = 0.5
    considered: int = 8
    value_scale: float = 1.0
    random_plies: int = 2


class Desk:
    """Self-play of ``name`` with room for what goes in and out."""

    def __init__(self, name: str, seed: int = 1) -> None:
        made = workshop_of(catalogue.load(name))
        self.play: _core.SelfPlay = made.self_play(Manner(), AIMS, games=GAMES, seed=seed)
        (columns, rows, planes), self.results, self.slots, self.scored = self.play.shape()
        self.cells = columns * rows
        self.inputs = self.room(GAMES, planes * self.cells)

    @staticmethod
    def room(*sides: int) -> Any:
        return np.full(sides, 5.0, np.float32)

    def go_on(self, seed: int = 1) -> int:
        """Judges at random until games are over; returns their number."""
        random = np.random.default_rng(seed)
        over = 0
        while not over:
            over = self.play.ask(self.inputs)
            outcomes = random.normal(size=(GAMES, len(self.results))).astype(np.float32)
            self.play.tell(outcomes, random.normal(size=(GAMES, self.slots)).astype(np.float32))
        return over

    def rows(self, count: int) -> tuple[int, list[Any]]:
        ends = (self.cells, 1) if self.scored else (0, 0)
        widths = (self.inputs.shape[1], len(self.results), len(self.results), self.slots, self.slots, *ends)
        buffers = [self.room(count, width) for width in widths]
        return self.play.take(*buffers), buffers


def test_rows_are_positions_of_games_that_are_over() -> None:
    desk = Desk("hex:3")
    assert desk.rows(10)[0] == 0
    desk.go_on()
    assert np.isin(desk.inputs, (0.0, 1.0)).all()
    assert desk.play.waiting() > 0
    count, (planes, targets, own, shares, policies, *ends) = desk.rows(200)
    assert (desk.play.waiting(), [end.size for end in ends]) == (0, [0, 0])
    assert 0 < count < 200
    assert np.allclose(targets[:count].sum(1), 1.0, atol=1e-5)
    assert not own[:count].any()
    learned = shares[:count].sum(1) > 0
    assert learned.any()
    assert np.allclose(shares[:count][learned].sum(1), 1.0, atol=1e-3)
    stones = planes[:count, :9] + planes[:count, 9:18]
    assert np.array_equal(policies[:count][learned] < 0, stones[learned] > 0)
    assert desk.rows(10)[0] == 0


def test_games_are_those_of_their_seed() -> None:
    def rows(seed: int) -> Any:
        desk = Desk("hex:4", seed)
        desk.go_on()
        count, buffers = desk.rows(100)
        return np.concatenate([buffer[:count].ravel() for buffer in buffers])

    assert np.array_equal(rows(1), rows(1))
    assert rows(1).shape != rows(2).shape or not np.array_equal(rows(1), rows(2))


def test_records_are_rows_too(tmp_path: Path) -> None:
    game = catalogue.load("hex:3")
    games = [(None, 1.0, ["a1", "b1", "a2", "b2", "a3"], None)]
    workshop_of(game).append(tmp_path / "games", games)
    desk = Desk("hex:3")
    assert desk.play.read(tmp_path / "games") == 1
    count, (planes, targets, _, shares, *_) = desk.rows(20)
    assert (count, targets[:count, 0].tolist()) == (5, [1.0, 0.0, 1.0, 0.0, 1.0])
    assert sorted(planes[:count, :18].sum(1)) == [0, 1, 2, 3, 4]
    assert (shares[:count].max(1) == 1.0).all()
    with pytest.raises(ValueError, match=r"games: .*hex:size=3,swap=false.* instead of .*size=4"):
        Desk("hex:4").play.read(tmp_path / "games")


@pytest.mark.parametrize(
    ("name", "what"),
    [("connect_four", "one net with a policy"), ("backgammon", "one net"), ("tic_tac_toe", "planes of a board")],
)
def test_games_without_planes_are_refused(name: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        Desk(name)


def test_arrays_of_another_size_are_refused() -> None:
    desk = Desk("hex:3")
    with pytest.raises(BufferError):
        desk.play.ask(Desk.room(GAMES, 5))
    with pytest.raises(BufferError):
        desk.play.ask(np.zeros(desk.inputs.shape))
    desk.play.ask(desk.inputs)
    answer = Desk.room(GAMES, 2), Desk.room(GAMES, desk.slots)
    with pytest.raises(BufferError):
        desk.play.tell(Desk.room(1, 2), answer[1])
    with pytest.raises(ValueError, match="have not been judged"):
        desk.play.ask(desk.inputs)
    desk.play.tell(*answer)
    with pytest.raises(ValueError, match="no positions wait"):
        desk.play.tell(*answer)
    assert full_name(catalogue.load("hex:3")) == "hex:size=3,swap=false"
    assert desk.go_on() > 0


def test_rows_of_go_say_who_holds_the_points_in_the_end() -> None:
    desk = Desk("go:3,komi=0.5")
    for seed in range(3):
        desk.go_on(seed)
    count, (planes, targets, *_, owners, points) = desk.rows(500)
    assert 0 < count < 500
    # The komi of the mover is in a plane, in tens of points.
    assert np.allclose(points[:count, 0], owners[:count].sum(1) + 10 * planes[:count, 12 * 9], atol=1e-5)
    assert np.isin(owners[:count], (-1.0, 0.0, 1.0)).all()
    values = targets[:count, 0] - targets[:count, 1]
    assert np.array_equal(values > 0, points[:count, 0] > 0)


def test_games_are_kept_as_records_to_which_others_are_added(tmp_path: Path) -> None:
    path = tmp_path / "r"
    desk = Desk("hex:3")
    assert desk.play.keep(path) == 0
    desk.go_on()
    over = desk.play.waiting()
    assert not list(RecordFile(path)), "they are kept when their rows are taken"
    desk.rows(200)
    first = list(RecordFile(path))
    assert len(first) == over
    assert {int(kind) for game in first for kind in game.kinds} <= {Kind.NOT, Kind.VALUE, Kind.VISITS}
    assert any(Kind.VISITS in game.kinds for game in first)
    other = Desk("hex:3", seed=2)
    assert other.play.keep(path) == over, "a run that goes on adds its games"
    other.go_on()
    other.rows(200)
    assert len(list(RecordFile(path))) > over
    assert other.play.read(path) == len(list(RecordFile(path))), "they are games to learn from"
    for name, why in (("", "Is a directory"), ("../none/r", "No such file")):
        with pytest.raises(ValueError, match=why):
            desk.play.keep(tmp_path / name)
