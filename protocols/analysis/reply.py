"""Replies of the analysis protocol, with KataGo's names where a field means the same.

Values are in [-1, 1], winrates in [0, 1], both from the point of view that the query requests.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playout.engine.analyst import Findings, MoveFindings
from playout.engine.terms.info import MoveInfo
from playout.games.board_hooks import HasTerritory, points
from playout.games.game import Game, points_scale
from playout.protocols.analysis.game import letters
from playout.protocols.base.lines import one_line

CONFIDENCE = 1.96
"""Half-width of the confidence interval of a value, in standard errors."""

ROOT_FIELDS = {
    "currentPlayer": "`B` or `W`: the player to move.",
    "visits": "Simulations from the position.",
    "winrate": "As for a move, for the position.",
    "value": "As of a move.",
    "utility": "The same as `value`.",
    "proven": "Whether the best move's value is proven.",
    "terminal": "Whether the game is over; there are no moves then, and the value is the result.",
    "scoreLead": "Go. Points ahead: the mean over the simulations; of a finished game its result.",
    "scoreMean": "Go. The same as `scoreLead`.",
    "scoreSelfplay": "Go. The same as `scoreLead`.",
    "scoreStdev": "Go. The standard deviation of the simulations' leads.",
    "equity": "Backgammon. As for a move.",
    "dice": "Backgammon. The roll to be played.",
    "thisHash": "The position's key; games with a kernel only.",
    "symHash": "A key that all symmetry images of the position share.",
    "timeMs": "Milliseconds of search.",
    "endedBy": "In final replies, why the search ended: `nodes`, `deadline`, `proven`, `stop` or `over`.",
}
"""Fields of ``rootInfo``."""

MOVE_FIELDS = {
    "move": "In the game's notation.",
    "order": "0 is the best.",
    "visits": "Simulations that took the move.",
    "edgeVisits": "The same as `visits`.",
    "winrate": "(1 + value) / 2: a draw counts half. Left out in backgammon with gammons.",
    "value": "The mean result, from -1 to 1.",
    "utility": "The same as `value`.",
    "lcb": "`utilityLcb` as a winrate.",
    "utilityLcb": "1.96 standard errors below `value` for the player to move; `value` itself if it is proven.",
    "prior": "The move's share in the softmax of H(s, a), if the game has it.",
    "proven": "Whether the value is proven.",
    "pliesToEnd": "Of a proven move: plies to the end of the game, where they are counted.",
    "scoreLead": "Go. Points ahead: the mean over the simulations that took the move, not a prediction.",
    "scoreMean": "Go. The same as `scoreLead`.",
    "scoreSelfplay": "Go. The same as `scoreLead`.",
    "scoreStdev": "Go. The standard deviation of the simulations' leads.",
    "equity": "Backgammon. Expected points.",
    "pv": "The principal variation, this move first; rolls of the dice are moves too.",
    "pvVisits": "Simulations from each position of `pv`, including transpositions. With `includePVVisits`.",
    "pvEdgeVisits": "Simulations that took each move of `pv` from the position before. With `includePVVisits`.",
    "ownership": "Go. As in the reply, for the position after the move. With `includeMovesOwnership`.",
}
"""Fields of each of ``moveInfos``."""

REPLY_FIELDS = {
    "id": "The query's.",
    "turnNumber": "Number of moves made.",
    "isDuringSearch": "True in replies requested by `reportDuringSearchEvery`. Each turn has exactly one where it is "
    "false, its last.",
    "moveInfos": "The moves, best first; see below.",
    "rootInfo": "The position; see below.",
    "ownership": "Go. With `includeOwnership`: -1 to 1 for each point, rows from the top, from playouts.",
    "policy": "With `includePolicy`: the priors of all legal moves. Go as in KataGo: a list of points, rows from the "
    "top, then the pass; -1 is illegal. Other games: an object of moves. Left out where there are none.",
    "noResults": "True, and no result follows, if the position was not searched.",
    "error": "With `noResults`: the reason.",
}
"""Fields of a reply to a query."""


@dataclass(frozen=True, slots=True)
class Style:
    """Format of the replies to a query."""

    perspective: str
    """``SIDETOMOVE``, ``BLACK``, ``WHITE``, ``FIRST`` or ``SECOND``."""
    moves: int | None
    """Maximum number of moves reported."""
    line: int
    """Maximum length of a variation in moves."""
    ownership: bool
    moves_ownership: bool
    policy: bool
    pv_visits: bool
    score: bool


def no_results(id: str, turn: int, error: str | None = None) -> dict[str, Any]:
    """Returns the final reply for a position that was not searched."""
    reply = {"id": id, "turnNumber": turn, "isDuringSearch": False, "noResults": True}
    return reply if error is None else {**reply, "error": one_line(error)}


def reply(id: str, turn: int, game: Game[Any, Any], state: Any, findings: Findings, style: Style) -> dict[str, Any]:
    """Returns the reply with the results of the position."""
    if findings.fault is not None:
        return no_results(id, turn, findings.fault)
    if not findings.info.simulations and findings.returns is None:
        return no_results(id, turn)
    return _Writer(game, state, findings, style).reply(id, turn)


class _Writer:
    """Writes one reply. Values come for the player to move; ``sign`` converts them to the requested point of view."""

    def __init__(self, game: Any, state: Any, findings: Findings, style: Style) -> None:
        self._game, self._state, self._findings, self._style = game, state, findings, style
        self._player = self._mover()
        first = self._side() == 0
        self._sign = 1 if self._side() == self._player else -1
        self._first_sign = 1 if first else -1
        self._has_territory = isinstance(game, HasTerritory)
        self._is_chance = points_scale(game) == 1

    def reply(self, id: str, turn: int) -> dict[str, Any]:
        findings, style = self._findings, self._style
        moves = findings.info.moves[: style.moves]
        found: dict[str, Any] = {
            "id": id,
            "turnNumber": turn,
            "isDuringSearch": not findings.last,
            "moveInfos": [self._move(order, move) for order, move in enumerate(moves)],
            "rootInfo": self._root(),
        }
        if style.ownership and findings.owners:
            found["ownership"] = self._owners(findings.owners)
        if style.policy and findings.priors:
            found["policy"] = self._policy(findings.priors)
        return found

    def _mover(self) -> int:
        """Returns the player to move or, in a finished game, the player who would be."""
        try:
            player: int = self._game.current_player(self._state)
        except Exception:
            if self._findings.returns is None:
                raise
            return 0
        return player if player in (0, 1) else 0

    def _side(self) -> int:
        """Returns the player whose point of view is requested."""
        word = self._style.perspective
        if word == "SIDETOMOVE":
            return self._player
        return ("FIRST", "SECOND").index(word) if word in ("FIRST", "SECOND") else letters(self._game).index(word[0])

    def _root(self) -> dict[str, Any]:
        findings, info = self._findings, self._findings.info
        value = info.value
        if findings.returns is not None:
            value = findings.returns[self._player]
        proven = findings.returns is not None or any(move.proven for move in info.moves[:1])
        root: dict[str, Any] = {
            "currentPlayer": letters(self._game)[self._player],
            "visits": info.visits,
            **self._worth(value),
            "proven": proven,
            "terminal": findings.returns is not None,
            **self._points(info.lead if findings.score is None else self._settled(findings.score)),
        }
        dice = getattr(self._state, "dice", None)
        if dice is not None:
            root["dice"] = list(dice)
        if findings.key is not None:
            root["thisHash"], root["symHash"] = (f"{key:016X}" for key in findings.key)
        root["timeMs"] = round(1000 * info.time)
        if findings.last:
            root["endedBy"] = findings.reason
        return root

    def _move(self, order: int, move: MoveInfo) -> dict[str, Any]:
        beside = self._findings.moves.get(move.move, MoveFindings())
        bound = lower_bound(move)
        found: dict[str, Any] = {
            "move": move.move,
            "order": order,
            "visits": move.visits,
            "edgeVisits": move.visits,
            **self._worth(move.value),
            "utilityLcb": self._rounded(self._sign * bound),
        }
        if self._is_chance:
            found["lcb"] = self._rounded((1 + self._sign * bound) / 2)
        if move.move in self._findings.priors:
            found["prior"] = self._rounded(self._findings.priors[move.move])
        found["proven"] = move.proven
        if move.proven and move.plies is not None:
            found["pliesToEnd"] = move.plies
        found.update(self._points(move.lead))
        found["pv"] = list(move.pv[: self._style.line] or (move.move,))
        if self._style.pv_visits:
            found["pvVisits"] = list(move.pv_visits[: self._style.line])
            found["pvEdgeVisits"] = list(move.pv_edge_visits[: self._style.line])
        if self._style.moves_ownership and beside.owners:
            found["ownership"] = self._owners(beside.owners)
        return found

    def _worth(self, value: float) -> dict[str, float]:
        """Returns the fields for a value, given for the player to move."""
        worth = self._rounded(self._sign * value)
        found = {"value": worth, "utility": worth}
        if self._is_chance:
            return {"winrate": self._rounded((1 + self._sign * value) / 2), **found}
        return {**found, "equity": self._rounded(points_scale(self._game) * self._sign * value)}

    def _settled(self, score: float) -> tuple[float, float]:
        """Returns the lead, for the player to move, in a game that ended with this score of player 0."""
        return (score if self._player == 0 else -score), 0.0

    def _points(self, lead: tuple[float, float] | None) -> dict[str, float]:
        """Returns the fields for a lead in points of the player to move: mean and standard deviation."""
        if lead is None or not self._style.score:
            return {}
        points, deviation = self._rounded(self._sign * lead[0], 2), self._rounded(lead[1], 2)
        return {"scoreLead": points, "scoreMean": points, "scoreSelfplay": points, "scoreStdev": deviation}

    def _owners(self, owners: Sequence[float]) -> list[float]:
        """Returns the expected owner of each point, rows from the top."""
        return [self._rounded(self._first_sign * owners[point], 3) for point in points(self._game)]

    def _policy(self, priors: Mapping[str, float]) -> Any:
        if not self._has_territory:
            return {move: self._rounded(prior) for move, prior in priors.items()}
        game, state = self._game, self._state
        names = [game.action_to_text(state, point) for point in points(game)]
        return [self._rounded(priors.get(name, -1.0)) for name in (*names, "pass")]

    def _rounded(self, number: float, places: int = 6) -> float:
        """Rounds a finite number, without minus zero."""
        return round(number, places) + 0.0 if math.isfinite(number) else 0.0


def lower_bound(move: MoveInfo) -> float:
    """Returns a lower confidence bound of the value of ``move`` for the player to move: the mean less ``CONFIDENCE``
    standard errors. The variance is that of the results plus one result of the widest possible variance.
    """
    if move.proven:
        return move.value
    mean = move.win - move.loss
    variance = (move.visits * (move.win + move.loss - mean**2) + 1) / (move.visits + 1)
    return move.value - CONFIDENCE * math.sqrt(max(variance, 0.0) / max(move.visits, 1))
