"""Checks that a game keeps its contract: ``playout check my.py:Mnk``.

The checker plays seeded random games. It calls the five required methods on every state, and checks all laws of
``game.py`` on about ten states of each game. It reports the first problem of each property, and never raises: an
exception in a method of the game is a problem too.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any

from playout.games.adopted import REQUIRED
from playout.games.check.steps import law_steps
from playout.games.check.watched import Broken, Problem, Watched
from playout.games.errors import GameError, IllegalMove
from playout.games.game import CHANCE, Game, Symmetry

STATES = 3000
"""Number of states after which no new game begins."""
THOROUGH = 10
"""Average number of states of a game on which all laws are checked."""
SAMPLE = 6
"""Maximum number of actions of a state for a law that costs a call for each action."""
MOST_SYMMETRIES = 12
TOGETHER = (("action_to_text", "text_to_action"), ("state_to_text", "state_from_text"))
GARBAGE = ("", "?", "no such move", "\0", "9" * 40)


def check(game: Game[Any, Any], *, games: int = 20, seed: int = 0) -> list[Problem]:
    """Returns the problems of ``game``; none if ``games`` random games show no violation of the contract.

    The same seed gives the same list.
    """
    checker = _Checker(game, random.Random(seed))
    if checker.complete():
        for _ in range(games):
            with suppress(Broken):
                checker.game.ask("the game", checker.play)
            if checker.states > STATES:
                break
    return list(checker.problems.values())


class _Checker:
    def __init__(self, game: Game[Any, Any], rng: random.Random) -> None:
        self.game = Watched(game)
        self.problems = self.game.problems
        self.states = 0
        self._rng = rng
        self._longest = THOROUGH
        self._keys: dict[Hashable, Any] = {}
        self._features: int | None = None

    def complete(self) -> bool:
        """Whether all required methods exist. Reports missing ones, and hooks without their counterpart."""
        missing = [method for method in REQUIRED if not self.game.has(method)]
        if missing:
            self.game.report("methods", f"the game lacks {', '.join(missing)}")
        name = self.game.attribute("name")
        if not isinstance(name, str) or not name:
            self.game.report("name", f"the game's name is {name!r}; it must be a text")
        for first, second in TOGETHER:
            if self.game.has(first) != self.game.has(second):
                self.game.report("hooks", f"{first} and {second} are needed together")
        return not missing

    def play(self) -> None:
        """Plays one random game and checks each state."""
        bound = self.game.attribute("max_game_length")
        self.game.begin()
        while True:
            plies = len(self.game.line)
            self.states += 1
            self._longest = max(self._longest, plies)
            actions = self._basics(self.game.state)
            if bound is not None and plies > bound:
                self.game.stop("length", f"a game is {plies} plies long; max_game_length says {bound}")
            if not actions or self._rng.random() < THOROUGH / self._longest:
                self._laws(self.game.state, actions)
            if not actions or plies > STATES:
                return
            self.game.step(self._rng.choice(actions))

    # Checks of every state.

    def _basics(self, state: Any) -> list[Any]:
        """Returns the legal actions of ``state``, after the checks on which all others depend."""
        game = self.game
        try:
            hash(state)
        except TypeError:
            game.stop("hashable", f"the state, a {type(state).__name__}, is not hashable")
        returns = game.returns(state)
        self._check_returns(returns)
        actions = game.legal_actions(state)
        self._check_actions(state, actions)
        if returns is None and not actions:
            game.stop("end", "the game is not over (returns is None), but there are no legal actions")
        if returns is not None and actions:
            game.stop("end", f"the game is over (returns is {returns!r}), but there are legal actions")
        if actions:
            player = game.current_player(state)
            if player not in (0, 1, CHANCE):
                game.stop("current_player", f"current_player is {player!r}; it must be 0, 1 or CHANCE (-1)")
            if player == CHANCE:
                self._check_chance(state, actions)
        self._check_key(state)
        return list(actions)

    def _check_returns(self, returns: Any) -> None:
        if returns is None:
            return
        try:
            first, second = (float(value) for value in returns)
        except (TypeError, ValueError):
            self.game.stop("returns", f"returns is {returns!r}; it must be two numbers, or None")
        if not (-1.0 <= first <= 1.0 and -1.0 <= second <= 1.0):
            self.game.stop("returns", f"returns is {returns!r}; each must be in [-1, 1]")
        if abs(first + second) > 1e-9:
            self.game.stop("returns", f"returns is {returns!r}; the two must add up to 0")

    def _check_actions(self, state: Any, actions: Any) -> None:
        stop = self.game.stop
        if not isinstance(actions, Sequence):
            stop("legal_actions", f"legal_actions gives a {type(actions).__name__}; it must be a list or a tuple")
        try:
            distinct = set(actions)
        except TypeError:
            stop("legal_actions", f"an action of {actions!r:.60} is not hashable")
        if len(distinct) != len(actions):
            twice = next(action for action in actions if actions.count(action) > 1)
            stop("legal_actions", f"legal_actions has {twice!r} more than once")
        if list(self.game.legal_actions(state)) != list(actions):
            stop("legal_actions", "legal_actions, asked twice, gives two different lists")

    def _check_chance(self, state: Any, actions: Sequence[Any]) -> None:
        stop = self.game.stop
        if not self.game.has("chance_outcomes"):
            stop("chance", "current_player is CHANCE, but the game has no chance_outcomes")
        try:
            pairs = list(self.game.chance_outcomes(state))
            outcomes = {outcome: float(probability) for outcome, probability in pairs}
        except (TypeError, ValueError):
            stop("chance", "chance_outcomes must be pairs of an outcome and its probability")
        total = math.fsum(outcomes.values())
        if len(outcomes) < len(pairs) or set(outcomes) != set(actions):
            stop("chance", "the outcomes of chance_outcomes must be those of legal_actions, each once")
        if not all(probability > 0.0 for probability in outcomes.values()) or not abs(total - 1.0) < 1e-9:
            stop("chance", f"the probabilities must be positive and add up to 1; their sum is {total:g}")

    def _check_key(self, state: Any) -> None:
        """Equal keys mean equal futures: compares ``state`` with the first state seen that has the same key."""
        game = self.game
        if not game.has("key"):
            return
        key = game.key(state)
        try:
            other = self._keys.setdefault(key, state)
        except TypeError:
            game.stop("key", f"the key, a {type(key).__name__}, is not hashable")
        if other is state:
            return
        twin = f"another state, {game.describe_state(other)}, has the same key"
        if difference := self._difference(state, other):
            game.stop("key", f"{twin}, but {difference}")
        moves = self._moves(state)
        if moves:
            text = self._rng.choice(list(moves))
            after = game.next_state(state, moves[text]), game.next_state(other, self._moves(other)[text])
            if difference := self._difference(*after):
                game.stop("key", f"{twin}, but after {text} {difference}")
        for symmetry in self._symmetries():
            if not game.same(self._phi(symmetry, state), self._phi(symmetry, other)):
                game.stop("key", f"{twin}, but its image by symmetry {symmetry.name!r} has not")

    def _difference(self, first: Any, second: Any) -> str | None:
        """Returns the difference of two states that should have equal futures; None if none shows."""
        game = self.game
        if game.returns(first) != game.returns(second):
            return "the results differ"
        if self._moves(first).keys() != self._moves(second).keys():
            return "the legal actions differ"
        if game.returns(first) is None and game.current_player(first) != game.current_player(second):
            return "the players to move differ"
        return None

    def _moves(self, state: Any) -> dict[str, Any]:
        return {self.game.action_text(state, action): action for action in self.game.legal_actions(state)}

    # Checks of some states.

    def _laws(self, state: Any, actions: list[Any]) -> None:
        sample = self._rng.sample(actions, min(SAMPLE, len(actions)))
        laws: list[Callable[[], None]] = [
            lambda: self._law_repeatable(state, sample),
            lambda: self._law_order(),
            lambda: self._law_symmetry(state, actions, sample),
            lambda: self._law_action_text(state, actions, sample),
            lambda: self._law_state_text(state, bool(actions)),
            lambda: self._law_render(state),
        ]
        if actions and self.game.current_player(state) != CHANCE:
            laws += [
                lambda: self._law_values(state, actions),
                lambda: self._law_rollout_action(state, actions),
                lambda: self._law_with_player(state),
                lambda: law_steps(self.game, state, actions),
            ]
        for law in laws:
            with suppress(Broken):
                law()

    def _law_repeatable(self, state: Any, sample: list[Any]) -> None:
        if self.game.comparable(state):
            for action in sample:
                first, second = self.game.next_state(state, action), self.game.next_state(state, action)
                if first is None:
                    self.game.stop("next_state", f"next_state gives None for action {action!r}; it must give a state")
                if not self.game.same(first, second):
                    self.game.stop("next_state", f"next_state, asked twice for {action!r}, gives two different states")

    def _law_order(self) -> None:
        """Looks for transpositions: three actions, then the same with the first and the third exchanged."""
        line: list[Any] = []
        with self.game.aside():
            while len(line) < 3 and (actions := self.game.legal_actions(self.game.state)):
                line.append(self._rng.choice(actions))
                self.game.step(line[-1])
            self._basics(self.game.state)
        with self.game.aside():
            for action in reversed(line):
                if action not in self.game.legal_actions(self.game.state):
                    return
                self.game.step(action)
            self._basics(self.game.state)

    def _law_symmetry(self, state: Any, actions: list[Any], sample: list[Any]) -> None:
        game, group = self.game, self._symmetries()
        if not group:
            return
        if not game.comparable(state):
            game.stop("symmetry", "states compare by identity: make them comparable (a frozen dataclass) or add a key")
        identity, *_ = group
        if not game.same(self._phi(identity, state), state) or [self._psi(identity, a) for a in sample] != sample:
            game.stop("symmetry", f"the first symmetry, {identity.name!r}, must be the identity")
        images = [self._phi(symmetry, state) for symmetry in group]
        for symmetry, image in zip(group, images, strict=True):
            self._check_symmetry(symmetry, state, image, actions, sample)
        for symmetry in group:
            for image in images:
                product = self._phi(symmetry, image)
                if not any(game.same(product, other) for other in images):
                    game.stop("symmetry", f"not a group: another symmetry and then {symmetry.name!r} is none of them")

    def _check_symmetry(
        self, symmetry: Symmetry[Any, Any], state: Any, image: Any, actions: list[Any], sample: list[Any]
    ) -> None:
        game, name = self.game, f"symmetry {symmetry.name!r}"
        if not game.same(game.ask(f"{name}, inverse_state,", symmetry.inverse_state, image), state):
            game.stop("symmetry", f"{name}: inverse_state does not undo state")
        if game.returns(image) != game.returns(state):
            game.stop("symmetry", f"{name} changes the result")
        if not actions:
            return
        if game.current_player(image) != game.current_player(state):
            game.stop("symmetry", f"{name} changes the player to move")
        mapped = [self._psi(symmetry, action) for action in actions]
        if [game.ask(f"{name}, inverse_action,", symmetry.inverse_action, action) for action in mapped] != actions:
            game.stop("symmetry", f"{name}: inverse_action does not undo action")
        if set(mapped) != set(game.legal_actions(image)):
            game.stop("symmetry", f"{name} does not map the legal actions to those of the image")
        if game.current_player(state) == CHANCE:
            here, there = dict(game.chance_outcomes(state)), dict(game.chance_outcomes(image))
            if not all(math.isclose(here[a], there[b]) for a, b in zip(actions, mapped, strict=True)):
                game.stop("symmetry", f"{name} changes the probability of an outcome")
        for action in sample:
            after = self._phi(symmetry, game.next_state(state, action))
            if not game.same(after, game.next_state(image, self._psi(symmetry, action))):
                game.stop("symmetry", f"{name} does not commute with next_state for action {action!r}")

    def _law_action_text(self, state: Any, actions: list[Any], sample: list[Any]) -> None:
        game = self.game
        texts: dict[str, Any] = {}
        for action in actions:
            text = game.action_text(state, action)
            if not isinstance(text, str) or not text or text != text.strip() or len(text.splitlines()) > 1:
                game.stop("action text", f"the text of {action!r} is {text!r}; it must be one line without margins")
            if text in texts:
                game.stop("action text", f"{texts[text]!r} and {action!r} have the same text, {text!r}")
            texts[text] = action
        for action in sample:
            text = game.action_text(state, action)
            try:
                read = game.read_action(state, text)
            except IllegalMove as error:
                game.stop("action text", f"the text of {action!r}, {text!r}, is not read: {error}")
            if read != action:
                game.stop("action text", f"the text of {action!r}, {text!r}, is read as {read!r}")
        for text in GARBAGE:
            with suppress(IllegalMove):
                read = game.read_action(state, text)
                if read not in actions:
                    game.stop("action text", f"{text!r} is read as {read!r}, which is not legal; raise IllegalMove")

    def _law_state_text(self, state: Any, going_on: bool) -> None:
        game = self.game
        if not (game.has("state_to_text") and game.has("state_from_text")):
            return
        text = game.state_to_text(state)
        if not isinstance(text, str) or not text or len(text.splitlines()) > 1:
            game.stop("state text", f"state_to_text gives {text!r}; it must be one line")
        try:
            read = game.state_from_text(text)
        except GameError as error:
            game.stop("state text", f"{text!r} is not read: {error}")
        if game.state_to_text(read) != text:
            game.stop("state text", f"{text!r} is read as a state whose text is {game.state_to_text(read)!r}")
        if self._basics(read) and going_on and game.current_player(read) != game.current_player(state):
            game.stop("state text", f"{text!r} is read as a state with another player to move")
        for garbage in GARBAGE:
            with suppress(GameError):
                game.state_from_text(garbage)

    def _law_render(self, state: Any) -> None:
        if self.game.has("render"):
            drawing = self.game.render(state)
            if not isinstance(drawing, str) or not drawing or drawing.endswith("\n"):
                self.game.stop("render", f"render gives {drawing!r:.60}; it must be text that ends in no newline")

    def _law_values(self, state: Any, actions: list[Any]) -> None:
        game = self.game
        if game.has("value") and not _numbers([value := game.value(state)], 1, most=1.0):
            game.report("value", f"value is {value!r}; it must be a number in [-1, 1]")
        if game.has("action_values") and not _numbers(game.action_values(state, actions), len(actions)):
            game.report("action_values", f"action_values must give {len(actions)} finite numbers, one for each action")
        if game.has("features"):
            features = game.features(state)
            if self._features is None:
                self._features = len(features)
            if not _numbers(features, self._features):
                game.report("features", f"features must give finite numbers, for every state {self._features} of them")

    def _law_rollout_action(self, state: Any, actions: list[Any]) -> None:
        if not self.game.has("rollout_action"):
            return
        seed = self._rng.random()
        first, second = (self.game.rollout_action(state, actions, random.Random(seed)) for _ in range(2))
        if first not in actions:
            self.game.stop("rollout_action", f"rollout_action gives {first!r}, which is not among the actions")
        if first != second:
            self.game.stop("rollout_action", "rollout_action, asked twice with the same rng, gives two actions")

    def _law_with_player(self, state: Any) -> None:
        if not self.game.has("with_player"):
            return
        for player in (0, 1):
            with suppress(IllegalMove):
                changed = self.game.with_player(state, player)
                if self.game.returns(changed) is None and self.game.current_player(changed) != player:
                    self.game.stop("with_player", f"after with_player {player} player {player} is not to move")

    def _symmetries(self) -> list[Symmetry[Any, Any]]:
        if not self.game.has("symmetries"):
            return []
        given = self.game.symmetries()
        if not isinstance(given, Sequence):
            self.game.stop("symmetry", f"symmetries gives a {type(given).__name__}; it must be a list or a tuple")
        group = list(given)
        if not 1 <= len(group) <= MOST_SYMMETRIES:
            self.game.stop("symmetry", f"there are {len(group)} symmetries; it must be 1 to {MOST_SYMMETRIES}")
        if not all(isinstance(symmetry, Symmetry) for symmetry in group):
            self.game.stop("symmetry", "symmetries must give objects of playout.games.game.Symmetry")
        return group

    def _phi(self, symmetry: Symmetry[Any, Any], state: Any) -> Any:
        return self.game.ask(f"symmetry {symmetry.name!r}, state,", symmetry.state, state)

    def _psi(self, symmetry: Symmetry[Any, Any], action: Any) -> Any:
        return self.game.ask(f"symmetry {symmetry.name!r}, action,", symmetry.action, action)


def _numbers(values: Any, count: int, most: float = math.inf) -> bool:
    """Whether ``values`` are ``count`` finite numbers, none greater than ``most`` in absolute value."""
    try:
        return len(values) == count and all(math.isfinite(value) and abs(value) <= most for value in values)
    except TypeError:
        return False
