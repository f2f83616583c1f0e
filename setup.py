"""Finds the packages, and stops a build without a Rust toolchain with one clear line. The rest is in pyproject.toml.

The top-level folders are the parts of the package ``playout``, and the folder ``api/`` is the package itself. An
editable installation puts ``.editable/`` on Python's path: a folder of links that has the shape of the installed
package, so that interpreters, type checkers and IDEs resolve ``playout.*`` by path alone.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
FOLDERS = ("games", "books", "engine", "protocols", "arena", "web", "cli")
LINKS = ROOT / ".editable"


def packages() -> list[str]:
    """Every folder with an ``__init__.py``, under its name in the package."""
    rooms = [path.parent.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("__init__.py")]
    return ["playout", *sorted(".".join(("playout", *room.parts)) for room in rooms)]


def link() -> None:
    """Makes the package of links anew."""
    home = LINKS / "playout"
    shutil.rmtree(LINKS, ignore_errors=True)
    home.mkdir(parents=True)
    for file in (ROOT / "api").iterdir():
        if file.suffix in {".py", ".pyi", ".typed"}:
            (home / file.name).symlink_to(Path("../../api") / file.name)
    for folder in FOLDERS:
        (home / folder).symlink_to(Path("../..") / folder)


def main() -> None:
    building = {"dist_info", "bdist_wheel", "editable_wheel"} & set(sys.argv)
    if building and not shutil.which(os.getenv("CARGO", "cargo")):
        sys.exit(
            "playout is built with Rust, and no Rust toolchain was found: `cargo` is not on PATH. "
            "Install Rust 1.95 or newer (https://rustup.rs), open a new terminal and try again."
        )
    from setuptools import setup

    LINKS.mkdir(exist_ok=True)  # egg_info asks for it in every build
    if "editable_wheel" in sys.argv:
        link()
    setup(
        packages=packages(),
        package_dir={"": ".editable", "playout": "api", **{f"playout.{folder}": folder for folder in FOLDERS}},
    )


if __name__ == "__main__":
    main()
