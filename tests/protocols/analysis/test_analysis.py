"""The analysis protocol: queries, replies, the order of searches."""

from __future__ import annotations

import math
from typing import Any

import pytest

from playout.games import catalogue
from playout.games.game import CHANCE, action_to_text, text_to_action
from playout.protocols.analysis.reply import MOVE_FIELDS, REPLY_FIELDS, ROOT_FIELDS

from .. import transcript
from .desk import MNK, Recorded, desk, read

ALL = {"maxVisits": 80, "includePolicy": True, "includePVVisits": True}
GAMES = ["tic_tac_toe", "connect_four", "hex:5", "go:5", "chess", "backgammon", MNK]
KATRAIN: dict[str, Any] = {
    "id": "QUERY:1",
    "rules": "japanese",
    "priority": 0,
    "analyzeTurns": [2],
    "maxVisits": 60,
    "komi": 6.5,
    "boardXSize": 9,
    "boardYSize": 9,
    "includeOwnership": True,
    "includeMovesOwnership": True,
    "includePolicy": True,
    "initialStones": [],
    "initialPlayer": "B",
    "moves": [["B", "E5"], ["W", "C3"]],
    "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 8.0},
}
"""Query of KaTrain 1.15 (sanderland/katrain, katrain/core/engine.py)."""

SEED = [("Seed", "1")]
"""For searches that are compared."""


def moves_of(reply: dict[str, Any]) -> list[str]:
    return [move["move"] for move in reply["moveInfos"]]


def test_the_transcript_of_its_clients() -> None:
    with desk("go:5") as engine:
        recorded: Any = Recorded(engine)
        transcript.check("analysis.txt", recorded, recorded)


def test_a_position_is_analysed_as_katrain_asks() -> None:
    with desk("go:9") as engine:
        warning, reply = engine.ask(KATRAIN)
    assert warning["field"] == "overrideSettings"
    assert (reply["id"], reply["turnNumber"], reply["isDuringSearch"]) == ("QUERY:1", 2, False)
    assert len(reply["ownership"]) == 81
    assert len(reply["policy"]) == 82
    assert reply["policy"][4 * 9 + 4] == reply["policy"][6 * 9 + 2] == -1, "E5 and C3 are taken"
    assert sum(share for share in reply["policy"] if share >= 0) == pytest.approx(1, abs=1e-4)
    for move in reply["moveInfos"]:
        assert {"move", "visits", "order", "winrate", "scoreLead", "pv", "prior", "utility", "lcb"} <= move.keys()
        assert len(move["ownership"]) == 81
    assert reply["rootInfo"]["visits"] == 60
    assert reply["rootInfo"]["currentPlayer"] == "B"
    assert sum(move["visits"] for move in reply["moveInfos"]) in (59, 60)
    assert [move["order"] for move in reply["moveInfos"]] == list(range(len(reply["moveInfos"])))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_analysed(name: str) -> None:
    """Variations are legal to their end; numbers are in their bounds; nothing is undocumented."""
    game = catalogue.load(name)
    start = game.initial_state()
    moves = []
    while game.current_player(start) == CHANCE or not moves:
        action = game.legal_actions(start)[0]
        moves.append(action_to_text(game, start, action))
        start = game.next_state(start, action)
    with desk(name) as engine:
        reply = engine.final(
            {"id": "x", "moves": moves, "maxVisits": 80, "includePolicy": True, "includePVVisits": True}
        )
    assert reply["turnNumber"] == len(moves)
    root = reply["rootInfo"]
    assert root["visits"] == 80
    assert root["endedBy"] == "nodes"
    assert reply.keys() <= REPLY_FIELDS.keys()
    assert root.keys() <= ROOT_FIELDS.keys()
    legal = {action_to_text(game, start, action) for action in game.legal_actions(start)}
    policy = reply.get("policy", {})
    if isinstance(policy, dict) and policy:
        assert set(policy) == legal
        assert sum(policy.values()) == pytest.approx(1, abs=1e-4)
    assert reply["moveInfos"]
    for move in reply["moveInfos"]:
        assert move.keys() <= MOVE_FIELDS.keys()
        assert move["move"] == move["pv"][0]
        assert move["visits"] == move["edgeVisits"] >= 1
        assert len(move["pvVisits"]) == len(move["pv"])
        assert move["pvVisits"][0] >= move["visits"] == move["pvEdgeVisits"][0]
        assert -1 <= move["value"] == move["utility"] <= 1
        assert move["utilityLcb"] <= move["value"]
        if "winrate" in move:
            assert move["winrate"] == pytest.approx((1 + move["value"]) / 2, abs=1e-5)
        else:
            assert move["equity"] == pytest.approx(3 * move["value"], abs=1e-5)
        state = start
        for text in move["pv"]:
            state = game.next_state(state, text_to_action(game, state, text))


