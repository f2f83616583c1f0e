"""A small engine with a defect, for tests of the probes: ``wrong_engine.py PROTOCOL PACKAGES RULES``.

PROTOCOL is uci, ugi, gtp or xboard; PACKAGES is the folder with python-chess. Without rules the engine is right.
RULES are what goes wrong, divided by the character 30, and their parts by 31: ``out PATTERN TEXT`` rewrites lines that
it says, and drops those that become empty; ``in PATTERN ACTION TEXT`` concerns lines that it hears, where ACTION is one
of

- die, exit: the engine ends, by a signal or with status TEXT;
- ignore, say: nothing happens, or TEXT is the answer;
- before, also: TEXT is said before or behind the answer;
- as: TEXT is heard instead; sleep: the answer is TEXT seconds late.

While it thinks, lines that it hears begin with ``* `` for the patterns; the end of the input is the line <eof>.
The engine can also live in the process of a test, which then is its world: see ``inside.py``.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing is left out, and json, because some hundred of these are started
    from typing import Any, NoReturn, Protocol

    class World(Protocol):
        """The surroundings of an engine: it writes to them, and leaves them."""

        def write(self, line: str) -> None: ...

        def leave(self, status: int) -> NoReturn: ...

        def crash(self) -> NoReturn: ...


QUIET = (
    *(".", "xboard", "random", "hard", "easy", "name", "rating", "computer", "draw"),
    *("accepted", "rejected", "hint", "st", "sd", "time", "otim", "memory", "cores"),
)
"""Commands of XBoard's protocol that need no answer."""
MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


def chess() -> Any:
    """python-chess, which is imported when it is needed."""
    import chess

    return chess


class Process:
    """The world of an engine that has a process of its own."""

    def write(self, line: str) -> None:
        os.write(1, line.encode() + b"\n")

    def leave(self, status: int) -> NoReturn:
        os._exit(status)

    def crash(self) -> NoReturn:
        os.kill(os.getpid(), signal.SIGSEGV)
        while True:
            time.sleep(3600)


class Engine:
    """The part that the engines of all protocols share."""

    def __init__(self, protocol: str, rules: list[list[str]], world: World) -> None:
        self.protocol, self.rules, self.world = protocol, rules, world
        self.thinking = False

    def say(self, text: str) -> None:
        """Writes lines, with what the rules make of them."""
        for line in text.split("\n"):
            told = line
            for kind, pattern, *rest in self.rules:
                if kind == "out":
                    told = re.sub(pattern, rest[0], told)
            if told or not line:
                self.world.write(told)

    def hear(self, line: str) -> None:
        after = None
        for kind, pattern, *rest in self.rules:
            if kind != "in" or not re.search(pattern, "* " * self.thinking + line):
                continue
            action, text = rest
            if action == "die":
                self.world.crash()
            elif action == "exit":
                self.world.leave(int(text))
            elif action == "ignore":
                return
            elif action == "say":
                self.say(text)
                return
            elif action == "before":
                self.say(text)
            elif action == "also":
                after = text
            elif action == "as":
                line = re.sub(pattern, text, line)
            elif action == "sleep":
                time.sleep(float(text))
        if line in ("<eof>", "quit") and self.protocol != "gtp":
            if self.thinking:
                self.finish()
            self.world.leave(0)
        self.do(line)
        if after is not None:
            self.say(after)

    def do(self, line: str) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """Ends the search."""


