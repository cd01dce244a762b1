"""What all plots of traces have: sizes, colours, titles, and how numbers stand on their axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from simulator.report.lined import shortened
from simulator.report.plots import COLOURS, STYLE
from simulator.report.scales import Scale, scale_of
from simulator.traces.reports.table import Table
from simulator.units import format_time
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from simulator.traces.reports.opened import Opened

READ, WRITE, OTHER, FAILED = COLOURS[0], COLOURS[1], "0.55", COLOURS[3]
FIGURE_STYLE: Any = STYLE | {"text.parse_math": False}  # A $ in a name is a $.
COUNT = FuncFormatter(lambda value, _: number(value))
SIZE = FuncFormatter(lambda value, _: brief_size(value))
TIME = FuncFormatter(lambda value, _: format_time(value))


def ticks_in(axis: Axis, scale: Scale, most: float) -> None:
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


def dicts(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table with the names of its columns."""
    return list(table.row_dicts())


def source(trace: Opened) -> str:
    """Name what a figure is of."""
    name = shortened(trace.names[0].rpartition("/")[2], 60)
    others = len(trace.names) - 1
    return f"{name} and {counted(others, 'more log')}" if others else name


def number(value: float) -> str:
    """Write a count on an axis.

    >>> number(1500), number(2_000_000), number(0.5)
    ('1,500', '2 M', '0.5')
    """
    if abs(value) >= 1e6:
        digits = max(0, 2 - int(math.log10(abs(value) / 1e6)))
        return (
            f"{value / 1e6:,.{digits}f}".rstrip("0").rstrip(".") + " M"
            if digits
            else f"{value / 1e6:,.0f} M"
        )
    return f"{value:,.6g}"
