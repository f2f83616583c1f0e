"""The loop of learning in a folder: generate, train, gate, repeat. It can be killed at any moment and then goes on.

The folder has ``records/``, ``checkpoints/`` and ``nets/`` with a file for each generation, ``best.safetensors``,
``state.json``, ``log.csv`` and ``plot.png``. A generation is complete once the state says so; one that was broken
off is done again from what its file of records has, and comes to the same result.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from time import monotonic
from typing import Any

from playout.engine import _core
from playout.engine.learning.training import stages
from playout.engine.learning.training.gate import described, gate_test
from playout.engine.learning.training.log import Row, write_log
from playout.engine.learning.training.settings import Settings
from playout.engine.learning.training.watch import Watch
from playout.engine.learning.training.workshop import full_name, one_line, open_workshop, provenance
from playout.engine.statistics.sprt import Verdict
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.games.nearest import unusable
from playout.games.support.whole_file import write_whole

Generate = Callable[[_core.Learning, Game[Any, Any], Settings, Path, Path | None, int, Watch], int]
"""A stage of generation with the contract of ``stages.generate``."""
STRONG = 0.9
"""Score against the anchor of the rating from which the new net becomes the anchor."""


@dataclass(slots=True)
class State:
    """Progress of a run."""

    game: str
    settings: Settings
    generation: int = 0
    """Complete generations."""
    best: int = 0
    """The generation of the best net; 0 is who played the first generation."""
    elo: float = 0.0
    """Elo of the best net; generation 0 has 0."""
    anchor: int = 0
    """The net by which new ones are rated, with its rating."""
    anchor_elo: float = 0.0
    games: int = 0
    seconds: float = 0.0
    rows: list[Row] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Writes the state; the file has the old one or the new one."""
        write_whole(path, json.dumps(asdict(self), indent=1).encode())

    @staticmethod
    def load(path: Path) -> State:
        """Reads what ``save`` wrote.

        Raises:
            PlayoutError: if the file cannot be read or is no state.
        """
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            settings = said.pop("settings")
            lists = {name: tuple(value) for name, value in settings.items() if isinstance(value, list)}
            settings |= lists
            rows = [Row(**row) for row in said.pop("rows")]
            return State(settings=Settings(**settings), rows=rows, **said)
        except OSError as error:
            raise PlayoutError(unusable(path, error)) from error
        except (AttributeError, KeyError, TypeError, UnicodeError, ValueError) as error:
            raise PlayoutError(f"{path}: not the state of a run: {' '.join(str(error).split())}") from error


def begun(folder: Path) -> State | None:
    """Returns how far the run in ``folder`` is, if one has begun there.

    Raises:
        PlayoutError: if its state cannot be read.
    """
    path = folder / "state.json"
    return State.load(path) if path.exists() else None


