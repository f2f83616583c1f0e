"""Search reports as the info lines of Go programs: Leela Zero's, KataGo's, Sabaki's and CGOS's.

All values are from the point of view of the player to move at the root. A move's win rate is (1 + v) / 2 of its value
v in [-1, 1]; a draw counts half.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult

Z = 1.96
"""Standard deviations of Wilson's interval: its lower end is the lower bound of a win rate. If the simulations were
independent games, the true win rate would be below it in 2.5 % of the cases."""
CGOS_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


@dataclass(frozen=True, slots=True)
class ShownPosition:
    """The selection of what the lines show."""

    player: int = 0
    """The player to move at the root."""
    least: int = 0
    """Least number of moves. They are completed from ``legal`` by moves without visits."""
    most: int | None = None
    legal: Sequence[str] = ()
    priors: Mapping[str, float] = field(default_factory=dict)
    points: Sequence[int] = ()
    """The numbers of the board's points, row by row from the top left."""
    ownership: bool = False
    moves_ownership: bool = False
    root: bool = False
    pv_visits: bool = False
    pv_edge_visits: bool = False


def win_rate(value: float) -> float:
    """The win rate, in [0, 1], of a value in [-1, 1]."""
    return (1 + max(-1.0, min(1.0, value))) / 2


def lower_bound(move: MoveInfo) -> float:
    """The lower end of Wilson's score interval for the win rate; the win rate itself if it is proven."""
    rate, visits = win_rate(move.value), move.visits
    if move.proven:
        return rate
    if visits == 0:
        return 0.0
    spread = Z * math.sqrt(rate * (1 - rate) / visits + (Z / (2 * visits)) ** 2)
    return max(0.0, (rate + Z**2 / (2 * visits) - spread) / (1 + Z**2 / visits))


def moves_of(info: SearchInfo, shown: ShownPosition) -> list[MoveInfo]:
    """The moves to show, best first; those without visits by their priors, with the root's value."""
    moves = list(info.moves[: shown.most])
    missing = shown.least - len(moves) if shown.most is None else min(shown.least, shown.most) - len(moves)
    if missing > 0:
        seen = {move.move for move in info.moves}
        untried = sorted((move for move in shown.legal if move not in seen), key=lambda m: -shown.priors.get(m, 0.0))
        moves += [unvisited(move, info) for move in untried[:missing]]
    return moves


def unvisited(move: str, info: SearchInfo) -> MoveInfo:
    """The entry of a move that the search did not try, with the root's value."""
    return MoveInfo(move, 0, info.value, 0.0, 1.0, 0.0, -1.0, 1.0, None, (move,))


def led(result: SearchResult) -> SearchInfo:
    """The last report of a search. If the search tried no move, as with a book, the report has the move to play."""
    if result.info.moves or result.move is None:
        return result.info
    return replace(result.info, moves=(unvisited(result.move, result.info),))


def leela(info: SearchInfo, shown: ShownPosition) -> str:
    """Leela Zero's line: win rates and priors in ten-thousandths."""
    return " ".join(_entry(order, move, shown, _ten_thousandths) for order, move in enumerate(moves_of(info, shown)))


def katago(info: SearchInfo, shown: ShownPosition) -> str:
    """KataGo's line: win rates and priors as fractions, then the parts that ``shown`` asks for."""
    return _katago(info, shown, lambda number: f"{number:.6g}")


def sabaki(info: SearchInfo, shown: ShownPosition) -> str:
    """KataGo's line as Sabaki wants it: every fraction with a decimal point."""
    return _katago(info, shown, lambda number: f"{number:.6f}")


def cgos(info: SearchInfo, shown: ShownPosition) -> str:
    """The JSON object of the server CGOS."""
    moves = [
        {
            "move": move.move,
            "visits": move.visits,
            "winrate": round(win_rate(move.value), 4),
            **({"prior": round(shown.priors[move.move], 4)} if move.move in shown.priors else {}),
            "pv": " ".join(move.pv[1:]),
        }
        for move in moves_of(info, shown)
    ]
    owners = "".join(CGOS_DIGITS[round((1 + hold) / 2 * 62)] for hold in _holds(info.ownership, shown))
    values = {
        "winrate": round(win_rate(info.value), 4),
        **({} if info.lead is None else {"score": round(info.lead[0], 1)}),
        "visits": info.visits,
        "moves": moves,
        **({"ownership": owners} if owners else {}),
    }
    return json.dumps(values, separators=(",", ":"))


def _katago(info: SearchInfo, shown: ShownPosition, number: Callable[[float], str]) -> str:
    moves = moves_of(info, shown)
    if not moves:
        return ""
    parts = [_entry(order, move, shown, number, utility=True) for order, move in enumerate(moves)]
    if shown.root:
        parts.append(
            f"rootInfo visits {info.visits} utility {number(info.value)} winrate {number(win_rate(info.value))}"
        )
        parts += _points(info.lead, number)
    if shown.ownership and info.ownership:
        parts.append(f"ownership {_numbers(_holds(info.ownership, shown))}")
    return " ".join(parts)


def _entry(
    order: int, move: MoveInfo, shown: ShownPosition, number: Callable[[float], str], *, utility: bool = False
) -> str:
    rate, bound, prior = win_rate(move.value), lower_bound(move), shown.priors.get(move.move)
    parts = [f"info move {move.move} visits {move.visits}"]
    if utility:
        parts.append(f"utility {number(2 * rate - 1)}")
    parts.append(f"winrate {number(rate)}")
    if utility:
        parts += _points(move.lead, number)
    if prior is not None:
        parts.append(f"prior {number(prior)}")
    parts.append(f"lcb {number(bound)}")
    if utility:
        parts.append(f"utilityLcb {number(2 * bound - 1)}")
    parts.append(f"order {order} pv {' '.join(move.pv or (move.move,))}")
    if utility and shown.pv_visits:
        parts.append(f"pvVisits {_counts(move.pv_visits)}")
    if utility and shown.pv_edge_visits:
        parts.append(f"pvEdgeVisits {_counts(move.pv_edge_visits)}")
    if utility and shown.moves_ownership and move.ownership:
        parts.append(f"movesOwnership {_numbers(_holds(move.ownership, shown))}")
    return " ".join(parts)


def _points(lead: tuple[float, float] | None, number: Callable[[float], str]) -> list[str]:
    """The fields for a lead in points of the player to move, mean and standard deviation; none without one."""
    if lead is None:
        return []
    mean, deviation = map(number, lead)
    return [f"scoreMean {mean} scoreStdev {deviation} scoreLead {mean} scoreSelfplay {mean}"]


def _ten_thousandths(share: float) -> str:
    return str(round(10000 * share))


def _numbers(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:.3f}" for number in numbers)


def _counts(visits: Sequence[int]) -> str:
    return " ".join(map(str, visits or (0,)))


def _holds(ownership: Sequence[float], shown: ShownPosition) -> list[float]:
    """The ownership for the player to move, row by row from the top left."""
    sign = 1 if shown.player == 0 else -1
    return [sign * ownership[point] for point in shown.points] if ownership else []
