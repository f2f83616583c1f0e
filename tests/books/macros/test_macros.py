"""Macros: files, patterns in all images, trees that are dropped where the opponent leaves them, and what is shipped."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import chess
import pytest

from playout.books.macros.cell_boards import HEXAGONAL, SQUARE, apply
from playout.books.macros.decision_tree import MacroTurn
from playout.books.macros.declared_boards import board_of
from playout.books.macros.macro import Macro, MacroStep, read_macros, shipped_macros
from playout.books.macros.mates import MateTable, Trio
from playout.books.macros.patterns import EDGE
from playout.books.macros.reader import parse_macros
from playout.books.text.yaml_nodes import Source
from playout.games import catalogue
from playout.games.errors import BookError
from playout.games.game import HasSymmetries, action_to_text, text_to_action
from playout.games.hex import STEPS
from playout.games.tic_tac_toe import LINES, State, TicTacToe


def written(tmp_path: Path, text: str, game: Any) -> tuple[Macro, ...]:
    """The macros of a file with this text."""
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    return read_macros(file, game)


def after(game: Any, moves: str, state: Any = None) -> Any:
    """The state after moves."""
    state = game.initial_state() if state is None else state
    for word in moves.split():
        state = game.next_state(state, text_to_action(game, state, word))
    return state


def moves(game: Any, state: Any, steps: Any) -> set[str]:
    """The actions of steps, as texts."""
    return {action_to_text(game, state, step.action) for step in steps}


def named(name: str, game: Any) -> Macro:
    """The shipped macro called ``name``."""
    return next(macro for macro in shipped_macros(game) if macro.name == name)


HEX = "game: hex\nmacros:\n  - name: a\n"
BAD: dict[str, tuple[str, ...]] = {
    "macros: [": ("line 1, ", "not YAML"),
    "game: hex\n": ("line 1, column 1:", "macros"),
    "macros:\n  - {name: a, game: hex, pattern: X a, play: a, colour: red}\n": ("line 2, ", "colour", "red"),
    "macros:\n  - {game: hex, pattern: X a, play: a}\n": ("line 2, column 5:", "without name"),
    HEX + "    pattern: X a\n    play: b\n": ("line 5, column 11:", "no such letter", "'b'"),
    HEX + "    pattern: X a\n    replies: {a: a}\n": ("line 5, column 18:", "been played", "'a'"),
    HEX + "    pattern: |\n      X a\n      X Z\n    play: a\n": ("line 6, ", "'Z'", "X Z"),
    HEX + "    pattern: X a a\n    play: a\n": ("line 4, column 14:", "twice"),
    HEX + "    pattern: X a\n    play: a\n    play: a\n": ("line 6, column 5:", "twice"),
    HEX + "    pattern: X a\n    play: a\n    weight: much\n": ("line 6, column 13:", "number", "much"),
    HEX + "    pattern: X a\n    play: a\n    value: 2\n": ("line 6, column 12:", "between", "'2'"),
    HEX + "    pattern: X a\n    play: a\n    only: maybe\n": ("line 6, column 11:", "neither", "maybe"),
    HEX + "    pattern: X a\n": ("line 3, column 5:", "missing key: play or replies"),
    HEX + "    position: 9/9 b\n    play: a1\n": ("line 4, column 15:", "not a hex position", "9/9 b"),
    HEX + "    position: start\n    moves: c3 c3\n    play: a1\n": ("line 5, column 12:", "illegal", "c3"),
    HEX + "    position: start\n    play: a1\n    replies: {b1: a1}\n": ("line 6, column 19:", "illegal", "a1"),
    "game: hex\nmacros:\n  - {name: a, rule: ladder}\n": ("line 3, column 21:", "go", "ladder"),
    "game: hex\nmacros:\n  - {name: a, rule: magic}\n": ("line 3, column 21:", "no such rule", "magic"),
    "game: go\nmacros:\n  - {name: a, pattern: X a, play: a}\n": ("no macro for hex:5", "go"),
    HEX + "    position: start\n    play: a1\n    replies: &r\n      b1: {play: c1, replies: *r}\n": ("a cycle",),
    HEX + "    pattern: X a\n    play: a\n  \x00": ("line 6, column 3", "not a text"),
    "game: hex\nmacros:\n" + "  - {name: a, pattern: X a, play: a}\n" * 201: ("line 203, ", "more than 200 patterns"),
    HEX + "    pattern: " + "X " * 2000 + "a\n    play: a\n": ("line 4, column 14:", "more than 2000 cells"),
    "[" * 3000: ("column 101", "nested deeper than 100 levels"),
}
"""Wrong files, each with a part of its error."""


@pytest.mark.parametrize("text", BAD, ids=[str(number) for number in range(len(BAD))])
def test_a_bad_file_is_one_line_with_the_place(tmp_path: Path, text: str) -> None:
    with pytest.raises(BookError) as caught:
        written(tmp_path, text, catalogue.load("hex:5"))
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "own.yaml"))
    assert "\n" not in message
    for part in BAD[text]:
        assert part in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="absent"):
        read_macros(tmp_path / "absent.yaml", catalogue.load("hex:5"))


def test_the_example_of_the_document_can_be_used(tmp_path: Path) -> None:
    document = (Path(__file__).parents[3] / "docs" / "books.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(game: hex  .*?)^```$", document, re.DOTALL | re.MULTILINE)
    game = catalogue.load("hex:11")
    bridge, opening = written(tmp_path, text, game)
    assert moves(game, after(game, "a2"), opening.at(after(game, "a2"))) == {"f6"}
    state = after(game, "f6 a1 e8")
    assert moves(game, state, bridge.at(state)) == {"e7", "f7"}


def test_images_of_a_grid_keep_neighbours() -> None:
    square = {(1, 0), (-1, 0), (0, 1), (0, -1)}
    for images, neighbours, count in ((SQUARE, square, 8), (HEXAGONAL, set(STEPS), 12)):
        assert len(set(images)) == count
        assert all({apply(image, *step) for step in neighbours} == neighbours for image in images)


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex:5", "go:5"])
def test_a_board_counts_cells_as_its_game_does(name: str) -> None:
    game: Any = catalogue.load(name)
    board = board_of(game)
    assert board is not None
    state = game.initial_state()
    for action in list(game.legal_actions(state))[: board.columns * board.rows]:
        assert board.stones(game.next_state(state, action)) == (1 << action, 0)


def test_bridges_are_saved_in_every_direction_and_at_the_own_edges() -> None:
    game = catalogue.load("hex:5")
    bridge = named("bridge", game)
    pattern = (
        next(p for p in parse_macros(Source(Path("hex.yaml"), shipped("hex"))) if p.name == "bridge").patterns[0].value
    )
    board = board_of(game)
    assert board is not None
    # A stone in the middle reaches no edge; one in the second row has a bridge to Black's edge, and none to White's.
    middle, low = after(game, "c3"), after(game, "c4")
    assert not list(pattern.matches(board, middle, 0))
    assert {frozenset(match.values()) for match in pattern.matches(board, low, 0)} == {frozenset({21, 22})}
    assert moves(game, low, bridge.at(low)) == {"b5", "c5"}
    aside = after(game, "d3")
    assert not list(pattern.matches(board, aside, 0))
    for matrix in HEXAGONAL:
        column, row = apply(matrix, 1, 1)
        state = game.state_from_text("5/5/2b2/5/5 w")
        cells = list(state.board)
        cells[(2 + row) * 5 + 2 + column] = "b"
        state = type(state)("".join(cells), 1)
        between = {(2, 2), (2 + column, 2 + row)}
        common = {
            (c, r)
            for c, r in product(range(5), repeat=2)
            if all((c - x, r - y) in STEPS for x, y in between) and (c, r) not in between
        }
        found = {frozenset(match.values()) for match in pattern.matches(board, state, 0)}
        assert frozenset(r * 5 + c for c, r in common) in found


def shipped(game: str) -> str:
    return (Path(__file__).parents[3] / "books" / "data" / "macros" / f"{game}.yaml").read_text(encoding="utf-8")


Cells = frozenset[tuple[int, int]]


class Region:
    """The cells of a template, in which we are to connect its first stone with the others.

    If we connect in some way after one reply, only replies inside that way can change it: the others are not tried.
    """

    def __init__(self, source: tuple[int, int], goals: Cells) -> None:
        self._source, self._goals = source, goals
        self._known: dict[tuple[Cells, Cells, bool], Cells | None] = {}

    def holds(self, ours: Cells, free: Cells) -> Cells | None:
        """The cells by which we connect, the opponent to move; None if we do not."""
        if (ours, free, False) not in self._known:
            self._known[ours, free, False] = self._held(ours, free)
        return self._known[ours, free, False]

    def _held(self, ours: Cells, free: Cells) -> Cells | None:
        distance = self._distance(ours, free)
        if distance == 0 or distance > len(free):
            return None if distance else frozenset()
        needed, left = frozenset[tuple[int, int]](), free
        while left:
            way = self._reached(ours, free - {min(left)})
            if way is None:
                return None
            needed |= way
            left &= way
        return needed

    def _reached(self, ours: Cells, free: Cells) -> Cells | None:
        """The cells by which we connect, if it is our move."""
        if (ours, free, True) not in self._known:
            found = None
            for cell in sorted(free, key=lambda cell: (self._distance(ours | {cell}, free - {cell}), cell)):
                way = self.holds(ours | {cell}, free - {cell})
                if way is not None:
                    found = way | {cell}
                    break
            self._known[ours, free, True] = found
        return self._known[ours, free, True]

    def _distance(self, ours: Cells, free: Cells) -> int:
        """Stones of ours that are missing on the shortest way; more than there are free cells if there is no way."""
        seen, missing = {self._source: 0}, 0
        todo = [self._source]
        while todo:
            later = []
            while todo:
                column, row = todo.pop()
                for step in STEPS:
                    cell = (column + step[0], row + step[1])
                    if cell in self._goals:
                        return missing
                    if cell in ours and cell not in seen:
                        seen[cell] = missing
                        todo.append(cell)
                    elif cell in free and cell not in seen:
                        seen[cell] = missing + 1
                        later.append(cell)
            todo, missing = later, missing + 1
        return len(free) + 1


@pytest.mark.parametrize("name", ["bridge", "ziggurat", pytest.param("fourth row", marks=pytest.mark.long)])
def test_the_answers_of_hex_templates_keep_the_connection(name: str) -> None:
    """The macro answers every reply inside a template, and its stones stay connected after any reply."""
    text = next(one for one in parse_macros(Source(Path("hex.yaml"), shipped("hex"))) if one.name == name)
    cells = text.patterns[0].value.cells
    places = {cell.symbol: (cell.column, cell.row) for cell in cells if cell.symbol.isalpha() and cell.symbol != "X"}
    stones = [(cell.column, cell.row) for cell in cells if cell.symbol == "X"]
    region = Region(stones[0], frozenset(stones[1:]))

    def check(turn: MacroTurn, ours: Cells, free: Cells) -> None:
        answered = {places[reply.value]: answer for reply, answer in turn.replies}
        for reply in free:
            left = free - {reply}
            if reply not in answered:
                assert region.holds(ours, left) is not None, "a reply that the tree leaves out needs no answer"
                continue
            answer = answered[reply]
            assert answer.play is not None
            own = places[answer.play.value]
            assert region.holds(ours | {own}, left - {own}) is not None
            if name != "fourth row":
                check(answer, ours | {own}, left - {own})

    check(text.turn, frozenset(), frozenset(places.values()))
    assert len(text.turn.replies) == len(places)


def positions() -> Iterator[State]:
    """All positions of tic-tac-toe that are not over."""
    game, todo, seen = TicTacToe(), [TicTacToe().initial_state()], set()
    while todo:
        state = todo.pop()
        if state not in seen and game.returns(state) is None:
            seen.add(state)
            yield state
            todo += [game.next_state(state, action) for action in game.legal_actions(state)]


@pytest.mark.long
def test_tic_tac_toe_wins_blocks_and_forks_where_it_can() -> None:
    game = TicTacToe()
    macros = {macro.name: macro for macro in shipped_macros(game)}

    def completing(board: str, mark: str) -> set[int]:
        return {
            cell
            for line in LINES
            for cell in line
            if board[cell] == "." and [board[other] for other in line].count(mark) == 2
        }

    count = 0
    for state in positions():
        own, other = "xo"[state.player], "ox"[state.player]
        count += 1
        found = {name: {step.action for step in macro.at(state)} for name, macro in macros.items()}
        assert found["win"] == completing(state.board, own)
        assert found["block"] == completing(state.board, other)
        made = {
            cell
            for cell in game.legal_actions(state)
            for lines in [[line for line in LINES if cell in line and sorted(_marks(state, line)) == ["."] * 2 + [own]]]
            if len(lines) >= 2
        }
        assert found["fork"] == made
    assert count == 4520


def _marks(state: State, line: tuple[int, ...]) -> list[str]:
    return [state.board[cell] for cell in line]


def test_a_fork_is_followed_and_dropped_where_the_opponent_leaves() -> None:
    game = TicTacToe()
    fork = named("fork", game)
    state = after(game, "a1 b2 c3 a3")
    step = next(step for step in fork.at(state) if action_to_text(game, state, step.action) == "c1")
    assert step.ours
    forked = game.next_state(state, step.action)
    replies = {action_to_text(game, forked, reply.action): reply for reply in step.then(forked)}
    assert set(replies) == {"b1", "c2", "a2", "b3"}
    for text, reply in replies.items():
        answered = game.next_state(forked, reply.action)
        answers = moves(game, answered, reply.then(answered))
        assert len(answers) == 1
        assert answers <= {"b1", "c2"} - {text}


def test_a_tree_names_its_replies_and_knows_no_others(tmp_path: Path) -> None:
    game = catalogue.load("hex:5")
    text = "game: hex\nmacros:\n  - {name: a, position: start, moves: c3, replies: {c4: b4, b4: {play: c4}}}\n"
    (macro,) = written(tmp_path, text, game)
    state = after(game, "c3")
    steps = macro.at(state)
    assert moves(game, state, steps) == {"c4", "b4"}
    assert not any(step.ours for step in steps)
    for step in steps:
        reply = game.next_state(state, step.action)
        (answer,) = step.then(reply)
        assert answer.ours
        assert answer.then(game.next_state(reply, answer.action)) == []
    assert macro.at(after(game, "c3 a1")) == ()


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex:5", "go:5", "connect_four"])
def test_a_position_serves_all_its_images(tmp_path: Path, name: str) -> None:
    game: Any = catalogue.load(name)
    rng = random.Random(3)
    assert isinstance(game, HasSymmetries)
    for _ in range(5):
        state, words = game.initial_state(), list[str]()
        for _ in range(5):
            action = rng.choice(list(game.legal_actions(state))[:-1])
            words.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
        if game.returns(state) is not None:
            continue
        *before, play, reply, follow = words
        text = f"macros:\n  - name: line\n    game: '{name}'\n    position: start\n    moves: {' '.join(before)}\n"
        text += f"    play: {play}\n    replies: {{{reply}: {follow}}}\n"
        (macro,) = written(tmp_path, text, game)
        start = after(game, " ".join(before))
        for symmetry in game.symmetries():
            image = symmetry.state(start)
            steps = macro.at(image)
            for _ in range(3):
                (step,) = steps
                image = game.next_state(image, step.action)
                steps = step.then(image)
            assert steps == []
            images = {_book(game, one.state(state)) for one in game.symmetries()}
            assert _book(game, image) in images


def _book(game: Any, state: Any) -> str:
    return str(game.book_text(game.book_state(state)) if hasattr(game, "book_text") else game.state_to_text(state))


def test_an_edge_of_nobody_is_drawn(tmp_path: Path) -> None:
    game = catalogue.load("go:5")
    (macro,) = written(tmp_path, f"game: go\nmacros:\n  - {{name: a, pattern: '{EDGE} a X', play: a}}\n", game)
    state = after(game, "b3 c3")
    assert moves(game, state, macro.at(state)) == {"A3"}


@pytest.mark.long
@pytest.mark.parametrize(("piece", "longest"), [(chess.QUEEN, 10), (chess.ROOK, 16)])
def test_the_table_of_mates_is_exact(piece: int, longest: int) -> None:
    """The longest mates are those of the literature; from any position one move less is needed after each of ours."""
    table = MateTable(piece)
    rng = random.Random(5)
    needed = []
    for _ in range(300):
        trio = _random_trio(piece, rng)
        moves_needed = table.moves_to_mate(trio)
        assert moves_needed is not None
        needed.append(moves_needed)
        best = table.best_move(trio)
        assert best is not None
        board = _board(piece, trio)
        board.push(chess.Move(*best))
        left = []
        for reply in board.legal_moves:
            board.push(reply)
            kings = board.king(True), board.king(False)
            assert kings[0] is not None
            assert kings[1] is not None
            left.append(table.moves_to_mate((kings[0], board.pieces(piece, True).pop(), kings[1])))
            board.pop()
        assert (max(left) if left else 0) == moves_needed - 1
        assert left or board.is_checkmate()
    assert max(needed) <= longest
    assert table.longest == longest


def _board(piece: int, trio: Trio) -> chess.Board:
    board = chess.Board(None)
    for square, kind, white in zip(trio, (chess.KING, piece, chess.KING), (True, True, False), strict=True):
        board.set_piece_at(square, chess.Piece(kind, white))
    return board


def _random_trio(piece: int, rng: random.Random) -> Trio:
    """A legal position, White to move, in which the piece is not lost."""
    while True:
        king, own, other = rng.sample(range(64), 3)
        board = _board(piece, (king, own, other))
        hanging = chess.square_distance(own, other) == 1 and not board.is_attacked_by(True, own)
        if board.is_valid() and not hanging:
            return king, own, other


@pytest.mark.parametrize(
    "fen", ["8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", "4k3/8/8/8/8/8/r7/7K b - - 0 1"]
)
def test_the_rules_mate_whatever_the_king_does(fen: str) -> None:
    game = catalogue.load("chess")
    state, rng = game.state_from_text(fen), random.Random(2)
    (step,) = [step for macro in shipped_macros(game) for step in macro.at(state)]
    plies = 0
    while game.returns(state) is None:
        state = game.next_state(state, step.action)
        plies += 1
        replies = step.then(state)
        assert {reply.action for reply in replies} == set(game.legal_actions(state))
        if not replies:
            break
        reply = rng.choice(list(replies))
        state = game.next_state(state, reply.action)
        plies += 1
        (step,) = reply.then(state)
    returns = game.returns(state)
    assert returns is not None
    assert abs(returns[0]) == 1
    assert plies <= 31


def test_no_rule_of_mates_speaks_with_other_pieces() -> None:
    game = catalogue.load("chess")
    for fen in ("4k3/8/8/8/8/8/P7/KR6 w - - 0 1", "4k3/8/8/8/8/8/8/KB6 w - - 0 1", "4k3/8/8/8/8/8/8/KR6 b - - 0 1"):
        state = game.state_from_text(fen)
        assert [macro.name for macro in shipped_macros(game) if macro.at(state)] == []


LADDER = ["D5", "E5", "E4", "C8", "F4", "C9", "D6", "pass"]


def test_a_ladder_runs_to_the_capture_whatever_the_chain_does() -> None:
    game: Any = catalogue.load("go:9")
    state = after(game, " ".join(LADDER))
    ladder = named("ladder", game)

    def run(state: Any, step: MacroStep, depth: int) -> int:
        """The deepest line; the chain at E5 is captured in each."""
        state = game.next_state(state, step.action)
        if state.board[game.text_to_action(game.initial_state(), "E5")] == ".":
            return depth
        replies = [reply for reply in step.then(state) if reply.action in game.legal_actions(state)]
        assert replies, "in atari until it is captured"
        deepest = 0
        for reply in replies:
            answered = game.next_state(state, reply.action)
            (answer,) = reply.then(answered)
            deepest = max(deepest, run(answered, answer, depth + 1))
        return deepest

    (step,) = ladder.at(state)
    assert run(state, step, 1) >= 6


def test_a_ladder_that_is_broken_is_not_begun() -> None:
    game: Any = catalogue.load("go:9")
    broken = after(game, " ".join(LADDER).replace("C8", "G7").replace("C9", "H8"))
    assert named("ladder", game).at(broken) == ()


@pytest.mark.long
def test_ladders_are_read_to_an_end_in_any_position() -> None:
    """Captures in the middle of a ladder may go to and fro as kos do."""
    game: Any = catalogue.load("go:7")
    rng = random.Random(1)
    found = 0
    ladder = named("ladder", game)
    for _ in range(30):
        state = game.initial_state()
        for _ in range(70):
            actions = list(game.legal_actions(state))
            if game.returns(state) is not None or len(actions) < 2:
                break
            state = game.next_state(state, rng.choice(actions[:-1]))
            found += bool(ladder.at(state))
    assert found > 300


def drawn(name: str, number: int, extra: str = "") -> tuple[Any, Any, dict[str, int]]:
    """A Go board with the stones of a shipped pattern, the state with Black to move, and the cells of the letters."""
    text = next(one for one in parse_macros(Source(Path("go.yaml"), shipped("go"))) if one.name == name)
    cells = text.patterns[number].value.cells
    game: Any = catalogue.load("go:9")
    edge = any(cell.symbol == EDGE for cell in cells)
    height = max(cell.row for cell in cells)

    def place(column: int, row: int) -> int:
        return (height - row - 1 if edge else height - row + 2) * 9 + column + 2

    places = {cell.symbol: place(cell.column, cell.row) for cell in cells if cell.symbol.islower()}
    stones = {place(cell.column, cell.row): "XO".index(cell.symbol) for cell in cells if cell.symbol in "XO"}
    return game, game.set_up(stones, 0), places


@pytest.mark.parametrize("line", ["a b d c e", "a c e b d"])
def test_a_stone_in_a_net_is_captured_whichever_way_it_runs(line: str) -> None:
    game, state, places = drawn("net", 0)
    net = named("net", game)
    steps = net.at(state)
    white = state.board.count("O")
    for letter in line.split():
        step = next(step for step in steps if step.action == places[letter])
        state = game.next_state(state, step.action)
        steps = step.then(state)
    assert state.board.count("O") == 0 < white


@pytest.mark.parametrize("number", [0, 1])
def test_a_snapback_takes_back_more_than_it_gives(number: int) -> None:
    game, state, places = drawn("snapback", number)
    steps = named("snapback", game).at(state)
    black, white = state.board.count("X"), state.board.count("O")
    for letter in "aba":
        step = next(step for step in steps if step.action == places[letter])
        assert places[letter] in game.legal_actions(state)
        state = game.next_state(state, places[letter])
        steps = step.then(state)
    assert not steps
    assert state.board.count("X") == black + 1
    assert state.board.count("O") <= white - 2
