"""Plots of reports on traces over time: intervals, and every call on a file.

Intervals that would be narrower than a line are put together. Few calls are drawn one by one; of
very many, so many as there are in each small cell, in a deeper colour for more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simulator.report.trace import shortened
from simulator.report.trace_figure import (
    COUNT,
    FAILED,
    FIGURE_STYLE,
    OTHER,
    READ,
    SIZE,
    TIME,
    WRITE,
    dicts,
    figure_of,
    legend,
    source,
    time_axis,
)
from simulator.report.wording import brief_size
from simulator.traces.reports import intervals
from simulator.traces.reports.offsets import picked
from simulator.traces.reports.table import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.traces.reports.opened import Opened

MOST_POINTS = 20_000
"""Calls that are drawn one by one."""
MOST_STEPS = 800
"""Intervals that are drawn one by one."""
ACROSS, DOWN = 360, 90
"""Cells of a panel with more calls."""

_WAYS = (("read", READ), ("write", WRITE), ("other", OTHER))


def draw_calls(trace: Opened, *, step_ns: int) -> Figure:
    """Draw how many calls began in each interval."""
    step, rows = _merged(trace, step_ns, intervals.calls)
    figure = figure_of((9.0, 4.0), source(trace))
    with mpl.rc_context(FIGURE_STYLE):
        axes = figure.add_subplot()
        good = [row["success"] for row in rows]
        failed = [row["errors"] for row in rows]
        _stairs(axes, rows, step, good, READ, "ok")
        if any(failed):
            _stairs(axes, rows, step, failed, FAILED, "errors")
        axes.set_ylabel(f"calls per {step / 1e9:,.9g} s")
        time_axis(axes)
        axes.yaxis.set_major_formatter(COUNT)
        axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        legend(axes)
    return figure


def draw_rate(trace: Opened, *, step_ns: int) -> Figure:
    """Draw what was read and written in each interval, and in how many calls."""
    step, rows = _merged(trace, step_ns, intervals.rate)
    figure = figure_of((9.0, 6.0), source(trace))
    with mpl.rc_context(FIGURE_STYLE):
        above = figure.add_subplot(2, 1, 1)
        below = figure.add_subplot(2, 1, 2, sharex=above)
        for axes, (read, written) in (
            (above, ("read_Bps", "written_Bps")),
            (below, ("reads", "writes")),
        ):
            _stairs(axes, rows, step, [row[read] for row in rows], READ, "read")
            _stairs(axes, rows, step, [row[written] for row in rows], WRITE, "written")
            legend(axes)
        above.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{brief_size(value)}/s"))
        above.set_ylabel("rate")
        above.tick_params(labelbottom=False)
        below.yaxis.set_major_formatter(COUNT)
        below.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        below.set_ylabel(f"calls per {step / 1e9:,.9g} s")
        time_axis(below)
    return figure


def _merged(
    trace: Opened, step_ns: int, make: Callable[[Opened, int], Report]
) -> tuple[int, list[dict[str, Any]]]:
    """Make a report with so many intervals put together that each can be seen."""
    trace.need_times("--plot")
    first, last = trace.row("SELECT min(time_ns), max(time_ns) FROM calls")
    many = ((last or 0) - (first or 0)) // step_ns + 1
    step = step_ns * -(-many // MOST_STEPS)
    return step, dicts(make(trace, step).tables[0])


def _stairs(
    axes: Axes,
    rows: Sequence[dict[str, Any]],
    step: int,
    values: Sequence[float],
    colour: Any,
    label: str,
) -> None:
    edges = [row["start_s"] for row in rows]
    edges.append(edges[-1] + step / 1e9 if edges else 0.0)
    axes.stairs(values, edges, color=colour, label=label, linewidth=1.2)
    axes.stairs(values, edges, color=colour, alpha=0.18, fill=True)
    axes.set_ylim(bottom=0)
    axes.set_xlim(edges[0], edges[-1] if len(edges) > 1 else 1.0)


def draw_offsets(trace: Opened) -> Figure:
    """Draw duration, size and offset of each call over time."""
    trace.need_calls("offsets")
    way = f"CASE WHEN {trace.reads} THEN 'read' WHEN {trace.writes} THEN 'write' ELSE 'other' END"
    x = "start / 1e9" if trace.times is not None else "place::DOUBLE"
    trace.rows(
        f"CREATE OR REPLACE TEMP TABLE drawn AS SELECT {x} AS x, {way} AS way,"
        ' duration_ns AS duration, size, "where" AS there'
        f" FROM (SELECT *, name AS file, name AS to_file FROM ({picked(trace)}))"
    )
    files = trace.rows(f"SELECT DISTINCT name FROM ({picked(trace)}) LIMIT 2")
    title = shortened(files[0][0], 90) if len(files) == 1 else source(trace)
    figure = figure_of((9.0, 8.0), title)
    with mpl.rc_context(FIGURE_STYLE):
        first: Axes | None = None
        for number, (column, label, formatter) in enumerate(
            (("duration", "duration", TIME), ("size", "size", SIZE), ("there", "offset", SIZE)),
            start=1,
        ):
            axes = figure.add_subplot(3, 1, number, sharex=first)
            first = first or axes
            _Scatter(trace, axes, column, logarithmic=column == "duration").draw()
            axes.yaxis.set_major_formatter(formatter)
            axes.set_ylabel(label)
            axes.grid(color="0.92")
            axes.set_axisbelow(True)
            if number == 1:
                _ways_legend(axes, trace)
            axes.tick_params(labelbottom=number == 3)
        time_axis(axes)
        if trace.times is None:
            axes.set_xlabel("row of the log")
    return figure


def _ways_legend(axes: Axes, trace: Opened) -> None:
    known = {way for (way,) in trace.rows("SELECT DISTINCT way FROM drawn")}
    for way, colour in _WAYS:
        if way in known:
            axes.plot([], [], "o", color=colour, label=way, markersize=5)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


class _Scatter:
    """One quantity of every call over time."""

    def __init__(self, trace: Opened, axes: Axes, column: str, *, logarithmic: bool) -> None:
        self.trace = trace
        self.axes = axes
        self.column = column
        self.known = f"FROM drawn WHERE {column} IS NOT NULL AND x IS NOT NULL"
        (self.count,) = trace.row(f"SELECT count(*) {self.known}")
        self.logarithmic = logarithmic
        self.y = f"greatest({column}, 1)::DOUBLE" if logarithmic else f"{column}::DOUBLE"

    def draw(self) -> None:
        """Draw it point by point or cell by cell."""
        if not self.count:
            words = "not in the log"
            place: dict[str, Any] = {"ha": "center", "va": "center"}
            self.axes.text(0.5, 0.5, words, transform=self.axes.transAxes, **place)
            return
        if self.logarithmic:
            self.axes.set_yscale("log")
        if self.count <= MOST_POINTS:
            self._draw_points()
        else:
            self._draw_cells()
        if not self.logarithmic:
            top = self.axes.get_ylim()[1]
            self.axes.set_ylim(0, top if top >= 1 else 1)

    def _draw_points(self) -> None:
        size = 30.0 if self.count < 100 else 14.0 if self.count < 1000 else 4.0
        for way, colour in reversed(_WAYS):
            chosen = f"{self.known} AND way = '{way}' ORDER BY ALL"
            points = self.trace.rows(f"SELECT x, {self.y} {chosen}")
            if points:
                x, y = zip(*points, strict=True)
                flat: dict[str, Any] = {"linewidths": 0, "rasterized": self.count > 2000}
                self.axes.scatter(x, y, s=size, color=colour, alpha=0.7, **flat)

    def _draw_cells(self) -> None:
        scaled = f"ln({self.y})" if self.logarithmic else self.y
        left, right, low, high = self.trace.row(
            f"SELECT min(x), max(x), min({scaled}), max({scaled}) {self.known}"
        )
        wide, tall = (right - left) / ACROSS or 1.0, (high - low) / DOWN or 1.0
        found = self.trace.rows(
            f"SELECT way, least(floor((x - {left!r}) / {wide!r}), {ACROSS - 1})::INTEGER,"
            f" least(floor(({scaled} - {low!r}) / {tall!r}), {DOWN - 1})::INTEGER,"
            f" count(*) {self.known} GROUP BY 1, 2, 3"
        )
        x = left + wide * np.arange(ACROSS + 1)
        y = low + tall * np.arange(DOWN + 1)
        most = max(count for *_, count in found)
        for way, colour in reversed(_WAYS):
            cells = np.zeros((DOWN, ACROSS))
            for name, across, up, count in found:
                if name == way:
                    cells[up, across] = count
            if cells.any():
                rgb = mpl.colors.to_rgb(colour)
                shades = LinearSegmentedColormap.from_list(way, [(*rgb, 0.45), (*rgb, 0.9)])
                self.axes.pcolormesh(
                    x,
                    np.exp(y) if self.logarithmic else y,
                    np.ma.masked_equal(cells, 0),
                    cmap=shades,
                    norm=LogNorm(1, max(most, 2)),
                    rasterized=True,
                )
        self.axes.margins(0.02, 0.05)
        self.axes.autoscale_view()