class Uci(Engine):
    """UCI and UGI. It moves at once, or waits for stop."""

    def __init__(self, protocol: str, rules: list[list[str]], world: World) -> None:
        super().__init__(protocol, rules, world)
        self.many, self.chess960 = 1, False
        self.board: Any = None
        self.answer = ""

    def do(self, line: str) -> None:
        words = line.split()
        if not words:
            return
        if words[0] == self.protocol:
            self.say("id name Wrong\nid author nobody")
            for option in (
                "Hash type spin default 16 min 1 max 64",
                "Move Overhead type spin default 10 min 0 max 100",
                "MultiPV type spin default 1 min 1 max 5",
                "Ponder type check default false",
                "Style type combo default solid var solid var wild one",
                "UCI_Chess960 type check default false",
                "UCI_ShowWDL type check default false",
                "Book type string default <empty>",
                "Clear Hash type button",
            ):
                self.say(f"option name {option}")
            self.say(f"{self.protocol}ok")
        elif words[0] == "isready":
            self.say("readyok")
        elif words[0] == "setoption":
            self.set(words)
        elif words[0] == "position":
            self.position(words[1:])
        elif words[0] == "go":
            self.go(words[1:])
        elif words[0] in ("stop", "ponderhit") and self.thinking:
            self.finish()
        elif words[0] == "query":
            self.query(words[1])

    def set(self, words: list[str]) -> None:
        name, _, value = " ".join(words[2:]).lower().partition(" value ")
        if name == "multipv" and value.isdigit():
            self.many = max(1, int(value))
        elif name == "uci_chess960":
            self.chess960 = value == "true"

    def start(self) -> Any:
        return self.board or chess().Board()

    def position(self, words: list[str]) -> None:
        text, _, moves = " ".join(words).partition(" moves ")
        try:
            board = chess().Board(chess960=self.chess960)
            if text != "startpos":
                board.set_fen(text.removeprefix("fen "))
            for move in moves.split():
                board.push_uci(move)
        except (ValueError, IndexError):
            self.say("info string no such position")
            return
        if board.is_valid():
            self.board = board

    def go(self, words: list[str]) -> None:
        if self.thinking:
            self.finish()
        board = self.start()
        allowed: list[str] = []
        if "searchmoves" in words:
            for word in words[words.index("searchmoves") + 1 :]:
                if not MOVE.fullmatch(word):
                    break
                allowed.append(word)
        moves = [move for move in board.legal_moves if not allowed or board.uci(move) in allowed]
        mating = [move for move in moves if self.mates(board, move)]
        moves = mating + [move for move in moves if move not in mating]
        for number, move in enumerate(moves[: self.many], 1):
            score = "mate 1" if move in mating else "cp 10"
            text = board.uci(move)
            self.say(f"info depth 1 multipv {number} score {score} nodes 5 nps 50 time 1 pv {text}")
            self.say(f"info currmove {text} currmovenumber {number}")
        self.answer = "bestmove (none)"
        if moves:
            self.answer = f"bestmove {board.uci(moves[0])}"
            board.push(moves[0])
            replies = list(board.legal_moves)
            if replies and self.protocol == "uci":
                self.answer += f" ponder {board.uci(replies[0])}"
            board.pop()
        self.thinking = True
        if (
            "infinite" in words
            or "ponder" in words
            or not {"depth", "nodes", "movetime", "mate"}
            & {
                *words,
                *("depth" for word in words if word.endswith("time")),
            }
        ):
            return
        self.finish()

    @staticmethod
    def mates(board: Any, move: Any) -> bool:
        board.push(move)
        mates = board.is_checkmate()
        board.pop()
        return bool(mates)

    def finish(self) -> None:
        self.thinking = False
        self.say(self.answer)

    def query(self, word: str) -> None:
        board = self.start()
        outcome = board.outcome(claim_draw=True)
        result = {"1-0": "p1win", "0-1": "p2win", "1/2-1/2": "draw"}[outcome.result()] if outcome else "none"
        answers = {"p1turn": board.turn, "gameover": bool(outcome), "result": result}
        self.say(f"response {str(answers[word]).lower()}")


