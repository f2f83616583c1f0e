"""The native module: kernels, search and solvers. Private; use ``playout.engine``."""

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

from _typeshed import ReadableBuffer, WriteableBuffer

__all__ = [
    "Learning",
    "LookAhead",
    "Position",
    "Pulse",
    "Search",
    "SelfPlay",
    "Solver",
    "Syzygy",
    "TdLearner",
    "__version__",
    "graph_game",
    "search_params",
    "solve_bearoff",
]

__version__: str

_Move = tuple[str, int, float, float, float, float, float, int | None, list[str], list[tuple[int, int]], _Lead]
_Solution = tuple[float, float, int | None, list[str], list[tuple[str, float, float, int | None]], str]
_Report = tuple[float, int, float, int, float, int, float, list[_Move], _Lead, float | None]
_Lead = tuple[float, float] | None  # mean and standard deviation
_Variation = tuple[float, list[str], int | None, int]  # value, best play, plies to a known end, positions
_Sight = tuple[list[tuple[str, float]], list[str], int | None, int, int, int, float, list[_Variation]]
# moves near the best, best play, plies to a known end, depth, longest line, positions, share after the best, next best

_Term = tuple[str, str, list[str]]
_Need = tuple[list[str], list[_Term]]
_Param = tuple[
    str, str, str, bool | int | float | str, tuple[float, float] | None, list[str], str, list[_Need]
]  # field, option, kind, default, bounds, words, help, needs

def search_params() -> list[_Param]: ...
def graph_game(path: str | PathLike[str]) -> str: ...
def solve_bearoff(checkers: int, on_progress: Callable[[float], None]) -> bytes: ...

@final
class TdLearner:
    """Nets of a kernel that learn by self-play without look-ahead, by the settings of ``playout.engine.learning.td``.
    The methods block, without the GIL. Errors are ValueErrors of one line."""

    def __new__(
        cls,
        name: str,
        params: dict[str, str],
        settings: Any,
        *,
        widths: list[int],
        weights: str | PathLike[str] | None = None,
        checkpoint: str | PathLike[str] | None = None,
        table: str | PathLike[str] | None = None,
    ) -> TdLearner: ...
    def state(self) -> tuple[int, float]:
        """Returns the games so far and the learning rate of the next ones."""

    def run(self, seconds: float) -> tuple[int, int, float]:
        """Plays and learns until the last game or for about as many seconds. Returns games, positions and mean loss."""

    def save(self, path: str | PathLike[str]) -> None: ...
    def write(self, path: str | PathLike[str], provenance: dict[str, str]) -> None: ...

@final
class SelfPlay:
    """Self-play of many games at once, on a thread of its own, and the rows to learn from that their ends give. The
    methods block, without the GIL. ``take`` and ``read`` may be called beside ``ask`` and ``tell``.
    Buffers are contiguous arrays of C floats with a row for each game, or for each row learned from. Errors of files
    are ValueErrors of one line that names the file."""

    def shape(self) -> tuple[tuple[int, int, int], list[float], int, bool]:
        """Returns columns, rows and planes of the board; results of the outcomes; slots of the policy; and whether
        games end with points and owners of cells."""

    def ask(self, inputs: WriteableBuffer) -> int:
        """Waits until each game waits for a judgement, and writes the planes of the positions; returns the number of
        games that came to their end before."""

    def tell(self, outcomes: ReadableBuffer, policies: ReadableBuffer) -> None:
        """Takes the logits of the outcomes and of the policy's slots for the positions that were asked for, after which
        the games go on, on a thread of their own."""

    def waiting(self) -> int:
        """Returns the number of games that came to their end since ``take``."""

    def keep(self, path: str | PathLike[str]) -> int:
        """Has the games whose rows are taken from now on appended to a file of records; returns how many it has."""

    def read(self, path: str | PathLike[str]) -> int:
        """Adds the games of a file of records to those that are over; returns their number."""

    def take(
        self,
        inputs: WriteableBuffer,
        targets: WriteableBuffer,
        own_outcomes: WriteableBuffer,
        shares: WriteableBuffer,
        own_policies: WriteableBuffer,
        owners: WriteableBuffer,
        points: WriteableBuffer,
    ) -> int:
        """Writes all rows that have room of games that are over, each game seen under a symmetry drawn at random;
        returns their number.
        A row has the planes, the chances of the outcomes, the game's own logits of them, the share of each slot in the
        choice (all 0 where none is learned), and the game's own preferences, -30,000 where no legal action has the
        slot. Of games that end with points it has who holds each cell in the end, 1 the judged player and -1 the other,
        and by how many points the judged player wins; else these arrays have no width."""

