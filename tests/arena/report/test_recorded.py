"""Results and pairs that files of games have."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.arena.play.referee import play
from playout.arena.report.recorded import Result, pairings, results_of
from playout.arena.report.records import RecordFile
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ..players import ScriptedDriver, job

PGN = """\
[White "a"]
[Black "b"]
[Result "{}"]

*

[White "b"]
[Black "a"]
[Result "{}"]

*

"""


def test_results_are_read_from_pgn_and_sgf(tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(PGN.format("1-0", "1/2-1/2") + PGN.format("*", "0-1"))
    assert list(results_of(tmp_path / "g.pgn")) == [
        Result(("a", "b"), 1.0),
        Result(("b", "a"), 0.5),
        Result(("b", "a"), 0.0),
    ]
    (tmp_path / "g.sgf").write_text("(;GM[1]PB[a]PW[b]RE[W+R])(;PB[a]PW[b]RE[?])(;PB[b]PW[a]RE[B+3.5])(;RE[0])")
    assert list(results_of(tmp_path / "g.sgf")) == [
        Result(("a", "b"), 0.0),
        Result(("b", "a"), 1.0),
        Result(("?", "?"), 0.5),
    ]


@pytest.mark.parametrize(("name", "said"), [("g.txt", ".pgn or .sgf expected"), ("none.pgn", "No such file")])
def test_a_file_without_results_is_told(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=said):
        list(results_of(tmp_path / name))


def test_games_with_exchanged_colours_are_pairs() -> None:
    results = [
        Result(("a", "b"), 1.0),
        Result(("b", "a"), 0.5),
        Result(("a", "b"), 1.0),
        Result(("a", "b"), 0.0),
        Result(("a", "a"), 1.0),
    ]
    [whole, single] = pairings(results, pairs=True)
    assert (whole.pairs.counts, whole.games.games) == ((0, 0, 0, 1, 0), 0)
    assert (single.first, single.games.wins, single.games.losses, single.starts) == ("a", 1, 1, True)
    assert sum(one.games.games for one in pairings(results, pairs=False)) == 4


def counts(file: Path) -> list[tuple[int, ...]]:
    """The counts of pairs in a file, and of single games."""
    found = pairings(results_of(file, moves=True), pairs=True)
    return [tuple(one.pairs.counts) for one in found if one.pairs.number] + [
        (one.games.wins, one.games.draws, one.games.losses) for one in found if one.games.games
    ]


GAMES = [("a", "b", "1-0"), ("a", "b", "0-1"), ("b", "a", "1-0"), ("b", "a", "0-1")]
"""Two pairs of two desks: a wins both games of the one to which the first and the last game belong, b those of the
other."""
QUEEN, ROOK = "8/8/8/8/8/2k5/8/K6Q w - - 0 1", "8/8/8/8/8/2k5/8/K6R w - - 0 1"


@pytest.mark.parametrize(
    ("tag", "values", "moves"),
    [
        ("Round", ["1/1/0", "1/2/0", "1/2/1", "1/1/1"], ["1. e4 e5"] * 4),
        ("FEN", [QUEEN, ROOK, ROOK, QUEEN], [""] * 4),
        ("Round", ["1", "2", "3", "4"], ["e4 {book} (d4 d5) e5 Nf3", "e4 e5 d4 exd4", "e4 e5 d4 d6", "e4 e5 Nf3"]),
    ],
    ids=["rounds", "positions", "moves"],
)  # fmt: skip
def test_games_of_several_desks_are_paired_by_their_openings(
    tag: str, values: list[str], moves: list[str], tmp_path: Path
) -> None:
    texts = [
        f'[White "{one}"]\n[Black "{two}"]\n[Result "{result}"]\n[{tag} "{value}"]\n\n{line} {result}\n\n'
        for (one, two, result), value, line in zip(GAMES, values, moves, strict=True)
    ]
    (tmp_path / "g.pgn").write_text("".join(texts))
    assert counts(tmp_path / "g.pgn") == [(1, 0, 0, 0, 1)]


def test_a_game_whose_record_names_a_pair_is_none_of_another(tmp_path: Path) -> None:
    """Rounds of one event are none of another's."""
    results = [
        Result(("a", "b"), 1.0, "cup/1/1"),
        Result(("b", "a"), 0.0, "cup/1/2"),
        Result(("b", "a"), 1.0, "cup 2/1/1"),
        Result(("a", "b"), 1.0),
    ]
    assert all(one.pairs.number == 0 for one in pairings(results, pairs=True))


def test_the_records_of_two_desks_keep_their_pairs(tmp_path: Path) -> None:
    """In SGF too."""
    game = catalogue.load("hex:3")
    file = RecordFile(tmp_path / "g.sgf", game, "cup")
    file.rewrite([])
    for pair_, number in ((1, 0), (2, 0), (2, 1), (1, 1)):
        one, two = ScriptedDriver(["a2"]), ScriptedDriver(["resign"])
        drivers = (one, two) if pair_ == 1 else (two, one)
        file.append(play(game, job("hex:3", id=f"cup/1/{pair_}"), number, drivers))
    assert counts(tmp_path / "g.sgf") == [(1, 0, 0, 0, 1)]
