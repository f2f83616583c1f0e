"""The server of the page: who may come, what is refused, and what a reload finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.cli.main import main
from playout.cli.web.command import _report
from playout.web import app
from playout.web.messages import LARGEST

from ..needs import needs
from .served import served
from .talk import Page, get, seated

pytestmark = [needs("starlette"), needs("uvicorn"), needs("websockets"), pytest.mark.opponents]


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    """Host and port of a server."""
    with served() as found:
        yield found.place


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/", "text/html"), *((f"/page/{file.name}", "") for file in sorted(app.PAGE.iterdir()))],
    ids=lambda found: str(found),
)
def test_every_part_of_the_page_is_served_with_its_headers(place: str, path: str, kind: str) -> None:
    status, headers, body = get(place, path)
    assert status == 200
    assert headers["Content-Type"].startswith(kind)
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "http://" not in body.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in body


@pytest.mark.parametrize("path", ["/page/../app.py", "/page/%2e%2e/app.py", "/etc/passwd", "/page/"])
def test_nothing_else_is_served(place: str, path: str) -> None:
    assert get(place, path)[0] in (404, 405)


def test_another_host_is_refused(place: str) -> None:
    assert get(place, "/", "evil.example")[0] == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1"])
def test_a_page_of_another_site_is_refused(place: str, origin: str) -> None:
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus) as caught:
        Page(place, origin)
    assert caught.value.response.status_code == 403


def test_a_game_over_the_socket_and_a_reload(place: str) -> None:
    page, table = seated(place)
    with page:
        page.say(t="new", game="tic_tac_toe", side="both")
        page.say(t="play", move="b2")
        while page.hear("view")["ply"] != 1:
            pass
    again, same = seated(place, table)
    with again:
        assert same == table
        view = again.hear("view")
        assert (view["line"], view["side"]) == (["b2"], "both")


def test_two_pages_at_a_table_see_the_same(place: str) -> None:
    page, table = seated(place)
    other, _ = seated(place, table)
    with page, other:
        other.hear("view")
        page.say(t="sides", side="both")
        page.say(t="play", move="a1")
        while other.hear("view")["line"] != ["a1"]:
            pass


def test_a_wrong_wish_is_a_note_and_the_page_stays(place: str) -> None:
    page, _ = seated(place)
    with page:
        for message, said in (
            ({"t": "play", "move": "z9"}, "illegal move: 'z9'"),
            ({"t": "new", "game": "/etc/passwd"}, "no game '/etc/passwd'"),
            ({"t": "new", "game": "<script>alert(1)</script>"}, "no game '<script>"),
            ({"t": "sit"}, "already seated"),
        ):
            page.say(**message)
            assert said in page.hear("note")["text"]
        page.say(t="sides", side="none")
        assert page.hear("view")["side"] == "none"


NO_MESSAGES = (
    "",
    "{",
    "[]",
    '{"t": "shutdown"}',
    '{"t": "play"}',
    '{"t": "go", "ply": -1}',
    '{"t": "play", "move": "a1", "x": 1}',
    f'{{"t": "play", "move": "{"x" * LARGEST}"}}',
    '{"t": "new", "game": "go", "level": 21}',
    "[" * 20_000,
)


@pytest.mark.parametrize("text", NO_MESSAGES, ids=range(len(NO_MESSAGES)))
def test_what_is_no_message_ends_the_connection(place: str, text: str) -> None:
    page, table = seated(place)
    with page:
        page.socket.send(text)
        assert page.closed() == app.WRONG
    again, same = seated(place, table)
    again.socket.close()
    assert same == table


def test_bytes_end_the_connection(place: str) -> None:
    page, _ = seated(place)
    with page:
        page.socket.send(b'{"t": "undo"}')
        assert page.closed() == app.WRONG


def test_a_note_is_short(place: str) -> None:
    page, _ = seated(place)
    with page:
        page.say(t="play", move="x" * 9000)
        assert len(page.hear("note")["text"]) <= app.LONGEST_NOTE


def test_ten_megabytes_end_the_connection(place: str) -> None:
    page, _ = seated(place)
    with page:
        page.socket.send("x" * 10_000_000)
        assert page.closed() in (1009, app.WRONG)


def test_a_page_that_does_not_sit_is_sent_away(place: str) -> None:
    with Page(place) as page:
        page.say(t="undo")
        assert page.closed() == app.POLICY


def test_a_token_is_asked_for() -> None:
    with served(token="the right one") as found:
        for token in ("", "a wrong one"):
            with Page(found.place) as page:
                page.say(t="sit", token=token)
                assert page.closed() == app.POLICY
        with Page(found.place) as page:
            page.say(t="sit", token="the right one")
            page.hear("seated")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "other machines can reach 0.0.0.0"),
        (["--tls-cert", "x"], "come together"),
        (["--game", "ches"], "no game 'ches'"),
        (["--host", "256.0.0.1x", "--token-file", "x", "--tls-cert", "x", "--tls-key", "x"], "x"),
    ],
)
def test_wrong_arguments_are_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["web", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_port_that_is_taken_is_one_line(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["web", "--port", place.partition(":")[2]]) == 2
    assert "Address already in use" in capsys.readouterr().err


def test_a_tournament_is_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cup = tmp_path / "cup.yaml"
    assert main(["web", "--cup", str(cup)]) == 2
    assert "cup.arena: no such file; arena run makes it" in capsys.readouterr().err
    cup.write_text("name: a <b> cup\nengines: {one: {}, two: {}}\ngame: tic_tac_toe\nnodes: 5\n")
    assert main(["arena", "run", str(cup)]) == 0
    with served(token="secret", reports={"tournament": _report(cup, None)}) as found:
        assert get(found.place, "/tournament")[0] == 403
        status, headers, body = get(found.place, "/tournament?token=secret")
        assert (status, headers["Refresh"]) == (200, "10")
        assert "script-src" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "a &lt;b&gt; cup" in body
        assert "<script" not in body
        cup.unlink()
        assert get(found.place, "/tournament?token=secret")[0] == 503


def test_there_may_be_no_tournament(place: str) -> None:
    assert get(place, "/tournament")[0] == 404
    with Page(place) as page:
        page.say(t="sit")
        assert page.hear("seated")["reports"] == []
