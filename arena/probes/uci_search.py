"""Probes for UCI and UGI of searches: limits, stopping, and the one ``bestmove``."""

from __future__ import annotations

from playout.arena.probes.desk import shown
from playout.arena.probes.finding import Probes, Wrong
from playout.arena.probes.positions import MATE_IN_ONE, MATED, STALEMATED
from playout.arena.probes.uci_desk import Place, UniversalDesk, is_best, is_number

PROBES: Probes[UniversalDesk] = Probes("{} document", "uci", "ugi")
probe = PROBES.probe

TINY = 100
"""Milliseconds of a clock that is nearly empty."""


@probe("go depth")
def go_depth(desk: UniversalDesk) -> None:
    """A search with a limit of depth ends."""
    desk.answers("depth 1", "depth 2")


@probe("go nodes")
def go_nodes(desk: UniversalDesk) -> None:
    """A search with a limit of nodes ends."""
    desk.answers("nodes 1", "nodes 500")


@probe("go nodes", severity="warning")
def nodes_are_counted(desk: UniversalDesk) -> None:
    """A search with a limit of nodes reports about that number at its end."""
    search = desk.search(limit="nodes 2000")
    counts = [int(info["nodes"][0]) for info in search.infos if is_number(info.get("nodes"))]
    if counts and counts[-1] > 5000:
        raise Wrong(f"{counts[-1]} nodes after go nodes 2000")


@probe("go movetime")
def go_movetime(desk: UniversalDesk) -> None:
    """A search with a fixed time takes that time."""
    desk.timely(TINY / 1000, lambda: desk.search(limit=f"movetime {TINY}").seconds)


@probe("go mate", severity="warning", protocols=("uci",))
def go_mate(desk: UniversalDesk) -> None:
    """A search for a mate in one ends where there is one."""
    desk.chess()
    desk.answers("mate 1", place=Place(MATE_IN_ONE))


@probe("go wtime, btime")
def go_with_a_clock(desk: UniversalDesk) -> None:
    """A search by the clock ends before the clock does."""
    for limit in (desk.clock(3000, 3000), desk.clock(3000, 3000, _increments(desk))):
        search = desk.search(limit=limit)
        desk.check_best(search)
        if search.seconds > 3 + desk.slack:
            raise Wrong(f"an answer {search.seconds:.3f} s after go {limit}")


@probe(habit="fastchess and cutechess leave out what they do not know")
def go_with_one_clock(desk: UniversalDesk) -> None:
    """The opponent's time may be missing, and the words of the clock come in any order."""
    times, increments = desk.clock(500, 500).split(), _increments(desk).split()
    mixed = " ".join([*increments[2:], *times[2:], *increments[:2], *times[:2]])
    desk.answers(desk.clock(500), mixed)


@probe("go movestogo", protocols=("uci",))
def go_movestogo(desk: UniversalDesk) -> None:
    """A search with moves to the next time control ends before the clock does."""
    for number in (1, 40):
        limit = desk.clock(500, 500, f" movestogo {number}")
        desk.timely(0.5, lambda limit=limit: desk.search(limit=limit).seconds)  # type: ignore[misc]


@probe("go wtime, btime")
def tiny_clock(desk: UniversalDesk) -> None:
    """With a tenth of a second on the clock the move comes in that time."""
    desk.timely(TINY / 1000, lambda: desk.search(limit=desk.clock(TINY, TINY)).seconds)


@probe(habit="lichess-bot and cutechess send such clocks")
def empty_clock(desk: UniversalDesk) -> None:
    """A clock at zero or below it gets a move, at once."""
    desk.answers(desk.clock(0, 0), desk.clock(1, 1), desk.clock(-50, 1000))


@probe("go")
def combined_limits(desk: UniversalDesk) -> None:
    """Limits may be combined; the first one that is reached ends the search."""
    desk.answers(f"{desk.clock(60000, 60000)} depth 1", f"depth 100 {desk.quick()}")


@probe("unknown commands")
def unknown_words_in_go(desk: UniversalDesk) -> None:
    """Unknown words behind go are ignored."""
    desk.answers(f"foo {desk.quick()}", f"{desk.quick()} foo 7 bar")


@probe("isready")
def isready_during_a_search(desk: UniversalDesk) -> None:
    """The engine answers isready at once during a search, which goes on."""
    desk.said(Place().line)
    desk.unasked("go infinite")
    desk.check_best(desk.wait(Place(), "stop"))


@probe("go infinite")
def infinite_search(desk: UniversalDesk) -> None:
    """A search without limits ends at stop only, even where nothing is left to be found."""
    fens = (MATE_IN_ONE, MATED, STALEMATED) if hasattr(desk.game, "chess960") else ()
    for place in (Place(), *map(Place, fens)):
        desk.said(place.line)
        desk.unasked("go infinite")
        desk.wait(place, "stop")


