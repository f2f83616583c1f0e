"""Backgammon notation: plays as text, and the board as a drawing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from playout.games.errors import IllegalMove
from playout.games.support.backgammon.position_id import BAR, OFF, Checkers

Hop = tuple[int, int, bool]
"""One checker moved by one die: from, to, and whether it hits. Points are those of the player who moves."""

PASSES = ("", "pass", "dance", "no move", "cannot move", "can't move")
"""Words for a play without a move."""

_ROLL = re.compile(r"^\s*[1-6]-?[1-6]\s*:")
_MOVE = re.compile(r"(\d\d?(?:[/-]\d\d?)+)(?:\((\d)\))?")
_MARKS = "XO"


def play_to_text(hops: Sequence[Hop]) -> str:
    """Returns a play as one word: ``"bar/24*,13/11"``, ``"24/18*/13"``, ``"8/5(2),6/3(2)"``, ``"pass"``.

    The hops of a checker are joined; an intermediate point is named only if a blot was hit there.
    """
    hit = {target for _, target, hits in hops if hits}
    paths: list[list[int]] = []
    for source, target, _ in sorted(hops, reverse=True):
        path = next((path for path in paths if path[-1] == source), None)
        if path is None:
            paths.append([source, target])
        else:
            path.append(target)
    moves = Counter((path[0], *(point for point in path[1:-1] if point in hit), path[-1]) for path in paths)
    words = []
    for (start, *stops), times in sorted(moves.items(), reverse=True):
        word = "bar" if start == BAR else str(start)
        for point in stops:
            word += f"/{point or 'off'}" + "*" * (point in hit)
        words.append(word + f"({times})" * (times > 1))
    return ",".join(words) or "pass"


def text_to_moves(text: str) -> list[tuple[int, ...]]:
    """Returns the points that each checker passes, one tuple for each checker moved (or each hop written out).

    Words are separated by spaces or commas; ``25`` and ``0`` stand for ``bar`` and ``off``, ``-`` for ``/``; a leading
    roll (``"31: 8/5 6/5"``) and all ``*`` are skipped.

    Raises:
        IllegalMove: if a word has another form.
    """
    plain = _ROLL.sub("", text.casefold(), count=1).replace("*", "")
    plain = re.sub("bar|b", str(BAR), re.sub("off|o", str(OFF), plain))
    moves: list[tuple[int, ...]] = []
    for word in re.split(r"[\s,;]+", re.sub(r"\s*\(\s*(\d)\s*\)", r"(\1)", plain).strip()):
        match = _MOVE.fullmatch(word)
        points = [int(point) for point in re.split("[/-]", match[1])] if match else []
        if not match or points[0] > BAR or any(a <= b for a, b in pairwise(points)):
            raise IllegalMove(f"not a backgammon move: {word!r} in {text.strip()!r} (as in '8/5,6/5' or 'bar/24*')")
        moves += [tuple(points)] * int(match[2] or 1)
    return moves


def draw(sides: Sequence[Checkers], viewer: int, caption: str) -> str:
    """Draws the board with X (player 0) at the bottom, and the points numbered from the side of ``viewer`` (0 or 1)."""
    upper, lower = range(13, 25), range(12, 0, -1)
    lines = [f" +{_numbers(upper, viewer)}+  {_summary(sides, 1)}"]
    lines += [_row(sides, upper, level, 0) for level in range(5)]
    lines += [" |" + " " * 18 + "|BAR|" + " " * 18 + f"|  {caption}"]
    lines += [_row(sides, lower, level, 1) for level in reversed(range(5))]
    lines += [f" +{_numbers(lower, viewer)}+  {_summary(sides, 0)}"]
    return "\n".join(lines)


def _numbers(points: Sequence[int], viewer: int) -> str:
    text = [f"{BAR - point if viewer else point:->2}-" for point in points]
    return "".join(text[:6]) + "+---+" + "".join(text[6:])


def _row(sides: Sequence[Checkers], points: Sequence[int], level: int, barred: int) -> str:
    """Returns the row of checkers at ``level`` of each point, counted from the edge; the bar shows those of player
    ``barred``.
    """
    cells = [_checker(sides[0][p], level, "X") + _checker(sides[1][BAR - p], level, "O") for p in points]
    texts = [f"{cell:>2} " for cell in cells]
    bar = _checker(sides[barred][BAR], level, _MARKS[barred])
    return f" |{''.join(texts[:6])}|{bar:>2} |{''.join(texts[6:])}|"


def _checker(count: int, level: int, mark: str) -> str:
    """Returns the mark, or the number of checkers on top of a stack that is too high to draw."""
    if level >= count:
        return ""
    return str(count) if level == 4 and count > 5 else mark


def _summary(sides: Sequence[Checkers], player: int) -> str:
    pips = sum(point * count for point, count in enumerate(sides[player]))
    return f"{_MARKS[player]}: {sides[player][OFF]} off, {pips} pips"
