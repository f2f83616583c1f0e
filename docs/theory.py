"""Writes below the commands of theory.md what they print, and draws their figures.

python docs/theory.py [NAME ...]            # runs the document's commands: all, or those of these experiments
python docs/theory.py --quick [NAME ...]    # stores the small tables with which the tests compare

Run both after a change of an experiment, or of the search where a test says that a table has drifted. The full run
takes some twenty minutes of processor time. Each printed block carries the fingerprint of the small table that was
stored when it was made, so that one is not renewed without the other.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from playout.engine.experiments import table as experiments

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "theory.md"
STORED = ROOT / "tests" / "engine" / "experiments" / "quick"
PRINTED = re.compile(
    r"```sh\n(?P<command>playout experiment (?P<name>[\w-]+)[^\n]*)\n```\n\n"
    r"<!-- printed by docs/theory.py, small table (?P<fingerprint>\w*) -->\n"
    r"(?P<text>.*?)<!-- end of what was printed -->\n",
    re.DOTALL,
)
WIDTH = 120


def small(name: str) -> str:
    """Runs the experiment with ``--quick``, and returns its tables as CSV, without what is measured."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for table in experiments.load(name).run(quick=True).tables():
        steady = table.steady()
        writer.writerow([f"# {steady.title}"])
        writer.writerow([column.name for column in steady.columns])
        writer.writerows(steady.rows)
    return text.getvalue()


def stored(name: str) -> str:
    """Returns the stored small tables of an experiment; empty if there are none."""
    path = STORED / f"{name}.csv"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def fingerprint(name: str) -> str:
    """Returns the fingerprint of the stored small tables."""
    return hashlib.sha256(stored(name).encode()).hexdigest()[:12]


def filled(match: re.Match[str]) -> str:
    """Runs the command of a block, and returns the block with what it printed."""
    name, command = match["name"], match["command"]
    words = shlex.split(command)
    figure = DOCUMENT.parent / f"theory-{name}.svg"
    if f"({figure.name})" in match.string:
        words += ["--plot", str(figure)]
    environment = {**os.environ, "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
    sys.stderr.write(f"{command}\n")
    done = subprocess.run(
        [sys.executable, "-m", "playout", *words[1:]],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    lines = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("plot: ")]
    printed = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return (
        f"```sh\n{command}\n```\n\n"
        f"<!-- printed by docs/theory.py, small table {fingerprint(name)} -->\n"
        f"```text\n{printed}\n```\n<!-- end of what was printed -->\n"
    )


def write_document(names: Sequence[str]) -> None:
    """Runs the document's commands of these experiments, and writes the document after each."""
    for name in names:
        text = DOCUMENT.read_text(encoding="utf-8")
        blocks = [block for block in PRINTED.finditer(text) if block["name"] == name]
        for block in reversed(blocks):
            text = text[: block.start()] + filled(block) + text[block.end() :]
        DOCUMENT.write_text(text, encoding="utf-8")


def store(names: Sequence[str]) -> None:
    """Stores the small tables of these experiments."""
    STORED.mkdir(exist_ok=True)
    for name in names:
        sys.stderr.write(f"playout experiment {name} --quick\n")
        (STORED / f"{name}.csv").write_text(small(name), encoding="utf-8")


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    wanted = [word for word in sys.argv[1:] if word != "--quick"] or list(experiments.MODULES)
    (store if quick else write_document)(wanted)
