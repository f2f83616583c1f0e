"""GTP commands that report while they search: the dialects of Leela Zero, KataGo, Sabaki and CGOS.

An analysis goes on until the next line of input. Then its response ends, and the line is executed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from playout.engine.search.restriction import bounds, named
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits, Reports, Restriction
from playout.games.board_hooks import points
from playout.games.errors import IllegalMove
from playout.games.game import HasPlayerChange, action_to_text
from playout.games.nearest import nearest
from playout.protocols.gtp.board import Board
from playout.protocols.gtp.clock import Clocks
from playout.protocols.gtp.info_lines import ShownPosition, cgos, katago, led, leela, sabaki
from playout.protocols.gtp.syntax import (
    COLOURS,
    GtpCommand,
    GtpError,
    Handler,
    Thinking,
    arguments,
    colour,
    integer,
    quoted,
    real,
    then,
)

MOST_LINES = 500
SHORTEST = 0.01
"""Least number of seconds between reports."""
FLAGS = {
    name.lower(): name
    for name in (
        "ownership",
        "ownershipStdev",
        "movesOwnership",
        "movesOwnershipStdev",
        "pvVisits",
        "pvEdgeVisits",
        "rootInfo",
        "noResultValue",
    )
}
"""KataGo's flags. Those without a meaning here are accepted and ignored."""

Write = Callable[[SearchInfo, ShownPosition], str]


@dataclass(slots=True)
class AnalyzeRequest:
    """The arguments of an analysis."""

    player: int
    interval: float | None = None
    """Seconds between reports; 0 for none before the end, None for the interval of the options."""
    least: int = 0
    most: int | None = None
    restrictions: list[Restriction] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    @property
    def reports(self) -> Reports:
        """The reports that the search is asked for."""
        ownership = bool(self.flags & {"ownership", "movesOwnership"})
        interval = max(self.interval, SHORTEST) if self.interval else None
        return Reports(interval, min(self.most or MOST_LINES, MOST_LINES), ownership)


