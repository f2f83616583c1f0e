"""``playout arena report``: the report of a tournament that is being played, or was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.arena.run import File, State, state_of
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena.cup import Cup
    from playout.arena.report.standings import Standings
    from playout.arena.terms.job import Played
    from playout.arena.terms.live import InProgress


def command(
    file: File,
    out: Annotated[Path, typer.Argument(metavar="REPORT", help=".html, or .png or .svg for a picture")],
    state: State = None,
) -> int:
    """Writes a report of a tournament that is being played, or was: one HTML file, or a picture."""
    from playout.cli.output import check_output

    check_output("REPORT", out)
    if out.suffix not in WRITERS:
        raise PlayoutError(f"{out}: the name ends in {' or '.join(WRITERS)}")
    with opened(file, state or state_of(file)) as cup:
        WRITERS[out.suffix](cup, out)
    return 0


def opened(file: Path, state: Path) -> Cup:
    """Opens a tournament to look at it, while it is played too.

    Raises:
        PlayoutError: if one of the files cannot be read, or the tournament has not begun.
    """
    from playout.arena.cup import Cup
    from playout.arena.file.reader import read

    if not state.exists():
        raise PlayoutError(f"{state}: no such file; arena run makes it")
    return Cup(read(file), file.absolute().parent, state, plays=False)


def page_of(cup: Cup, live: Sequence[InProgress] = ()) -> str:
    """Returns the report of a cup, an HTML document without scripts. ``live`` are its games in progress."""
    from playout.arena.report.page import page

    return "".join(page(cup.tournament.name, _events(cup), cup.store.mishaps(), _state(cup), live))


def write_page(cup: Cup, path: Path) -> None:
    """Writes the report of a cup.

    Raises:
        PlayoutError: if the file cannot be written.
    """
    from playout.games.support.whole_file import save_text

    save_text(path, page_of(cup))


def write_picture(cup: Cup, path: Path) -> None:
    """Writes the report of a cup as PNG or SVG.

    Raises:
        PlayoutError: if the file cannot be written, or matplotlib is missing.
    """
    from playout.arena.report.picture import picture
    from playout.games.support.whole_file import save

    try:
        data = picture(cup.tournament.name, _events(cup), _state(cup), path.suffix[1:])
    except ImportError as error:
        raise PlayoutError(f"{path}: a picture needs the package {error.name}: pip install 'playout[plots]'") from error
    save(path, data)


WRITERS: Mapping[str, Callable[[Cup, Path], None]] = {".html": write_page, ".png": write_picture, ".svg": write_picture}


def _events(cup: Cup) -> Iterator[tuple[str, str, Standings, Iterable[Played]]]:
    return ((plan.name, plan.game, cup.standings(plan), cup.games(plan.name)) for plan in cup.plans)


def _state(cup: Cup) -> str:
    decided = [f"{name}: {said}" for name, said in cup.coordinator.decisions.items()]
    return "; ".join(["finished" if cup.coordinator.finished else "under way", *decided])
