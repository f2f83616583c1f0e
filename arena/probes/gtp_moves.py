"""Probes for GTP of the board: moves, their refusal, generated moves, time, handicaps, scores."""

from __future__ import annotations

import re
import time

from playout.arena.probes.desk import shown
from playout.arena.probes.finding import NotApplicable, Probes, Wrong
from playout.arena.probes.gtp_desk import COLOURS, GtpDesk
from playout.games.board_hooks import HasTerritory

PROBES: Probes[GtpDesk] = Probes("GTP 2 draft", "gtp")
probe = PROBES.probe

KO = ("b B3", "w C3", "b A2", "w D2", "b B1", "w C1", "b C2", "w B2")
"""Moves after which Black may not take back at C2."""
SCORE = re.compile(r"[BW]\+\d+(\.\d*)?|0(\.0*)?|[BW]\+R(esign)?", re.IGNORECASE)
VERTEX = re.compile(r"[A-HJ-Z]([1-9]|1\d|2[0-5])", re.IGNORECASE)


@probe("boardsize")
def sizes_that_no_board_has(desk: GtpDesk) -> None:
    """A size that the engine does not have is refused."""
    desk.refuses("boardsize 0", "boardsize -1", "boardsize 1000")


@probe("standard error messages", severity="warning")
def text_of_a_wrong_size(desk: GtpDesk) -> None:
    """The refusal of a size has the text: unacceptable size."""
    desk.refuses_with("unacceptable size", "boardsize 1000")


@probe("clear_board")
def clear_board(desk: GtpDesk) -> None:
    """After clear_board each point is empty again."""
    desk.clear()
    point = desk.points()[0]
    desk.play(f"b {point}")
    desk.ask("clear_board")
    desk.play(f"b {point}")


@probe("komi")
def komi(desk: GtpDesk) -> None:
    """The komi is any number."""
    if not isinstance(desk.game, HasTerritory):
        raise NotApplicable("for Go only")
    for number in ("0", "6.5", "-3.5", "7"):
        desk.ask(f"komi {number}")


@probe("colours, vertices")
def case_of_moves(desk: GtpDesk) -> None:
    """The case of colours and points does not count, and colours may be written out."""
    desk.clear()
    first, second, third, fourth = desk.points()[:4]
    desk.play(f"BLACK {first.lower()}", f"White {second.upper()}", f"B {third}", f"w {fourth}")


@probe("play")
def occupied_points(desk: GtpDesk) -> None:
    """A move on an occupied point is refused."""
    desk.clear()
    point = desk.points()[5]
    desk.play(f"b {point}")
    desk.refuses(f"play w {point}")


@probe("standard error messages", severity="warning")
def text_of_an_illegal_move(desk: GtpDesk) -> None:
    """The refusal of a move has the text: illegal move."""
    desk.clear()
    point = desk.points()[5]
    desk.play(f"b {point}")
    desk.refuses_with("illegal move", f"play w {point}")


@probe("vertices")
def points_off_the_board(desk: GtpDesk) -> None:
    """A point that the board does not have is refused; in Go no column is called I."""
    desk.clear()
    desk.refuses(f"play b A{desk.size + 1}", "play b A0", *(["play b i5"] if _is_go(desk) else []))
    desk.play(f"b {desk.points()[0]}")


@probe("play")
def ko(desk: GtpDesk) -> None:
    """A ko is not taken back at once."""
    desk.go()
    desk.clear()
    desk.play(*KO)
    desk.refuses("play b C2")


@probe(habit="nearly all rules of Go", severity="warning")
def suicide(desk: GtpDesk) -> None:
    """A single stone is not played where it has no liberty."""
    desk.go()
    desk.clear()
    desk.play("b A2", "b B1")
    desk.refuses("play w A1")


@probe("play")
def two_moves_of_one_colour(desk: GtpDesk) -> None:
    """A colour may move twice in a row."""
    desk.go()
    desk.clear()
    desk.play("b C3", "b E5", "w G7", "w C7")


