"""Targets for the texts of games: positions, moves, identifiers, records. What a definition of a game reads, its kernel
reads too, and both see the same moves."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.kernel import kernel_params
from playout.games import catalogue
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.game import action_to_text, is_over, text_to_action
from playout.games.support import sgf
from playout.games.support.backgammon.position_id import from_position_id
from playout.games.support.backgammon.setup import Setup, from_gnubg_id, from_match_id, gnubg_id
from playout.games.support.backgammon.xgid import from_xgid, xgid
from playout.protocols.backgammon.fibs_board import fibs_board, from_fibs_board
from playout.protocols.base.katago_rules import read_rules
from playout.protocols.gtp import sgf as records
from playout.protocols.uci.cutechess_text import NOTATIONS
from playout.protocols.uci.go_command import UCI_WORDS, UGI_WORDS, parse_go
from playout.protocols.uci.variants import GAMES as VARIANTS

from .target import Target, one_line, text_target

IDS = Path(__file__).parents[1] / "games" / "support" / "gnubg_ids.txt"
GAMES = ("tic_tac_toe", "connect_four", "hex:5,swap=true", "go:5", "chess", "chess:true,position=0", "backgammon")
RECORDS = (
    "(;FF[4]GM[1]SZ[5]KM[6.5]HA[2]AB[aa][bb]PL[W];W[cc]C[a \\] b];B[](;W[tt])(;W[dd]))",
    "(;FF[4]GM[11]SZ[5];B[a2];W[swap-pieces];B[c3];W[ba])",
    "(;GM[1]AB[aa:cc]AE[bb]RE[B+R]PB[one]PW[two];B[dd];W[resign])",
)


def positions(name: str) -> Target:
    """A game's position text: what is read is written, read again and understood by the kernel."""
    game: Any = catalogue.load(name)

    def read(text: str) -> None:
        state = game.state_from_text(text)
        written = game.state_to_text(state)
        again = game.state_from_text(written)
        assert game.state_to_text(again) == written, f"{written!r} is written as {game.state_to_text(again)!r}"
        legal = sorted(action_to_text(game, state, action) for action in game.legal_actions(state))
        assert legal == sorted(action_to_text(game, again, action) for action in game.legal_actions(again))
        _agrees(game, state, written, legal)

    return text_target(
        f"position-{_plain(name)}", read, lambda: [game.state_to_text(state) for state in _states(game)], longest=200
    )


def _agrees(game: Any, state: Any, text: str, legal: list[str]) -> None:
    kernel = _core.Position(kernel_of(game), kernel_params(game), text)  # type: ignore[arg-type]
    assert sorted(kernel.action_text(action) for action in kernel.actions()) == legal
    assert (kernel.result() is not None) == is_over(game, state)
    if legal:
        assert kernel.player() == game.current_player(state)


def moves(name: str) -> Target:
    """Texts of moves, of the start and of positions of some games: legal moves or refused, as by the kernel."""
    game: Any = catalogue.load(name)
    states = list(_states(game))
    kernels = [
        _core.Position(kernel_of(game), kernel_params(game), game.state_to_text(state))  # type: ignore[arg-type]
        for state in states
    ]

    def run(data: bytes) -> None:
        if not data:
            return
        number = data[0] % len(states)
        state, text = states[number], data[1:].decode("utf-8", "replace")
        try:
            action = text_to_action(game, state, text)
        except IllegalMove as error:
            one_line(error)
            return
        assert action in game.legal_actions(state)
        assert text_to_action(game, state, action_to_text(game, state, action)) == action
        own = kernels[number].parse_action(action_to_text(game, state, action))
        assert own in kernels[number].actions()

    def seeds() -> Iterable[bytes]:
        for number, state in enumerate(states[:50]):
            for action in list(game.legal_actions(state))[:3]:
                yield bytes([number]) + action_to_text(game, state, action).encode()

    return Target(f"moves-{_plain(name)}", run, seeds, longest=60)


def _states(game: Any) -> list[Any]:
    """Positions of some random games."""
    rng, found = random.Random(1), [game.initial_state()]
    for _ in range(4):
        state = game.initial_state()
        for ply in range(60):
            legal = game.legal_actions(state)
            if not legal:
                break
            state = game.next_state(state, rng.choice(list(legal)))
            if ply % 7 == 0:
                found.append(state)
        found.append(state)
    return found


def _plain(name: str) -> str:
    return name.partition(":")[0] + ("960" if name.startswith("chess:") else "")


