"""Plots of tunings are files of SVG."""

from __future__ import annotations

import random
from xml.etree import ElementTree

from playout.arena.report.plots import ratings
from playout.arena.tune.plots import MOST_POINTS, standalone, trails
from playout.engine.statistics.samples import Estimate

SVG = "{http://www.w3.org/2000/svg}"


def test_a_trail_has_a_panel_for_each_option() -> None:
    rng = random.Random(1)
    values = [[rng.random() for _ in range(3000)], [5.0] * 3000]
    root = ElementTree.fromstring(trails(["A<B", "C & D"], values, [0.5, 5.0]))
    assert root.tag == f"{SVG}svg"
    lines = root.findall(f"{SVG}polyline")
    assert len(lines) == 2
    _, _, width, height = (float(word) for word in root.attrib["viewBox"].split())
    for line in lines:
        points = [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()]
        assert 2 <= len(points) <= MOST_POINTS + 2
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
        assert points[-1][0] == max(x for x, _ in points)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "A<B: 0.5" in texts and "C & D: 5" in texts
    assert {"0", "1499", "2999"} <= set(texts)


def test_a_trail_without_a_step_is_a_plot() -> None:
    root = ElementTree.fromstring(trails(["A"], [[1.0]], [1.0]))
    assert root.find(f"{SVG}polyline") is not None


def test_a_plot_of_a_page_is_a_file_of_its_own() -> None:
    text = standalone(ratings(["one", "two"], [Estimate(3, -1, 7), Estimate(-3, -7, 1)]))
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert [circle.tag for circle in root.iter(f"{SVG}circle")] == [f"{SVG}circle"] * 2
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
