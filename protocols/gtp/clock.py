"""GTP's clocks: the time that the controller announces, or else a count of the time that the engine has used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from playout.engine.terms.limits import Clock
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, arguments, colour, integer, real

NAMES = ("Black", "White")
KGS_KINDS = {
    "none": "",
    "absolute": "MAIN",
    "canadian": "MAIN PERIOD STONES",
    "byoyomi": "MAIN PERIOD COUNT",
}
"""Kinds of time settings and the numbers that each takes."""
KATAGO_KINDS = KGS_KINDS | {
    "fischer": "MAIN INCREMENT",
    "fischer-capped": "MAIN INCREMENT MOST_MAIN MOST_PER_MOVE",
}


@dataclass(frozen=True, slots=True)
class TimeSettings:
    """Time settings of a game; times are in seconds.

    A player has ``main`` seconds. Then follow Canadian overtime (each period of ``period`` seconds is for ``stones``
    moves) or byo-yomi (``periods`` periods; a move that takes longer than ``period`` uses one up). Fischer time adds
    ``increment`` after each move. ``cap`` bounds the time left, ``most`` the time of a single move.
    """

    main: float
    period: float = 0.0
    stones: int = 0
    periods: int = 0
    increment: float = 0.0
    cap: float | None = None
    most: float | None = None

    @property
    def overtime(self) -> bool:
        """Whether there is overtime after the main time."""
        return self.period > 0 and (self.stones > 0 or self.periods > 0)


@dataclass(frozen=True, slots=True)
class PlayerClock:
    """State of one colour's clock: ``left`` seconds of the main time or, in overtime, of the running period.

    In Canadian overtime ``stones`` moves are to be made in this period. In byo-yomi ``periods`` are left with this one.
    """

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
        """Sets new time settings, None for no limit, and resets both clocks."""
        self._settings = settings
        self.reset()

    def reset(self) -> None:
        """Resets both clocks to the start of a game."""
        self._clocks = [self._fresh(), self._fresh()]

    def show(self, player: int, seconds: float, stones: int) -> None:
        """Sets a clock to the time left. ``stones`` 0 means main time; else it is the stones or periods of overtime."""
        seconds = max(seconds, 0.0)
        if stones == 0:
            self._clocks[player] = PlayerClock(seconds)
        elif self._settings is not None and self._settings.periods > 0:
            self._clocks[player] = PlayerClock(seconds, True, periods=stones)
        else:
            self._clocks[player] = PlayerClock(seconds, True, stones)

    def spend(self, player: int, seconds: float) -> None:
        """Takes ``seconds`` off a clock for a move."""
        clock, settings = self._clocks[player], self._settings
        if clock is None:
            return
        if not clock.in_overtime:
            if settings is None or not settings.overtime:
                left = max(clock.left - seconds, 0.0) + (settings.increment if settings is not None else 0.0)
                cap = settings.cap if settings is not None else None
                self._clocks[player] = replace(clock, left=left if cap is None else min(left, cap))
                return
            if seconds < clock.left:
                self._clocks[player] = replace(clock, left=clock.left - seconds)
                return
            seconds -= clock.left
            clock = PlayerClock(settings.period, True, settings.stones, settings.periods)
        self._clocks[player] = self._after_overtime(clock, seconds)

    def clock(self, player: int) -> Clock | None:
        """The clock of ``player`` for the search, or None without a limit."""
        clock, settings = self._clocks[player], self._settings
        if clock is None:
            return None
        if settings is None or not settings.overtime:
            increment = settings.increment if settings is not None else 0.0
            return Clock(clock.left, increment, moves_to_go=clock.stones or None)
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

    @property
    def most(self) -> float | None:
        """Most seconds that a single move may take, whatever the clock shows; None without such a bound."""
        return self._settings.most if self._settings is not None else None

    def left(self, player: int) -> float:
        """Seconds left of the main time or the running period; 0 without time settings."""
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

    def time_settings(command: GtpCommand) -> str:
        """``time_settings MAIN PERIOD STONES``: sets MAIN seconds of main time, then Canadian overtime: each period of
        PERIOD seconds is for STONES stones. ``0 0 0`` and ``0 1 0`` are no limit."""
        words = arguments(command, "MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES", 3)
        main, period, stones = real(words[0]), real(words[1]), integer(words[2])
        if min(main, period, stones) < 0:
            raise GtpError("syntax error: times and stones are not negative")
        unlimited = (stones == 0 and period > 0) or (main == 0 and period == 0)
        clocks.set(None if unlimited else TimeSettings(main, period, stones))
        return ""

    def kgs_time_settings(command: GtpCommand) -> str:
        """``kgs-time_settings KIND ...``: sets the time, in seconds: ``none``, ``absolute MAIN``, ``canadian MAIN
        PERIOD STONES`` or ``byoyomi MAIN PERIOD COUNT``."""
        clocks.set(_settings(command, KGS_KINDS))
        return ""

    def kata_time_settings(command: GtpCommand) -> str:
        """``kata-time_settings KIND ...``: as ``kgs-time_settings``; also ``fischer MAIN INCREMENT`` and
        ``fischer-capped MAIN INCREMENT MOST_MAIN MOST_PER_MOVE``, where a negative bound means no bound."""
        clocks.set(_settings(command, KATAGO_KINDS))
        return ""

    def time_left(command: GtpCommand) -> str:
        """``time_left COLOUR SECONDS STONES``: sets the time left of a colour: main time if STONES is 0, else the
        overtime's period and its stones, or the periods of byo-yomi."""
        words = arguments(command, "COLOUR SECONDS STONES", 3)
        player, seconds, stones = colour(words[0]), real(words[1]), integer(words[2])
        if stones < 0:
            raise GtpError("syntax error: stones are not negative")
        clocks.show(player, seconds, stones)
        return ""

    return {
        "time_settings": time_settings,
        "kgs-time_settings": kgs_time_settings,
        "kata-time_settings": kata_time_settings,
        "kata-list_time_settings": _list_time_settings,
        "time_left": time_left,
    }


