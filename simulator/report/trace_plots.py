"""Plots of reports on traces: over time, and bars; each as bytes of a picture."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from simulator.report import plots
from simulator.report.lined import shortened
from simulator.report.scales import Quantity, figure, scale_of
from simulator.report.trace_activity import draw_activity
from simulator.report.trace_scatter import draw_offsets, source
from simulator.traces.reports import check as checking
from simulator.traces.reports import intervals, transfers
from simulator.traces.reports import summary as summing
from simulator.traces.reports.table import Report, Table
from simulator.units import format_size
from simulator.wording import exact_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.traces.reports.opened import Opened


MOST_STEPS = 800
"""Intervals that are drawn one by one."""
MOST_BARS = 25
NAME_WIDTH = 46
"""Characters of a file's name."""


def draw_calls(trace: Opened, *, step_ns: int | None = None) -> Figure:
    """Draw how many calls began in each interval."""
    wanted, step, rows = _merged(trace, step_ns, intervals.calls)
    with plots.drawing((9.0, 4.0), source(trace)) as drawn:
        axes = drawn.add_subplot()
        good = [row["success"] for row in rows]
        failed = [row["errors"] for row in rows]
        _stairs(axes, rows, step, good, plots.READ, "ok")
        if any(failed):
            _stairs(axes, rows, step, failed, plots.FAILED, "errors")
        _from_zero(axes, good, failed)
        axes.set_ylabel(_per(step))
        _say_merged(axes, step, wanted)
        plots.time_axis(axes, rows[-1]["start_s"] + step / 1e9 if rows else 0.0)
        axes.yaxis.set_major_formatter(plots.COUNT)
        axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        plots.legend(axes)
    return drawn


def draw_rate(trace: Opened, *, step_ns: int | None = None) -> Figure:
    """Draw what was read and written in each interval, and in how many calls."""
    wanted, step, rows = _merged(trace, step_ns, intervals.rate)
    with plots.drawing((9.0, 6.0), source(trace)) as drawn:
        above = drawn.add_subplot(2, 1, 1)
        below = drawn.add_subplot(2, 1, 2, sharex=above)
        for axes, (read, written) in (
            (above, ("read_Bps", "written_Bps")),
            (below, ("reads", "writes")),
        ):
            _stairs(axes, rows, step, [row[read] for row in rows], plots.READ, "read")
            _stairs(axes, rows, step, [row[written] for row in rows], plots.WRITE, "written")
            _from_zero(axes, [row[read] or 0 for row in rows], [row[written] or 0 for row in rows])
            plots.legend(axes)
        _rate_axis(above)
        above.tick_params(labelbottom=False)
        below.yaxis.set_major_formatter(plots.COUNT)
        below.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        below.set_ylabel(_per(step))
        _say_merged(above, step, wanted)
        plots.time_axis(below, rows[-1]["start_s"] + step / 1e9 if rows else 0.0)
    return drawn


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
    return step_ns, step, list(make(trace, step).tables[0].row_dicts())


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


# -- bars -----------------------------------------------------------------------------------------


def draw_summary(
    trace: Opened, *, top: int | None = None, by: str = "call", errors: bool = False
) -> Figure:
    """Draw how many calls there were, the time spent in them, and the bytes that they moved."""
    files, most = by == "file", min(top or MOST_BARS, MOST_BARS)
    if errors:
        return _draw_errors(summing.errors(trace, most, files=files), trace)
    found = summing.by_file(trace, most) if files else summing.summary(trace, most)
    table = found.tables[0]
    rows = list(table.row_dicts())
    names = [_name(row, files=files) for row in rows]
    counts = [
        ([row["success"] for row in rows], plots.READ, "ok"),
        ([row["errors"] or 0 for row in rows], plots.FAILED, "errors"),
    ]
    panels: list[tuple[str, list[tuple[list[Any], Any, str]], Quantity | None]] = [
        ("calls", counts, None)
    ]
    if any(row["time_s"] for row in rows):
        times = [row["time_s"] or 0 for row in rows]
        panels.append(("time", [([time * 1e9 for time in times], plots.COLOURS[2], "")], "time"))
    if any(row["bytes"] for row in rows):
        panels.append(("bytes", [([row["bytes"] for row in rows], plots.COLOURS[4], "")], "size"))
    return _bars(_title(trace, table, len(names)), names, panels)


