"""Plots of the contents of stores over time, and of the rates of calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.report.html.page import heading, note
from simulator.report.html.svg import Line, Plot, Point, Tick, ticks_of
from simulator.report.scales import figure, scale_of
from simulator.result.curves import StoreCurve, means, together, widths
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.report.page import Markup
    from simulator.report.scales import Quantity
    from simulator.result.result import Result

MOST_DRAWN = 6
"""Maximum number of stores: those with most bytes in use."""
HEIGHT = 160
NEAR = 0.12
"""Distance of two ticks of which the labels touch; fraction of the height."""
MOST_ABOVE = 4
"""A capacity more than this many times the largest value is not on the axis."""


def curves(result: Result) -> list[Markup]:
    """Return a plot for each store, and one of the calls' rates; nothing without samples."""
    calls = result.call_curve
    if calls is None or not calls.end_ns:
        return []
    made = [note(f"Means in intervals of {format_time(calls.width_ns)}.")]
    by_store: dict[str, list[StoreCurve]] = {}
    for one in result.curves.values():
        by_store.setdefault(one.store, []).append(one)
    plots = [_StorePlot(store, members) for store, members in by_store.items()]
    for plot in sorted(plots, key=lambda one: -one.most)[:MOST_DRAWN]:
        made += plot.markups()
    lengths = widths(calls.width_ns, calls.end_ns)
    rates = {
        name: [size * 10**9 // length for size, length in zip(sizes, lengths, strict=True)]
        for name, sizes in (("read", calls.read), ("written", calls.written))
        if any(sizes)
    }
    if rates:
        most = max(map(max, rates.values()))
        which = f"Bytes {' and '.join(rates)} by calls"
        made.append(heading(f"{which}: at most {_size(most)}/s"))
        about = f"{which} over time."
        made.append(_plot(about, rates, calls.width_ns, calls.end_ns, ("rate", most, 0)))
    return made if len(made) > 1 else []


class _StorePlot:
    """The plot of a store, of all its instances together."""

    def __init__(self, store: str, members: Sequence[StoreCurve]) -> None:
        self.store = store
        self.members = members
        first = members[0]
        self.width_ns, self.end_ns = first.width_ns, first.end_ns
        self.used = self._mean([one.used.sums for one in members])
        self.dirty = self._mean([one.dirty.sums for one in members])
        self.capacity = sum(one.capacity for one in members)
        self.most = max(*self.used, *self.dirty)

    def _mean(self, levels: Sequence[Sequence[int]]) -> list[int]:
        return means(together(levels), self.width_ns, self.end_ns)

    def markups(self) -> list[Markup]:
        """Return the heading and the plot."""
        lines = {"used": self.used}
        told = f"at most {_size(max(self.used))} used"
        if any(self.dirty):
            lines["dirty"] = self.dirty
            told += f", {_size(max(self.dirty))} dirty"
        several = len(self.members)
        whose = f" of {counted(several, 'instance')} together" if several > 1 else ""
        room = f"capacity {_size(self.capacity)}"
        about = f"Used and dirty bytes of {self.store} over time: {told}; {room}{whose}."
        drawn = _plot(about, lines, self.width_ns, self.end_ns, ("size", self.most, self.capacity))
        return [heading(f"{self.store}: {told} ({room}{whose})"), drawn]


def _size(size: int) -> str:
    """Write a size with three digits.

    >>> _size(1_599_999_999), _size(0)
    ('1.60 GB', '0 B')
    """
    scale = scale_of("size", [size])
    return f"{figure(size, scale)} {scale.unit}"


def _plot(
    about: str,
    lines: dict[str, list[int]],
    width_ns: int,
    end_ns: int,
    axis: tuple[Quantity, int, int],
) -> Markup:
    """Draw lines of a value for each bin; the axis has a quantity, a maximum and a capacity."""
    top, up = _axis(*axis)
    across = [(place / 4, format_time(end_ns * place / 4)) for place in range(5)]
    drawn = []
    for number, (name, values) in enumerate(lines.items()):
        begins = range(0, end_ns, width_ns)
        points: list[Point] = [
            ((begin + min(end_ns, begin + width_ns)) / 2 / end_ns, value / top)
            for begin, value in zip(begins, values, strict=True)
        ]
        drawn.append(Line(name, points, filled=number == 0))
    return Plot(about, drawn, across, up, height=HEIGHT).markup()


def _axis(quantity: Quantity, most: int, capacity: int) -> tuple[float, list[Tick]]:
    """Return where the axis ends, and its ticks; with the capacity, if that is not far above."""
    top, ticks = ticks_of(quantity, most)
    if not 0 < capacity <= MOST_ABOVE * most:
        return top, ticks
    larger = max(top, float(capacity))
    place = capacity / larger
    kept = [(at * top / larger, text) for at, text in ticks]
    kept = [one for one in kept if abs(one[0] - place) > NEAR]
    return larger, sorted([*kept, (place, f"capacity {_size(capacity)}")])
