"""Reader of the text book: plays its lines on the game's board, and collects the moves and the mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Place, Places
from playout.books.base.entry import BookEntry
from playout.books.base.memory import best_first
from playout.books.text.notes import DEFAULT_WEIGHT, NOTHING, Note, is_numbering, read_note, split_word
from playout.books.text.yaml_nodes import DEEPEST, Source, YamlNode
from playout.games import catalogue
from playout.games.errors import BookError, GameError, IllegalMove
from playout.games.game import CHANCE, Game, HasStateText, is_over, text_to_action
from playout.games.nearest import suggestion

VERSION = "1"
KEYS = ("game", "version", "lines", "positions")
MOST_MOVES = 2_000_000
"""Maximum number of moves and lists read from one file; the content of an alias counts each time it is used."""
MOST_KEPT = 20_000
"""Number of moves whose positions are cached for lines with the same beginning."""

_TOKEN = re.compile(r"\{([^{}]*)\}|[^\s{}]+|[{}]")


@dataclass(slots=True)
class _Said:
    """The file's note about one move."""

    action: Any
    note: Note = NOTHING
    at: int = 0
    """Offset of the note."""
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Position:
    """A position that the file has notes about."""

    state: Any
    place: Place
    line: tuple[Any, ...] | None
    moves: dict[Any, _Said] = field(default_factory=dict)
    """Keyed by the action in the book's image."""


@dataclass(slots=True, eq=False)
class _Spot:
    """The current position of a line."""

    state: Any
    line: tuple[Any, ...] | None
    """Actions from the game's start; None below a position given by text."""
    place: Place | None = None
    """Computed when a move from here is first read."""
    steps: dict[str, tuple[_Spot, _Said | None]] = field(default_factory=dict)
    """Cached results of words without notes, because many lines begin alike."""


