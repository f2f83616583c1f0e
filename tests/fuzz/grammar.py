"""Grammar of the output of each protocol: of a single line, or for GTP of the whole stream."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OPTION = (
    r"option name \S.* type (check default (true|false)|spin default -?\d+ min -?\d+ max -?\d+|"
    r"combo default \S.*( var \S+)+|button|string default .*)"
)
_REPORT = (
    r"info depth \d+ (seldepth \d+ multipv \d+ )?score (cp|mate) -?\d+( wdl \d+ \d+ \d+)? "
    r"nodes \d+ nps \d+ hashfull \d+ time \d+( pv \S+( \S+)*)?"
)
_INFO = rf"info string .*|{_REPORT}|info depth 0 score (mate|cp) 0|info currmove \S+ currmovenumber \d+"
_PLAY = r"((bar|\d+)/(off|\d+)( (bar|\d+)/(off|\d+))*)"
_NUMBERED = r"((25|\d+)/\d+( (25|\d+)/\d+)*)?"

UCI = re.compile(
    rf"id (name|author) \S.*|{_OPTION}|uciok|readyok|{_INFO}|bestmove (\(none\)|\S+( ponder \S+)?)", re.ASCII
)
UGI = re.compile(
    rf"id (name|author) \S.*|{_OPTION}|ugiok|readyok|{_INFO}|bestmove (\(none\)|\S+)|"
    r"response (true|false|p1win|p2win|draw|none)",
    re.ASCII,
)
UBGI = re.compile(
    rf"id (name|author|version) \S.*|{_OPTION}|proto 0\.2|key \S+ \S+( .*)?|value \S+ .*|ubgiok|readyok|"
    rf"error [a-z_]+( .*)?|info string \S.*|info role (chequer|cube) .*|bestmove ({_PLAY}|pass)|"
    rf"bestcube (double|nodouble|take|drop)|bestturn cube=(nodouble|double|take|drop) move=({_PLAY}|pass)|"
    rf"{_PLAY}|double|roll|take|drop|sorry|",
    re.ASCII,
)
GNUBG = re.compile(
    rf"{_NUMBERED}|double|roll|take|drop|accept|reject|Error: .+|-?\d\.\d{{6}}( -?\d\.\d{{6}}){{5}}|"
    r"(Interface|RFBF|Engine|Software): .+|New interface (ON|OFF)|Debug output OFF|help text:|\s.+|  .*"
)
XBOARD = re.compile(
    r"feature .+|Error \([^()]+\): .*|Illegal move( \([^()]+\))?: .*|move \S+|Hint: \S+|pong -?\d+|offer draw|resign|"
    r"1-0 \{[^{}]+\}|0-1 \{[^{}]+\}|1/2-1/2 \{[^{}]+\}|stat01: \d+ \d+ \d+ \d+ \d+.*|tellusererror .+|# .+|"
    r"-?\d+ -?\d+ \d+ \d+ \d+ \d+ 0\t.*|0 0 0 0 \(.*\)| .*|"
)


def check_lines(known: re.Pattern[str], replies: Sequence[str]) -> None:
    """Asserts that each line is one of the protocol's."""
    for reply in replies:
        assert known.fullmatch(reply), f"no line of the protocol: {reply!r}"


def check_gtp(replies: Sequence[str]) -> int:
    """Asserts that the stream is a sequence of responses, of which the last may be incomplete; returns their number.
    HexGui reads drawings between them, which look alike."""
    whole, inside = 0, False
    for reply in replies:
        if not inside:
            assert re.fullmatch(r"[=?]\d*( .*)?|gogui-gfx:", reply), f"no response begins so: {reply!r}"
            inside, whole = True, whole + (reply[0] in "=?")
        elif not reply:
            inside = False
        else:
            assert reply.strip(), f"a blank line within a response: {reply!r}"
    return whole
