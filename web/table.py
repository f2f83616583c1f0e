"""A table: a round between the users of a page and the engine, and what the engine is doing. It knows nothing of
sockets.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from playout import CHANCE
from playout.books.past.record import read_record
from playout.engine.terms.ratings import ratings
from playout.engine.terms.rights import Rights
from playout.games.errors import RAISED_BY_GAMES, PlayoutError, as_game_error
from playout.games.game import colours
from playout.games.picture.places import places
from playout.web import advice, view
from playout.web.messages import (
    Again,
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
    Timer,
    Tree,
    Undo,
    View,
    Written,
)
from playout.web.review import review
from playout.web.round import Round

SECONDS = 1.0
"""Time of the engine for a move, unless the user sets it."""
DEPTH, BRANCHES, LEAST = 5, 6, 10
"""Generations of a tree that is shown, the most children of a position, and the least visits of one."""
OTHER_SIDE: dict[Side, Side] = {"first": "second", "second": "first", "both": "both", "none": "none"}

Listener = Callable[[Answer], None]


class Table:
    """One round after the other. Use from the event loop's thread; searches run on threads of their own."""

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
        self._round = Round(game, rights, "first")
        self._seconds, self._level, self._books = SECONDS, advice.LEVEL, True
        self._owned = False
        """Whether an analysis tells the ownership."""
        self._work: asyncio.Task[None] | None = None
        self._alarm: asyncio.TimerHandle | None = None
        """When the clock that runs will have run out."""
        self._late: asyncio.Task[None] | None = None
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
        """Removes a page. Without a page the engine rests, clocks stand, and an analysis is over."""
        self._listeners.remove(listener)
        async with self._lock:
            if not self._listeners:
                self._round.analysing = False
                await self._halt()
                self._set_alarm()

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
                raise as_game_error(self._round.engine.game.name, error) from error

    async def close(self) -> None:
        """Ends searches and frees the memory."""
        async with self._lock:
            await self._halt()
            self._silence()
            self._round.engine.close()

    # What the page asks for.

    async def _do(self, said: Said) -> None:
        now = self._round
        match said:
            case New():
                await self._begin(said)
            case Again(ply=ply, exchange=exchange):
                await self._begin(now.again(ply, OTHER_SIDE[now.side] if exchange else now.side))
            case Load(text=text):
                record = read_record(text, now.engine.game, now.name, self._check)
                side: Side = "both" if record.moves else now.side
                await self._begin(New(game=record.game, start=record.start, moves=record.moves, side=side))
            case Save():
                name, content = now.record()
                self._tell(Written(name=name, text=content))
            case Review():
                await self._halt()
                self._go_on(self._review)
            case Tree():
                await self._halt()
                self._show_tree()
                self._go_on()
            case Play(move=move):
                now.check_move(move)
                await self._halt()
                now.play(move)
                self._go_on()
            case Undo():
                now.check_undo()
                await self._halt()
                now.undo()
                self._go_on()
            case Resign():
                now.check_resign()
                await self._halt()
                now.resign()
                self._go_on()
            case Go(ply=ply):
                await self._halt()
                now.walk(ply)
                self._go_on()
            case Analyse():
                await self._halt()
                now.analysing, self._owned = said.on, said.ownership
                self._go_on()
            case Hint():
                player = now.engine.player
                if player is None or player == CHANCE or not now.may_move(player):
                    raise PlayoutError("there is nothing to decide")
                await self._halt()
                self._go_on(self._advise)
            case Sides():
                await self._halt()
                now.side = said.side or now.side
                self._set(said.seconds, said.level, said.books)
                self._go_on()
            case Sit():
                raise PlayoutError("already seated")

    async def _begin(self, said: New) -> None:
        self._check(said.game.strip())
        old, made = self._round, Round.begin(said, self._rights)
        await self._halt()
        old.engine.close()
        self._round = made
        made.analysing = old.analysing
        self._set(said.seconds, said.level, said.books)
        self._go_on()

    def _show_tree(self) -> None:
        engine = self._round.engine
        root = engine.tree(depth=DEPTH, visits=LEAST)
        sign = -1.0 if engine.player == 1 else 1.0
        drawn = view.branch(engine.game, engine.position.state, root, sign, BRANCHES)
        self._tell(Grown(ply=len(engine.moves), root=drawn))

    # The engine.

    def _set(self, seconds: float | None, level: int | None, books: bool | None) -> None:
        self._seconds = self._seconds if seconds is None else seconds
        self._level = self._level if level is None else level
        self._books = self._books if books is None else books
        self._round.engine.configure(level=self._level, own_book=self._books)

    async def _halt(self) -> None:
        """Ends what the engine is doing."""
        work, self._work = self._work, None
        if work is not None:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    def _go_on(self, first: Callable[[], Awaitable[None]] | None = None) -> None:
        """Shows the position, and lets the engine do what is due there, after what is done ``first``."""
        self._set_alarm()
        self._tell(self._view())
        self._work = asyncio.create_task(self._run(first))

    async def _run(self, first: Callable[[], Awaitable[None]] | None) -> None:
        now = self._round
        engine = now.engine
        try:
            if first is not None:
                await first()
            while now.moves_itself:
                player = engine.player
                if player is None or player == CHANCE:
                    now.roll(self._dice)
                elif (move := await self._chosen(player)) is None:
                    return
                else:
                    now.play(move)
                self._set_alarm()
                self._tell(self._view())
            if now.analysing and engine.player not in (None, CHANCE):
                await advice.watch(engine, self._tell, ownership=self._owned)
        except RAISED_BY_GAMES as error:
            self._tell(Note(text=str(as_game_error(engine.game.name, error))))

    async def _chosen(self, player: int) -> str | None:
        """Returns the engine's move."""
        engine, clocks = self._round.engine, self._round.clocks
        if clocks is None:
            return (await engine.think_async(seconds=self._seconds)).move
        return (await engine.think_async(clock=clocks.face(player))).move

    async def _advise(self) -> None:
        await advice.advise(self._round.engine, self._seconds, self._tell)

    async def _review(self) -> None:
        now = self._round
        line = now.engine.session.line.moved_to(now.engine.game, now.engine.session.line.text, now.line)
        await review(now.engine.game, line, self._rights, self._tell)

    # The clocks.

    def _silence(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _set_alarm(self) -> None:
        """Lets the clock run that is due, and sees to it that its end is noticed."""
        self._silence()
        left = self._round.tick(watched=bool(self._listeners))
        if left is not None:
            self._alarm = asyncio.get_running_loop().call_later(left, self._ring)

    def _ring(self) -> None:
        self._late = asyncio.create_task(self._flag())

    async def _flag(self) -> None:
        """Ends the game if a clock has run out."""
        async with self._lock:
            if not self._round.flag():
                self._set_alarm()
                return
            await self._halt()
            self._go_on()

    # The pages.

    def _tell(self, answer: Answer) -> None:
        for listener in self._listeners:
            listener(answer)

    def _view(self) -> View | Note:
        """Returns the position that is shown, or what the user's game raised as it was drawn."""
        try:
            return self._drawn()
        except RAISED_BY_GAMES as error:
            return Note(text=str(as_game_error(self._round.engine.game.name, error)))

    def _drawn(self) -> View:
        now, position = self._round, self._round.engine.position
        game, state, player, clocks = position.game, position.state, position.player, now.clocks
        drawn, size = view.picture(game, state)
        moves = position.moves
        return View(
            game=now.name,
            start=position.line.text,
            svg=drawn,
            size=size,
            places=dict(places(game, state)),
            line=list(now.line),
            said=now.said,
            movers=now.movers,
            ply=now.ply,
            player=player,
            colours=colours(game),
            legal=view.choices(game, state) if now.may_move(player) else [],
            last=view.places_of(game, position.line.states[-2], moves[-1]) if moves else [],
            result=now.result,
            text=view.position_text(game, state),
            side=now.side,
            seconds=self._seconds,
            level=self._level,
            books=self._books,
            analysing=now.analysing,
            thinking=now.moves_itself,
            timer=None if clocks is None else Timer(clocks.left, clocks.running),
            ratings=ratings() if "UCI_Elo" in now.engine.session.options else [],
        )
