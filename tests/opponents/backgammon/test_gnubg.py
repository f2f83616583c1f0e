"""GNU Backgammon on the other side of a socket: as referee and opponent of the engine, and as an engine that we ask."""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import threading
from collections.abc import Iterator, Set
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo
from playout.engine.terms.limits import Limits
from playout.games.backgammon import START, Backgammon, State, hops
from playout.games.errors import ProtocolError
from playout.games.support.backgammon.setup import Match, Setup
from playout.games.support.backgammon.xgid import from_xgid
from playout.protocols.backgammon.fibs_board import fibs_board, from_fibs_board
from playout.protocols.backgammon.gnubg_client import GnubgClient, GnubgProcess, find_gnubg

from ...needs import needs
from ...patience import PATIENCE
from ..pipe import Pipe, playout

GNUBG = find_gnubg()
pytestmark = needs("gnubg")

GAME = Backgammon()
OPPONENT = ("gnubg", "chequer evaluation plies 0", "cube evaluation plies 0")
OPENINGS = {21: "13/11 6/5", 31: "8/5 6/5", 42: "8/4 6/4", 53: "8/3 6/3", 61: "13/7 8/7", 65: "24/13"}
"""Plays of the opening roll; of 21 GNU Backgammon's choice at 0 ply may be another one."""


def referee(place: str, seats: Set[int], match: str, home: Path) -> tuple[str, str]:
    """A match that GNU Backgammon plays at 0 ply, the player at ``place`` on ``seats``: what it printed, its record."""
    commands = [
        "set rng mersenne",
        "set seed 11",
        "set threads 1",
        *(f"set player {other} {words}" for other in {0, 1} - seats for words in OPPONENT),
        *(f"set player {seat} external {place}" for seat in seats),
        "set automatic game on",
        *match.split(";"),
        f"export match mat {home / 'match.mat'}",
        "show score",
    ]
    assert GNUBG is not None
    (home / ".gnubg").mkdir(exist_ok=True)
    done = subprocess.run(
        [GNUBG, "--tty", "--quiet", "--no-rc"],
        input="".join(f"{command}\n" for command in commands),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "HOME": str(home), "LC_ALL": "C"},
        check=False,
    )
    return done.stdout, (home / "match.mat").read_text()


PLAY = re.compile(r"(?<!\S)([1-6])([1-6]):((?: \d+/\d+\*?)*)")


def games(record: str) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yields for each game of a match record the first player, 0 or 1, and the alternating rolls with their plays."""
    for game in record.split("\n Game ")[1:]:
        first = re.search(r"^ *1\)( *)\S", game, re.MULTILINE)
        assert first is not None, game
        yield int(len(first[1]) > 5), [(match[1] + match[2], match[3].strip()) for match in PLAY.finditer(game)]


def replayed(record: str, ours: Set[int]) -> int:
    """Plays every game of a record by our rules, which must allow every move; how many plays of ours it has."""
    count = 0
    for player, plays in games(record):
        state = State((START, START), player, None)
        for roll, play in plays:
            count += state.player in ours
            state = GAME.next_state(state, GAME.text_to_action(state, roll))
            # An empty move is right only where there is none: GNU Backgammon takes an illegal one for empty.
            state = GAME.next_state(state, GAME.text_to_action(state, play or "pass"))
    return count


@pytest.mark.parametrize(
    ("seats", "match"),
    [
        ({0}, "set cube use off;new match 1"),
        ({1}, "set cube use on;new match 3"),
        ({0, 1}, "set cube use on;new match 2"),
    ],
)
def test_gnu_backgammon_plays_a_match_with_the_engine(seats: Set[int], match: str, tmp_path: Path) -> None:
    """On either seat, and on both, where it only rolls the dice. Every play of the record is legal by our rules and
    none of ours was refused; the match comes to its end."""
    options = ("--option", "MaxNodes=40", "--option", "Seed=1")
    with Pipe(playout("gnubg", "--listen", "127.0.0.1:0", *options)) as engine:
        place = engine.error_line().rpartition(" ")[2]
        printed, record = referee(place, seats, match, tmp_path)
    assert "has won the match" in printed, printed[-2000:]
    assert "External connection closed" not in printed
    assert replayed(record, seats) > 10, record


@pytest.fixture(scope="module")
def gnubg() -> Iterator[GnubgClient]:
    with GnubgProcess(plies=0) as process, process.connect(PATIENCE) as client:
        yield client


def test_it_says_who_it_is(gnubg: GnubgClient) -> None:
    assert gnubg.version()["Interface"] == "2"


def test_a_game_between_gnu_backgammon_and_itself_by_our_rules(gnubg: GnubgClient) -> None:
    """Rolls are ours, from a seed; each of its plays must be legal, and the game must end."""
    rng, state, plays = random.Random(2), GAME.initial_state(), 0
    while GAME.returns(state) is None:
        if state.dice is None:
            state = GAME.next_state(state, rng.choice(GAME.legal_actions(state)))
            continue
        action = gnubg.choose(GAME, state)
        assert action in GAME.legal_actions(state)
        state, plays = GAME.next_state(state, action), plays + 1
    assert plays > 20


@pytest.mark.parametrize("roll", OPENINGS)
@pytest.mark.parametrize("player", [0, 1])
def test_opening_plays(gnubg: GnubgClient, roll: int, player: int) -> None:
    """The same for both seats: points are numbered, and sides told apart, as GNU Backgammon does."""
    state = State((START, START), player, divmod(roll, 10))
    chosen = gnubg.choose(GAME, state)
    if roll != 21:
        assert chosen == GAME.text_to_action(state, OPENINGS[roll])
    assert hops(state, chosen)[0]


def test_decisions_about_the_cube(gnubg: GnubgClient) -> None:
    def decide(xgid: str) -> str:
        return gnubg.decide(from_xgid(xgid))

    start = "XGID=-b----E-C---eE---c-e----B-"
    assert decide(f"{start}:0:0:1:00:0:0:0:0:10") == "roll"
    assert decide(f"{start}:0:0:1:D:0:0:0:0:10") == "beaver"
    ahead = "XGID=-CDDCA--------------cddca-"
    assert decide(f"{ahead}:0:0:1:00:0:0:0:0:10") == "double"
    assert decide(f"{ahead}:0:0:1:D:0:0:0:0:10") == "drop"
    assert decide(f"{ahead}:0:0:-1:D:0:0:0:0:10") == "beaver"


def test_the_score_goes_to_the_right_player(gnubg: GnubgClient) -> None:
    """Two points of three: GNU Backgammon's chances of the match tell whose they are."""
    for player in (0, 1):
        for scores in ((2, 0), (0, 2)):
            setup = Setup((START, START), Match(player=player, length=3, scores=scores))
            assert (gnubg.evaluate(setup)[1] > 0.6) == (scores[player] == 2)


