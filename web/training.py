"""The report of a run of learning: curves and a table, an HTML document that loads nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from playout.engine.learning.training.log import FIRST_PLAYERS, Row
from playout.games.support.scale import ticks

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 720, 240, 60, 30, 20
SHOWN = 30
"""Generations in the table, the latest ones."""
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
svg { max-width: 100%; font: 12px system-ui, sans-serif; fill: currentColor; }
polyline { fill: none; stroke-width: 2; } .grid { stroke: #8884; }
table { border-collapse: collapse; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #8884; }
"""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of a chart."""

    name: str
    colour: str
    points: Sequence[tuple[float, float]]


def page(game: str, first: str, rows: Sequence[Row]) -> str:
    """Returns the report.

    Args:
        game: name of the game that is learned.
        first: who played the first generation, a key of ``FIRST_PLAYERS``.
        rows: the generations so far.
    """
    head = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(game)}: training</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>\n'
        f"<h1>{escape(game)}</h1>\n"
    )
    if not rows:
        return f"{head}<p>The first generation is under way.</p></body></html>\n"
    last = rows[-1]
    said = (
        f"<p>{last.generation} generations, {last.games} games, {last.seconds / 60:.1f} minutes; the best net is "
        f"that of generation {last.best}, {last.elo:+.0f} Elo over {FIRST_PLAYERS[first]}.</p>\n"
    )
    elo = [(0.0, 0.0)]
    for row in rows:  # the strength changes at the end of a generation
        elo += [(float(row.games), elo[-1][1]), (float(row.games), row.elo)]
    losses = [
        Curve("outcome, held out", "#3465a4", [(row.games, row.held_out_outcome) for row in rows]),
        Curve("outcome", "#8fb4e0", [(row.games, row.outcome) for row in rows]),
        Curve("policy, held out", "#cc0000", [(row.games, row.held_out_policy) for row in rows]),
        Curve("policy", "#e59a9a", [(row.games, row.policy) for row in rows]),
    ]
    charts = (
        f"<h2>Elo of the best net, by games of self-play</h2>\n{chart([Curve('Elo', '#3465a4', elo)])}"
        f"<h2>Cross-entropy in nats, by games of self-play</h2>\n{chart(losses)}"
    )
    return f"{head}{said}{charts}{_table(rows[-SHOWN:])}</body></html>\n"


def chart(curves: Sequence[Curve]) -> str:
    """Returns curves as SVG. Points that are not finite are left out."""
    shown = [(curve, [point for point in curve.points if all(map(math.isfinite, point))]) for curve in curves]
    known = [point for _, points in shown for point in points]
    if not known:
        return ""
    left, right = _range([x for x, _ in known])
    low, high = _range([y for _, y in known])

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - 10) * (value - left) / (right - left)

    def y(value: float) -> float:
        return ABOVE + (HEIGHT - ABOVE - BELOW) * (1 - (value - low) / (high - low))

    parts = []
    for value in ticks(low, high):
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 10}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
            f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>'
        )
    parts += [
        f'<text x="{x(value):.1f}" y="{HEIGHT - 10}" text-anchor="middle">{value:g}</text>'
        for value in ticks(left, right)
    ]
    for number, (curve, points) in enumerate(shown):
        line = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
        parts.append(f'<polyline stroke="{curve.colour}" points="{line}"/>')
        parts.append(f'<text x="{LEFT + 150 * number}" y="12" fill="{curve.colour}">{escape(curve.name)}</text>')
    names = escape(", ".join(curve.name for curve in curves), quote=True)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{names}">{"".join(parts)}</svg>\n'


def _range(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _table(rows: Sequence[Row]) -> str:
    names = ("generation", "games", "games a second", "outcome, held out", "policy, held out", "gate", "best", "Elo")
    lines = []
    for row in reversed(rows):
        gate = f"{100 * row.gate_score:.1f} % &plusmn; {100 * row.gate_error:.1f}"
        numbers = (
            f"{row.generation}", f"{row.games}", f"{row.games_a_second:.1f}", f"{row.held_out_outcome:.3f}",
            f"{row.held_out_policy:.3f}", gate, f"{row.best}", f"{row.elo:+.0f}",
        )  # fmt: skip
        lines.append(f"<tr>{''.join(f'<td>{number}</td>' for number in numbers)}</tr>")
    head = "".join(f"<th>{name}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
