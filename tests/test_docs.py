"""The documents agree with the code: commands, options, links, and the game that the README writes."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

import playout
from playout.cli import app
from playout.engine.options import document as options_document
from playout.engine.options.search_config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.games import catalogue
from playout.games.check.checker import check
from playout.protocols import documentation
from playout.protocols.gtp.protocol import Gtp
from playout.protocols.uci.go_command import UCI_WORDS, UGI_WORDS, GoWords
from playout.protocols.uci.ugi import Ugi

from .patience import PATIENCE
from .test_imports import FOLDERS

ROOT = Path(__file__).parent.parent
EXISTING = [name for name in FOLDERS if (ROOT / name).is_dir()]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def blocks(text: str, language: str = "") -> list[str]:
    """The fenced blocks of a document, of one language or of all."""
    found: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for tag, code in found if language in ("", tag)]


def section(text: str, heading: str) -> str:
    """The text under ``heading``, up to the next heading of its level or a higher one."""
    level = heading.partition(" ")[0]
    _, _, rest = text.partition(f"\n{heading}\n")
    assert rest, f"no section {heading!r}"
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def converse(protocol: type[Any], game: Any, lines: Sequence[str]) -> list[str]:
    """The replies to ``lines``, each given when the search before it has ended."""
    events: SimpleQueue[Any] = SimpleQueue()
    session = Session(game, post=events.put)
    replies: list[str] = []
    try:
        engine = protocol(session)
        for line in lines:
            replies += engine.handle_line(line, time.monotonic())
            while engine.busy:
                replies += engine.handle_event(events.get(timeout=PATIENCE))
    finally:
        session.close()
    return replies


@pytest.fixture
def mnk(tmp_path: Path) -> str:
    """The README's game in a file, as the registry names it."""
    (code,) = [code for code in blocks(README, "python") if "class Mnk" in code]
    assert len(code.splitlines()) <= 33
    (tmp_path / "my.py").write_text(code, encoding="utf-8")
    return f"{tmp_path}/my.py:Mnk"


def test_the_first_two_blocks_are_one_line_each() -> None:
    install, test = blocks(README)[:2]
    assert install == "python3 -m venv .venv && . .venv/bin/activate && pip install . && playout demo\n"
    assert test == "python3 -m venv .venv-test && . .venv-test/bin/activate && pip install '.[test]' && pytest\n"


@pytest.mark.parametrize("parameters", ["", ":4,3,3", ":m=5,n=4,k=4"])
def test_the_readmes_game_keeps_the_contract(mnk: str, parameters: str) -> None:
    assert check(catalogue.load(mnk + parameters), games=5) == []


def test_the_readmes_game_is_an_object_for_the_python_api(mnk: str) -> None:
    """Without a name, without a file."""
    names: dict[str, Any] = {"__name__": __name__}
    (code,) = [code for code in blocks(README, "python") if "class Mnk" in code]
    exec(code, names)
    for game in (names["Mnk"], names["Mnk"](), names["Mnk"](m=4, n=3)):
        with playout.Engine(game) as engine:
            columns = engine.game.initial_state().index("/")
            engine.play("0", str(columns + 1), "1", str(columns + 2))
            assert engine.think(nodes=3000).move == "2"
            assert engine.game.name == "mnk"


@pytest.mark.parametrize(("moves", "best"), [("0 4 1 5", "2"), ("0 5 1", "2"), ("5 0 10 2", "1")])
def test_the_readmes_game_wins_and_blocks_under_ugi(mnk: str, moves: str, best: str) -> None:
    """A win in one, and twice a loss in one that must be prevented."""
    replies = converse(Ugi, catalogue.load(mnk), ["ugi", f"position startpos moves {moves}", "go nodes 3000"])
    assert "ugiok" in replies
    assert replies[-1] == f"bestmove {best}"


def test_the_readmes_game_wins_and_blocks_under_gtp(mnk: str) -> None:
    options = ["playout-set_option MaxNodes 3000", "playout-set_option MoveTime 3600000"]
    lines = [*options, "play b 0", "play w 5", "play b 1", "genmove w"]
    assert [reply for reply in converse(Gtp, catalogue.load(mnk), lines) if reply][-1] == "= 2"
    lines = [*options, "play b 0", "play w 4", "play b 1", "play w 5", "genmove b"]
    replies = converse(Gtp, catalogue.load(mnk), [*lines, "final_score"])
    assert [reply for reply in replies if reply][-2:] == ["= 2", "= B+"]


@pytest.mark.parametrize("name", ["NamedMnk", "NamedMnk:5,4,4", "Race"])
def test_the_games_of_the_guide_keep_the_contract(mnk: str, name: str) -> None:
    """The guide's blocks are to be added to the README's game."""
    file = Path(mnk.rpartition(":")[0])
    guide = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
    file.write_text("\n\n".join([file.read_text(encoding="utf-8"), *blocks(guide, "python")]), encoding="utf-8")
    assert check(catalogue.load(f"{file}:{name}"), games=5) == []


