"""Probes for GTP of the form: commands, identifiers, responses, errors, the end."""

from __future__ import annotations

from playout.arena.probes.desk import shown
from playout.arena.probes.finding import NotApplicable, Probes, Wrong
from playout.arena.probes.gtp_desk import GtpDesk, Response
from playout.games.board_hooks import HasTerritory

PROBES: Probes[GtpDesk] = Probes("GTP 2 draft", "gtp")
probe = PROBES.probe

REQUIRED = ("protocol_version", "name", "version", "known_command", "list_commands", "quit")
REQUIRED_TO_PLAY = ("boardsize", "clear_board", "play", "genmove")
UNKNOWN = "playout-no_such_command"
LONG = ("showboard", "list_commands", "printsgf", "help")
"""Commands whose responses may have several lines."""


@probe("protocol_version")
def protocol_version(desk: GtpDesk) -> None:
    """The version of the protocol is 2."""
    if (text := desk.ask("protocol_version")) != "2":
        raise Wrong(f"{text!r} to 'protocol_version'")


@probe("name, version")
def name_and_version(desk: GtpDesk) -> None:
    """The commands name and version are answered by a line each, and the name is not empty."""
    for command in ("name", "version"):
        response = desk.respond(command)
        if not response.good or len(response.lines) > 1 or (command == "name" and not response.text):
            raise Wrong(f"{response} to {command!r}")


@probe("required commands")
def required_commands(desk: GtpDesk) -> None:
    """The commands that each engine must have are in list_commands, one on a line."""
    lines = desk.respond("list_commands").text.split("\n")
    if wrong := [line for line in lines if len(line.split()) != 1]:
        raise Wrong(f"{shown(wrong[0])} as a line of list_commands")
    wanted = [*REQUIRED, *REQUIRED_TO_PLAY, *(["komi"] if isinstance(desk.game, HasTerritory) else [])]
    if missing := [name for name in wanted if name not in desk.known]:
        raise Wrong(f"no {', '.join(missing)}")


@probe("known_command")
def known_command(desk: GtpDesk) -> None:
    """The command known_command says true of each command of list_commands, and false of others."""
    for name, answer in ((UNKNOWN, "false"), *((name, "true") for name in desk.known)):
        if (text := desk.ask(f"known_command {name}")) != answer:
            raise Wrong(f"{text!r} to 'known_command {name}'")


@probe("failure responses")
def unknown_command(desk: GtpDesk) -> None:
    """An unknown command fails."""
    desk.refuses(UNKNOWN, f"{UNKNOWN} with arguments")


@probe("standard error messages", severity="warning")
def text_of_an_unknown_command(desk: GtpDesk) -> None:
    """The failure of an unknown command has the text: unknown command."""
    desk.refuses_with("unknown command", UNKNOWN)


@probe("identifiers")
def identifiers(desk: GtpDesk) -> None:
    """A response has the identifier of its command, or none if the command has none."""
    for number in ("", "0", "7", "2147483647"):
        for command in ("name", UNKNOWN):
            response = desk.respond(f"{number} {command}".strip())
            if response.id != number:
                raise Wrong(f"{response} to '{number} {command}'")


@probe("response")
def form_of_responses(desk: GtpDesk) -> None:
    """A response begins with = or ?, the identifier, and a blank before the text."""
    for command in ("name", "7 name", UNKNOWN, f"7 {UNKNOWN}"):
        response = desk.respond(command)
        if not response.has_form:
            raise Wrong(f"{response} to {command!r}")


@probe("response")
def end_of_responses(desk: GtpDesk) -> None:
    """A response ends with one empty line, and nothing stands between responses."""
    desk.clear()
    commands = ["name", UNKNOWN, "clear_board", *(one for one in LONG if one in desk.known), "name"]
    responses = _batch(desk, "".join(f"{number} {command}\n" for number, command in enumerate(commands)), len(commands))
    for number, response in enumerate(responses):
        if response.before:
            before = commands[number - 1] if number else "the start"
            kind = "an empty line" if not response.before[0].strip() else shown(response.before[0])
            raise Wrong(f"{kind} behind the response to {before!r}")


