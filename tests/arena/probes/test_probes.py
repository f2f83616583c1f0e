"""Each probe finds its defect in an engine that has it, and nothing in engines that do not."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from playout.arena.probes import desk
from playout.arena.probes.check import GAMES, Outcome, ProtocolName, desk_of, examine, probes_of
from playout.games import catalogue

from ...opponents.pipe import forked
from ...patience import PATIENCE
from .defects import ALL, HANGS, LATE, Rules
from .inside import Inside

ENGINE = Path(__file__).with_name("wrong_engine.py")
PACKAGES = str(Path(importlib.util.find_spec("chess").origin).parent.parent)  # type: ignore[union-attr, arg-type]
SHORT = 5.0
"""Seconds of patience where lateness is the defect: a fiftieth of it is allowed."""


def wrong(protocol: str, rules: Rules) -> list[str]:
    """The command of an engine with a defect."""
    return [
        sys.executable,
        "-I",
        "-S",
        str(ENGINE),
        protocol,
        PACKAGES,
        "\x1e".join("\x1f".join(rule) for rule in rules),
    ]


def needs_a_process(rules: Rules) -> bool:
    """Whether the defect is one of the program's time or of its end."""
    return any(
        kind == "in" and (action in ("sleep", "exit") or "eof" in pattern) for kind, pattern, action, *_ in rules
    )


def outcomes(
    command: Sequence[str],
    protocol: ProtocolName,
    names: Sequence[str] = (),
    game: str = "",
    patience: float = PATIENCE,
) -> list[Outcome]:
    """The outcomes of the probes of those names, or of all."""
    at = desk_of(command, protocol, catalogue.load(game or GAMES[protocol]), patience)
    try:
        return list(examine(at, [probe for probe in probes_of(protocol) if not names or probe.name in names]))
    finally:
        at.close()


@pytest.mark.parametrize(
    ("protocol", "name"), [(protocol, name) for protocol, defects in ALL.items() for name in defects]
)
def test_a_probe_finds_its_defect(protocol: ProtocolName, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not needs_a_process(ALL[protocol][name]):
        monkeypatch.setattr(desk, "EngineProcess", Inside)
    patience = SHORT if name in LATE else PATIENCE
    for _ in range(10):
        (outcome,) = outcomes(wrong(protocol, ALL[protocol][name]), protocol, [name], patience=patience)
        if outcome.name != "start":
            break  # a slow machine may not start it in a short time
    assert outcome.finding is not None, outcome
    assert outcome.finding.name == name
    assert outcome.finding.came
    assert outcome.finding.expected.endswith(".")


def test_every_probe_has_a_defect() -> None:
    for protocol in GAMES:
        known = set(ALL[protocol]) | (set(ALL["uci"]) if protocol == "ugi" else set())
        names = [probe.name for probe in probes_of(protocol)]
        assert len(set(names)) == len(names)
        assert set(names) <= known
        assert set(ALL[protocol]) <= set(names)


@pytest.mark.parametrize("protocol", GAMES)
def test_an_engine_without_a_defect_has_no_finding(protocol: ProtocolName) -> None:
    found = outcomes(wrong(protocol, []), protocol, [*ALL[protocol]])
    assert [outcome for outcome in found if outcome.finding is not None or outcome.skipped] == []
    assert len(found) == len(ALL[protocol])


@pytest.mark.parametrize("protocol", GAMES)
def test_an_engine_that_says_nothing_is_not_waited_for(protocol: ProtocolName) -> None:
    """A slow machine may need more patience until the engine has introduced itself."""
    names = {"uci": "go depth", "ugi": "queries", "gtp": "missing file", "xboard": "pings"}
    for patience in (0.5, 5.0, PATIENCE / 3):
        (outcome,) = outcomes(wrong(protocol, HANGS[protocol]), protocol, [names[protocol]], patience=patience)
        assert outcome.finding is not None
        if outcome.name != "start":
            break
    assert outcome.name == names[protocol]
    assert f" {patience:g} s after " in outcome.finding.came


OWN = {
    "uci": ("uci", "--option", "MaxNodes=50"),
    "ugi": ("ugi", "--game", "tic_tac_toe", "--option", "MaxNodes=50"),
    "gtp": ("gtp", "--game", "go:9", "--option", "MaxNodes=50"),
    "xboard": ("xboard", "--option", "MaxNodes=50"),
    "hex": ("gtp", "--game", "hex:5", "--option", "MaxNodes=50"),
}
"""Playout's own engines; another game than the usual one stands in front of its protocol."""


@pytest.mark.long
@pytest.mark.parametrize("name", OWN)
def test_playout_has_no_finding(name: str) -> None:
    protocol: ProtocolName = "gtp" if name == "hex" else name  # type: ignore[assignment]
    game = OWN[name][2] if OWN[name][1] == "--game" else ""
    found = outcomes(forked(*OWN[name]), protocol, game=game)
    assert [outcome.finding for outcome in found if outcome.finding is not None] == []
    assert len(found) == len(probes_of(protocol))