@final
class Learning:
    """Self-play, training and matches of one game. The methods block, without the GIL; a callback may raise.

    Errors of files are ValueErrors of one line that names the file."""

    @staticmethod
    def kernel(name: str, params: dict[str, str], full_name: str) -> Learning: ...
    @staticmethod
    def python(game: Any, full_name: str) -> Learning: ...
    def shape(self, *, of_policy: bool = False) -> tuple[str, int, int, bool, str | None, str | None] | None:
        """Returns the name of the inputs, their number, the policy's slots, whether nets judge positions after a move,
        and other inputs whose nets can play: less a slot, any size. ``of_policy``: the policy alone counts."""

    def append(
        self,
        path: str | PathLike[str],
        games: Sequence[tuple[str | None, float, Sequence[str], Sequence[tuple[str | None, float | None]] | None]],
    ) -> int:
        """Appends games that were played elsewhere to a file of records; returns how many it then has.

        A game is the text of the position in which it started, None for the game's own start, the result for player 0,
        the moves, and for each move what is to be learned before it: a move, and the value for the player to move. None
        in its place has the moves themselves learned."""

    def fit(
        self,
        files: Sequence[str | PathLike[str]],
        path: str | PathLike[str],
        provenance: dict[str, str],
        *,
        least: int,
        positions: int,
        sweeps: int,
        on_sweep: Callable[[int, float], object],
    ) -> tuple[int, int, list[tuple[int, float, float, float]], list[str]]:
        """Fits strengths of features of moves to files of records and writes them to ``path``.

        Returns the numbers of games and of features, three measures, of the positions learned from, of those held out,
        and of the game's own preferences on these, and lines on damage. A measure is the number of positions, the mean
        log-likelihood of the choices in nats, and the shares of those that come first and among the first five.
        ``on_sweep`` gets the number of a sweep and the log-likelihood."""

    def balance(
        self,
        files: Sequence[str | PathLike[str]],
        start: str | PathLike[str],
        path: str | PathLike[str],
        provenance: dict[str, str],
        settings: Any,
        on_batch: Callable[[int], object],
    ) -> tuple[int, int, list[tuple[int, float, float]], list[str]]:
        """Changes strengths of features of moves, those of the file ``start``, by what playouts come to at positions
        of files of records, and writes them to ``path``; ``settings`` has the fields of ``Balance``.

        Returns the numbers of games and of positions, two measures of the positions held out, before and after, and
        lines on damage. A measure is the number of positions, the root of the mean squared bias of playouts, and their
        mean bias, the search's value less theirs, for player 0. ``on_batch`` gets the number of positions so far."""

    def generate(
        self,
        path: str | PathLike[str],
        weights: str | PathLike[str] | None,
        manner: Any,
        *,
        games: int,
        seed: int,
        threads: int,
        on_game: Callable[[int, int], object],
    ) -> int:
        """Plays games against itself until the file has ``games`` of them; returns how many it has.

        ``on_game`` gets the number of games that the file then has, and the plies of the last one."""

    def pairs(
        self,
        side: tuple[str | PathLike[str] | None, Any, int],
        other: tuple[str | PathLike[str] | None, Any, int],
        *,
        first: int,
        last: int,
        opening_plies: int,
        seed: int,
        threads: int,
        on_pair: Callable[[float, float], bool],
    ) -> None:
        """Plays the pairs of games from number ``first`` up to ``last`` between two sides: weights, configuration and
        simulations of each.

        ``on_pair`` gets the results of the first side, and returns whether to go on."""

    def self_play(self, manner: Any, aims: Any, *, games: int, seed: int) -> SelfPlay:
        """Returns Gumbel self-play of ``games`` games at once, whose positions are judged in Python. ``manner`` has the
        fields of ``engine/learning/gumbel.rs``.

        Raises:
            ValueError: if no tower of convolutions judges positions of the game."""

    def start(self, widths: Sequence[int], aims: Any, seed: int, tower: tuple[int, int] | None = None) -> None:
        """Starts with nets drawn at random, which learn by the ``Aims`` of ``playout.engine.learning.training``.

        ``tower`` is the number of blocks and of channels of a tower of convolutions."""

    def resume(self, path: str | PathLike[str], aims: Any) -> None: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def write(self, path: str | PathLike[str], provenance: dict[str, str]) -> None: ...
    def read(self, path: str | PathLike[str]) -> tuple[int, int, str | None]:
        """Reads records: number of games, of rows to learn from, and a line on damage at the end of the file."""

    def forget(self, rows: int) -> int: ...
    def train(
        self,
        *,
        steps: int,
        batch: int,
        rate: float,
        last_rate: float,
        decay: float,
        seed: int,
        on_step: Callable[[int], object],
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Takes steps; returns the mean losses, of outcomes and policy, of the steps and of the games held out."""

@final
class Position:
    """A position of a kernel or, by ``python``, of a game in Python.

    Frame i is the game's symmetry i; ``result``, ``playouts`` and ``playout`` are player 0's."""

    def __new__(
        cls, kernel: str, params: dict[str, str], text: str | None = None, tables: list[Path] = ...
    ) -> Position: ...
    @staticmethod
    def python(game: Any) -> Position: ...
    def copy(self) -> Position: ...
    def player(self) -> int: ...
    def result(self) -> float | None: ...
    def actions(self) -> list[int]: ...
    def probability(self, action: int) -> float: ...
    def play(self, action: int) -> None: ...
    def set_player(self, player: int) -> bool: ...
    def fresh_text(self) -> str | None:
        """Returns the text of the position, if nothing that led to it matters to what follows."""

    def follow(self, words: Sequence[str]) -> tuple[int, list[int], tuple[int, bool, str] | None]:
        """Plays the words as far as each is the exact notation of a legal move. Gives up the GIL.

        Returns the number of words played; the places, as numbers of words, where play went on after a draw that nobody
        had claimed; and the latest place to whose position nothing before it matters, with whether play goes on there
        after such a draw, and the text of the position."""
    def action_text(self, action: int) -> str: ...
    def parse_action(self, text: str) -> int | None: ...
    def frames(self) -> int: ...
    def key(self, frame: int = 0) -> int: ...
    def canonical(self) -> tuple[int, int]: ...
    def book_text(self, frame: int) -> str:
        """Returns the text under which playout's own books know the position, seen in the frame.

        It is empty where the kernel has none."""

    def shared_book_key(self) -> int | None:
        """Returns the position's key in the book format that the game shares with other engines, if it has one."""

    def to_frame(self, frame: int, action: int) -> int: ...
    def undo_frame(self, frame: int, action: int) -> int: ...
    def perft(self, depth: int) -> int: ...
    def playouts(self, count: int, seed: int, knowledge: bool = False) -> float: ...
    def playout(self, seed: int, knowledge: bool = False) -> tuple[float, list[tuple[int, int]]]: ...
    def known(self) -> float | None: ...
    def evaluate(self) -> float | None: ...
    def preferences(self) -> list[float] | None: ...
    def ownership(self, count: int, seed: int) -> list[float]: ...

@final
class Search:
    """A searcher. ``stop`` and ``set_deadline``: any thread, must not block; ``run`` blocks, without the GIL."""

    @staticmethod
    def kernel(name: str, params: dict[str, str]) -> Search: ...
    @staticmethod
    def python(game: Any) -> Search: ...
    def set_position(self, text: str | None, moves: list[str]) -> None: ...
    def estimates(self) -> tuple[float | None, list[tuple[str, float]] | None]:
        """Returns H(s) of the root for the player to move, and H(s, a) of each legal move; None where there is none."""

    def restrict(self, moves: list[str]) -> int: ...
    def keep_out(self, rules: list[tuple[int, set[str], bool, int]]) -> int: ...
    def configure(self, config: Any) -> None: ...
    def set_guide(
        self,
        entries: list[
            tuple[str | None, list[str], list[tuple[tuple[str, float, int, float, bool], tuple[int, ...], bool]]]
        ],
        lasting: bool,
    ) -> None: ...
    def set_macros(
        self,
        images: tuple[
            Sequence[tuple[int, int, int, int]],
            Sequence[tuple[int, int, int, int]],
            tuple[int, int, int, int] | None,
            bool,
        ],
        macros: Sequence[
            tuple[
                tuple[float, int, float, bool],
                Sequence[tuple[Sequence[tuple[int, int, tuple[str, int], str | None]], bool]],
                Sequence[tuple[str, tuple[str, int]]],
                Sequence[
                    tuple[
                        tuple[Sequence[tuple[str | None, str]], int] | None,
                        Sequence[tuple[str, Sequence[str], bool]],
                        Sequence[tuple[tuple[Sequence[tuple[str | None, str]], int], int]],
                        int | None,
                        int | None,
                    ]
                ],
            ]
        ],
    ) -> None: ...
    def hints(self) -> list[tuple[str, float, int, float, bool]]: ...
    def set_books(
        self, ask: Callable[..., Sequence[tuple[Any, float, int, float, bool]]] | None, keys: bytes, shared: bytes
    ) -> None: ...
    def set_book_plies(self, plies: int) -> None: ...
    def set_tables(self, paths: Sequence[Path], most_pieces: int, depth: int) -> None: ...
    def set_nets(self, path: str | PathLike[str] | None) -> None: ...
    def set_patterns(self, path: str | PathLike[str] | None) -> None: ...
    def clear(self) -> None: ...
    def free_half(self) -> None: ...
    def report(self, lines: int) -> _Report: ...
    def used(self) -> int: ...
    def upkeep(self) -> tuple[int, int]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def check_savable(self) -> None: ...
    def load(self, path: str | PathLike[str]) -> None: ...
    def prepare(self) -> None: ...
    def stop(self) -> None: ...
    def set_deadline(self, soft: float | None, hard: float | None) -> None: ...
    def run(
        self,
        *,
        nodes: int | None,
        depth: int | None,
        mate: int | None,
        past_proof: bool,
        interval: float,
        lines: int,
        variation: int,
        on_report: Callable[[_Report], None],
    ) -> tuple[str, _Report]: ...

@final
class Solver:
    """A solver. ``stop``, ``progress`` and ``thread``: any thread, must not block; ``solve`` blocks, without the GIL.
    What it finds in one position may save work in the next, until ``release``."""

    @staticmethod
    def kernel(name: str, params: dict[str, str]) -> Solver: ...
    @staticmethod
    def python(game: Any) -> Solver: ...
    def set_position(self, text: str | None, moves: list[str]) -> None: ...
    def stop(self) -> None: ...
    def release(self) -> None: ...
    def thread(self) -> int | None: ...
    def progress(self) -> tuple[int, int, int]: ...
    def solve(
        self, *, method: str, all_moves: bool, lengths: bool, hash_mib: int, threads: int, seconds: float | None
    ) -> _Solution: ...

@final
class LookAhead:
    """A search of a kernel's own. ``stop``, ``set_deadline`` (in seconds from now): any thread, must not block. ``see``
    blocks, without the GIL. ``heard`` gets its result after each depth, and returns whether to go on; ``positions``
    bounds those of the first thread; a draw is worse than even by ``contempt``, hundredths of a pawn in chess, for the
    mover; the ``lines`` best moves get exact values; legal moves of ``only``, unless it is empty, are looked at."""

    def __new__(cls, kernel: str, params: dict[str, str], hash_mib: int) -> LookAhead: ...
    def set_nets(self, path: Path | None) -> None:
        """Takes the net that corrects the evaluation, if the file has one; None puts it away. ValueError: one line."""

    def set_tables(self, paths: Sequence[Path], most_pieces: int, depth: int) -> None: ...
    def prepare(self) -> None: ...
    def stop(self) -> None: ...
    def set_deadline(self, seconds: float | None) -> None: ...
    def see(
        self,
        text: str | None,
        moves: list[str],
        *,
        margin: float,
        threads: int,
        positions: int | None = None,
        contempt: int = 0,
        lines: int = 1,
        only: list[str] = ...,
        heard: Callable[..., bool] | None = None,
    ) -> _Sight: ...

@final
class Syzygy:
    """Syzygy tables in directories. Any thread. None: no position, no table, or one that cannot be read."""

    def __new__(cls, paths: Sequence[Path], most_pieces: int) -> Syzygy: ...
    def wdl(self, fen: str) -> int | None: ...
    def dtz(self, fen: str) -> int | None: ...

@final
class Pulse:
    """Aborts the process, after the message, if no ``beat`` comes for ``seconds``. It ends with the object, or before
    by ``end``. Any thread."""

    def __new__(cls, seconds: float, message: str) -> Pulse: ...
    def beat(self) -> None: ...
    def end(self) -> None: ...
