"""The options for books, tables and macros, which docs/books.md explains."""

from __future__ import annotations

from playout.books.shipped import WORD
from playout.engine.options.option import Option

SEPARATOR = ";"
"""Separator of the files of an option. It is unusual in file names on any system, and every interface accepts it."""

BOOK_OPTIONS: tuple[Option, ...] = (
    Option(
        "OwnBook",
        "check",
        True,
        "Uses books: book moves are played at once, and guide the search as hints. By default false under UCI, "
        "UGI and XBoard, whose interfaces have books of their own, unless BookFile is set.",
    ),
    Option(
        "BookFile",
        "string",
        WORD,
        f"Books in the order in which they are consulted, separated by semicolons: a.book;b.bin;{WORD}. The word "
        f"{WORD} stands for the books that the package has for the game; empty means no book.",
        implies=(("OwnBook", True),),
    ),
    Option("BookDepth", "spin", 0, "Plies from the start position in which books are used; 0 is no bound.", 0, 10000),
    Option(
        "BookVariety",
        "combo",
        "best",
        "Choice of the book move: best plays the greatest weight, weighted draws by weight, uniform draws any move. "
        "Seed makes the draws repeat.",
        choices=("best", "weighted", "uniform"),
    ),
    Option(
        "BookLearn",
        "check",
        False,
        "Writes the results of finished games into the first of the user's own books that can be written.",
        remote=False,
    ),
    Option(
        "SyzygyPath",
        "string",
        "",
        "Folders of Syzygy tables, separated by semicolons or as the system separates paths.",
        games=("chess",),
    ),
    Option(
        "SyzygyProbeDepth",
        "spin",
        1,
        "Least distance from the root, in plies, at which the search consults the tables.",
        1,
        100,
        games=("chess",),
    ),
    Option(
        "Macros",
        "check",
        False,
        "The macros that the package has for the game guide the search; by default in chess only. In connect four they "
        "cost a fifth of the simulations a second, in Hex 8x8 a tenth, elsewhere less than 5 %.",
        field="macros",
    ),
    Option(
        "MacroFile",
        "string",
        "",
        "Files of macros of one's own, separated by semicolons; the word patterns is the shapes of chess that ship.",
    ),
)
