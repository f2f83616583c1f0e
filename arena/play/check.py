"""The check of a game that was played elsewhere: its moves are played again by our own rules."""

from __future__ import annotations

from typing import Any

from playout.arena.play.board import board_of
from playout.arena.play.dice import dice_of
from playout.arena.terms.end import FAULTS, End
from playout.arena.terms.job import Job, Played
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.game import CHANCE, Game, points_scale

DECISIVE = frozenset({End.RESIGN, End.WIN})
LEVEL = frozenset({End.DRAW, End.MOVES})
FOUND = frozenset({End.TABLE, End.SOLVED})


def refusal(job: Job, number: int, played: Played) -> str | None:
    """Returns the reason why ``played`` cannot be game ``number`` of ``job``, in one line; None if it can."""
    if not 0 <= number < job.games or played.id != f"{job.id}/{number}":
        return f"the game {played.id} is not asked for"
    seats = (0, 1) if number == 0 else (1, 0)
    if played.names != (job.players[seats[0]].name, job.players[seats[1]].name) or played.game != job.game:
        return "other players, or another game"
    if played.opening != job.opening or len(played.moves) < len(job.opening.moves):
        return "another opening"
    try:
        return _replayed(job, played) or _wrong_end(played)
    except PlayoutError as error:
        return str(error)


def _replayed(job: Job, played: Played) -> str | None:
    game = catalogue.load(job.game)
    board = board_of(game, job.opening.start)
    dice, given = dice_of(job), job.opening.moves
    for ply, move in enumerate(played.moves):
        if board.player is None:
            return f"move {ply + 1} comes after the end of the game"
        mover = None
        if ply < len(given):
            wanted = given[ply]
        elif board.player == CHANCE:
            wanted = board.roll(dice)
        else:
            wanted, mover = None, board.player
        if move.player not in (None, mover):
            return f"move {ply + 1} is not that of player {move.player}"
        text = board.play(move.text)
        if wanted is not None and text != wanted and not _same_move(wanted, text):
            return f"move {ply + 1} is {text} instead of {wanted}"
    result = board.result
    if played.end is End.NORMAL and (result is None or played.result is None or abs(result - played.result) > 1e-6):
        return f"the rules give {'no result' if result is None else f'{result:g}'}, not {played.result}"
    if played.end is not End.NORMAL and result is not None:
        return f"the rules ended the game, not: {played.end}"
    if played.end in FOUND and not _is_result(game, played.result):
        return f"{played.end} with the result {played.result}, which the game does not have"
    return None


def _is_result(game: Game[Any, Any], result: float | None) -> bool:
    """Whether a game can end with ``result``, as far as the points that it is played for tell."""
    return result is not None and abs(result * points_scale(game) - round(result * points_scale(game))) < 1e-4


def _wrong_end(played: Played) -> str | None:
    end, result = played.end, played.result
    if end in FAULTS and (played.at_fault not in (0, 1) or result != (-1.0 if played.at_fault == 0 else 1.0)):
        return f"{end} without the player who lost by it"
    if end not in FAULTS and played.at_fault is not None:
        return f"{end} is nobody's fault"
    if (end in DECISIVE and result not in (-1.0, 1.0)) or (end in LEVEL and result != 0.0):
        return f"{end} with the result {result}"
    if result is None or not -1.0 <= result <= 1.0:
        return f"the result {result}"
    return None


def _same_move(one: str, other: str) -> bool:
    """Whether two texts that the rules took for moves differ in case and blanks only."""
    return "".join(one.split()).casefold() == "".join(other.split()).casefold()
