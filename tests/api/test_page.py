"""The examples in Python of the documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"
PAGES = {"docs/python.md": 15, "README.md": 2, "docs/books.md": 1}
"""Documents with examples that stand alone, and the blocks that each has at least: a parser that finds none would prove
nothing. ``tests/test_docs.py`` runs those of docs/adding-a-game.md, which add to the README's game."""


@pytest.mark.long
@pytest.mark.parametrize(("page", "least"), PAGES.items())
def test_the_examples_of_a_page_run(page: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one namespace, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    examples = list(Sybil(parsers=[PythonCodeBlockParser()], path=str(ROOT)).parse(ROOT / page).examples())
    assert len(examples) >= least
    for example in examples:
        example.evaluate()


def test_the_page_names_everything_that_the_package_shows() -> None:
    import playout

    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in playout.__all__ if f"`{name}`" not in text and name != "__version__"] == []
