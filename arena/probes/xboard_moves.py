"""Probes for XBoard's protocol of games: moves, force mode, positions, time, thinking output, analysis, results."""

from __future__ import annotations

import re
import time
from typing import Any

from playout.arena.probes.desk import shown
from playout.arena.probes.finding import Probes, Wrong
from playout.arena.probes.positions import CASTLING, MATE_IN_ONE, PROMOTING, PROMOTION, VARIOUS
from playout.arena.probes.xboard_desk import RESULTS, THOUGHT, XBoardDesk, is_move, is_thought

PROBES: Probes[XBoardDesk] = Probes("CECP document", "xboard")
probe = PROBES.probe

ILLEGAL = re.compile(r"Illegal move( ?\([^()]*\))?: ?\S+")


@probe("new, go")
def go(desk: XBoardDesk) -> None:
    """The engine moves for the side to move after go, and new begins at the array again."""
    for _ in range(2):
        desk.reply(desk.start(), "go")


@probe("new, usermove")
def answers_to_moves(desk: XBoardDesk) -> None:
    """After new the engine plays Black, and answers each move by one of its own."""
    desk.said("new", "easy", "nopost", "st 1", "sd 1")
    state: Any = desk.game.initial_state()
    for wanted in ("e2e4", "d2d4", "a2a3"):
        legal = desk.legal(state)
        move = wanted if wanted in legal else min(legal)
        reply = desk.reply(desk.after(state, [move]), desk.outgoing(state, move))
        state = desk.after(state, [move, reply])
        if not desk.legal(state):
            break
    if extra := [line for line in desk.said() + desk.quiet() if is_move(line)]:
        raise Wrong(f"{shown(extra[0])}, unasked")


@probe("force")
def force(desk: XBoardDesk) -> None:
    """In force mode moves are taken for both sides and not answered; go ends it."""
    state = desk.make(desk.start(), "e2e4", "e7e5", "g1f3")
    if wrong := [line for line in desk.quiet() if is_move(line)]:
        raise Wrong(f"{shown(wrong[0])} in force mode")
    desk.reply(state, "go")


@probe("Illegal move")
def illegal_moves(desk: XBoardDesk) -> None:
    """An illegal move is answered by Illegal move: MOVE, and is not made."""
    desk.needs("ping")
    state = desk.start()
    prefix = "usermove " if desk.features.flag("usermove") else ""
    for move in ("e2e5", "e7e5", "e1g1"):
        lines = desk.said(f"{prefix}{move}")
        if not any(map(ILLEGAL.fullmatch, lines)):
            raise Wrong(f"{shown(lines[0]) if lines else 'nothing'} to {move}")
    desk.reply(desk.make(state, "e2e4"), "go")


@probe("setboard")
def setboard(desk: XBoardDesk) -> None:
    """A position is taken as FEN."""
    for fen in VARIOUS:
        desk.reply(desk.start(fen), "go")


@probe("setboard")
def wrong_positions(desk: XBoardDesk) -> None:
    """A text that is no position is answered by tellusererror Illegal position."""
    desk.needs("setboard")
    for fen in ("x", "8/8/8/8/8/8/8/8 w - - 0 1"):
        lines = desk.said("new", "force", f"setboard {fen}")
        if not any(line.startswith("tellusererror Illegal position") for line in lines):
            raise Wrong(f"{shown(lines[-1]) if lines else 'nothing'} to setboard {fen}")


@probe("undo")
def undo(desk: XBoardDesk) -> None:
    """The command undo takes back one move."""
    state = desk.start()
    desk.make(state, "e2e4")
    desk.said("undo")
    after = desk.make(state, "d2d4")
    desk.make(after, "d7d5")
    desk.said("undo")
    desk.reply(desk.make(after, "e7e6", "c2c4"), "go")


@probe("remove")
def remove(desk: XBoardDesk) -> None:
    """The command remove takes back two moves."""
    state = desk.start()
    desk.make(state, "e2e4", "e7e5")
    desk.said("remove")
    desk.reply(desk.make(state, "e2e4", "c7c5", "g1f3"), "go")


@probe("playother")
def playother(desk: XBoardDesk) -> None:
    """After playother the engine plays the side that is not to move."""
    desk.needs("playother")
    state = desk.make(desk.start(), "e2e4")
    if wrong := [line for line in desk.said("playother") if is_move(line)]:
        raise Wrong(f"{shown(wrong[0])} after playother")
    desk.reply(desk.after(state, ["e7e5"]), desk.outgoing(state, "e7e5"))


@probe("?")
def move_now(desk: XBoardDesk) -> None:
    """A question mark makes the engine move at once."""
    desk.said("new", "easy", "nopost", "force", "level 0 120 0")
    desk.send("go")
    if not any(map(is_move, desk.quiet())):
        desk.reply(desk.game.initial_state(), "?")


@probe("?")
def question_mark_without_a_search(desk: XBoardDesk) -> None:
    """Without a search a question mark is ignored."""
    desk.new()
    if wrong := [line for line in desk.said("?") + desk.quiet() if is_move(line)]:
        raise Wrong(f"{shown(wrong[0])} to a question mark")


