"""A book from games: its counts are those of the games, whatever the order, the batches and the duplicates."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from playout.books import from_games
from playout.books.formats import open_book
from playout.books.from_games import BuildProgress, build, input_files
from playout.books.past import counting, pgn
from playout.books.past.counting import Selection
from playout.books.store import reader
from playout.books.store.file import Weighting, WeightRules
from playout.books.store.writer import StoreWriter
from playout.games import catalogue
from playout.games.errors import BookError

from .past_games import random_pgn, rows

CHESS: Any = catalogue.load("chess")
ALL = Selection()


def built(
    out: Path, files: list[Path], selection: Selection = ALL, game: Any = CHESS, minimum: int = 1
) -> BuildProgress:
    with StoreWriter(out, game) as writer:
        writer.set_rules(WeightRules(Weighting.score, minimum))
        return build(writer, files, selection)


def contents(path: Path) -> dict[str, set[Any]]:
    """The moves of each position, in no order."""
    return {entry.state.position: set(entry.moves) for entry in reader.entries(path, CHESS)}


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    path.write_text(random_pgn(30, 1), encoding="utf-8")
    return path


def test_counts_are_those_of_the_games(games: Path, tmp_path: Path) -> None:
    progress = built(tmp_path / "a.book", [games], Selection(max_ply=6))
    assert (progress.games, progress.broken, progress.done) == (30, 0, games.stat().st_size)
    expected: Counter[tuple[str, str, str]] = Counter()
    with games.open(encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            board = game.board()
            for move in list(game.mainline_moves())[:6]:
                result = game.headers["Result"]
                kind = "draw" if result in ("*", "1/2-1/2") else "win" if (result == "1-0") == board.turn else "loss"
                expected[board.epd(), move.uci(), kind] += 1
                board.push(move)
    found: Counter[tuple[str, str, str]] = Counter()
    for entry in reader.entries(tmp_path / "a.book", CHESS):
        for move in entry.moves:
            key = entry.state.position, CHESS.action_to_text(entry.state, move.action)
            for kind, count in (("win", move.wins), ("draw", move.draws), ("loss", move.losses)):
                found[(*key, kind)] += count
            assert move.weight == move.wins + move.draws / 2
    assert +found == expected


def test_the_same_games_again_change_nothing(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.book"
    built(out, [games])
    before = rows(out)
    copy = tmp_path / "copy.pgn"
    copy.write_bytes(games.read_bytes())
    assert built(out, [games]).games == 0
    progress = built(out, [copy, games])
    assert (progress.games, progress.duplicates) == (0, 30)
    assert rows(out) == before


def test_order_and_batches_do_not_matter(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path / "a.book", [games])
    pieces = games.read_text(encoding="utf-8").split("[Event")
    texts = ["[Event" + text for text in pieces if text]
    random.Random(1).shuffle(texts)
    folder = tmp_path / "folder" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.pgn").write_text("".join(texts[:20]), encoding="utf-8")
    (folder.parent / "b.PGN").write_text("".join(texts[20:]), encoding="utf-8")
    monkeypatch.setattr(from_games, "BATCH_GAMES", 7)
    files = input_files([folder.parent], CHESS)
    assert [path.name for path in files] == ["b.PGN", "a.pgn"]
    built(tmp_path / "b.book", files)
    assert contents(tmp_path / "a.book") == contents(tmp_path / "b.book")
    assert rows(tmp_path / "a.book")["played"] == rows(tmp_path / "b.book")["played"]


def test_a_file_that_has_grown_is_read_again(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(games.read_bytes())
    built(tmp_path / "a.book", [path])
    path.write_text(games.read_text(encoding="utf-8") + "\n" + random_pgn(5, 9), encoding="utf-8")
    progress = built(tmp_path / "a.book", [path])
    assert (progress.games, progress.duplicates) == (5, 30)


def test_a_minimum_hides_and_can_be_changed(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.book"
    built(out, [games], minimum=5)
    few = list(reader.entries(out, CHESS))
    assert all(move.wins + move.draws + move.losses >= 5 for entry in few for move in entry.moves)
    built(out, [])
    assert len(list(reader.entries(out, CHESS))) > len(few)


def test_selections(games: Path, tmp_path: Path) -> None:
    past: list[Any] = list(pgn.read_games(games, CHESS))

    def counted(name: str, selection: Selection) -> int:
        return built(tmp_path / f"{name}.book", [games], selection).games

    assert counted("player", Selection(player="player 3")) == sum("Player 3" in one.players for one in past)
    assert counted("white", Selection(player="PLAYER 3", colour=0)) == sum(one.players[0] == "Player 3" for one in past)
    assert counted("long", Selection(min_length=6)) == sum(len(one.turns) >= 6 for one in past)
    assert counted("ended", Selection(unfinished="skip")) == sum(one.result is not None for one in past)
    with pytest.raises(BookError, match=r"built with max_ply=40; later builds must use the same values"):
        built(tmp_path / "player.book", [games], Selection(max_ply=10))


def test_variations_count_as_games_without_a_result(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text('[Event "x"]\n[Result "1-0"]\n\n1. e4 (1. d4 d5) 1... e5 1-0\n', encoding="utf-8")
    built(tmp_path / "a.book", [path], Selection(variations=True))
    moves = open_book(tmp_path / "a.book", CHESS).lookup(CHESS.initial_state())
    names = [CHESS.action_to_text(CHESS.initial_state(), move.action) for move in moves]
    assert [(name, move.wins, move.draws) for name, move in zip(names, moves, strict=True)] == [
        ("e2e4", 1, 0),
        ("d2d4", 0, 1),
    ]


def test_images_are_one_entry(tmp_path: Path) -> None:
    go: Any = catalogue.load("go:5")
    path = tmp_path / "a.sgf"
    path.write_text("(;SZ[5]RE[B+1];B[bb];W[dd])(;SZ[5]RE[W+1];B[db];W[bd])(;SZ[5]RE[B+1];B[dd])", encoding="utf-8")
    built(tmp_path / "a.book", [path], game=go)
    book = reader.open_book(tmp_path / "a.book", go)
    (move,) = book.lookup(go.initial_state())
    assert (move.wins, move.losses, len(book)) == (2, 1, 2)
    for point in ("B2", "B4", "D2", "D4"):
        state = go.next_state(go.initial_state(), go.text_to_action(go.initial_state(), point))
        (answer,) = book.lookup(state)
        opposite = {"B": "D", "D": "B"}[point[0]] + {"2": "4", "4": "2"}[point[1]]
        assert go.action_to_text(state, answer.action) == opposite


def test_games_from_other_positions_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(
        '[Event "x"]\n[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n[Result "1-0"]\n\n1. e4 Kd7 1-0\n',
        encoding="utf-8",
    )
    built(tmp_path / "a.book", [path])
    assert [len(entry.moves) for entry in reader.entries(tmp_path / "a.book", CHESS)] == [1, 1]


def test_books_are_added_once(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other: Any = tmp_path / "other.book"
    built(other, [games])
    monkeypatch.setattr(from_games, "BATCH_POSITIONS", 20)
    progress = built(tmp_path / "a.book", [other])
    assert progress.entries == len(list(reader.entries(other, CHESS)))
    assert built(tmp_path / "a.book", [other]).entries == 0
    assert contents(tmp_path / "a.book") == contents(other)


def test_broken_games_are_reported_and_the_others_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text('[Event "x"]\n\n1. e4 e4 *\n\n[Event "y"]\n\n1. d4 *\n', encoding="utf-8")
    messages: list[str] = []
    with StoreWriter(tmp_path / "a.book", CHESS) as writer:
        progress = build(writer, [path], on_progress=lambda progress: messages.extend(progress.messages))
    assert (progress.games, progress.broken) == (1, 1)
    assert len(messages) == 1
    assert messages[0].startswith(f"{path}, line 1 (byte 0), game 1: illegal san")


def test_wrong_inputs_are_named(tmp_path: Path) -> None:
    for name, words in (("none.pgn", "no such file"), ("a.txt", "no book format"), ("", "no file of games")):
        with pytest.raises(BookError, match=words):
            input_files([tmp_path / name], CHESS)


def test_a_large_file_of_games_is_not_a_book(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "LARGEST_IN_MEMORY", 1000)
    with pytest.raises(BookError, match="too many to be read at each start"):
        open_book(games, CHESS)
