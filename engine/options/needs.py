"""Refusal of options that would do nothing: each declares what it needs, of other options and of the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from playout.engine.options.option import Need, Option, Term, written
from playout.engine.options.table import Options
from playout.engine.terms.kernel import kernel_of
from playout.games.board_hooks import HasTerritory
from playout.games.errors import BadOption
from playout.games.game import Game, HasActionValues, HasChance, HasFeatures, HasKey, HasSymmetries, HasValue


def _native(game: Game[Any, Any]) -> bool:
    return kernel_of(game) is not None


WITH_FEATURES = ("go", "hex")
"""The kernels that give features of moves."""
WITH_TACTICS = ("go",)
"""The kernels whose playouts have more knowledge than the usual one."""
WITH_OWNERS = ("go",)
"""The kernels whose points have owners at the end of a game."""
WITH_CONVOLUTIONS = ("go", "hex")
"""The kernels whose inputs of nets are planes of a board."""
WITH_PROOFS = ("hex",)
"""The kernels that can prove something of a position without play."""
ABILITIES: Mapping[str, tuple[Callable[[Game[Any, Any]], bool], str]] = {
    "H(s)": (
        lambda game: _native(game) or isinstance(game, HasValue | HasFeatures),
        "{game} has no method value, which is H(s)",
    ),
    "H(s, a)": (
        lambda game: _native(game) or isinstance(game, HasActionValues | HasFeatures),
        "{game} has no method action_values, which is H(s, a)",
    ),
    "nets": (
        lambda game: _native(game) or isinstance(game, HasFeatures),
        "{game} has no method features, which gives the inputs of nets",
    ),
    "convolutions": (
        lambda game: kernel_of(game) in WITH_CONVOLUTIONS,
        "nets of {game} have no convolutions",
    ),
    "features of moves": (
        lambda game: kernel_of(game) in WITH_FEATURES,
        "{game} has no features of moves, whose strengths can be learned",
    ),
    "tactics": (
        lambda game: kernel_of(game) in WITH_TACTICS,
        "playouts of {game} have no tactics besides their knowledge",
    ),
    "owners": (
        lambda game: kernel_of(game) in WITH_OWNERS,
        "points of {game} have no owners at the end of a game",
    ),
    "proofs": (
        lambda game: kernel_of(game) in WITH_PROOFS,
        "{game} cannot prove anything of a position without play",
    ),
    "keys": (
        lambda game: _native(game) or isinstance(game, HasKey),
        "{game} has no method key, which tells equal positions",
    ),
    "symmetries": (
        lambda game: isinstance(game, HasSymmetries) and (_native(game) or isinstance(game, HasKey)),
        "{game} has no symmetries",
    ),
    "points": (
        lambda game: isinstance(game, HasTerritory),
        "{game} is not decided by points, or has no komi, stones and score",
    ),
    "dice": (lambda game: isinstance(game, HasChance), "{game} has no dice"),
    "no dice": (
        lambda game: not isinstance(game, HasChance),
        "it is undefined in {game}, where dice decide which moves there are",
    ),
    "a kernel": (
        _native,
        "{game} is written in Python: one thread searches it, and playouts follow its rollout_action",
    ),
}
"""Abilities of games by name: the test for it, and the reason that is given to the user if a game lacks it."""


def check_options(game: Game[Any, Any], options: Options, names: Iterable[str]) -> None:
    """Refuses the options called ``names`` that have no effect with the current game and options. A default is never
    refused.

    Raises:
        BadOption: one line that names the first such option and what it needs.
    """
    for name in names:
        reason = _idle(game, options, options.find(name))
        if reason is not None:
            raise BadOption(reason)


def idle_options(game: Game[Any, Any], options: Options) -> tuple[str, ...]:
    """One line for each option that was set but has lost its effect, because of an option set later."""
    reasons = (_idle(game, options, options.find(name)) for name in options.given)
    return tuple(reason for reason in reasons if reason is not None)


def _idle(game: Game[Any, Any], options: Options, option: Option) -> str | None:
    """The reason why the option has no effect; None if it acts or has its default."""
    if option.kind == "button" or options[option.name] == option.default:
        return None
    word = written(options[option.name])
    for need in option.needs:
        wanted = not need.values or word in need.values
        if wanted and not any(_holds(term, game, options) for term in need.terms):
            return _reason(option, word, need, game)
    return None


def _holds(term: Term, game: Game[Any, Any], options: Options) -> bool:
    if term.relation == "game":
        offers, _ = ABILITIES[term.words[0]]
        return offers(game)
    if term.relation == "above":
        return options.number(term.option) > float(term.words[0])
    return (written(options[term.option]) in term.words) == (term.relation == "is")


def _reason(option: Option, word: str, need: Need, game: Game[Any, Any]) -> str:
    if all(term.relation == "game" for term in need.terms):
        why = ABILITIES[need.terms[0].words[0]][1].format(game=game.name)
        return f"option {option.name} {word}: {why}"
    return f"option {option.name}: needs {need.text}; allowed without: {written(option.default)}"
