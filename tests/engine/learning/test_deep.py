"""Nets that PyTorch teaches. Slow, because the extra ``learn`` is not among what the tests install."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest
import torch

import playout
from playout.cli.learn.deep import command
from playout.cli.main import main
from playout.engine import _core
from playout.engine.learning.deep import correction, tower
from playout.engine.learning.deep.learner import Learner
from playout.engine.learning.deep.run import Run, Settings
from playout.engine.learning.deep.window import Batch
from playout.engine.options.config import preset
from playout.engine.search.searcher import Searcher
from playout.engine.terms.shipped_nets import WEIGHTS
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.game import text_to_action

from ...patience import PATIENCE

pytestmark = pytest.mark.slow
QUICK = Settings(
    sizes=(tower.Sizes(1, 16), tower.Sizes(0, 16, features=2, hidden=(8,))),
    games=8,
    simulations=8,
    cheap_simulations=4,
    batch=16,
    window=1000,
    threads=2,
)


def weights(shape: tower.Shape, sizes: tower.Sizes, seed: int = 1) -> tower.Weights:
    """Weights none of which is 0."""
    generator = torch.Generator().manual_seed(seed)
    drawn = tower.drawn(shape, sizes, generator)
    return {name: tensor + 0.2 * torch.randn(tensor.shape, generator=generator) for name, tensor in drawn.items()}


@pytest.mark.parametrize("size", [3, 5, 8, 11])
def test_the_engine_says_what_pytorch_says(tmp_path: Path, size: int) -> None:
    game = catalogue.load(f"hex:{size}")
    shape = tower.Shape(size, size, 6, (1.0, -1.0), size * size)
    own = weights(shape, tower.Sizes(3, 32))
    path = tmp_path / "net.safetensors"
    tower.write(path, own, "hex", f"hex-{size}-1", {"data": "none"})
    searcher = Searcher(game, replace(preset("hex").search, hash_mib=8))
    searcher.set_nets(path)
    state, moves = game.initial_state(), ["b1", "a2", "c3"]
    planes = np.zeros((1, 6, size, size), np.float32)
    planes[0, 4] = 1.0
    planes[0, 2, [0, -1]] = planes[0, 3, :, 0] = planes[0, 3, :, -1] = 1.0
    for number, text in enumerate(moves):
        # The mover is White: he sees rows and columns exchanged.
        column, row = ord(text[0]) - ord("a"), int(text[1]) - 1
        planes[0, 1 - number % 2, column, row] = 1.0
        state = game.next_state(state, text_to_action(game, state, text))
    searcher.set_position(None, moves)
    value, preferences = searcher.estimates()
    said = tower.opinion(own, torch.from_numpy(planes))
    outcomes, policy = said.outcomes, said.policies
    chances = torch.softmax(outcomes, 1)[0]
    assert value == pytest.approx(float(chances[0] - chances[1]), abs=5e-4)
    assert preferences is not None
    for text, preference in preferences.items():
        slot = (ord(text[0]) - ord("a")) * size + int(text[1:]) - 1
        assert preference == pytest.approx(float(policy[0, slot]), rel=5e-3, abs=5e-3), text


def test_the_engine_says_of_go_what_pytorch_says(tmp_path: Path) -> None:
    game = catalogue.load("go:3,komi=2.5")
    own = weights(tower.Shape(3, 3, 14, (1.0, -1.0), 10, scored=True), tower.Sizes(2, 32))
    path = tmp_path / "net.safetensors"
    tower.write(path, own, "go", "go-3-1", {"data": "none"})
    # What helps to learn is in no file.
    assert own.keys() - tower.read(path).keys() == {"owners.weight", "owners.bias", "points.weight", "points.bias"}
    searcher = Searcher(game, replace(preset("go").search, hash_mib=8))
    searcher.set_nets(path)
    searcher.set_position(None, ["b2"])
    value, preferences = searcher.estimates()
    planes = np.zeros((1, 14, 9), np.float32)
    # White sees Black's stone, which has four liberties, was the last one and holds the board.
    planes[0, 1, 4] = planes[0, 6, 4] = planes[0, 9] = planes[0, 10] = 1.0
    planes[0, 12] = 0.25
    planes[0, 13] = np.tanh((2.5 - 9) / 10)
    said = tower.opinion(own, torch.from_numpy(planes.reshape(1, 14, 3, 3)))
    chances = torch.softmax(said.outcomes, 1)[0]
    assert value == pytest.approx(float(chances[0] - chances[1]), abs=5e-4)
    assert preferences is not None and "pass" in preferences and "B2" not in preferences
    for text, preference in preferences.items():
        slot = 9 if text == "pass" else "ABC".index(text[0]) + 3 * (int(text[1]) - 1)
        assert preference == pytest.approx(float(said.policies[0, slot]), rel=5e-3, abs=5e-3), text


@pytest.mark.parametrize(("game", "columns", "rows"), [("go:3", 3, 3), ("go:4x5", 4, 5)])
def test_the_engine_says_of_boards_of_any_size_what_pytorch_says(
    tmp_path: Path, game: str, columns: int, rows: int
) -> None:
    cells = columns * rows
    own = weights(tower.Shape(9, 9, 14, (1.0, -1.0), 82), tower.Sizes(2, 32, features=0))
    path = tmp_path / "net.safetensors"
    tower.write(path, own, "go", "go-any-1", {"data": "none"})
    played = catalogue.load(f"{game},komi=2.5")
    planes = np.zeros((1, 14, cells), np.float32)
    # Black's stone, b2, holds the board.
    at = columns + 1
    planes[0, 1, at] = planes[0, 6, at] = planes[0, 9] = planes[0, 10] = 1.0
    planes[0, 12] = 0.25
    planes[0, 13] = np.tanh((2.5 - cells) / 10)
    said = tower.opinion(own, torch.from_numpy(planes.reshape(1, 14, rows, columns)))
    for judges in (True, False):
        searcher = Searcher(played, replace(preset("go").search, hash_mib=8))
        (searcher.set_nets if judges else searcher.set_patterns)(path)
        searcher.set_position(None, ["b2"])
        value, preferences = searcher.estimates()
        if judges:
            chances = torch.softmax(said.outcomes, 1)[0]
            assert value == pytest.approx(float(chances[0] - chances[1]), abs=5e-4)
        assert preferences is not None and len(preferences) == cells
        errors = []
        for text, preference in preferences.items():
            slot = cells if text == "pass" else "ABCD".index(text[0]) + columns * (int(text[1]) - 1)
            errors.append(preference - float(said.policies[0, slot]))
        # The policy alone counts in bytes.
        assert np.abs(errors).max() < (5e-3 if judges else 0.1 * float(said.policies.std()))


def test_weights_come_back_as_they_were_written(tmp_path: Path) -> None:
    own = weights(tower.Shape(4, 3, 2, (1.0, 0.0, -1.0), 13), tower.Sizes(2, 16))
    tower.write(tmp_path / "net.safetensors", own, "any", "any-1", {})
    found = tower.read(tmp_path / "net.safetensors")
    assert found.keys() == own.keys()
    assert all(torch.equal(found[name], own[name]) for name in own)


def test_a_net_learns_what_it_is_shown() -> None:
    shape = tower.Shape(3, 3, 2, (1.0, -1.0), 9)
    learner = Learner(tower.drawn(shape, tower.Sizes(1, 16), torch.Generator().manual_seed(1)), torch.device("cpu"))
    planes = torch.randn(64, 2, 3, 3, generator=torch.Generator().manual_seed(2))
    won = (planes[:, 0].sum((1, 2)) > 0).float()
    shares = torch.nn.functional.one_hot(planes[:, 1].flatten(1).argmax(1), 9).float()
    shares[::4] = 0.0
    illegal = torch.where(planes[:, 1].flatten(1) < -2.0, -3e4, 0.0)
    ends = torch.zeros(64, 0), torch.zeros(64, 0)
    batch = Batch(planes, torch.stack((won, 1 - won), 1), torch.zeros(64, 2), shares, illegal, *ends)

    def step(rate: float) -> None:
        learner.begin(rate)
        learner.descend(batch)

    step(1e-3)
    first = learner.take_loss()
    assert first.outcome == pytest.approx(np.log(2), abs=1e-3)
    for _ in range(300):
        step(3e-3)
    learner.take_loss()
    step(0.0)
    last = learner.take_loss()
    assert last.outcome < 0.1
    assert last.policy < 0.3 < first.policy
    assert np.isnan(learner.take_loss().outcome)


def begun(out: Path, settings: Settings = QUICK, game: str = "hex:3", *others: str) -> Any:
    return Run([catalogue.load(name) for name in (game, *others)], out, settings, "a test")


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    run = begun(tmp_path)
    while run.steps == 0:
        run.play(2.0, lambda _: None)
    run.save()
    games, steps = run.games, run.steps
    assert games > 0
    again = begun(tmp_path)
    assert (again.games, again.steps) == (games, steps)
    while again.games == games:
        again.play(1.0, lambda _: None)
    for number in (1, 2):
        searcher = Searcher(catalogue.load("hex:3"), replace(preset("hex").search, hash_mib=8))
        searcher.set_nets(tmp_path / f"net-{number}.safetensors")
        searcher.set_position(None, [])
        assert searcher.run(nodes=50).move
    with pytest.raises(PlayoutError, match=r"state\.pt: begun with inputs hex-3-1"):
        begun(tmp_path, game="hex:4")
    with pytest.raises(PlayoutError, match=r"state\.pt: begun with"):
        begun(tmp_path, replace(QUICK, sizes=(tower.Sizes(2, 16),)))


def test_nets_of_go_learn_several_komis_and_how_games_end(tmp_path: Path) -> None:
    run = begun(tmp_path, QUICK, "go:2,komi=0.5", "go:2,komi=1.5")
    heard: list[Any] = []
    while run.steps == 0 or not heard:
        run.play(2.0, heard.append, every=1.0)
    run.save()
    assert heard[-1].judged > 0
    assert all(not np.isnan(now.loss.owners) for now in heard if not np.isnan(now.loss.outcome))
    data = tower.read(tmp_path / "net-1.safetensors")
    assert "aim.weight" not in data and "tower.aim.weight" in data and "owners.weight" not in data
    for others, what in ((["go:3"], "the inputs go-3-1, not go-2-1"), (["chess"], "not go-2-1")):
        with pytest.raises(PlayoutError, match=what):
            begun(tmp_path / "other", QUICK, "go:2", *others)


@pytest.mark.parametrize("damage", ["cut", "text", "another object"])
def test_a_damaged_state_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "state.pt"
    begun(tmp_path).save()
    whole = path.read_bytes()
    if damage == "another object":
        torch.save({"games": 3}, path)
    else:
        path.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"no state")
    with pytest.raises(PlayoutError, match=rf"^{path}: not the state of a run: [^\n]+$"):
        begun(tmp_path)
    path.write_bytes(whole)
    assert begun(tmp_path).games == 0


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "records"
    assert main(["learn", "generate", "hex:3", str(records), "--games", "20", "--simulations", "10"]) == 0
    capsys.readouterr()
    words = ["learn", "deep", "hex:3", "--out", str(tmp_path / "out"), "--tower", "1,16", "--batch", "16"]
    assert main([*words, "--records", str(records), "--steps", "30", "--minutes", "0"]) == 0
    said = capsys.readouterr()
    assert "after 30 steps" in said.err
    assert said.out.strip().endswith("0 games of self-play")
    for bad, what in (("1,17", "a multiple of 16"), ("x", "expected BLOCKS,CHANNELS")):
        assert main(["learn", "deep", "hex:3", "--out", str(tmp_path), "--tower", bad]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert what in line
    with contextlib.suppress(SystemExit):
        assert main(["learn", "deep", "chess", "--out", str(tmp_path / "chess")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "planes of a board" in line or "one net" in line


def test_nets_of_any_size_begin_as_those_of_another_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "records"
    assert main(["learn", "generate", "go:3", str(records), "--games", "20", "--simulations", "10"]) == 0
    words = ["--any-size", "--tower", "1,16", "--batch", "16", "--minutes", "0"]
    small, large = tmp_path / "small", tmp_path / "large"
    learned = ["--records", str(records), "--steps", "20"]
    assert main(["learn", "deep", "go:3", "--out", str(small), *words, *learned]) == 0
    start = small / "net-1.safetensors"
    assert main(["learn", "deep", "go:4", "--out", str(large), *words, "--start", str(start)]) == 0
    Run([catalogue.load("go:4")], large, Settings(sizes=(tower.Sizes(1, 16, features=0),), start=start), "none").save()
    before, after = tower.read(start), tower.read(large / "net-1.safetensors")
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    with playout.Engine("go:13x5", hash=16, own_book=False, pattern_file=large / "net-1.safetensors") as engine:
        assert engine.think(nodes=20).remarks == ()
    capsys.readouterr()
    for refused, what in (
        (["connect_four", *words], "its nets are for boards of one size"),
        (["hex:3,swap=true", *words], "nets of any size learn hex-3-1 and play this game too"),
        (["go:3", *words, "--start", str(records)], f"{records}: "),
        (
            ["go:3", *words, "--tower", "0,32", "--start", str(start)],
            "no tower that begins with the sides [32, 14, 3, 3]",
        ),
    ):
        assert main(["learn", "deep", *refused[:1], "--out", str(tmp_path / "refused"), *refused[1:]]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert what in line


def test_another_net_may_play_what_is_learned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It begins games at b1, and what learns from them begins there or in the image of that, b3."""
    shape = tower.Shape(3, 3, 6, (1.0, -1.0), 9)
    sure = {name: torch.zeros_like(tensor) for name, tensor in weights(shape, tower.Sizes(1, 16)).items()}
    sure["policy.bias"][1] = 6.0
    player = tmp_path / "player.safetensors"
    tower.write(player, sure, "hex", "hex-3-1", {})
    words = ["--any-size", "--tower", "1,16", "--player", str(player), "--simulations", "1", "--cheap-simulations", "1"]
    words += ["--result-share", "0", "--random-plies", "0", "--batch", "16", "--at-once", "16", "--threads", "1"]
    out = tmp_path / "out"
    assert main(["learn", "deep", "hex:3", "--out", str(out), *words, "--minutes", "0.1", "--rate", "0.01"]) == 0
    searcher = Searcher(catalogue.load("hex:3"), replace(preset("hex").search, hash_mib=8))
    searcher.set_nets(out / "net-1.safetensors")
    _, preferences = searcher.estimates()
    assert preferences is not None and max(preferences, key=preferences.__getitem__) in ("b1", "b3")
    capsys.readouterr()
    for game, file, what in (
        ("hex:4", player, f"{player}: its nets do not judge positions of this game: "),
        ("go:3", player, f"{player}: its nets do not judge positions of this game: "),
        ("hex:3", tmp_path / "none", f"{tmp_path / 'none'}: "),
    ):
        assert main(["learn", "deep", game, "--out", str(tmp_path / "x"), "--player", str(file), "--minutes", "0"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert what in line


@pytest.mark.parametrize(
    ("option", "default"),
    [
        ("at_once", Settings().games),
        *((name, getattr(Settings(), name)) for name in ("simulations", "random_plies", "window", "reuse", "batch")),
        *((name, getattr(Settings(), name)) for name in ("cheap_simulations", "rate", "result_share", "seed")),
    ],
)
def test_the_help_has_the_defaults_of_the_settings(option: str, default: float) -> None:
    (told,) = get_type_hints(command, include_extras=True)[option].__metadata__
    found = re.search(r"\[default: (.+)\]", told.help)
    assert found and float(found[1]) == default


def test_a_correction_says_in_the_engine_what_it_says_in_pytorch(tmp_path: Path) -> None:
    torch.manual_seed(1)
    sizes = {"first.weight": (768, 24), "first.bias": (24,), "last.weight": (8, 48), "last.bias": (8,)}
    weights = {name: 0.3 * torch.randn(shape) for name, shape in sizes.items()}
    nets = tmp_path / "nets.safetensors"
    correction.join(WEIGHTS / "chess.safetensors", weights, nets, {"data": "none"})
    # One move, after which nothing can be taken: at depth 1 its value is the static one.
    for before, after in [
        ("7k/6pp/8/8/8/8/3q4/K7 w - - 0 1", "7k/6pp/8/8/8/8/3q4/1K6 b - - 1 1"),
        ("k7/3Q4/8/8/8/2P5/5P2/6K1 b - - 0 1", "1k6/3Q4/8/8/8/2P5/5P2/6K1 w - - 1 2"),
    ]:
        values = []
        for path in (None, nets):
            look = _core.LookAhead("chess", {}, 1)
            look.set_nets(path)
            heard = list[float]()
            look.set_deadline(PATIENCE)

            def hear(near: list[tuple[str, float]], *_: Any, heard: list[float] = heard) -> bool:
                heard.append(near[0][1])
                return False

            look.see(before, [], margin=0.0, threads=1, heard=hear)
            values.append(np.arctanh(heard[0]))
        men, wrong = correction.men_of([after])
        assert wrong is None
        said = float(correction.sums(weights, torch.from_numpy(men).long()))
        assert values[0] - values[1] == pytest.approx(said, abs=0.02)


def test_a_correction_learns_what_the_search_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The value is that of the mover's pawns, of which the hand says nothing.
    lines = [
        f"4k3/pppppppp/8/8/8/8/{'P' * count}{8 - count or ''}/4K3 w - - 0 1;0;{count / 10};0\n" for count in range(1, 9)
    ]
    data, out = tmp_path / "positions.txt", tmp_path / "out.safetensors"
    data.write_text("".join(lines) * 200 + "half a line", encoding="utf-8")
    words = ["learn", "correction", str(data), "--out", str(out), "--width", "8", "--epochs", "40", "--batch", "32"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "1,600 positions" in said and float(re.findall(r"held out ([0-9.]+)", said)[-1]) < 0.01
    _core.LookAhead("chess", {}, 1).set_nets(out)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1;0;0;0\nnothing\n", "line 2: not FEN;VALUE;VALUE;RESULT"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1;0;nan;0\n", "line 1: .*a value beyond 1"),
        ("4x3/8/8/8/8/8/8/4K3 w - - 0 1;0;0;0\n", "line 1: .*x"),
        ("", "no positions"),
    ],
)
def test_positions_that_are_none_are_refused_by_their_line(tmp_path: Path, text: str, what: str) -> None:
    data = tmp_path / "positions.txt"
    data.write_text(text, encoding="utf-8")
    with pytest.raises(PlayoutError, match=f"{data}: {what}"):
        correction.read([data])
    with pytest.raises(PlayoutError, match=r"none\.txt: "):
        correction.read([tmp_path / "none.txt"])
    with pytest.raises(PlayoutError, match=r"positions\.txt: "):
        correction.join(data, {}, tmp_path / "out", {})
