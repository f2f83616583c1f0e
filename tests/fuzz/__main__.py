"""Coverage-guided fuzzing of every parser, by atheris (pip install atheris). It runs outside of the test suite.

    python -m tests.fuzz                            all targets, ten minutes of processor time
    python -m tests.fuzz gtp-go sgf --seconds 60    these, a minute each
    python -m tests.fuzz --list
    python -m tests.fuzz sgf --input FILE           one input again, with its traceback

From the root of the repository, with playout importable. Prints a line for each target: executions, branches of
playout's Python reached by the seeds and at the end, and findings. Each finding is told with its traceback, and its
input is kept under ``--folder``. Ends with status 1 if there are any.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzz.target import Target

ALL = 600.0
"""Seconds of processor time for all targets."""
SLOW = 1.0
"""Seconds of processor time that no input may take."""
HANG = 60
"""Seconds after which an input that has not ended stops the target."""
MEMORY = 2048
"""MiB that no target may exceed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the targets that the command line names; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="all if none is named")
    parser.add_argument("--seconds", type=float, help=f"of processor time for each target; {ALL:g} s are shared by all if not given")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/playout-fuzz"), help="keeps corpora and findings")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer")
    parser.add_argument("--list", action="store_true", help="names the targets")
    parser.add_argument("--input", type=Path, help="runs one target on this file instead")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args(arguments)
    if words.child:
        return _fuzz(words.targets[0], words.seconds, words.folder, words.seed)
    from tests.fuzz.targets import TARGETS

    if unknown := set(words.targets) - set(TARGETS):
        parser.error(f"no target {', '.join(sorted(unknown))}: see --list")
    if words.list:
        sys.stdout.write("".join(f"{name}\n" for name in TARGETS))
        return 0
    names = words.targets or list(TARGETS)
    if words.input is not None:
        TARGETS[names[0]].run(words.input.read_bytes())
        return 0
    found = 0
    for name in names:
        found += _spawn(name, words.seconds or ALL / len(names), words.folder, words.seed)
    return 1 if found else 0


def _spawn(name: str, seconds: float, folder: Path, seed: int) -> int:
    """Runs a target in a process of its own, because libFuzzer ends its process; returns how much it has found."""
    own = [sys.executable, "-m", "tests.fuzz", name, "--child", f"--seconds={seconds}", f"--folder={folder}"]
    done = subprocess.run([*own, f"--seed={seed}"], capture_output=True, text=True, errors="replace", check=False)
    said = done.stdout + done.stderr
    reached = re.findall(r"#(\d+)\s+(INITED|NEW|REDUCE|pulse|DONE)\s+cov: (\d+)", said)
    first = next((cover for _, what, cover in reached if what == "INITED"), "?")
    last = reached[-1] if reached else ("0", "", "?")
    runs = re.search(r"RUNS (\d+)", said)
    findings = [block for block in said.split("FINDING ")[1:]]
    count = runs[1] if runs else last[0]
    sys.stdout.write(f"{name:28} {count:>9} runs  {first:>5} -> {last[2]:>5} branches  {len(findings)} findings\n")
    for block in findings:
        sys.stdout.write(block.partition("END OF FINDING")[0])
    if done.returncode:
        sys.stdout.write(f"{name} ended with status {done.returncode}:\n{said[-3000:]}\n")
    sys.stdout.flush()
    return len(findings) + bool(done.returncode)


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
        self._runs += 1
        end = time.process_time()
        if end > self._end:
            sys.stderr.write(f"RUNS {self._runs}\n")
            sys.stderr.flush()
            os._exit(0)
        spent = end - start
        if spent > SLOW:
            self._tell("slow", data, f"{spent:.1f} s of processor time\n")

    def _tell(self, kind: str, data: bytes, text: str) -> None:
        if kind in self._known:
            return
        self._known.add(kind)
        path = self._folder / f"{self._target.name}.{len(self._known)}"
        path.write_bytes(data)
        sys.stderr.write(f"FINDING {path}: {kind}\n{text}END OF FINDING\n")
        sys.stderr.flush()


def _fuzz(name: str, seconds: float, folder: Path, seed: int) -> int:
    """Fuzzes one target; never returns, because libFuzzer ends the process."""
    import atheris

    faulthandler.enable()
    findings = folder / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=["playout", "chess.pgn"]):
        from tests.fuzz.targets import TARGETS

        target = TARGETS[name]
        watched = _Watched(target, findings, seconds)
        for data in target.seeds():  # which imports whatever the target needs
            watched(data)
    corpus, seeds = folder / "corpus" / name, folder / "seeds" / name
    for path in (corpus, seeds):
        path.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.seeds()):
        (seeds / f"{number:03}").write_bytes(data)
    dictionary = folder / f"{name}.dict"
    dictionary.write_text("".join(f'"{word}"\n' for word in _quoted(target.words())), encoding="ascii")
    options = [
        f"-max_len={target.longest}",
        f"-timeout={HANG}",
        f"-rss_limit_mb={MEMORY}",
        f"-seed={seed}",
        f"-dict={dictionary}",
        f"-artifact_prefix={findings}/{name}.",
        "-reload=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus), str(seeds)], watched)
    atheris.Fuzz()
    return 0


def _quoted(words: Iterable[str]) -> list[str]:
    """Words as libFuzzer's dictionaries have them."""
    whole = dict.fromkeys(word.encode() for word in words if word)
    return ["".join(f"\\x{byte:02x}" for byte in word) for word in whole if len(word) < 64]


if __name__ == "__main__":
    sys.exit(main())
