"""A book of one's own: written as text, compiled to a store, played by the engine.

python examples/custom_book.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import playout

BOOK = """\
game: connect_four
lines:
  - d1 d2 d3:2     # the middle, twice as often as the move below
  - d1 d2 c1
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "mine.yaml"
        book.write_text(BOOK, encoding="utf-8")
        with playout.Engine("connect_four", book_file=str(book)) as engine:
            result = engine.think(nodes=100)
            print(result.move, result.reason)


if __name__ == "__main__":
    main()
