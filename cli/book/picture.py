"""Picture of a book's tree: plies from left to right, branches as thick as their share of the weights."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from playout.books.base.branches import Branch
from playout.cli.output import check_matplotlib
from playout.games.errors import PlayoutError
from playout.games.support.whole_file import save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".png", ".svg")
MOST_ROWS = 400
"""Maximum number of leaves of the tree in one picture."""
POINTS = 72
"""Points of an inch, the unit of SVG that matplotlib writes."""
BOARD = 2.0
"""Inches that the board takes."""
COLUMN, ROW = 1.5, 0.28
"""Inches between plies, and between neighbouring leaves."""
COLOURS = ("#1f5fa8", "#b0562b")
"""Colours of the branches of the player to move, and of the other player."""


def check_path(path: Path) -> None:
    """Checks that a picture can be drawn, and its name.

    Raises:
        PlayoutError: if no picture can have this name, or matplotlib is missing.
    """
    if path.suffix not in SUFFIXES:
        raise PlayoutError(f"--picture {path}: the name ends in {' or '.join(SUFFIXES)}")
    if not path.absolute().parent.is_dir():
        raise PlayoutError(f"--picture {path}: no such folder")
    check_matplotlib("--picture", path)


def draw(path: Path, tree: Sequence[Branch], title: str, board: str) -> None:
    """Draws the tree of a picture that ``check_path`` has accepted.

    ``board`` is the picture of the position from which the tree grows, an SVG document; only a picture that is SVG too
    can have it.

    Raises:
        PlayoutError: if the file cannot be written or the tree is too large.
    """
    import matplotlib
    from matplotlib.figure import Figure

    rows, columns, beside = _rows(tree), _columns(tree), BOARD if path.suffix == ".svg" else 0.0
    if rows > MOST_ROWS:
        raise PlayoutError(f"--picture: {rows} branches are too many for a picture: at most {MOST_ROWS}; lower --depth")
    # The same tree gives the same file: no date, no random identifiers.
    with matplotlib.rc_context({"svg.hashsalt": "playout", "svg.fonttype": "none"}):
        width, height = beside + COLUMN * (columns + 0.5), max(ROW * rows, beside) + 0.6
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(-0.1 - beside / COLUMN, columns + 0.4)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_title(title, loc="left", fontsize=10)
        _draw(axes, tree, 0, 0.0, (_rows(tree) - 1) / 2)
        data = io.BytesIO()
        figure.savefig(data, format=path.suffix[1:], metadata={"Date": None} if beside else None)
    save(path, _with_board(data.getvalue(), board, height) if beside else data.getvalue())


def _with_board(picture: bytes, board: str, height: float) -> bytes:
    """Returns a picture with the board in the middle of its left edge."""
    side = POINTS * (BOARD - 0.15)
    place = f'x="{0.05 * POINTS:g}" y="{(POINTS * height - side) / 2:g}" width="{side:g}" height="{side:g}"'
    image = f'<image {place} href="data:image/svg+xml,{quote(board)}"/>\n</svg>'
    return picture.decode().removesuffix("\n").removesuffix("</svg>").encode() + image.encode() + b"\n"


def _draw(axes: Axes, tree: Sequence[Branch], ply: int, top: float, parent: float) -> None:
    """Draws the branches of the position whose node is at ``parent``, in the rows from ``top`` on."""
    colour = COLOURS[ply % 2]
    for branch in tree:
        rows = _rows(branch.behind)
        row = top + (rows - 1) / 2
        axes.plot(
            *_curve((ply, parent), (ply + 1, row)),
            color=colour,
            linewidth=0.6 + 4 * branch.share,
            alpha=0.35 + 0.5 * branch.share,
            solid_capstyle="round",
        )
        axes.annotate(
            _label(branch),
            (ply + 1, row),
            xytext=(-3, 3),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=7,
            parse_math=False,
        )
        _draw(axes, branch.behind, ply + 1, top, row)
        top += rows


def _curve(start: tuple[float, float], end: tuple[float, float]) -> tuple[list[float], list[float]]:
    """Returns an S-shaped curve between two nodes, horizontal at both ends."""
    steps = [step / 12 for step in range(13)]
    bends = [step * step * (3 - 2 * step) for step in steps]
    # The branch arrives early, so that its label has a horizontal line under it.
    across = [start[0] + (end[0] - start[0]) * 0.45 * step for step in steps]
    down = [start[1] + (end[1] - start[1]) * bend for bend in bends]
    return [*across, end[0]], [*down, end[1]]


def _label(branch: Branch) -> str:
    move: Any = branch.move
    counts = f" +{move.wins}={move.draws}-{move.losses}" if move and (move.wins or move.draws or move.losses) else ""
    return f"{branch.text} {branch.share:.0%}{counts}" + (" ..." if branch.more else "")


def _rows(tree: Sequence[Branch]) -> int:
    return sum(_rows(branch.behind) for branch in tree) or 1


def _columns(tree: Sequence[Branch]) -> int:
    return max((1 + _columns(branch.behind) for branch in tree), default=0)
