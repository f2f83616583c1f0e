"""The common part of UCI, the Universal Chess Interface, and UGI, the Universal Game Interface."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from playout.engine.options.table import Value
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import RAISED_BY_GAMES, GameError, PlayoutError, ProtocolError
from playout.games.game import CHANCE, HasClaimedDraws, HasRender, HasStateText, is_over, text_to_action
from playout.protocols.base.declaration import declaration
from playout.protocols.base.dispatch import Command, Dispatcher, divided, internal_error
from playout.protocols.base.lines import last_line, one_line
from playout.protocols.base.protocol import Event
from playout.protocols.base.version import AUTHOR, NAME, VERSION
from playout.protocols.uci.go_command import GoWords, parse_go
from playout.protocols.uci.info_format import InfoFormat, details, info_lines, result_lines
from playout.protocols.uci.report import SearchReport
from playout.protocols.uci.variants import VariantOptions

if TYPE_CHECKING:
    from playout.engine.session import Session

OPPONENT = "UCI_Opponent"

logger = logging.getLogger(__name__)


class Universal(Dispatcher[Command]):
    """A protocol of the UCI family. See ``Protocol``.

    A second ``go`` stops the search under way. It and the lines after it wait until that search has reported its move.
    """

    verb: ClassVar[str]
    """The command that opens the session, such as ``uci``."""
    words: ClassVar[GoWords]
    mate_in_plies: ClassVar[bool]
    unspoken: ClassVar[frozenset[str]] = frozenset()
    """Names, in lower case, of the options that this dialect does not have."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        session.prefer_no_book()
        self._searching = False
        self._defaults: dict[str, Value] = dict(session.options)
        self._rules = VariantOptions(session)
        for name in session.options.given:
            if name.lower() not in self.unspoken:
                self._rules.ask(name)
        self._rules.change()
        self._root: Any = None
        self._root_returns: Sequence[float] | None = None
        self._report, self._style = SearchReport(session.game, None), InfoFormat()
        self._pondering = self._analysing = self._debugging = False
        self._commands = {
            self.verb: self._introduce,
            "isready": self._ready,
            "debug": self._debug,
            "register": self._register,
            "setoption": self._set_option,
            f"{self.verb}newgame": self._new_game,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponder_hit,
            "quit": self._quit,
            "d": self._display,
        }
        self._idle_only = {"go", f"{self.verb}newgame"}
        self._prompt = {self.verb, "isready", "quit"}

    @property
    def busy(self) -> bool:
        return self._searching

    def parse(self, line: str, received: float) -> Command | None:
        return divided(line, received)

    def urgent(self, command: Command) -> bool:
        return command.name in self._prompt

    def held(self, command: Command) -> bool:
        if not (self.busy and command.name in self._idle_only):
            return False
        self.session.stop()
        return True

    def refused(self, error: PlayoutError, _command: Command | None) -> Sequence[str]:
        return [remark(str(error))]

    def defect(self, error: BaseException, _at: Command | Event | None) -> Sequence[str]:
        return [remark(internal_error(error))]

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [remark(reason)]

    def report(self, info: SearchInfo) -> Sequence[str]:
        info = self._rules.told(self._root, self._report.shaped(info))
        return [*self._report.current_move(info), *info_lines(info, self._style)]

    def _introduce(self, _: Command) -> Sequence[str]:
        """``uci``: answers the engine's name and author (``id name``, ``id author``) and its options (``option name
        ...``), then ``uciok`` or ``ugiok``."""
        options = [
            declaration(option, self._defaults.get(option.name, option.default))
            for option in self.session.options.told()
            if option.name.lower() not in self.unspoken
        ]
        return [f"id name {NAME} {VERSION}", f"id author {AUTHOR}", *options, f"{self.verb}ok"]

    def _ready(self, _: Command) -> Sequence[str]:
        """``isready``: answers ``readyok`` when all lines before it have been taken and the nets and books have been
        read, also during a search."""
        try:
            self.session.get_ready()
        except Exception:  # The search meets it again and tells it; an interface without an answer would wait for ever.
            logger.exception("the engine is not ready")
        return ["readyok"]

    def _debug(self, command: Command) -> Sequence[str]:
        """``debug on|off``: sets whether an ``info string`` line after each search gives the reason of its end and the
        values of the root's moves."""
        if command.text not in ("on", "off"):
            raise ProtocolError("debug: expected on or off")
        self._debugging = command.text == "on"
        return ()

    def _register(self, _: Command) -> Sequence[str]:
        """``register ...``: is accepted and ignored."""
        return ()

    def _set_option(self, command: Command) -> Sequence[str]:
        """``setoption name NAME [value VALUE]``: sets an option; the next search obeys it. A wrong name or value is
        answered by one ``info string`` line."""
        words = command.text.split()
        if len(words) < 2 or words[0].lower() != "name":
            raise ProtocolError("setoption: expected name NAME [value VALUE]")
        lowered = [word.lower() for word in words]
        end = lowered.index("value") if "value" in lowered else len(words)
        name, value = " ".join(words[1:end]), " ".join(words[end + 1 :])
        if name.lower() in self.unspoken:
            raise ProtocolError(f"no option {name} under {self.verb.upper()}")
        self.session.set_option(name, "" if value == "<empty>" else value)
        self._rules.ask(name)
        if name.lower() == OPPONENT.lower():
            logger.info("the opponent: %s", self.session.options.text(OPPONENT))
        return [*map(remark, self.session.remarks()), *self._change_rules()]

    def _change_rules(self) -> Sequence[str]:
        """Applies options about the rules unless a search is under way; returns the complaint about them, if any."""
        try:
            complaint = None if self.busy else self._rules.change()
        except Exception as error:
            logger.exception("the rules could not be changed")
            return self.defect(error, None)
        return [] if complaint is None else [remark(complaint)]

    def _new_game(self, _: Command) -> Sequence[str]:
        """``ucinewgame``: ends a search under way, sets the start position and clears the graph of earlier searches."""
        self.session.new_game()
        self._rules.forget()
        return ()

    def _position(self, command: Command) -> Sequence[str]:
        """``position startpos|fen TEXT [moves MOVE ...]``: sets the position. If any part is wrong, the whole command
        is refused. During a search it sets the position of the next one."""
        words = command.text.split()
        end = words.index("moves") if "moves" in words else len(words)
        head, moves = words[:end], words[end + 1 :]
        if head[:1] == ["fen"] and len(head) > 1:
            self._rules.set_position(" ".join(head[1:]), moves)
        elif head == ["startpos"]:
            self._rules.set_position(None, moves)
        else:
            raise ProtocolError("position: expected startpos or fen TEXT, then perhaps moves and a list")
        return ()

    def _go(self, command: Command) -> Sequence[str]:
        """``go [WORD ...]``: starts a search within the limits that the words below set. It reports by ``info`` lines
        and ends with exactly one ``bestmove``. A search under way is ended first."""
        try:
            return self._begin(command)
        except RAISED_BY_GAMES as error:
            if not isinstance(error, PlayoutError):
                logger.exception("%r failed", one_line(f"go {command.text}"))
            return [remark(f"go: {error}"), "bestmove (none)"]

    def _begin(self, command: Command) -> Sequence[str]:
        game, state = self.session.game, self.session.state
        self._root, self._root_returns = state, game.returns(state)
        moving = self._root_returns is None or isinstance(game, HasClaimedDraws)
        player = game.current_player(state) if moving else 0
        if player == CHANCE:
            return [remark("the dice come first: give the roll as a move"), "bestmove (none)"]
        if player not in (0, 1):
            raise GameError(f"current_player gives {player!r}; it is 0, 1 or CHANCE (-1)")
        limits, complaint = parse_go(command.text.split(), self.words, player, command.received)
        limits, illegal = self._narrowed(limits)
        options = self.session.options
        style = InfoFormat(options.integer("MultiPV"), options.flag("UCI_ShowWDL"), self.mate_in_plies)
        self._report, self._style = SearchReport(game, state, limits.search_moves, style.lines), style
        self.session.go(limits)
        self._searching, self._pondering, self._analysing = True, limits.ponder, limits.infinite
        return [remark(said) for said in (complaint, illegal) if said is not None]

    def _narrowed(self, limits: Limits) -> tuple[Limits, str | None]:
        """The limits with the moves to search as the session writes them, and a message about those that are not legal.
        python-chess writes ``0000`` for no move at all."""
        words, state = limits.search_moves, self.session.state
        if not words or self._root_returns is not None:
            return limits, None
        pairs = list(zip(words, self._rules.root_moves(state, words), strict=True))
        illegal = [word for word, move in pairs if move is None and word != "0000"]
        said = f"go: searchmoves: illegal {one_line(' '.join(illegal), 80)}" if illegal else None
        return replace(limits, search_moves=tuple(move or word for word, move in pairs)), said

    def _stop(self, _: Command) -> Sequence[str]:
        """``stop``: ends the search, which answers with its ``bestmove``. Without a search there is no reply."""
        if self.busy:
            self.session.stop()
        return ()

    def _ponder_hit(self, _: Command) -> Sequence[str]:
        """``ponderhit``: says that the expected move was played: the limits and the clock of ``go ponder`` apply from
        now on."""
        if self.busy and self._pondering:
            self._pondering = False
            self.session.ponder_hit()
        return ()

    def _quit(self, _: Command) -> Sequence[str]:
        """``quit``: ends the session; a search under way still answers with its ``bestmove``."""
        return self.leave()

    def _display(self, _: Command) -> Sequence[str]:
        """``d``: answers ``info string`` lines with a drawing of the position and its text."""
        game, state = self.session.game, self.session.state
        lines = game.render(state).splitlines() if isinstance(game, HasRender) else [str(state)]
        if isinstance(game, HasStateText):
            lines.append(f"Fen: {self._rules.position_text(state)}")
        return [f"info string {line}" for line in lines]

    def finish(self, result: SearchResult) -> Sequence[str]:
        """The last lines of a search. Whatever happens, exactly one of them is ``bestmove``."""
        self._searching = False
        remarks = [remark(text) for text in result.remarks]
        if result.reason == "fault":
            remarks.append(remark(f"the search failed: {last_line(result.fault)}"))
        try:
            self.session.wait()
            if result.move is not None and not self._analysing and self.session.state is self._root:
                self.session.settle(result.move)
            result = replace(self._without_idle_ponder(result), info=self._report.shaped(result.info))
            result = self._rules.result_told(self._root, result)
            remarks += result_lines(result, self._style)
            if self._debugging:
                remarks.append(remark(details(result)))
        except RAISED_BY_GAMES as error:
            logger.exception("a result could not be written")
            remarks += self.defect(error, result)
        if result.move is None:
            if self._root_returns is not None:
                score = "mate 0" if any(self._root_returns) else "cp 0"
                remarks.append(f"info depth 0 score {score}")
            return [*remarks, "bestmove (none)", *self._change_rules()]
        return [*remarks, self._best(result.move, result.ponder), *self._change_rules()]

    def _best(self, move: str, _ponder: str | None) -> str:
        return f"bestmove {move}"

    def _without_idle_ponder(self, result: SearchResult) -> SearchResult:
        """``result`` without its expected reply if the reply ends the game or leads to a roll: pondering on such a
        reply is impossible."""
        game, state = self.session.game, self._root
        if result.move is None or result.ponder is None:
            return result
        try:
            state = game.next_state(state, text_to_action(game, state, result.move))
            if game.current_player(state) != CHANCE:
                state = game.next_state(state, text_to_action(game, state, result.ponder))
                if not is_over(game, state):
                    return result
        except RAISED_BY_GAMES as error:
            logger.debug("whether %s can be pondered on: %s", result.ponder, error)
        return replace(result, ponder=None)


def remark(text: str) -> str:
    """An ``info string`` line, which interfaces show to their users."""
    return f"info string {one_line(text)}"