def _draw_errors(found: Report, trace: Opened) -> Figure:
    table = found.tables[0]
    rows = list(table.row_dicts())
    names = [f"{row['call']} {row['error']}" for row in rows]
    if rows and "file" in rows[0]:
        names = [
            f"{name}  {shortened(row['file'] or '(no name)', NAME_WIDTH)}"
            for name, row in zip(names, rows, strict=True)
        ]
    counts = [([row["count"] for row in rows], plots.FAILED, "")]
    return _bars(_title(trace, table, len(names), "by number"), names, [("errors", counts, None)])


def _bars(
    title: str,
    names: Sequence[str],
    panels: Sequence[tuple[str, Sequence[tuple[Sequence[float], Any, str]], Quantity | None]],
) -> Figure:
    """Draw panels of bars that lie one below the other, with their names at the left."""
    margin = 0.09 * max((len(name) for name in names), default=1)
    size = margin + 3.4 * len(panels), 1.5 + 0.27 * max(len(names), 3)
    with plots.drawing(size, title) as drawn:
        first: Axes | None = None
        for place, (label, parts, quantity) in enumerate(panels, start=1):
            axes = drawn.add_subplot(1, len(panels), place, sharey=first)
            _lay_bars(axes, label, len(names), parts, quantity)
            if first is None:
                first = axes
                axes.set_yticks(range(len(names)), list(names))
                axes.set_ylim(max(len(names), 1) - 0.4, -0.6)
            else:
                axes.tick_params(labelleft=False)
            axes.tick_params(axis="y", length=0)
    return drawn


def _lay_bars(
    axes: Axes,
    label: str,
    count: int,
    parts: Sequence[tuple[Sequence[float], Any, str]],
    quantity: Quantity | None,
) -> None:
    """Draw bars with their values at their ends, all in the unit of the axis; None: a count."""
    ends = [0.0] * count
    for values, colour, name in parts:
        axes.barh(range(count), values, left=ends, color=colour, label=name, height=0.7)
        ends = [end + value for end, value in zip(ends, values, strict=True)]
    scale = scale_of(quantity, ends) if quantity else None
    axes.set_xlabel(f"{label} ({scale.unit})" if scale else label)
    for place, end in enumerate(ends):
        if end:
            where: dict[str, Any] = {"textcoords": "offset points", "va": "center"}
            value = figure(end, scale) if scale else plots.number(end)
            axes.annotate(value, (end, place), (3, 0), fontsize=8, **where)
    right = 1.25 * max(ends, default=0) or 1
    if scale:
        plots.ticks_in(axes.xaxis, scale, right)
    else:
        axes.xaxis.set_major_formatter(plots.COUNT)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.set_xlim(0, right)
    if len([values for values, _, label in parts if label and any(values)]) > 1:
        above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        axes.legend(frameon=False, fontsize=8, ncols=2, **above)


def _name(row: dict[str, Any], *, files: bool) -> str:
    if not files:
        return shortened(row["call"], NAME_WIDTH)
    file = row["file"] or f"({row['kind']})"
    return f"{shortened(file, NAME_WIDTH)}  {row['call']}"