class Gtp(Engine):
    """GTP, with a small board for Go. It plays the first legal point."""

    def __init__(self, protocol: str, rules: list[list[str]], world: World) -> None:
        super().__init__(protocol, rules, world)
        self.size = 9
        self.history: list[dict[str, str]] = [{}]
        self.scored = False

    def do(self, line: str) -> None:
        if line == "<eof>":
            self.world.leave(0)
        words = re.sub(r"[\x00-\x08\x0b-\x1f]", "", line).partition("#")[0].split()
        if not words:
            return
        number = words.pop(0) if words[0].isdigit() else ""
        name, arguments = words[0] if words else "", [word.lower() for word in words[1:]]
        command = getattr(self, f"do_{name}", None)
        try:
            text = command(*arguments) if command else None
            told = f"={number} {text}" if command else f"?{number} unknown command"
        except (TypeError, ValueError, IndexError) as error:
            known = str(error) in ("illegal move", "unacceptable size", "cannot undo")
            told = f"?{number} {error if known else 'syntax error'}"
        self.say(f"{told}\n")
        if name == "quit":
            self.world.leave(0)

    @property
    def points(self) -> list[str]:
        columns = "abcdefghjklmnopqrstuvwxyz"[: self.size]
        return [f"{column}{row}" for column in columns for row in range(1, self.size + 1)]

    def beside(self, point: str) -> list[str]:
        columns = "abcdefghjklmnopqrstuvwxyz"
        x, y = columns.index(point[0]), int(point[1:])
        near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [f"{columns[i]}{j}" for i, j in near if 0 <= i < self.size and 1 <= j <= self.size]

    def dead(self, board: dict[str, str], point: str) -> set[str]:
        chain, queue = {point}, [point]
        while queue:
            for other in self.beside(queue.pop()):
                if other not in board:
                    return set()
                if board[other] == board[point] and other not in chain:
                    chain.add(other)
                    queue.append(other)
        return chain

    def after(self, colour: str, point: str) -> dict[str, str]:
        board = dict(self.history[-1])
        if colour not in ("b", "w", "black", "white"):
            raise ValueError("colour")
        if point == "pass":
            return board
        if point in board or point not in self.points:
            raise ValueError("illegal move")
        board[point] = colour[0]
        for other in self.beside(point):
            if board.get(other, colour[0]) != colour[0]:
                for taken in self.dead(board, other):
                    del board[taken]
        if self.dead(board, point) or board in self.history:
            raise ValueError("illegal move")
        return board

    def do_protocol_version(self) -> str:
        return "2"

    def do_name(self) -> str:
        return "Wrong"

    def do_version(self) -> str:
        return "1"

    def do_list_commands(self) -> str:
        return "\n".join(name[3:] for name in dir(self) if name.startswith("do_"))

    def do_known_command(self, name: str) -> str:
        return str(hasattr(self, f"do_{name}")).lower()

    def do_quit(self) -> str:
        return ""

    def do_boardsize(self, size: str) -> str:
        if not 2 <= int(size) <= 25:
            raise ValueError("unacceptable size")
        self.size, self.history = int(size), [{}]
        return ""

    def do_clear_board(self) -> str:
        self.history = [{}]
        return ""

    def do_komi(self, komi: str) -> str:
        float(komi)
        return ""

    def do_play(self, colour: str, point: str) -> str:
        self.history.append(self.after(colour, point))
        return ""

    def do_undo(self) -> str:
        if len(self.history) == 1:
            raise ValueError("cannot undo")
        self.history.pop()
        return ""

    def do_reg_genmove(self, colour: str) -> str:
        for point in self.points:
            try:
                self.after(colour, point)
            except ValueError as error:
                if str(error) != "illegal move":
                    raise
                continue
            return point.upper()
        return "PASS"

    def do_genmove(self, colour: str) -> str:
        move = self.do_reg_genmove(colour)
        self.do_play(colour, move.lower())
        return move

    def do_time_settings(self, *numbers: str) -> str:
        list(map(float, numbers))
        return ""

    def do_time_left(self, colour: str, seconds: str, stones: str) -> str:
        float(seconds)
        return ""

    def do_showboard(self) -> str:
        return "\n".join(["a board", str(self.history[-1])])

    def do_loadsgf(self, file: str) -> str:
        raise ValueError("cannot load file")

    def do_fixed_handicap(self, number: str) -> str:
        if not 2 <= int(number) <= 9 or self.history[-1]:
            raise ValueError("handicap")
        return self.do_set_free_handicap(*self.points[: int(number)])

    def do_place_free_handicap(self, number: str) -> str:
        return self.do_fixed_handicap(number)

    def do_set_free_handicap(self, *points: str) -> str:
        if self.history[-1] or len({*points} & {*self.points}) != len(points):
            raise ValueError("handicap")
        self.history = [dict.fromkeys(points, "b")]
        return " ".join(points)

    def do_final_score(self) -> str:
        return "B+3.5"

    def do_final_status_list(self, status: str) -> str:
        if status not in ("alive", "dead", "seki"):
            raise ValueError("status")
        return " ".join(self.history[-1]) if status == "alive" else ""