@probe("bestmove")
def one_bestmove_for_each_stop(desk: UniversalDesk) -> None:
    """A search that is stopped gives one bestmove, however many stop come."""
    desk.said(Place().line)
    for _ in range(2):
        desk.unasked("go infinite", listen=False)
        desk.check_best(desk.wait(Place(), "stop", "stop"))
        desk.unasked()


@probe("bestmove")
def one_bestmove_for_each_go(desk: UniversalDesk) -> None:
    """A search that ends by itself gives one bestmove."""
    for _ in range(3):
        desk.check_best(desk.search())
        extra = [line for line in desk.said() if is_best(line)]
        if extra:
            raise Wrong(f"{shown(extra[0])} after the bestmove")
    desk.unasked("stop")


@probe("stop")
def stop_without_a_search(desk: UniversalDesk) -> None:
    """Without a search stop is ignored."""
    desk.unasked("stop")


@probe(habit="GUIs send a bare go")
def bare_go(desk: UniversalDesk) -> None:
    """A search without any words ends by itself or at stop."""
    desk.said(Place().line)
    if not any(map(is_best, desk.said("go") + desk.quiet())):
        desk.check_best(desk.wait(Place(), "stop"))


@probe(habit="GUIs overtake themselves when the user clicks quickly")
def second_go(desk: UniversalDesk) -> None:
    """A second go during a search does not cost the client the engine."""
    desk.said(Place().line)
    desk.send("go infinite", "go infinite", "stop")
    desk.until(is_best, "bestmove")
    desk.said("stop")
    desk.quiet()
    desk.check_best(desk.search())


@probe(habit="GUIs send the next position before the search has ended")
def position_during_a_search(desk: UniversalDesk) -> None:
    """A position that comes during a search is that of the next one."""
    here, there, limit = Place(), Place(None, desk.line_of_play(3, 14)), desk.quick()
    desk.said(here.line)
    desk.unasked("go infinite", there.line, listen=False)
    desk.check_best(desk.wait(here, "stop"))
    desk.said()
    desk.check_best(desk.wait(there, f"go {limit}"))


@probe("go ponder, ponderhit", protocols=("uci",))
def pondering(desk: UniversalDesk) -> None:
    """The engine ponders until ponderhit or stop, and then gives one bestmove."""
    desk.needs("Ponder")
    place, go = Place(None, desk.line_of_play(2, 15)), f"go ponder {desk.clock(500, 500)}"
    for end in ("ponderhit", "stop"):
        desk.said(place.line)
        desk.unasked(go)
        desk.check_best(desk.wait(place, end))
        desk.unasked()


@probe("go searchmoves")
def searchmoves(desk: UniversalDesk) -> None:
    """Only the moves behind searchmoves are searched."""
    for place in desk.places()[:3]:
        moves = sorted(desk.legal(desk.state(place)))
        for wanted in ([moves[0]], [moves[-1], moves[len(moves) // 2]]):
            found = desk.search(place, f"{desk.quick()} searchmoves {' '.join(wanted)}")
            desk.check_best(found, wanted.__contains__)


@probe(habit="clients give limits in any order")
def limits_behind_searchmoves(desk: UniversalDesk) -> None:
    """The moves behind searchmoves end at the next word that is no move."""
    move = min(desk.legal(desk.game.initial_state()))
    desk.check_best(desk.search(limit=f"searchmoves {move} {desk.quick()}"))


@probe("option MultiPV")
def multipv(desk: UniversalDesk) -> None:
    """With MultiPV at 3 the engine reports three variations, in order, that begin with different moves."""
    desk.needs("MultiPV")
    desk.set_option("MultiPV", "3")
    found = [info for info in desk.search().infos if "multipv" in info and info.get("pv")]
    desk.set_option("MultiPV", "1")
    last = found[-3:]
    numbers, first = ["".join(info["multipv"][:1]) for info in last], {info["pv"][0] for info in last}
    if numbers != ["1", "2", "3"] or len(first) < 3:
        raise Wrong(f"last multipv {' '.join(numbers) or 'none'}, first moves {' '.join(sorted(first)) or 'none'}")


@probe("setoption")
def names_of_options_have_no_case(desk: UniversalDesk) -> None:
    """The case of an option's name does not count."""
    option = desk.needs("MultiPV")
    desk.said(f"setoption name {option.name.swapcase()} value 2")
    found = {info["multipv"][0] for info in desk.search().infos if info.get("multipv")}
    desk.set_option("MultiPV", "1")
    if "2" not in found:
        raise Wrong(f"one variation after setoption name {option.name.swapcase()} value 2")


def _increments(desk: UniversalDesk) -> str:
    return " winc 10 binc 10" if desk.protocol == "uci" else " p1inc 10 p2inc 10"