class _Analysis:
    def __init__(self, board: Board, clocks: Clocks, commands: Mapping[str, Handler]) -> None:
        self._board = board
        self._clocks = clocks
        self._genmove = commands["genmove"]
        self._reg_genmove = commands["reg_genmove"]

    def lz_analyze(self, command: GtpCommand) -> str | Thinking:
        """``lz-analyze [COLOUR] [INTERVAL] [OPTIONS]``: Searches until the next line of input. Every INTERVAL
        centiseconds reports all moves on one line; win rates are in ten-thousandths."""
        return self._endless(command, leela)

    def kata_analyze(self, command: GtpCommand) -> str | Thinking:
        """``kata-analyze [COLOUR] [INTERVAL] [OPTIONS]``: As ``lz-analyze``, in KataGo's form."""
        return self._endless(command, katago)

    def analyze(self, command: GtpCommand) -> str | Thinking:
        """``analyze [COLOUR] [INTERVAL] [OPTIONS]``: As ``kata-analyze``, for Sabaki: every fraction has a decimal
        point."""
        return self._endless(command, sabaki)

    def lz_genmove_analyze(self, command: GtpCommand) -> str | Thinking:
        """``lz-genmove_analyze [COLOUR] [INTERVAL] [OPTIONS]``: As ``genmove``, with the reports of ``lz-analyze``, and
        ``play MOVE`` at the end. Only ``# interrupt`` ends it early."""
        return self._generate(command, leela, self._genmove)

    def kata_genmove_analyze(self, command: GtpCommand) -> str | Thinking:
        """``kata-genmove_analyze [COLOUR] [INTERVAL] [OPTIONS]``: As ``lz-genmove_analyze``, in KataGo's form."""
        return self._generate(command, katago, self._genmove)

    def genmove_analyze(self, command: GtpCommand) -> str | Thinking:
        """``genmove_analyze [COLOUR] [INTERVAL] [OPTIONS]``: As ``lz-genmove_analyze``, in Sabaki's form."""
        return self._generate(command, sabaki, self._genmove)

    def kata_search_analyze(self, command: GtpCommand) -> str | Thinking:
        """``kata-search_analyze [COLOUR] [INTERVAL] [OPTIONS]``: As ``kata-genmove_analyze``, but plays nothing."""
        return self._generate(command, katago, self._reg_genmove)

    def kata_search_analyze_cancellable(self, command: GtpCommand) -> str | Thinking:
        """``kata-search_analyze_cancellable [COLOUR] [INTERVAL] [OPTIONS]``: As ``kata-search_analyze``, but the next
        line of input ends it: ``play cancelled``."""
        return self._cancellable(self._generate(command, katago, self._reg_genmove), "play cancelled")

    def kata_search(self, command: GtpCommand) -> str | Thinking:
        """``kata-search COLOUR``: As ``genmove``, by the clock, but plays nothing."""
        player = colour(arguments(command, "COLOUR", 1)[0])
        outcome = self._reg_genmove(command)
        return outcome if isinstance(outcome, str) else replace(outcome, limits=self._timed(command, player))

    def kata_search_cancellable(self, command: GtpCommand) -> str | Thinking:
        """``kata-search_cancellable COLOUR``: As ``kata-search``, but the next line of input ends it: ``cancelled``."""
        return self._cancellable(self.kata_search(command), "cancelled")

    def cgos_genmove_analyze(self, command: GtpCommand) -> str | Thinking:
        """``cgos-genmove_analyze COLOUR [INTERVAL]``: As ``genmove``; answers a line of JSON, with INTERVAL one every
        INTERVAL centiseconds, then ``play MOVE``."""
        words = arguments(command, "COLOUR [INTERVAL]", 1, 2)
        interval = _centiseconds(words[1]) if len(words) == 2 else 0.0
        request = AnalyzeRequest(colour(words[0]), interval, flags={"ownership"})
        return self._generate(command, cgos, self._genmove, request)

    def _endless(self, command: GtpCommand, write: Write) -> str | Thinking:
        request = self._request(command)
        narrowed = self._bounds(request)
        outcome = self._reg_genmove(_of(command, request.player))
        if isinstance(outcome, str):
            return ""  # After the end there is nothing to analyse.
        lines = _Lines(request, self._shown(request), write)

        def finish(result: SearchResult) -> str:
            outcome.finish(replace(result, move=None))
            return ""

        limits = Limits(infinite=True, received=command.received, reports=request.reports, **narrowed)
        return Thinking(limits, finish, lines.report, interruptible=True)

    def _generate(
        self, command: GtpCommand, write: Write, search: Handler, request: AnalyzeRequest | None = None
    ) -> str | Thinking:
        request = request or self._request(command)
        narrowed = self._bounds(request)
        outcome = search(_of(command, request.player))
        if isinstance(outcome, str):
            return f"\nplay {outcome}"
        lines = _Lines(request, self._shown(request), write)

        def finish(result: SearchResult) -> str | Thinking:
            last = lines.last(result)
            return then(outcome.finish(result), lambda move: f"{last}\nplay {move}")

        limits = self._timed(command, request.player, reports=request.reports, **narrowed)
        return replace(outcome, limits=limits, finish=finish, report=lines.report)

    def _timed(self, command: GtpCommand, player: int, **changes: Any) -> Limits:
        """Limits by the clock of ``player``, whether the move is to be played or not."""
        return Limits(clock=self._clocks.clock(player), received=command.received, **changes)

    def _cancellable(self, outcome: str | Thinking, word: str) -> str | Thinking:
        if isinstance(outcome, str):
            return outcome
        ended = outcome.finish

        def finish(result: SearchResult) -> str | Thinking:
            if result.reason != "stop":
                return ended(result)
            ended(replace(result, move=None))
            return word

        return replace(outcome, finish=finish, interruptible=True)

    def _shown(self, request: AnalyzeRequest) -> ShownPosition:
        """The selection of what the lines show. Call it when the player to analyse for is to move."""
        board, game = self._board, self._board.game
        return ShownPosition(
            player=request.player,
            least=request.least,
            most=request.most,
            legal=self._legal(board.state) if request.least else (),
            priors=board.session.priors(),
            points=points(game) if board.territory else (),
            ownership="ownership" in request.flags,
            moves_ownership="movesOwnership" in request.flags,
            root="rootInfo" in request.flags,
            pv_visits="pvVisits" in request.flags,
            pv_edge_visits="pvEdgeVisits" in request.flags,
        )

    def _legal(self, state: object) -> list[str]:
        game = self._board.game
        return [action_to_text(game, state, action) for action in game.legal_actions(state)]

    def _bounds(self, request: AnalyzeRequest) -> dict[str, Any]:
        """Fields of ``Limits`` for the arguments ``avoid`` and ``allow``."""
        try:
            moves, rules = bounds(self._board.game, self._state(request.player), request.restrictions)
        except IllegalMove as error:
            raise GtpError(str(error)) from None
        return {"search_moves": moves, "restrictions": rules}

    def _state(self, player: int) -> object:
        """The state with ``player`` to move, or the state as it is if the game keeps turns."""
        board = self._board
        changes = board.mover == 1 - player and isinstance(board.game, HasPlayerChange)
        return board.game.with_player(board.state, player) if changes else board.state

    def _request(self, command: GtpCommand) -> AnalyzeRequest:
        mover = self._board.mover
        request = AnalyzeRequest(mover if mover == 1 else 0)
        restrictions = []
        words = list(command.arguments)[::-1]

        def value(name: str) -> str:
            if not words:
                raise GtpError(f"syntax error: {name} lacks its value")
            return words.pop()

        while words:
            word = words.pop()
            key = word.lower()
            if key in COLOURS:
                request.player = colour(word)
            elif key[:1].isdigit():
                request.interval = _centiseconds(word)
            elif key == "interval":
                request.interval = _centiseconds(value(word))
            elif key == "minmoves":
                request.least = _count(value(word))
            elif key == "maxmoves":
                request.most = _count(value(word))
            elif key in ("avoid", "allow"):
                restrictions.append((key, value(word), value(word), value(word)))
            elif key in FLAGS:
                _set_flag(request, FLAGS[key], value(word))
            else:
                near = nearest(key, ("interval", "minmoves", "maxmoves", "avoid", "allow", *FLAGS))
                raise GtpError(f"syntax error: {quoted(word)} is no option of {command.name}{near}")
        for key, player, moves, depth in restrictions:
            request.restrictions.append(self._restriction(key == "allow", colour(player), moves, integer(depth)))
        return request

    def _restriction(self, only: bool, player: int, moves: str, depth: int) -> Restriction:
        """``avoid`` or ``allow`` with its arguments."""
        if depth < 1:
            raise GtpError("syntax error: the depth of avoid and allow is 1 or more")
        names = [name for word in dict.fromkeys(moves.split(",")) if word for name in self._named(player, word)]
        return Restriction(player, frozenset(names), only, depth)

    def _named(self, player: int, word: str) -> Sequence[str]:
        """The move that ``word`` names at some position; none for a word of GTP that is no move of the game."""
        name = named(self._board.game, self._state(player), word)
        if name is not None:
            return [name]
        if word.lower() in ("pass", "resign"):
            return []
        raise GtpError(f"syntax error: {quoted(word)} is no move")


