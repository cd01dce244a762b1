"""Pictures of pages as inline SVG: as wide as the page, with text of one size.

Horizontal places are percentages, so that a picture fits a phone and a screen without scaling its
text. Every picture has a text that stands for it, and its numbers stand in a table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.report.html.markup import percent, tag
from simulator.report.html.style import LINES, ON_PIECES, PIECES
from simulator.report.page import Markup
from simulator.report.scales import Quantity, scale_of

LEAST_LETTER = 0.045
"""Share of the width from which on a piece has its letter in it, 15 px on a phone;"""
LEAST_TEXT = 0.2
"""and its share too."""
LEAST_EDGED = 0.004
"""Share of the width from which on a piece has an edge, which would else be all of it."""
_ROW = 34
_THIN = 12

PATTERNS = Markup(
    '<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>'
    '<pattern id="waiting" width="7" height="7" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect width="2.4" height="7" fill="#fff" fill-opacity=".6"/>'
    '<rect x="2.4" width="1.1" height="7" fill="#000" fill-opacity=".5"/></pattern></defs></svg>'
)
"""The pattern of hatched bars; once in a page that has any."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a bar."""

    share: float
    """Its part of the width."""
    colour: int = 0
    """Its place in the palette."""
    letter: str = ""
    hatched: bool = False
    text: str = ""
    """Text for a reader who points at it."""
    start: float | None = None
    """Its begin; None: the end of the piece before it."""


def picture(about: str, height: float, *content: Markup, width: str = "100%") -> Markup:
    """Return a picture with the text that stands for it."""
    how = {"role": "img", "width": width, "height": height, "preserveAspectRatio": "none"}
    return tag("svg", [tag("title", about), *content], **how)


def stacked(pieces: Sequence[Piece], about: str) -> Markup:
    """Return one bar of pieces beside each other."""
    return picture(about, 30, *_bar(pieces, 0, 30, with_share=True))


Bar = tuple[str, str, Sequence[Piece]]
"""Its name, its number, and its pieces."""


def bar_rows(
    bars: Sequence[Bar],
    about: str,
    *,
    band: tuple[float, float] | None = None,
    mark: float | None = None,
) -> Markup:
    """Return bars below each other: each with its name and its number above it.

    ``band``: where a stretch across all bars begins and ends; ``mark``: a place with a line.
    """
    content: list[Markup] = []
    if band is not None:
        wide = {"x": percent(band[0]), "width": percent(band[1] - band[0])}
        content.append(tag("rect", y=0, height=len(bars) * _ROW, class_="track", **wide))
    if mark is not None:
        ends = {"x1": percent(mark), "x2": percent(mark)}
        content.append(tag("line", y1=0, y2=len(bars) * _ROW, class_="axis", **ends))
    for place, (name, number, pieces) in enumerate(bars):
        top = place * _ROW
        content.append(tag("text", name, x=0, y=top + 13))
        content.append(tag("text", number, x="100%", y=top + 13, class_="e"))
        content += _bar(pieces, top + 18, _THIN)
    return picture(about, len(bars) * _ROW, *content)


def _bar(
    pieces: Sequence[Piece], top: float, height: float, *, with_share: bool = False
) -> list[Markup]:
    made: list[Markup] = []
    end = 0.0
    for one in pieces:
        start = end if one.start is None else one.start
        end = start + one.share
        box = {"x": percent(start), "y": top, "width": percent(one.share), "height": height}
        edge = {"class_": "edge"} if one.share > LEAST_EDGED else {}
        told = tag("title", one.text) if one.text else None
        made.append(tag("rect", told, fill=PIECES[one.colour], **box, **edge))
        if one.hatched:
            made.append(tag("rect", told, fill="url(#waiting)", **box))
        if one.letter and one.share >= LEAST_LETTER:
            text = one.letter
            if with_share and one.share >= LEAST_TEXT:
                text = f"{text}  {100 * one.share:.1f} %"
            halo = f"paint-order:stroke;stroke:{PIECES[one.colour]};stroke-width:5px"
            style = f"fill:{ON_PIECES[one.colour]};{halo if one.hatched else ''}"
            place = {"x": percent(start + one.share / 2), "y": top + height / 2 + 4.5}
            made.append(tag("text", text, class_="m b", style=style, **place))
    return made


def key(colour: int, letter: str) -> Markup:
    """Return the mark in a table that stands for a colour of a picture."""
    style = f"background:{PIECES[colour]};color:{ON_PIECES[colour]}"
    return tag("span", letter, class_="key", style=style)


def mark(place: int) -> tuple[int, str]:
    """Return the colour and the letter of a row by its place, the largest first."""
    last = len(PIECES) - 1
    return (place, chr(ord("A") + place)) if place < last else (last, "\N{MIDDLE DOT}")