def test_the_same_query_has_the_same_answer_whatever_is_searched_beside_it() -> None:
    query = {"id": "x", "game": "hex:5", "moves": ["c3"], "maxVisits": 300, "seed": 7}

    def answer(replies: list[dict[str, Any]]) -> dict[str, Any]:
        (found,) = [reply for reply in replies if reply["id"] == "x"]
        del found["rootInfo"]["timeMs"]
        return found

    with desk() as engine:
        alone = answer(engine.ask(query))
        assert answer(engine.ask(query)) == alone, "and nothing is kept from one query to the next"
    with desk(parallel=3) as engine:
        others = [{"id": f"{n}", "moves": [], "maxVisits": 500} for n in range(4)]
        assert answer(engine.ask(others[0], others[1], query, others[2], others[3])) == alone
        assert answer(engine.ask({**query, "seed": 8})) != alone


def test_the_greatest_priority_is_searched_first_and_equal_ones_in_order() -> None:
    with desk("tic_tac_toe") as engine:
        few = {"moves": [], "maxVisits": 5}
        replies = engine.ask(
            {"id": "first", **few},
            {"id": "low", "priority": -1, **few},
            {"id": "a", **few},
            {"id": "b", **few},
            {"id": "high", "priority": 2**61, **few},
            {"id": "turns", "moves": ["a1", "b1"], "maxVisits": 5, "analyzeTurns": [0, 2, 1], "priorities": [1, 3, 2]},
        )
    order = [(reply["id"], reply["turnNumber"]) for reply in replies]
    assert order == [
        ("first", 0),
        ("high", 0),
        ("turns", 2),
        ("turns", 1),
        ("turns", 0),
        ("a", 0),
        ("b", 0),
        ("low", 0),
    ]


def test_turns_are_the_positions_after_n_moves() -> None:
    with desk("tic_tac_toe") as engine:
        query = {"id": "x", "moves": ["a1", "b1", "a2", "b2", "a3"], "maxVisits": 20, "analyzeTurns": [5, 0, 1, 0]}
        replies = {reply["turnNumber"]: reply for reply in engine.ask(query)}
    assert sorted(replies) == [0, 1, 5]
    assert replies[1]["rootInfo"]["currentPlayer"] == "W"
    assert replies[5]["moveInfos"] == []
    over = replies[5]["rootInfo"]
    assert (over["terminal"], over["proven"], over["endedBy"], over["visits"]) == (True, True, "over", 0)
    assert (over["currentPlayer"], over["winrate"], over["value"]) == ("W", 0.0, -1.0)


def test_one_visit_is_enough_for_the_fields_that_clients_need() -> None:
    with desk("go:5") as engine:
        root = engine.final({"id": "x", "moves": [], "maxVisits": 1})["rootInfo"]
    assert {"winrate", "scoreLead", "visits"} <= root.keys()


