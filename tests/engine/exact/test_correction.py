"""The net of a file of chess that corrects the evaluation of the look-ahead."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout
from playout.engine import _core
from playout.engine.options.config import search_config
from playout.engine.search import weights
from playout.engine.search.searcher import Searcher
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.limits import Limits
from playout.engine.terms.shipped_nets import WEIGHTS
from playout.games import catalogue

from ...patience import PATIENCE
from ..known.net_file import write_net
from ..session_desk import desk

CHESS: Any = catalogue.load("chess")
INPUTS = 768
SECONDS = 0.5


def nets(path: Path, *, inputs: int = INPUTS, bases: tuple[float, ...] = (0.0,), men: tuple[int, ...] = ()) -> Path:
    """Nets with a policy of zeros and a correction: that of ``bases`` for the stage of the game, and 1.9 for a man of
    the mover's on one of ``men``, less 1.9 for one of the opponent's.
    """
    shape = _core.Learning.kernel("chess", {}, "chess").shape()
    assert shape is not None
    name, width, slots, *_ = shape
    first, last = np.zeros((inputs, 1), np.float32), np.array([[1.9, 0.0]] * len(bases), np.float32)
    first[list(men)] = 1.0
    tensors = {
        "all.first.weight": np.zeros((width, 1), np.float32),
        "all.first.bias": np.zeros(1, np.float32),
        "all.policy.weight": np.zeros((slots, 2), np.float32),
        "all.policy.bias": np.zeros(slots, np.float32),
        "correction.first.weight": first,
        "correction.first.bias": np.zeros(1, np.float32),
        "correction.last.weight": last,
        "correction.last.bias": np.array(bases, np.float32),
    }
    return write_net(path / "nets.safetensors", tensors, game="chess", inputs=name)


def look_ahead() -> _core.LookAhead:
    return _core.LookAhead("chess", kernel_params(CHESS), 1)


def first_value(search: _core.LookAhead) -> float:
    """The value of the start at depth 1."""
    values = list[float]()
    search.prepare()
    search.set_deadline(PATIENCE)

    def heard(near: list[tuple[str, float]], *_: Any) -> bool:
        values.append(near[0][1])
        return False

    search.see(None, [], margin=0.0, threads=1, heard=heard)
    return values[0]


def test_it_is_added_for_the_player_to_move_and_can_be_put_away(tmp_path: Path) -> None:
    search = look_ahead()
    by_hand = first_value(search)
    search.set_nets(nets(tmp_path, bases=(0.1, 0.2)))
    # At depth 1 the opponent is to move where it is added.
    assert math.atanh(first_value(search)) == pytest.approx(math.atanh(by_hand) - 0.2, abs=0.01)
    search.set_nets(None)
    assert first_value(search) == by_hand


def test_the_tree_adds_it_where_the_captures_end(tmp_path: Path) -> None:
    searcher = Searcher(CHESS, search_config(CHESS, {"LeafEvaluation": "static"}))
    for position, correction in [
        (None, 0.3),  # Nothing can be taken, and the mover is the one who is judged.
        ("4k3/7p/8/3q4/8/2N5/7P/4K3 w - - 0 1", -0.2),  # The queen is taken: then the other player is to move.
        ("4k3/8/8/3q4/8/2N5/8/4K3 b - - 0 1", 0),  # There are no pawns.
    ]:
        values = []
        for path in (None, nets(tmp_path, bases=(0.2, 0.3))):
            searcher.set_nets(path)
            searcher.set_position(position, [])
            value, _ = searcher.estimates()
            assert value is not None
            values.append(math.atanh(value))
        assert values[1] - values[0] == pytest.approx(correction, abs=1e-4), position


def test_files_without_one_change_nothing_and_wrong_ones_are_refused_by_name(tmp_path: Path) -> None:
    by_hand, search = first_value(look_ahead()), look_ahead()
    with pytest.raises(ValueError, match=r"hex\.safetensors: game is \"hex\" instead of \"chess\""):
        search.set_nets(WEIGHTS / "hex.safetensors")
    path = nets(tmp_path, inputs=INPUTS - 1)
    with pytest.raises(ValueError, match=rf"{path}: correction\.first\.weight has the sides \[767, 1\]"):
        search.set_nets(path)
    assert first_value(search) == by_hand


# Of few simulations one thread spends too many beside the best move while the other waits there for a processor.
@pytest.mark.parametrize(("threads", "nodes"), [(1, 300), (2, 20_000)])
def test_the_option_names_it(tmp_path: Path, threads: int, nodes: int) -> None:
    # A pawn on the a-file, or on the h-file where the board is seen mirrored, is worth more than a rook.
    path = nets(tmp_path, men=(*range(0, 64, 8), *range(7, 64, 8)))
    with desk("chess") as d:
        d.session.set_option("Threads", str(threads))
        d.session.set_position("4k3/2ppp3/8/8/8/8/P2PP3/4K3 w - - 0 1", [])
        for file, acts in ((str(path), True), ("", False)):
            d.session.set_option("EvalFile", file)
            assert (d.think(nodes=nodes).info.value > 0.3) is acts


def test_the_engine_plays_on_without_a_damaged_one(tmp_path: Path) -> None:
    path = nets(tmp_path, inputs=INPUTS - 1)
    with playout.Engine("chess", hash=16, own_book=False, eval_file=path) as engine:
        result = engine.think(seconds=SECONDS)
        assert result.move in engine.legal_moves()
        (remark,) = result.remarks
        what = "correction.first.weight has the sides [767, 1] instead of [768, 1]"
        assert remark == f"EvalFile is not used: {path}: {what}"


def test_a_session_that_gets_ready_reads_the_nets_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    shipped, set_nets = weights.KINDS["EvalFile"]

    def noted(searcher: Searcher, path: Path | None) -> None:
        read.append(path)
        set_nets(searcher, path)

    monkeypatch.setitem(weights.KINDS, "EvalFile", (shipped, noted))
    damaged = nets(tmp_path, inputs=INPUTS - 1)
    with desk("chess") as d:
        d.session.set_option("EvalFile", str(damaged))
        for _ in range(2):
            d.session.get_ready()
        assert read == [damaged, None]  # The one that cannot be used is put away.
        for remarks in (1, 0):
            d.session.go(Limits(nodes=10))
            assert len(d.result().remarks) == remarks
        assert len(read) == 2


def test_the_one_that_ships_acts() -> None:
    by_hand, search = first_value(look_ahead()), look_ahead()
    search.set_nets(WEIGHTS / "chess.safetensors")
    assert first_value(search) != by_hand
