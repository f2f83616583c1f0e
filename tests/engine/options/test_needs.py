"""An option either acts or is refused by name: a run over all search options, games and tree policies."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from playout.engine.options.config import SearchConfig, kernel_of, option_defaults, search_config
from playout.engine.options.needs import check_options
from playout.engine.options.option import Option
from playout.engine.options.search import SEARCH_OPTIONS
from playout.engine.options.table import Options
from playout.engine.search.searcher import Hint, Hinted, Searcher
from playout.engine.terms.line import Line
from playout.games import catalogue
from playout.games.errors import BadOption
from playout.games.game import CHANCE, HasChance, action_to_text, is_over

KNOWN = {option.name: option for option in SEARCH_OPTIONS}
GAMES = ("tic_tac_toe", "connect_four:5,4", "hex:4", "go:6", "chess", "backgammon", "subtraction", "estimated")
POLICIES = KNOWN["TreePolicy"].choices
NOT_TRIED = {
    "TreePolicy": "every other option is tried under each policy",
    "Hash": "a bound that a short search does not reach",
    "Threads": "with several threads no search repeats",
    "VirtualLoss": "with several threads no search repeats",
    "Parallelism": "with several threads no search repeats",
    "EvalBytes": "it acts in nets, which these searches do not have, on some processors",
    "Seed": "nothing is random in minimax, but book moves are drawn by it",
}
RARE = ("RootChoice",)
"""It matters only if visits and values disagree, which is rare in short searches: one word and one policy of a game
suffice."""
CLOCK_ONLY = ("max_robust",)
"""Without a clock this root choice is that of most visits."""
VALUES: Mapping[str, tuple[str, ...]] = {
    "CutoffDepth": ("1",),
    "Widening": ("1",),
    "SampledActions": ("1",),
    "GraveVisits": ("5",),
    "PlayoutCutoff": ("1",),
    "ExpandVisits": ("8",),
    "FlatPlayouts": ("1",),
    "SearchDepth": ("1",),
    "ProofVisits": ("1",),
}
"""Values instead of an end of the range, where that end means off or takes long."""
FEW = (9, 13, 33, 400, 3000)
"""Simulations; the most are made only where fewer make no difference."""
WITH: Mapping[str, Mapping[str, str]] = {
    "PuctBase": {"PuctGrowth": "1"},
    "PuctSpreadBase": {"PuctSpread": "0.5"},
    "RaveEquivalence": {"Rave": "true"},
    "RaveDelay": {"Rave": "true"},
    "GraveVisits": {"Rave": "true"},
    "PlayoutPolicy": {"LeafEvaluation": "playout"},
    "PlayoutTemperature": {"LeafEvaluation": "playout", "PlayoutPolicy": "boltzmann"},
    "PlayoutCutoff": {"LeafEvaluation": "playout"},
    "CutoffDepth": {"LeafEvaluation": "playout", "PlayoutCutoff": "2"},
    "LastGoodReply": {"LeafEvaluation": "playout"},
    "ExpansionOrder": {"Rave": "false"},
    "ExpansionEpsilon": {"Rave": "false", "ExpansionOrder": "preference"},
    "WideningExponent": {"Widening": "1"},
    "RootNoiseAlpha": {"RootNoise": "0.5"},
}
"""Settings under which an option has what it needs; each is tried with and without them."""
HINTED = 600
"""Bound of the positions with a hint, for each start."""
OF_HINTS = ("HintVisits", "PlayoutHints", "MetaActions")
"""Options that act where a book or a macro has hints."""


@dataclass(frozen=True)
class Subtraction:
    """Takes one to five of a heap; whoever takes the last wins. It has no key, no symmetries and no estimates."""

    heap: int = 14
    name = "subtraction"

    def initial_state(self) -> tuple[int, int]:
        return self.heap, 0

    def current_player(self, state: tuple[int, int]) -> int:
        return state[1]

    def legal_actions(self, state: tuple[int, int]) -> list[int]:
        return list(range(1, min(5, state[0]) + 1))

    def next_state(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return state[0] - action, 1 - state[1]

    def returns(self, state: tuple[int, int]) -> tuple[float, float] | None:
        if state[0]:
            return None
        return (-1.0, 1.0) if state[1] == 0 else (1.0, -1.0)


@dataclass(frozen=True)
class Estimated(Subtraction):
    """The same with a key, and with estimates that are wrong enough to matter."""

    def key(self, state: tuple[int, int]) -> tuple[int, int]:
        return state

    def value(self, state: tuple[int, int]) -> float:
        return state[0] % 4 / 4 - 0.3

    def action_values(self, state: tuple[int, int], actions: list[int]) -> list[float]:
        return [0.3 * action for action in actions]


@dataclass(frozen=True)
class Case:
    """The searches of a game: number of simulations, and positions early and near the end."""

    game: Any
    nodes: tuple[int, ...]
    starts: tuple[tuple[str | None, tuple[str, ...]], ...]


def moves_of(game: Any) -> tuple[list[str], list[int]]:
    """The moves of a random game, and the plies at which a player was to move."""
    rng = random.Random(3)
    state = game.initial_state()
    moves: list[str] = []
    decisions: list[int] = []
    while not is_over(game, state):
        if game.current_player(state) == CHANCE:
            action = rng.choice([outcome for outcome, _ in game.chance_outcomes(state)])
        else:
            decisions.append(len(moves))
            action = rng.choice(list(game.legal_actions(state)))
        moves.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    return moves, decisions


def case(name: str) -> Case:
    if name == "chess":
        return Case(catalogue.load(name), FEW, (("7k/R7/1R6/8/8/8/8/K7 w - - 0 1", ()), (None, ())))
    own = {"subtraction": Subtraction(), "estimated": Estimated()}
    game = own[name] if name in own else catalogue.load(name)
    moves, decisions = moves_of(game)
    starts = sorted(
        {
            decisions[0],
            decisions[2],
            decisions[min(4, len(decisions) - 1)],
            decisions[max(0, len(decisions) - 5)],
            decisions[-1],
        }
    )
    return Case(
        game, FEW[:4] if name.startswith("go") else FEW, tuple((None, tuple(moves[:start])) for start in starts)
    )


def values(option: Option) -> tuple[str, ...]:
    if option.name in VALUES:
        return VALUES[option.name]
    if option.kind == "combo":
        return tuple(choice for choice in option.choices if choice not in CLOCK_ONLY)
    return ("true", "false") if option.kind == "check" else (str(option.low), str(option.high))


class Searches:
    """The searches of one case, each made once."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._options = Options(kernel_of(case.game), option_defaults(case.game))
        self._defaults = self._options.snapshot()
        self._searcher = Searcher(case.game)
        self._known: dict[tuple[Any, ...], str] = {}
        later = 1 if isinstance(case.game, HasChance) else 2
        self._hints = {
            None: [],
            "HintVisits": [hint for start in case.starts for hint in self._hints_of(*start, 0)],
            "PlayoutHints": [hint for start in case.starts for hint in self._hints_of(*start, later)],
            "MetaActions": [hint for start in case.starts for hint in self._tree_of(*start)],
        }
        self._hinted: str | None = None

    def _hints_of(self, text: str | None, moves: tuple[str, ...], later: int) -> list[Hinted]:
        """Hints of the last move at positions this number of moves after a start, as many as are quickly told."""
        game, hints = self._case.game, list[Hinted]()
        ahead = deque([(Line.start(game, text).extended(game, moves).state, moves, 0)])
        while ahead and len(hints) < HINTED:
            state, words, plies = ahead.popleft()
            actions = list(game.legal_actions(state))
            chance = game.current_player(state) == CHANCE
            if plies == later and not chance and actions:
                hints.append((text, words, [Hint(action_to_text(game, state, actions[-1]), weight=1000.0)]))
            if (plies < later or chance) and not is_over(game, state):
                after = [(game.next_state(state, a), (*words, action_to_text(game, state, a))) for a in actions]
                ahead.extend((next_state, line, plies if chance else plies + 1) for next_state, line in after)
        return hints

    def _tree_of(self, text: str | None, moves: tuple[str, ...]) -> list[Hinted]:
        """Hints of a tree of three plies: the first legal move, any reply, and the last legal move."""
        game, line = self._case.game, Line.start(self._case.game, text).extended(self._case.game, moves)
        if game.current_player(line.state) == CHANCE:
            return []
        play = next(iter(game.legal_actions(line.state)))
        after, words = game.next_state(line.state, play), (*moves, action_to_text(game, line.state, play))
        if is_over(game, after) or game.current_player(after) == CHANCE:
            return []
        texts = [action_to_text(game, after, reply) for reply in game.legal_actions(after)]
        hints: list[Hinted] = [
            (text, moves, [Hint(words[-1], trees=(1,))]),
            (text, words, [Hint(reply, trees=(1,), ours=False) for reply in texts]),
        ]
        for reply, action in zip(texts, game.legal_actions(after), strict=True):
            state = game.next_state(after, action)
            if not is_over(game, state):
                answer = action_to_text(game, state, list(game.legal_actions(state))[-1])
                hints.append((text, (*words, reply), [Hint(answer, trees=(1,))]))
        return hints

    def configured(self, settings: Mapping[str, str]) -> SearchConfig | None:
        """The game's own configuration with ``settings``; None if one of them is refused."""
        self._options.restore(self._defaults)
        try:
            for name, text in settings.items():
                self._options.set(name, text)
                check_options(self._case.game, self._options, [name])
        except BadOption:
            return None
        return search_config(self._case.game, self._options)

    def differ(self, first: SearchConfig, second: SearchConfig, *, hinted: str | None) -> bool:
        if hinted != self._hinted:
            self._searcher.guide(self._hints[hinted])
            self._hinted = hinted
        return any(
            self._result(first, start, nodes, hinted) != self._result(second, start, nodes, hinted)
            for nodes in self._case.nodes
            for start in self._case.starts
        )

    def _result(
        self, config: SearchConfig, start: tuple[str | None, tuple[str, ...]], nodes: int, hinted: str | None
    ) -> str:
        key = (config, start, nodes, hinted)
        if key not in self._known:
            searcher = self._searcher
            searcher.configure(config)
            searcher.clear()
            searcher.set_position(*start)
            searcher.prepare()
            result = searcher.run(nodes=nodes, lines=2)
            moves = [(move.move, move.visits, move.value, move.pv) for move in result.info.moves]
            self._known[key] = repr((result.reason, result.info.simulations, result.info.value, moves))
        return self._known[key]