def meter(share: float, x: float, y: float, width: float) -> list[Markup]:
    """Return a small bar that is filled by a share."""
    full = max(0.0, min(1.0, share)) * width
    return [
        tag("rect", x=x, y=y, width=width, height=6.0, class_="track"),
        tag("rect", x=x, y=y, width=full, height=6.0, class_="fill"),
    ]


MOST_POINTS = 400
"""Points of a line; of more, the lowest and the highest of each stretch are kept."""
MOST_MARKED = 40
MOST_TICKS = 6
MOST_TICK_TEXT = 44
"""Letters of all labels below a plot together, so that they fit on a phone."""
_TOP, _BOTTOM = 20, 40
_INSET = 0.012
_DASHES = ("", "6 3", "2 3", "9 3 2 3", "1 4", "12 4")

Point = tuple[float, float]
Tick = tuple[float, str]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a plot; places are fractions of its width and height, from the lower left."""

    name: str
    points: Sequence[Point]
    filled: bool = False
    stairs: bool = False
    """Each height holds up to the next point, and that of the last to the end."""

    def drawn(self) -> list[Point]:
        """Return the corners of the line, which has points at its heights only.

        >>> Line("", [(0.2, 0.1), (0.5, 0.9)], stairs=True).drawn()
        [(0.2, 0.1), (0.5, 0.1), (0.5, 0.9), (1.0, 0.9)]
        """
        if not self.stairs:
            return thinned(self.points)
        ends = [*(x for x, _ in self.points[1:]), 1.0]
        return [
            at for (x, y), end in zip(self.points, ends, strict=True) for at in ((x, y), (end, y))
        ]


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over one quantity."""

    about: str
    lines: Sequence[Line]
    across: Sequence[Tick]
    up: Sequence[Tick]
    label: str = ""
    """Label of the axis across."""
    marks: Sequence[Tick] = ()
    """Places with a line from top to bottom, and what is there."""
    height: int = 220

    def markup(self) -> Markup:
        """Return the plot, with a legend if it has several lines."""
        content: list[Markup] = []
        for place, _ in self.up:
            y = self._y(place)
            content.append(tag("line", x1="0", x2="100%", y1=y, y2=y, class_="grid"))
        content += self._marks()
        content.append(self._curves())
        for number, line in enumerate(self.lines):
            content += self._points(number, line)
        for place, text in self.up[1:]:  # At the bottom it would hide what is drawn.
            content.append(tag("text", text, x="0", y=self._y(place) - 3, class_="soft halo"))
        bottom = self.height - _BOTTOM
        content.append(tag("line", x1="0", x2="100%", y1=bottom, y2=bottom, class_="axis"))
        for place, text in fitting(self.across):
            x = percent(_x(place))
            content.append(tag("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, class_="axis"))
            content.append(tag("text", text, x=x, y=bottom + 17, class_=_anchor(place)))
        content.append(tag("text", self.label, x="50%", y=bottom + 33, class_="m soft"))
        return tag("figure", picture(self.about, self.height, *content), self._legend())

    def _y(self, place: float) -> float:
        return _TOP + (1 - place) * (self.height - _TOP - _BOTTOM)

    def _curves(self) -> Markup:
        """Draw the lines in a picture of its own, which is stretched without its lines' width."""
        made = []
        for number, line in enumerate(self.lines):
            points = line.drawn()
            written = Markup(" ".join(f"{1000 * _x(x):.1f},{self._y(y):.1f}" for x, y in points))
            colour = _colour(number)
            if line.filled and points:
                low = f"{self._y(0):.1f}"
                ends = f"{1000 * _x(points[-1][0]):.1f},{low} {1000 * _x(points[0][0]):.1f},{low}"
                area = Markup(f"{written} {ends}")
                made.append(tag("polygon", points=area, fill=colour, fill_opacity=0.25))
            how = {"vector_effect": "non-scaling-stroke", "fill": "none", **_stroke(number)}
            made.append(tag("polyline", points=written, **how))
        size = {"x": "0", "y": "0", "width": "100%", "height": self.height}
        box = {"viewBox": f"0 0 1000 {self.height}", "preserveAspectRatio": "none"}
        return tag("svg", made, **size, **box)

    def _points(self, number: int, line: Line) -> list[Markup]:
        if len(line.points) > MOST_MARKED or line.filled:
            return []
        return [
            tag("svg", _mark(number), x=percent(_x(x)), y=self._y(y), overflow="visible", width=1)
            for x, y in line.points
        ]

    def _marks(self) -> list[Markup]:
        made = []
        for number, (place, text) in enumerate(self.marks):
            x, y = percent(_x(place)), 12 + 14 * (number % 3)
            dash = {"stroke_dasharray": "3 3", "class_": "axis"}
            made.append(tag("line", x1=x, x2=x, y1=y + 2, y2=self.height - _BOTTOM, **dash))
            made.append(tag("text", text, x=x, y=y, class_=_anchor(place)))
        return made

    def _legend(self) -> Markup | None:
        if len(self.lines) < 2:
            return None
        keys = []
        for number, line in enumerate(self.lines):
            drawn = tag("line", x1=0, x2=34, y1=7, y2=7, **_stroke(number))
            marked = tag("svg", _mark(number), x=17, y=7, overflow="visible", width=1)
            size = {"width": 34, "height": 14}
            small = tag("svg", drawn, marked, aria_hidden="true", class_="swatch", **size)
            keys.append(tag("span", small, line.name, class_="nowrap"))
        return tag("figcaption", [(one, " ") for one in keys])


def _colour(number: int) -> str:
    return LINES[number % len(LINES)]


def _stroke(number: int) -> dict[str, Any]:
    """Return how a line of a plot is drawn."""
    dash = _DASHES[number % len(_DASHES)] or None
    return {"stroke": _colour(number), "stroke_width": 2, "stroke_dasharray": dash}


def _x(place: float) -> float:
    """Keep away from the edges, so that marks are whole."""
    return _INSET + place * (1 - 2 * _INSET)


def _anchor(place: float) -> str:
    return "" if place < 0.12 else "e" if place > 0.88 else "m"


def _mark(number: int) -> Markup:
    """Return the mark of a line, around the point 0, 0."""
    colour = _colour(number)
    if number % 6 == 0:
        return tag("circle", cx=0, cy=0, r=4, fill=colour)
    shapes = ("M-4-4H4V4H-4Z", "M0-5L5 4H-5Z", "M0-5L5 0L0 5L-5 0Z", "M0 5L5-4H-5Z")
    if number % 6 == 5:
        return tag("circle", cx=0, cy=0, r=4, fill="var(--bg)", stroke=colour, stroke_width=2)
    return tag("path", d=shapes[number % 6 - 1], fill=colour)


def thinned(points: Sequence[Point]) -> list[Point]:
    """Keep the lowest and the highest of each stretch of points, in their order.

    >>> len(thinned([(x / 9999, x % 7) for x in range(10000)])) <= MOST_POINTS
    True
    """
    if len(points) <= MOST_POINTS:
        return list(points)
    step = -(-len(points) // (MOST_POINTS // 2))
    kept: list[Point] = []
    for start in range(0, len(points), step):
        some = points[start : start + step]
        ends = {min(some, key=lambda one: one[1]), max(some, key=lambda one: one[1])}
        kept += sorted(ends)
    return kept


def fitting(ticks: Sequence[Tick]) -> list[Tick]:
    """Choose ticks whose labels fit beside each other on a phone, the first and the last of them.

    >>> [text for _, text in fitting([(i / 9, f"{i} MB/s") for i in range(10)])]
    ['0 MB/s', '2 MB/s', '4 MB/s', '5 MB/s', '7 MB/s', '9 MB/s']
    """
    longest = max((len(text) for _, text in ticks), default=1) + 1
    many = max(2, min(MOST_TICKS, MOST_TICK_TEXT // longest))
    if len(ticks) <= many:
        return list(ticks)
    places = {round(i * (len(ticks) - 1) / (many - 1)) for i in range(many)}
    return [ticks[place] for place in sorted(places)]


def ticks_of(quantity: Quantity, most: float) -> tuple[float, list[Tick]]:
    """Return where an axis of a quantity ends, beyond ``most``, and its ticks in one unit."""
    scale = scale_of(quantity, [most])
    up = round_ticks(most / scale.size)
    return up[-1] * scale.size, [(one / up[-1], f"{one:g} {scale.unit}") for one in up]


def round_ticks(most: float, many: int = 4) -> list[float]:
    """Return round numbers from 0 to beyond ``most``.

    >>> round_ticks(35.1), round_ticks(0)
    ([0.0, 10.0, 20.0, 30.0, 40.0], [0.0, 1.0])
    """
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(most / many))
    step = next(power * digit for digit in (1, 2, 2.5, 5, 10) if power * digit * many >= most)
    last = math.ceil(most / step - 1e-9)
    return [number * step for number in range(last + 1)]


def round_ticks_between(low: float, high: float) -> list[float]:
    """Return round numbers from below ``low`` to beyond ``high``; from 0 if these are the same.

    >>> round_ticks_between(10_250, 11_900), round_ticks_between(-0.3, 0.1)
    ([10000.0, 10500.0, 11000.0, 11500.0, 12000.0], [-0.3, -0.2, -0.1, 0.0, 0.1])
    """
    if high <= low:
        return round_ticks(high)
    step = round_ticks(high - low)[1]
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