class Run:
    """A run in its folder."""

    def __init__(
        self,
        game: Game[Any, Any],
        folder: Path,
        settings: Settings,
        command: str,
        watch: Watch,
        generate: Generate = stages.generate,
    ) -> None:
        """Goes on with the run in ``folder``, or begins one. ``generate`` plays the games, here or elsewhere.

        Raises:
            GameError: if nets cannot learn the game.
            PlayoutError: if the folder has a run of another game, or with other settings.
        """
        self._game, self._folder, self._settings = game, folder, settings
        self._command, self._watch, self._generate = command, watch, generate
        self._workshop = open_workshop(game)
        for name in ("records", "checkpoints", "nets"):
            _make(folder / name)
        state = begun(folder)
        self.state = state or State(full_name(game), settings)
        if self.state.game != full_name(game):
            raise PlayoutError(f"{folder}: a run of {self.state.game}, not of {full_name(game)}")
        for one in fields(Settings):
            old, new = getattr(self.state.settings, one.name), getattr(settings, one.name)
            if old != new and one.name != "threads":
                raise PlayoutError(f"{folder}: this run has {one.name} {old}, not {new}")
        if state is None:
            self.state.save(folder / "state.json")
        elif state.rows:
            self._tidy()
        self._read = 0
        """The generation whose records training has taken up."""
        if settings.first == "nets" and self.state.generation == 0:
            self._start()
            with one_line():
                self._workshop.write(self._file("nets", 0), provenance(command, "none", "none"))

    def _file(self, kind: str, generation: int) -> Path:
        ending = {"records": "records", "checkpoints": "checkpoint", "nets": "safetensors"}[kind]
        return self._folder / kind / f"{generation:05}.{ending}"

    def net(self, generation: int) -> Path | None:
        """Returns the file of weights of a generation; None for 0 where that is the plain search."""
        return None if generation == 0 and self._settings.first == "plain" else self._file("nets", generation)

    def _seed(self, stage: str, number: int) -> int:
        text = f"{self._settings.seed} {stage} {number}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())

    def next(self) -> Row:
        """Does a generation, and returns its line of the log.

        Raises:
            PlayoutError: one line that names a file and what is wrong with it.
            Exception: whatever the watch raises; what was done is kept.
        """
        began, number, state, settings = monotonic(), self.state.generation + 1, self.state, self._settings
        records, net = self._file("records", number), self._file("nets", number)
        workshop, game, watch = self._workshop, self._game, self._watch
        played = self._generate(
            workshop, game, settings, records, self.net(state.best), self._seed("games", number), watch
        )
        generated = monotonic() - began
        new_rows = self._take_up(number)
        losses = stages.train(workshop, settings, new_rows, self._seed("steps", number), watch)
        with one_line():
            workshop.save(self._file("checkpoints", number))
            data = f"{state.games + played} games of self-play by the generations before"
            workshop.write(net, provenance(self._command, data, "none yet"))
        gate = stages.match(
            workshop,
            game,
            settings,
            (net, self.net(state.best)),
            self._seed("gate", number),
            watch,
            pairs=settings.gate_pairs,
            elo=settings.gate_elo,
        )
        passed = gate_test(settings.gate_elo).verdict(gate) is Verdict.H1
        row = Row(
            generation=number,
            games=state.games + played,
            rows=new_rows,
            seconds=0.0,
            games_a_second=played / max(generated, 1e-9),
            outcome=losses.outcome,
            policy=losses.policy,
            held_out_outcome=losses.held_out_outcome,
            held_out_policy=losses.held_out_policy,
            gate_score=gate.mean,
            gate_error=gate.score.error,
            gate_pairs=gate.number,
            best=number if passed else state.best,
            elo=state.elo,
        )
        if passed:
            against = "the plain search" if self.net(state.best) is None else f"generation {state.best}"
            said = f"{described(gate)} against {against}, SPRT {settings.gate_elo[0]:g} to {settings.gate_elo[1]:g} Elo"
            with one_line():
                workshop.write(net, provenance(self._command, data, said))
            row.elo = self._rate(number)
            write_whole(self._folder / "best.safetensors", net.read_bytes())
        state.generation, state.games, state.best, state.elo = number, row.games, row.best, row.elo
        state.seconds += monotonic() - began
        row.seconds = state.seconds
        state.rows.append(row)
        state.save(self._folder / "state.json")
        self._tidy()
        return row

    def _tidy(self) -> None:
        """Writes the log, and removes the checkpoints before the last one: what may be left to do after a kill."""
        write_log(self._folder / "log.csv", self.state.rows)
        number = self.state.generation
        for old in range(max(1, number - 2), number):
            self._file("checkpoints", old).unlink(missing_ok=True)

    def _take_up(self, number: int) -> int:
        """Brings training to where the generation ``number`` begins its own; returns the number of its rows."""
        settings, workshop = self._settings, self._workshop
        if self._read == number - 1 and number > 1:
            files = [number]
        else:
            files = list(range(1, number + 1))
            with one_line():
                if number == 1:
                    self._start()
                else:
                    workshop.resume(self._file("checkpoints", number - 1), settings.aims())
        before = sum(row.rows for row in self.state.rows) if files == [number] else 0
        paths = [self._file("records", one) for one in files]
        _, _, rows = stages.read(workshop, paths, settings, before, self._watch)
        self._read = number
        return rows

    def _start(self) -> None:
        """Starts training with nets drawn at random."""
        with one_line():
            self._workshop.start(
                list(self._settings.hidden), self._settings.aims(), self._seed("nets", 0), self._settings.tower
            )

    def _rate(self, number: int) -> float:
        """Rates a new best net by a match with the anchor."""
        state, settings = self.state, self._settings
        match = stages.match(
            self._workshop,
            self._game,
            settings,
            (self.net(number), self.net(state.anchor)),
            self._seed("rating", number),
            self._watch,
            pairs=settings.rating_pairs,
        )
        # Half a pair off either end, so that a match without a loss, or without a win, has a finite rating.
        most = 1 - 0.5 / match.number
        mean = min(max(match.mean, 1 - most), most)
        elo = state.anchor_elo + 400 * math.log10(mean / (1 - mean))
        if match.mean >= STRONG:
            state.anchor, state.anchor_elo = number, elo
        return elo


def learn(
    run: Run,
    *,
    generations: int | None,
    minutes: float | None,
    on_row: Callable[[State, Row], None],
) -> None:
    """Does generations until there are as many, or until the time is up, if these are bounded.

    Raises:
        PlayoutError: see ``Run.next``.
    """
    end = math.inf if minutes is None else monotonic() + 60 * minutes
    while (generations is None or run.state.generation < generations) and monotonic() < end:
        on_row(run.state, run.next())


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PlayoutError(unusable(folder, error)) from error
