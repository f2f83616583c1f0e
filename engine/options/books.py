"""The options about books, tables and macros, which docs/books.md explains."""

from __future__ import annotations

from playout.books.shipped import WORD
from playout.engine.options.option import Option

SEPARATOR = ";"
"""Between the files of an option: no system has it in its usual file names, and every interface passes it on."""

BOOK_OPTIONS: tuple[Option, ...] = (
    Option("OwnBook", "check", True, "Uses books: known moves are played at once, and guide the search."),
    Option(
        "BookFile",
        "string",
        WORD,
        f"Books in the order in which they are asked, separated by semicolons: a.book;b.bin;{WORD}. The word {WORD} is "
        "those that come with the package for the game; empty is none.",
    ),
    Option("BookDepth", "spin", 0, "Plies from the start position in which books are used; 0 is no bound.", 0, 10000),
    Option(
        "BookVariety",
        "combo",
        "best",
        "Which book move is played: that of the greatest weight, one drawn by weight, or any; Seed makes draws repeat.",
        choices=("best", "weighted", "uniform"),
    ),
    Option(
        "BookLearn",
        "check",
        False,
        "Results of finished games flow back into the first book of your own that can be written.",
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
        "Plies from the root from which on the search asks the tables.",
        1,
        100,
        games=("chess",),
    ),
    Option(
        "Macros",
        "check",
        False,
        "The macros that come with the game guide the search; by default in chess only.",
        field="macros",
    ),
    Option("MacroFile", "string", "", "Files of macros of one's own, separated by semicolons."),
)
