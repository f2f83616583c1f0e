"""Syzygy tables for the tests: all of 3 pieces and most of 4, which python-chess has in its source distribution.

    python -m tests.syzygy

downloads them with pip, 6 MB, into the folder ``.syzygy`` of the repository. The variable PLAYOUT_SYZYGY names another
folder with tables.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".syzygy"


def tables() -> Path | None:
    """The folder with tables; None if there is none."""
    named = os.environ.get("PLAYOUT_SYZYGY")
    folder = FOLDER if named is None else Path(named)
    return folder if folder.is_dir() else None


def main() -> None:
    """Downloads the tables."""
    with tempfile.TemporaryDirectory() as name:
        words = ["download", "--quiet", "--no-deps", "--no-binary", "chess", "--dest", name, "chess"]
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
        (archive,) = Path(name).glob("chess-*.tar.gz")
        FOLDER.mkdir(exist_ok=True)
        with tarfile.open(archive) as packed:
            for member in packed:
                file = Path(member.name)
                content = packed.extractfile(member)
                if file.parts[1:-1] == ("data", "syzygy", "regular") and content is not None:
                    (FOLDER / file.name).write_bytes(content.read())
    sys.stdout.write(f"{sum(1 for _ in FOLDER.glob('*.rtbw'))} tables in {FOLDER}\n")


if __name__ == "__main__":
    main()
