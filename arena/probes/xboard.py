"""Probes for XBoard's protocol of everything but games: features, ping, noise, the end."""

from __future__ import annotations

import re

from playout.arena.probes.desk import shown
from playout.arena.probes.finding import NotApplicable, Probes, Wrong
from playout.arena.probes.xboard_desk import XBoardDesk

PROBES: Probes[XBoardDesk] = Probes("CECP document", "xboard")
probe = PROBES.probe

FEATURE = re.compile(r'feature(\s+\w+=("[^"]*"|-?\d+))+\s*')
OPTION = re.compile(r'option="([^"]*)"')
OPTION_FORM = re.compile(
    r".+ -(button|save|reset|check [01]|(string|file|path)( .*)?|(spin|slider) -?\d+ -?\d+ -?\d+|combo .+)"
)
ERROR = re.compile(r"Error \(.+\): .+")
IDLE = ("random", "hard", "easy", "post", "nopost", "name Alice", "rating 1500 1600", "computer", "draw")
"""Commands that may come at any time and want no answer."""


@probe("feature")
def form_of_features(desk: XBoardDesk) -> None:
    """A line of features has NAME=VALUE, with quotes around texts and bare numbers."""
    for line in desk.feature_lines:
        if not FEATURE.fullmatch(line):
            raise Wrong(shown(line))


@probe("feature option")
def form_of_options(desk: XBoardDesk) -> None:
    """An option is NAME -TYPE and its values."""
    for line in desk.feature_lines:
        for text in OPTION.findall(line):
            if not OPTION_FORM.fullmatch(text):
                raise Wrong(shown(text))


@probe(habit="XBoard waits two seconds without it")
def features_have_an_end(desk: XBoardDesk) -> None:
    """The features end with done=1."""
    if not desk.features.flag("done"):
        raise Wrong("no done=1")


@probe("feature myname", severity="warning")
def name(desk: XBoardDesk) -> None:
    """The engine names itself by the feature myname."""
    if not desk.features.text("myname").strip():
        raise Wrong("no myname")


@probe("feature ping, setboard, usermove", severity="warning")
def recommended_features(desk: XBoardDesk) -> None:
    """The engine has ping, setboard and usermove, by which clients avoid doubts."""
    if missing := [word for word in ("ping", "setboard", "usermove") if not desk.features.flag(word)]:
        raise Wrong(f"no {', '.join(missing)}")


@probe("accepted, rejected")
def rejected_features(desk: XBoardDesk) -> None:
    """The engine goes on after a feature is rejected."""
    desk.said("rejected debug", "accepted no_such_feature", "rejected no_such_feature")


@probe("ping")
def pings(desk: XBoardDesk) -> None:
    """Each ping is answered by pong with its number, once."""
    desk.needs("ping")
    desk.send("ping 101", "ping 102")
    lines = desk.until(lambda line: line.split() == ["pong", "102"], "pong 102")
    pongs = [line for line in [*lines, *desk.said()] if line.split()[:1] == ["pong"]]
    if [line.split() for line in pongs] != [["pong", "101"], ["pong", "102"]]:
        raise Wrong(f"{shown(', '.join(pongs))} to ping 101 and ping 102")


@probe("ping")
def ping_during_a_search(desk: XBoardDesk) -> None:
    """A ping while the engine thinks about its move is answered after the move."""
    desk.needs("ping")
    desk.new()
    if not any(line.split()[:1] == ["move"] for line in desk.said("go")):
        raise Wrong("pong before the move")


@probe("Error")
def unknown_commands(desk: XBoardDesk) -> None:
    """An unknown command is answered by Error (TYPE): COMMAND."""
    desk.needs("ping")
    lines = desk.said("xyzzy 7")
    if not any(map(ERROR.fullmatch, lines)):
        raise Wrong(f"{shown(lines[0]) if lines else 'nothing'} to 'xyzzy 7'")


@probe("random, hard, post, name, rating, computer, draw")
def commands_without_an_answer(desk: XBoardDesk) -> None:
    """Commands that may come at any time do not make the engine move."""
    desk.new()
    for line in desk.said(*IDLE):
        if line.split()[:1] == ["move"]:
            raise Wrong(shown(line))


@probe("memory, cores")
def memory_and_cores(desk: XBoardDesk) -> None:
    """An engine with the features memory and smp takes the commands memory and cores."""
    for feature, line in (("memory", "memory 16"), ("smp", "cores 1")):
        if desk.features.flag(feature):
            for answer in desk.said(line):
                if answer.startswith("Error"):
                    raise Wrong(f"{shown(answer)} to {line!r}")


@probe(habit="programs on Windows")
def carriage_returns(desk: XBoardDesk) -> None:
    """A carriage return at the end of a line does not count."""
    desk.needs("ping")
    desk.write("ping 103\r\n")
    desk.until(lambda line: line.split() == ["pong", "103"], "pong 103")


@probe(habit="scripts")
def empty_lines(desk: XBoardDesk) -> None:
    """An empty line is ignored."""
    if not desk.features.flag("ping"):
        raise NotApplicable("no feature ping=1")
    desk.write("\n   \n")
    if wrong := [line for line in desk.said() if line.startswith(("Error", "Illegal"))]:
        raise Wrong(shown(wrong[0]))


@probe("quit")
def quit_ends_it(desk: XBoardDesk) -> None:
    """The engine ends after quit, with status 0."""
    desk.send("quit")
    desk.ends()


@probe("quit")
def quit_ends_a_search(desk: XBoardDesk) -> None:
    """The engine ends after quit during a search, with status 0."""
    _think(desk)
    desk.send("quit")
    desk.ends()


@probe(habit="a client that dies must leave no engine behind")
def end_of_input(desk: XBoardDesk) -> None:
    """The engine ends at the end of its input, with status 0."""
    desk.end_input()
    desk.ends()


@probe(habit="a client that dies must leave no engine behind")
def end_of_input_during_a_search(desk: XBoardDesk) -> None:
    """The engine ends at the end of its input during a search, with status 0."""
    _think(desk)
    desk.end_input()
    desk.ends()


def _think(desk: XBoardDesk) -> None:
    desk.said("new", "force", "level 0 120 0")
    desk.send("go")
    desk.quiet()
