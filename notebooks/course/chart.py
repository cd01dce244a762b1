"""Charts as SVG, for notebooks that run where matplotlib cannot be had."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float]
COLOURS = ("#0072B2", "#D55E00", "#009E73")
"""Colours that colour-blind readers can tell apart (Okabe and Ito)."""
MARKS = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-4 -4h8v8h-8z", "M0 -5l5 9h-10z")

LEFT, TOP, WIDTH, HEIGHT = 52, 14, 560, 250


@dataclass(frozen=True)
class Chart:
    """Curves, mostly over a logarithmic axis, with printed points in black."""

    title: str
    """What it shows, in a sentence: also what a screen reader says."""
    across: str
    up: str
    curves: Mapping[str, Sequence[Point]]
    printed: Sequence[Point] = ()
    logarithmic: bool = False
    """The axis that goes up is logarithmic too, and does not begin at 0."""
    even: bool = False
    """The axis across is not logarithmic."""

    def __repr__(self) -> str:
        """Return the numbers, for where there is no page."""
        curves = {**self.curves, "printed": self.printed}
        lines = [
            f"{name}: {', '.join(f'{y:.4g} at {x:g}' for x, y in points)}"
            for name, points in curves.items()
            if points
        ]
        return "\n".join([self.title, f"{self.up} over {self.across}", *lines])

    def _repr_html_(self) -> str:
        height, width = self._key_at(0)[1] + 12, LEFT + WIDTH + 12
        inner = [*self._axes(), *self._drawn()]
        said = html.escape(self.title)
        return (
            f'<svg role="img" viewBox="0 0 {width} {height}" width="{width}" font-size="13"'
            ' font-family="sans-serif" style="max-width: 100%; height: auto; background: #fff">'
            f"<title>{said}</title>{''.join(inner)}</svg>"
        )

    def _drawn(self) -> list[str]:
        """Return the curves with their marks and names, and the printed points."""
        made = []
        for place, (name, points) in enumerate(self.curves.items()):
            colour, mark = COLOURS[place % 3], MARKS[place % 3]
            at = [self._at(point) for point in points]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
            made.append(
                f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{line}"/>'
            )
            marks = (f"translate({x:.1f} {y:.1f})" for x, y in at)
            made += [f'<path d="{mark}" fill="{colour}" transform="{one}"/>' for one in marks]
            made.append(self._key(place, colour, mark, name))
        cross = "M-5 -5L5 5M-5 5L5 -5"
        for point in self.printed:
            x, y = self._at(point)
            made.append(
                f'<path d="{cross}" stroke="#000" stroke-width="2.5"'
                f' transform="translate({x:.1f} {y:.1f})"/>'
            )
        if self.printed:
            x, y = self._key_at(len(self.curves))
            where = f"translate({x} {y})"
            made.append(f'<path d="{cross}" stroke="#000" stroke-width="2.5" transform="{where}"/>')
            made.append(_text(x + 12, y + 4, "printed"))
        return made

    def _key(self, place: int, colour: str, mark: str, name: str) -> str:
        x, y = self._key_at(place)
        shown = f'<path d="{mark}" fill="{colour}" transform="translate({x} {y})"/>'
        return shown + _text(x + 12, y + 4, name)

    def _key_at(self, place: int) -> tuple[int, int]:
        """Return where a name begins; those of three curves need a line of their own."""
        step, down = (190, 40) if len(self.curves) < 3 else (160, 52)
        return LEFT + step * place + 8, TOP + HEIGHT + down

    def _axes(self) -> list[str]:
        made = [
            _text(LEFT, TOP - 2, self.up),
            _text(LEFT + WIDTH, TOP + HEIGHT + 32, self.across, "end"),
        ]
        for value in self._steps():
            _, y = self._at((self._ends()[0], value))
            made.append(f'<path d="M{LEFT} {y:.1f}h{WIDTH}" stroke="#ddd"/>')
            made.append(_text(LEFT - 6, y + 4, f"{value:g}", "end"))
        for value in self._marked():
            x, _ = self._at((value, self._top()))
            made.append(_text(x, TOP + HEIGHT + 16, f"{value:g}", "middle"))
        return made

    def _marked(self) -> list[float]:
        """Return the values below the axis across: those of the points, if it is logarithmic."""
        if not self.even:
            return sorted({x for points in self.curves.values() for x, _ in points})
        low, high = self._ends()
        return [one for one in _rounded(high) if one >= low]

    def _ends(self) -> Point:
        xs = [x for points in (*self.curves.values(), self.printed) for x, _ in points]
        return min(xs), max(xs)

    def _top(self) -> float:
        ys = [y for points in (*self.curves.values(), self.printed) for _, y in points]
        return max(ys)

    def _low(self) -> float:
        ys = [y for points in (*self.curves.values(), self.printed) for _, y in points]
        return min(ys)

    def _steps(self) -> list[float]:
        """Return the values at the lines."""
        if self.logarithmic:
            first, last = math.floor(math.log10(self._low())), math.ceil(math.log10(self._top()))
            return [
                lead * 10.0**power
                for power in range(first, last + 1)
                for lead in (1, 2, 5)
                if self._low() * 0.7 <= lead * 10.0**power <= self._top() * 1.2
            ]
        return _rounded(self._top())

    def _at(self, point: Point) -> Point:
        """Return where a point is in the picture."""
        low, here, high = (
            self._across(one) for one in (self._ends()[0], point[0], self._ends()[1])
        )
        x = LEFT + 20 + (WIDTH - 40) * (here - low) / (high - low)
        if self.logarithmic:
            least, most = math.log(self._low() * 0.7), math.log(self._top() * 1.2)
            share = (math.log(point[1]) - least) / (most - least)
        else:
            share = point[1] / (self._top() * 1.05)
        return x, TOP + HEIGHT * (1 - share)

    def _across(self, x: float) -> float:
        return x if self.even else math.log(x)


def _rounded(top: float) -> list[float]:
    """Return some five round values from 0 to the top."""
    rough = top / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(lead * power for lead in (1, 2, 5, 10) if lead * power >= rough)
    return [step * one for one in range(int(top / step) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    said = html.escape(text)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#000">{said}</text>'
