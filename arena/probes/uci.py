"""Probes for UCI and UGI of everything but searches: introduction, options, noise, positions, the end."""

from __future__ import annotations

from playout.arena.probes.desk import shown
from playout.arena.probes.finding import NotApplicable, Probes, Wrong
from playout.arena.probes.positions import ENDGAME
from playout.arena.probes.uci_desk import Place, UniversalDesk, is_best, option_of
from playout.games.game import HasStateText

PROBES: Probes[UniversalDesk] = Probes("{} document", "uci", "ugi")
probe = PROBES.probe

KINDS = ("check", "spin", "combo", "button", "string")
RESERVED = {
    "hash": "spin",
    "nalimovpath": "string",
    "nalimovcache": "spin",
    "ponder": "check",
    "ownbook": "check",
    "multipv": "spin",
    "uci_showcurrline": "check",
    "uci_showrefutations": "check",
    "uci_limitstrength": "check",
    "uci_elo": "spin",
    "uci_analysemode": "check",
    "uci_opponent": "string",
    "uci_engineabout": "string",
    "uci_shredderbasespath": "string",
    "uci_setpositionvalue": "string",
    "uci_chess960": "check",
}
"""Options with a fixed meaning, and their types."""
BAD_FENS = (
    "x",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP",
)


def _introduced(desk: UniversalDesk, what: str) -> None:
    lines = [line.split(None, 2) for line in desk.introduction]
    if not any(words[:2] == ["id", what] and len(words) == 3 for words in lines):
        raise Wrong(f"no line id {what} TEXT before {desk.protocol}ok")


@probe("id")
def id_name(desk: UniversalDesk) -> None:
    """The engine names itself by id name."""
    _introduced(desk, "name")


@probe("id")
def id_author(desk: UniversalDesk) -> None:
    """The engine names its authors by id author."""
    _introduced(desk, "author")


@probe("option")
def option_lines(desk: UniversalDesk) -> None:
    """Each option line has a name, a type of the protocol, and the fields of that type."""
    for line in desk.introduction:
        if line.split()[:1] == ["option"]:
            option = option_of(line)
            if option is None or option.kind not in KINDS:
                raise Wrong(shown(line))
            if option.kind == "spin":
                for key in ("default", "min", "max"):
                    if not _is_int(option.value(key)):
                        raise Wrong(f"no whole number as {key}: {shown(line)}")
            if option.kind == "check" and option.value("default") not in ("true", "false"):
                raise Wrong(f"neither true nor false as default: {shown(line)}")
            if option.kind == "combo" and "var" not in option.fields:
                raise Wrong(f"no var: {shown(line)}")


@probe("option")
def option_defaults(desk: UniversalDesk) -> None:
    """The default of an option is one of its values."""
    for option in desk.options.values():
        default = option.value("default")
        if option.kind == "combo" and default not in option.fields.get("var", []):
            raise Wrong(shown(option.line))
        if option.kind == "spin":
            numbers = [option.value(key) for key in ("min", "default", "max")]
            values = [int(number or 0) for number in numbers if _is_int(number)]
            if values != sorted(values):
                raise Wrong(shown(option.line))


@probe("setoption")
def option_names(desk: UniversalDesk) -> None:
    """Names of options differ by more than case, because it does not count."""
    seen: set[str] = set()
    for option in filter(None, map(option_of, desk.introduction)):
        if option.name.lower() in seen:
            raise Wrong(f"twice: {shown(option.line)}")
        seen.add(option.name.lower())


@probe("option")
def reserved_options(desk: UniversalDesk) -> None:
    """Options whose names the protocol reserves have the type that it gives them."""
    for option in desk.options.values():
        if option.kind != RESERVED.get(option.name.lower(), option.kind):
            raise Wrong(f"not of type {RESERVED[option.name.lower()]}: {shown(option.line)}")


@probe("setoption")
def options_at_their_defaults(desk: UniversalDesk) -> None:
    """The engine takes each option at its own default, and the button Clear Hash, and is ready again."""
    if "clear hash" in desk.options:
        desk.said("setoption name Clear Hash")
    for option in desk.options.values():
        if option.kind in ("check", "spin", "combo") and option.name.lower() != "ownbook":
            desk.said(f"setoption name {option.name} value {option.value('default')}")


