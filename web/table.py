"""A table: a game in progress between the users of a page and the engine. It knows nothing of sockets."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from playout import CHANCE, Engine
from playout.books.past.record import Record, read_record, write_record
from playout.engine.terms.rights import Rights
from playout.games.board_hooks import HasHandicap, HasSetup
from playout.games.errors import RAISED_BY_GAMES, GameError, IllegalMove, PlayoutError, as_game_error
from playout.games.game import Game, HasStateText, colours
from playout.games.picture.places import places
from playout.games.support.outcome import outcome, resignation, spoken
from playout.web import advice, view
from playout.web.messages import (
    Analyse,
    Answer,
    Go,
    Grown,
    Hint,
    Load,
    New,
    Note,
    Play,
    Resign,
    Review,
    Said,
    Save,
    Side,
    Sides,
    Sit,
    Tree,
    Undo,
    View,
    Written,
)

HUMANS: dict[Side, frozenset[int]] = {
    "first": frozenset({0}),
    "second": frozenset({1}),
    "both": frozenset({0, 1}),
    "none": frozenset(),
}
SECONDS = 1.0
"""Time of the engine for a move, unless the user sets it."""
DEPTH, BRANCHES, LEAST = 5, 6, 10
"""Generations of a tree that is shown, the most children of a position, and the least visits of one."""

Listener = Callable[[Answer], None]


class Table:
    """One game. Use from the event loop's thread; searches run on threads of their own."""

    def __init__(
        self,
        game: str,
        rights: Rights,
        dice: random.Random | None = None,
        check: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``game`` is its name. ``rights`` are those of the users; ``check`` raises PlayoutError for a game that they
        may not begin.

        Raises:
            GameError: if there is no such game.
        """
        self._rights, self._dice, self._check = rights, dice or random.Random(), check
        self._engine = self._opened(game)
        self._name = game
        self._line: tuple[str, ...] = ()
        """All moves; those after the position that is shown can be walked to again."""
        self._movers: list[int] = []
        self._said: list[str] = []
        self._side: Side = "first"
        self._seconds, self._level, self._books = SECONDS, advice.LEVEL, True
        self._analysing, self._owned = False, False
        self._loser: int | None = None
        """The player who has resigned."""
        self._work: asyncio.Task[None] | None = None
        self._listeners: list[Listener] = []
        self._lock = asyncio.Lock()

    @property
    def listeners(self) -> int:
        """Number of pages at this table."""
        return len(self._listeners)

    async def join(self, listener: Listener) -> None:
        """Adds a page, which is shown the position and told of everything from now on. With the first one the engine
        goes on with what it had to do.
        """
        async with self._lock:
            self._listeners.append(listener)
            if len(self._listeners) == 1:
                self._go_on()
            else:
                listener(self._view())

    async def leave(self, listener: Listener) -> None:
        """Removes a page. Without a page the engine rests, and an analysis is over."""
        self._listeners.remove(listener)
        async with self._lock:
            if not self._listeners:
                self._analysing = False
                await self._halt()

    async def take(self, said: Said) -> None:
        """Does what a page says; all pages at the table hear what comes of it.

        Raises:
            PlayoutError: one line about what cannot be done. Nothing changes then.
        """
        async with self._lock:
            try:
                await self._do(said)
            except PlayoutError:
                raise
            except RAISED_BY_GAMES as error:
                raise as_game_error(self._engine.game.name, error) from error

    async def _do(self, said: Said) -> None:
        match said:
            case New():
                self._check(said.game.strip())
                await self._begin(said)
            case Load(text=text):
                record = read_record(text, self._engine.game, self._name, self._check)
                await self._begin(
                    New(
                        game=record.game,
                        start=record.start,
                        moves=record.moves,
                        side="both" if record.moves else self._side,
                    )
                )
            case Save():
                self._write()
            case Review():
                await self._halt()
                self._go_on(self._review)
            case Tree():
                await self._halt()
                self._show_tree()
                self._go_on()
            case Play(move=move):
                await self._play(move)
            case Undo():
                await self._undo()
            case Resign():
                await self._resign()
            case Go(ply=ply):
                await self._walk(ply)
            case Analyse():
                await self._halt()
                self._analysing, self._owned = said.on, said.ownership
                self._go_on()
            case Hint():
                await self._hint()
            case Sides():
                await self._change(said)
            case Sit():
                raise PlayoutError("already seated")

    async def close(self) -> None:
        """Ends searches and frees the memory."""
        async with self._lock:
            await self._halt()
            self._engine.close()

    # What the page asks for.

    async def _begin(self, said: New) -> None:
        if said.handicap > 1 and said.start is not None:
            raise PlayoutError("either a handicap or a position")
        old, name = self._engine, said.game.strip()
        made = self._opened(name)
        try:
            made.set_position(_handicap(made.game, said.handicap) or said.start, said.moves)
        except BaseException:
            made.close()
            raise
        await self._halt()
        old.close()
        self._engine, self._name, self._loser = made, name, None
        self._keep_line()
        self._side = said.side
        self._set(said.seconds, said.level, said.books)
        self._go_on()

    def _keep_line(self) -> None:
        """Takes the moves up to the position that is shown as the whole line."""
        game, line = self._engine.game, self._engine.session.line
        self._line = line.moves
        states = line.states[:-1]
        self._movers = [game.current_player(state) for state in states]
        self._said = [spoken(game, state, move) for state, move in zip(states, line.moves, strict=True)]

    def _write(self) -> None:
        position = self._engine.position
        record = Record(self._name, position.line.text, list(self._line))
        result = None if position.result is None or not self._at_end else position.result[0]
        if self._loser is not None:
            result = -1.0 if self._loser == 0 else 1.0
        name, text = write_record(self._engine.game, record, result)
        self._tell(Written(name=name, text=text))

    def _show_tree(self) -> None:
        engine = self._engine
        root = engine.tree(depth=DEPTH, visits=LEAST)
        sign = -1.0 if engine.player == 1 else 1.0
        self._tell(Grown(ply=len(engine.moves), root=view.branch(root, sign, BRANCHES)))

    async def _play(self, move: str) -> None:
        player = self._engine.player
        if self._loser is not None or player is None:
            raise PlayoutError("the game is over")
        if not self._may_move(player):
            raise PlayoutError("the dice are rolled here" if player == CHANCE else "it is the engine's move")
        self._engine.position.play(move)  # raises before anything changes
        await self._halt()
        self._engine.play(move)
        self._keep_line()
        self._go_on()

    async def _undo(self) -> None:
        played = len(self._engine.moves)
        if not any(mover != CHANCE for mover in self._movers[:played]) and self._loser is None:
            raise IllegalMove("nothing has been played")
        await self._halt()
        if self._loser is not None:
            self._loser = None
        else:
            humans = HUMANS["both"] if self._analysing or self._side == "none" else HUMANS[self._side]
            self._engine.undo()
            while self._engine.moves and self._engine.player not in humans:
                self._engine.undo()
            self._keep_line()
        self._go_on()

    async def _resign(self) -> None:
        player = self._engine.player
        if self._loser is not None or player is None:
            raise PlayoutError("the game is over")
        humans = HUMANS[self._side]
        loser = next(iter(humans)) if len(humans) == 1 else player if player in (0, 1) else 0
        await self._halt()
        self._loser = loser
        self._go_on()

    async def _walk(self, ply: int) -> None:
        await self._halt()
        line = self._line
        self._engine.set_position(self._engine.session.line.text, line[: min(ply, len(line))])
        self._go_on()

    async def _hint(self) -> None:
        player = self._engine.player
        if player is None or player == CHANCE or not self._may_move(player):
            raise PlayoutError("there is nothing to decide")
        await self._halt()
        self._go_on(self._advise)

    async def _change(self, said: Sides) -> None:
        await self._halt()
        self._side = said.side or self._side
        self._set(said.seconds, said.level, said.books)
        self._go_on()

    # The engine.

    def _opened(self, name: str) -> Engine:
        engine = Engine(name)
        engine.session.restrict(self._rights)
        return engine

    def _set(self, seconds: float | None, level: int | None, books: bool | None) -> None:
        self._seconds = self._seconds if seconds is None else seconds
        self._level = self._level if level is None else level
        self._books = self._books if books is None else books
        self._engine.configure(level=self._level, own_book=self._books)

    async def _halt(self) -> None:
        """Ends what the engine is doing."""
        work, self._work = self._work, None
        if work is not None:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    def _go_on(self, first: Callable[[], Awaitable[None]] | None = None) -> None:
        """Shows the position, and lets the engine do what is due there, after what is done ``first``."""
        self._tell(self._view())
        self._work = asyncio.create_task(self._run(first))

    async def _run(self, first: Callable[[], Awaitable[None]] | None) -> None:
        try:
            if first is not None:
                await first()
            while self._moves_itself:
                if self._engine.player == CHANCE:
                    self._engine.roll(self._dice)
                else:
                    move = (await self._engine.think_async(seconds=self._seconds)).move
                    if move is None:
                        return
                    self._engine.play(move)
                self._keep_line()
                self._tell(self._view())
            if self._analysing and self._engine.player not in (None, CHANCE):
                await advice.watch(self._engine, self._tell, ownership=self._owned)
        except RAISED_BY_GAMES as error:
            self._tell(Note(text=str(as_game_error(self._engine.game.name, error))))

    async def _advise(self) -> None:
        await advice.advise(self._engine, self._seconds, self._tell)

    async def _review(self) -> None:
        with self._opened(self._name) as engine:
            await advice.review(engine, self._engine.session.line.text, self._line, self._tell)

    # The state of the game.

    @property
    def _at_end(self) -> bool:
        """Whether the position that is shown is the last one of the line."""
        return len(self._engine.moves) == len(self._line)

    @property
    def _moves_itself(self) -> bool:
        """Whether the next move or roll is made here, not by a user."""
        player = self._engine.player
        if self._loser is not None or player is None or self._analysing or not self._at_end:
            return False
        return player not in HUMANS[self._side]

    def _may_move(self, player: int | None) -> bool:
        """Whether a user may move for ``player``: in an analysis and at earlier positions for both sides. Only in an
        analysis are dice chosen.
        """
        if player is None or self._analysing:
            return player is not None
        return player != CHANCE and (not self._at_end or player in HUMANS[self._side])

    def _tell(self, answer: Answer) -> None:
        for listener in self._listeners:
            listener(answer)

    def _view(self) -> View | Note:
        """Returns the position that is shown, or what the user's game raised as it was drawn."""
        try:
            return self._drawn()
        except RAISED_BY_GAMES as error:
            return Note(text=str(as_game_error(self._engine.game.name, error)))

    def _drawn(self) -> View:
        engine, position = self._engine, self._engine.position
        game, state, player = engine.game, position.state, position.player
        moves, free = position.moves, self._loser is None and self._may_move(position.player)
        drawn, size = view.picture(game, state)
        earlier = position.line.states[-2] if moves else None
        return View(
            game=self._name,
            start=position.line.text,
            svg=drawn,
            size=size,
            places=dict(places(game, state)),
            line=list(self._line),
            said=self._said,
            movers=self._movers,
            ply=len(moves),
            player=player,
            colours=colours(game),
            legal=view.choices(game, state) if free else [],
            last=view.places_of(game, earlier, moves[-1]) if moves else [],
            result=outcome(game, state) if self._loser is None else resignation(game, self._loser),
            text=view.position_text(game, state),
            side=self._side,
            seconds=self._seconds,
            level=self._level,
            books=self._books,
            analysing=self._analysing,
            thinking=self._moves_itself,
        )


def _handicap(game: Game[Any, Any], stones: int) -> str | None:
    """Returns the text of the position with handicap stones; None without.

    Raises:
        GameError: if the game or the board has no such handicap.
    """
    if stones < 2:
        return None
    if not isinstance(game, HasHandicap) or not isinstance(game, HasSetup) or not isinstance(game, HasStateText):
        raise GameError(f"{game.name}: this game has no handicap")
    return game.state_to_text(game.set_up(dict.fromkeys(game.handicap_points(stones), 0), 1))