def test_a_game_is_asked_for_turn_by_turn_or_another_way() -> None:
    """The moves that a query shares with the one before it are kept, and nothing else."""
    moves = [["B", "C3"], ["W", "C4"], ["B", "B2"], ["B", "D2"], ["W", "pass"]]
    queries: list[dict[str, Any]] = [{"moves": moves[:number]} for number in (1, 2, 3, 5, 4, 0)]
    queries += [{"moves": [*moves[:2], ["B", "D4"]]}, {"moves": moves, "komi": 3.5}, {"moves": moves[1:]}]
    queries += [{"moves": moves[:2], "initialStones": [["B", "A1"]]}, {"moves": ["C3", "C4"]}, {"moves": moves[:2]}]
    bounds = {"id": "x", "maxVisits": 5, "game": "go:5"}
    with desk(options=SEED) as engine:
        together = [engine.final({**bounds, **query}) for query in queries]
    for query, reply in zip(queries, together, strict=True):
        with desk(options=SEED) as engine:
            alone = engine.final({**bounds, **query})
        assert alone["moveInfos"] == reply["moveInfos"]
        assert alone["rootInfo"]["thisHash"] == reply["rootInfo"]["thisHash"]


def test_a_won_position_is_proven() -> None:
    with desk("tic_tac_toe") as engine:
        reply = engine.final({"id": "x", "moves": ["a1", "b1", "a2", "b2"], "maxVisits": 2000})
    best = reply["moveInfos"][0]
    assert (best["move"], best["proven"], best["pliesToEnd"], best["winrate"]) == ("a3", True, 1, 1.0)
    assert best["lcb"] == best["utilityLcb"] == 1.0
    assert reply["rootInfo"]["endedBy"] == "proven"
    assert reply["rootInfo"]["proven"]


@pytest.mark.parametrize(
    ("word", "sign"), [("SIDETOMOVE", 1), ("WHITE", 1), ("second", 1), ("BLACK", -1), ("FIRST", -1)]
)
def test_values_are_those_of_the_side_that_is_asked_for(word: str, sign: int) -> None:
    query = {**KATRAIN, "maxVisits": 40, "moves": [["B", "E5"]], "analyzeTurns": [1], "overrideSettings": {}}
    with desk(options=SEED) as engine:
        base = engine.final(query)
        reply = engine.final({**query, "reportAnalysisWinratesAs": word})
        assert engine.ask({**query, "overrideSettings": {"reportAnalysisWinratesAs": word.upper()}}) != []
    with desk(options=SEED, winrates_as=word.upper()) as engine:
        by_default = engine.final(query)
    for found in (base, reply, by_default):
        del found["rootInfo"]["timeMs"]
    assert by_default == reply
    for one, other in [
        (base["rootInfo"], reply["rootInfo"]),
        *zip(base["moveInfos"], reply["moveInfos"], strict=True),
    ]:
        assert other["value"] == pytest.approx(sign * one["value"])
        assert other["scoreLead"] == pytest.approx(sign * one["scoreLead"])
        assert other["winrate"] - 0.5 == pytest.approx(sign * (one["winrate"] - 0.5))
    assert reply["ownership"] == [pytest.approx(sign * owner) for owner in base["ownership"]]
    assert "lcb" in reply["moveInfos"][0]


def test_white_moves_first_in_chess() -> None:
    with desk("chess") as engine:
        query = {"id": "x", "moves": [["W", "e2e4"], ["B", "e7e5"], "d1h5", "a7a6", "f1c4", "a6a5", "h5f7"]}
        reply = engine.final({**query, "reportAnalysisWinratesAs": "WHITE"})
        assert reply["rootInfo"]["winrate"] == 1.0
        assert reply["rootInfo"]["currentPlayer"] == "B"
        (error,) = engine.ask({"id": "x", "moves": [["B", "e2e4"]]})
    assert error == {"error": "move 1: it is the other player's turn", "field": "moves", "id": "x"}


