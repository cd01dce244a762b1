"""What all plots of traces have: sizes, colours, titles, and how numbers stand on their axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from simulator.report.plots import COLOURS, STYLE
from simulator.report.scales import scale_of
from simulator.report.trace import shortened
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

_TIME_UNITS = (
    ("h", 3.6e12, 36e12),
    ("min", 6e10, 6e11),
    ("s", 1e9, 1e9),
    ("ms", 1e6, 1e6),
    ("us", 1e3, 1e3),
    ("ns", 1.0, 0.0),
)
"""Unit, its ns, and the ns from which on an axis is labelled in it."""


def time_ticks(scale: Axis, most: float) -> None:
    """Label an axis of times in ns up to ``most`` in round numbers of one unit."""
    name, unit = next((name, unit) for name, unit, least in _TIME_UNITS if most >= least)
    ticks = [unit * tick for tick in MaxNLocator(4).tick_values(0, most / unit)]
    scale.set_major_locator(FixedLocator(ticks))
    scale.set_major_formatter(FuncFormatter(lambda value, _: f"{value / unit:,.4g} {name}"))


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
    """Give the rows of a table with the names of its columns."""
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