def _setup(read: Callable[[str], Setup]) -> Callable[[str], None]:
    def check(text: str) -> None:
        setup = read(text)
        assert from_xgid(xgid(setup)).checkers == setup.checkers
        assert from_gnubg_id(gnubg_id(setup)).checkers == setup.checkers
        assert from_fibs_board(fibs_board(setup)).checkers == setup.checkers

    return check


def _records(text: str) -> None:
    for read in (sgf.main_line, sgf.tree):
        try:
            nodes: Any = read(text)
        except PlayoutError as error:
            one_line(error)
        else:
            if read is sgf.main_line:
                # What has no name or no value cannot be written.
                nodes = [{key: values for key, values in node.items() if key and values} for node in nodes]
                assert sgf.main_line(sgf.write(nodes)) == nodes
    for game in (catalogue.load("go:5"), catalogue.load("hex:5,swap=true")):
        try:
            record = records.load(text, game)
        except PlayoutError as error:
            one_line(error)
        else:
            assert records.load(records.save(record), game) == record


def _cutechess(text: str) -> None:
    first, _, rest = text.partition("\n")
    for variant, notation in NOTATIONS.items():
        game: Any = catalogue.load(VARIANTS[variant])
        try:
            state = game.state_from_text(notation.position(first)) if first else game.initial_state()
            line = notation.read(state, rest.split())
            written = notation.write(state, line)
            assert notation.read(state, written) == line
        except PlayoutError as error:
            one_line(error)


def _rules(text: str) -> None:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = text
    read_rules(given if isinstance(given, dict) else text)


def _go_words(text: str) -> None:
    for words in (UCI_WORDS, UGI_WORDS):
        for player in (0, 1):
            limits, complaint = parse_go(text.split(), words, player, 0.0)
            assert limits.movetime is None or limits.movetime > 0
            assert complaint is None or len(complaint.splitlines()) == 1


def _game_names(text: str) -> None:
    if ".py" not in text:  # would be carried out
        catalogue.load(text)


def _xgids() -> list[str]:
    return [line.split()[0] for line in IDS.read_text(encoding="ascii").splitlines()[:30]]


def _gnubg_ids() -> list[str]:
    return [line.split()[1] for line in IDS.read_text(encoding="ascii").splitlines()[:30]]


TARGETS = (
    *(positions(name) for name in GAMES),
    *(moves(name) for name in GAMES),
    text_target("xgid", _setup(from_xgid), _xgids),
    text_target("gnubg-id", _setup(from_gnubg_id), _gnubg_ids),
    text_target("position-id", from_position_id, lambda: [text.partition(":")[0] for text in _gnubg_ids()]),  # type: ignore[arg-type]
    text_target("match-id", from_match_id, lambda: [text.partition(":")[2] for text in _gnubg_ids()]),  # type: ignore[arg-type]
    text_target(
        "fibs-board", _setup(from_fibs_board), lambda: [fibs_board(from_xgid(text)) for text in _xgids()], longest=600
    ),
    text_target(
        "record", _records, lambda: RECORDS, lambda: ["GM[11]", "SZ[", "AB[", "AE[", ";B[", "HA[", "PL["], longest=2000
    ),
    text_target(
        "cutechess",
        _cutechess,
        lambda: [
            "3/1P1/3[PPPPpppp] b - - 0 1\np@a1 P@b1",
            f"7/7/7/7/7/3P3[{'P' * 20}{'p' * 21}] b - - 0 1\np@d2 P@a1",
            "\nP@d1 p@d2",
        ],
    ),
    text_target(
        "katago-rules",
        _rules,
        lambda: ["chinese", "tromp-taylor", '{"ko":"SIMPLE","scoring":"AREA","tax":"NONE","suicide":true}'],
        lambda: ["whiteHandicapBonus", "friendlyPassOk", "hasButton", "SITUATIONAL", "TERRITORY", "SEKI", "komi"],
    ),
    text_target(
        "go-command",
        _go_words,
        lambda: ["wtime 1000 btime 900 winc 10 binc 10 movestogo 5", "infinite searchmoves e2e4", "p1time 5 mate 3"],
        lambda: UCI_WORDS.all | UGI_WORDS.all,
    ),
    text_target(
        "game-name", _game_names, lambda: ["hex:11,swap=true", "go:9,komi=5.5,ko=simple", "chess:true,position=518"]
    ),
)