@probe("setoption")
def unknown_option(desk: UniversalDesk) -> None:
    """An option that the engine does not have is ignored."""
    desk.said("setoption name No Such Option value 1", "setoption", "setoption name")


@probe(habit="GUIs pass on what the user types")
def options_out_of_range(desk: UniversalDesk) -> None:
    """A value outside of an option's range does not end the engine."""
    numbers = [option for option in desk.options.values() if option.kind == "spin" and _is_int(option.value("min"))]
    if not numbers:
        raise NotApplicable("no option of type spin")
    for option in numbers:
        if option.name.lower() not in ("hash", "threads"):
            below = int(option.value("min") or 0) - 1
            desk.said(f"setoption name {option.name} value {below}", f"setoption name {option.name} value x")
            desk.said(f"setoption name {option.name} value {option.value('default')}")


@probe("isready")
def one_readyok(desk: UniversalDesk) -> None:
    """Each isready is answered by one readyok."""
    lines = [*desk.said("isready"), "readyok", *desk.said(), *desk.quiet()]
    if (number := sum(line.strip() == "readyok" for line in lines)) != 2:
        raise Wrong(f"{number + 1} times readyok for 3 isready")


@probe("unknown commands")
def unknown_commands(desk: UniversalDesk) -> None:
    """An unknown command is ignored."""
    desk.said("joho", "xyzzy value 7", "%s%n \u2654", "word " * 5000)


@probe(habit="clients log every line that is none of the protocol")
def complaints(desk: UniversalDesk) -> None:
    """An unknown command is answered by an info string, or by nothing."""
    for line in desk.said("joho"):
        if line.strip() and line.split()[:2] != ["info", "string"]:
            raise Wrong(shown(line))


@probe("debug, register", protocols=("uci",))
def debug_and_register(desk: UniversalDesk) -> None:
    """The engine goes on after debug on, debug off and register later."""
    desk.said("debug on", "debug off", "register later")


@probe("white space")
def blanks(desk: UniversalDesk) -> None:
    """Blanks and tabs before, between and after words do not count."""
    desk.write("  isready\n\tisready \t \n")
    for _ in range(2):
        desk.until(lambda line: line.strip() == "readyok", "readyok")
    place, limit = Place(None, desk.line_of_play(2, 1)), desk.quick()
    desk.said("\t " + place.line.replace(" ", " \t  ") + "  ")
    desk.check_best(desk.wait(place, f"  go \t {limit.replace(' ', '   ')} "))


@probe(habit="programs on Windows")
def carriage_returns(desk: UniversalDesk) -> None:
    """A carriage return at the end of a line does not count."""
    desk.write("isready\r\n")
    desk.until(lambda line: line.strip() == "readyok", "readyok")
    place, limit = Place(None, desk.line_of_play(2, 1)), desk.quick()
    desk.write(f"{place.line}\r\n")
    desk.check_best(desk.wait(place, f"go {limit}\r"))


@probe("unknown commands")
def empty_lines(desk: UniversalDesk) -> None:
    """An empty line is ignored."""
    desk.write("\n   \n\t\n")
    desk.said()


@probe("ucinewgame")
def new_game(desk: UniversalDesk) -> None:
    """The engine is ready again after the command for a new game, and plays."""
    for _ in range(2):
        desk.said(f"{desk.protocol}newgame")
    desk.check_best(desk.search())


@probe("position")
def moves_of_a_position(desk: UniversalDesk) -> None:
    """The moves behind startpos moves are made."""
    for plies, seed in ((1, 4), (2, 5), (5, 6), (12, 7)):
        desk.check_best(desk.search(Place(None, desk.line_of_play(plies, seed))))


