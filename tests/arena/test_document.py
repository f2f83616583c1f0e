"""``docs/arena.md`` names every field of a tournament's file, every end of a game, and every switch of a match."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.file.types import Engine, Event, Openings, Test, Tournament
from playout.arena.terms.end import End
from playout.arena.terms.job import Adjudication, DrawRule, ResignRule

PAGE = (Path(__file__).parents[2] / "docs" / "arena.md").read_text(encoding="utf-8")
KINDS: tuple[type[msgspec.Struct], ...] = (
    Tournament, Engine, Event, Openings, Test, Adjudication, DrawRule, ResignRule,
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_is_named(kind: type[msgspec.Struct]) -> None:
    assert [field for field in kind.__struct_fields__ if f"`{field}`" not in PAGE] == []


def test_every_end_is_named() -> None:
    assert [end.value for end in End if f"`{end.value}`" not in PAGE] == []


@pytest.mark.parametrize("text", list(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)))
def test_every_example_is_a_tournament(text: str, tmp_path: Path) -> None:
    (tmp_path / "openings.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n")
    assert plans_of(parse(text, "docs/arena.md"), tmp_path)