def test_evaluation(gnubg: GnubgClient) -> None:
    chances, equity = gnubg.evaluate(Setup((START, START)))
    assert chances.win == pytest.approx(0.5215, abs=0.001)
    assert equity == pytest.approx(chances.equity, abs=1e-4)


def test_what_is_wrong_is_an_error(gnubg: GnubgClient) -> None:
    with pytest.raises(ProtocolError, match="Error: syntax error"):
        gnubg._ask("nonsense")
    with pytest.raises(ProtocolError, match="bytes"):
        gnubg._ask("x" * 300)
    assert gnubg.version()["Interface"] == "2"


def test_the_engine_s_plays_cost_little_by_gnu_backgammon_s_judgement(gnubg: GnubgClient) -> None:
    """Decisions from a game of GNU Backgammon's own, which the engine makes with 200 simulations and without a book."""
    events: SimpleQueue[Any] = SimpleQueue()
    session = Session(GAME, post=events.put)
    for option, value in (("OwnBook", "false"), ("Seed", "1")):
        session.set_option(option, value)
    rng, state, costs = random.Random(5), GAME.initial_state(), []

    def worth(after: State) -> float:
        """Value for the player who has just moved."""
        return -gnubg.evaluate(Setup(after.checkers, Match(player=after.player)))[1]

    while GAME.returns(state) is None:
        legal = GAME.legal_actions(state)
        if state.dice is None:
            state = GAME.next_state(state, rng.choice(legal))
            continue
        best = GAME.next_state(state, gnubg.choose(GAME, state))
        if len(legal) > 1 and GAME.returns(best) is None:
            session.set_position(GAME.state_to_text(state), ())
            session.go(Limits(nodes=200))
            result = events.get(timeout=PATIENCE)
            while isinstance(result, SearchInfo):
                result = events.get(timeout=PATIENCE)
            costs.append(worth(best) - worth(GAME.next_state(state, GAME.text_to_action(state, result.move))))
        state = best
    session.close()
    assert len(costs) > 20
    assert sum(costs) / len(costs) < 0.08, costs  # 0.045 of a point when it was measured


def unordered(line: str) -> tuple[list[str], set[str]]:
    """A line without the order of the dice, and without the flag that the Crawford game is over, which we need not."""
    fields = line.split(":")
    return [*fields[:33], *fields[37:51], fields[52]], set(fields[33:37])


@pytest.mark.parametrize("seat", [0, 1])
def test_the_lines_that_it_sends(seat: int, tmp_path: Path) -> None:
    """Every line of a match, doubles among them, comes out of what was read from it as it was."""
    received: list[bytes] = []

    def answer(connection: socket.socket) -> None:
        with connection:
            while data := connection.recv(4096):
                received.append(data)
                setup = from_fibs_board(data.decode().strip("\n\0"))
                state = State(setup.checkers, setup.match.player, setup.match.dice)
                if state.dice is not None:
                    done, _ = hops(state, GAME.legal_actions(state)[0])
                    text = " ".join(f"{source}/{target}" for source, target, _ in done)
                else:
                    text = "take" if setup.match.doubled else "roll"
                connection.sendall(f"{text}\n".encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=lambda: answer(server.accept()[0]), daemon=True)
        thread.start()
        place = f"localhost:{server.getsockname()[1]}"
        printed, record = referee(place, {seat}, "set cube use on;new match 5", tmp_path)
        thread.join(PATIENCE)
    assert "has won the match" in printed
    assert replayed(record, {seat}) > 10
    doubles = 0
    for data in received:
        line = data.decode()
        setup = from_fibs_board(line.strip("\n\0"))
        first, second = line.split(":")[1:3]
        ours = fibs_board(setup, (first, second) if setup.match.doubled else (second, first)) + "\n\0"
        assert unordered(ours) == unordered(line)
        assert setup.match.decider == 1 - seat, "player 1 of GNU Backgammon's is our player 0"
        doubles += setup.match.doubled
    assert doubles > 0
