"""The package ``playout`` itself: the cost of its import, folders that might hide it, its public names."""

from __future__ import annotations

import pydoc
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import playout

from ..patience import PATIENCE

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("asyncio", "chess", "msgspec", "numpy", "rich", "typer", "typing", "yaml", "playout.engine")


def python(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def imported(program: str) -> str:
    """Those of ``HEAVY`` that are imported after ``program``."""
    done = python("-c", f"import sys\n{program}\nprint([n for n in {HEAVY!r} if n in sys.modules])")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_it_imports_nothing() -> None:
    before = imported("")
    assert imported("import playout") == before
    assert imported("import playout; playout.__version__; dir(playout)") == before


def test_a_game_needs_none_of_the_libraries_of_other_games_and_of_commands() -> None:
    found = imported("import playout\nplayout.Engine('hex:5').think(nodes=5)")
    assert not {"asyncio", "chess", "msgspec", "numpy", "rich", "typer"} & set(eval(found))


def test_every_name_that_it_shows_is_there() -> None:
    assert dir(playout) == sorted(playout.__all__)
    assert set(playout._HOMES) | {"__version__"} == set(playout.__all__)
    for name in playout.__all__:
        assert getattr(playout, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        playout.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_checkers_see_the_names_that_are_there() -> None:
    text = (ROOT / "api" / "__init__.py").read_text(encoding="utf-8")
    for name, home in playout._HOMES.items():
        assert f"    from {home} import {name} as {name}\n" in text


def test_the_version_is_the_projects() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert playout.__version__ == project["project"]["version"]


@pytest.mark.long
@pytest.mark.parametrize("words", [["--version"], ["games"], ["uci"]])
def test_the_module_is_the_command(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "playout", *words],
        input="quit\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    if words == ["--version"]:
        assert done.stdout == f"playout {playout.__version__}\n"


def test_a_clone_beside_the_program_does_not_hide_it(tmp_path: Path) -> None:
    """A folder ``playout/`` without ``__init__.py``, as a clone is, loses against the package."""
    for folder in ("games", "books", "engine", "protocols", "cli", "api"):
        clone = tmp_path / "playout" / folder
        clone.mkdir(parents=True)
        (clone / "__init__.py").write_text("raise AssertionError('the clone was imported')\n")
    program = "import playout\nassert playout.__version__\nprint(playout.Engine('hex:3').think(nodes=5).reason)"
    done = python("-c", program, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("nodes\n", "")
    (tmp_path / "mine.py").write_text(program)
    done = python("mine.py", cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("nodes\n", "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("playout", ["Engine(", "think(", "solve(", "point of view of the player to move"]),
        ("playout.Engine", ["think(self", "seconds: 'float | None' = None", "analyse(", "Raises:", "stop("]),
        ("playout.Result", ["move", "reason", "simulations"]),
    ],
)
def test_help_reads_well(name: str, words: list[str]) -> None:
    text = pydoc.plain(pydoc.render_doc(name))
    assert [word for word in words if word not in text] == []