def draw_sizes(trace: Opened, *, requested: bool = False) -> Figure:
    """Draw how many reads and writes there were of each length."""
    rows = list(transfers.sizes(trace, requested=requested).tables[0].row_dicts())
    with plots.drawing((max(5.0, 2.5 + 0.42 * len(rows)), 4.4), source(trace)) as drawn:
        axes = drawn.add_subplot()
        for shift, way, colour in ((-0.2, "reads", plots.READ), (0.2, "writes", plots.WRITE)):
            places = [place + shift for place in range(len(rows))]
            axes.bar(places, [row[way] for row in rows], 0.4, color=colour, label=way)
        _count_axis(axes, [row[way] for row in rows for way in ("reads", "writes")])
        axes.set_xticks(
            range(len(rows)),
            [_upto(row) for row in rows],
            rotation=60,
            ha="right",
            rotation_mode="anchor",
        )
        axes.set_xlim(-0.7, max(len(rows), 1) - 0.3)
        axes.set_xlabel("bytes " + ("asked for" if requested else "moved") + " by a call, up to")
        axes.set_ylabel("calls")
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return drawn


def _upto(row: dict[str, Any]) -> str:
    high = row["to_bytes"]
    return "more" if high is None else format_size(high)


def _count_axis(axes: Axes, counts: Sequence[int]) -> None:
    """Count by powers of ten if there are few of some and very many of others."""
    some = [count for count in counts if count]
    if some and max(some) > 50 * min(some):
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.5)
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.yaxis.set_major_formatter(plots.COUNT)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)


def draw_check(trace: Opened) -> Figure:
    """Draw where the time went, what was moved against file sizes, and the calls."""
    values = checking.check(trace).values
    seconds = {
        "client time": values["client_time_s"],
        "outside calls": _times(values["outside_share"], values["client_time_s"]),
        "I/O": values["io_s"],
        "of it metadata": values["metadata_s"],
    }
    moved = {
        "read": values["read_bytes"],
        "sizes of these": values["read_size_bytes"] or None,
        "written": values["written_bytes"],
        "sizes of those": values["written_size_bytes"] or None,
    }
    calls = {
        "reads": values["reads"],
        "writes": values["writes"],
        "metadata": values["metadata_calls"],
        "of it lseeks": values["lseeks"],
        "failed": values["errors"],
    }
    panels: list[tuple[str, dict[str, Any], Quantity | None, Any]] = [
        (
            "time",
            {name: _times(value, 1e9) for name, value in seconds.items()},
            "time",
            plots.COLOURS[2],
        ),
        ("bytes of files", moved, "size", plots.COLOURS[4]),
        ("calls on files", calls, None, plots.READ),
    ]
    with plots.drawing((13.0, 3.0), source(trace)) as drawn:
        for place, (label, shown, quantity, colour) in enumerate(panels, start=1):
            axes = drawn.add_subplot(1, len(panels), place)
            known = {name: value for name, value in shown.items() if value is not None}
            title = label if known else f"{label}: not in the log"
            bars = list(known.values())
            _lay_bars(axes, title, len(bars), [(bars, colour, "")], quantity if known else None)
            axes.set_yticks(range(len(known)), list(known))
            axes.set_ylim(max(len(known), 1) - 0.4, -0.6)
            axes.tick_params(axis="y", length=0)
    return drawn


def _times(value: float | None, factor: float | None) -> float | None:
    return None if value is None or factor is None else value * factor


def _title(trace: Opened, table: Table, shown: int, order: str = "by time") -> str:
    return f"{source(trace)}: the first {shown} {order}" if table.more else source(trace)


DRAWN: dict[str, Callable[..., Figure]] = {
    "summary": draw_summary,
    "sizes": draw_sizes,
    "calls": draw_calls,
    "rate": draw_rate,
    "offsets": draw_offsets,
    "check": draw_check,
    "activity": draw_activity,
}
"""The function that draws the report of each subcommand."""


def picture_bytes(drawn: Figure, suffix: str) -> bytes:
    """Return a figure as PNG, or as SVG with texts that can be searched."""
    with warnings.catch_warnings():
        # A name in letters that the font lacks is drawn with boxes; the tables have it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        if suffix == ".svg":
            with mpl.rc_context({"svg.fonttype": "none"}):
                return plots.svg(drawn)
        return plots.png(drawn)
