"""Games in chunks: any worker plays the same ones, and a file gets each of them once, whatever comes twice or late."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playout.engine.learning.cluster.chunks import Chunk, Collection
from playout.engine.learning.cluster.work import Order, located, play
from playout.engine.learning.data.joined import JoinedFile, folder_of_chunks
from playout.engine.learning.data.records import RecordFile
from playout.engine.learning.training import stages
from playout.engine.learning.training.settings import Settings, plain_search
from playout.engine.learning.training.watch import Silent
from playout.engine.learning.training.workshop import full_name, open_workshop
from playout.games import catalogue
from playout.games.errors import PlayoutError

ROW = f"{Path(__file__).parent.parent.parent}/users/learnable.py:Row"
FEW = Settings(games=12, simulations=20, random_plies=1)


def contents(path: Path) -> list[tuple[Any, ...]]:
    """The games of a file, with the literals of actions where it has them."""
    file = RecordFile(path)
    games = list(file)
    assert file.damage is None

    def named(actions: Any) -> list[Any]:
        return [file.texts[action] for action in actions] if file.texts else actions.tolist()

    return [
        (
            (one.seed, one.start, one.result, named(one.actions), named(one.visited)),
            [part.tolist() for part in (one.values, one.kinds, one.counts, one.visits)],
        )
        for one in games
    ]


def order_of(name: str) -> Order:
    game, (place, source) = catalogue.load(name), located(name)
    return Order(place, full_name(game), source, FEW.manner(game, plain_search(game)), None, 5, 1)


def in_one_go(name: str, path: Path, games: int = 12) -> list[tuple[Any, ...]]:
    """The games that are played without chunks."""
    game = catalogue.load(name)
    settings = Settings(games=games, simulations=20, random_plies=1)
    stages.generate(open_workshop(game), game, settings, path, None, 5, Silent())
    return contents(path)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", ROW])
def test_chunks_in_any_order_and_twice_make_the_file_of_one_go(name: str, tmp_path: Path) -> None:
    path, order = tmp_path / "r", order_of(name)
    in_one_go(name, path, 3)
    collection = Collection(path, 12, order.key)
    chunks = collection.missing(4)
    assert chunks == [Chunk(3, 7), Chunk(7, 11), Chunk(11, 12)] and collection.lacking == 9
    for chunk in [chunks[2], chunks[1], chunks[2], chunks[0], chunks[0], chunks[1]]:
        was_missing = chunk in collection.missing(4)
        assert collection.take(chunk, play(order, chunk.first, chunk.last)) is was_missing
    assert collection.missing(4) == [] and (collection.done, collection.lacking) == (12, 0)
    collection.close()
    assert [file.name for file in tmp_path.iterdir()] == ["r"]
    assert contents(path) == in_one_go(name, tmp_path / "whole")


def test_another_driver_goes_on_with_the_chunks_that_are_missing(tmp_path: Path) -> None:
    path, order = tmp_path / "r", order_of(ROW)
    in_one_go(ROW, path, 1)
    killed = Collection(path, 12, order.key)
    for first, last in (3, 5), (8, 10):
        assert killed.take(Chunk(first, last), play(order, first, last))
    killed.close()  # nothing is lost: chunks wait there
    (tmp_path / "r.chunks/.0000005-0000006.abcd").write_bytes(b"of a process that was killed as it wrote")
    collection = Collection(path, 12, order.key)
    assert collection.missing(50) == [Chunk(1, 3), Chunk(5, 8), Chunk(10, 12)]
    assert not collection.take(Chunk(4, 9), b"overlaps")
    for chunk in reversed(collection.missing(2)):
        collection.take(chunk, play(order, chunk.first, chunk.last))
    collection.close()
    assert contents(path) == in_one_go(ROW, tmp_path / "whole") and not folder_of_chunks(path).exists()


def test_a_chunk_of_which_the_file_has_a_part_is_played_again(tmp_path: Path) -> None:
    path, order = tmp_path / "r", order_of("tic_tac_toe")
    in_one_go("tic_tac_toe", path, 1)
    Collection(path, 12, order.key).take(Chunk(4, 8), play(order, 4, 8))
    assert Collection(path, 12, order.key).missing(50) == [Chunk(1, 4), Chunk(8, 12)]
    in_one_go("tic_tac_toe", path, 6)  # goes on without a cluster, and is killed
    assert Collection(path, 12, order.key).missing(50) == [Chunk(6, 12)]


def test_a_chunk_whose_file_has_gone_is_one_line(tmp_path: Path) -> None:
    path, order = tmp_path / "r", order_of("tic_tac_toe")
    in_one_go("tic_tac_toe", path, 1)
    collection = Collection(path, 12, order.key)
    collection.take(Chunk(4, 8), play(order, 4, 8))
    [waiting] = folder_of_chunks(path).iterdir()
    waiting.unlink()
    with pytest.raises(PlayoutError, match=rf"^{waiting}: No such file or directory$"):
        collection.take(Chunk(1, 4), play(order, 1, 4))


@pytest.mark.parametrize("other", [{"seed": 6}, {"weights": bytes(8) + b"numbers"}, {"manner": None}])
def test_chunks_of_other_settings_are_not_taken_up(other: dict[str, Any], tmp_path: Path) -> None:
    path, order = tmp_path / "r", order_of("tic_tac_toe")
    in_one_go("tic_tac_toe", path, 1)
    Collection(path, 12, replace(order, **other).key).take(Chunk(4, 8), play(order, 4, 8))
    collection = Collection(path, 12, order.key)
    assert collection.missing(50) == [Chunk(1, 12)]
    collection.take(Chunk(1, 12), play(order, 1, 12))
    collection.close()
    assert not folder_of_chunks(path).exists()


def test_a_run_without_a_cluster_goes_on_with_what_one_left(tmp_path: Path) -> None:
    path, order = tmp_path / "r", order_of(ROW)
    in_one_go(ROW, path, 1)
    Collection(path, 12, order.key).take(Chunk(1, 6), play(order, 1, 6))
    assert in_one_go(ROW, path) == in_one_go(ROW, tmp_path / "whole")
    assert not folder_of_chunks(path).exists()


def test_a_cut_off_or_foreign_delivery_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    path, order = tmp_path / "r", order_of("tic_tac_toe")
    in_one_go("tic_tac_toe", path, 2)
    before = path.read_bytes()
    data = play(order, 2, 4)
    for wrong, games, why in (
        (data[:-3], 2, "there: damaged at byte "),
        (data, 3, "there: 2 games instead of 3"),
        (b"nonsense", 2, "there: not a file of records"),
        (play(order_of("connect_four"), 2, 4), 2, "there: its label is "),
    ):
        with pytest.raises(PlayoutError, match=why):
            JoinedFile(path).add(wrong, games, "there")
    assert path.read_bytes() == before


def test_a_worker_says_that_its_file_is_another_one(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(Path(ROW.removesuffix(":Row")).read_text())
    order = order_of(f"{mine}:Row")
    mine.write_text(mine.read_text() + "# changed\n")
    with pytest.raises(PlayoutError, match=r"mine\.py:Row: another game than the driver's; copy the driver's file"):
        play(order, 0, 1)
    mine.unlink()
    with pytest.raises(PlayoutError, match=r"no file '.*mine\.py'"):
        play(order, 0, 1)
