"""Probes for UCI and UGI of what a search says: the form of the move, scores, variations."""

from __future__ import annotations

from playout.arena.probes.desk import shown
from playout.arena.probes.finding import NotApplicable, Probes, Wrong
from playout.arena.probes.positions import CASTLING, CHESS960, MATED, PROMOTING, PROMOTION, STALEMATED
from playout.arena.probes.uci_desk import COUNTS, Place, Search, UniversalDesk, is_number
from playout.games import catalogue

PROBES: Probes[UniversalDesk] = Probes("{} document", "uci", "ugi")
probe = PROBES.probe


@probe("bestmove")
def finished_game(desk: UniversalDesk) -> None:
    """A position in which the game is over gets a bestmove, too."""
    over = (Place(MATED), Place(STALEMATED)) if hasattr(desk.game, "chess960") else _over(desk)
    for place in over:
        desk.search(place)
        desk.said()


@probe(habit="python-chess and cutechess read these two", protocols=("uci",))
def no_move(desk: UniversalDesk) -> None:
    """The bestmove of a game that is over is (none) or 0000."""
    desk.chess()
    for fen in (MATED, STALEMATED):
        search = desk.search(Place(fen))
        if search.best not in ("(none)", "0000"):
            raise Wrong(f"{shown(search.answer)} at {fen}")


@probe("move format", protocols=("uci",))
def promotions(desk: UniversalDesk) -> None:
    """The piece of a promotion is a lower-case letter behind the move."""
    desk.chess()
    desk.check_best(desk.search(Place(PROMOTION)))
    desk.check_best(desk.search(Place(PROMOTING, ("a7a8q",))))


@probe("move format", protocols=("uci",))
def castling(desk: UniversalDesk) -> None:
    """Castling is written as the king's move of two squares."""
    desk.chess()
    desk.check_best(desk.search(Place(CASTLING, ("e1g1",))))
    desk.check_best(desk.search(Place(CASTLING), f"{desk.quick()} searchmoves e1g1"))


@probe("option UCI_Chess960", protocols=("uci",))
def chess960(desk: UniversalDesk) -> None:
    """With UCI_Chess960 castling is written as the king taking his own rook."""
    desk.chess()
    desk.needs("UCI_Chess960")
    game, ordinary = catalogue.load("chess:chess960=true"), desk.game
    desk.set_option("UCI_Chess960", "true")
    desk.game = game
    try:
        desk.check_best(desk.search(Place(CHESS960, ("f1b1",))))
        desk.check_best(desk.search(Place(CHESS960, ("f1b1",)), f"{desk.quick()} searchmoves f8h8"))
    finally:
        desk.game = ordinary
    desk.set_option("UCI_Chess960", "false")


@probe("info")
def fields_of_info(desk: UniversalDesk) -> None:
    """The numbers of an info line are whole, and its score is cp or mate with a number."""
    for search in desk.samples():
        for info, line in _reports(search):
            for key in COUNTS:
                if key in info and (not is_number(info[key]) or int(info[key][0]) < 0):
                    raise Wrong(f"no whole number as {key}: {shown(line)}")
            if "score" in info and not _score(info["score"]):
                raise Wrong(f"no score: {shown(line)}")


@probe("info pv")
def variations_are_legal(desk: UniversalDesk) -> None:
    """Each move of a variation is legal."""
    game = desk.game
    for search in desk.samples():
        for info, line in _reports(search):
            state = desk.state(search.place)
            for move in info.get("pv", []):
                returns, legal = game.returns(state), desk.legal(state)
                if returns is not None and returns[0] == 0:
                    break  # a draw that the engine may not claim
                if move not in legal:
                    raise Wrong(f"{move} in {shown(line)} at {shown(search.place.line)}")
                state = game.next_state(state, legal[move])


@probe("info currmove")
def current_move_is_legal(desk: UniversalDesk) -> None:
    """The move that currmove names is legal."""
    for search in desk.samples():
        for info, line in _reports(search):
            if "currmove" in info and "".join(info["currmove"][:1]) not in ("", *desk.legal(desk.state(search.place))):
                raise Wrong(f"{shown(line)} at {shown(search.place.line)}")


