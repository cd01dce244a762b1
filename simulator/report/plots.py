"""Plots of a sweep: the rates over one varied value, or over two.

One value, or two of which one has few values: lines, or bars where the values are words. Two with
many values each: a map of colours. The same sweep gives the same bytes.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from simulator.report.changes import NONE
from simulator.study.axis import is_geometric
from simulator.units import format_rate, format_size, format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.study.axis import Axis
    from simulator.study.point import Row
    from simulator.study.sweep import Swept

MOST_LINES = 6
MOST_TICKS = 13
MOST_WRITTEN = 150
"""Cells of a map with their numbers in them."""

# Okabe and Ito's palette, which people with any colour vision can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = "osD^v*"
_QUANTITIES = (("read_MBps", "read (MB/s)"), ("write_MBps", "write (MB/s)"))
_ELAPSED = (("elapsed_s", "elapsed (s)"),)
STYLE: Any = {
    "svg.hashsalt": "nwtsim",
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
}


def png(figure: Figure) -> bytes:
    """Return a figure as PNG."""
    content = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(content, format="png", dpi=150, metadata={"Software": None})
    return content.getvalue()


def svg(figure: Figure) -> bytes:
    """Return a figure as SVG, without the date at which it was drawn."""
    content = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(content, format="svg", metadata={"Date": None})
    return content.getvalue()


def draw_sweep(swept: Swept) -> Figure:
    """Draw the rates of a sweep over its one or two axes; ValueError for more."""
    sweep = swept.sweep
    if not 1 <= len(sweep.axes) <= 2:
        raise ValueError(f"a sweep of {len(sweep.axes)} values has no plot; vary one or two")
    rates = [one for one in _QUANTITIES if any(row[one[0]] for row in swept.rows)]
    quantities = rates or list(_ELAPSED)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.0 * len(quantities), 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(_title(swept))
        for number, (column, label) in enumerate(quantities, start=1):
            axes = figure.add_subplot(1, len(quantities), number)
            _Panel(axes, swept, column, label).draw()
            if sweep.limits and len(sweep.axes) == 1:
                _mark_limits(axes, swept)
    return figure


def _mark_limits(axes: Axes, swept: Swept) -> None:
    """Draw a line between neighbouring values where what limits changes, with both names."""
    (axis,) = swept.sweep.axes
    if axis.numbers is None:
        return
    limits = [row["limit"] or NONE for row in swept.rows]
    points = sorted(zip(axis.numbers, limits, strict=True))
    for (low, before), (high, after) in itertools.pairwise(points):
        if before != after:
            middle = (low * high) ** 0.5 if axes.get_xscale() == "log" else (low + high) / 2
            axes.axvline(middle, color="0.5", linestyle=":", linewidth=1)
            how: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "bottom", "color": "0.4"}
            where = axes.get_xaxis_transform()
            text = f"{before} \N{RIGHTWARDS ARROW} {after}"
            axes.text(middle, 0.02, text, transform=where, fontsize="x-small", **how)


class _Panel:
    """One quantity over the axes of a sweep."""

    def __init__(self, axes: Axes, swept: Swept, column: str, label: str) -> None:
        self.axes = axes
        self.rows = swept.rows
        self.varied = swept.sweep.axes
        self.column = column
        self.label = label

    def draw(self) -> None:
        """Draw it in the form that suits the numbers of values."""
        counts = [len(axis.texts) for axis in self.varied]
        if len(counts) == 2 and min(counts) > MOST_LINES:
            self._draw_map()
        elif len(counts) == 2 and counts[1] > MOST_LINES:
            self._draw_series(self.varied[1], self.varied[0])
        else:
            self._draw_series(self.varied[0], self.varied[1] if len(counts) == 2 else None)

    def _draw_series(self, along: Axis, among: Axis | None) -> None:
        """Draw one line, or one colour of bars, for each value of ``among``."""
        series = [self._values(along, among, number) for number in range(_count(among))]
        numbers = along.numbers
        for number, values in enumerate(series):
            label = among.texts[number] if among is not None else None
            colour = COLOURS[number % len(COLOURS)]
            if numbers is None:
                width = 0.8 / len(series)
                places = [i + (number - (len(series) - 1) / 2) * width for i in range(len(values))]
                self.axes.bar(places, values, width, color=colour, label=label)
            else:
                points = sorted(zip(numbers, values, strict=True))
                marker = _MARKERS[number % len(_MARKERS)] if len(points) <= 40 else ""
                self.axes.plot(*zip(*points, strict=True), marker=marker, color=colour, label=label)
        self.axes.set_ylim(bottom=0)
        self.axes.set_ylabel(self.label)
        self.axes.grid(axis="y", color="0.9")
        self.axes.set_axisbelow(True)
        self._label_along(along)
        if among is not None:
            beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
            self.axes.legend(title=among.name, frameon=False, **beside)

    def _label_along(self, axis: Axis) -> None:
        """Put the values of an axis under it: each as its user wrote it, if there is room."""
        self.axes.set_xlabel(axis.name)
        scale = self.axes.xaxis
        if axis.numbers is not None and is_geometric(axis.numbers):
            self.axes.set_xscale("log")
            scale.set_minor_locator(NullLocator())
        places = axis.numbers if axis.numbers is not None else range(len(axis.texts))
        if len(axis.texts) <= MOST_TICKS or axis.numbers is None:
            scale.set_major_locator(FixedLocator(list(places)))
            scale.set_major_formatter(FixedFormatter(list(axis.texts)))
        else:
            scale.set_major_formatter(lambda value, _: _spelt(value, axis.unit))
        if sum(map(len, axis.texts[: MOST_TICKS + 1])) > 70:
            scale.set_tick_params(rotation=30)

    def _draw_map(self) -> None:
        down, along = self.varied
        values = [
            [row[self.column] for row in self.rows[start : start + len(along.texts)]]
            for start in range(0, len(self.rows), len(along.texts))
        ]
        image = self.axes.imshow(values, origin="lower", aspect="auto", cmap="viridis")
        self.axes.figure.colorbar(image, ax=self.axes, label=self.label)
        for axis, scale in ((along, self.axes.xaxis), (down, self.axes.yaxis)):
            step = -(-len(axis.texts) // MOST_TICKS)
            scale.set_major_locator(FixedLocator(list(range(0, len(axis.texts), step))))
            scale.set_major_formatter(FixedFormatter(list(axis.texts[::step])))
        self.axes.set_xlabel(along.name)
        self.axes.set_ylabel(down.name)
        if sum(map(len, along.texts)) > 70:
            self.axes.xaxis.set_tick_params(rotation=30)
        if len(self.rows) <= MOST_WRITTEN:
            self._write_numbers(values)

    def _write_numbers(self, values: Sequence[Sequence[float]]) -> None:
        flat = [value for line in values for value in line]
        middle = (min(flat) + max(flat)) / 2
        for y, line in enumerate(values):
            for x, value in enumerate(line):
                colour = "white" if value < middle else "black"
                place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}
                self.axes.text(x, y, f"{value:#.3g}", color=colour, **place)

    def _values(self, along: Axis, among: Axis | None, number: int) -> list[float]:
        """Return the quantity over one axis, at one value of the other."""
        if among is None:
            return [row[self.column] for row in self.rows]
        wanted: list[Row] = list(self.rows)
        width = len(self.varied[1].texts)
        if among is self.varied[1]:
            wanted = wanted[number::width]
        else:
            wanted = wanted[number * width : (number + 1) * width]
        assert len(wanted) == len(along.texts)
        return [row[self.column] for row in wanted]


def _count(axis: Axis | None) -> int:
    return 1 if axis is None else len(axis.texts)


def _title(swept: Swept) -> str:
    sweep = swept.sweep
    title = f"{Path(sweep.workload).stem} on {Path(sweep.machine).stem}"
    fixed = ", ".join(f"{path.rpartition('.')[2]} {value}" for path, value in sweep.settings)
    return f"{title}, {fixed}" if fixed and len(fixed) <= 50 else title


def _spelt(value: float, unit: str) -> str:
    """Write a tick in the unit of its axis."""
    if value < 0:
        return ""
    if unit == "bytes":
        return format_size(round(value))
    if unit == "ns":
        return format_time(value)
    if unit == "Bps":
        return format_rate(value).partition(" (")[0]
    return f"{value:g} %" if unit == "percent" else f"{value:g}"
