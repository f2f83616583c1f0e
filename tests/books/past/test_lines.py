"""Games as lines of text, and what is written of games: readers find in it what was written."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from playout.books.base.past_games import BrokenGame, Mark
from playout.books.formats import book_game, entries, open_book
from playout.books.from_games import build, game_reader, input_files
from playout.books.past.lines import read_games
from playout.books.past.written import WrittenGame, write_games
from playout.books.store.writer import StoreWriter
from playout.games import catalogue
from playout.games.adopted import adopted
from playout.games.errors import BookError, PlayoutError
from playout.games.game import CHANCE, Game, action_to_text, is_over
from tests.users.learnable import Row

BOARDS = [catalogue.load(name) for name in ("hex:4,swap=true", "go:4")]
CHESS = [catalogue.load(name) for name in ("chess", "chess:chess960=true,position=100")]
BACKGAMMON: Any = catalogue.load("backgammon")
OTHERS = [catalogue.load("tic_tac_toe"), catalogue.load("connect_four"), BACKGAMMON, adopted(Row())]
WAYS = [(game, ".games") for game in (*BOARDS, *CHESS, *OTHERS)]
WAYS += [(game, ".sgf") for game in BOARDS] + [(game, ".pgn") for game in CHESS]


def played(game: Game[Any, Any], seed: int, plies: int) -> tuple[WrittenGame, list[Any]]:
    """A random game, cut off after ``plies`` unless it is over, and its actions."""
    rng, state, actions, moves = random.Random(seed), game.initial_state(), [], []
    while not is_over(game, state) and len(moves) < plies:
        action = rng.choice(list(game.legal_actions(state)))
        moves.append(action_to_text(game, state, action))
        actions.append(action)
        state = game.next_state(state, action)
    returns = game.returns(state)
    comments = [f"a ] of {ply}" if ply % 2 else "" for ply in range(len(moves))]
    return WrittenGame(moves, returns[0] if returns else None, None, comments, ("A", "B")), actions


def names(way: tuple[Game[Any, Any], str]) -> str:
    return f"{way[0].name}{way[1]}"


@pytest.mark.parametrize("way", WAYS, ids=names)
def test_what_is_written_is_read_again(way: tuple[Game[Any, Any], str], tmp_path: Path) -> None:
    game, ending = way
    path = tmp_path / f"a{ending}"
    games = [played(game, seed, 40) for seed in range(3)]
    assert write_games(path, game, [one for one, _ in games]) == len(games)
    found: list[Any] = list(game_reader(path).read_games(path, game))
    assert not [one.message for one in found if isinstance(one, BrokenGame)]
    for past, (written, actions) in zip(found, games, strict=True):
        assert [action for _, action in past.turns] == actions
        result = written.result
        assert past.result == (None if result is None else (result > 0) - (result < 0))
        if ending != ".games":
            assert past.players == ("A", "B")
    if ending != ".sgf":
        assert book_game(path) in (game.name, "chess")


@pytest.mark.parametrize("way", [way for way in WAYS if way[0] is not OTHERS[-1]], ids=names)
def test_games_begin_where_they_began(way: tuple[Any, str], tmp_path: Path) -> None:
    game, ending = way
    path, rng, state = tmp_path / f"a{ending}", random.Random(3), game.initial_state()
    for _ in range(5):
        state = game.next_state(state, rng.choice(list(game.legal_actions(state))))
    start = game.state_to_text(state)
    state = game.state_from_text(start)
    action = rng.choice(list(game.legal_actions(state)))
    write_games(path, game, [WrittenGame([action_to_text(game, state, action)], 1.0, start)])
    (found,) = game_reader(path).read_games(path, game)
    assert not isinstance(found, BrokenGame)
    # A record in SGF has the stones and the player to move, but not the number of moves before.
    words = slice(2) if ending == ".sgf" else slice(None)
    assert game.state_to_text(found.start).split()[words] == start.split()[words]
    assert found.turns == ((game.current_player(state), action),)


def test_lines_can_be_read_on_and_broken_ones_are_named(tmp_path: Path) -> None:
    game, path = catalogue.load("tic_tac_toe"), tmp_path / "a.games"
    lines = ["1\t\ta1\tb2", "# a word", "", "0\t\ta1\ta1", "2\t\ta1", "x\t\ta1", "1", "-1\toxx\ta1", "*\t\tc3"]
    path.write_text("playout games of tic_tac_toe\n" + "\n".join(lines))
    found: list[Any] = list(read_games(path, game))
    assert [type(one) is BrokenGame for one in found] == [False, True, True, True, True, True, False]
    assert [one.begin.line for one in found] == [2, 5, 6, 7, 8, 9, 10]
    assert [one.begin.game for one in found] == list(range(7))
    said = [one.message.partition(": ")[2] for one in found if isinstance(one, BrokenGame)]
    assert said[0].startswith("move 2, 'a1': ")
    assert said[1:3] == [f"result '{text}': a number from -1 to 1 or * expected" for text in "2x"]
    assert said[3] == "a result, a position and moves expected, with tabs between them"
    assert said[4].startswith("position 'oxx': ")
    assert (found[0].result, found[-1].result) == (1, None)
    rest: list[Any] = list(read_games(path, game, after=found[0].end))
    assert [one.begin for one in rest] == [one.begin for one in found[1:]]
    assert list(read_games(path, game, after=Mark(path.stat().st_size, 11, 7))) == []


def test_files_of_other_games_are_refused(tmp_path: Path) -> None:
    game, path = catalogue.load("tic_tac_toe"), tmp_path / "a.games"
    path.write_text("playout games of hex\n")
    with pytest.raises(BookError, match=r"a.games: games of 'hex' instead of 'tic_tac_toe'$"):
        list(read_games(path, game))
    path.write_text("1\t\ta1\n")
    with pytest.raises(BookError, match=r"a.games: the first line is not 'playout games of NAME'$"):
        open_book(path, game)
    with pytest.raises(PlayoutError, match=r"a.pgn: games of tic_tac_toe are written to .games$"):
        write_games(tmp_path / "a.pgn", game, [])
    with pytest.raises(PlayoutError, match=r"a.pgn: game 1: illegal uci"):
        write_games(tmp_path / "a.pgn", CHESS[0], [WrittenGame(["e2e5"], None)])
    assert not (tmp_path / "a.pgn").exists()


def test_a_book_of_a_game_with_dice_counts_plays_alone(tmp_path: Path) -> None:
    game, path = BACKGAMMON, tmp_path / "a.games"
    games = [played(game, seed, 8) for seed in range(20)]
    write_games(path, game, [one for one, _ in games])
    with StoreWriter(tmp_path / "a.book", game) as writer:
        progress = build(writer, [path])
    assert (progress.games, progress.broken) == (20, 0)
    book = open_book(tmp_path / "a.book", game)
    start = game.initial_state()
    assert game.current_player(start) == CHANCE and not book.lookup(start)
    for _, actions in games:
        state = game.next_state(start, actions[0])
        assert actions[1] in [move.action for move in book.lookup(state)]


def test_a_folder_gives_the_lines_of_the_game_alone(tmp_path: Path) -> None:
    (tmp_path / "a.games").write_text("playout games of tic_tac_toe\n")
    (tmp_path / "b.games").write_text("no such file\n")
    (tmp_path / "c.pgn").write_text("1. e4 e5 1-0\n")
    assert [path.name for path in input_files([tmp_path], CHESS[0])] == ["c.pgn"]
    assert [path.name for path in input_files([tmp_path], OTHERS[0])] == ["a.games"]


def test_a_line_that_is_too_long_is_one_broken_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.books.past.lines.LONGEST_GAME", 40)
    path = tmp_path / "a.games"
    path.write_text("playout games of tic_tac_toe\n1\t\t" + "a1\t" * 50 + "\n0\t\tb2\n")
    one, two = read_games(path, OTHERS[0])
    assert isinstance(one, BrokenGame) and one.message.endswith("longer than 40 bytes")
    assert not isinstance(two, BrokenGame) and len(two.turns) == 1 and (two.begin.line, two.begin.game) == (3, 1)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    hex_game: Any = BOARDS[0]
    start = hex_game.next_state(hex_game.initial_state(), 3)
    with pytest.raises(PlayoutError, match=r"a.sgf: game 1: SGF has no positions in which a swap is allowed$"):
        write_games(tmp_path / "a.sgf", hex_game, [WrittenGame([], None, hex_game.state_to_text(start))])
    with pytest.raises(PlayoutError, match=r"a.games: game 1: 'a\\tb' has a tab or the end of a line in it$"):
        write_games(tmp_path / "a.games", OTHERS[0], [WrittenGame(["a\tb"], None)])


def test_positions_of_a_game_that_begins_before_a_roll_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.games"
    write_games(path, BACKGAMMON, [WrittenGame(["31", "8/5,6/5"], None, "4HPwATDgc/ABMA 0 -")])
    with StoreWriter(tmp_path / "a.book", BACKGAMMON) as writer:
        assert build(writer, [path]).games == 1
    (entry,) = entries(tmp_path / "a.book", BACKGAMMON)
    assert [BACKGAMMON.action_to_text(entry.state, move.action) for move in entry.moves] == ["8/5,6/5"]