class Reader:
    """Reads one file. Collects mistakes in ``problems``, each one line with file, line and column."""

    def __init__(self, source: Source, game: Game[Any, Any]) -> None:
        self.problems: list[str] = []
        self._source = source
        self._game = game
        self._places = Places(game)
        self._positions: dict[int, _Position] = {}
        self._open: set[int] = set()
        """The nodes that enclose the current one."""
        self._moves = 0
        self._kept = 0
        """Moves read since the cache was last cleared."""

    def read(self) -> None:
        """Reads the whole file.

        Raises:
            BookError: for a mistake after which reading cannot continue.
        """
        top = _header(self._source)
        name = top["game"]
        if not same_game(name.text, self._game):
            raise BookError(self._source.at(name.start, f"a book of {name.text}, not of {self._game.name}"))
        if "lines" in top:
            self._follow(_Spot(self._game.initial_state(), ()), top["lines"])
        if "positions" in top:
            self._read_positions(top["positions"])

    def entries(self) -> Iterator[BookEntry]:
        """Yields the entries read."""
        for position in self._positions.values():
            yield BookEntry(position.state, best_first(map(_book_move, position.moves.values())), position.line)

    def _problem(self, offset: int, what: str) -> None:
        self.problems.append(self._source.at(offset, what))

    def _read_positions(self, node: YamlNode) -> None:
        if node.kind != "mapping":
            self._problem(node.start, f"positions: a {node.kind} instead of a mapping of position texts to moves")
            return
        for key, value in self._pairs(node):
            if not isinstance(self._game, HasStateText):
                self._problem(key.start, f"{self._game.name} has no position texts; use lines")
                return
            try:
                state = self._game.state_from_text(key.text)
            except GameError as error:
                self._problem(key.start, str(error))
                continue
            if is_over(self._game, state):
                self._problem(key.start, f"the game is over at {key.text!r}")
                continue
            self._follow(_Spot(state, None), value)

    def _pairs(self, node: YamlNode) -> Iterator[tuple[YamlNode, YamlNode]]:
        """Yields the pairs of a mapping whose key is a text and not a duplicate."""
        seen: dict[str, int] = {}
        for key, value in node.pairs():
            if key.kind != "text":
                self._problem(key.start, f"a {key.kind} as a key; keys are texts")
            elif key.text in seen:
                self._problem(key.start, f"a duplicate key: {key.text!r}, first in line {seen[key.text]}")
            else:
                seen[key.text] = self._source.line_of(key.start)
                yield key, value

    def _follow(self, spot: _Spot, node: YamlNode, in_list: bool = False) -> None:
        """Reads the continuation of ``spot``: a line, a list of lines, or a mapping of lines to their continuations."""
        target = node.children[0] if node.kind == "alias" else node
        self._count(1, node)
        if id(target) in self._open:
            self._problem(node.start, f"a cycle: *{node.text} leads back into itself")
            return
        if len(self._open) >= DEEPEST:
            raise BookError(self._source.at(node.start, f"nested deeper than {DEEPEST} levels"))
        self._open.add(id(target))
        if target.kind == "text":
            self._line(spot, target)
        elif target.kind == "mapping":
            for key, value in self._pairs(target):
                self._branch(spot, key, value)
        elif in_list and node.kind != "alias":
            self._words(spot, target)
        else:
            for child in target.children:
                self._follow(spot, child, in_list=True)
        self._open.discard(id(target))

    def _branch(self, spot: _Spot, key: YamlNode, value: YamlNode) -> None:
        """Reads a line with its continuation or, if the value is a number, with the note of its last move."""
        end, said = self._line(spot, key)
        note = value.children[0] if value.kind == "alias" else value
        if note.kind != "text":
            if end is not None:
                self._follow(end, value)
            return
        tokens = list(self._tokens(note))
        for number, (text, offset, is_comment) in enumerate(tokens):
            if is_comment and number:
                if said is not None:
                    said.comments.append(text)
            elif number:
                self._problem(offset, f"{text!r} after a weight; write the moves that follow as a list")
            else:
                try:
                    weight = read_note(text)
                except ValueError as error:
                    self._problem(offset, f"{error}; write the moves that follow as a list")
                    return
                if end is not None:
                    self._set_note(said, weight, key.text, offset)
        if not tokens:
            self._problem(value.start, f"neither a weight nor moves after {key.text!r}")

    def _words(self, spot: _Spot, node: YamlNode) -> None:
        """Reads a line given as a list of moves; its last item may be a continuation."""
        for number, child in enumerate(node.children, 1):
            if child.kind != "text":
                self._follow(spot, child)
                if number < len(node.children):
                    self._problem(node.children[number].start, f"after the {child.kind} that ends a line of moves")
                return
            end, _ = self._line(spot, child)
            if end is None:
                return
            spot = end

    def _line(self, spot: _Spot, node: YamlNode) -> tuple[_Spot | None, _Said | None]:
        """Returns the end of the line and the note of its last move; None after a mistake, and for dice."""
        tokens = list(self._tokens(node))
        words = [text for text, _, is_comment in tokens if not is_comment]
        self._count(len(words), node)
        if not words:
            self._problem(node.start, "an empty line")
            return None, None
        if len(words) > 1:
            # Some games write a move as several words.
            whole = self._parse(spot.state, " ".join(words))
            if not isinstance(whole, str):
                played = self._play(spot, *whole, tokens[0][1], " ".join(words))
                if played[1] is not None:
                    played[1].comments += [text for text, _, is_comment in tokens if is_comment]
                return played
        if self._kept > MOST_KEPT:
            spot.steps.clear()
            self._kept = 0
        end: _Spot = spot
        said: _Said | None = None
        for text, offset, is_comment in tokens:
            if is_comment:
                if said is not None and text not in said.comments:
                    said.comments.append(text)
                continue
            if is_numbering(text):
                continue
            if text not in end.steps:
                parsed = self._parse(end.state, text)
                if isinstance(parsed, str):
                    self._problem(offset, parsed)
                    return None, None
                word = text if parsed[1] is NOTHING else split_word(text)[0]
                end.steps[word] = self._play(end, *parsed, offset, text)
                end, said = end.steps[word]
            else:
                end, said = end.steps[text]
        return end, said

    def _tokens(self, node: YamlNode) -> Iterator[tuple[str, int, bool]]:
        """Yields the words and comments of a text, with their offset and whether each is a comment."""
        cursor = node.start
        for match in _TOKEN.finditer(node.text):
            # Quotes and folded lines shift the text against its source.
            found = self._source.text.find(match[0], cursor, node.end)
            offset = node.start if found < 0 else found
            cursor = cursor if found < 0 else found + len(match[0])
            if match[0] in "{}":
                self._problem(offset, "a comment that is not closed" if match[0] == "{" else "'}' without '{'")
            elif match[1] is not None:
                if comment := " ".join(match[1].split()):
                    yield comment, offset, True
            else:
                yield match[0], offset, False

    def _count(self, moves: int, node: YamlNode) -> None:
        """Counts what is read, so that aliases of aliases cannot expand without limit."""
        self._moves += moves
        if self._moves > MOST_MOVES:
            what = f"more than {MOST_MOVES:,} moves and lists; keep a large book in a store (.book)"
            raise BookError(self._source.at(node.start, what))

    def _parse(self, state: Any, word: str) -> tuple[Any, Note] | str:
        """Parses a word to its action and note; returns the error if it is wrong."""
        try:
            return text_to_action(self._game, state, word), NOTHING
        except IllegalMove as error:
            move, note = split_word(word)
            if move == word or not move:
                return str(error)
        try:
            action = text_to_action(self._game, state, move)
            return action, NOTHING if note is None else read_note(note)
        except (IllegalMove, ValueError) as error:
            return str(error)

    def _play(self, spot: _Spot, action: Any, note: Note, offset: int, word: str) -> tuple[_Spot, _Said | None]:
        self._kept += 1
        said = None if self._game.current_player(spot.state) == CHANCE else self._said(spot, action)
        if note is not NOTHING:
            self._set_note(said, note, word, offset)
        line = None if spot.line is None else (*spot.line, action)
        return _Spot(self._game.next_state(spot.state, action), line), said

    def _said(self, spot: _Spot, action: Any) -> _Said:
        """Returns the note of a move at ``spot``, which a symmetry image of it may share."""
        place = spot.place = spot.place or self._places.of(spot.state)
        position = self._positions.get(place.key)
        if position is None:
            position = self._positions[place.key] = _Position(spot.state, place, spot.line)
        held = place.to_book(action)
        if held not in position.moves:
            own = action if position.state is spot.state else position.place.from_book(held)
            position.moves[held] = _Said(own)
        return position.moves[held]

    def _set_note(self, said: _Said | None, note: Note, word: str, offset: int) -> None:
        if said is None:
            self._problem(offset, f"a weight after {word!r}, which is a roll of the dice, not a move")
        elif said.note not in (NOTHING, note):
            line = self._source.line_of(said.at)
            self._problem(offset, f"{word!r}: the same move has another weight in line {line}")
        elif said.note is NOTHING:
            said.note, said.at = note, offset


