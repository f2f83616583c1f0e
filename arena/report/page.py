"""The report of a tournament: one HTML file that loads nothing."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from statistics import fmean

from playout.arena.report.boards import in_progress
from playout.arena.report.listing import Listing, link
from playout.arena.report.plots import ratings, time_use
from playout.arena.report.standings import Score, Standings
from playout.arena.terms.job import Played
from playout.arena.terms.live import InProgress
from playout.engine.statistics.pairs import Pentanomial
from playout.engine.statistics.samples import Estimate

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child, .text { text-align: left; }
svg { max-width: 100%; font: 12px system-ui, sans-serif; fill: currentColor; }
.bar { stroke: #3465a4; stroke-width: 3; } circle { fill: #3465a4; } .grid { stroke: #8884; }
summary { cursor: pointer; } .moves { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } .boards { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 0; width: 14rem; }
.board { width: 14rem; background: #fbfaf7; border-radius: 4px; }
figcaption { font-size: 0.85em; overflow-wrap: anywhere; }
 :target { outline: 2px solid #3465a4; }
"""
LONGEST = 1e8
"""Seconds; a time that is longer is an error of who measured it."""


@dataclass
class Account:
    """Counts over the games of an event, filled game by game."""

    names: Sequence[str]
    ends: Counter[str] = field(default_factory=Counter)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Faults by engine and kind."""
    plies: int = 0
    games: int = 0
    seconds: list[list[array[float]]] = field(default_factory=list)
    """Times of each player's first moves in the games, of its second ones, and so on."""
    least: dict[str, float] = field(default_factory=dict)
    """Least seconds that the clock of a player showed after a move."""

    def __post_init__(self) -> None:
        self.seconds = [[] for _ in self.names]

    def add(self, played: Played) -> None:
        """Counts a game."""
        self.games += 1
        self.plies += len(played.moves)
        self.ends[played.end.value] += 1
        if played.at_fault in (0, 1):
            self.faults[played.names[played.at_fault], played.end.value] += 1
        places = [self.names.index(name) if name in self.names else None for name in played.names]
        opening, moved = len(played.opening.moves), [0, 0]
        for ply, move in enumerate(played.moves):
            if ply < opening or move.player not in (0, 1) or not 0 < move.seconds <= LONGEST:
                continue
            row = places[move.player]
            if row is None:
                continue
            if move.left is not None:
                name = played.names[move.player]
                self.least[name] = min(self.least.get(name, move.left), move.left)
            number = moved[move.player]
            moved[move.player] += 1
            if number == len(self.seconds[row]):
                self.seconds[row].append(array("f"))
            self.seconds[row][number].append(move.seconds)

    @property
    def typical(self) -> list[list[array[float]]]:
        """Times of each player's moves by number, as far as a tenth of its games went."""
        least = [max(map(len, moves), default=0) / 10 for moves in self.seconds]
        return [[move for move in moves if len(move) >= one] for one, moves in zip(least, self.seconds, strict=True)]

    @property
    def means(self) -> list[list[float]]:
        """Mean seconds of each player's moves by number, as far as a tenth of its games went."""
        return [[fmean(move) for move in moves] for moves in self.typical]


def page(
    title: str,
    events: Iterable[tuple[str, str, Standings, Iterable[Played]]],
    mishaps: Sequence[tuple[str, str, str]],
    state: str,
    live: Sequence[InProgress] = (),
) -> Iterator[str]:
    """Yields the parts of the report.

    Args:
        title: name of the tournament.
        events: for each event its name, the name of the game, the standings and the games.
        mishaps: kind, game and reason of all that went wrong without counting.
        state: one line that says how far the tournament is.
        live: games in progress.
    """
    yield (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>\n'
        f"<h1>{escape(title)}</h1><p>{escape(state)}</p>\n"
    )
    yield in_progress(live)
    used = 0
    for name, game, standings, games in events:
        account, listing = Account(standings.names), Listing(name, standings.names, used)
        for played in games:
            account.add(played)
            listing.add(played)
        used = listing.used
        yield f"<h2>{escape(name)}: {escape(game)}</h2>\n{_table(standings)}"
        if standings.winner is not None:
            yield f"<p>Winner: {escape(standings.winner)}</p>\n"
        yield f'<div class="wide">{_linked(standings, listing)}</div>'
        order = standings.order
        yield ratings([standings.names[one] for one in order], [standings.elo[one] for one in order])
        yield f"<h3>Time</h3>\n{_times(account)}{time_use(standings.names, account.means)}"
        yield f"<h3>Ends of the games</h3>\n{_ends(account)}"
        yield "<h3>Games</h3>\n"
        yield from listing.parts()
    if mishaps:
        rows = [[kind, game, said] for kind, game, said in mishaps]
        yield f"<h2>Mishaps</h2>\n<p>They count for nobody.</p>{_rows(['kind', 'game', 'reason'], rows, text=True)}"
    yield "</body></html>\n"