def test_moves_may_be_kept_out_at_the_root() -> None:
    with desk("tic_tac_toe") as engine:
        free = engine.final({"id": "x", "maxVisits": 200})
        assert "b2" in moves_of(free)
        avoid = [{"player": "B", "moves": ["b2", "A1", "nonsense"], "untilDepth": 1}]
        other = {"player": "W", "moves": ["c1"], "untilDepth": 1}
        kept = engine.final({"id": "x", "maxVisits": 200, "avoidMoves": [*avoid, other]})
        assert not {"b2", "a1"} & set(moves_of(kept))
        assert len(moves_of(kept)) == 2, "a corner and a side: the others are their images"
        allow = [{"player": "B", "moves": ["c3", "b1"], "untilDepth": 1}, other]
        assert sorted(moves_of(engine.final({"id": "x", "maxVisits": 200, "allowMoves": allow}))) == ["b1", "c3"]
        none = engine.final({"id": "x", "allowMoves": [{"player": "B", "moves": ["z9"], "untilDepth": 1}]})
        assert none["noResults"]
        assert none["error"] == "no legal move is left to search"


def test_moves_may_be_kept_out_of_the_first_plies() -> None:
    """Black, who would win by three in the top row, is told not to, and White not to block."""
    query = {"id": "x", "moves": ["a3", "a1", "b3"], "maxVisits": 3000, "includePVVisits": True}
    with desk("tic_tac_toe") as engine:
        free = engine.final(query)
        assert moves_of(free)[0] == "c3", "White has to block"
        rules = [{"player": "B", "moves": ["c3"], "untilDepth": 2}, {"player": "W", "moves": ["c3"], "untilDepth": 1}]
        kept = engine.final({**query, "avoidMoves": rules})
        assert "c3" not in moves_of(kept)
        assert all("c3" not in move["pv"][:2] for move in kept["moveInfos"])
        confined = [{"player": "B", "moves": ["c1", "b1"], "untilDepth": 4}]
        for move in engine.final({**query, "allowMoves": confined})["moveInfos"]:
            assert set(move["pv"][1:4:2]) <= {"c1", "b1"}


def test_the_board_may_be_set_up() -> None:
    stones = [["B", "C3"], ["B", "C4"], ["W", "B3"]]
    query: dict[str, Any] = {"id": "x", "initialStones": stones, "maxVisits": 30, "boardXSize": 5, "boardYSize": 5}
    with desk() as engine:
        for given, mover in (({}, "B"), ({"initialPlayer": "W"}, "W"), ({"moves": [["W", "A1"]]}, "B")):
            reply = engine.final({**query, **given, "includePolicy": True})
            assert reply["rootInfo"]["currentPlayer"] == mover
            assert reply["policy"][2 * 5 + 2] == reply["policy"][1 * 5 + 2] == reply["policy"][2 * 5 + 1] == -1
        handicap = engine.final({**query, "initialStones": stones[:2]})
        assert handicap["rootInfo"]["currentPlayer"] == "W"
        in_a_row = engine.final({"id": "x", "moves": [["B", "C3"], ["B", "C4"]], "maxVisits": 10})
        assert in_a_row["rootInfo"]["currentPlayer"] == "W"
        after_passes = {"id": "x", "moves": [["B", "pass"], ["W", "pass"], ["B", "C3"]], "maxVisits": 10}
        assert engine.final(after_passes)["rootInfo"]["visits"] == 10
        stones = [["B", "F2"], ["W", "B1"]]
        for board in ({"boardXSize": 6, "boardYSize": 3}, {"options": {"size": "6x3"}}, {"game": "go:6x3"}):
            asked = {"id": "x", "initialStones": stones, **board, "maxVisits": 20}
            reply = engine.final({**asked, "includePolicy": True, "includeOwnership": True})
            assert [number for number, share in enumerate(reply["policy"]) if share == -1] == [11, 13]
            assert (len(reply["policy"]), len(reply["ownership"])) == (19, 18)
    with desk("hex:5") as engine:
        reply = engine.final({"id": "x", "initialStones": [["W", "a1"], ["B", "e5"]], "maxVisits": 200})
        assert not {"a1", "e5"} & set(moves_of(reply))
    with desk("chess") as engine:
        fen = "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1"
        reply = engine.final({"id": "x", "position": fen, "moves": [], "maxVisits": 300})
        assert moves_of(reply)[0] == "a1a8"
        assert reply["moveInfos"][0]["proven"]


