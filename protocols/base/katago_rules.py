"""KataGo's names for the rules of Go, as parameters of the game (lightvector/KataGo, docs/GTP_Extensions.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playout.games.errors import GameError
from playout.games.nearest import suggestion
from playout.protocols.base.lines import one_line


@dataclass(frozen=True, slots=True)
class GoRules:
    """Rules as KataGo describes them."""

    ko: str
    """``positional``, ``situational`` or ``simple``."""
    scoring: str
    """``area`` or ``territory``."""
    suicide: bool
    bonus: str = "0"
    """Points that White gets for N handicap stones: ``0``, ``N`` or ``N-1``."""
    tax: str = "NONE"
    """``SEKI``: no territory in seki; ``ALL``: two points of each group do not count. Neither is implemented."""
    button: bool = False
    """Button Go, which is not implemented."""

    @property
    def komi(self) -> float:
        """The usual komi of these rules."""
        return 6.5 if self.scoring == "territory" else 7.5


NAMED: Mapping[str, GoRules] = {
    "tromp-taylor": GoRules("positional", "area", True),
    "chinese": GoRules("simple", "area", False, "N"),
    "chinese-ogs": GoRules("positional", "area", False, "N"),
    "chinese-kgs": GoRules("positional", "area", False, "N"),
    "japanese": GoRules("simple", "territory", False),
    "korean": GoRules("simple", "territory", False),
    "stone-scoring": GoRules("simple", "area", False, tax="ALL"),
    "aga": GoRules("situational", "area", False, "N-1"),
    "bga": GoRules("situational", "area", False, "N-1"),
    "aga-button": GoRules("situational", "area", False, "N-1", button=True),
    "new-zealand": GoRules("situational", "area", True),
}
"""Rules by KataGo's names. Japanese and Korean rules also have ``tax="SEKI"``. It is left out so that no remark is
made about it: seki is rare, and the score does not distinguish it from life."""

CHOICES = {
    "ko": ("positional", "situational", "simple"),
    "scoring": ("area", "territory"),
    "tax": ("NONE", "SEKI", "ALL"),
    "whiteHandicapBonus": ("0", "N", "N-1"),
}
OTHER_NAMES = {"nz": "new-zealand"}


def read_rules(given: str | Mapping[str, Any]) -> tuple[GoRules, str | None]:
    """The rules that a name or an object describes, and a remark about parts that are not implemented, or None.

    Raises:
        GameError: for an unknown name, parameter or value.
    """
    rules = _named(given) if isinstance(given, str) else _described(given)
    missing = [] if rules.tax == "NONE" else [f"tax {rules.tax}"]
    missing += ["the button"] if rules.button else []
    return rules, f"rules without {' and '.join(missing)}: the nearest ones are used" if missing else None


def _named(name: str) -> GoRules:
    word = "-".join(name.lower().replace("_", "-").split())
    word = OTHER_NAMES.get(word, word)
    if word not in NAMED:
        raise GameError(f"no rules {one_line(name, 40)!r}{suggestion(name, NAMED)}")
    return NAMED[word]


def _described(fields: Mapping[str, Any]) -> GoRules:
    rules = NAMED["tromp-taylor"]
    words = {"ko": rules.ko, "scoring": rules.scoring, "tax": rules.tax, "whiteHandicapBonus": rules.bonus}
    flags = {"suicide": rules.suicide, "hasButton": rules.button}
    for name, value in fields.items():
        if name in words:
            words[name] = _choice(name, value)
        elif name in flags:
            if not isinstance(value, bool):
                raise GameError(f"{name}: {one_line(str(value), 40)!r} is neither true nor false")
            flags[name] = value
        elif name not in ("friendlyPassOk", "komi"):
            raise GameError(f"no rule {one_line(name, 40)!r}{suggestion(name, (*words, *flags))}")
    return GoRules(
        words["ko"], words["scoring"], flags["suicide"], words["whiteHandicapBonus"], words["tax"], flags["hasButton"]
    )


def _choice(name: str, value: Any) -> str:
    for choice in CHOICES[name]:
        if choice.lower() == str(value).lower():
            return choice
    raise GameError(f"{name}: {one_line(str(value), 40)!r} is not one of {', '.join(CHOICES[name])}")
