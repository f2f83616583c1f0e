"""Standings as tables for the terminal."""

from __future__ import annotations

import math

from rich.console import Console
from rich.table import Table

from playout.arena.file.plan import Plan
from playout.arena.forms.sprt import SprtMatch
from playout.arena.report.standings import Score, Standings
from playout.arena.store.store import Store
from playout.engine.statistics.pairs import Pentanomial
from playout.engine.statistics.samples import Estimate

SHOWN = 5
"""Number of mishaps that are printed."""


def standings_table(title: str, standings: Standings) -> Table:
    """Returns the table of an event, the leader first."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("")
    table.add_column("engine", overflow="fold")
    for name in ("games", "points", "%", "won", "drawn", "lost", "Elo", "+/-"):
        table.add_column(name, justify="right")
    if standings.points > 1:
        table.add_column("points a game", justify="right")
        table.add_column("+/-", justify="right")
    for place, number in enumerate(standings.order, 1):
        score = standings.scores[number]
        table.add_row(
            str(place),
            standings.names[number],
            str(score.games),
            f"{standings.total(number):g}",
            f"{100 * score.share:.1f}",
            str(score.wins),
            str(score.draws),
            str(score.losses),
            *elo_words(standings.elo[number]),
            *(gain_words(score.gained(standings.points)) if standings.points > 1 else ()),
        )
    return table


def elo_words(elo: Estimate) -> tuple[str, str]:
    """Returns a difference in Elo and the half of its interval; empty where nothing is known."""
    value = f"{elo.value:+.1f}" if math.isfinite(elo.value) else ("inf" if elo.value > 0 else "-inf")
    return value, f"{elo.error:.1f}" if math.isfinite(elo.error) else ""


def gain_words(gain: Estimate | None) -> tuple[str, str]:
    """Returns the mean points gained in a game and the half of their interval; empty where nothing is known."""
    return ("", "") if gain is None else (f"{gain.value:+.3f}", f"{gain.error:.3f}")


def print_mishaps(out: Console, store: Store) -> None:
    """Prints the last games that could not be played or recorded."""
    mishaps = store.mishaps()
    for kind, game, said in mishaps[-SHOWN:]:
        out.print(f"{kind}: {game}: {said}", soft_wrap=True)
    if len(mishaps) > SHOWN:
        out.print(f"and {len(mishaps) - SHOWN} mishaps before")


def summary(plan: Plan, standings: Standings) -> list[str]:
    """Returns the lines below the table: the winner if the form names one, and for a match of two the words that match
    runners print."""
    won = [] if standings.winner is None else [f"winner: {standings.winner}"]
    if len(standings.names) != 2:
        return won
    score = standings.scores[0]
    counts = score.statistic
    normalized = counts.normalized
    lines = [
        *won,
        f"LOS {100 * counts.los:.1f} %, normalised Elo {normalized.value:+.1f} +/- {normalized.error:.1f}, "
        f"draws {_percent(score.draws, score.games)}",
    ]
    if isinstance(counts, Pentanomial):
        lines.append(f"Ptnml(0-2): {', '.join(map(str, counts.counts))}")
    if isinstance(plan.form, SprtMatch):
        lines.append(sprt_line(plan.form, score))
    return lines


def sprt_line(form: SprtMatch, score: Score) -> str:
    """Returns the state of a sequential test."""
    test = form.test
    low, high = test.bounds
    counts = Pentanomial.of(score.pairs)
    verdict = test.verdict(counts)
    said = {None: "goes on", "H0": f"H0 accepted: {test.elo0:g} Elo", "H1": f"H1 accepted: {test.elo1:g} Elo"}[verdict]
    return f"LLR {test.llr(counts):+.2f} ({low:.2f}, {high:.2f}) [{test.elo0:g}, {test.elo1:g}] {test.model}: {said}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
