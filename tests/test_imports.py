"""The dependency order of the folders, and what an engine's start-up must not import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ORDER = ("games", "books", "engine", "protocols", "api", "arena", "cli")
"""A folder imports only itself and what stands before it. ``api`` is the package ``playout`` itself."""
HEAVY = ("typer", "rich", "matplotlib", "torch", "aiomqtt")
ROOT = Path(__file__).parent.parent


def modules(folder: str) -> list[Path]:
    """The modules of a folder of the package, native parts and generated files aside."""
    found = sorted((ROOT / folder).rglob("*.py")) + sorted((ROOT / folder).rglob("*.pyi"))
    return [path for path in found if path != ROOT / "api" / "__main__.py"]  # a door of the command line


def folder_of(name: str) -> str:
    """The folder of what follows ``playout.``: what is none of the others is a module or a name of api/."""
    return name if name in ORDER else "api"


def imported_folders(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The folders of playout that a module imports, wherever in it, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            # __version__ is the package's, which every module of it has imported.
            imported = [alias.name for alias in node.names if alias.name != "__version__"]
            names = [f"playout.{name}" for name in imported] if module == "playout" else [module]
        else:
            continue
        for name in names:
            first, *rest = name.split(".")
            if first == "playout" and rest:
                yield folder_of(rest[0]), node.lineno
            elif first == "playout":
                yield "api", node.lineno
            elif first == "":
                yield "relative import", node.lineno
            elif first in ORDER:
                yield f"{first}, not playout.{first}", node.lineno


@pytest.mark.parametrize("folder", ORDER)
def test_no_folder_imports_one_above_it(folder: str) -> None:
    allowed = ORDER[: ORDER.index(folder) + 1]
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {imported}"
        for path in modules(folder)
        for imported, line in imported_folders(ast.parse(path.read_text(encoding="utf-8")))
        if imported not in allowed
    ]
    assert wrong == []


def test_the_reader_of_imports_sees_every_form() -> None:
    text = "\n".join(
        (
            "import playout.cli.main",
            "from playout import engine",
            "from playout.books import x",
            "from . import y",
            "import games",
            "import playout",
            "from playout import Engine",
            "from playout.player import Engine",
        )
    )
    assert [name for name, _ in imported_folders(ast.parse(text))] == [
        "cli",
        "engine",
        "books",
        "relative import",
        "games, not playout.games",
        "api",
        "api",
        "api",
    ]


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
        [sys.executable, "-c", program], input="quit\n", capture_output=True, text=True, timeout=60, check=False
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
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, "playout: 127.0.0.1:1: connection refused\n")
