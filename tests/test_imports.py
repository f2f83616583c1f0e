"""The order of the folders and rooms, their sizes, and the modules that a quick start must not import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .patience import PATIENCE

ROOT = Path(__file__).parent.parent

TREE = {
    "": "games | books | engine | protocols | api | arena web | cli",
    "games": "errors nearest | game board_hooks | adopted | catalogue | support | picture"
    " | backgammon chess connect_four go hex tic_tac_toe | check",
    "books": "base | text | store | tables macros past | formats | from_games shipped",
    "engine": "_core | terms interrupt statistics | options | search | clock strength known exact judge | thinker"
    " | running | session | analyst analysis_queue | learning | experiments",
    "protocols": "base | analysis backgammon gtp uci xboard | registry | serve documentation first_line | transport",
    "protocols/gtp": "syntax info_lines | table clock board | last_search dead_stones"
    " | analyze explain inspect katago play servers sgf | go hex gogui | protocol",
    "arena": "terms | drivers | play probes store forms | file report | course waiting faults lease"
    " | coordinator trial | local cup remote enter | tune",
    "web": "clocks messages training | view | advice review round | table | hall | app",
    "cli": "arguments console output progress settings thinking engine_process openbench stuck"
    " | bench book check demo engine_commands experiment games learn network options perft play protocols solve"
    " | arena | web | app | completion | main | __main__",
}
"""The modules and rooms of a folder from the lowest level to the highest, with bars between the levels.

