"""Reader of macro files: YAML, in the form described in docs/books.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from playout.books.macros.decision_tree import MacroTurn, Marked
from playout.books.macros.name_check import NameCheck
from playout.books.macros.patterns import ANY, EMPTY, Cell, Pattern
from playout.books.macros.words import Content, Phrase, Words, phrase_of, words_of
from playout.books.text.yaml_nodes import Source, YamlNode
from playout.games.errors import PlayoutError
from playout.games.game import Game, HasStateText, text_to_action
from playout.games.nearest import nearest

START = "start"
"""The position in which a game starts."""
_KEYS = (
    *("name", "game", "note", "pattern", "patterns", "position", "moves", "rule"),
    *("where", "play", "replies", "weight", "visits", "value", "only"),
)
MOST_VISITS = 10_000
MOST_TURNS, MOST_DEPTH = 100_000, 100
"""Maximum number of our moves in one file, and in one line; aliases in YAML can multiply moves and form cycles."""
MOST_PATTERNS, MOST_CELLS = 200, 2_000
"""Bounds of the drawings in a file, and of their cells other than ``?``: each is kept in all its images."""


@dataclass(frozen=True, slots=True)
class MacroText:
    """One macro as the file has it. Exactly one of ``patterns``, ``position`` and ``rule`` is given."""

    name: str
    game: str
    """The name of a game, or its part before the colon, which stands for all sizes."""
    turn: MacroTurn
    weight: float
    visits: int
    value: float
    only: bool = False
    patterns: tuple[Marked[Pattern], ...] = ()
    men: tuple[Content, ...] = ()
    """Named men that conditions of the first turn find, instead of a place in the drawing."""
    position: Marked[str] | None = None
    moves: tuple[Marked[str], ...] = ()
    rule: Marked[str] | None = None

    def is_for(self, game: Game[Any, Any]) -> bool:
        """Whether it is a macro for ``game``."""
        return self.game in (game.name, game.name.partition(":")[0])

    def first_state(self, game: Game[Any, Any]) -> Any:
        """Returns the state of ``position``, before ``moves``.

        Raises:
            BookError: if the game has no such position.
        """
        assert self.position is not None
        if self.position.value == START:
            return game.initial_state()
        if not isinstance(game, HasStateText):
            raise self.position.error(f"positions of {game.name} have no text; position: {START} and moves lead there")
        try:
            return game.state_from_text(self.position.value)
        except PlayoutError as error:
            raise self.position.error(str(error)) from error

    def state(self, game: Game[Any, Any]) -> Any:
        """Returns the state after ``moves`` from ``position``.

        Raises:
            BookError: if the game has no such position or move.
        """
        state = self.first_state(game)
        for move in self.moves:
            state = game.next_state(state, legal(game, state, move))
        return state


def legal(game: Game[Any, Any], state: Any, move: Marked[str]) -> Any:
    """Returns the action of a move in a file.

    Raises:
        BookError: if it is not legal at ``state``.
    """
    try:
        return text_to_action(game, state, move.value)
    except PlayoutError as error:
        raise move.error(str(error)) from error


def parse_macros(source: Source) -> Sequence[MacroText]:
    """Returns the macros of a file.

    Raises:
        BookError: one line with file, line, column and the offending text.
    """
    return _Reader(source).document(source.root())


class _Reader:
    """Reads the nodes of a file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._turns = self._depth = self._patterns = self._cells = 0
        self._words_here: Words = words_of("")
        self._men: list[Content] = []
        self._named: set[str] = set()
        self._drawn = False

    def document(self, node: YamlNode) -> list[MacroText]:
        keys = self._mapping(node)
        self._known(keys, ("game", "macros"))
        if "macros" not in keys:
            raise self._marked(node).error("expected a mapping with the key macros")
        game = self._scalar(keys["game"]).value if "game" in keys else None
        return [self._macro(one, game) for one in self._sequence(keys["macros"])]

    def _macro(self, node: YamlNode, game: str | None) -> MacroText:
        keys = self._mapping(node)
        self._known(keys, _KEYS)
        name = self._scalar(self._needed(node, keys, "name")).value
        if game is None or "game" in keys:
            game = self._scalar(self._needed(node, keys, "game")).value
        kinds = [key for key in ("pattern", "patterns", "position", "rule") if key in keys]
        if len(kinds) != 1:
            raise self._marked(node).error(f"macro {name!r} needs exactly one of pattern, patterns, position, rule")
        drawings = [keys["pattern"]] if "pattern" in keys else self._sequence(keys.get("patterns"))
        self._words_here, self._men, self._drawn = words_of(game), [], bool(drawings)
        patterns = tuple(self._pattern(one) for one in drawings)
        if kinds[0] == "patterns" and not patterns:
            raise self._marked(keys["patterns"]).error("no pattern in it")
        self._named = {one for pattern in patterns for one in pattern.value.names}
        if "rule" in keys and ("play" in keys or "replies" in keys):
            raise self._marked(node).error("a rule computes its moves: play and replies are not allowed")
        turn = MacroTurn(None) if "rule" in keys else self._turn(node, keys, top=True)
        men = tuple(self._men)
        for pattern in patterns:
            NameCheck(self._words_here, pattern, men).turn(turn, frozenset())
        directed = self._words_here.is_directed(men)
        patterns = tuple(
            replace(pattern, value=replace(pattern.value, is_directed=True)) if directed else pattern
            for pattern in patterns
        )
        return MacroText(
            name,
            game,
            turn,
            weight=self._number(keys, "weight", 1.0, 0.0, 1e6),
            visits=int(self._number(keys, "visits", 0, 0, MOST_VISITS)),
            value=self._number(keys, "value", 0.0, -1.0, 1.0),
            only=self._truth(keys["only"]) if "only" in keys else False,
            patterns=patterns,
            men=men,
            position=self._scalar(keys["position"]) if "position" in keys else None,
            moves=self._words(keys["moves"]) if "moves" in keys else (),
            rule=self._scalar(keys["rule"]) if "rule" in keys else None,
        )

    def _turn(self, node: YamlNode, keys: Mapping[str, YamlNode], top: bool = False) -> MacroTurn:
        self._turns += 1
        self._depth += 1
        if self._turns > MOST_TURNS or self._depth > MOST_DEPTH:
            raise self._marked(node).error(
                f"a cycle, or more than {MOST_DEPTH} of our moves in a line or {MOST_TURNS} in a file"
            )
        play = self._scalar(keys["play"]) if "play" in keys else None
        if play is None and not (top and "replies" in keys):
            raise self._marked(node).error("missing key: play" + (" or replies" if top else ""))
        conditions = self._where(keys["where"], play, top=top) if "where" in keys else ()
        replies = self._pairs(keys["replies"]) if "replies" in keys else []
        turn = MacroTurn(play, tuple((reply, self._answer(answer)) for reply, answer in replies), conditions)
        self._depth -= 1
        return turn

    def _answer(self, node: YamlNode) -> MacroTurn:
        if _meant(node).kind == "list" and self._drawn and self._words_here.relations:
            turns = [self._answer(one) for one in _meant(node).children]
            if not turns:
                raise self._marked(node).error("no answer in it")
            answer = turns.pop()
            while turns:
                answer = replace(turns.pop(), instead=answer)
            return answer
        if _meant(node).kind == "text":
            return MacroTurn(self._scalar(node))
        keys = self._mapping(node)
        self._known(keys, ("where", "play", "replies"))
        return self._turn(node, keys)

    def _where(self, node: YamlNode, play: Marked[str] | None, *, top: bool) -> tuple[Marked[Phrase], ...]:
        """Returns the conditions of a turn, and notes the men that those of the first one name."""
        if not self._drawn or not self._words_here.relations or play is None:
            raise self._marked(node).error("where is for our moves in patterns of chess and backgammon")
        found = []
        for one in _meant(node).children if _meant(node).kind == "list" else [node]:
            said = self._scalar(one)
            name, verb, kind = (*said.value.split(maxsplit=2), "", "", "")[:3]
            if verb == "is":
                content = self._words_here.content(f"{name}:{kind}")
                if content is None or not top:
                    why = (
                        f"a man is a letter and {self._words_here.allowed}"
                        if top
                        else "men are named in the first where"
                    )
                    raise said.error(why)
                if content.name in self._named:
                    raise said.error(f"letter {content.name} stands twice")
                self._named.add(content.name)
                self._men.append(content)
                continue
            phrase = phrase_of(self._words_here, said.value)
            if isinstance(phrase, str):
                raise said.error(phrase)
            found.append(Marked(phrase, said.text, said.file, said.line, said.column))
        return tuple(found)

    def _pattern(self, node: YamlNode) -> Marked[Pattern]:
        drawing = self._scalar(node)
        self._patterns += 1
        if self._patterns > MOST_PATTERNS:
            raise drawing.error(f"more than {MOST_PATTERNS} patterns in a file")
        cells, names, contents = list[Cell](), set[str](), list[Content]()
        for row, line in enumerate(drawing.value.splitlines()):
            block = _meant(node).style == "|"
            place = replace(drawing, text=line, line=drawing.line + row + 1) if block else drawing
            for column, word in enumerate(line.split()):
                content = self._words_here.content(word)
                if content is None:
                    raise place.error(f"{word!r} is no cell: {self._words_here.allowed}")
                if content.name in names:
                    raise place.error(f"letter {content.name} stands twice in the pattern")
                names |= {content.name} - {""}
                contents.append(content)
                self._cells += content.symbol != ANY
                if self._cells > MOST_CELLS:
                    raise place.error(f"more than {MOST_CELLS} cells in the patterns of a file")
                cells.append(_cell(column, row, content))
        if not names:
            raise drawing.error("no letter in the pattern, so nothing can be played")
        if self._words_here.row:
            cells = self._in_one_row(drawing, cells)
        pattern = Pattern(tuple(cells), self._words_here.is_directed(contents))
        return Marked(pattern, drawing.text, drawing.file, drawing.line, drawing.column)

    def _in_one_row(self, drawing: Marked[str], cells: list[Cell]) -> list[Cell]:
        """Returns the cells of all lines one after another; those of the whole board keep their places."""
        whole = self._words_here.row
        if len(cells) > whole or (len({cell.row for cell in cells}) > 1 and len(cells) != whole):
            raise drawing.error(f"{len(cells)} points: a row of at most {whole}, or all {whole} in several lines")
        return [replace(cell, column=place, row=0) for place, cell in enumerate(cells)]

    def _number(self, keys: Mapping[str, YamlNode], key: str, default: float, least: float, most: float) -> float:
        if key not in keys:
            return default
        word = self._scalar(keys[key])
        try:
            number = float(word.value)
        except ValueError:
            raise word.error(f"{key} is no number") from None
        if not least <= number <= most:
            raise word.error(f"{key} is not between {least:g} and {most:g}")
        return number

    def _truth(self, node: YamlNode) -> bool:
        word = self._scalar(node)
        if word.value not in ("true", "false"):
            raise word.error("neither true nor false")
        return word.value == "true"

    def _words(self, node: YamlNode) -> tuple[Marked[str], ...]:
        if _meant(node).kind == "list":
            return tuple(self._scalar(one) for one in _meant(node).children)
        whole = self._scalar(node)
        return tuple(Marked(word, word, whole.file, whole.line, whole.column) for word in whole.value.split())

    def _known(self, keys: Mapping[str, YamlNode], allowed: Sequence[str]) -> None:
        for key, node in keys.items():
            if key not in allowed:
                near = nearest(key, allowed) or f"; keys here: {', '.join(allowed)}"
                raise self._marked(node).error(f"no such key {key!r}{near}")

    def _needed(self, node: YamlNode, keys: Mapping[str, YamlNode], key: str) -> Any:
        if key not in keys:
            raise self._marked(node).error(f"a macro without {key}")
        return keys[key]

    def _mapping(self, node: YamlNode) -> dict[str, YamlNode]:
        return {key.value: value for key, value in self._pairs(node)}

    def _pairs(self, node: YamlNode) -> list[tuple[Marked[str], YamlNode]]:
        if _meant(node).kind != "mapping":
            raise self._marked(node).error("expected a mapping")
        pairs = [(self._scalar(key), value) for key, value in _meant(node).pairs()]
        seen = set()
        for key, _ in pairs:
            if key.value in seen:
                raise key.error("stands twice")
            seen.add(key.value)
        return pairs

    def _sequence(self, node: YamlNode | None) -> list[YamlNode]:
        if node is None:
            return []
        if _meant(node).kind != "list":
            raise self._marked(node).error("expected a list")
        return _meant(node).children

    def _scalar(self, node: YamlNode) -> Marked[str]:
        if _meant(node).kind != "text":
            raise self._marked(node).error("expected a word")
        text, marked = _meant(node).text, self._marked(_meant(node))
        value = text if _meant(node).style in ("|", ">") else text.strip()
        return Marked(value, text, marked.file, marked.line, marked.column)

    def _marked(self, node: YamlNode) -> Marked[None]:
        text = self._source.text[node.start : node.end]
        return Marked(None, text, str(self._source.path), *self._source.place_of(node.start))


def _cell(column: int, row: int, content: Content) -> Cell:
    """Returns a cell of a drawing. A letter alone is its own symbol."""
    symbol = content.name if content.name and content.symbol == EMPTY else content.symbol
    return Cell(column, row, symbol, content.kinds, content.name)


def _meant(node: YamlNode) -> YamlNode:
    """Returns the node, or the node that it is an alias of."""
    return node.children[0] if node.kind == "alias" else node