def test_the_guides_game_is_shown_in_gogui(mnk: str) -> None:
    file = Path(mnk.rpartition(":")[0])
    guide = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
    file.write_text("\n\n".join([file.read_text(encoding="utf-8"), *blocks(guide, "python")]), encoding="utf-8")
    lines = ["gogui-rules_board_size", "boardsize 9", "gogui-play_sequence b J9 w a1", "gogui-rules_board"]
    replies = converse(Gtp, catalogue.load(f"{file}:NamedMnk:9,9,5"), lines)
    assert replies[:6] == ["= 9", "", "= ", "", "= ", ""]
    assert replies[7] == ". . . . . . . . X"
    assert replies[15] == "O . . . . . . . ."


def test_the_options_are_the_tables() -> None:
    """After a change: ``python -m playout.engine.options.generate``."""
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == options_document.document()


def test_the_tables_of_commands_are_what_the_handlers_say() -> None:
    """After a change: ``playout protocols --markdown docs/protocols.md``."""
    text = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    assert text == documentation.filled(text)


@pytest.mark.parametrize(("heading", "words"), [("## UCI", UCI_WORDS), ("## UGI", UGI_WORDS)])
def test_the_words_of_go_are_explained(heading: str, words: GoWords) -> None:
    text = section((ROOT / "docs" / "protocols.md").read_text(encoding="utf-8"), "## UCI")
    text += section((ROOT / "docs" / "protocols.md").read_text(encoding="utf-8"), heading)
    assert sorted(word for word in words.all if not re.search(rf"\b{word}\b", text)) == []


def test_the_readme_names_commands_that_exist() -> None:
    made = app.make_app()
    known = {one.name for one in (*made.registered_commands, *made.registered_groups)}
    for document in DOCUMENTS:
        for code in (*blocks(document.read_text(encoding="utf-8"), "sh"), *re.findall("`([^`\n]+)`", README)):
            assert set(re.findall(r"\bplayout ([a-z]+)\b", code)) <= known, document.name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(\s*([^)#\s]+)", document.read_text(encoding="utf-8"))
    missing = {link for link in targets if "://" not in link and not (document.parent / link).exists()}
    assert missing == set()


def test_every_dependency_is_justified() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for extra in project["project"]["optional-dependencies"].values():
        wanted += extra
    names = {re.split(r"[<>=; ]", one)[0] for one in wanted}
    for crate in ("games", "engine/search", "engine/solver", "engine/core"):
        names |= set(tomllib.loads((ROOT / crate / "Cargo.toml").read_text(encoding="utf-8"))["dependencies"])
    own = {name for name in names if name.startswith("playout-")}
    assert sorted(name for name in names - own if f"`{name}`" not in text) == []


def test_the_folder_map_follows_the_order_of_imports() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)/` \| `playout", text, re.MULTILINE) == EXISTING


def test_the_list_of_files_is_what_the_files_say() -> None:
    """After a change: ``python docs/files.py``."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "import files, sys; sys.stdout.write(files.filled(files.DOCUMENT.read_text('utf-8')))"],
        cwd=ROOT / "docs",
        capture_output=True,
        text=True,
        check=True,
    )
    assert text == done.stdout


def test_the_readme_is_one_page() -> None:
    assert len(README.splitlines()) < 120


def test_the_example_of_the_graph_is_what_the_search_finds() -> None:
    """The numbers of the section "The graph, by an example"."""
    text = section((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), "## The graph, by an example")
    searcher = Searcher(catalogue.load("connect_four"), SearchConfig(exploration=1.0, seed=1))
    searcher.set_position(None, [])
    searcher.prepare()
    searcher.run(nodes=2000)

    def visits(*moves: str) -> tuple[int, dict[str, int]]:
        searcher.set_position(None, list(moves))
        found = searcher.report(7)
        return found.visits, {move.move: move.visits for move in found.moves}

    total, first = visits()
    one_way, other_way, met = visits("d", "c"), visits("e", "c"), visits("d", "c", "e")
    assert met == visits("e", "c", "d")
    assert one_way[1]["e"] + other_way[1]["d"] == met[0]
    for move, number in first.items():
        assert re.search(rf"\b{move}  n = +{number}\b", text), move
    for said in (
        f"empty board, N = {total}\n",
        f"d c, N = {one_way[0]} ",
        f"e c, N = {other_way[0]}\n",
        f"N = {met[0]} = {one_way[1]['e']} + {other_way[1]['d']}\n",
    ):
        assert said in text
