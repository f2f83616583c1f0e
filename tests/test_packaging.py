"""The installed package: its files, the tests that run against it, and an installation without Rust."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import playout
import playout.engine._core

from .test_imports import FOLDERS as TREE_FOLDERS

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CARGO: dict[str, Any] = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
TOPS = [name for name in TREE_FOLDERS if name != "api" and (ROOT / name).is_dir()]
FOLDERS = sorted({file.parent.relative_to(ROOT).as_posix() for top in TOPS for file in (ROOT / top).rglob("*.py")})
"""The folders with modules, apart from api/, which is the package ``playout`` itself."""


def installed_files() -> list[str]:
    """The files of the installed wheel."""
    try:
        found = importlib.metadata.distribution("playout")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("playout is not installed: pip install .")
    files = [str(file) for file in found.files or ()]
    if not any(file.startswith("playout/") for file in files):
        pytest.skip("playout is installed editable: pip install .")
    return files


def test_the_folders_are_not_imported_as_packages_of_their_own() -> None:
    """A second copy of a module has classes of its own: the root must not be where modules are looked for."""
    tops = {name.partition(".")[0] for name in sys.modules}
    assert sorted(tops & {*TOPS, "api"}) == []


def test_every_folder_with_modules_is_a_package() -> None:
    assert [folder for folder in FOLDERS if not (ROOT / folder / "__init__.py").is_file()] == []


def test_the_wheel_holds_all_modules_and_their_data_and_no_rust() -> None:
    files = installed_files()
    assert [file for file in files if file.endswith((".rs", "Cargo.toml", "Cargo.lock"))] == []
    wanted = [path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).glob("*.py")]
    wanted += [path.name for path in (ROOT / "api").iterdir() if path.suffix in (".py", ".typed")] + [
        "engine/_core.pyi"
    ]
    wanted += [path.relative_to(ROOT).as_posix() for path in (ROOT / "engine" / "options" / "presets").iterdir()]
    for data in (ROOT / "books" / "data", ROOT / "engine" / "weights"):
        wanted += [path.relative_to(ROOT).as_posix() for path in data.rglob("*") if path.is_file()]
    assert [name for name in wanted if f"playout/{name}" not in files] == []
    assert any(file.startswith("playout/engine/_core.") and not file.endswith(".pyi") for file in files)
    assert any(file.endswith("licenses/LICENSE") for file in files)


def test_source_distribution_and_wheel_hold_books_and_weights(tmp_path: Path) -> None:
    """Checks the files that setuptools would pack: the list of sources, and the tree of a wheel."""
    command = ["-q", "egg_info", "--egg-base", str(tmp_path), "build_py", "--build-lib", str(tmp_path / "lib")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "setup.py"), *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (sources,) = tmp_path.glob("*.egg-info/SOURCES.txt")
    folders = (ROOT / "books" / "data", ROOT / "engine" / "weights")
    files = [path.relative_to(ROOT).as_posix() for data in folders for path in data.rglob("*") if path.is_file()]
    assert {"books/data/chess.book", "engine/weights/backgammon.safetensors"} <= set(files)
    assert set(files) <= set(sources.read_text(encoding="utf-8").splitlines())
    assert [name for name in files if not (tmp_path / "lib" / "playout" / name).is_file()] == []


def test_versions_and_licences_agree() -> None:
    project, workspace = PROJECT["project"], CARGO["workspace"]["package"]
    assert (project["version"], project["license"]) == (workspace["version"], workspace["license"])
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
    assert playout.__version__ == playout.engine._core.__version__ == project["version"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \[(\d+\.\d+\.\d+)\]", changes, re.MULTILINE)[:1] in ([], [project["version"]])
    assert project["license"] == "GPL-3.0-or-later"
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007" in licence
    assert "END OF TERMS AND CONDITIONS" in licence


@pytest.mark.parametrize("command", ["dist_info", "bdist_wheel", "editable_wheel"])
def test_without_rust_an_installation_says_so_in_one_line(command: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "setup.py"), command],
        env={"PATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    wanted = CARGO["workspace"]["package"]["rust-version"]
    assert re.search(rf"no Rust toolchain was found.*Install Rust {wanted} or newer", line)