class _Lines:
    """The lines of one analysis."""

    def __init__(self, request: AnalyzeRequest, shown: ShownPosition, write: Write) -> None:
        self._quiet = request.interval == 0
        self._shown = shown
        self._write = write
        self._written = ""

    def report(self, info: SearchInfo) -> str:
        """The line for a report of the running search; empty if there is no move yet, or no line is wanted."""
        self._written = "" if self._quiet or not info.moves else self._write(info, self._shown)
        return self._written

    def last(self, result: SearchResult) -> str:
        """The line for the result of the search; empty if it equals the last line."""
        line = self._write(led(result), self._shown)
        return "" if line == self._written else line


def analyze_commands(board: Board, clocks: Clocks, commands: Mapping[str, Handler]) -> dict[str, Handler]:
    """The commands; ``commands`` holds ``genmove`` and ``reg_genmove``."""
    analysis = _Analysis(board, clocks, commands)
    made: dict[str, Handler] = {
        "lz-analyze": analysis.lz_analyze,
        "kata-analyze": analysis.kata_analyze,
        "analyze": analysis.analyze,
        "lz-genmove_analyze": analysis.lz_genmove_analyze,
        "kata-genmove_analyze": analysis.kata_genmove_analyze,
        "genmove_analyze": analysis.genmove_analyze,
        "kata-search": analysis.kata_search,
        "kata-search_cancellable": analysis.kata_search_cancellable,
        "kata-search_analyze": analysis.kata_search_analyze,
        "kata-search_analyze_cancellable": analysis.kata_search_analyze_cancellable,
    }
    if board.territory:
        made["cgos-genmove_analyze"] = analysis.cgos_genmove_analyze
    return made


def _of(command: GtpCommand, player: int) -> GtpCommand:
    """``command`` with a colour as its only argument."""
    return replace(command, arguments=("bw"[player],))


def _centiseconds(word: str) -> float:
    """The seconds of a number of centiseconds."""
    number = real(word)
    if number < 0:
        raise GtpError("syntax error: an interval is not negative")
    return number / 100


def _count(word: str) -> int:
    number = integer(word)
    if number < 0:
        raise GtpError("syntax error: a number of moves is not negative")
    return number


def _set_flag(request: AnalyzeRequest, flag: str, word: str) -> None:
    if word.lower() not in ("true", "false"):
        raise GtpError(f"syntax error: {flag} is true or false")
    if word.lower() == "true":
        request.flags.add(flag)
    else:
        request.flags.discard(flag)
