"""The report of a tournament as a picture: for each event the crosstable, the ratings, the time use and the ends."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from statistics import quantiles
from typing import TYPE_CHECKING

from playout.arena.report.page import Account, crosstable
from playout.arena.report.standings import Standings
from playout.arena.terms.job import Played

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, ROW, BESIDE = 15.0, 0.3, 2.6
"""Inches: the width, the height for each player, and the height of an event beside its players."""
DOTS = 110
"""Dots for each inch."""
LEGEND = 12
"""Players up to whose number the curves have a legend."""


def picture(
    title: str, events: Iterable[tuple[str, str, Standings, Iterable[Played]]], state: str, form: str = "png"
) -> bytes:
    """Returns the report as PNG, or with ``form`` ``svg`` as SVG. The other arguments are those of ``page`` in
    ``page.py``.

    Raises:
        ImportError: without matplotlib.
    """
    import matplotlib
    from matplotlib.figure import Figure

    drawn = list(events)
    heights = [BESIDE + ROW * len(standings.names) for _, _, standings, _ in drawn]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.8), dpi=DOTS, layout="constrained")
    figure.suptitle(f"{title}: {state}")
    rows = figure.subplots(len(drawn), 3, squeeze=False, height_ratios=heights)
    for axes, (name, game, standings, games) in zip(rows, drawn, strict=True):
        account = Account(standings.names)
        for played in games:
            account.add(played)
        _cross(axes[0], f"{name}: {game}", standings, account)
        _ratings(axes[1], standings)
        _times(axes[2], account)
    target = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "playout", "svg.fonttype": "none"}):
        figure.savefig(target, format=form, metadata={"Date": None} if form == "svg" else None)
    return target.getvalue()


def _cross(axes: Axes, title: str, standings: Standings, account: Account) -> None:
    head, rows = crosstable(standings)
    head, shares = [*head, "%"], [f"{100 * standings.scores[one].share:.1f}" for one in standings.order]
    axes.axis("off")
    axes.set_title(title)
    table = axes.table(
        [[*row, share] for row, share in zip(rows, shares, strict=True)], colLabels=head, loc="upper center"
    )
    table.auto_set_column_width(range(len(head)))
    ends = ", ".join(f"{end} {count}" for end, count in account.ends.most_common())
    axes.text(0.5, 0.0, ends, ha="center", wrap=True)


def _ratings(axes: Axes, standings: Standings) -> None:
    order = standings.order
    places = [place for place, one in enumerate(order) if math.isfinite(standings.elo[one].value)]
    elo = [standings.elo[order[place]] for place in places]
    ends = [value for one in elo for value in (one.low, one.high) if math.isfinite(value)]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    errors = [
        [one.value - max(one.low, min(low, one.value)) for one in elo],
        [min(one.high, max(high, one.value)) - one.value for one in elo],
    ]
    axes.errorbar([one.value for one in elo], places, xerr=errors, fmt="o", capsize=3)
    axes.set_yticks(range(len(order)), [_short(standings.names[one]) for one in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.set_xlabel("Elo with its 95 % interval")
    axes.grid(axis="x", alpha=0.4)


def _times(axes: Axes, account: Account) -> None:
    from matplotlib.ticker import MaxNLocator

    for name, means, times in zip(account.names, account.means, account.typical, strict=True):
        numbers = range(1, len(means) + 1)
        [line] = axes.plot(numbers, means, label=_short(name))
        halves = [quantiles(move, n=4) if len(move) > 1 else [move[0]] * 3 for move in times]
        low, high = [half[0] for half in halves], [half[2] for half in halves]
        axes.fill_between(numbers, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("number of the move")
    axes.set_ylabel("seconds: mean and middle half")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.4)
    if 0 < len(account.names) <= LEGEND:
        axes.legend(fontsize="small")


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"