def settings_of(policy: str, option: Option) -> Iterator[dict[str, str]]:
    base = {"Hash": "1", "TreePolicy": policy}
    if option.name != "ProofVisits" and policy not in ("flat", "mc-eval", "minimax"):
        base["ProofVisits"] = "0"  # a small board is proven before other options matter
    if policy == "minimax":
        base["SearchDepth"] = "2"
    if option.name not in NOT_TRIED:
        yield base
        if option.name in WITH:
            yield base | WITH[option.name]


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_every_option_acts_or_is_refused(name: str) -> None:
    """The least or the greatest number has to change the search, and so has each word."""
    searches = Searches(case(name))
    idle, acting = list[str](), set[str]()
    for option, policy in itertools.product(SEARCH_OPTIONS, POLICIES):
        for settings in settings_of(policy, option):
            before = searches.configured(settings)
            afters = [searches.configured(settings | {option.name: value}) for value in values(option)]
            if before is None:
                continue
            hinted = option.name if option.name in OF_HINTS else None
            others = [after for after in afters if after is not None and after != before]
            enough = any if option.kind in ("spin", "float") or option.name in RARE else all
            if not others or (option.name in RARE and option.name in acting):
                continue
            if enough(searches.differ(before, after, hinted=hinted) for after in others):
                acting.add(option.name)
            elif option.name not in RARE:
                idle.append(f"{option.name} under {settings}")
    assert not idle, "; ".join(idle)
    assert {"Exploration", "GreedyEpsilon", "FlatPlayouts", "SearchDepth", "Solver", "RootChoice"} <= acting