@probe(habit="fastchess and lichess-bot show it; resignations are judged by it")
def a_score_comes(desk: UniversalDesk) -> None:
    """Before its move the engine reports a score."""
    for search in desk.samples():
        if not any("score" in info for info in search.infos):
            raise Wrong(f"none before {shown(search.answer)} at {shown(search.place.line)}")


@probe(habit="En Croissant plays the variation's move; fastchess warns")
def bestmove_begins_the_variation(desk: UniversalDesk) -> None:
    """The last variation begins with the move that is played."""
    for search in desk.samples():
        lines = [info["pv"] for info in search.infos if info.get("pv") and info.get("multipv", ["1"])[:1] == ["1"]]
        if lines and lines[-1][0] != search.best:
            raise Wrong(f"{shown(search.answer)} after pv {lines[-1][0]} at {shown(search.place.line)}")


@probe("info score")
def mate_scores(desk: UniversalDesk) -> None:
    """A mate score is the length of its variation: in moves under UCI, in plies under UGI."""
    game = desk.game
    for search in desk.samples():
        for info, line in _reports(search):
            pv, score = info.get("pv", []), info.get("score", [])
            if score[:1] != ["mate"] or not is_number(score[1:]) or {"lowerbound", "upperbound"} & set(score):
                continue
            state, legal = desk.state(search.place), True
            for move in pv:
                legal = legal and move in desk.legal(state)
                state = desk.after(state, [move]) if legal else state
            returns = game.returns(state) if legal else None
            if returns is None or returns[0] == 0:
                continue  # the variation does not end the game
            mate = int(score[1])
            plies = abs(mate) if desk.protocol == "ugi" else 2 * mate - 1 if mate > 0 else -2 * mate
            if plies != len(pv):
                raise Wrong(f"a variation of {len(pv)} plies: {shown(line)}")


@probe(habit="En Croissant and others read no more than cp")
def win_draw_loss(desk: UniversalDesk) -> None:
    """The field wdl comes only if the option UCI_ShowWDL is on."""
    if desk.needs("UCI_ShowWDL").value("default") == "true":
        raise NotApplicable("the option is on by default")
    for search in desk.samples():
        for info, line in _reports(search):
            if "wdl" in info:
                raise Wrong(shown(line))


@probe("bestmove ponder", protocols=("uci",))
def move_to_ponder(desk: UniversalDesk) -> None:
    """The move behind ponder is a legal reply to the move before it."""
    for search in desk.samples():
        words = search.answer.split()
        if words[2:3] == ["ponder"] and search.best in desk.legal(desk.state(search.place)):
            replies = desk.legal(desk.after(desk.state(search.place), [search.best]))
            if "".join(words[3:4]) not in ("(none)", "0000", *replies):
                raise Wrong(f"{shown(search.answer)} at {shown(search.place.line)}")


@probe(habit="cutegames reads these two words and no more", protocols=("ugi",))
def two_words(desk: UniversalDesk) -> None:
    """The line of the move has no words behind the move."""
    for search in desk.samples():
        if len(search.answer.split()) != 2:
            raise Wrong(shown(search.answer))


@probe(habit="clients log every line that is none of the protocol")
def lines_of_a_search(desk: UniversalDesk) -> None:
    """Lines before bestmove begin with info."""
    for search in desk.samples():
        for line in search.lines[:-1]:
            if line.strip() and line.split()[0] != "info":
                raise Wrong(shown(line))


def _reports(search: Search) -> list[tuple[dict[str, list[str]], str]]:
    lines = [line for line in search.lines if line.split()[:1] == ["info"]]
    return list(zip(search.infos, lines, strict=True))


def _over(desk: UniversalDesk) -> tuple[Place, ...]:
    return tuple(Place(None, desk.line_of_play(2**20, seed, to_end=True)) for seed in (16, 17))


def _score(words: list[str]) -> bool:
    kinds = [number for number, word in enumerate(words) if word in ("cp", "mate")]
    return len(kinds) == 1 and is_number(words[kinds[0] + 1 :])
