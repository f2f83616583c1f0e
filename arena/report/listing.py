"""The games of an event on the page of a report: by pairs of players, with links to each and its moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote

from playout.arena.report.boards import board
from playout.arena.report.records import comment
from playout.arena.terms.end import End
from playout.arena.terms.job import Move, Played

ROOM = 1_300_000
"""Characters of moves on a page. Of the games behind them only the line is shown."""
NOTED = 400_000
"""Characters of moves with evaluations and times, which stand first. Those behind them are bare."""
DRAWN = 24
"""Games of an event whose last position is drawn."""
RESULTS = {None: "*", 1.0: "1-0", 0.0: "½-½", -1.0: "0-1"}


class Listing:
    """The list of an event's games."""

    def __init__(self, event: str, names: Sequence[str], used: int = 0) -> None:
        """``used`` is the number of characters that the moves of earlier events have on the page."""
        self.used = used
        self._event, self._names = event, names
        self._drawn = 0
        self._meetings: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
        """Links and games by the two players, in the order of the standings' names."""

    def add(self, played: Played) -> None:
        """Adds a game."""
        first, second = played.names
        pair = (second, first) if self._place(second) < self._place(first) else (first, second)
        links, games = self._meetings.setdefault(pair, ([], []))
        links.append(link(played.id, _result(played)))
        games.append(self._game(played))

    def anchor(self, first: str, second: str) -> str | None:
        """Returns the id of the games of two players; None if there are none."""
        for pair in (first, second), (second, first):
            if pair in self._meetings:
                return f"{self._event}//{self._place(pair[0])}-{self._place(pair[1])}"
        return None

    def parts(self) -> Iterator[str]:
        """Yields the list as HTML."""
        for (first, second), (links, games) in self._meetings.items():
            anchor = escape(self.anchor(first, second) or "", quote=True)
            yield f'<h4 id="{anchor}">{escape(first)} - {escape(second)}</h4>\n<p class="moves">{" ".join(links)}</p>\n'
            yield from games

    def _place(self, name: str) -> int:
        return self._names.index(name) if name in self._names else len(self._names)

    def _game(self, played: Played) -> str:
        said = f": {played.detail}" if played.detail else ""
        ended = "" if played.end is End.NORMAL else f", {played.end}{said}"
        plies = f"{len(played.moves)} plies"
        head = escape(f"{played.id}: {' - '.join(played.names)} {_result(played)}, {plies}{ended}")
        name = escape(played.id, quote=True)
        moves = self._moves(played)
        if self.used + len(moves) > ROOM:
            return f'<p id="{name}">{head}</p>\n'
        self.used += len(moves)
        start = f"<p>{escape(played.opening.start)}</p>" if played.opening.start else ""
        last = ""
        if self._drawn < DRAWN:
            self._drawn += 1
            last = board(played.game, played.opening.start, tuple(move.text for move in played.moves))
        return f'<details id="{name}"><summary>{head}</summary>{start}<p class="moves">{moves}</p>{last}</details>\n'

    def _moves(self, played: Played) -> str:
        noted, opening = self.used < NOTED, len(played.opening.moves)
        words = []
        for ply, move in enumerate(played.moves):
            word = escape(move.text)
            note = _note(move) if noted and ply >= opening else ""
            words.append(f'<span title="{escape(note, quote=True)}">{word}</span>' if note else word)
        return " ".join(words)


def link(anchor: str, text: str) -> str:
    """Returns a link to a place on the same page."""
    return f'<a href="#{quote(anchor)}">{escape(text)}</a>'


def _note(move: Move) -> str:
    try:
        return comment(move)
    except (ArithmeticError, ValueError):  # a number that has no text
        return ""


def _result(played: Played) -> str:
    return RESULTS.get(played.result) or f"{played.result:+.3g}"
