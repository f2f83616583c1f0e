"""GTP commands about the rules of Go, by the names of KataGo and the Kiseido Go Server."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from playout.engine.options.option import written
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.nearest import nearest
from playout.protocols.base.katago_rules import NAMED
from playout.protocols.gtp.board import BONUSES, Board
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, arguments, quoted

PLAYED = (
    "tromp-taylor",
    "chinese",
    "chinese-ogs",
    "chinese-kgs",
    "japanese",
    "korean",
    "aga",
    "bga",
    "french",
    "new-zealand",
)
"""Names of the rules that can be played. The tax on eyes in a seki (Japanese, Korean rules) is not implemented."""
ALIKE = {"french": "bga"}

KGS = {"chinese": "chinese-kgs", "japanese": "japanese", "aga": "aga", "new_zealand": "new-zealand"}
"""The server's names of rules, with KataGo's."""

FIXED = {
    "tax": ("NONE",),
    "hasButton": ("false",),
    "friendlyPassOk": ("false", "true"),
}
"""Rules that cannot be changed, with the values that are accepted for them."""


class _Rules:
    def __init__(self, board: Board) -> None:
        self._board = board

    def get(self, _: GtpCommand) -> str:
        """``kata-get-rules``: answers the rules as a JSON object: ``ko``, ``scoring``, ``suicide``, ``tax``,
        ``whiteHandicapBonus``, ``hasButton``, ``friendlyPassOk``."""
        game = self._board.game
        return json.dumps(
            {
                "friendlyPassOk": False,
                "hasButton": False,
                "ko": game.ko.upper(),
                "scoring": game.scoring.upper(),
                "suicide": game.suicide,
                "tax": "NONE",
                "whiteHandicapBonus": self._board.bonus,
            },
            separators=(",", ":"),
        )

    def set(self, command: GtpCommand) -> str:
        """``kata-set-rules RULES``: changes the rules; the game goes on. RULES is a JSON object in the form of
        ``kata-get-rules``, which may leave rules unchanged by leaving them out; or one of ``tromp-taylor``,
        ``chinese``, ``chinese-ogs``, ``chinese-kgs``, ``japanese``, ``korean``, ``aga``, ``bga``, ``french`` and
        ``new-zealand``."""
        text = " ".join(arguments(command, "RULES", 1, 999))
        if not text.startswith("{"):
            return self._set_named(text.lower().replace("_", "-"))
        try:
            rules = json.loads(text)
        except (ValueError, RecursionError):
            raise GtpError("syntax error: the rules are not JSON") from None
        return self._change([(str(name), written(value)) for name, value in rules.items()])

    def set_one(self, command: GtpCommand) -> str:
        """``kata-set-rule NAME VALUE``: changes one rule, by its name in ``kata-get-rules``."""
        name, value = arguments(command, "NAME VALUE", 2)
        return self._change([(name, value)])

    def kgs(self, command: GtpCommand) -> str:
        """``kgs-rules NAME``: sets the server's rules ``chinese``, ``japanese``, ``aga`` or ``new_zealand``."""
        word = arguments(command, "NAME", 1)[0].lower()
        if word not in KGS:
            raise GtpError(f"unknown rules {quoted(word)}: expected {', '.join(KGS)}")
        return self._set_named(KGS[word])

    def scoring_system(self, command: GtpCommand) -> str:
        """``scoring_system SYSTEM``: sets the scoring, ``area`` or ``territory``; gogui-twogtp sends it."""
        return self._change([("scoring", arguments(command, "area|territory", 1)[0])])

    def _set_named(self, name: str) -> str:
        if name not in PLAYED:
            raise GtpError(f"unknown rules {quoted(name)}: expected JSON or one of {', '.join(PLAYED)}")
        rules = NAMED[ALIKE.get(name, name)]
        return self._play_by({"ko": rules.ko, "scoring": rules.scoring, "suicide": rules.suicide}, rules.bonus)

    def _change(self, rules: list[tuple[str, str]]) -> str:
        changes: dict[str, Any] = {}
        bonus = self._board.bonus
        for name, value in rules:
            if name in FIXED:
                if value.lower() not in [known.lower() for known in FIXED[name]]:
                    raise GtpError(f"{name} {quoted(value)} is not supported: expected {' or '.join(FIXED[name])}")
            elif name == "whiteHandicapBonus":
                bonus = value.upper()
                if bonus not in BONUSES:
                    raise GtpError(f"{name} {quoted(value)} is not one of {', '.join(BONUSES)}")
            elif name in ("ko", "koRule", "scoring", "scoringRule"):
                changes[name.removesuffix("Rule")] = value.lower()
            elif name in ("suicide", "multiStoneSuicideLegal"):
                if value.lower() not in ("true", "false"):
                    raise GtpError(f"{name} {quoted(value)} is neither true nor false")
                changes["suicide"] = value.lower() == "true"
            else:
                known = ("ko", "koRule", "scoring", "scoringRule", "suicide", "multiStoneSuicideLegal", *FIXED)
                raise GtpError(f"unknown rule {quoted(name)}{nearest(name, known) or ': see kata-get-rules'}")
        return self._play_by(changes, bonus)

    def _play_by(self, changes: dict[str, Any], bonus: str) -> str:
        board = self._board
        try:
            game = catalogue.replaced(board.game, **changes)
            if (game, bonus) != (board.game, board.bonus):
                board.load(dataclasses.replace(board.record(), game=game), bonus)
        except PlayoutError as error:
            raise GtpError(f"cannot change the rules: {error}") from None
        return ""


def ruleset_commands(board: Board) -> dict[str, Handler]:
    """The commands."""
    rules = _Rules(board)
    return {
        "kata-get-rules": rules.get,
        "kata-set-rules": rules.set,
        "kata-set-rule": rules.set_one,
        "kgs-rules": rules.kgs,
        "scoring_system": rules.scoring_system,
    }
