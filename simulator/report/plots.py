"""Plots by matplotlib: of a sweep, of where the time of a run went; and what plots of traces share.

Of a sweep: the rates over one varied value, or over two. One value, or two of which one has few
values: lines with their knees, one for all that are the same, or bars where the values are words.
Two of numbers: a cell for each point. Two with many values each, but words: a map of colours. The
same sweep gives the same bytes.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from simulator.config.axis import is_geometric
from simulator.report.accounts import MOST_JOBS, Columns, spent_by
from simulator.report.knees import WITHIN, spelt
from simulator.report.limits import turns
from simulator.report.scales import Scale, scale_of
from simulator.report.surfaces import KNEE, MOST_TICKS, draw_cells, draw_map
from simulator.result.jobs import JobResult, by_job
from simulator.study.curves import contoured, families, measured
from simulator.study.figures import end_column
from simulator.study.knees import Knee, knee_of
from simulator.units import format_time
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as Side

    from simulator.config.axis import Axis
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.study.curves import Family
    from simulator.study.figures import Row
    from simulator.study.sweep import Swept


MOST_LINES = 6

# Okabe and Ito's palette, which people with any colour vision can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_MARKERS = "osD^v*"
_ENDS = ("low", "high")
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
    found = families(swept)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.0 * len(quantities), 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(_title(swept))
        for number, (column, label) in enumerate(quantities, start=1):
            axes = figure.add_subplot(1, len(quantities), number)
            _Panel(axes, swept, column, label, found).draw()
            if sweep.limits and len(sweep.axes) == 1:
                _mark_limits(axes, swept)
    return figure


def _mark_limits(axes: Axes, swept: Swept) -> None:
    """Draw a line between neighbouring values where what limits changes, with both names."""
    for low, high, text in turns(swept):
        middle = (low * high) ** 0.5 if axes.get_xscale() == "log" else (low + high) / 2
        axes.axvline(middle, color="0.5", linestyle=":", linewidth=1)
        how: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "bottom", "color": "0.4"}
        where = axes.get_xaxis_transform()
        axes.text(middle, 0.02, text, transform=where, fontsize="x-small", **how)


class _Panel:
    """One quantity over the axes of a sweep."""

    def __init__(
        self, axes: Axes, swept: Swept, column: str, label: str, found: Sequence[Family]
    ) -> None:
        self.axes = axes
        self.rows = swept.rows
        self.varied = swept.sweep.axes
        self.replications = swept.sweep.replications
        self.column = column
        self.label = label
        self.families = [one for one in found if one.figure == column]
        """Families of its curves; none of a sweep whose curves are not looked at."""

    def draw(self) -> None:
        """Draw it in the form that suits the numbers of values."""
        counts = [len(axis.texts) for axis in self.varied]
        if contoured(self.varied, self.families):
            draw_cells(self.axes, self.families, self.label, self.replications)
        elif len(counts) == 2 and min(counts) > MOST_LINES:
            draw_map(self.axes, self.varied, self.rows, self.column, self.label)
        elif len(counts) == 2 and counts[1] > MOST_LINES:
            self._draw_series(self.varied[1], self.varied[0])
        else:
            self._draw_series(self.varied[0], self.varied[1] if len(counts) == 2 else None)

    def _draw_series(self, along: Axis, among: Axis | None) -> None:
        """Draw one line, or one colour of bars, for each value of ``among``."""
        if along.numbers is None:
            self._draw_bars(along, among)
        else:
            self._draw_lines(along, among, along.numbers)
        self.axes.set_ylim(bottom=0)
        self.axes.set_ylabel(self.label)
        self.axes.grid(axis="y", color="0.9")
        self.axes.set_axisbelow(True)
        self._label_along(along, 70 if among is None else 45)
        if among is not None:
            beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
            self.axes.legend(title=among.name, frameon=False, **beside)

    def _draw_bars(self, along: Axis, among: Axis | None) -> None:
        many = _count(among)
        width = 0.8 / many
        for number in range(many):
            values = self._values(along, among, number)
            label = among.texts[number] if among is not None else None
            places = [i + (number - (many - 1) / 2) * width for i in range(len(values))]
            colour = COLOURS[number % len(COLOURS)]
            self.axes.bar(places, values, width, color=colour, label=label)
            self._draw_intervals(along, among, number, places)

    def _draw_lines(self, along: Axis, among: Axis | None, numbers: Sequence[float]) -> None:
        """Draw lines with their knees; those that are the same as one."""
        groups, knees = self._groups(along, among), False
        for group in groups:
            number = group[0]
            points = sorted(zip(numbers, self._values(along, among, number), strict=True))
            label = None if among is None else _label(among, group)
            colour = COLOURS[number % len(COLOURS)]
            marker = _MARKERS[number % len(_MARKERS)] if len(points) <= 40 else ""
            self.axes.plot(*zip(*points, strict=True), marker=marker, color=colour, label=label)
            self._draw_intervals(along, among, number, numbers)
            for family in self.families:
                if family.axis is along and measured(along):
                    knee = knee_of(family.curves[number], self.replications)
                    _mark_knee(self.axes, knee, colour, named=len(groups) == 1)
                    knees = knees or knee.at is not None
        if knees and len(groups) > 1:
            ring: dict[str, Any] = {"markersize": 10, "markerfacecolor": "none"}
            self.axes.plot([], [], "o", markeredgecolor="0.2", label=KNEE, **ring)

    def _groups(self, along: Axis, among: Axis | None) -> list[list[int]]:
        """Return the numbers of lines, those that are the same together."""
        for family in self.families:
            if family.axis is along:
                place = {id(curve): number for number, curve in enumerate(family.curves)}
                return [[place[id(curve)] for curve in group] for group in family.groups()]
        return [[number] for number in range(_count(among))]

    def _draw_intervals(
        self, along: Axis, among: Axis | None, number: int, places: Sequence[float]
    ) -> None:
        """Draw the intervals of points that were replicated, where they have any."""
        if self.replications is None:
            return
        ends = [self._values(along, among, number, end_column(self.column, end)) for end in _ENDS]
        for place, low, high in zip(places, *ends, strict=True):
            if low is not None and high is not None and low < high:
                self.axes.plot((place, place), (low, high), color="0.2", linewidth=1, marker="_")

    def _label_along(self, axis: Axis, room: int) -> None:
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
            scale.set_major_formatter(lambda value, _: spelt(value, axis.unit))
        if sum(map(len, axis.texts[: MOST_TICKS + 1])) > room:
            scale.set_tick_params(rotation=30)

    def _values(
        self, along: Axis, among: Axis | None, number: int, column: str = ""
    ) -> list[float]:
        """Return the quantity, or another column, over one axis, at one value of the other."""
        column = column or self.column
        if among is None:
            return [row[column] for row in self.rows]
        wanted: list[Row] = list(self.rows)
        width = len(self.varied[1].texts)
        if among is self.varied[1]:
            wanted = wanted[number::width]
        else:
            wanted = wanted[number * width : (number + 1) * width]
        assert len(wanted) == len(along.texts)
        return [row[column] for row in wanted]


def _mark_knee(axes: Axes, knee: Knee, colour: str, *, named: bool) -> None:
    """Draw a ring at the knee of a line, and the stretch in which it lies; name it, if asked."""
    numbers = knee.curve.axis.numbers or ()
    if knee.at is None:
        return
    low, high = knee.surely if knee.replicated and None not in knee.surely else knee.bounds
    stretch = sorted(
        (number, value)
        for number, value in zip(numbers, knee.curve.values, strict=True)
        if (low is None or number >= low) and (high is None or number <= high)
    )
    height = knee.curve.values[numbers.index(knee.at)]
    axes.plot(*zip(*stretch, strict=True), color=colour, linewidth=7, alpha=0.25, zorder=1)
    ring: dict[str, Any] = {"markersize": 12, "markerfacecolor": "none", "markeredgewidth": 1.4}
    axes.plot([knee.at], [height], "o", markeredgecolor="0.2", **ring)
    if named:
        how: dict[str, Any] = {"ha": "left", "va": "top", "fontsize": "small", "color": "0.2"}
        offset: dict[str, Any] = {"xytext": (9, -9), "textcoords": "offset points"}
        axes.annotate(f"knee {knee.text(knee.at)}", (knee.at, height), **offset, **how)


def _count(axis: Axis | None) -> int:
    return 1 if axis is None else len(axis.texts)


def _label(axis: Axis, places: Sequence[int]) -> str:
    """Name the line of some values of an axis, which are the same if there are several."""
    if len(places) == 1:
        return axis.texts[places[0]]
    texts = [axis.texts[place] for place in places]
    shown = texts if len(texts) <= 3 else [texts[0], "...", texts[-1]]
    every = "all values" if len(texts) == len(axis.texts) else ", ".join(shown)
    return f"{every}\n(the same {WITHIN})"


def _title(swept: Swept) -> str:
    sweep = swept.sweep
    title = f"{Path(sweep.workload).stem} on {Path(sweep.machine).stem}"
    fixed = ", ".join(f"{path.rpartition('.')[2]} {value}" for path, value in sweep.settings)
    return f"{title}, {fixed}" if fixed and len(fixed) <= 50 else title


MOST_PIECES = 8
"""Columns with a colour of their own; the smaller ones are added up."""
_COLOURS = (*COLOURS, "#F0E442", "#666666")
_OTHER = "#CCCCCC"


def pieces_of(jobs: list[JobResult], columns: Columns) -> dict[str, list[float]]:
    """Return what is drawn: label -> its share of the process time of each job, largest first."""
    labels: dict[str, list[float]] = {}
    for place, job in enumerate(jobs):
        for row in spent_by(job, columns):
            for what, time in (("waiting", row.wait_ns), ("", row.service_ns)):
                if time:
                    label = f"{row.column} ({what})" if what else row.column
                    shares = labels.setdefault(label, [0.0] * len(jobs))
                    shares[place] += time / job.time_ns
    order = sorted(labels, key=lambda label: -sum(labels[label]))
    kept = {label: labels[label] for label in order[:MOST_PIECES]}
    rest = [labels[label] for label in order[MOST_PIECES:]]
    if rest:
        kept["other"] = [sum(shares) for shares in zip(*rest, strict=True)]
    return kept


def draw_where(result: Result, plan: Plan, axes: Axes | None = None) -> Axes:
    """Draw where the time of each job went, as shares of its process time."""
    if axes is None:
        from matplotlib import pyplot as plt

        axes = plt.subplots(
            figsize=(8.0, 1.6 + 0.5 * max(1, len(_jobs(result)))), layout="constrained"
        )[1]
    jobs = _jobs(result)
    left = [0.0] * len(jobs)
    for number, (label, shares) in enumerate(pieces_of(jobs, Columns(plan)).items()):
        widths = [100 * share for share in shares]
        colour = _OTHER if label == "other" else _COLOURS[number]
        hatch = "//" if label.endswith("(waiting)") else None
        style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.5}
        axes.barh(
            range(len(jobs)), widths, left=left, label=label, color=colour, hatch=hatch, **style
        )
        left = [before + width for before, width in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(jobs)), [job.name for job in jobs])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of process time (%)")
    axes.set_title(f"{result.workload} on {result.machine}: where the time went")
    if jobs:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return axes


def _jobs(result: Result) -> list[JobResult]:
    """Return the jobs to draw; many of them as one."""
    jobs = [job for job in by_job(result) if job.time_ns]
    if len(jobs) <= 2 * MOST_JOBS:
        return jobs
    return [JobResult(counted(len(jobs), "job"), [one for job in jobs for one in job.processes])]


READ, WRITE, OTHER, FAILED = COLOURS[0], COLOURS[1], "0.55", COLOURS[3]
FIGURE_STYLE: Any = STYLE | {"text.parse_math": False}  # A $ in a name is a $.
COUNT = FuncFormatter(lambda value, _: number(value))
SIZE = FuncFormatter(lambda value, _: brief_size(value))
TIME = FuncFormatter(lambda value, _: format_time(value))


def ticks_in(axis: Side, scale: Scale, most: float) -> None:
    """Label an axis up to ``most``, in base units, in round numbers of a unit."""
    ticks = [scale.size * tick for tick in MaxNLocator(4).tick_values(0, most / scale.size)]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / scale.size:,.10g}"))


def time_axis(axes: Axes, most_s: float) -> None:
    """Label the axis of time, in seconds and up to ``most_s``, in a unit that fits it."""
    scale = scale_of("time", [most_s * 1e9])
    axes.set_xlabel(f"time since the start of the log ({scale.unit})")
    factor = 1e9 / scale.size
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * factor:,.10g}"))


def legend(axes: Axes) -> None:
    """Put the legend beside the axes."""
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), markerscale=1.5)


def figure_of(size: tuple[float, float], title: str) -> Figure:
    """Make an empty figure with a title."""
    with mpl.rc_context(FIGURE_STYLE):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, fontsize=11)
    return figure


@contextmanager
def drawing(size: tuple[float, float], title: str) -> Iterator[Figure]:
    """Yield an empty figure with a title, which is drawn in the style of all of them."""
    with mpl.rc_context(FIGURE_STYLE):
        yield figure_of(size, title)


def number(value: float) -> str:
    """Write a count on an axis.

    >>> number(1500), number(2_000_000), number(0.5)
    ('1,500', '2 M', '0.5')
    """
    if abs(value) >= 1e6:
        digits = max(0, 2 - int(math.log10(abs(value) / 1e6)))
        text = f"{value / 1e6:,.{digits}f}"
        return f"{text.rstrip('0').rstrip('.') if digits else text} M"
    return f"{value:,.6g}"