@pytest.mark.parametrize(
    ("given", "komi"),
    [
        ({"rules": "japanese"}, 6.5),
        ({"rules": "tromp-taylor"}, 7.5),
        ({"rules": "chinese", "komi": 0}, 2),
        ({"rules": "AGA", "komi": 0.5}, 1.5),
        ({"rules": "chinese", "komi": 0, "whiteHandicapBonus": "0"}, 0),
        ({"rules": {"ko": "SIMPLE", "scoring": "AREA", "whiteHandicapBonus": "N-1", "suicide": True}, "komi": 1}, 2),
        ({"options": {"komi": 3.5, "scoring": "territory"}}, 3.5),
    ],
)
def test_rules_and_komi_decide_the_result(given: dict[str, Any], komi: float) -> None:
    """Two stones of handicap, and the game ends: on an empty 2 by 5, so to say, Black has everything but komi."""
    query = {"id": "x", "initialStones": [["B", "C3"], ["B", "C4"]], "moves": ["pass", "pass"], **given}
    with desk(winrates_as="BLACK") as engine:
        root = engine.final(query)["rootInfo"]
    territory = 23 if "japanese" in str(given) or "territory" in str(given) else 25
    assert root["scoreLead"] == territory - komi
    assert root["winrate"] == 1.0


def test_scores_and_ownership_are_those_of_playouts() -> None:
    """A wall through the board: the upper part is White's, the lower Black's."""

    def wall(row: int) -> dict[str, Any]:
        stones = [[player, f"{column}{row + above}"] for above, player in enumerate("BW") for column in "ABCDEFG"]
        return {"id": "x", "initialStones": stones, "initialPlayer": "B", "komi": 0, "maxVisits": 100}

    with desk("go:7", winrates_as="BLACK") as engine:
        low = engine.final({**wall(2), "includeOwnership": True})
        high = engine.final(wall(5))
        few, komi = (engine.final({**wall(5), "komi": komi, "maxVisits": 20}) for komi in (0, 5.5))
        bare = engine.final({**wall(2), "includeScore": False})
    owners = low["ownership"]
    assert sum(owners[:28]) < 0 < sum(owners[-14:])
    assert low["rootInfo"]["scoreLead"] + 5 < high["rootInfo"]["scoreLead"]
    first, other = ({move["move"]: move["scoreLead"] for move in reply["moveInfos"]} for reply in (few, komi))
    both = [first[move] - other[move] for move in first.keys() & other.keys()]
    assert min(abs(difference - 5.5) for difference in both) < 0.02, "the same playouts, but for komi"
    assert "scoreLead" not in bare["rootInfo"]
    assert "ownership" not in bare


def test_reports_during_a_search_come_before_the_last_one() -> None:
    """No report arrives before its time, however late the others are."""
    with desk("go:5") as engine:
        lines = engine.send({"id": "x", "moves": [], "maxVisits": 2**40, "reportDuringSearchEvery": 0.1})
        while len(lines) < 3:
            lines += engine.pump()
        engine.send({"id": "t", "action": "terminate", "terminateId": "x"})
        *partial, last = map(read, [*lines, *engine.rest()])
    assert all(reply["isDuringSearch"] for reply in partial)
    assert not last["isDuringSearch"]
    assert last["rootInfo"]["endedBy"] == "stop"
    visits = [reply["rootInfo"]["visits"] for reply in (*partial, last)]
    assert visits == sorted(visits)
    assert all(reply["rootInfo"]["timeMs"] >= 100 * number for number, reply in enumerate(partial, 1))
    assert "endedBy" not in partial[0]["rootInfo"]


