"""``playout book from-graph``: what it writes and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

import playout
from playout.books.formats import entries, open_book
from playout.cli.main import main
from playout.games import catalogue
from playout.games.game import text_to_action


def learned(game: str, path: Path, *, moves: tuple[str, ...] = (), nodes: int = 3000) -> None:
    engine = playout.Engine(game, hash=16, own_book=False, graph_file=path, seed=1)
    engine.set_position(None, moves)
    engine.think(nodes=nodes)
    engine.close()


def make(out: Path, graph: Path, game: str, *words: str) -> int:
    return main(
        ["book", "from-graph", str(out), str(graph), "--game", game, "--hash", "16", "--option", "Seed=1", *words]
    )


@pytest.mark.parametrize("game", ["hex:5", "go:5", "connect_four", "chess", "backgammon"])
def test_what_a_search_visited_is_a_book(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, out = tmp_path / "graph", tmp_path / "own.book"
    learned(game, graph, moves=("31",) if game == "backgammon" else ())
    assert make(out, graph, game, "--visits", "40") == 0
    made = catalogue.load(game)
    found = list(entries(out, made))
    assert capsys.readouterr().out.startswith(f"{out}: ") and len(found) > 1
    assert main(["book", "check", str(out)]) == 0
    for entry in found:
        best = max(entry.moves, key=lambda move: move.weight)
        values = [move.value for move in entry.moves if move.value is not None]
        assert len(values) == len(entry.moves)
        assert best.weight >= 40 or abs(max(values)) == 1.0, "a proof ends a search; a lost position has no move"
        assert all(move.weight == 0 or (move.value or 0) >= max(values) - 0.1001 for move in entry.moves)


def test_a_session_plays_by_the_book_of_its_graph(tmp_path: Path) -> None:
    graph, out = tmp_path / "graph", tmp_path / "own.yaml"
    learned("tic_tac_toe", graph, moves=("b2", "b1"), nodes=5000)
    learned("tic_tac_toe", graph, nodes=5000)
    assert make(out, graph, "tic_tac_toe", "--visits", "5") == 0
    game = catalogue.load("tic_tac_toe")
    state = game.initial_state()
    for text in ("b2", "b1"):
        state = game.next_state(state, text_to_action(game, state, text))
    known = open_book(out, game).lookup(state)
    with playout.Engine("tic_tac_toe", book_file=str(out), book_variety="best", seed=1) as engine:
        engine.set_position(None, ("b2", "b1"))
        result = engine.think(nodes=1)
    best = max(known, key=lambda move: move.weight)
    assert result.book is not None and text_to_action(game, state, str(result.move)) == best.action


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--visits", "1000000"), "no position has 1,000,000 visits"),
        (("--option", "Symmetries=false"), "the graph was made with symmetries=true, this search has symmetries=false"),
        (("--option", "Sead=1"), "Sead"),
    ],
)
def test_what_cannot_be_used_gets_one_line(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, out = tmp_path / "graph", tmp_path / "own.book"
    learned("hex:5", graph, nodes=200)
    assert make(out, graph, "hex:5", *words) != 0
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and not out.exists()


def test_files_that_are_no_graphs_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing, other = tmp_path / "none", tmp_path / "other"
    other.write_text("no graph")
    for graph in (missing, other, tmp_path):
        assert make(tmp_path / "own.book", graph, "hex:5") != 0
        error = capsys.readouterr().err
        assert str(graph) in error and error.count("\n") == 1