class XBoard(Engine):
    """XBoard's protocol. It moves at once, unless the clock is long."""

    def __init__(self, protocol: str, rules: list[list[str]], world: World) -> None:
        super().__init__(protocol, rules, world)
        self.board: Any = None
        self.mode, self.post, self.long, self.analysing, self.own = "play", False, False, False, False

    def do(self, line: str) -> None:
        words = line.split()
        if not words:
            return
        command = getattr(self, f"do_{words[0]}", None)
        if self.thinking and words[0] not in ("ping", "?"):
            self.thinking = words[0] not in ("force", "new")
        if words[0] == "?":
            if self.thinking:
                self.finish()
        elif words[0] in QUIET:
            return
        elif MOVE.fullmatch(words[0]) or command is None:
            self.say(f"Error (unknown command): {line}")
        else:
            command(*words[1:])

    @property
    def start(self) -> Any:
        if self.board is None:
            self.board = chess().Board()
        return self.board

    def do_protover(self, _: str) -> None:
        self.say('feature done=0\nfeature myname="Wrong" ping=1 setboard=1 usermove=1 playother=1 memory=1 smp=1')
        self.say('feature option="Style -combo solid /// *wild" option="Depth -spin 1 0 9" option="Sure -check 1"')
        self.say("feature done=1")

    def do_new(self) -> None:
        self.board, self.mode, self.long, self.own = None, "play", False, False

    def do_force(self) -> None:
        self.mode = "force"

    def do_post(self) -> None:
        self.post = True

    def do_nopost(self) -> None:
        self.post = False

    def do_ping(self, number: str) -> None:
        self.say(f"pong {number}")

    def do_level(self, moves: str, base: str, increment: str) -> None:
        self.long = base == "120"

    def do_setboard(self, *fen: str) -> None:
        try:
            board = chess().Board(" ".join(fen))
        except ValueError:
            board = None
        if board is None or not board.is_valid():
            self.say("tellusererror Illegal position")
        else:
            self.board = board

    def do_usermove(self, move: str) -> None:
        try:
            self.start.push_uci(move)
        except ValueError:
            self.say(f"Illegal move: {move}")
            return
        if self.mode == "play" and not self.analysing and not self.over():
            self.think()

    def do_go(self) -> None:
        self.mode = "play"
        self.think()

    def do_playother(self) -> None:
        self.mode = "play"

    def do_undo(self) -> None:
        self.start.pop()

    def do_remove(self) -> None:
        self.start.pop()
        self.start.pop()

    def do_result(self, *_: str) -> None:
        self.mode = "force"

    def do_analyze(self) -> None:
        self.analysing = True

    def do_exit(self) -> None:
        self.analysing = False

    def over(self) -> bool:
        outcome = self.start.outcome()
        if outcome:
            self.say(f"{outcome.result()} {{{outcome.termination.name.lower()}}}")
        return bool(outcome)

    def think(self) -> None:
        self.thinking = True
        if not self.long:
            self.finish()

    def finish(self) -> None:
        self.thinking = False
        move = next(iter(self.start.legal_moves))
        if self.post:
            self.say(f"1 10 0 20 {move.uci()}")
        self.say(f"move {move.uci()}")
        self.start.push(move)
        self.over()


def engine_of(protocol: str, rules: str, world: World) -> Engine:
    """Returns the engine for the protocol, with the defects that the rules describe."""
    kinds: dict[str, type[Engine]] = {"uci": Uci, "ugi": Uci, "gtp": Gtp, "xboard": XBoard}
    return kinds[protocol](protocol, [rule.split("\x1f") for rule in rules.split("\x1e") if rule], world)


def main() -> None:
    """Reads commands until the end of the input."""
    protocol, packages, rules = sys.argv[1:]
    sys.path.append(packages)
    engine = engine_of(protocol, rules, Process())
    for line in sys.stdin:
        engine.hear(line.rstrip("\n"))
    engine.hear("<eof>")


if __name__ == "__main__":
    main()