def test_a_search_ends_when_its_time_is_over() -> None:
    with desk("go:5") as engine:
        *_, last = engine.ask({"id": "x", "moves": [], "maxVisits": 2**40, "maxTimeMs": 50})
    assert not last["isDuringSearch"]
    assert last["rootInfo"]["endedBy"] == "deadline"


def test_queries_are_terminated_searched_or_not() -> None:
    endless = {"moves": [], "maxVisits": 2**50, "reportDuringSearchEvery": 0.01}
    with desk("go:5") as engine:
        assert engine.send({"id": "a", **endless}) == []
        assert engine.send({"id": "b", **endless, "moves": ["C3"], "analyzeTurns": [0, 1]}) == []
        while not engine.pump():
            pass
        echo, waiting = engine.ask_at_once({"id": "t", "action": "terminate", "terminateId": "b", "turnNumbers": [1]})
        assert echo == {"id": "t", "action": "terminate", "terminateId": "b", "turnNumbers": [1]}
        assert waiting == {"id": "b", "turnNumber": 1, "isDuringSearch": False, "noResults": True}
        assert engine.send({"id": "t", "action": "terminate", "terminateId": "nobody"}) != []
        assert engine.protocol.busy
        engine.send({"id": "t", "action": "terminate", "terminateId": "a"})
        finals = []
        while not finals:
            finals = [reply for reply in map(read, engine.pump()) if not reply["isDuringSearch"]]
        assert [reply["id"] for reply in finals] == ["a"]
        assert finals[0]["rootInfo"]["endedBy"] == "stop"
        assert finals[0]["rootInfo"]["visits"] > 0
        echo, *_ = engine.ask_at_once({"id": "u", "action": "terminate_all"})
        assert echo["action"] == "terminate_all"
        (last,) = [reply for reply in map(read, engine.rest()) if not reply["isDuringSearch"]]
        assert (last["id"], last["turnNumber"]) == ("b", 0)


def test_the_end_of_the_input_finishes_the_queries_unless_there_is_no_time() -> None:
    queries = [{"id": f"{n}", "moves": [], "maxVisits": 30} for n in range(4)]
    with desk("tic_tac_toe") as engine:
        for query in queries:
            engine.send(query)
        assert list(engine.protocol.handle_eof()) == []
        assert not engine.protocol.closed
        assert [read(line)["rootInfo"]["visits"] for line in engine.rest()] == [30] * 4
        assert engine.protocol.closed
    for hurry, at_once in ((True, False), (False, True)):
        with desk("go:5", quit_without_waiting=hurry) as engine:
            for query in queries:
                engine.send({**query, "maxVisits": 2**50})
            waiting = [read(line) for line in engine.protocol.handle_eof(at_once)]
            assert [reply["id"] for reply in waiting if reply["noResults"]] == ["1", "2", "3"]
            assert [read(line)["id"] for line in engine.rest()] == ["0"]
            assert engine.protocol.closed


def test_actions_come_back() -> None:
    with desk() as engine:
        version, models, cleared = engine.ask(
            {"id": "v", "action": "query_version"},
            {"id": "m", "action": "query_models", "extra": [1]},
            {"id": "c", "action": "clear_cache"},
        )
    assert version.keys() == {"id", "action", "version", "git_hash"}
    assert (models["models"], models["extra"]) == ([], [1])
    assert "hex" in models["games"]
    assert cleared == {"id": "c", "action": "clear_cache"}


def test_no_number_is_minus_zero_or_infinite() -> None:
    with desk("connect_four") as engine:
        reply = engine.final(
            {"id": "x", "moves": list("dddddd"), "maxVisits": 200, "reportAnalysisWinratesAs": "SECOND"}
        )

    def numbers(value: Any) -> list[float]:
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return [number for one in value for number in numbers(one)]
        return [value] if isinstance(value, float) else []

    for number in numbers(reply):
        assert math.isfinite(number)
        assert number != 0 or math.copysign(1, number) == 1
