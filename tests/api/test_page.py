"""The examples of docs/python.md."""

from __future__ import annotations

from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

PAGE = Path(__file__).parent.parent.parent / "docs" / "python.md"
LEAST = 15
"""Blocks that the page has at least: a parser that finds none would prove nothing."""


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one namespace, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    examples = list(Sybil(parsers=[PythonCodeBlockParser()], path=str(PAGE.parent)).parse(PAGE).examples())
    assert len(examples) >= LEAST
    for example in examples:
        example.evaluate()


def test_the_page_names_everything_that_the_package_shows() -> None:
    import playout

    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in playout.__all__ if f"`{name}`" not in text and name != "__version__"] == []