def game_name(source: Source) -> str:
    """Returns the game named in the file."""
    return _header(source)["game"].text


def same_game(name: str, game: Game[Any, Any]) -> bool:
    """Whether a book for the game called ``name`` serves ``game``. A name that contains a file is compared by its
    class.
    """
    if name == game.name:
        return True
    file, _, rest = name.partition(":")
    if file.endswith(".py"):
        return rest.partition(":")[0] == type(game).__name__
    try:
        return catalogue.load(name).name == game.name
    except GameError:
        return False


def _header(source: Source) -> dict[str, YamlNode]:
    """Returns the file's parts by key, after checking that game and version are present and valid."""
    root = source.root()
    if root.kind != "mapping":
        raise BookError(source.at(root.start, f"a {root.kind} instead of a mapping with the keys {', '.join(KEYS)}"))
    parts: dict[str, YamlNode] = {}
    for key, value in root.pairs():
        if key.text not in KEYS or key.kind != "text":
            raise BookError(source.at(key.start, f"an unknown key: {key.text!r}{suggestion(key.text, KEYS)}"))
        if key.text in parts:
            raise BookError(source.at(key.start, f"a duplicate key: {key.text!r}"))
        parts[key.text] = value
    if "game" not in parts:
        raise BookError(source.at(root.start, "no game (as in 'game: hex:11')"))
    for name in ("game", "version"):
        if name in parts and parts[name].kind != "text":
            raise BookError(source.at(parts[name].start, f"{name}: a {parts[name].kind} instead of a text"))
    if "version" in parts and parts["version"].text != VERSION:
        node = parts["version"]
        raise BookError(source.at(node.start, f"version {node.text!r} of the text book; known is {VERSION}"))
    return parts


def _book_move(said: _Said) -> BookMove:
    note = said.note
    weight = DEFAULT_WEIGHT if note.weight is None else note.weight
    wins, draws, losses = note.score or (0, 0, 0)
    return BookMove(said.action, weight, wins, draws, losses, note.learn or 0, comment=" / ".join(said.comments))
