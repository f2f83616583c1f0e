"""A target of fuzzing: a parser, or a protocol with one game."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from playout.games.errors import PlayoutError


@dataclass(frozen=True, slots=True)
class Target:
    """A parser."""

    name: str
    run: Callable[[bytes], None]
    """Hands an input to the parser; raises if the parser does what it must not."""
    seeds: Callable[[], Iterable[bytes]]
    """Inputs to begin with."""
    words: Callable[[], Iterable[str]] = tuple
    """Words that inputs are likely to contain, for the fuzzer's dictionary."""
    longest: int = 4096
    """Greatest length of an input in bytes."""
    seconds: float = 1.0
    """Greatest processor time of an input in seconds."""


def one_line(error: PlayoutError) -> None:
    """Asserts that an error for a user is one line."""
    text = str(error)
    assert text and len(text.splitlines()) == 1, f"not one line: {text!r}"


def text_target(
    name: str,
    read: Callable[[str], None],
    seeds: Callable[[], Iterable[str]],
    words: Callable[[], Iterable[str]] = tuple,
    longest: int = 400,
) -> Target:
    """A parser of texts, whose only exceptions are those of playout's tree."""

    def run(data: bytes) -> None:
        try:
            read(data.decode("utf-8", "replace"))
        except PlayoutError as error:
            one_line(error)

    return Target(name, run, lambda: [seed.encode() for seed in seeds()], words, longest)
