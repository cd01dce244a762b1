"""A figure of a sweep over two values: a cell for each point and the lines of knees, or a map.

Only points are drawn that were computed (dots): between them nothing is known. Where values of an
axis are spread so, it is logarithmic. The darker a cell, the better, of times as of rates; the best
has a star.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.colors import LogNorm, Normalize
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from simulator.config.axis import is_geometric
from simulator.study.curves import LEAST, best_cell
from simulator.study.knees import SHARE, knee_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.config.axis import Axis
    from simulator.study.curves import Family
    from simulator.study.figures import Row
    from simulator.study.replications import Replications

LARGE_RATIO = 20
"""A figure that varies over more than this has levels that grow by factors."""
MOST_LEVELS = 9
MOST_TICKS = 13
MOST_WRITTEN = 150
"""Cells of a map with their numbers in them."""
KNEE = f"knee (then < {100 * SHARE:g} %\nper doubling)"
DARKER = "darker is better"
_STYLES = (("-", "o"), ("--", "s"))


def draw_cells(
    axes: Axes, found: Sequence[Family], label: str, replications: Replications | None
) -> None:
    """Draw a figure over two axes, a cell for each point: the first across, the second up."""
    across, up = found
    places = [_places(family.axis) for family in found]
    order = [_order(family.axis) for family in found]
    xs, ys = ([one[place] for place in kept] for one, kept in zip(places, order, strict=True))
    heights = [[across.curves[row].values[column] for column in order[0]] for row in order[1]]
    flat = [height for row in heights for height in row]
    levels, norm = _levels(min(flat), max(flat))
    norm = norm or Normalize(levels[0], levels[-1])
    least = across.figure in LEAST
    cmap = _colours(least=least)
    filled = axes.pcolormesh(xs, ys, heights, shading="nearest", cmap=cmap, norm=norm)
    bar = axes.figure.colorbar(filled, ax=axes, label=f"{label}, {DARKER}")
    bar.set_ticks(levels, labels=[f"{level:,.4g}" for level in levels])
    bar.ax.minorticks_off()
    axes.plot(*zip(*((x, y) for y in ys for x in xs), strict=True), ".", color="0.85", markersize=2)
    for number, family in enumerate(found):
        _draw_knee_line(axes, found, number, places, replications)
        _label(axes.yaxis if number else axes.xaxis, family.axis, places[number])
    row, column = best_cell(heights, least=least)
    _mark_best(axes, xs[column], ys[row])
    axes.set_xlabel(across.axis.name)
    axes.set_ylabel(up.axis.name)
    if axes.get_legend_handles_labels()[0]:
        below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 2}
        axes.legend(title=KNEE.replace("\n", " "), frameon=False, **below)


def _places(axis: Axis) -> list[float]:
    """Return where the values of an axis stand: at their logarithms, if they are spread so."""
    numbers = [float(number) for number in axis.numbers or ()]
    return [math.log(number) for number in numbers] if is_geometric(numbers) else numbers


def _order(axis: Axis) -> list[int]:
    """Return which values of an axis are drawn, in their order; of equal ones the first."""
    numbers = axis.numbers or ()
    first = {number: place for place, number in reversed(list(enumerate(numbers)))}
    return [first[number] for number in sorted(first)]


def _levels(low: float, high: float) -> tuple[list[float], Any]:
    """Return round levels from below the lowest to above the highest figure, and their colours.

    >>> _levels(12.0, 88.0)[0]
    [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0]
    >>> _levels(3.0, 450.0)[0]
    [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]
    """
    if low > 0 and high / low > LARGE_RATIO:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        steps = (1, 2, 5) if last - first <= 3 else (1,)
        every = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
        start = max(place for place, level in enumerate(every) if level <= low)
        end = min(place for place, level in enumerate(every) if level >= high)
        levels = every[start : end + 1]
        return levels, LogNorm(levels[0], levels[-1])
    round_levels = MaxNLocator(MOST_LEVELS, steps=[1, 2, 2.5, 5, 10])
    return [float(one) for one in round_levels.tick_values(low, high)], None


def _label(scale: Any, axis: Axis, places: Sequence[float]) -> None:
    """Write the values of an axis, or some of them, as their user did."""
    order = _order(axis)
    kept = order[:: -(-len(order) // MOST_TICKS)]
    scale.set_major_locator(FixedLocator([places[place] for place in kept]))
    scale.set_major_formatter(FixedFormatter([axis.texts[place] for place in kept]))
    if scale.axis_name == "x" and sum(len(axis.texts[place]) for place in kept) > 70:
        scale.set_tick_params(rotation=30)


def _draw_knee_line(
    axes: Axes,
    found: Sequence[Family],
    number: int,
    places: Sequence[Sequence[float]],
    replications: Replications | None,
) -> None:
    """Join the knees over one axis, one at each value of the other; it breaks where there is none.

    A thin bar is where a knee may lie from run to run.
    """
    family, other = found[number], found[1 - number].axis
    numbers = family.axis.numbers or ()
    points: list[tuple[float, float]] = []
    line, marker = _STYLES[number]
    ink: Any = {"color": "white", "path_effects": [withStroke(linewidth=3.2, foreground="black")]}
    for place in _order(other):
        knee = knee_of(family.curves[place], replications)
        at = math.nan if knee.at is None else places[number][numbers.index(knee.at)]
        points.append((at, places[1 - number][place]))
        low, high = knee.surely
        if knee.replicated and low is not None and high is not None:
            ends = [places[number][numbers.index(one)] for one in (low, high)]
            bar = [ends, [points[-1][1]] * 2]
            axes.plot(*(reversed(bar) if number else bar), linewidth=0.8, **ink)
    if all(math.isnan(at) for at, _ in points):
        return
    xs, ys = zip(*points, strict=True)
    pair = (ys, xs) if number else (xs, ys)
    how: dict[str, Any] = {"linestyle": line, "marker": marker, "linewidth": 1.6, "markersize": 4}
    axes.plot(*pair, label=f"of {family.axis.name}", clip_on=False, zorder=3, **how, **ink)


# -- words ----------------------------------------------------------------------------------------


def draw_map(
    axes: Axes, varied: Sequence[Axis], rows: Sequence[Row], column: str, label: str
) -> None:
    """Draw a figure over two axes of many values, words among them, as a map of colours."""
    down, along = varied
    values = [
        [row[column] for row in rows[start : start + len(along.texts)]]
        for start in range(0, len(rows), len(along.texts))
    ]
    least = column in LEAST
    how: dict[str, Any] = {"origin": "lower", "aspect": "auto", "cmap": _colours(least=least)}
    image = axes.imshow(values, **how)
    axes.figure.colorbar(image, ax=axes, label=f"{label}, {DARKER}")
    for axis, scale in ((along, axes.xaxis), (down, axes.yaxis)):
        step = -(-len(axis.texts) // MOST_TICKS)
        scale.set_major_locator(FixedLocator(list(range(0, len(axis.texts), step))))
        scale.set_major_formatter(FixedFormatter(list(axis.texts[::step])))
    axes.set_xlabel(along.name)
    axes.set_ylabel(down.name)
    if sum(map(len, along.texts)) > 70:
        axes.xaxis.set_tick_params(rotation=30)
    written = len(rows) <= MOST_WRITTEN
    if written:
        _write_numbers(axes, values, least=least)
    y, x = best_cell(values, least=least)
    _mark_best(axes, x, y + 0.3 * written)


def _colours(*, least: bool) -> str:
    """Name the colours in which the best is the darkest."""
    return "viridis" if least else "viridis_r"


def _mark_best(axes: Axes, x: float, y: float) -> None:
    """Draw a star at the best cell."""
    star: dict[str, Any] = {"markeredgecolor": "black", "color": "#F0E442", "zorder": 4}
    axes.plot([x], [y], "*", markersize=13, **star)


def _write_numbers(axes: Axes, values: Sequence[Sequence[float]], *, least: bool) -> None:
    flat = [value for line in values for value in line]
    middle = (min(flat) + max(flat)) / 2
    for y, line in enumerate(values):
        for x, value in enumerate(line):
            colour = "white" if (value < middle) == least else "black"
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7}
            axes.text(x, y, f"{value:#.3g}", color=colour, **place)
