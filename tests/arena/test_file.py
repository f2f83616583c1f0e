"""The tournament's file: its errors name the line and the field, and the plan that it makes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from playout.arena.file.openings import read_openings
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse, read
from playout.arena.file.types import SPRT_GAMES, Engine, Event, Tournament
from playout.arena.forms.everyone import RoundRobin
from playout.arena.forms.knockout import Knockout
from playout.arena.forms.sprt import SprtMatch
from playout.arena.forms.swiss import Swiss
from playout.arena.terms.job import PlayerBook
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
        (
            "options: {Threads: 1}",
            "book: {file: a.bin, plys: 3}",
            "cup.yaml, line 5, engines.own.book: object contains unknown field 'plys': did you mean 'plies'?",
        ),
        (
            "options: {Threads: 1}",
            "keep: alway",
            "cup.yaml, line 5, engines.own.keep: invalid enum value 'alway': did you mean 'always'?",
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


def test_a_book_is_a_file_or_has_fields(tmp_path: Path) -> None:
    text = FILE.replace("stockfish --quiet", "stockfish, book: a.bin").replace(
        "options: {Threads: 1}", "book: {file: b.yaml, plies: 8}"
    )
    [plan] = plans_of(parse(text, "cup.yaml"), tmp_path)
    books = PlayerBook(str(tmp_path / "a.bin")), PlayerBook(str(tmp_path / "b.yaml"), 8)
    assert tuple(player.book for player in plan.players) == books


def test_a_merge_may_give_what_the_mapping_has_too() -> None:
    text = FILE.replace("options: {Threads: 1}", "options: {<<: &o {Threads: 1, Seed: 2}, Threads: 3}\n    nodes: 5")
    cup = parse(text.replace("    nodes: 100\n", ""), "cup.yaml")
    assert cup.engines["own"].options == {"Threads": 3, "Seed": 2}


NOT_PLAIN = ("[" * 1200, "engines: " + "{a: " * 1200, "a: 2001-13-01", "a: [1", "? [a]\n: b", "a: *b")


@pytest.mark.parametrize("text", NOT_PLAIN, ids=range(len(NOT_PLAIN)))
def test_what_is_no_plain_yaml_is_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=r"^cup\.yaml[^\n]*$"):
        parse(text, "cup.yaml")
    (tmp_path / "o.yaml").write_text(text)
    with pytest.raises(PlayoutError, match=r"o\.yaml[^\n]*$"):
        read_openings(tmp_path / "o.yaml", catalogue.load("hex:4"), None)


def test_the_check_of_a_tournament_shows_all_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "engines: {a: {}, b: {depth: 3}}\ngame: tic_tac_toe\nnodes: 40\n"
    (tmp_path / "cup.yaml").write_text(text)
    assert main(["arena", "check", str(tmp_path / "cup.yaml")]) == 0
    said = capsys.readouterr().out
    assert "inside, nodes 40\n" in said
    assert "inside, depth 3\n" in said
