"""A run of learning as the page shows it."""

from __future__ import annotations

import math
from html.parser import HTMLParser
from pathlib import Path

import pytest

from playout.cli.main import main
from playout.cli.web.command import _training
from playout.engine.learning.training.log import Row
from playout.engine.learning.training.run import State
from playout.engine.learning.training.settings import Settings
from playout.games.errors import PlayoutError
from playout.web.training import SHOWN, Curve, chart, page

from ..needs import needs
from .served import served
from .talk import Page, get


def row(number: int, **fields: float) -> Row:
    given = {"elo": 10.0 * number, "outcome": 1 / number, **fields}
    rest = dict.fromkeys(("policy", "held_out_outcome", "held_out_policy", "gate_score", "gate_error"), 0.5)
    return Row(number, 100 * number, 5000, 60.0 * number, 3.5, gate_pairs=10, best=number, **{**rest, **given})


class Reader(HTMLParser):
    """Checks that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.curves: list[list[tuple[float, float]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "polyline":
            points = (dict(attributes)["points"] or "").split()
            self.curves.append([(float(x), float(y)) for x, y in (point.split(",") for point in points)])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_the_curves_rise_and_fall_with_the_run() -> None:
    text = page("<connect four>", "plain", [row(number) for number in range(1, 4)])
    assert "&lt;connect four&gt;" in text
    assert "3 generations, 300 games, 3.0 minutes; the best net is that of generation 3, +30 Elo over the plain" in text
    elo, held_out, outcome, *_ = read(text).curves
    assert len(elo) == 7
    assert [y for _, y in elo] == sorted((y for _, y in elo), reverse=True)  # upwards
    assert [y for _, y in outcome] == sorted(y for _, y in outcome)
    assert len({y for _, y in held_out}) == 1


def test_a_run_without_a_generation_says_so() -> None:
    assert "The first generation is under way" in page("hex:5", "nets", [])


def test_the_table_has_the_latest_generations() -> None:
    text = page("hex:5", "nets", [row(number) for number in range(1, 101)])
    assert text.count("<tr>") == SHOWN + 1
    assert text.index("<td>100</td>") < text.index("<td>99</td>")


def test_what_is_not_finite_is_left_out() -> None:
    text = page("hex:5", "nets", [row(1, elo=math.inf, policy=math.nan), row(2)])
    assert "nan" not in "".join(map(str, read(text).curves))
    assert chart([Curve("a", "red", [(1.0, math.nan)])]) == ""
    assert len(read(chart([Curve("a", "red", [(1.0, 2.0)])])).curves[0]) == 1


@pytest.mark.opponents
@needs("starlette")
@needs("uvicorn")
@needs("websockets")
def test_a_run_is_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["web", "--training", str(tmp_path)]) == 2
    assert f"{tmp_path}: no run; playout learn GAME --out {tmp_path} begins one" in capsys.readouterr().err
    State("hex:5", Settings(), rows=[row(1)]).save(tmp_path / "state.json")
    with served(reports={"training": _training(tmp_path)}) as found:
        status, headers, body = get(found.place, "/training")
        assert (status, headers["Refresh"]) == (200, "10")
        assert "<h1>hex:5</h1>" in body
        assert get(found.place, "/tournament")[0] == 404
        with Page(found.place) as one:
            one.say(t="sit")
            assert one.hear("seated")["reports"] == ["training"]
        (tmp_path / "state.json").write_text("{")
        assert get(found.place, "/training")[0] == 503
    with pytest.raises(PlayoutError, match="not the state of a run"):
        _training(tmp_path)
