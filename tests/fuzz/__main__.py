"""Coverage-guided fuzzing of every parser, by atheris (pip install atheris). It runs outside of the test suite.

    python -m tests.fuzz                                all targets, ten minutes of processor time
    python -m tests.fuzz gtp-go record --seconds 60     these, a minute each
    python -m tests.fuzz --list
    python -m tests.fuzz record --input FILE            one input again, with its traceback

From the root of the repository, with playout importable. Prints a line for each target: executions, branches of
playout's Python that the seeds reach and that are reached at the end, and findings. Each finding is told with its
traceback, and its input is kept under ``--folder``. Ends with status 1 if there are any.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import os
import re
import sys
import time
import traceback
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from tests.fuzz.target import Target

ALL = 600.0
"""Seconds of processor time for all targets."""
HANG = 120
"""Seconds after which an input that has not ended stops the target."""
MEMORY = 2048
"""MiB that no target may exceed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the targets that the command line names; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=str(__doc__).splitlines()[0])
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="all if none is named")
    parser.add_argument("--seconds", type=float, help=f"of processor time for each; not given, all share {ALL:g}")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/playout-fuzz"), help="keeps corpora and findings")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer")
    parser.add_argument("--list", action="store_true", help="names the targets")
    parser.add_argument("--input", type=Path, help="runs one target on this file instead")
    words = parser.parse_args(arguments)
    if words.list or words.input is not None:
        from tests.fuzz.targets import TARGETS

        if words.list:
            sys.stdout.write("".join(f"{name}\n" for name in TARGETS))
        else:
            TARGETS[words.targets[0]].run(words.input.read_bytes())
        return 0

    import atheris

    faulthandler.enable()
    sys.stdout.write("reading the seeds\n")
    sys.stdout.flush()
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stderr(nowhere),
        atheris.instrument_imports(include=["playout", "chess.pgn"]),
    ):
        from tests.fuzz.targets import TARGETS

        for target in TARGETS.values():
            for data in islice(target.seeds(), 2):  # imports whatever the target needs
                _quietly(target, data)
    if unknown := set(words.targets) - set(TARGETS):
        parser.error(f"no target {', '.join(sorted(unknown))}: see --list")
    names = words.targets or list(TARGETS)
    seconds = words.seconds or ALL / len(names)
    found = sum(_fork(atheris, TARGETS[name], seconds, words.folder, words.seed) for name in names)
    return 1 if found else 0


def _quietly(target: Target, data: bytes) -> None:
    try:
        target.run(data)
    except Exception:
        return  # the fuzzer will tell


def _fork(atheris: ModuleType, target: Target, seconds: float, folder: Path, seed: int) -> int:
    """Fuzzes a target in a process of its own, because libFuzzer ends its process; returns how much it has found."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{target.name}.log"
    child = os.fork()
    if not child:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        _fuzz(atheris, target, seconds, folder, seed)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = log.read_text(encoding="utf-8", errors="replace")
    reached = re.findall(r"#\d+\s+(\w+)\s+cov: (\d+)", said)
    first = next((cover for what, cover in reached if what == "INITED"), "?")
    runs = re.search(r"RUNS (\d+)", said)
    findings = said.split("FINDING ")[1:]
    sys.stdout.write(
        f"{target.name:28} {runs[1] if runs else '?':>9} runs  {first:>5} -> {reached[-1][1] if reached else '?':>5} "
        f"branches  {len(findings)} findings\n"
    )
    for finding in findings:
        sys.stdout.write(finding.partition("END OF FINDING")[0])
    if status:
        sys.stdout.write(f"{target.name} ended with status {status}: see {log}\n")
    sys.stdout.flush()
    return len(findings) + bool(status)


class _Watched:
    """A target that goes on after a finding, and tells each but once."""

    def __init__(self, target: Target, folder: Path, seconds: float) -> None:
        self._target = target
        self._folder = folder
        self._end = time.process_time() + seconds
        self._known: set[str] = set()
        self._runs = 0

    def __call__(self, data: bytes) -> None:
        start = time.process_time()
        try:
            self._target.run(data)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            place = " ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-3:])
            self._tell(f"{type(error).__name__} {place}", data, traceback.format_exc())
        end = time.process_time()
        if end - start > self._target.seconds:
            self._tell("slow", data, f"{end - start:.1f} s of processor time\n")
        self._runs += 1
        if end > self._end:
            sys.stderr.write(f"RUNS {self._runs}\n")
            sys.stderr.flush()
            os._exit(0)

    def _tell(self, kind: str, data: bytes, text: str) -> None:
        if kind in self._known:
            return
        self._known.add(kind)
        path = self._folder / f"{self._target.name}.{len(self._known)}"
        path.write_bytes(data)
        sys.stderr.write(f"FINDING {path}: {kind}\n{text}END OF FINDING\n")
        sys.stderr.flush()


def _fuzz(atheris: ModuleType, target: Target, seconds: float, folder: Path, seed: int) -> NoReturn:
    """Fuzzes one target, and ends the process."""
    corpus, seeds, findings = (folder / kind / target.name for kind in ("corpus", "seeds", "findings"))
    for path in (corpus, seeds, findings):
        path.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.seeds()):
        (seeds / f"{number:03}").write_bytes(data)
    options = [
        f"-max_len={target.longest}",
        f"-timeout={HANG}",
        f"-rss_limit_mb={MEMORY}",
        f"-seed={seed}",
        f"-artifact_prefix={findings}/",
        "-reload=0",
    ]
    if words := _quoted(target.words()):
        dictionary = folder / f"{target.name}.dict"
        dictionary.write_text("".join(f'"{word}"\n' for word in words), encoding="ascii")
        options.append(f"-dict={dictionary}")
    atheris.Setup([sys.argv[0], *options, str(corpus), str(seeds)], _Watched(target, findings, seconds))
    atheris.Fuzz()
    os._exit(1)


def _quoted(words: Iterable[str]) -> list[str]:
    """Words as libFuzzer's dictionaries have them."""
    whole = dict.fromkeys(word.encode() for word in words if word)
    return ["".join(f"\\x{byte:02x}" for byte in word) for word in whole if len(word) < 64]


if __name__ == "__main__":
    sys.exit(main())
