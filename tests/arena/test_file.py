"""The tournament's file: its errors name the line and the field, its openings come from every format."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from playout.arena.file.openings import OpeningBook, read_openings
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse, read
from playout.arena.file.types import SPRT_GAMES, Engine, Event, Openings, Tournament
from playout.arena.forms.everyone import RoundRobin
from playout.arena.forms.knockout import Knockout
from playout.arena.forms.sprt import SprtMatch
from playout.arena.forms.swiss import Swiss
from playout.arena.play.board import board_of
from playout.arena.terms.job import Opening
from playout.arena.terms.pace import Pace
from playout.cli.main import main
from playout.games import catalogue
from playout.games.errors import PlayoutError

FILE = """\
name: cup
engines:
  fish: {command: stockfish --quiet, options: {Hash: 16, Ponder: false}}
  own:
    options: {Threads: 1}
    nodes: 100
game: chess
games: 10
time: 10+0.1
"""


def test_a_file_with_one_event_has_its_fields_at_the_top() -> None:
    cup = parse(FILE, "cup.yaml")
    assert (cup.name, list(cup.engines), [event.game for event in cup.events]) == ("cup", ["fish", "own"], ["chess"])
    [plan] = plans_of(cup, Path())
    fish, own = plan.players
    assert (fish.command, fish.protocol, fish.pace) == (("stockfish", "--quiet"), "uci", Pace(time=10, increment=0.1))
    assert (fish.options, own.protocol, own.pace) == ({"Hash": 16, "Ponder": False}, "inside", Pace(nodes=100))
    assert (plan.form, plan.total, plan.name) == (RoundRobin(2, 5), 10, "chess")


def test_fields_beside_events_hold_for_each_that_does_not_name_them() -> None:
    text = FILE.replace("game: chess\n", "events: [{game: chess}, {game: 'go:9', games: 2, event: small}]\n")
    one, two = plans_of(parse(text, "cup.yaml"), Path())
    assert (one.name, one.total, two.name, two.total) == ("chess", 10, "small", 2)
    assert one.players == two.players


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("games: 10", "gaems: 10", "cup.yaml, line 8: object contains unknown field 'gaems': did you mean 'games'?"),
        ("games: 10", "games: ten", "cup.yaml, line 8, games: expected 'int', got 'str'"),
        ("games: 10", "games: 0", "cup.yaml, line 8, games: expected 'int' >= 1"),
        (
            "    options",
            "    option",
            "cup.yaml, line 5, engines.own: object contains unknown field 'option': did you mean 'options'?",
        ),
        (
            "command: stockfish --quiet",
            "command: stockfish, protocol: usi",
            "cup.yaml, line 3, engines.fish.protocol: invalid enum value 'usi': did you mean 'ugi'?",
        ),
        ("game: chess", "form: swis", "cup.yaml, line 7, form: invalid enum value 'swis': did you mean 'swiss'?"),
        ("game: chess\n", "", "cup.yaml, line 1: object missing required field 'game'"),
        ("options: {Threads: 1}", "options: 5", "cup.yaml, line 5, engines.own.options: expected 'object', got 'int'"),
        ("time: 10+0.1", "time: [1", "cup.yaml, line 10: expected ',' or ']', but got '<stream end>'"),
        (
            "games: 10",
            "events:\n- {game: 'go:9', plies: 3}",
            "cup.yaml, line 9, events.1: object contains unknown field 'plies': did you mean 'players'?",
        ),
        (
            "games: 10",
            "adjudication:\n  draw: {number: 3, foo: 2}",
            "cup.yaml, line 9, adjudication.draw: object contains unknown field 'foo'; allowed are moves, number, "
            "score",
        ),
        (
            "games: 10",
            "openings: {order: rnd}",
            "cup.yaml, line 8, openings.order: invalid enum value 'rnd': did you mean 'random'?",
        ),
        (
            "games: 10",
            "adjudication: {draw: {moves: 0}}",
            "cup.yaml, line 8, adjudication.draw.moves: expected 'int' >= 1",
        ),
        (
            "games: 10",
            "adjudication: {draw: {number: 0}}",
            "cup.yaml, line 8, adjudication.draw.number: expected 'int' >= 1",
        ),
        (
            "games: 10",
            "adjudication: {draw: {score: -1}}",
            "cup.yaml, line 8, adjudication.draw.score: expected 'int' >= 0",
        ),
        (
            "games: 10",
            "adjudication:\n  plies: 40\n  resign: {moves: 0}",
            "cup.yaml, line 10, adjudication.resign.moves: expected 'int' >= 1",
        ),
        (
            "games: 10",
            "adjudication: {resign: {score: -5}}",
            "cup.yaml, line 8, adjudication.resign.score: expected 'int' >= 0",
        ),
        ("games: 10", "adjudication: {plies: 0}", "cup.yaml, line 8, adjudication.plies: expected 'int' >= 1"),
        ("games: 10", "adjudication: {solve: 0}", "cup.yaml, line 8, adjudication.solve: expected 'float' > 0.0"),
        ("games: 10", "games: 10\ngame: go", "cup.yaml, line 9: 'game' is there twice, first in line 7"),
        ("  own:", "  fish: {}\n  own:", "cup.yaml, line 4: 'fish' is there twice, first in line 3"),
        ("{Threads: 1}", "{Threads: 1, Threads: 2}", "cup.yaml, line 5: 'Threads' is there twice, first in line 5"),
        (FILE, "- one\n- two\n", "cup.yaml: a tournament with engines and a game expected"),
    ],
    ids=lambda value: value.strip()[:24],
)
def test_a_mistake_is_told_with_its_line_and_field(old: str, new: str, said: str) -> None:
    with pytest.raises(PlayoutError) as found:
        parse(FILE.replace(old, new, 1), "cup.yaml")
    assert str(found.value) == said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("game: chess", "game: ches", "line 7, game: no game 'ches': did you mean 'chess'?"),
        ("game: chess", "game: goo", "line 7, game: no game 'goo': did you mean 'go'?"),
        ("game: chess", "game: xiangqi", "line 7, game: no game 'xiangqi': one of tic_tac_toe, "),
        ("time: 10+0.1", "time: soon", "line 9, time: time control 'soon': expected"),
        ("nodes: 100", "time: soon", "line 6, engines.own.time: time control 'soon': expected"),
        ("time: 10+0.1\n", "", "line 3, engines.fish: no time control: time, movetime, nodes or depth"),
        ("games: 10", "movetime: 1.0", "line 8, movetime: only one of time and movetime"),
        ("games: 10", "players: [fish, onw]", "line 8, players.2: no engine 'onw': did you mean 'own'?"),
        ("games: 10", "players: [fish, fish]", "line 8, players.2: 'fish' is named twice"),
        ("games: 10", "players: [fish]", "line 8, players: at least two expected"),
        ("games: 10", "form: gauntlet\nseeds: 2", "line 9, seeds: 2 of 2 players leave no opponent"),
        ("games: 10", "form: sprt\nsprt: {elo0: 5, elo1: 0}", "line 9, sprt: SPRT: elo0 is 5"),
        ("games: 10", "form: sprt\nswap: false", "line 9, swap: an sprt counts pairs"),
        ("games: 10", "openings: {file: none.epd}", "line 8, openings.file: none.epd: No such file"),
        (
            "stockfish --quiet",
            "stockfish, protocol: inside",
            "line 3, engines.fish: protocol inside has no command",
        ),
        ("command: stockfish --quiet", "protocol: uci", "line 3, engines.fish: protocol uci needs a command"),
        ("stockfish --quiet", "'stockfish \"'", "line 3, engines.fish.command: no closing quotation"),
        (
            "command: stockfish --quiet",
            "enters: true, protocol: gtp",
            "line 3, engines.fish: it enters, so its protocol is ugi",
        ),
        (
            "command: stockfish",
            "enters: true, command: stockfish",
            "line 3, engines.fish: command and enters: only one of them",
        ),
        (
            "command: stockfish",
            "connect: 'a:1', command: stockfish",
            "line 3, engines.fish: command and connect: only one of them",
        ),
        (
            "fish: {command: stockfish --quiet",
            "a b: {enters: true",
            "line 3, engines.a b: it enters, so its name has no blanks",
        ),
        (
            "command: stockfish --quiet",
            "command: gnugo --mode gtp, depth: 3",
            "line 3, engines.fish: GTP knows neither",
        ),
        (
            "command: stockfish --quiet",
            "command: gnugo",
            "line 3, engines.fish: GNU Go speaks GTP with the words --mode",
        ),
        ("game: chess", "event: a/b\ngame: chess", "line 7, event: 'a/b': a name without / expected"),
    ],
    ids=lambda value: value.strip()[:24],
)
def test_what_cannot_be_played_is_told(old: str, new: str, said: str) -> None:
    with pytest.raises(PlayoutError, match=r"^[^\n]*$") as found:
        plans_of(parse(FILE.replace(old, new, 1), "cup.yaml"), Path())
    assert str(found.value).startswith(f"cup.yaml, {said}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("time: 10+0.1", "time: 10s", "cup.yaml, line 4, time: time control '10s'"),
        ("{game: go}", "{game: go, time: 10s}", "cup.yaml, line 7, events.2.time: time control '10s'"),
        ("{game: go}", "{game: go, players: [a, c]}", "cup.yaml, line 7, events.2.players.2: no engine 'c'"),
        ("{game: go}", "{game: goo}", "cup.yaml, line 7, events.2.game: no game 'goo': did you mean 'go'?"),
        ("{game: go}", "{game: go, form: gauntlet, seeds: 2}", "cup.yaml, line 7, events.2.seeds: 2 of 2 players"),
        ("games: 2", "seeds: 2\nform: gauntlet", "cup.yaml, line 3, seeds: 2 of 2 players"),
        ("{game: go}", "{game: chess}", "cup.yaml, line 7, events.2: event: two are called 'chess'; each needs a name"),
    ],
    ids=lambda value: value.strip()[:24],
)
def test_what_cannot_be_played_of_several_events_is_told_where_it_stands(old: str, new: str, said: str) -> None:
    text = (
        "engines: {a: {command: x}, b: {command: x}}\nname: n\ngames: 2\ntime: 10+0.1\n"
        "events:\n  - {game: chess}\n  - {game: go}\n"
    )
    with pytest.raises(PlayoutError, match=r"^[^\n]*$") as found:
        plans_of(parse(text.replace(old, new, 1), "cup.yaml"), Path())
    assert str(found.value).startswith(said)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nods: 60", "cup.yaml, line 2: object contains unknown field 'nods': did you mean 'nodes'?"),
        ("engins: {}", "cup.yaml, line 2: object contains unknown field 'engins': did you mean 'engines'?"),
    ],
)
def test_a_misspelt_field_above_events_is_told_where_it_stands(line: str, said: str) -> None:
    text = f"engines: {{a: {{}}, b: {{}}}}\n{line}\nevents:\n  - {{game: go}}\n  - {{game: chess}}\n"
    with pytest.raises(PlayoutError) as found:
        parse(text, "cup.yaml")
    assert str(found.value) == said


def test_a_misspelt_engines_is_told_where_no_other_stands() -> None:
    with pytest.raises(PlayoutError) as found:
        parse("engins: {a: {}, b: {}}\nevents: [{game: go}]\n", "cup.yaml")
    assert str(found.value) == "cup.yaml, line 1: object contains unknown field 'engins': did you mean 'engines'?"


def test_what_was_read_from_no_file_is_told_by_the_field() -> None:
    one = Tournament(engines={"a": Engine(time="soon"), "b": Engine()}, events=(Event(game="go"),))
    with pytest.raises(PlayoutError, match=r"^engine a: time: time control 'soon'"):
        plans_of(one, Path())
    two = Tournament(engines={"a": Engine(), "b": Engine()}, events=(Event(game="go"), Event(game="gp")))
    with pytest.raises(PlayoutError, match=r"^event gp: game: no game 'gp'"):
        plans_of(two, Path())


def test_the_source_of_a_file_is_no_part_of_its_content() -> None:
    cup = parse(FILE, "cup.yaml")
    assert cup.source is not None
    again = msgspec.json.decode(msgspec.json.encode(cup), type=Tournament)
    assert again == cup and again.source is None


@pytest.mark.parametrize(
    ("command", "protocol"),
    [
        ("stockfish", "uci"),
        ("playout ugi --game {game}", "ugi"),
        ("gnugo --mode gtp", "gtp"),
        ("playout xboard", "xboard"),
        ("playout ubgi", "ubgi"),
        ("gnubg", "gnubg"),
        ("/usr/games/gnubg -q", "gnubg"),
        ("gnugo --mode gtp --level 3", "gtp"),
        ("playout xboard gnubg", "xboard"),
        ("crafty", "uci"),
        ("mygtpbot", "uci"),
    ],
)
def test_a_command_line_that_names_its_protocol_needs_no_other_word(command: str, protocol: str) -> None:
    [plan] = plans_of(parse(FILE.replace("stockfish --quiet", f"'{command}'"), "cup.yaml"), Path())
    assert plan.players[0].protocol == protocol


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("form: swiss\nrounds: 3", Swiss(2, 3, 5)),
        ("form: swiss", Swiss(2, 1, 5)),
        ("form: swiss\nswap: false", Swiss(2, 1, 10, 1)),
        ("form: knockout", Knockout(2, 5)),
    ],
)
def test_the_forms_have_their_fields(words: str, form: object) -> None:
    [plan] = plans_of(parse(f"{FILE}{words}\n", "cup.yaml"), Path())
    assert plan.form == form
    assert plan.total is None


def test_an_sprt_has_its_test() -> None:
    [plan] = plans_of(parse(f"{FILE}form: sprt\nsprt: {{elo0: -3, elo1: 3}}\n", "cup.yaml"), Path())
    assert isinstance(plan.form, SprtMatch)
    assert (plan.form.test.elo0, plan.form.test.elo1, plan.form.pairs, plan.total) == (-3, 3, 5, 10)


@pytest.mark.parametrize("text", [FILE, FILE.replace("game: chess", "events: [{game: chess}]")], ids=["top", "list"])
def test_an_sprt_without_games_ends_with_a_decision_only(text: str) -> None:
    text = text.replace("games: 10\n", "form: sprt\n")
    [plan] = plans_of(parse(text, "cup.yaml"), Path())
    assert isinstance(plan.form, SprtMatch)
    assert (plan.form.pairs, plan.total) == (SPRT_GAMES // 2, None)


def test_paths_are_seen_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text((Path(__file__).parents[1] / "api" / "nim.py").read_text())
    (tmp_path / "start.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n")
    text = FILE.replace("games: 10", "openings: {file: start.epd}").replace("stockfish --quiet", "./fish")
    (tmp_path / "cup.yaml").write_text(text)
    [plan] = plans_of(read(tmp_path / "cup.yaml"), tmp_path)
    assert plan.players[0].command == (str(tmp_path / "fish"),)
    assert plan.openings[0].start == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=r"none\.yaml: No such file"):
        read(tmp_path / "none.yaml")


# Openings.


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_openings_come_from_epd_and_fen(tmp_path: Path) -> None:
    text = (
        "# two positions\n"
        'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id "e4";\n'
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n"
    )
    found = read_openings(written(tmp_path, "two.epd", text), catalogue.load("chess"))
    assert [opening.start for opening in found] == [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1",
    ]
    assert [opening.name for opening in found] == ["two.epd, line 2", "two.epd, line 3"]


def test_openings_come_from_pgn_cut_to_plies(tmp_path: Path) -> None:
    path = written(tmp_path, "two.pgn", "1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n")
    assert [one.moves for one in read_openings(path, catalogue.load("chess"))] == [
        ("e2e4", "e7e5", "g1f3"),
        ("d2d4", "d7d5"),
    ]
    assert [one.moves for one in read_openings(path, catalogue.load("chess"), 1)] == [("e2e4",), ("d2d4",)]


def test_openings_come_from_sgf(tmp_path: Path) -> None:
    path = written(tmp_path, "one.sgf", "(;GM[1]SZ[9];B[ee];W[gg])")
    assert [one.moves for one in read_openings(path, catalogue.load("go:9"))] == [("E5", "G3")]


def test_openings_come_from_lines_of_text(tmp_path: Path) -> None:
    path = written(tmp_path, "one.games", "playout games of connect_four:7,6\n*\t\td\tc\n")
    game = catalogue.load("connect_four")
    path.write_text(path.read_text().replace("connect_four:7,6", game.name))
    assert [one.moves for one in read_openings(path, game)] == [("d", "c")]


def test_a_merge_may_give_what_the_mapping_has_too() -> None:
    text = FILE.replace("options: {Threads: 1}", "options: {<<: &o {Threads: 1, Seed: 2}, Threads: 3}\n    nodes: 5")
    cup = parse(text.replace("    nodes: 100\n", ""), "cup.yaml")
    assert cup.engines["own"].options == {"Threads": 3, "Seed": 2}


NOT_PLAIN = ("[" * 3000, "engines: " + "{a: " * 3000, "a: 2001-13-01", "a: [1", "? [a]\n: b", "a: *b")


@pytest.mark.parametrize("text", NOT_PLAIN, ids=range(len(NOT_PLAIN)))
def test_what_is_no_plain_yaml_is_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=r"^cup\.yaml[^\n]*$"):
        parse(text, "cup.yaml")
    (tmp_path / "o.yaml").write_text(text)
    with pytest.raises(PlayoutError, match=r"o\.yaml[^\n]*$"):
        read_openings(tmp_path / "o.yaml", catalogue.load("hex:4"), None)


def test_openings_come_from_yaml(tmp_path: Path) -> None:
    path = written(tmp_path, "two.yaml", "- a1 b1\n- {moves: [c3], name: corner}\n")
    found = read_openings(path, catalogue.load("tic_tac_toe"))
    assert list(found) == [
        Opening(moves=("a1", "b1"), name="two.yaml, opening 1"),
        Opening(moves=("c3",), name="corner"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.epd", "", "x.epd: no openings"),
        ("x.epd", "# nothing\n\nnonsense\n", "x.epd, line 3: "),
        ("x.epd", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n", "x.epd, line 1: the game is over"),
        ("x.pgn", "1. e4 e4 *\n", "x.pgn, line 1"),
        ("x.pgn", "1. f3 e5 2. g4 Qh4# 0-1\n", "the opening ends the game; openings.plies cuts it"),
        ("x.yaml", "- e2e4 e2e4\n", "x.yaml, opening 1: illegal move"),
        ("x.yaml", "moves: 5\n", "x.yaml: a list of lines of moves expected"),
        ("x.yaml", "- [\n", "x.yaml, line 2: "),
    ],
)
def test_a_mistake_in_the_openings_is_told(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(PlayoutError, match=r"^[^\n]*$") as found:
        list(read_openings(written(tmp_path, name, text), catalogue.load("chess")))
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "x.epd",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n# two\n\nnonsense\n",
            r"x\.epd, line 4: ",
        ),
        ("x.yaml", "- e2e4\n- e2e5\n", r"x\.yaml, opening 2: illegal move"),
    ],
)
def test_an_opening_is_checked_when_it_is_drawn(tmp_path: Path, name: str, text: str, said: str) -> None:
    """A book may have hundreds of thousands of them."""
    book = OpeningBook(catalogue.load("chess"), Openings(file=str(written(tmp_path, name, text))), 1)
    assert len(book) == 2
    assert book[0] == book[2]
    with pytest.raises(PlayoutError, match=rf"^[^\n]*{said}[^\n]*$"):
        book[1]
    with pytest.raises(PlayoutError, match=said):
        book.check()


def test_the_check_of_a_tournament_reads_every_opening(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "x.yaml", "- a1\n- b1 b1\n")
    text = "engines: {a: {}, b: {}}\ngame: tic_tac_toe\nopenings: {file: x.yaml}\n"
    assert main(["arena", "check", str(written(tmp_path, "cup.yaml", text))]) == 2
    assert "x.yaml, opening 2: illegal move" in capsys.readouterr().err


def test_the_check_of_a_tournament_shows_all_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "engines: {a: {}, b: {depth: 3}}\ngame: tic_tac_toe\nnodes: 40\n"
    assert main(["arena", "check", str(written(tmp_path, "cup.yaml", text))]) == 0
    said = capsys.readouterr().out
    assert "inside, nodes 40\n" in said
    assert "inside, depth 3\n" in said


def test_the_openings_begin_anew_after_the_last(tmp_path: Path) -> None:
    path = written(tmp_path, "three.yaml", "- a1\n- b1\n- c1\n")
    game = catalogue.load("tic_tac_toe")
    book = OpeningBook(game, Openings(file=str(path), start=2), 1)
    assert [book[number].moves[0] for number in range(4)] == ["b1", "c1", "a1", "b1"]
    with pytest.raises(PlayoutError, match="3 openings"):
        OpeningBook(game, Openings(file=str(path), start=4), 1)


def test_random_order_depends_on_the_seed_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "many.yaml", "".join(f"- {column}{row}\n" for column in "abc" for row in "123"))
    game, wanted = catalogue.load("tic_tac_toe"), Openings(file=str(path), order="random")
    orders = [[OpeningBook(game, wanted, seed)[number].moves[0] for number in range(9)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2])


@pytest.mark.parametrize("name", ["chess", "backgammon", "hex:5", "tic_tac_toe"])
def test_random_plies_differ_by_number_and_never_end_the_game(name: str) -> None:
    game = catalogue.load(name)
    book = OpeningBook(game, Openings(random=4), 1)
    found = [book[number] for number in range(20)]
    assert found == [OpeningBook(game, Openings(random=4), 1)[number] for number in range(20)]
    assert len({opening.moves for opening in found}) > 10
    for opening in found:
        board = board_of(game)
        for text in opening.moves:
            board.play(text)
        assert board.player is not None


def test_random_plies_that_always_end_the_game_are_told() -> None:
    with pytest.raises(PlayoutError, match="every line of tic_tac_toe"):
        OpeningBook(catalogue.load("tic_tac_toe"), Openings(random=9), 1)[0]
