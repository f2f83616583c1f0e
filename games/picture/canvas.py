"""A drawing that becomes an SVG document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Point = tuple[float, float]

INK = "#333333"
"""Colour of coordinates and captions."""
MEN = (("#222222", "#000000"), ("#fafafa", "#555555"))
"""Fill and outline of the men of player 0 and player 1."""
FONT = "font-family='DejaVu Sans, Helvetica, Arial, sans-serif'"
MONOSPACE = "font-family='DejaVu Sans Mono, Menlo, Consolas, monospace'"
MIDDLE = 0.35
"""Distance from the middle of a digit down to its base line, in font sizes."""


class Canvas:
    """A drawing. Lengths are in pixels; the origin is the top left corner."""

    def __init__(self, width: float, height: float, title: str) -> None:
        """``title`` is the text for screen readers."""
        self._size = f"{_number(width)} {_number(height)}"
        self._head = (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self._size}' width='{_number(width)}' "
            f"height='{_number(height)}' role='img'><title>{_escaped(title)}</title>"
        )
        self._parts: list[str] = []

    def rectangle(
        self, x: float, y: float, width: float, height: float, fill: str, *, outline: str = "none", corner: float = 0
    ) -> None:
        """A rectangle with its top left corner at (x, y); ``corner`` is the radius of its corners."""
        self._add("rect", fill, outline, x=x, y=y, width=width, height=height, **({"rx": corner} if corner else {}))

    def circle(self, x: float, y: float, radius: float, fill: str, *, outline: str = "none", stroke: float = 1) -> None:
        """A circle around (x, y)."""
        self._add("circle", fill, outline, stroke, cx=x, cy=y, r=radius)

    def polygon(self, points: Sequence[Point], fill: str, *, outline: str = "none", stroke: float = 1) -> None:
        """A closed polygon."""
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._parts.append(f"<polygon points='{corners}'{_paint(fill, outline, stroke)}/>")

    def path(self, points: Sequence[Point], colour: str, stroke: float) -> None:
        """A line through points."""
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._parts.append(
            f"<polyline points='{corners}' stroke-linecap='round' stroke-linejoin='round'"
            f"{_paint('none', colour, stroke)}/>"
        )

    def lines(self, lines: Iterable[tuple[Point, Point]], colour: str, stroke: float = 1) -> None:
        """Straight lines."""
        course = "".join(f"M{_number(a)} {_number(b)}L{_number(c)} {_number(d)}" for (a, b), (c, d) in lines)
        self._parts.append(f"<path d='{course}'{_paint('none', colour, stroke)}/>")

    def text(
        self, x: float, y: float, text: str, size: float, *, fill: str = INK, anchor: str = "middle", bold: bool = False
    ) -> None:
        """One line of text, vertically centred at ``y``."""
        weight = " font-weight='bold'" if bold else ""
        self._parts.append(
            f"<text x='{_number(x)}' y='{_number(y + MIDDLE * size)}' font-size='{_number(size)}' {FONT}"
            f" text-anchor='{anchor}' fill='{fill}'{weight}>{_escaped(text)}</text>"
        )

    def monospaced(self, x: float, y: float, text: str, size: float) -> None:
        """One line of text in a monospaced font, with its blanks; its base line begins at (x, y)."""
        self._parts.append(
            f"<text x='{_number(x)}' y='{_number(y)}' font-size='{_number(size)}' {MONOSPACE} xml:space='preserve'"
            f" fill='{INK}'>{_escaped(text)}</text>"
        )

    def document(self) -> str:
        """Returns the SVG document."""
        return f"{self._head}{''.join(self._parts)}</svg>"

    def _add(self, tag: str, fill: str, outline: str, stroke: float = 1, **numbers: float) -> None:
        attributes = "".join(f" {name}='{_number(value)}'" for name, value in numbers.items())
        self._parts.append(f"<{tag}{attributes}{_paint(fill, outline, stroke)}/>")


def _paint(fill: str, outline: str, stroke: float) -> str:
    drawn = f" stroke='{outline}' stroke-width='{_number(stroke)}'" if outline != "none" else ""
    return f" fill='{fill}'{drawn}"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in text)
