"""Gumbel self-play and training at once, until the time is over."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from playout.engine import _core
from playout.engine.learning.deep.judge import Seat
from playout.engine.learning.deep.learner import Learner, Loss
from playout.engine.learning.deep.steps import Steps
from playout.engine.learning.deep.tower import Shape, Sizes, begin_as, drawn, judging, write
from playout.engine.learning.deep.window import Window
from playout.engine.learning.training.settings import Aims
from playout.engine.learning.training.workshop import full_name, one_line, open_workshop, provenance
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.games.support.whole_file import replacing

CHUNK = 2048
"""Rows that go to the device at once."""
STATE = "state.pt"
RECORDS = "records"
"""Folder of the games that are kept."""
KEYS = {"inputs", "sizes", "learners", "games", "seconds", "records"}
"""Entries of the state."""
LEAST = 10
"""Batches that the window holds before training begins."""
NAP = 0.005
"""Seconds that the makers of rows, and training, wait for more."""
SWITCH = 0.0005
"""Seconds after which a thread of Python gives way to another."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run. ``engine/learning/gumbel.rs`` says what those of self-play mean."""

    sizes: tuple[Sizes, ...] = (Sizes(6, 64),)
    """Sizes of the nets that learn; the first one plays."""
    start: Path | None = None
    """A file of nets whose layers those of the same sides begin with."""
    player: Path | None = None
    """A file of nets that play the games, in place of the first net that learns."""
    games: int = 256
    """Games at once in each set. There are two sets for each thread: one is judged while the other is played on."""
    simulations: int = 40
    cheap_simulations: int = 12
    full_share: float = 0.5
    considered: int = 16
    value_scale: float = 1.0
    random_plies: int = 3
    result_share: float = 0.6
    """Share of the game's result in the target of a position's value; the rest is what the search found."""
    window: int = 2_000_000
    """Rows that are learned from: the latest ones."""
    reuse: float = 8.0
    """Times that a row is learned from, on average."""
    batch: int = 2048
    rate: float = 1e-3
    """The greatest learning rate, from which it falls along half a cosine to a twentieth."""
    warm_up: int = 200
    """Steps in which the rate rises."""
    seed: int = 1
    threads: int = 1
    """Threads that play; others judge, make rows of what was played, and learn."""
    keep: bool = False
    """Whether the games are kept, as records for each set of games."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run on its way. Losses are those of the first net since the report before."""

    seconds: float
    judged: int
    """Positions that were judged."""
    games: int
    rows: int
    steps: int
    loss: Loss