@probe("play")
def passes(desk: GtpDesk) -> None:
    """A pass is a move; after two of them stones can still be played, and genmove answers."""
    desk.go()
    desk.clear()
    desk.play("b pass", "w PASS")
    desk.generate(0)
    desk.clear()
    desk.play("b pass", "w pass", "b E5")


@probe("vertices", severity="warning")
def resignation_is_no_move(desk: GtpDesk) -> None:
    """The word resign is an answer of genmove, and no move of play."""
    desk.go()
    desk.clear()
    desk.refuses("play b resign")


@probe("undo")
def undo(desk: GtpDesk) -> None:
    """The command undo takes the last move back, and fails on a board without moves."""
    desk.needs("undo")
    desk.clear()
    first, second = desk.points()[3:5]
    desk.play(f"b {first}", f"w {second}")
    desk.ask("undo")
    desk.play(f"w {second}")
    desk.ask("undo")
    desk.ask("undo")
    desk.play(f"b {first}")
    desk.clear()
    desk.refuses("undo")


@probe("undo")
def undo_of_a_generated_move(desk: GtpDesk) -> None:
    """The command undo takes back what genmove has played."""
    desk.needs("undo")
    desk.clear()
    move = desk.generate(0)
    if not VERTEX.fullmatch(move):
        raise NotApplicable(f"genmove: {move}")
    desk.ask("undo")
    desk.play(f"b {move}")


@probe("genmove")
def generated_moves_are_legal(desk: GtpDesk) -> None:
    """The moves of genmove are legal, or resign."""
    state, game = desk.clear(), desk.game
    for number in range(8):
        player = number % 2
        if game.returns(state) is not None:
            break
        if number in (2, 5):
            move = next(text for text in desk.points() if text in desk.legal(state))
            desk.play(f"{COLOURS[player]} {move}")
        else:
            move = desk.generate(player)
            if move == "RESIGN":
                break
        state = desk.follow(state, player, move)


@probe("genmove")
def generated_moves_are_played(desk: GtpDesk) -> None:
    """The command genmove plays its move on the engine's board."""
    desk.clear()
    move = desk.generate(0)
    if not VERTEX.fullmatch(move):
        raise NotApplicable(f"genmove: {move}")
    desk.refuses(f"play w {move}", f"play b {move}")


@probe("genmove")
def either_colour_generates(desk: GtpDesk) -> None:
    """A move is generated for either colour, whoever moved last."""
    desk.go()
    state = desk.clear()
    for player in (1, 1, 0):
        move = desk.generate(player)
        if move == "RESIGN":
            return
        state = desk.follow(state, player, move)


@probe("genmove")
def nothing_beside_responses(desk: GtpDesk) -> None:
    """The engine writes nothing to standard output but responses."""
    desk.clear()
    for command in ("genmove b", "name"):
        response = desk.respond(command)
        if outside := [line for line in response.before if line.strip()]:
            raise Wrong(f"{shown(outside[0])} beside the response to {command!r}")
    if late := [line for line in desk.quiet() if line.strip()]:
        raise Wrong(f"{shown(late[0])} after the response to 'name'")


@probe("reg_genmove")
def reg_genmove(desk: GtpDesk) -> None:
    """The command reg_genmove leaves the board as it is."""
    desk.needs("reg_genmove")
    desk.clear()
    move = desk.ask("reg_genmove b").upper()
    if VERTEX.fullmatch(move):
        desk.play(f"b {move}")


@probe("time_settings, time_left")
def time_is_taken(desk: GtpDesk) -> None:
    """Absolute time, overtime and the time that is left are accepted."""
    desk.needs("time_settings")
    desk.clear()
    for command in ("time_settings 300 0 0", "time_settings 0 10 5", "time_settings 60 10 25"):
        desk.ask(command)
    if "time_left" in desk.known:
        for command in ("time_left b 42 0", "time_left w 8 3", "time_left b 0 0"):
            desk.ask(command)


