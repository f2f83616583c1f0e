"""GTP's clocks: what a controller says about time, and an account of what is left when it says nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from playout.engine.limits import Clock
from playout.protocols.gtp_syntax import Command, GtpError, Handler, arguments, colour, integer, real

NAMES = ("Black", "White")


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """``main`` seconds, then periods of ``period`` seconds: one after the other for ``stones`` moves each (Canadian),
    or, if ``periods`` is given, for a move each until none of them is left (Japanese byo-yomi)."""

    main: float
    period: float = 0.0
    stones: int = 0
    periods: int = 0

    @property
    def overtime(self) -> bool:
        """Whether time goes on after the main time."""
        return self.period > 0 and (self.stones > 0 or self.periods > 0)


@dataclass(frozen=True, slots=True)
class PlayerClock:
    """What one colour's clock shows: ``left`` seconds of the main time or, in overtime, of the running period, in which
    ``stones`` moves are to be made (Canadian) or which is the first of ``periods`` that are left (byo-yomi)."""

    left: float
    in_overtime: bool = False
    stones: int = 0
    periods: int = 0


class Clocks:
    """Both colours' clocks."""

    def __init__(self) -> None:
        self._settings: TimeSettings | None = None
        self._clocks: list[PlayerClock | None] = [None, None]

    def set(self, settings: TimeSettings | None) -> None:
        """New time settings, None for no limit; both clocks start afresh."""
        self._settings = settings
        self.reset()

    def reset(self) -> None:
        """Both clocks as at the start of a game."""
        self._clocks = [self._fresh(), self._fresh()]

    def show(self, player: int, seconds: float, stones: int) -> None:
        """The controller says what is left; ``stones`` 0 means main time, else stones or periods of the overtime."""
        seconds = max(seconds, 0.0)
        if stones == 0:
            self._clocks[player] = PlayerClock(seconds)
        elif self._settings is not None and self._settings.periods > 0:
            self._clocks[player] = PlayerClock(seconds, True, periods=stones)
        else:
            self._clocks[player] = PlayerClock(seconds, True, stones)

    def spend(self, player: int, seconds: float) -> None:
        """Books a move that took ``seconds``."""
        clock, settings = self._clocks[player], self._settings
        if clock is None:
            return
        if not clock.in_overtime:
            if seconds < clock.left or settings is None or not settings.overtime:
                self._clocks[player] = replace(clock, left=max(clock.left - seconds, 0.0))
                return
            seconds -= clock.left
            clock = PlayerClock(settings.period, True, settings.stones, settings.periods)
        self._clocks[player] = self._after_overtime(clock, seconds)

    def clock(self, player: int) -> Clock | None:
        """What the search is to go by; None without a limit."""
        clock, settings = self._clocks[player], self._settings
        if clock is None:
            return None
        if settings is None or not settings.overtime:
            return Clock(clock.left, moves_to_go=clock.stones or None)
        if not clock.in_overtime:
            return Clock(
                clock.left, period=settings.period, period_moves=settings.stones or 1, periods=settings.periods
            )
        return Clock(
            clock.left,
            moves_to_go=clock.stones or None,
            period=settings.period,
            period_moves=settings.stones or 1,
            periods=clock.periods,
            in_overtime=True,
        )

    def left(self, player: int) -> float:
        """Seconds of the main time or running period; 0 if nothing was said about time."""
        clock = self._clocks[player]
        return 0.0 if clock is None else clock.left

    def _fresh(self) -> PlayerClock | None:
        settings = self._settings
        if settings is None:
            return None
        if settings.main > 0 or not settings.overtime:
            return PlayerClock(settings.main)
        return PlayerClock(settings.period, True, settings.stones, settings.periods)

    def _after_overtime(self, clock: PlayerClock, seconds: float) -> PlayerClock:
        settings = self._settings
        if settings is None or not settings.overtime:
            return replace(clock, left=max(clock.left - seconds, 0.0), stones=max(clock.stones - 1, 0))
        if settings.periods > 0:
            lost = 0 if seconds < clock.left else 1 + int((seconds - clock.left) / settings.period)
            return PlayerClock(settings.period, True, periods=max(clock.periods - lost, 1))
        if clock.stones <= 1:
            return PlayerClock(settings.period, True, settings.stones)
        return PlayerClock(max(clock.left - seconds, 0.0), True, clock.stones - 1)


def time_commands(clocks: Clocks) -> dict[str, Handler]:
    """The commands about time that every game has."""

    def time_settings(command: Command) -> str:
        """``time_settings MAIN PERIOD STONES``: seconds of main time, then Canadian overtime: periods of so many
        seconds for so many stones. ``0 0 0`` and ``0 1 0`` are no limit."""
        words = arguments(command, "MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES", 3)
        main, period, stones = real(words[0]), real(words[1]), integer(words[2])
        if min(main, period, stones) < 0:
            raise GtpError("syntax error: times and stones are not negative")
        unlimited = (stones == 0 and period > 0) or (main == 0 and period == 0)
        clocks.set(None if unlimited else TimeSettings(main, period, stones))
        return ""

    def kgs_time_settings(command: Command) -> str:
        """``kgs-time_settings none|absolute|canadian|byoyomi ...``: ``none``, ``absolute T``, ``canadian T PERIOD
        STONES`` or ``byoyomi T PERIOD COUNT``, times in seconds."""
        words = command.arguments
        kind = words[0].lower() if words else ""
        numbers = [real(word) for word in words[1:]]
        if min(numbers, default=0) < 0:
            raise GtpError("syntax error: times and stones are not negative")
        if kind == "none":
            clocks.set(None)
        elif kind == "absolute" and len(numbers) == 1:
            clocks.set(TimeSettings(numbers[0]))
        elif kind == "canadian" and len(numbers) == 3:
            clocks.set(TimeSettings(numbers[0], numbers[1], integer(words[3])))
        elif kind == "byoyomi" and len(numbers) == 3:
            clocks.set(TimeSettings(numbers[0], numbers[1], periods=integer(words[3])))
        else:
            raise GtpError(
                "syntax error: expected none, absolute T, canadian T PERIOD STONES or byoyomi T PERIOD COUNT"
            )
        return ""

    def time_left(command: Command) -> str:
        """``time_left COLOUR SECONDS STONES``: what a clock shows: main time if the stones are 0, else what is left of
        the overtime's period and its stones, or in byo-yomi its periods."""
        words = arguments(command, "COLOUR SECONDS STONES", 3)
        player, seconds, stones = colour(words[0]), real(words[1]), integer(words[2])
        if stones < 0:
            raise GtpError("syntax error: stones are not negative")
        clocks.show(player, seconds, stones)
        return ""

    return {"time_settings": time_settings, "kgs-time_settings": kgs_time_settings, "time_left": time_left}


def hex_time_left(clocks: Clocks, standard: Handler) -> Handler:
    """``time_left`` with the shorter forms of Hex programs: both clocks, one clock, or setting one."""

    def time_left(command: Command) -> str:
        """``time_left [COLOUR [SECONDS [STONES]]]``: sets what a clock shows, or answers the seconds that one clock or
        both show."""
        words = arguments(command, "[COLOUR [SECONDS [STONES]]]", 0, 3)
        if len(words) == 3:
            result = standard(command)
            assert isinstance(result, str)
            return result
        if not words:
            return ", ".join(f"{name}: {clocks.left(player):.0f}" for player, name in enumerate(NAMES))
        player = colour(words[0])
        if len(words) == 1:
            return f"{clocks.left(player):.0f}"
        clocks.show(player, real(words[1]), 0)
        return ""

    return time_left
