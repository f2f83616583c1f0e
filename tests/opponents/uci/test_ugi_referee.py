"""A match runner that knows no rules, as cutegames: under UGI it asks the engine who moves, and whether it is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..pipe import Pipe, forked

OWN = f"{Path(__file__).parents[2]}/users/mnk.py:Mnk"
"""A user's game in Python."""
GAMES = ("tic_tac_toe", "connect_four:5,4", "hex:3", "go:3", "chess", OWN)
LIMITS = ("nodes 60", "p1time 400 p2time 400 p1inc 10 p2inc 10", "movetime 20", "depth 1")
MOST_PLIES = 60


@pytest.fixture(params=GAMES, ids=lambda name: name.rpartition("/")[2])
def engine(request: pytest.FixtureRequest) -> Iterator[Pipe]:
    with Pipe(forked("ugi", "--game", request.param)) as engine:
        yield engine


def ask(engine: Pipe, question: str) -> str:
    """The answer to a query: exactly two words, or a match runner hangs."""
    engine.send(f"query {question}")
    word, answer = engine.line().split(" ")
    assert word == "response"
    return answer


def test_a_game_by_questions_alone(engine: Pipe) -> None:
    engine.send("ugi")
    options = engine.until("ugiok")
    assert "option name OwnBook type check default false" in options
    engine.send("setoption name Hash value 16", "isready", "uginewgame", "isready")
    engine.until("readyok")
    engine.until("readyok")
    moves: list[str] = []
    while len(moves) < MOST_PLIES:
        engine.send("position startpos" + (f" moves {' '.join(moves)}" if moves else ""), "isready")
        assert engine.until("readyok") == ["readyok"]
        if ask(engine, "gameover") == "true":
            break
        assert ask(engine, "result") == "none"
        assert ask(engine, "p1turn") == ("true" if len(moves) % 2 == 0 else "false")
        engine.send(f"go {LIMITS[len(moves) % len(LIMITS)]}")
        *reports, best = engine.until("bestmove")
        assert all(f" {word} " in reports[-1] for word in ("nodes", "time", "nps", "pv"))
        _, move = best.split(" ")
        assert reports[-1].partition(" pv ")[2].split()[0] == move
        moves.append(move)
    else:
        return
    assert ask(engine, "result") in ("p1win", "p2win", "draw")


@pytest.mark.parametrize("engine", ["chess", OWN], ids=["chess", "own"], indirect=True)
def test_infinite_searches_answer_and_stop(engine: Pipe) -> None:
    engine.send("position startpos", "go infinite", "isready")
    assert engine.until("readyok")[-1] == "readyok"
    engine.send("stop")
    assert len(engine.until("bestmove")[-1].split(" ")) == 2
    engine.send("go infinite", "quit")
    rest = engine.rest()
    assert sum(line.startswith("bestmove ") for line in rest) == 1
    assert engine.exit_status() == 0
