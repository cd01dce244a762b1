"""Plot of every call on a file, or on several: duration, size and offset over time.

Few calls are drawn one by one. Of very many each panel shows how many there are in each of its
small cells: a cell has the colour of most of its calls, deeper for more, and the panel says so. The
calls on one file are coloured by what they do; those on several by file, the most used ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from simulator.report import plots
from simulator.report.lined import shortened
from simulator.traces.reports.choice import text
from simulator.traces.reports.transfers import picked
from simulator.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.traces.reports.opened import Opened

MOST_POINTS = 20_000
"""Calls that are drawn one by one."""
ACROSS, DOWN = 360, 90
"""Cells of a panel with more calls."""
MOST_FILES = 5
"""Files that have a colour of their own."""
NAME_WIDTH = 60
PALEST = 0.35
"""Opacity of a cell with one call."""

PANELS = (
    ("duration", "duration", plots.TIME),
    ("size", "size", plots.SIZE),
    ("there", "offset", plots.SIZE),
)


def draw_offsets(trace: Opened) -> Figure:
    """Draw duration, size and offset of each call over time."""
    trace.need_calls("offsets")
    names = _most_used(trace)
    parts = _files(names) if len(names) > 1 else _ways(trace)
    _keep_calls(trace, parts)
    title = shortened(names[0][0], 90) if len(names) == 1 else source(trace)
    with plots.drawing((9.0, 8.0 if len(names) < 2 else 8.6), title) as drawn:
        first: Axes | None = None
        for row, (column, label, formatter) in enumerate(PANELS, start=1):
            axes = drawn.add_subplot(3, 1, row, sharex=first)
            first = first or axes
            _Panel(trace, axes, column, parts, logarithmic=column == "duration").draw()
            axes.yaxis.set_major_formatter(formatter)
            axes.set_ylabel(label)
            axes.grid(color="0.92")
            axes.set_axisbelow(True)
            if row == 1:
                _legend(trace, axes, parts, above=len(names) > 1)
            axes.tick_params(labelbottom=row == 3)
        (last,) = trace.row("SELECT max(x) FROM drawn")
        plots.time_axis(axes, (last or 0) / 1e9)
        if trace.times is None:
            axes.set_xlabel("row of the log")
    return drawn


# -- what has which colour --------------------------------------------------------------------


class Part(NamedTuple):
    """Calls that have one colour."""

    name: str
    colour: Any
    condition: str
    """As SQL; the first that holds counts. Empty: all that is left."""
    height: int
    """Points of a greater one lie above others."""


def _most_used(trace: Opened) -> list[tuple[str, int, int]]:
    """Name and calls of the files with the most, and how many files there are."""
    return [
        (name, count, many)
        for name, count, many in trace.rows(
            f"SELECT name, count(*) AS n, count(*) OVER () FROM ({picked(trace)}) GROUP BY 1"
            f" ORDER BY n DESC, name LIMIT {MOST_FILES}"
        )
    ]


def _ways(trace: Opened) -> list[Part]:
    return [
        Part("read", plots.READ, trace.reads, 2),
        Part("write", plots.WRITE, trace.writes, 1),
        Part("other", plots.OTHER, "", 0),
    ]


def _files(names: list[tuple[str, int, int]]) -> list[Part]:
    parts = [
        Part(
            f"{shortened(name, NAME_WIDTH)} ({counted(count, 'call')})",
            plots.COLOURS[place],
            f"name = {text(name)}",
            place + 1,
        )
        for place, (name, count, _) in enumerate(names)
    ]
    many = names[0][2]
    if many > MOST_FILES:
        parts.append(Part(counted(many - MOST_FILES, "other file"), plots.OTHER, "", 0))
    return parts


def _keep_calls(trace: Opened, parts: list[Part]) -> None:
    """Keep what is drawn of each call, with the number of its part."""
    cases = " ".join(
        f"WHEN {part.condition} THEN {place}" for place, part in enumerate(parts) if part.condition
    )
    x = "start" if trace.times is not None else "place"
    trace.keep(
        "drawn",
        f"SELECT {x} AS x, (CASE {cases} ELSE {len(parts) - 1} END)::TINYINT AS part,"
        ' duration_ns AS duration, size, "where" AS there'
        f" FROM (SELECT *, name AS file, name AS to_file FROM ({picked(trace)}))"
        f" WHERE {x} IS NOT NULL",
    )


def _legend(trace: Opened, axes: Axes, parts: list[Part], *, above: bool) -> None:
    for (number_of_part,) in trace.rows("SELECT DISTINCT part FROM drawn ORDER BY 1"):
        part = parts[number_of_part]
        axes.plot([], [], "o", color=part.colour, label=part.name, markersize=5)
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    if above:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.06), "fontsize": 8}
    axes.legend(frameon=False, **place)


def _label_logarithmic(axes: Axes) -> None:
    """Label 1, or 1, 2 and 5, or each digit, so that there are two labels or more."""
    low, high = axes.get_ylim()
    subs = (1.0,) if high > 30 * low else (1.0, 2.0, 5.0) if high > 5 * low else tuple(range(1, 10))
    axes.yaxis.set_major_locator(LogLocator(subs=subs))
    axes.yaxis.set_minor_formatter(NullFormatter())


# -- one quantity -----------------------------------------------------------------------------


class _Panel:
    """One quantity of every call over time."""

    def __init__(
        self, trace: Opened, axes: Axes, column: str, parts: list[Part], *, logarithmic: bool
    ) -> None:
        self.trace = trace
        self.axes = axes
        self.parts = parts
        self.known = f"FROM drawn WHERE {column} IS NOT NULL"
        self.logarithmic = logarithmic
        self.y = f"greatest({column}, 1)" if logarithmic else column
        self.unit = 1e9 if trace.times is not None else 1.0
        self.count, *self.bounds = trace.row(
            f"SELECT count(*), min(x), max(x), min({self.y}), max({self.y}) {self.known}"
        )

    def draw(self) -> None:
        """Draw it point by point or cell by cell."""
        if not self.count:
            words = "not in the log"
            place: dict[str, Any] = {"ha": "center", "va": "center"}
            self.axes.text(0.5, 0.5, words, transform=self.axes.transAxes, **place)
            self.axes.set_yticks([])
            return
        if self.logarithmic:
            self.axes.set_yscale("log")
        if self.count <= MOST_POINTS:
            self._draw_points()
        else:
            self._draw_cells()
        if self.logarithmic:
            _label_logarithmic(self.axes)
        else:
            top = max(1.0, self.axes.get_ylim()[1])
            self.axes.set_ylim(-0.04 * top, top)  # A point at 0 is seen.
            self.axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))

    def _draw_points(self) -> None:
        """Draw each call."""
        size = 30.0 if self.count < 100 else 14.0 if self.count < 1000 else 4.0
        flat: dict[str, Any] = {"linewidths": 0, "rasterized": self.count > 2000}
        for place, part in enumerate(self.parts):
            query = f"SELECT x, {self.y} {self.known} AND part = {place} ORDER BY ALL"
            points = self.trace.rows(query)
            if points:
                x, y = np.array(points, float).T
                higher: dict[str, Any] = flat | {"zorder": 2 + part.height / 10}
                self.axes.scatter(x / self.unit, y, s=size, color=part.colour, alpha=0.7, **higher)

    def _draw_cells(self) -> None:
        """Draw how many calls there are in each cell."""
        left, right, low, high = self.bounds
        scaled = f"ln({self.y})" if self.logarithmic else self.y
        if self.logarithmic:
            low, high = float(np.log(low)), float(np.log(high))
        wide, tall = max(right - left, 1) / ACROSS, (high - low) / DOWN or 1.0
        cell = (
            f"least(floor((x - {left}) / {wide!r}), {ACROSS - 1}) * {DOWN}"
            f" + least(floor(({scaled} - {low!r}) / {tall!r}), {DOWN - 1})"
        )
        found = self.trace.rows(
            f"SELECT part, ({cell})::INTEGER, count(*) {self.known} GROUP BY 1, 2"
        )
        calls = np.zeros((len(self.parts), ACROSS * DOWN), np.int64)
        part, place, count = np.array(found, np.int64).T
        calls[part, place] = count
        edges = low + tall * np.arange(DOWN + 1)
        self.axes.pcolormesh(
            (left + wide * np.arange(ACROSS + 1)) / self.unit,
            np.exp(edges) if self.logarithmic else edges,
            self._shades(calls).reshape(ACROSS, DOWN, 4).swapaxes(0, 1),
            rasterized=True,
        )
        self.axes.margins(0.02, 0.05)
        self.axes.autoscale_view()
        most = int(calls.sum(axis=0).max())
        words = (
            f"{plots.number(self.count)} calls in {ACROSS} x {DOWN} cells, coloured as most of"
            f" their calls; deeper for more, up to {plots.number(most)}"
        )
        self.axes.set_title(words, loc="right", fontsize=8, pad=3)

    def _shades(self, calls: Any) -> Any:
        """The colour of each cell: that of most of its calls, as deep as they are many."""
        colours = np.array([mpl.colors.to_rgb(part.colour) for part in self.parts])
        total = calls.sum(axis=0)
        depth = np.log1p(total) / np.log1p(max(int(total.max()), 1))
        shades = np.empty((calls.shape[1], 4))
        shades[:, :3] = colours[calls.argmax(axis=0)]
        shades[:, 3] = np.where(total > 0, PALEST + (1 - PALEST) * depth, 0)
        return shades


def source(trace: Opened) -> str:
    """Name what a figure is of."""
    name = shortened(trace.names[0].rpartition("/")[2], 60)
    others = len(trace.names) - 1
    return f"{name} and {counted(others, 'more log')}" if others else name
