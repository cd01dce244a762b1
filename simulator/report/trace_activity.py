"""Picture of who moved bytes when: rates over time, latencies, and a row for each process or file.

A cell of the lower panels is darker the more bytes its process or file moved in its interval, by
powers of ten; without any it is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter

from simulator.report import plots
from simulator.report.lined import shortened
from simulator.report.scales import scale_of
from simulator.report.trace_scatter import source
from simulator.traces.reports.activity import (
    MOST_LINES,
    WAYS,
    Activity,
    By,
    Line,
    activity_of,
    most_used,
)
from simulator.units import format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.traces.reports.opened import Opened

MOST_FILES = 40
NAME_WIDTH = 34
DECADES = 1e4
"""Times the least bytes that have a colour of their own are below the most."""
COLOURS = {"read": ("Blues", plots.READ), "write": ("Oranges", plots.WRITE)}


def draw_activity(trace: Opened, *, by: By = "process") -> Figure:
    """Draw rates and latencies over time, and below them what each process or file moved."""
    found = activity_of(trace, by)
    lines = most_used(found, MOST_FILES) if by == "file" else found.shown(MOST_LINES)
    every = by == "process"
    rows = {way: [one for one in lines if every or any(getattr(one, way))] for way in WAYS}
    ways = [way for way in WAYS if any(sum(getattr(one, way)) for one in lines)]
    heights = [1.7, *([1.7] if found.latencies else [])]
    heights += [0.6 + 0.13 * max(len(rows[way]), 5) for way in ways]
    with plots.drawing((9.5, 1.0 + sum(heights)), f"{source(trace)}: {found.source}") as drawn:
        panels = drawn.subplots(len(heights), 1, sharex=True, height_ratios=heights, squeeze=False)
        above, *below = panels[:, 0].tolist()
        _rates(above, found, ways)
        if found.latencies:
            _latencies(below.pop(0), found)
        for axes, way in zip(below, ways, strict=True):
            _cells(drawn, axes, found, rows[way], way, by)
        last = panels[-1, 0]
        last.set_xlim(0, max(found.intervals, 1) * found.step_ns / 1e9)
        plots.time_axis(last, found.intervals * found.step_ns / 1e9)
    return drawn


def _rates(axes: Axes, found: Activity, ways: Sequence[str]) -> None:
    step = found.step_ns / 1e9
    edges = [place * step for place in range(found.intervals + 1)]
    top = 0.0
    for way in ways:
        rates = [moved / step for moved in found.total(way)]
        top = max(top, *rates)
        colour = COLOURS[way][1]
        label = "read" if way == "read" else "written"
        axes.stairs(rates, edges, color=colour, label=label, linewidth=1.2)
        axes.stairs(rates, edges, color=colour, alpha=0.18, fill=True)
    axes.set_ylim(0, 1.05 * top or 1)
    scale = scale_of("rate", [top])
    axes.set_ylabel(f"rate ({scale.unit})")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale.size:,.6g}"))
    if ways:
        plots.legend(axes)


def _latencies(axes: Axes, found: Activity) -> None:
    """Draw the median and the longest time of a read or write in each interval."""
    step = found.step_ns / 1e9
    middle = [(place + 0.5) * step for place, _, _ in found.latencies]
    for values, mark, label in (
        ([longest for _, _, longest in found.latencies], "v", "longest"),
        ([median for _, median, _ in found.latencies], "o", "median"),
    ):
        shown = [max(one, 1.0) for one in values]
        colour = plots.COLOURS[3 if label == "longest" else 2]
        axes.plot(middle, shown, mark, color=colour, markersize=3, label=label)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_time(value)))
    axes.yaxis.set_minor_formatter(FuncFormatter(lambda *_: ""))
    axes.set_ylabel("time of a\nread or write")
    plots.legend(axes)


def _cells(
    drawn: Figure, axes: Axes, found: Activity, lines: Sequence[Line], way: str, by: By
) -> None:
    """Draw a row of cells for each process or file; what several files moved is no measure."""
    step = found.step_ns / 1e9
    alone = [one for one in lines if one.alone] or lines
    most = max(max(getattr(one, way)) for one in alone)
    cells = np.array([getattr(one, way) for one in lines], float) / step
    norm = LogNorm(max(most / step / DECADES, 1e-9), max(most / step, 1e-8))
    edges = np.arange(cells.shape[1] + 1) * step
    mesh = axes.pcolormesh(
        edges,
        np.arange(len(lines) + 1),
        np.ma.masked_less_equal(cells, 0.0),
        cmap=COLOURS[way][0],
        norm=norm,
        rasterized=True,
    )
    axes.set_ylim(len(lines), 0)
    every = 1 if by == "file" else -(-len(lines) // 16)
    places = [place + 0.5 for place in range(0, len(lines), every)]
    axes.yaxis.set_major_locator(FixedLocator(places))
    names = [shortened(lines[int(place)].name, NAME_WIDTH) for place in places]
    axes.set_yticks(places, names, fontsize=7)
    axes.tick_params(axis="y", length=0)
    how: dict[str, Any] = {"loc": "left", "fontsize": 8, "pad": 3}
    axes.set_title("read" if way == "read" else "written", **how)
    scale = scale_of("rate", [most / step])
    bar = drawn.colorbar(mesh, ax=axes, pad=0.01, fraction=0.03)
    bar.set_label(scale.unit, fontsize=8)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale.size:,.6g}"))
    bar.ax.tick_params(labelsize=7)