@probe("position")
def positions_by_text(desk: UniversalDesk) -> None:
    """A position is taken as text, too, with the moves behind it."""
    game = desk.game
    if not isinstance(game, HasStateText):
        raise NotApplicable("no texts of positions")
    for plies, seed in ((3, 8), (6, 9)):
        moves = desk.line_of_play(plies, seed)
        start = game.state_to_text(desk.after(game.initial_state(), moves[:-1]))
        desk.check_best(desk.search(Place(start, moves[-1:])))


@probe("position", protocols=("uci",))
def positions_of_chess(desk: UniversalDesk) -> None:
    """Castling rights, an en passant capture and the side to move are taken from the FEN."""
    desk.chess()
    for search in desk.samples():
        desk.check_best(search)


@probe(habit="EPD files and python-chess leave the counters out", protocols=("uci",))
def positions_without_counters(desk: UniversalDesk) -> None:
    """A FEN without its two counters is accepted."""
    desk.chess()
    desk.check_best(desk.search(Place(ENDGAME)))


@probe("position")
def long_game(desk: UniversalDesk) -> None:
    """A game of 200 plies is followed to its end."""
    desk.check_best(desk.search(Place(None, desk.line_of_play(200, 10))))


@probe(habit="users paste positions", protocols=("uci",))
def wrong_positions(desk: UniversalDesk) -> None:
    """A text that is no position does not end the engine."""
    desk.chess()
    for fen in BAD_FENS:
        desk.said(f"position fen {fen}")
    desk.check_best(desk.search())


@probe(habit="users paste games")
def illegal_moves(desk: UniversalDesk) -> None:
    """An illegal move behind a position does not end the engine, and the next position is followed."""
    for moves in ("a1a9", "e2e5", "xyz", "0000"):
        desk.said(f"position startpos moves {moves}")
    desk.check_best(desk.search(Place(None, desk.line_of_play(3, 11))))


def _ending(desk: UniversalDesk, *lines: str, eof: bool = False) -> None:
    desk.said(Place().line)
    if lines:
        desk.send(*lines)
    if lines[:1] == ("go infinite",):
        desk.quiet()
    if eof:
        desk.end_input()
    else:
        desk.send("quit")
    last = desk.ends()
    if (number := sum(map(is_best, last))) > 1:
        raise Wrong(f"{number} lines bestmove")


@probe("quit")
def quit_ends_it(desk: UniversalDesk) -> None:
    """The engine ends after quit, with status 0."""
    _ending(desk)


@probe("quit")
def quit_ends_a_search(desk: UniversalDesk) -> None:
    """The engine ends after quit during a search, with status 0."""
    _ending(desk, "go infinite")


@probe(habit="a client that dies must leave no engine behind")
def end_of_input(desk: UniversalDesk) -> None:
    """The engine ends at the end of its input, with status 0."""
    _ending(desk, eof=True)


@probe(habit="a client that dies must leave no engine behind")
def end_of_input_during_a_search(desk: UniversalDesk) -> None:
    """The engine ends at the end of its input during a search, with status 0."""
    _ending(desk, "go infinite", eof=True)


@probe("query", protocols=("ugi",))
def queries(desk: UniversalDesk) -> None:
    """The queries p1turn, gameover and result are answered by response and one of their words."""
    game = desk.game
    for place in (Place(), Place(None, desk.line_of_play(1, 12)), Place(None, desk.line_of_play(400, 13, to_end=True))):
        state = desk.state(place)
        returns = game.returns(state)
        over = returns is not None
        result = "none" if returns is None else "draw" if returns[0] == 0 else "p1win" if returns[0] > 0 else "p2win"
        expected = {"gameover": _truth(over), "result": result}
        if not over:
            expected["p1turn"] = _truth(game.current_player(state) == 0)
        desk.said(place.line)
        for word, answer in expected.items():
            desk.send(f"query {word}")
            line = desk.until(lambda line: line.startswith("response"), "response")[-1]
            if line.split() != ["response", answer]:
                raise Wrong(f"{shown(line)} to query {word} instead of response {answer} at {shown(place.line)}")


def _is_int(text: str | None) -> bool:
    return text is not None and text.removeprefix("-").isdecimal()


def _truth(value: bool) -> str:
    return "true" if value else "false"
