"""Plots of a tournament as SVG, for a report that is one file and loads nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from playout.engine.statistics.samples import Estimate
from playout.games.support.scale import ticks

WIDTH, LEFT, RIGHT, ROW = 720, 220, 60, 26
COLOURS = ("#3465a4", "#cc0000", "#4e9a06", "#f57900", "#75507b", "#06989a", "#8f5902", "#555753")


def ratings(names: Sequence[str], elo: Sequence[Estimate]) -> str:
    """Returns the ratings as points with bars for their 95 % intervals, a row for each player."""
    known = [end for one in elo for end in (one.low, one.value, one.high) if math.isfinite(end)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    pad = max(5.0, 0.05 * (high - low))
    low, high = low - pad, high + pad
    height = ROW * len(names) + 30

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (min(max(value, low), high) - low) / (high - low)

    rows = [_grid(low, high, x, height - 24)]
    for place, (name, one) in enumerate(zip(names, elo, strict=True)):
        y = ROW * place + ROW / 2
        value = min(max(one.value, low), high)
        said = f"{one.value:+.1f}" if math.isfinite(one.value) else "?"
        rows.append(
            f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(_short(name))}</text>'
            f'<line x1="{x(one.low):.1f}" x2="{x(one.high):.1f}" y1="{y:.1f}" y2="{y:.1f}" class="bar"/>'
            f'<circle cx="{x(value):.1f}" cy="{y:.1f}" r="4"/>'
            f'<text x="{WIDTH - RIGHT + 8}" y="{y + 4:.1f}">{said}</text>'
        )
    return _svg(height, rows, "Ratings in Elo with their 95 % intervals")


def time_use(names: Sequence[str], seconds: Sequence[Sequence[float]]) -> str:
    """Returns the mean seconds of each player's moves, by the number of the move."""
    longest = max(map(len, seconds), default=0)
    most = max((value for row in seconds for value in row), default=0.0)
    height = 240
    if longest < 2 or most <= 0:
        return ""

    def x(move: float) -> float:
        return 60 + (WIDTH - 60 - RIGHT) * move / (longest - 1)

    def y(value: float) -> float:
        return 10 + (height - 50) * (1 - value / most)

    rows = [
        f'<line x1="60" x2="{WIDTH - RIGHT}" y1="{y(part * most):.1f}" y2="{y(part * most):.1f}" class="grid"/>'
        f'<text x="54" y="{y(part * most) + 4:.1f}" text-anchor="end">{part * most:.3g} s</text>'
        for part in (0.0, 0.5, 1.0)
    ]
    rows += [
        f'<text x="{x(move):.1f}" y="{height - 24}" text-anchor="middle">{move + 1}</text>'
        for move in range(0, longest, max(1, longest // 8))
    ]
    for number, (name, row) in enumerate(zip(names, seconds, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(f"{x(move):.1f},{y(value):.1f}" for move, value in enumerate(row))
        rows.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        rows.append(
            f'<text x="{70 + 160 * (number % 4)}" y="{height - 4 + 14 * (number // 4)}" fill="{colour}">'
            f"{escape(_short(name))}</text>"
        )
    return _svg(height + 14 * ((len(names) - 1) // 4), rows, "Mean seconds of a move, by its number")


def _grid(low: float, high: float, x: object, height: float) -> str:
    assert callable(x)
    return "".join(
        f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="0" y2="{height:.1f}" class="grid"/>'
        f'<text x="{x(value):.1f}" y="{height + 16:.1f}" text-anchor="middle">{value:g}</text>'
        for value in ticks(low, high)
    )


def _short(name: str) -> str:
    return name if len(name) <= 30 else f"{name[:29]}…"


def _svg(height: float, rows: Sequence[str], title: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(rows)}</svg>"
    )
