"""Engines that speak UCI or UGI."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from playout.arena.drivers.asking import Words, ask
from playout.arena.drivers.driver import Answer, ClockFace, Scene, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.process import process_of
from playout.arena.drivers.untold import has_more
from playout.arena.drivers.whole import whole
from playout.arena.terms.end import End
from playout.arena.terms.job import OptionValue, Player
from playout.arena.terms.pace import Pace
from playout.engine.options.table import SHOW_ALL
from playout.games.errors import PlayoutError
from playout.games.game import Game, HasChess960, HasStateText
from playout.games.nearest import nearest
from playout.protocols.base.lines import one_line

PATIENCE = 60.0
"""Seconds for an engine to start, or to get ready for a game; loading nets and tables takes long."""
ORDER = Words(
    never="no bestmove {} after go, nor after stop", late="bestmove only after stop, {} after go", stop="stop\n"
)
CHESS960 = "UCI_Chess960"
CLOCKS = {"uci": ("wtime", "btime", "winc", "binc"), "ugi": ("p1time", "p2time", "p1inc", "p2inc")}


class UniversalDriver:
    """Drives one engine. See ``Driver``."""

    def __init__(self, player: Player, game: Game[Any, Any]) -> None:
        """Starts the engine and sets its options.

        Raises:
            PlayoutError: if there is no such program, or it lacks an option or Chess960.
            Fault: if it does not speak the protocol.
        """
        self.name = player.name
        self.remarks: list[str] = []
        self._player, self._verb = player, player.protocol
        self._words = CLOCKS[self._verb]
        self._begun = self._moves = self._info = self._last = ""
        self._count = 0
        self._process = process_of(player, game.name)
        try:
            self._introduce(game)
        except BaseException:
            self._process.close()
            raise

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        if start is None and isinstance(game, HasChess960) and game.chess960 and isinstance(game, HasStateText):
            start = game.state_to_text(game.initial_state())  # only the engine's own array has the name startpos
        self._begun = f"position {'startpos' if start is None else 'fen ' + start}"
        self._moves, self._count = "", 0
        self._note(self._process.waiting())
        self._ready(f"{self._verb}newgame\n" if afresh else "")

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        process, moves = self._process, scene.moves
        if len(moves) > self._count:
            self._add(moves[self._count :])
        order = f"{self._begun}{' moves' if moves else ''}{self._moves}\ngo{self._bounds(clocks, scene.player)}\n"
        self._note(process.waiting())
        self._last = ""
        word, seconds, began = ask(process, order, limit, grace, ORDER, self._best, lambda: self._last)
        return Answer(word, seconds, began, thought_of(self._info))

    def finish(self, result: float | None) -> None:
        """Does nothing: the protocol has no word for the end of a game."""

    def close(self) -> None:
        self._process.close("quit\n")

    def _add(self, moves: Sequence[str]) -> None:
        for move in moves:
            if " " in move:
                raise PlayoutError(f"{self._verb.upper()} writes a move as one word: {move!r}")
        self._moves += " " + " ".join(moves)
        self._count += len(moves)

    def _best(self, deadline: float) -> str | None:
        """Returns the move of ``bestmove``; None if none came in time. Notes the last line, and the last ``info`` line
        with a score."""
        self._info = info = last = ""
        line = self._process.line
        while (text := line(deadline)) is not None:
            if text.startswith("info"):
                if " score " in text and "bound" not in text and (" multipv " not in text or " multipv 1 " in text):
                    info = text
            elif text.startswith("bestmove"):
                words = text.split()
                if words[0] == "bestmove":
                    self._info = info
                    return self._move(words[1:])
            last = text
        self._last = last or self._last
        return None

    def _move(self, words: list[str]) -> str:
        if self._verb == "uci":
            return words[0] if words else ""
        return " ".join(words[: words.index("ponder")] if "ponder" in words else words)

    def _bounds(self, clocks: tuple[ClockFace, ClockFace], player: int) -> str:
        face = clocks[player]
        pace, words = face.pace, ""
        if face.left is not None:
            # Without a clock of its own the other side gets this one: engines take 0 for an empty clock.
            for word, one in zip(self._words[:2], clocks, strict=True):
                words += f" {word} {max(1, round(1000 * (face.left if one.left is None else one.left)))}"
            for word, one in zip(self._words[2:], clocks, strict=True):
                if one.pace.increment:
                    words += f" {word} {round(1000 * one.pace.increment)}"
            # A byo-yomi period is for one move. The protocols have no word for it but this one.
            if (moves := 1 if face.periods else face.moves) is not None:
                words += f" movestogo {moves}"
        if pace.movetime is not None:
            words += f" movetime {round(1000 * pace.movetime)}"
        if pace.nodes is not None:
            words += f" nodes {pace.nodes}"
        if pace.depth is not None:
            words += f" depth {pace.depth}"
        return words

    def _introduce(self, game: Game[Any, Any]) -> None:
        options = self._told("")
        if has_more(options, self._player.options):
            options = self._told(f"setoption name {SHOW_ALL} value true\n")
        lines = "".join(setting_lines(self._player.options, options, self._player.name))
        if isinstance(game, HasChess960):
            if CHESS960.lower() in options:
                lines += f"setoption name {CHESS960} value {'true' if game.chess960 else 'false'}\n"
            elif game.chess960 and self._verb == "uci":
                raise PlayoutError(f"{self._player.name}: it does not play Chess960")
        lines += "".join(f"{line}\n" for line in self._player.commands)
        self._ready(lines)

    def _told(self, before: str) -> dict[str, str]:
        """Sends ``before`` and asks the engine who it is. Returns the names of the options it tells, by lower case."""
        deadline = time.monotonic() + PATIENCE
        options: dict[str, str] = {}
        self._process.send(f"{before}{self._verb}\n", deadline)
        while (line := self._process.line(deadline)) is None or line.strip() != f"{self._verb}ok":
            if line is None:
                raise Fault(End.HANG, f"no {self._verb}ok {PATIENCE:g} s after {self._verb}")
            if line.startswith("id name "):
                self.name = one_line(line[8:], 100)
            elif line.startswith("option name "):
                name = line[12:].partition(" type ")[0].strip()
                options[name.lower()] = name
        return options

    def _ready(self, before: str) -> None:
        deadline = time.monotonic() + PATIENCE
        self._process.send(f"{before}isready\n", deadline)
        while (line := self._process.line(deadline)) is None or line.strip() != "readyok":
            if line is None:
                raise Fault(End.HANG, f"no readyok {PATIENCE:g} s after isready")
            self._note([line])

    def _note(self, lines: list[str]) -> None:
        for line in lines:
            if line.startswith("bestmove"):
                self.remarks.append(f"{self._player.name}: a bestmove that nobody asked for: {one_line(line, 80)}")


def setting_lines(wanted: Mapping[str, OptionValue], known: Mapping[str, str], name: str) -> list[str]:
    """Returns the ``setoption`` lines for the options of ``wanted``; ``known`` has the engine's names by lower case.

    Raises:
        PlayoutError: if the engine has no such option.
    """
    lines = []
    for option, value in wanted.items():
        own = known.get(option.lower())
        if own is None:
            raise PlayoutError(f"{name}: no option {option!r}{nearest(option, known.values())}")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        lines.append(f"setoption name {own} value {text}\n" if text else f"setoption name {own}\n")
    return lines


def thought_of(line: str) -> Thought:
    """Returns what an ``info`` line says; a word that is out of place says nothing."""
    if not line:
        return Thought()
    words = line.split()
    found: dict[str, int] = {}
    for key, value in pairwise(words):
        if key == "pv":
            break
        if key in ("cp", "mate", "depth", "nodes") and (number := whole(value)) is not None:
            found[key] = number
    mate = found.get("mate")
    return Thought(found.get("cp") if mate is None else None, mate, found.get("depth"), found.get("nodes"))