class Run:
    """A run of self-play and training in a folder, which goes on from what is there."""

    def __init__(self, games: Sequence[Game[Any, Any]], out: Path, settings: Settings, command: str) -> None:
        """``games`` are one game, perhaps with several values of a parameter that the nets see, such as komi; sets of
        games take turns.

        Raises:
            PlayoutError: if no tower of convolutions judges positions of a game, the games' inputs differ, or a file
                cannot be read.
        """
        self._names = [full_name(game) for game in games]
        workshops = [open_workshop(game) for game in games]
        shapes = [workshop.shape() for workshop in workshops]
        inputs = [shape[0] if shape else "" for shape in shapes]
        for name, other in zip(self._names, inputs, strict=True):
            if other != inputs[0]:
                raise PlayoutError(f"{name}: its nets have the inputs {other or 'of none'}, not {inputs[0]}")
        self._game_name, self._inputs = self._names[0].partition(":")[0], inputs[0]
        self._any_size = shapes[0][5] if shapes[0] else None
        if any(sizes.any_size for sizes in settings.sizes):
            if self._any_size is None:
                raise PlayoutError(f"{self._names[0]}: its nets are for boards of one size")
            if shapes[0] and shapes[0][4]:
                raise PlayoutError(f"{self._names[0]}: nets of any size learn {shapes[0][4]} and play this game too")
        self._out, self._settings, self._command = out, settings, command
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        sets = 2 * max(settings.threads, len(games))
        with one_line():
            aims = Aims(settings.result_share, every_value=True, values=True, choices=True)
            self._plays: list[_core.SelfPlay] = [
                workshops[number % len(games)].self_play(
                    settings, aims, games=settings.games, seed=sets * settings.seed + number
                )
                for number in range(sets)
            ]
        (columns, rows, planes), results, slots, scored = self._plays[0].shape()
        self._shape = Shape(columns, rows, planes, tuple(results), slots, scored)
        generator = torch.Generator().manual_seed(settings.seed)
        drawn_weights = [drawn(self._shape, sizes, generator) for sizes in settings.sizes]
        if settings.start is not None:
            drawn_weights = [begin_as(weights, settings.start) for weights in drawn_weights]
        self._learners = [Learner(weights, self._device) for weights in drawn_weights]
        self._player = self._learners[0].quick
        if settings.player is not None:
            kind = self._player["outcome.bias"].dtype
            found = judging(settings.player, self._shape)
            self._player = {name: tensor.to(self._device, kind) for name, tensor in found.items()}
        self._window = Window(self._shape, settings.window, CHUNK, self._device)
        self._steps: Steps | None = None
        self.games = 0
        self._seconds = 0.0
        self._records: list[str] = []
        self._stepping = threading.Lock()
        """Held for a step, and while what steps change is read."""
        out.mkdir(parents=True, exist_ok=True)
        if settings.keep:
            (out / RECORDS).mkdir(exist_ok=True)
            with one_line():
                for number, play in enumerate(self._plays, 1):
                    play.keep(out / RECORDS / f"{number}.records")
        if (out / STATE).exists():
            self._restore(self._state())

    @property
    def device(self) -> str:
        """The name of the device."""
        return torch.cuda.get_device_name(self._device) if self._device.type == "cuda" else "CPU"

    @property
    def steps(self) -> int:
        """The steps that were taken so far."""
        return self._learners[0].steps

    def _state(self) -> dict[str, Any]:
        path = self._out / STATE
        try:
            state: dict[str, Any] = torch.load(path, map_location=self._device, weights_only=True)
            missing = KEYS - state.keys()
        except (AttributeError, EOFError, KeyError, RuntimeError, UnpicklingError) as error:
            raise PlayoutError(f"{path}: not the state of a run: {str(error).partition(chr(10))[0]}") from error
        if missing:
            raise PlayoutError(f"{path}: not the state of a run: it lacks {', '.join(sorted(missing))}")
        return state

    def _restore(self, state: dict[str, Any]) -> None:
        kinds = [asdict(sizes) for sizes in self._settings.sizes]
        if state["inputs"] != self._inputs or state["sizes"] != kinds:
            raise PlayoutError(f"{self._out / STATE}: begun with inputs {state['inputs']} and nets {state['sizes']}")
        for learner, saved in zip(self._learners, state["learners"], strict=True):
            learner.restore(saved)
        self.games, self._seconds, self._records = state["games"], state["seconds"], state["records"]

    def save(self) -> None:
        """Writes what is needed to go on, and the nets as they play: ``net-1.safetensors`` and so on."""
        with self._stepping:
            self._save()

    def _save(self) -> None:
        state = {
            "inputs": self._inputs,
            "sizes": [asdict(sizes) for sizes in self._settings.sizes],
            "learners": [learner.state() for learner in self._learners],
            "games": self.games,
            "seconds": self._seconds,
            "records": self._records,
        }
        with replacing(self._out / STATE) as fresh:
            torch.save(state, fresh)
        names = ", ".join(self._names)
        data = f"{self.games} games of Gumbel self-play of {names}, {self._seconds:.0f} s on {self.device}"
        data += "".join(f"; records {name}" for name in self._records)
        for number, (sizes, learner) in enumerate(zip(self._settings.sizes, self._learners, strict=True), 1):
            origin = provenance(self._command, data, "none")
            inputs = (self._any_size if sizes.any_size else None) or self._inputs
            write(self._out / f"net-{number}.safetensors", learner.mean, self._game_name, inputs, origin)

    def read(self, records: Sequence[Path]) -> int:
        """Adds the games of files of records, each of one of the games, to the window; returns the number of rows.

        Raises:
            PlayoutError: if a file cannot be read.
        """
        for path in records:
            play, games = self._read(path)
            self._records.append(f"{path.name} ({games} games)")
            self._window.fill(play)
        return len(self._window)

    def _read(self, path: Path) -> tuple[_core.SelfPlay, int]:
        refusals = []
        for play in self._plays[: len(self._names)]:
            try:
                return play, play.read(path)
            except ValueError as error:
                refusals.append(PlayoutError(str(error)))
        raise refusals[0]

    def _trained(self) -> Steps:
        if self._steps is None:
            self._steps = Steps(self._window, self._learners, self._settings.batch, self._device)
        return self._steps

    def teach(self, steps: int, on_step: Callable[[int], None]) -> Loss:
        """Takes steps by the rows that were read; returns the loss of the last tenth of them, of the first net."""
        begun, trained = time.monotonic(), self._trained()
        for step in range(1, steps + 1):
            trained.take(self._rate(step / steps))
            if step == steps - steps // 10:
                self._learners[0].take_loss()
            on_step(step)
        self._seconds += time.monotonic() - begun
        return self._learners[0].take_loss()

    def play(self, seconds: float, on_progress: Callable[[Progress], None], every: float = 10.0) -> None:
        """Plays and learns for this time."""
        settings, trained = self._settings, self._trained()
        seats = [Seat(play, settings.games, self._shape, self._player, self._device) for play in self._plays]
        begun, stop = time.monotonic(), threading.Event()
        failed: list[BaseException] = []
        asked = 0

        def part() -> float:
            return min(1.0, (time.monotonic() - begun) / seconds)

        def play_on() -> None:
            # Half of the sets are judged while the other half is played on.
            nonlocal asked
            half = len(seats) // 2
            while not stop.is_set():
                with one_line():
                    self.games += seats[asked % len(seats)].judge()
                    if asked >= half:
                        seats[(asked - half) % len(seats)].answer()
                asked += 1
            for number in range(max(0, asked - half), asked):
                seats[number % len(seats)].answer()

        def learn() -> None:
            credit = -float(self._window.added)
            while not stop.is_set():
                ready = len(self._window) >= min(LEAST * settings.batch, settings.window)
                if not ready or credit + self._window.added < settings.batch / settings.reuse:
                    stop.wait(NAP)
                    continue
                credit -= settings.batch / settings.reuse
                with self._stepping:
                    trained.take(self._rate(part()))

        def heeded(work: Callable[[], None]) -> None:
            try:
                work()
            except BaseException as error:
                failed.append(error)
                stop.set()

        workers = [threading.Thread(target=heeded, args=(work,), daemon=True) for work in (play_on, learn)]
        # Chunks are copied whole, so games wait until they fill about one.
        full = max(1, min(CHUNK, LEAST * settings.batch) // self._shape.cells)
        said, switch = begun, sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        try:
            for worker in workers:
                worker.start()
            while part() < 1.0 and not stop.wait(NAP):
                with one_line():
                    for play in self._plays:
                        if play.waiting() >= full:
                            self._window.fill(play)
                now = time.monotonic()
                if now - said >= every:
                    said = now
                    with self._stepping:
                        loss = self._learners[0].take_loss()
                    on_progress(
                        Progress(now - begun, asked * settings.games, self.games, self._window.added, self.steps, loss)
                    )
        finally:
            stop.set()
            for worker in workers:
                worker.join()
            sys.setswitchinterval(switch)
            self._seconds += time.monotonic() - begun
        if failed:
            raise failed[0]

    def _rate(self, part: float) -> float:
        settings = self._settings
        warm = min(1.0, (self.steps + 1) / settings.warm_up)
        return settings.rate * warm * (0.05 + 0.95 * (1.0 + math.cos(math.pi * part)) / 2.0)