def _table(standings: Standings) -> str:
    rows = []
    for place, number in enumerate(standings.order, 1):
        score, elo = standings.scores[number], standings.elo[number]
        rows.append(
            [
                f"{place}. {standings.names[number]}",
                f"{score.games}",
                f"{standings.total(number):g}",
                f"{100 * score.share:.1f} %",
                f"{score.wins}",
                f"{score.draws}",
                f"{score.losses}",
                _elo(elo),
                _pairs(score),
            ]
        )
        if standings.points > 1:
            gain = score.gained(standings.points)
            rows[-1].append("" if gain is None else f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})")
    head = ["engine", "games", "points", "share", "won", "drawn", "lost", "Elo, 95 %", "pairs 0 to 2"]
    return _rows([*head, *(["points a game, 95 %"] if standings.points > 1 else [])], rows)


def _pairs(score: Score) -> str:
    counts = score.statistic
    return " ".join(map(str, counts.counts)) if isinstance(counts, Pentanomial) else ""


def _elo(elo: Estimate) -> str:
    return f"{elo.value:+.1f} ({elo.low:+.1f} to {elo.high:+.1f})"


def crosstable(standings: Standings) -> tuple[list[str], list[list[str]]]:
    """Returns the head and the rows of the crosstable: what each player (row) scored against each other (column)."""
    order = standings.order
    head = ["", *(f"{place}" for place in range(1, len(order) + 1))]
    rows = []
    for place, number in enumerate(order, 1):
        row = [f"{place}. {standings.names[number]}"]
        for other in order:
            duel = standings.duels[number][other]
            row.append("" if other == number else f"{duel.points:g}/{duel.games}" if duel.games else "-")
        rows.append(row)
    return head, rows


def _linked(standings: Standings, listing: Listing) -> str:
    """Returns the crosstable with links from its cells to the games."""
    head, rows = crosstable(standings)
    names = [standings.names[number] for number in standings.order]
    linked = []
    for name, (first, *cells) in zip(names, rows, strict=True):
        anchors = [listing.anchor(name, other) for other in names]
        parts = [link(to, text) if to and text else escape(text) for to, text in zip(anchors, cells, strict=True)]
        linked.append([escape(first), *parts])
    return _table_of(head, linked)


def _times(account: Account) -> str:
    rows = []
    for name, times in zip(account.names, account.seconds, strict=True):
        moves, seconds = sum(map(len, times)), sum(map(sum, times))
        left = account.least.get(name)
        rows.append(
            [
                name,
                f"{moves}",
                f"{seconds / moves:.4f} s" if moves else "-",
                f"{seconds:.1f} s",
                "" if left is None else f"{left:.3f} s",
            ]
        )
    length = f"<p>{account.plies / account.games:.1f} plies a game.</p>" if account.games else ""
    return length + _rows(["engine", "moves", "a move", "in all", "least left on the clock"], rows)


def _ends(account: Account) -> str:
    rows = [[name, f"{count}"] for name, count in account.ends.most_common()]
    text = _rows(["end", "games"], rows)
    if account.faults:
        faults = [[name, kind, f"{count}"] for (name, kind), count in account.faults.most_common()]
        text += _rows(["engine", "fault", "games"], faults, text=True)
    return text


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]], *, text: bool = False) -> str:
    """Returns a table of texts."""
    return _table_of(head, ([escape(cell) for cell in row] for row in rows), text=text)


def _table_of(head: Sequence[str], rows: Iterable[Sequence[str]], *, text: bool = False) -> str:
    """Returns a table whose cells are HTML."""
    mark = ' class="text"' if text else ""
    top = "".join(f"<th{mark}>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td{mark}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>\n"