@probe("response")
def order_of_responses(desk: GtpDesk) -> None:
    """Commands that come together are answered one after another."""
    responses = _batch(desk, "".join(f"{number} known_command name\n" for number in range(20)), 20)
    if [response.id for response in responses] != [str(number) for number in range(20)]:
        raise Wrong(f"identifiers {' '.join(response.id for response in responses)}")


@probe("comments")
def comments(desk: GtpDesk) -> None:
    """The text behind # is a comment, and a line that is only one gets no response."""
    _silent(desk, "# nothing\n", "name # who are you?\n")


@probe("empty lines")
def empty_lines(desk: GtpDesk) -> None:
    """A line of nothing but blanks gets no response."""
    _silent(desk, "\n   \n\t\n", "name\n")


@probe("control characters")
def tabs(desk: GtpDesk) -> None:
    """A tab is a blank."""
    _silent(desk, "", "known_command\tname\n")


@probe("control characters")
def carriage_returns(desk: GtpDesk) -> None:
    """A carriage return is left out."""
    _silent(desk, "\r\n", "name\r\n")


@probe("control characters", severity="warning")
def control_characters(desk: GtpDesk) -> None:
    """Other control characters are left out."""
    _silent(desk, "", "na\x07me\n")


@probe(habit="scripts indent their commands")
def leading_blanks(desk: GtpDesk) -> None:
    """Blanks before a command are left out."""
    _silent(desk, "", "  \t name\n")


@probe("command names", severity="warning")
def case_of_commands(desk: GtpDesk) -> None:
    """The case of a command's name counts."""
    desk.refuses("NAME")


@probe(habit="a slip of a script")
def lone_identifier(desk: GtpDesk) -> None:
    """A line with an identifier and no command does not end the engine."""
    desk.write("5\n6 name\n")
    while desk.read().id != "6":
        pass


@probe("failure responses")
def missing_arguments(desk: GtpDesk) -> None:
    """A command without its arguments fails."""
    desk.clear()
    komi = ["komi"] if isinstance(desk.game, HasTerritory) else []
    desk.refuses("boardsize", *komi, "play", "play b", "genmove")


@probe("failure responses")
def wrong_arguments(desk: GtpDesk) -> None:
    """A command with arguments of another type fails."""
    desk.clear()
    komi = ["komi much"] if isinstance(desk.game, HasTerritory) else []
    desk.refuses("boardsize x", *komi, "play purple A1", "play b hello", "genmove purple")


@probe("quit")
def quit_is_answered(desk: GtpDesk) -> None:
    """The command quit gets a response, and then the engine ends with status 0."""
    response = desk.respond("8 quit")
    if not response.good or response.id != "8":
        raise Wrong(f"{response} to '8 quit'")
    desk.ends()


@probe(habit="a client that dies must leave no engine behind")
def end_of_input(desk: GtpDesk) -> None:
    """The engine ends at the end of its input, with status 0."""
    desk.end_input()
    desk.ends()


@probe("loadsgf")
def missing_file(desk: GtpDesk) -> None:
    """A file that does not exist is refused."""
    if "loadsgf" not in desk.known:
        raise NotApplicable("no command loadsgf")
    desk.refuses("loadsgf /no/such/file.sgf")


def _batch(desk: GtpDesk, text: str, count: int) -> list[Response]:
    desk.write(text)
    return [desk.read() for _ in range(count)]


def _silent(desk: GtpDesk, silent: str, command: str) -> None:
    """Checks that ``silent`` gets no response, and that ``command`` succeeds."""
    desk.write(f"{silent}{command}9 name\n")
    first = desk.read()
    if not first.good or first.id:
        raise Wrong(f"{first} to {silent + command!r}")
    second = desk.read()
    if second.id != "9":
        raise Wrong(f"{second} to nothing, after {silent + command!r}")
