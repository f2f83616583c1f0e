"""GTP's commands about the engine itself that KataGo has: parameters as JSON, and its models."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from playout.engine.options.option import written
from playout.games.errors import PlayoutError
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, arguments


class _Katago:
    def __init__(self, commands: Mapping[str, Handler]) -> None:
        self._commands = commands

    def models(self, _: GtpCommand) -> str:
        """``kata-get-models``: answers ``[]``: nets are options here (EvalFile, PatternFile), and no models."""
        return "[]"

    def stop(self, _: GtpCommand) -> str:
        """``stop``: is accepted and ignored: the engine does not ponder between commands."""
        return ""

    def get_params(self, command: GtpCommand) -> str:
        """``kata-get-params``: answers all parameters with their values, as a JSON object of texts."""
        names = self._ask(command, "kata-list-params").split()
        values = {name: self._ask(command, "kata-get-param", name) for name in names}
        return json.dumps(values, separators=(",", ":"), ensure_ascii=False)

    def set_params(self, command: GtpCommand) -> str:
        """``kata-set-params OBJECT``: sets the parameters of a JSON object, all of them or none."""
        try:
            wanted = json.loads(" ".join(arguments(command, "OBJECT", 1, 999)))
            values = {str(name): written(value) for name, value in wanted.items()}
        except (ValueError, AttributeError, RecursionError):
            raise GtpError("syntax error: expected a JSON object of parameters") from None
        before: dict[str, str] = {}
        try:
            for name, value in values.items():
                before[name] = self._ask(command, "kata-get-param", name)
                self._ask(command, "kata-set-param", name, value)
        except PlayoutError:
            for name, value in reversed(before.items()):
                self._ask(command, "kata-set-param", name, value)
            raise
        return ""

    def _ask(self, command: GtpCommand, name: str, *words: str) -> str:
        answer = self._commands[name](dataclasses.replace(command, name=name, arguments=words))
        assert isinstance(answer, str)
        return answer


def katago_commands(commands: Mapping[str, Handler]) -> dict[str, Handler]:
    """The commands; ``commands`` has those for one parameter."""
    katago = _Katago(commands)
    return {
        "stop": katago.stop,
        "kata-get-models": katago.models,
        "kata-get-params": katago.get_params,
        "kata-set-params": katago.set_params,
    }
