"""Line plots of pages: places across in percent, labels above their lines, one size of text.

A line has a colour, dashes and marks of its own, so that none of them is needed to tell it apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.report.html.markup import Markup, Value, percent, tag
from simulator.report.html.style import PIECES
from simulator.report.html.svg import picture

MOST_POINTS = 400
"""Points of a line; of more, the lowest and the highest of each stretch are kept."""
MOST_MARKED = 40
MOST_TICKS = 6
MOST_TICK_TEXT = 44
"""Letters of all labels below a plot together, so that they fit on a phone."""
_TOP, _BOTTOM = 20, 40
_INSET = 0.012
_DASHES = ("", "6 3", "2 3", "9 3 2 3", "1 4", "12 4")
_COLOURS = (0, 5, 2, 3, 1, 4)
"""Places in the palette, those that differ most first."""

Point = tuple[float, float]
Tick = tuple[float, str]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a plot; places are fractions of its width and height, from the lower left."""

    name: str
    points: Sequence[Point]
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over one quantity."""

    about: str
    lines: Sequence[Line]
    across: Sequence[Tick]
    up: Sequence[Tick]
    label: str = ""
    """Of what is across."""
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
            points = thinned(line.points)
            written = Markup(" ".join(f"{1000 * _x(x):.1f},{self._y(y):.1f}" for x, y in points))
            colour = PIECES[_COLOURS[number % len(_COLOURS)]]
            dash = _DASHES[number % len(_DASHES)] or None
            if line.filled and points:
                low = f"{self._y(0):.1f}"
                ends = f"{1000 * _x(points[-1][0]):.1f},{low} {1000 * _x(points[0][0]):.1f},{low}"
                area = Markup(f"{written} {ends}")
                made.append(tag("polygon", points=area, fill=colour, fill_opacity=0.25))
            how: dict[str, Value] = {
                "fill": "none",
                "stroke": colour,
                "stroke_width": 2,
                "stroke_dasharray": dash,
            }
            made.append(tag("polyline", points=written, vector_effect="non-scaling-stroke", **how))
        size: dict[str, Value] = {"x": "0", "y": "0", "width": "100%", "height": self.height}
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
            colour = PIECES[_COLOURS[number % len(_COLOURS)]]
            dash = _DASHES[number % len(_DASHES)] or None
            drawn = tag("line", x1=0, x2=34, y1=7, y2=7, stroke=colour, stroke_width=2,
                        stroke_dasharray=dash)  # fmt: skip
            marked = tag("svg", _mark(number), x=17, y=7, overflow="visible", width=1)
            shown = "display:inline-block;vertical-align:middle;margin:0 .35em 0 .8em"
            small = tag("svg", drawn, marked, width=34, height=14, aria_hidden="true", style=shown)
            keys.append(tag("span", small, line.name, style="white-space:nowrap"))
        return tag("figcaption", [(one, " ") for one in keys])


def _x(place: float) -> float:
    """Keep away from the edges, so that marks are whole."""
    return _INSET + place * (1 - 2 * _INSET)


def _anchor(place: float) -> str:
    return "" if place < 0.12 else "e" if place > 0.88 else "m"


def _mark(number: int) -> Markup:
    """Return the mark of a line, around the point 0, 0."""
    colour = PIECES[_COLOURS[number % len(_COLOURS)]]
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