@probe("level, st, sd, time, otim")
def time_controls(desk: XBoardDesk) -> None:
    """The forms of level, and st, sd, time and otim are taken."""
    desk.needs("ping")
    desk.new()
    times = ("time 1000", "otim 1000") if desk.features.flag("time") else ()
    for line in ("level 40 5 0", "level 0 2 12", "level 40 0:30 0", "st 30", "sd 4", *times):
        if wrong := [answer for answer in desk.said(line) if answer.startswith("Error")]:
            raise Wrong(f"{shown(wrong[0])} to {line!r}")


@probe("st")
def fixed_time(desk: XBoardDesk) -> None:
    """With st 1 a move takes a second."""
    desk.timely(1.0, lambda: _seconds(desk, "st 1"))


@probe("level, time")
def tiny_clock(desk: XBoardDesk) -> None:
    """With half a second on the clock the move comes in that time."""
    desk.needs("time")
    desk.timely(0.5, lambda: _seconds(desk, "level 0 1 0", "time 50", "otim 50"))


@probe("result")
def after_the_result(desk: XBoardDesk) -> None:
    """After a result the engine is silent until the next game."""
    desk.reply(desk.start(), "go")
    if wrong := [line for line in desk.said("result 1-0 {White mates}") + desk.quiet() if is_move(line)]:
        raise Wrong(f"{shown(wrong[0])} after the result")
    desk.reply(desk.start(), "go")


@probe("RESULT {comment}")
def mate_is_claimed(desk: XBoardDesk) -> None:
    """A move that ends the game is answered by the result, and by no move."""
    desk.needs("ping")
    desk.needs("playother")
    state = desk.start(MATE_IN_ONE)
    lines = desk.said("playother", desk.outgoing(state, "a1a8"))
    if wrong := [line for line in lines if is_move(line)]:
        raise Wrong(f"{shown(wrong[0])} after mate")
    if not any(line.startswith("1-0 {") for line in lines):
        raise Wrong(f"{shown(lines[-1]) if lines else 'nothing'} after mate")


@probe("RESULT {comment}")
def results_are_true(desk: XBoardDesk) -> None:
    """A result is claimed only where the game is over."""
    desk.start()
    for line in desk.said("go"):
        if line.split()[:1] and line.split()[0] in RESULTS:
            raise Wrong(f"{shown(line)} after its first move")


@probe("promotion")
def promotions(desk: XBoardDesk) -> None:
    """The piece of a promotion is a lower-case letter behind the move."""
    desk.reply(desk.start(PROMOTION), "go")
    desk.reply(desk.make(desk.start(PROMOTING), "a7a8q"), "go")


@probe("castling")
def castling(desk: XBoardDesk) -> None:
    """Castling is written as the king's move of two squares."""
    desk.reply(desk.make(desk.start(CASTLING), "e1g1"), "go")


@probe("post")
def thinking_output(desk: XBoardDesk) -> None:
    """After post each line of thinking has ply, score, time and nodes as whole numbers."""
    desk.start(None, "post")
    thoughts = [line for line in _search(desk) if is_thought(line)]
    desk.said("nopost")
    for line in thoughts:
        if not THOUGHT.fullmatch(line):
            raise Wrong(shown(line))


@probe(habit="GUIs show it; tournament managers adjudicate by it")
def a_thought_comes(desk: XBoardDesk) -> None:
    """After post at least one line of thinking comes before the move."""
    desk.start(None, "post")
    lines = _search(desk)
    desk.said("nopost")
    if not any(map(is_thought, lines)):
        raise Wrong("none")


@probe("nopost")
def silent_thinking(desk: XBoardDesk) -> None:
    """After nopost no line of thinking comes."""
    desk.start(None, "post", "nopost")
    if thoughts := [line for line in _search(desk) if is_thought(line)]:
        raise Wrong(shown(thoughts[0]))


@probe("hard")
def pondering(desk: XBoardDesk) -> None:
    """After hard the engine ponders without moving, and answers the next move."""
    state = desk.start(None, "hard")
    move = desk.reply(state, "go")
    state = desk.after(state, [move])
    if wrong := [line for line in desk.said() + desk.quiet() if is_move(line)]:
        raise Wrong(f"{shown(wrong[0])}, unasked")
    answer = min(desk.legal(state))
    desk.reply(desk.after(state, [answer]), desk.outgoing(state, answer))
    desk.said("easy")


@probe("analyze, exit")
def analysis(desk: XBoardDesk) -> None:
    """In analysis moves and undo are taken, nothing is played, and exit ends it."""
    desk.needs("analyze")
    state = desk.start(None, "post")
    lines = desk.said("analyze") + desk.said(desk.outgoing(state, "e2e4")) + desk.quiet()
    lines += desk.said(".") + desk.said("undo") + desk.said(desk.outgoing(state, "d2d4")) + desk.said("exit")
    lines += desk.said("nopost")
    if wrong := [line for line in lines if is_move(line) or line.startswith(("Illegal", "Error"))]:
        raise Wrong(f"{shown(wrong[0])} in analysis")
    desk.reply(desk.after(state, ["d2d4"]), "go")


def _search(desk: XBoardDesk) -> list[str]:
    desk.send("go")
    return desk.until(is_move, "move")


def _seconds(desk: XBoardDesk, *control: str) -> float:
    desk.said("new", "easy", "nopost", "force", *control[:1])
    began = time.monotonic()
    desk.reply(desk.game.initial_state(), *control[1:], "go")
    return time.monotonic() - began
