"""The tables of docs/theory.md are those that the experiments give.

After a wanted change: ``python docs/theory.py --quick`` stores the small tables, ``python docs/theory.py`` writes the
document.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from playout.engine.experiments import table
from playout.engine.experiments.base.experiment import Column, ResultTable

DOCUMENTS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def theory() -> ModuleType:
    spec = importlib.util.spec_from_file_location("theory", DOCUMENTS / "theory.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", table.MODULES)
def test_the_small_tables_are_the_stored_ones(name: str, theory: ModuleType) -> None:
    assert theory.small(name).splitlines() == theory.stored(name).splitlines(), "drifted: see above"


def test_every_experiment_is_in_the_document_with_its_present_tables(theory: ModuleType) -> None:
    blocks = list(theory.PRINTED.finditer((DOCUMENTS / "theory.md").read_text(encoding="utf-8")))
    assert {block["name"] for block in blocks} == set(table.MODULES)
    for block in blocks:
        name = block["name"]
        assert block["fingerprint"] == theory.fingerprint(name), f"run: python docs/theory.py {name}"
        # The same tables: those of the small run have other numbers of simulations in their titles.
        titles = [line[2:] for line in theory.stored(name).replace('"', "").splitlines() if line.startswith("# ")]
        first_words = {re.split(r"[\d:]", title)[0].strip() for title in titles}
        printed = block["text"]
        missing = [words for words in first_words if words not in printed]
        assert not missing or name in {"convergence", "heuristics"}, "the document's command asks for fewer games"


def test_nothing_in_the_document_stands_in_a_block_that_no_command_wrote(theory: ModuleType) -> None:
    text = (DOCUMENTS / "theory.md").read_text(encoding="utf-8")
    by_hand = theory.PRINTED.sub("", text)
    assert "+-  slope" not in by_hand
    for code in re.findall(r"^```text\n(.*?)^```$", by_hand, re.DOTALL | re.MULTILINE):
        assert len(code.splitlines()) <= 3, "a table without a command"


def test_measured_cells_are_left_out() -> None:
    columns = Column("name"), Column("seconds", ".2f", measured=True), Column("share", ".1%")
    steady = ResultTable("title", columns, (("a", 1.234, 0.5),)).steady()
    assert [column.name for column in steady.columns] == ["name", "share"]
    assert steady.rows == (("a", "50.0%"),)
