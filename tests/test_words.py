"""The words of the package: no docstring without a subject, and none of the phrases that take two readings.

The rules behind this test, and one word for each thing, are in docs/glossary.md. It checks only what a
machine can decide without false alarms.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PLACES = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "api",
    "arena",
    "benches",
    "books",
    "cli",
    "docs",
    "engine",
    "examples",
    "games",
    "noxfile.py",
    "protocols",
    "setup.py",
    "tests",
)
"""Folders and files that must keep the rules."""

EXEMPT = {
    "tests/test_words.py": "names the phrases that it forbids",
}
"""Files that are not checked, with the reason."""

PHRASES = {
    r"hang(s|ing)? on": "depends on",
    r"hung on": "depended on",
    r"so many": "N, this many, at most",
    r"as many as there are": "one for each, all",
    r"as it were": "(leave it out)",
    r"it is as if": "(state the fact)",
    r"what there is": "a list of the things",
    r"of no use": "unused, ignored",
}
"""Phrases that may not appear, as regular expressions, with what to write instead."""

FIRST_WORDS = {
    "Of": "a noun: 'Number of ...', 'Seconds of ...'",
    "Who": "'The player who ...'",
    "Whom": "'The player whom ...'",
    "How": "a noun: 'Number of ...', 'Format of ...'",
    "What": "the name of the thing",
    "Which": "a noun: 'Kind of ...', 'The ... that'",
    "Whose": "a noun: 'Owner of ...'",
    "Why": "a noun: 'Reason of ...'",
}
"""First words that a docstring may not have, with what to write instead."""


def pattern_of(phrase: str) -> str:
    return rf"\b{phrase}\b".replace(" ", r"\s+")


ANY_PHRASE = re.compile("|".join(pattern_of(phrase) for phrase in PHRASES), re.IGNORECASE)
"""Most texts have none of the phrases: one search of each is quick."""


def python_texts(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yields line, text and whether it is a docstring, for the docstrings and other texts of a module, and for its
    comments unless no phrase stands in the whole module."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value, id(node) in statements
    if not ANY_PHRASE.search(source):
        return  # reading the tokens takes longer than all else
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, False


def rust_texts(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yields the same for the comments of a Rust file: each block of documentation, and each other comment."""
    source = path.read_text(encoding="utf-8")
    for found in re.finditer(r"(?:^[ \t]*//[/!].*\n)+|//.*", source, re.MULTILINE):
        text = re.sub(r"^[ \t]*//[/!]? ?", "", found[0], flags=re.MULTILINE)
        yield source.count("\n", 0, found.start()) + 1, text, found[0].lstrip()[:3] in ("///", "//!")


def findings(path: Path) -> Iterator[str]:
    """Yields one line for each place in a file that breaks a rule."""
    if path.suffix == ".md":
        texts: list[tuple[int, str, bool]] = [(1, path.read_text(encoding="utf-8"), False)]
    else:
        texts = list(rust_texts(path) if path.suffix == ".rs" else python_texts(path))
    name = path.relative_to(ROOT)
    for line, text, is_docstring in texts:
        if ANY_PHRASE.search(text):
            for phrase, instead in PHRASES.items():
                for found in re.finditer(pattern_of(phrase), text, re.IGNORECASE):
                    at = line + text.count("\n", 0, found.start())
                    yield f"{name}:{at}: {found[0]!r}; write instead: {instead}"
        first = re.match(r"\w+", text)
        if is_docstring and first and first[0] in FIRST_WORDS:
            yield f"{name}:{line}: begins with {first[0]!r}; write instead: {FIRST_WORDS[first[0]]}"


def files(place: str) -> list[Path]:
    """The modules and documents of a folder, or the file itself, without those that are exempt."""
    path = ROOT / place
    found = (
        [path]
        if path.is_file()
        else sorted(file for ending in ("py", "rs", "md") for file in path.rglob(f"*.{ending}"))
    )
    return [file for file in found if file.relative_to(ROOT).as_posix() not in EXEMPT]


@pytest.mark.parametrize("place", PLACES)
def test_the_words_are_plain(place: str) -> None:
    checked = files(place)
    assert checked
    assert [finding for path in checked for finding in findings(path)] == []


def test_the_exempt_files_exist() -> None:
    assert [name for name in EXEMPT if not (ROOT / name).is_file()] == []


def test_the_rules_find_what_they_forbid_in_rust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    module = tmp_path / "module.rs"
    module.write_text(
        "//! Of one session.\n\n/// Fine,\n/// what it hangs\n/// on.\nfn f() {} // so many\n    /// Who\n"
    )
    assert [finding.partition(";")[0] for finding in findings(module)] == [
        "module.rs:1: begins with 'Of'",
        "module.rs:4: 'hangs\\non'",
        "module.rs:6: 'so many'",
        "module.rs:7: begins with 'Who'",
    ]


def test_the_rules_find_what_they_forbid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    module = tmp_path / "module.py"
    module.write_text(
        '"""Of one session."""\n\nNUMBER = 3  # it hangs\nTEXT = "so  many"\n\n\n'
        'def f():\n    """What it hangs\n    on."""\n'
    )
    assert [finding.partition(";")[0] for finding in findings(module)] == [
        "module.py:1: begins with 'Of'",
        "module.py:4: 'so  many'",
        "module.py:8: 'hangs\\n    on'",
        "module.py:8: begins with 'What'",
    ]