A module imports from lower levels only. The names on one level, such as the families of protocols, do not import each
other. Inside a folder that is not listed here modules import each other as they like.
"""
PLANNED: set[str] = set()
"""Names of TREE that do not exist yet; ``../shared/DESIGN.md`` describes them."""
FOLDERS = TREE[""].replace("|", " ").split()
HEAVY = ("typer", "rich", "matplotlib", "torch", "aiomqtt", "starlette", "uvicorn", "ray")
MOST_MODULES = 20
"""Python modules in one folder, ``__init__.py`` aside."""
MOST_FILES = 24
"""Python and Rust modules in one folder, tests and benches too; ``__init__.py`` and ``lib.rs`` aside."""
MOST_LINES = 430
"""Lines of one Python file."""

Place = tuple[str, ...]
"""The path of a module below the root, without its suffix; a package stands for its ``__init__``."""


def files() -> list[Path]:
    """The Python files of the package, stubs included, relative to the root."""
    return [
        path.relative_to(ROOT)
        for folder in FOLDERS
        for suffix in ("*.py", "*.pyi")
        for path in sorted((ROOT / folder).rglob(suffix))
    ]


def place_of(file: Path) -> Place:
    """The place of a file. ``playout/__main__.py`` is the command line, although it lies beside the API."""
    place = file.with_suffix("").parts
    return ("cli", "__main__") if place == ("api", "__main__") else place


PLACES = frozenset(map(place_of, files()))


def resolved(name: str) -> Place | None:
    """The module that an import of ``name`` loads, or None if it is none of the package."""
    first, *rest = name.split(".")
    if rest == ["__version__"]:
        return None  # a constant of the package, which is loaded before any module of it
    if first != "playout":
        return (first,) if first in FOLDERS else None
    folder = rest if rest and rest[0] in FOLDERS else ["api", *rest]
    for length in range(len(folder), 0, -1):
        for place in (tuple(folder[:length]), (*folder[:length], "__init__")):
            if place in PLACES:
                return place
    return tuple(folder)


def imports(text: str) -> Iterator[tuple[int, Place]]:
    """The modules of the package that the source ``text`` imports, wherever in it, each with the line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            names = [module if node.level else f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            place = ("relative import",) if name.startswith(".") else resolved(name)
            if place is not None:
                yield node.lineno, place


def level(folder: str, name: str) -> int:
    """The level of ``name`` in ``folder``; the ``__init__`` of a folder stands above all others."""
    levels = [names.split() for names in TREE[folder].split("|")]
    if name == "__init__":
        return len(levels)
    found = [number for number, names in enumerate(levels) if name in names]
    assert found, f"{folder}/{name}: TREE does not say where this belongs"
    return found[0]


def is_allowed(importer: Place, imported: Place) -> bool:
    """Whether TREE lets a module import another one."""
    shared = 0
    while importer[: shared + 1] == imported[: shared + 1] and shared < len(importer):
        shared += 1
    folder = "/".join(importer[:shared])
    if importer == imported or folder not in TREE:
        return True
    if imported[0] not in FOLDERS or len(imported) == 1:
        return False
    return level(folder, imported[shared]) < level(folder, importer[shared])


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_run_downward(folder: str) -> None:
    wrong = [
        f"{file}:{line}: {'.'.join(imported)}"
        for file in files()
        if place_of(file)[0] == folder
        for line, imported in imports((ROOT / file).read_text(encoding="utf-8"))
        if not is_allowed(place_of(file), imported)
    ]
    assert wrong == []


def test_every_module_has_its_place_in_the_tree() -> None:
    for place in PLACES:
        for depth, name in enumerate(place):
            folder = "/".join(place[:depth])
            if folder in TREE:
                level(folder, name)


def test_the_tree_names_only_what_there_is() -> None:
    places = {place[:length] for place in PLACES for length in range(1, len(place) + 1)}
    named = {
        (*filter(None, folder.split("/")), name)
        for folder, levels in TREE.items()
        for name in levels.replace("|", " ").split()
    }
    assert {"/".join(place) for place in named - places} == PLANNED


def test_the_reader_of_imports_sees_every_form() -> None:
    text = """
import playout.cli.main
from playout import engine
from playout.games import catalogue, chess
from playout.games.chess import Chess
import os, playout
from . import y
import games
if TYPE_CHECKING:
    from playout.engine.session import Session
def f():
    from playout.protocols.gtp import protocol
"""
    assert [".".join(place) for _, place in sorted(imports(text))] == [
        "cli.main",
        "engine.__init__",
        "games.catalogue",
        "games.chess",
        "games.chess",
        "api.__init__",
        "relative import",
        "games",
        "engine.session",
        "protocols.gtp.protocol",
    ]


@pytest.mark.parametrize(
    ("importer", "imported", "allowed"),
    [
        ("engine.session", "games.game", True),
        ("games.game", "engine.session", False),
        ("engine.session", "engine.terms.limits", True),
        ("engine.terms.limits", "engine.session", False),
        ("protocols.uci.uci", "protocols.xboard.format", False),
        ("protocols.gtp.go.score", "protocols.gtp.hex.commands", False),
        ("protocols.gtp.play", "protocols.gtp.go.score", False),
        ("protocols.gtp.go.score", "protocols.gtp.board", True),
        ("protocols.base.lines", "protocols.base.cause", True),
        ("engine.session", "api.__init__", False),
        ("cli.main", "games", False),
        ("cli.main", "relative import", False),
    ],
)
def test_what_the_tree_allows(importer: str, imported: str, allowed: bool) -> None:
    assert is_allowed(tuple(importer.split(".")), tuple(imported.split("."))) is allowed


def folders() -> list[Path]:
    """The folders of the package that hold Python modules, relative to the root."""
    return sorted({file.parent for file in files()})


@pytest.mark.parametrize("folder", folders(), ids=str)
def test_a_folder_says_what_it_is_for_and_which_file_to_open(folder: Path) -> None:
    said = ast.get_docstring(ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    if folder == Path("api"):
        assert said  # its readers write ``help(playout)``, and have no files before them
        return
    named = re.findall(r"``([^`]+\.(?:py|rs))``", said)
    sentences = re.findall(r"[.:](?=\s|$)", re.sub(r"``[^`]+``", "", said))
    assert named
    assert [name for name in named if not (ROOT / folder / name).is_file()] == []
    assert 1 <= len(sentences) <= 4


def test_no_folder_is_crowded_and_no_file_long() -> None:
    modules = Counter(file.parent for file in files() if file.stem != "__init__")
    assert {str(folder): count for folder, count in modules.items() if count > MOST_MODULES} == {}
    texts = {str(file): (ROOT / file).read_text(encoding="utf-8") for file in files()}
    lines = {
        file: len(text.splitlines()) for file, text in texts.items() if "Generated by ``python -m" not in text[:500]
    }
    assert {file: count for file, count in lines.items() if count > MOST_LINES} == {}


def test_no_folder_has_many_modules_of_both_languages_together() -> None:
    sources = [
        path.relative_to(ROOT)
        for folder in (*FOLDERS, "tests", "benches", "examples")
        for suffix in ("*.py", "*.rs")
        for path in (ROOT / folder).rglob(suffix)
        if path.name not in ("__init__.py", "lib.rs")
    ]
    assert {str(folder): n for folder, n in Counter(path.parent for path in sources).items() if n > MOST_FILES} == {}


@pytest.mark.parametrize("protocol", ["uci", "ugi", "gtp"])
def test_an_engine_starts_without_heavy_imports(protocol: str) -> None:
    program = (
        "import sys\n"
        "from playout.cli.main import main\n"
        f"status = main([{protocol!r}, '--game', 'tic_tac_toe'])\n"
        f"found = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(f'imported {found}' if found else status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input="quit\n", capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_bridge_starts_without_the_engine() -> None:
    """It stands for an engine, so it must be quick, and needs neither engine nor games nor TLS."""
    heavy = (*HEAVY, "ssl", "asyncio", "chess", "playout.engine.session", "playout.engine._core")
    program = (
        "import sys\n"
        "from playout.cli.main import main\n"
        "status = main(['connect', '127.0.0.1:1'])\n"
        f"found = [name for name in {heavy!r} if name in sys.modules]\n"
        "sys.exit(f'imported {found}' if found else status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (2, "playout: 127.0.0.1:1: connection refused\n")
