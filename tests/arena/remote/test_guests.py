"""Engines that enter a tournament at its broker, and engines behind ``playout connect``."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from playout.arena.cup import Cup
from playout.arena.drivers.table import start
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.remote.guests import Door, game_of, service_name
from playout.arena.terms.end import End
from playout.arena.terms.job import Job, Player
from playout.arena.trial import check_engines
from playout.cli.main import main
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.protocols.transport.mqtt.client import Broker

from ...needs import needs, require
from ...opponents.pipe import playout
from ...patience import PATIENCE
from ...protocols.transport.brokers import BrokerProcess
from ...protocols.transport.network import Server

PAGE = (Path(__file__).parents[3] / "docs" / "arena.md").read_text(encoding="utf-8")
CUP = """
name: cup
nodes: 20
engines:
  own: {}
  guest: {enters: true, options: {Exploration: 1.5}}
events:
  - {game: "hex:4", games: 2, openings: {random: 1}}
  - {game: "connect_four", games: 2, openings: {random: 2}}
"""


def play_cup(folder: Path, url: Callable[[str], str], *words: str) -> tuple[bytes, str]:
    """Plays the cup with an engine that enters; returns what the worker said, and the engine's log.

    ``url`` is the broker's address for a user; ``words`` are arguments of all three commands.
    """
    (folder / "cup.yaml").write_text(CUP)
    nothing = subprocess.DEVNULL
    enter = playout("enter", url("guest"), "--name", "guest", "--option", "Hash=16", *words)
    guest = subprocess.Popen(enter, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        assert guest.stdout is not None
        assert guest.stdout.readline().startswith("guest has entered mqtt://")
        run = playout("arena", "run", "cup.yaml", "--broker", url("coordinator"), *words)
        with subprocess.Popen(run, stdout=nothing, stderr=nothing, cwd=folder) as cup:
            work = playout("arena", "work", "--broker", url("worker"), "--spool", "spool", *words)
            done = subprocess.run(work, capture_output=True, timeout=PATIENCE, check=True, cwd=folder)
            assert cup.wait(PATIENCE) == 0
        guest.terminate()
        _, log = guest.communicate(timeout=PATIENCE)
    finally:
        if guest.poll() is None:
            guest.kill()
            guest.communicate()
    assert guest.returncode == 130
    with Cup(parse(CUP, "cup.yaml"), folder, folder / "cup.arena") as cup:
        assert [played.end for played in cup.store.games()] == [End.NORMAL] * 4
        assert cup.store.mishaps() == []
    return done.stdout, log


@needs("aiomqtt", "amqtt")
@pytest.mark.opponents
def test_an_engine_enters_and_plays_every_game_of_the_cup(tmp_path: Path) -> None:
    """The rights that the document gives are enough."""
    require("mosquitto")
    [rights] = re.findall(r"```text\n(user coordinator\n.*?)```", PAGE, re.DOTALL)
    (tmp_path / "acl").write_text(rights)
    (tmp_path / "passwords").touch(mode=0o600)
    (tmp_path / "password").write_text("secret\n")
    for user in ("coordinator", "worker", "guest"):
        subprocess.run(["mosquitto_passwd", "-b", tmp_path / "passwords", user, "secret"], check=True)
    # Started by root, mosquitto would otherwise become a user that cannot read these files.
    settings = f"user root\nallow_anonymous false\npassword_file {tmp_path}/passwords\nacl_file {tmp_path}/acl\n"
    with BrokerProcess("mosquitto", tmp_path, settings) as broker:
        url = broker.url.rpartition("/")[0].replace("://", "://{}@") + "/cup"
        said, log = play_cup(tmp_path, url.format, "--password-file", "password")
    assert said.count(b"guest: normal") == 2
    for game in ("hex:4", "connect_four"):
        assert f"ugi:{game} mqtt" in log


def test_a_worker_reaches_who_enters_by_its_own_broker() -> None:
    door = Door(Broker("b.example", 8883, tls=True, user="me", name="cup"), ("--password-file", "/p"))
    own, guest = Player(name="own", protocol="inside"), Player(name="guest", protocol="ugi", enters=True)
    job = door.invite(Job(id="a/1/1", game="go:9,komi=7", players=(own, guest)))
    assert job.players[0] is own
    assert job.players[1].command == (
        *("playout", "connect", "mqtts://me@b.example:8883/cup.guest", "--protocol", "ugi:go:9,komi=7", "--wait", "50"),
        *("--password-file", "/p"),
    )


def test_names_of_sessions_have_the_game() -> None:
    assert game_of(service_name("hex:5,swap=true")) == "hex:5,swap=true"
    assert game_of("ugi") is None
    assert game_of("gtp:hex") is None


def test_without_a_broker_nobody_enters(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=r"^event hex: engine guest: it enters at a broker: playout arena run "):
        check_engines(plans_of(parse(CUP, "cup.yaml"), tmp_path))


def test_the_check_of_a_file_does_not_wait_for_who_enters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cup.yaml").write_text(CUP)
    assert main(["arena", "check", str(tmp_path / "cup.yaml")]) == 0
    assert "hex: guest: it enters at the broker" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--name", "a b"], "--name 'a b': a name without blanks and / + # $ expected"),
        ([], "--name NAME expected: that of the engine in the tournament's file"),
        (["--name", "a", "--engine", "gnugo --mode gtp"], "over MQTT the engine is playout itself, not gnugo"),
        (["--name", "a", "--option", "Exploratoin=1"], "no option 'Exploratoin': did you mean 'Exploration'?"),
        (["--name", "a"], "mqtt://engines.example:1883/cup: a broker on another machine needs mqtts://"),
    ],
)
def test_wrong_words_get_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["enter", "mqtt://engines.example", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.opponents
def test_an_engine_on_another_machine_plays(tmp_path: Path) -> None:
    with Server("--listen", "ugi=127.0.0.1:0", "--game", "hex:4") as server:
        text = f"""
game: hex:4
nodes: 20
openings: {{random: 1}}
engines: {{own: {{}}, far: {{connect: "{server.address}", protocol: ugi}}}}
"""
        (tmp_path / "far.yaml").write_text(text)
        assert main(["arena", "run", str(tmp_path / "far.yaml")]) == 0
    with Cup(parse(text, "far.yaml"), tmp_path, tmp_path / "far.arena") as cup:
        assert [played.end for played in cup.store.games()] == [End.NORMAL] * 2


@pytest.mark.opponents
def test_a_session_that_breaks_off_is_a_lost_connection(tmp_path: Path) -> None:
    with Server("--listen", "ugi=127.0.0.1:0", "--game", "hex:4") as server:
        driver = start(
            Player(name="far", protocol="ugi", command=("playout", "connect", server.address)), catalogue.load("hex:4")
        )
        try:
            server.process.kill()
            server.process.wait()
            with pytest.raises(PlayoutError, match=r"the connection to it was lost") as found:
                driver._process.line(time.monotonic() + PATIENCE)  # type: ignore[attr-defined]
        finally:
            driver.close()
    assert getattr(found.value, "end", None) is End.DISCONNECT