def _list_time_settings(_: GtpCommand) -> str:
    """``kata-list_time_settings``: answers the kinds that ``kata-time_settings`` accepts."""
    return " ".join(KATAGO_KINDS)


def _settings(command: GtpCommand, kinds: Mapping[str, str]) -> TimeSettings | None:
    """The time settings that the arguments describe; None is no limit."""
    kind, *words = (word.lower() for word in command.arguments or ("",))
    form = kinds.get(kind)
    if form is None or len(words) != len(form.split()):
        forms = [f"{name} {form}".rstrip() for name, form in kinds.items()]
        raise GtpError(f"syntax error: expected {', '.join(forms[:-1])} or {forms[-1]}")
    numbers = [real(word) for word in words]
    if min(numbers[:3], default=0) < 0 and (kind != "fischer-capped" or min(numbers[:2]) < 0):
        raise GtpError("syntax error: times and stones are not negative")
    if kind == "none":
        return None
    if kind == "absolute":
        return TimeSettings(numbers[0])
    if kind == "canadian":
        return TimeSettings(numbers[0], numbers[1], integer(words[2]))
    if kind == "byoyomi":
        return TimeSettings(numbers[0], numbers[1], periods=integer(words[2]))
    cap, most = (number if number >= 0 else None for number in (numbers[2:] or (-1.0, -1.0)))
    return TimeSettings(numbers[0], increment=numbers[1], cap=cap, most=most)


def hex_time_left(clocks: Clocks, standard: Handler) -> Handler:
    """``time_left`` with the shorter forms of Hex programs: both clocks, one clock, or setting one."""

    def time_left(command: GtpCommand) -> str:
        """``time_left [COLOUR [SECONDS [STONES]]]``: sets the time left of a colour, or answers the seconds left of one
        colour or of both."""
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
