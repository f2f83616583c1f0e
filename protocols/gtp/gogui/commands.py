"""GTP commands of GoGui and HexGui: setup of positions, and menus of analyses that the GUIs draw on their boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from playout.engine.options.table import Option, Value
from playout.engine.terms.info import MoveInfo, SearchResult
from playout.games.board_hooks import HasSetup
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.game import action_to_text
from playout.games.nearest import nearest
from playout.protocols.gtp.board import Board, GameRecord, canonical
from playout.protocols.gtp.gogui.clicks import click_rules
from playout.protocols.gtp.gogui.game_rules import as_points, rules_commands
from playout.protocols.gtp.gogui.graphics import LABELS, graphics, is_point, per_cent
from playout.protocols.gtp.gogui.steps import StepBoard
from playout.protocols.gtp.last_search import LastSearch, searched
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking, arguments, colour, quoted
from playout.protocols.gtp.table import extend

SURE = 0.5
"""Least expected ownership of a point of territory. It means that one side owns the point in three playouts of four."""
HEAT = ("#400000", "#800000", "#c02000", "#e06000", "#ff9000", "#ffc040", "#ffe090")
"""Colours for shares of visits, from the smallest to the greatest."""

GOGUI_MENU = (
    "gfx/Search/playout-search_gfx %c",
    "pspairs/Best moves/playout-best_moves %c",
    "varc/Principal variation/playout-variation %c",
    "cboard/Visits/playout-visits %c",
    "dboard/Influence/playout-influence",
    "cboard/Territory/playout-territory",
    "plist/Dead stones/final_status_list dead",
    "string/Score/final_score",
    "string/Explanation/explain",
    "param/Options/playout-param",
)
HEXGUI_MENU = (
    "pspairs/Best moves/playout-best_moves %m",
    "var/Principal variation/playout-variation %m",
    "plist/Legal moves/all_legal_moves",
    "string/Explanation/explain",
    "string/Score/final_score",
    "param/Options/playout-param",
)
TERRITORY = ("dboard", "cboard/Territory", "plist/Dead")
"""First words of the menu entries that need territory."""


class _GoGui:
    def __init__(self, board: Board, memory: LastSearch, commands: Mapping[str, Handler]) -> None:
        self._board = board
        self._memory = memory
        self._commands = commands

    def interrupt(self, _: GtpCommand) -> str:
        """``gogui-interrupt``: Does nothing. Its presence tells GoGui that the comment ``# interrupt`` ends a
        search."""
        return ""

    def title(self, _: GtpCommand) -> str:
        """``gogui-title``: The title of the window."""
        return f"playout: {self._board.game.name}"

    def version(self, _: GtpCommand) -> str:
        """``gogui-version VERSION``: Announces GoGui's version; is accepted and ignored."""
        return ""

    def play_sequence(self, command: GtpCommand) -> str:
        """``gogui-play_sequence COLOUR MOVE COLOUR MOVE ...``: Plays all the moves, or none if one of them is
        illegal."""
        moves = _pairs(command)
        before = self._board.record()
        try:
            for player, move in moves:
                self._board.play(player, move)
        except Exception:
            self._board.load(before)
            raise
        return ""

    def setup(self, command: GtpCommand) -> str:
        """``gogui-setup COLOUR POINT COLOUR POINT ...``: Places stones on the empty board."""
        if self._board.begun:
            raise GtpError("board not empty")
        wanted = _pairs(command)
        if len({point for _, point in wanted}) < len(wanted):
            raise GtpError("cannot set up: each stone needs a point of its own")
        try:
            stones = [(player, canonical(self._board.game, point)) for player, point in wanted]
        except IllegalMove as error:
            raise GtpError(f"cannot set up: {error}") from None
        points = [point for _, point in stones]
        if len(set(points)) < len(points) or not all(is_point(point) for point in points):
            raise GtpError("cannot set up: each stone needs a point of its own")
        try:
            self._board.load(GameRecord(self._board.game, tuple(stones)))
        except PlayoutError as error:
            raise GtpError(f"cannot set up: {error}") from None
        return ""

    def setup_player(self, command: GtpCommand) -> str:
        """``gogui-setup_player COLOUR``: Sets the player who moves first after the setup."""
        player = colour(arguments(command, "COLOUR", 1)[0])
        record = self._board.record()
        if record.moves:
            raise GtpError("the game has begun")
        self._board.load(GameRecord(record.game, record.setup, player))
        return ""

    def gogui_menu(self, _: GtpCommand) -> str:
        """``gogui-analyze_commands``: The analyses that GoGui can draw, one on each line: type, label, command."""
        return "\n".join(entry for entry in GOGUI_MENU if self._has(entry))

    def hexgui_menu(self, _: GtpCommand) -> str:
        """``hexgui-analyze_commands``: The analyses that HexGui can show, one on each line: type, label, command."""
        return "\n".join(HEXGUI_MENU)

    def search_gfx(self, command: GtpCommand) -> str | Thinking:
        """``playout-search_gfx [COLOUR]``: The principal variation and the best moves as graphics; searches first if
        necessary."""
        player = self._player(command)
        return self._searched(command, player, lambda result: "\n".join(graphics(result.info, player)))

    def best_moves(self, command: GtpCommand) -> str | Thinking:
        """``playout-best_moves [COLOUR]``: The best moves, each with its win rate in per cent; searches first if
        necessary."""

        def pairs(result: SearchResult) -> str:
            rates: dict[str, int] = {}
            for move in result.info.moves[:LABELS]:
                for point in as_points(self._board, [move.move])[:1] if self._point(move) else ():
                    rates.setdefault(point, per_cent(move))
            return " ".join(f"{point} {rate}" for point, rate in rates.items())

        return self._searched(command, self._player(command), pairs)

    def variation(self, command: GtpCommand) -> str | Thinking:
        """``playout-variation [COLOUR]``: The principal variation; searches first if necessary."""

        def line(result: SearchResult) -> str:
            return " ".join(as_points(self._board, result.info.moves[0].pv)) if result.info.moves else ""

        return self._searched(command, self._player(command), line)

    def visits(self, command: GtpCommand) -> str | Thinking:
        """``playout-visits [COLOUR]``: A board of colours: the more visits a point has, the brighter it is; searches
        first if necessary."""

        def heat(result: SearchResult) -> str:
            most = max((move.visits for move in result.info.moves), default=0)
            shades = {move.move: HEAT[move.visits * (len(HEAT) - 1) // max(1, most)] for move in result.info.moves}
            game, start = self._board.game, self._board.game.initial_state()
            return self._draw(lambda point: shades.get(action_to_text(game, start, point), '""'))

        return self._searched(command, self._player(command), heat)

    def influence(self, _: GtpCommand) -> str:
        """``playout-influence``: A board of numbers: each point's ownership at the end of playouts, from 1 (Black) to
        -1 (White)."""
        owners = self._board.session.ownership()
        return self._draw(lambda point: f"{owners[point]:.2f}")

    def territory(self, _: GtpCommand) -> str:
        """``playout-territory``: A board of colours: the player who owns a point in three playouts of four."""
        owners = self._board.session.ownership()
        return self._draw(lambda point: "black" if owners[point] > SURE else "white" if owners[point] < -SURE else '""')

    def param(self, command: GtpCommand) -> str:
        """``playout-param [NAME VALUE]``: The options in the format of GoGui's and HexGui's dialogs: those that people
        set, or with ShowAllOptions all of them. Or sets one. Names and values have ``_`` for a space."""
        session = self._board.session
        if not command.arguments:
            lines = [_parameter(option, session.options.get(option.name, "")) for option in session.options.told()]
            return "\n".join(line for line in lines if line)
        name, *words = command.arguments
        known = {option.name.replace(" ", "_").lower(): option for option in session.options.declared()}
        option = known.get(name.lower())
        if option is None:
            near = nearest(name, (option.name.replace(" ", "_") for option in known.values()))
            raise GtpError(f"no option {quoted(name)}{near or ': see playout-param'}")
        value = " ".join(words)
        if option.kind == "check":
            value = {"1": "true", "0": "false"}.get(value, value)
        session.set_option(option.name, value)
        return ""

    def _searched(self, command: GtpCommand, player: int, produce: Callable[[SearchResult], str]) -> str | Thinking:
        return searched(command, player, self._memory, self._commands["reg_genmove"], produce)

    def _player(self, command: GtpCommand) -> int:
        words = arguments(command, "[COLOUR]", 0, 1)
        return colour(words[0]) if words else max(self._board.mover or 0, 0)

    def _point(self, move: MoveInfo) -> bool:
        return not self._board.points or is_point(move.move)

    def _has(self, entry: str) -> bool:
        """Whether this game has the menu's entry."""
        kind, _, call = entry.split("/")
        boards = ("gfx", "cboard", "dboard", "plist")
        if not self._board.points and kind in boards:
            return False
        if isinstance(self._board, StepBoard) and kind == "varc":  # GoGui would draw each click in another colour
            return False
        return call.split()[0] in self._commands and (self._board.territory or not entry.startswith(TERRITORY))

    def _draw(self, cell: Callable[[int], str]) -> str:
        return "\n" + "\n".join(" ".join(cell(point) for point in row) for row in self._board.game.board_rows())


def gogui_commands(board: Board, memory: LastSearch, commands: dict[str, Handler]) -> dict[str, Handler]:
    """The commands; ``commands`` holds all others, among them ``reg_genmove`` and those that the menus name."""
    gogui = _GoGui(board, memory, commands)
    made: dict[str, Handler] = {
        "gogui-interrupt": gogui.interrupt,
        "gogui-title": gogui.title,
        "gogui-version": gogui.version,
        "gogui-play_sequence": gogui.play_sequence,
        "playout-best_moves": gogui.best_moves,
        "playout-variation": gogui.variation,
        "playout-param": gogui.param,
    }
    if isinstance(board.game, HasSetup):
        made |= {"gogui-setup": gogui.setup, "gogui-setup_player": gogui.setup_player}
    if board.points:
        made |= {"playout-search_gfx": gogui.search_gfx, "playout-visits": gogui.visits}
    if board.territory:
        made |= {"playout-influence": gogui.influence, "playout-territory": gogui.territory}
    if board.rhombic:
        made["hexgui-analyze_commands"] = gogui.hexgui_menu
    else:
        made["gogui-analyze_commands"] = gogui.gogui_menu
        extend(made, click_rules(board) or rules_commands(board))
    return made


def _pairs(command: GtpCommand) -> Sequence[tuple[int, str]]:
    words = command.arguments
    if len(words) % 2:
        raise GtpError(f"syntax error: expected {command.name} COLOUR MOVE COLOUR MOVE ...")
    return [(colour(words[i]), words[i + 1]) for i in range(0, len(words), 2)]


def _parameter(option: Option, value: Value) -> str:
    """An option's line in the dialog; empty for one that has no value."""
    name = option.name.replace(" ", "_")
    if option.kind == "button":
        return ""
    if option.kind == "check":
        return f"[bool] {name} {int(bool(value))}"
    if option.kind == "combo":
        return f"[list/{'/'.join(option.choices)}] {name} {value}"
    return f"[string] {name} {value}"