@probe("time_left")
def time_is_kept(desk: GtpDesk) -> None:
    """With little time left a move is generated in that time."""
    desk.needs("time_settings", "time_left")
    desk.clear()
    desk.ask("time_settings 10 0 0")

    def measure() -> float:
        desk.ask("time_left b 1 0")
        began = time.monotonic()
        desk.generate(0)
        return time.monotonic() - began

    desk.timely(1.0, measure)


@probe("failure responses", severity="warning")
def wrong_times(desk: GtpDesk) -> None:
    """Times that are no numbers are refused."""
    desk.needs("time_settings", "time_left")
    desk.refuses("time_settings much 0 0", "time_left b much 0")


@probe("fixed_handicap")
def fixed_handicap(desk: GtpDesk) -> None:
    """The command fixed_handicap places the stones that it names, on an empty board only."""
    desk.needs("fixed_handicap")
    desk.go()
    desk.clear()
    points = desk.ask("fixed_handicap 2").split()
    if len(set(points)) != 2 or not all(map(VERTEX.fullmatch, points)):
        raise Wrong(f"{shown(' '.join(points))} to 'fixed_handicap 2'")
    desk.refuses(f"play w {points[0]}", "fixed_handicap 2")


@probe("fixed_handicap")
def numbers_of_handicap_stones(desk: GtpDesk) -> None:
    """Numbers that are no handicap are refused."""
    desk.needs("fixed_handicap")
    desk.go()
    for number in ("-1", "1", "10", "x", "400"):
        desk.clear()
        desk.refuses(f"fixed_handicap {number}")


@probe("set_free_handicap")
def set_free_handicap(desk: GtpDesk) -> None:
    """The command set_free_handicap takes different points, on an empty board only."""
    desk.needs("set_free_handicap")
    desk.go()
    desk.clear()
    desk.refuses("set_free_handicap C3 C3", "set_free_handicap C3 pass")
    desk.clear()
    desk.ask("set_free_handicap C3 G7 C7")
    desk.refuses("play w G7", "set_free_handicap D4 E5")


@probe("place_free_handicap")
def place_free_handicap(desk: GtpDesk) -> None:
    """The command place_free_handicap places the stones that it names, at most as many as it was told."""
    desk.needs("place_free_handicap")
    desk.go()
    desk.clear()
    points = desk.ask("place_free_handicap 3").split()
    if not 2 <= len(set(points)) <= 3 or not all(map(VERTEX.fullmatch, points)):
        raise Wrong(f"{shown(' '.join(points))} to 'place_free_handicap 3'")
    desk.refuses(f"play w {points[0]}")


@probe("final_score")
def final_score(desk: GtpDesk) -> None:
    """The score is B+POINTS, W+POINTS or 0."""
    desk.needs("final_score")
    desk.go()
    _divide(desk)
    response = desk.respond("final_score")
    if response.good and not SCORE.fullmatch(response.text):
        raise Wrong(f"{response} to 'final_score'")


@probe("final_status_list")
def final_status_list(desk: GtpDesk) -> None:
    """The lists of alive, dead and seki hold each stone at most once, by points."""
    desk.needs("final_status_list")
    desk.go()
    stones = sorted(_divide(desk))
    points: list[str] = []
    for status in ("alive", "dead", "seki"):
        points += desk.ask(f"final_status_list {status}").upper().split()
    if sorted(points) != stones:
        raise Wrong(f"{shown(' '.join(points))} in the three lists, with stones at {' '.join(stones)}")
    desk.refuses("final_status_list no_such_status")


def _is_go(desk: GtpDesk) -> bool:
    return isinstance(desk.game, HasTerritory)


def _divide(desk: GtpDesk) -> list[str]:
    """Divides the board by two walls and ends the game; returns the points with stones."""
    desk.clear()
    points: list[str] = []
    for row in range(1, desk.size + 1):
        desk.play(f"b C{row}", f"w E{row}")
        points += [f"C{row}", f"E{row}"]
    desk.play("b pass", "w pass")
    return points
