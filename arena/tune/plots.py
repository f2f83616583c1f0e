"""Plots of a tuning as SVG files of their own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from playout.arena.report.plots import COLOURS, WIDTH

LEFT, RIGHT, HEIGHT, GAP = 70, 20, 130, 36
"""Margins, and the height of an option's panel and of the space below it."""
MOST_POINTS = 600
"""Most points of a line."""
STYLE = (
    "<style>svg { font: 12px system-ui, sans-serif; background: #fff; } .grid { stroke: #ccc; }"
    " .bar { stroke: #3465a4; stroke-width: 3; } circle { fill: #3465a4; }</style>"
)


def trails(names: Sequence[str], values: Sequence[Sequence[float]], means: Sequence[float]) -> str:
    """Returns the values of options by the number of the step, a panel for each option.

    Args:
        names: the options.
        values: of each option, the value before step 1 and after each step.
        means: of each option, the mean that the dashed line shows.
    """
    rows = []
    for number, (name, row, mean) in enumerate(zip(names, values, means, strict=True)):
        rows.append(_panel(name, row, mean, number * (HEIGHT + GAP) + 24, COLOURS[number % len(COLOURS)]))
    title = "Values by the step, with the mean of the last half"
    return standalone(
        f'<svg viewBox="0 0 {WIDTH} {len(names) * (HEIGHT + GAP) + 8}" role="img" aria-label="{title}">'
        f"<title>{title}</title>{''.join(rows)}</svg>"
    )


def standalone(svg: str) -> str:
    """Returns a plot that a page could contain as a file of its own."""
    head, mark, rest = svg.partition(">")
    return f'{head} xmlns="http://www.w3.org/2000/svg"{mark}{STYLE}{rest}\n'


def _panel(name: str, row: Sequence[float], mean: float, top: float, colour: str) -> str:
    low, high = min(*row, mean), max(*row, mean)
    pad = 0.05 * (high - low) or 0.5
    low, high = low - pad, high + pad
    steps = max(1, len(row) - 1)

    def x(step: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * step / steps

    def y(value: float) -> float:
        return top + HEIGHT * (high - value) / (high - low)

    marks = [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" class="grid"/>'
        f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        for value in sorted({low + pad, (low + high) / 2, high - pad})
    ]
    marks += [
        f'<text x="{x(step):.1f}" y="{top + HEIGHT + 14:.1f}" text-anchor="middle">{step}</text>'
        for step in sorted({0, steps // 2, steps})
    ]
    every = max(1, len(row) // MOST_POINTS)
    places = [*range(0, len(row) - 1, every), len(row) - 1]
    points = " ".join(f"{x(place):.1f},{y(row[place]):.1f}" for place in places)
    return (
        f'<text x="{LEFT}" y="{top - 6:.1f}" fill="{colour}">{escape(name)}: {mean:.4g}</text>{"".join(marks)}'
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(mean):.1f}" y2="{y(mean):.1f}" stroke="{colour}"'
        f' stroke-dasharray="5 4"/><polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    )
