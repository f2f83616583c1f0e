"""Labels of positions by another engine, and openings of self-play."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from playout.engine.learning.data.labels import Labelling, label
from playout.engine.learning.data.openings import read_openings
from playout.engine.learning.data.records import Kind, RecordFile
from playout.engine.learning.training import stages
from playout.engine.learning.training.settings import Settings
from playout.engine.learning.training.watch import Silent
from playout.engine.learning.training.workshop import open_workshop
from playout.games import catalogue
from playout.games.errors import PlayoutError

ENGINE = """
import sys
import chess
board, chess960 = chess.Board(), False
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("option name UCI_Chess960 type check default false\\nuciok", flush=True)
    elif words[0] == "setoption":
        chess960 = words[2:] == ["UCI_Chess960", "value", "true"]
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        moves = words[words.index("moves") + 1 :] if "moves" in words else []
        fen = " ".join(words[2:8]) if words[1] == "fen" else chess.STARTING_FEN
        board = chess.Board(fen, chess960=chess960)
        for move in moves:
            board.push_uci(move)
    elif words[0] == "go":
        print("bestmove", min(move.uci() for move in board.legal_moves), flush=True)
    elif words[0] == "quit":
        break
"""
"""An engine that plays the legal move that comes first in the alphabet."""

GAME = catalogue.load("chess")


def played(path: Path, **settings: Any) -> RecordFile:
    wanted = Settings(games=2, simulations=8, full_share=0.3, **settings)
    stages.generate(open_workshop(GAME), GAME, wanted, path, None, 1, Silent())
    return RecordFile(path)


def test_labels_take_the_place_of_visits_and_values_stay(tmp_path: Path) -> None:
    games = list(played(tmp_path / "r", random_plies=1))
    (tmp_path / "first.py").write_text(ENGINE)
    workshop, out = open_workshop(GAME), tmp_path / "labelled"
    labelling = Labelling(f"{sys.executable} {tmp_path}/first.py", nodes=1, share=0.5)
    count = label(workshop, GAME, [tmp_path / "r"], out, labelling, Silent())
    found = list(RecordFile(out))
    assert len(found) == 2 and sum(int(one.counts.sum()) for one in found) == count
    for old, new in zip(games, found, strict=True):
        assert (new.actions == old.actions).all() and (new.values == old.values).all() and new.result == old.result
        assert ((new.kinds == Kind.NOT) == (old.kinds == Kind.NOT)).all()
        assert {Kind.VALUE, Kind.VISITS} <= set(new.kinds.tolist())
        state = GAME.initial_state()
        for ply, action in enumerate(new.actions.tolist()):
            legal = sorted(GAME.action_to_text(state, one) for one in GAME.legal_actions(state))
            actions, votes = new.visits_at(ply)
            assert votes.tolist() == [1] * len(actions)
            if len(actions):
                assert workshop_text(state, int(actions[0])) == legal[0]
            state = GAME.next_state(state, GAME.text_to_action(state, workshop_text(state, action)))
    # All games are there: nothing is asked again.
    assert label(workshop, GAME, [tmp_path / "r"], out, labelling, Silent()) == 0
    assert len(list(RecordFile(out))) == 2


def workshop_text(state: object, action: int) -> str:
    """The notation of a kernel's action."""
    from playout.engine import _core

    return _core.Position("chess", {}, GAME.state_to_text(state)).action_text(action)


def test_what_cannot_be_labelled_is_refused_in_a_line(tmp_path: Path) -> None:
    played(tmp_path / "r")
    with pytest.raises(PlayoutError, match=r"^no-such-engine: "):
        label(open_workshop(GAME), GAME, [tmp_path / "r"], tmp_path / "o", Labelling("no-such-engine"), Silent())
    other = catalogue.load("tic_tac_toe")
    with pytest.raises(PlayoutError, match=r"^tic_tac_toe: only positions of chess"):
        label(open_workshop(other), other, [tmp_path / "r"], tmp_path / "o", Labelling("x"), Silent())


def test_records_of_another_game_are_refused(tmp_path: Path) -> None:
    other = catalogue.load("chess:chess960=true")
    stages.generate(open_workshop(other), other, Settings(games=1, simulations=8), tmp_path / "r", None, 1, Silent())
    labelling = Labelling(f"{sys.executable} -c pass")
    said = r"/r: its games are of 'chess:chess960=true,.*' instead of 'chess:chess960=false,.*'$"
    with pytest.raises(PlayoutError, match=said):
        label(open_workshop(GAME), GAME, [tmp_path / "r"], tmp_path / "o", labelling, Silent())
    assert not (tmp_path / "o").exists()


def test_games_of_any_array_are_labelled(tmp_path: Path) -> None:
    game = catalogue.load("chess:chess960=true,position=0")
    stages.generate(open_workshop(game), game, Settings(games=1, simulations=8), tmp_path / "r", None, 1, Silent())
    (tmp_path / "first.py").write_text(ENGINE)
    labelling = Labelling(f"{sys.executable} {tmp_path}/first.py", nodes=1)
    count = label(open_workshop(game), game, [tmp_path / "r"], tmp_path / "o", labelling, Silent())
    (found,) = RecordFile(tmp_path / "o")
    assert count == int(found.counts.sum()) > 0


class Notes(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)


def test_a_damaged_file_is_told_and_its_whole_games_are_labelled(tmp_path: Path) -> None:
    played(tmp_path / "r")
    with (tmp_path / "r").open("ab") as file:
        file.write(b"cut")
    (tmp_path / "first.py").write_text(ENGINE)
    labelling, notes = Labelling(f"{sys.executable} {tmp_path}/first.py", nodes=1, share=0.1), Notes()
    assert label(open_workshop(GAME), GAME, [tmp_path / "r"], tmp_path / "o", labelling, notes) > 0
    assert [line.partition(": ")[0] for line in notes.lines] == [str(tmp_path / "r")]


def test_games_begin_in_the_positions_of_a_file(tmp_path: Path) -> None:
    fens = ["r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -", "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"]
    file = tmp_path / "openings.epd"
    file.write_text(f'# two\n{fens[0]} id "Three knights";\n\n{fens[1]}\n')
    assert read_openings(file, GAME) == [(f"{file}, line 2", fens[0]), (f"{file}, line 4", fens[1])]
    assert {one.start for one in played(tmp_path / "r", openings=str(file))} <= set(fens)
    file.write_text(f"{fens[1]}\n8/8/8/8/8/8/8/8 w - -\n")
    with pytest.raises(PlayoutError, match=f"^{file}, line 2: "):
        played(tmp_path / "other", openings=str(file))
    file.write_text("# nothing\n")
    with pytest.raises(PlayoutError, match=f"^{file}: no positions"):
        read_openings(file, GAME)


def test_games_of_others_give_their_last_positions(tmp_path: Path) -> None:
    file = tmp_path / "openings.pgn"
    file.write_text('[Event "?"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 *\n')
    ((place, text),) = read_openings(file, GAME)
    assert place.startswith(f"{file}, line ")
    assert text.startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq")
