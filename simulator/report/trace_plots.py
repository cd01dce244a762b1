"""The plot of each report on a trace, as bytes of a picture."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simulator.report.plots import (
    COUNT,
    FAILED,
    FIGURE_STYLE,
    READ,
    WRITE,
    dicts,
    figure_of,
    legend,
    png,
    svg,
    time_axis,
)
from simulator.report.scales import scale_of
from simulator.report.trace_bars import draw_check, draw_sizes, draw_summary
from simulator.report.trace_scatter import draw_offsets, source
from simulator.traces.reports import intervals
from simulator.traces.reports.table import Report
from simulator.wording import exact_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.traces.reports.opened import Opened


MOST_STEPS = 800
"""Intervals that are drawn one by one."""


def draw_calls(trace: Opened, *, step_ns: int | None = None) -> Figure:
    """Draw how many calls began in each interval."""
    wanted, step, rows = _merged(trace, step_ns, intervals.calls)
    figure = figure_of((9.0, 4.0), source(trace))
    with mpl.rc_context(FIGURE_STYLE):
        axes = figure.add_subplot()
        good = [row["success"] for row in rows]
        failed = [row["errors"] for row in rows]
        _stairs(axes, rows, step, good, READ, "ok")
        if any(failed):
            _stairs(axes, rows, step, failed, FAILED, "errors")
        _from_zero(axes, good, failed)
        axes.set_ylabel(_per(step))
        _say_merged(axes, step, wanted)
        time_axis(axes, rows[-1]["start_s"] + step / 1e9 if rows else 0.0)
        axes.yaxis.set_major_formatter(COUNT)
        axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        legend(axes)
    return figure


def draw_rate(trace: Opened, *, step_ns: int | None = None) -> Figure:
    """Draw what was read and written in each interval, and in how many calls."""
    wanted, step, rows = _merged(trace, step_ns, intervals.rate)
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
            _from_zero(axes, [row[read] or 0 for row in rows], [row[written] or 0 for row in rows])
            legend(axes)
        _rate_axis(above)
        above.tick_params(labelbottom=False)
        below.yaxis.set_major_formatter(COUNT)
        below.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        below.set_ylabel(_per(step))
        _say_merged(above, step, wanted)
        time_axis(below, rows[-1]["start_s"] + step / 1e9 if rows else 0.0)
    return figure


def _merged(
    trace: Opened, wanted_ns: int | None, make: Callable[[Opened, int], Report]
) -> tuple[int, int, list[dict[str, Any]]]:
    """Make a report, with intervals merged until each can be seen.

    Returns the length of an interval as it was wanted, as it is drawn, and the rows.
    """
    trace.need_times("--plot")
    step_ns = wanted_ns or intervals.fitting(trace)
    first, last = trace.row("SELECT min(time_ns), max(time_ns) FROM calls")
    many = ((last or 0) - (first or 0)) // step_ns + 1
    step = step_ns * -(-many // MOST_STEPS)
    return step_ns, step, dicts(make(trace, step).tables[0])


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
    axes.set_xlim(edges[0], edges[-1] if len(edges) > 1 else 1.0)


def _from_zero(axes: Axes, *values: Sequence[float]) -> None:
    """Set the axis from 0 to beyond the largest of all values."""
    axes.set_ylim(0, 1.05 * max((one for some in values for one in some), default=0) or 1)


def _rate_axis(axes: Axes) -> None:
    """Label the axis of a rate in one unit."""
    scale = scale_of("rate", [axes.get_ylim()[1]])
    axes.set_ylabel(f"rate ({scale.unit})")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale.size:,.6g}"))


def _per(step: int) -> str:
    return f"calls per {exact_time(step).removeprefix('1 ')}"


def _say_merged(axes: Axes, step: int, step_ns: int) -> None:
    if step != step_ns:
        words = f"{step // step_ns:,} intervals of {exact_time(step_ns)} put together in each step"
        axes.set_title(words, loc="right", fontsize=8, pad=3)


DRAWN: dict[str, Callable[..., Figure]] = {
    "summary": draw_summary,
    "sizes": draw_sizes,
    "calls": draw_calls,
    "rate": draw_rate,
    "offsets": draw_offsets,
    "check": draw_check,
}
"""The function that draws the report of each subcommand."""


def picture_bytes(figure: Figure, suffix: str) -> bytes:
    """Return a figure as PNG, or as SVG with texts that can be searched."""
    with warnings.catch_warnings():
        # A name in letters that the font lacks is drawn with boxes; the tables have it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        if suffix == ".svg":
            with mpl.rc_context({"svg.fonttype": "none"}):
                return svg(figure)
        return png(figure)
