"""Pictures of a sweep for a browser: plots over varied values, knees, the best points."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.config.axis import is_geometric
from simulator.report.html.levels import MOST_CELLS, levels
from simulator.report.html.page import bars, bulleted, heading, note
from simulator.report.html.svg import Line, Piece, Plot, ticks_of
from simulator.report.html.sweep_rows import ELAPSED, MOST_LINES, Quantity, RowSummary
from simulator.report.knees import (
    TITLE,
    WITHIN,
    knee_rows,
    names_of,
    note_of,
    same_lines,
)
from simulator.report.limits import turns
from simulator.report.page import Block, Column, Markup, Table
from simulator.report.points import changes, known, left_out, points_table
from simulator.study.curves import contoured, families, measured
from simulator.study.knees import knee_of
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from simulator.config.axis import Axis
    from simulator.study.curves import Family
    from simulator.study.sweep import Swept

MOST_PLOTS = 12
MOST_BARS = 40
MOST_CHANGES = 40


class Drawings(NamedTuple):
    """Blocks that are made of all rows, which are read once."""

    answer: list[str]
    plots: list[Block]
    knees: list[Block]
    limits: list[Block]
    points: list[Block]


def drawings(swept: Swept) -> Drawings:
    """Return what only a page for a browser has of a sweep."""
    seen, found = RowSummary(swept), families(swept)
    return Drawings(
        _answer(swept, seen),
        _plots(swept, seen, found),
        _knees(swept, found),
        _limits(swept, seen),
        [_points(swept, seen)],
    )


def _answer(swept: Swept, seen: RowSummary) -> list[str]:
    """Name the best points, and what limits at how many."""
    number, best_s = seen.best(ELAPSED)
    told = f"Fastest of {counted(seen.count, 'point')}: {_name(swept, number)}"
    told += f" takes {format_time(1e9 * best_s)}"
    if best_s and seen.worst_s > best_s:
        told += f"; the slowest point takes {format_time(1e9 * seen.worst_s)}"
        told += f", {seen.worst_s / best_s:.3g} times as long"
    lines = [*filter(None, (left_out(swept),)), f"{told}."]
    for one in seen.quantities[1:]:
        number, value = seen.best(one)
        lines.append(f"Highest {one.label}: {one.text(value)} with {_name(swept, number)}.")
    if seen.limits:
        order = sorted(seen.limits, key=lambda name: (-seen.limits[name], name))
        told = ", ".join(f"{name} at {counted(seen.limits[name], 'point')}" for name in order[:4])
        lines.append(f"What limits: {told}{', ...' if len(order) > 4 else ''}.")
    return lines


def _name(swept: Swept, number: int) -> str:
    """Name a point by its values."""
    places = zip(swept.sweep.axes, swept.sweep.places(number), strict=True)
    return ", ".join(f"{axis.name}={axis.texts[place]}" for axis, place in places)


# -- plots ---------------------------------------------------------------------------------------


def _plots(swept: Swept, seen: RowSummary, found: Sequence[Family]) -> list[Block]:
    """Draw each figure over each value that varies."""
    made: list[Block] = []
    axes = swept.sweep.axes
    wanted = [(index, one) for index in range(len(axes)) for one in seen.quantities]
    for index, one in wanted[:MOST_PLOTS]:
        axis = axes[index]
        of_it = [family for family in found if family.figure == one.key]
        if len(axis.texts) < 2:
            continue
        if contoured(axes, of_it) and swept.sweep.size <= MOST_CELLS:
            if index == 0:  # One for both axes.
                made.append(heading(f"{one.label} over {axis.name} and {axes[1].name}"))
                made.append(levels(of_it, one.label, one.unit, swept.sweep.replications))
            continue
        made.append(heading(f"{one.label} over {axis.name}"))
        if axis.numbers is None:
            made.append(_bars(swept, seen, index, one))
        else:
            along = next((family for family in of_it if family.axis is axis), None)
            made.append(_plot(swept, seen, index, one, along))
    if more := max(0, len(wanted) - MOST_PLOTS):
        made.append(note(f"({counted(more, 'more plot')} left out)"))
    return made


def _plot(
    swept: Swept, seen: RowSummary, index: int, one: Quantity, along: Family | None
) -> Markup:
    """Draw a quantity over an axis of numbers; ``along``: its curves, if they are looked at."""
    axis = swept.sweep.axes[index]
    assert axis.numbers is not None
    spread = _spread(axis)
    few = along is not None and len(along.curves) <= MOST_LINES
    series = list(_alike(along) if along and few else _series(swept, seen, index, one))
    top = max((value for _, points in series for _, value in points), default=0.0)
    end, ticks = ticks_of(one.kind, top * one.base)
    high = end / one.base
    lines = [
        Line(name, sorted((spread[place], value / high) for place, value in points))
        for name, points in series
    ]
    order = sorted(range(len(axis.texts)), key=lambda place: spread[place])
    across = [(spread[place], axis.texts[place]) for place in order]
    told = f"{one.label} over {axis.name}, from {axis.texts[order[0]]} to {axis.texts[order[-1]]}."
    marks = _marks(swept, spread)
    if along is not None and few:
        marks += _knee_marks(swept, along, spread)
    drawn = Plot(told, lines, across, ticks, axis.name, marks[: 2 * MOST_LINES]).markup()
    if len(lines) == 1 and lines[0].name:  # A single line has no legend.
        return Markup(drawn + note(lines[0].name))
    return drawn


def _alike(along: Family) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """Yield named lines over an axis, those that are the same as one."""
    groups = along.groups()
    for group in groups:
        name = names_of(group)
        if len(group) > 1:
            every = f"all {counted(len(group), 'combination')} of the other values"
            name = f"{name if len(groups) > 1 else every} (the same {WITHIN})"
        yield name, list(enumerate(group[0].values))


def _knee_marks(swept: Swept, along: Family, spread: Sequence[float]) -> list[tuple[float, str]]:
    """Return where the lines of a plot have their knees, and whose these are if there are more."""
    if not measured(along.axis):
        return []
    groups = along.groups()
    places: dict[float, list[str]] = {}
    for group in groups:
        knee = knee_of(group[0], swept.sweep.replications)
        if knee.at is not None:
            place = spread[(along.axis.numbers or ()).index(knee.at)]
            places.setdefault(place, []).append(names_of(group) if len(groups) > 1 else "")
    return [
        (place, "knee" + (f" ({'; '.join(names)})" if any(names) else ""))
        for place, names in sorted(places.items())
    ]


def _spread(axis: Axis) -> list[float]:
    """Return where each value of an axis stands, from 0 to 1."""
    numbers = [float(number) for number in axis.numbers or ()]
    if is_geometric(numbers):
        numbers = [math.log(number) for number in numbers]
    low, high = min(numbers), max(numbers)
    return [(number - low) / (high - low) if high > low else 0.5 for number in numbers]


def _series(
    swept: Swept, seen: RowSummary, index: int, one: Quantity
) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """Yield named lines over an axis: of each combination of the other axes, or the bounds."""
    lines = seen.lines(one, index)
    names: Iterable[str] = ("lowest of all points there", "highest")
    if len(lines) <= MOST_LINES:
        axes = [axis for number, axis in enumerate(swept.sweep.axes) if number != index]
        pairs = ([f"{axis.name}={text}" for text in axis.texts] for axis in axes)
        names = map(", ".join, itertools.product(*pairs))
    else:
        lines = np.stack([np.fmin.reduce(lines), np.fmax.reduce(lines)])
    for name, values in zip(names, lines.tolist(), strict=True):
        yield name, [(n, value) for n, value in enumerate(values) if not math.isnan(value)]


def _marks(swept: Swept, spread: Sequence[float]) -> list[tuple[float, str]]:
    """Return where what limits changes, on the only axis."""
    axis, *others = swept.sweep.axes
    if others or not known(swept):
        return []
    place = dict(zip(map(float, axis.numbers or ()), spread, strict=True))
    changed = [((place[low] + place[high]) / 2, text) for low, high, text in turns(swept)]
    return changed[:MOST_LINES]


def _bars(swept: Swept, seen: RowSummary, index: int, one: Quantity) -> Markup:
    """Draw a quantity for each value of an axis of words: its range over the other axes."""
    axis = swept.sweep.axes[index]
    lines = seen.lines(one, index)
    bounds = zip(np.fmin.reduce(lines).tolist(), np.fmax.reduce(lines).tolist(), strict=True)
    found = zip(axis.texts, bounds, strict=False)
    pairs = [(text, pair) for text, pair in found if not math.isnan(pair[0])][:MOST_BARS]
    top = max((high for _, (_, high) in pairs), default=0) or 1
    drawn = []
    for text, (low, high) in pairs:
        told = one.text(low) if low == high else f"{one.text(low)} to {one.text(high)}"
        pieces = [Piece(low / top, 0)]
        pieces += [Piece((high - low) / top, 1, hatched=True)] if high > low else []
        drawn.append((text, told, pieces))
    many = any(low != high for _, (low, high) in pairs)
    key = "Solid: the lowest of all points there; hatched: up to the highest." if many else ""
    return bars(drawn, f"{one.label}: ", key)


# -- tables --------------------------------------------------------------------------------------


def _knees(swept: Swept, found: Sequence[Family]) -> list[Block]:
    """Return where doublings stop paying, and what is the same."""
    alike = same_lines(found)
    made: list[Block] = [bulleted(alike, MOST_CHANGES, "more line")] if alike else []
    head, lines = knee_rows(found, swept.sweep.replications)
    if not lines:
        return made
    columns = [Column(f"column_{number}", name) for number, name in enumerate(head)]
    told = note_of(lines)
    return [*made, Table("knees", TITLE, columns, lines, note=told, noun="knee", whole=True)]


def _limits(swept: Swept, seen: RowSummary) -> list[Block]:
    """Count the points at which each resource limits, and say where that changes."""
    if not seen.limits:
        return []
    order = sorted(seen.limits, key=lambda name: (-seen.limits[name], name))
    lines = [[name, seen.limits[name]] for name in order[: MOST_LINES * 5]]
    head = [Column("resource", "resource"), Column("points", "points", "count")]
    made: list[Block] = [Table("limits", "What limits", head, lines)]
    if not known(swept):
        return made
    every = [line.strip() for line in changes(swept)]
    if not every:
        return [*made, "What limits is the same at all points."]
    return [*made, heading("What limits changes"), bulleted(every, MOST_CHANGES, "more change")]


def _points(swept: Swept, seen: RowSummary) -> Table:
    """Return the points, of many the fastest; the best are marked."""
    best: dict[int, list[str]] = {}
    for one in seen.quantities:
        best.setdefault(seen.best(one)[0], []).append(one.best)
    numbers, rows = zip(*seen.shown, strict=True)
    table = points_table(swept, rows, [", ".join(best.get(one, [])) for one in numbers])
    marked = [place for place, number in enumerate(numbers) if number in best]
    few = seen.count > len(rows)
    note = f"The {len(rows)} fastest of {counted(seen.count, 'point')}." if few else ""
    return replace(table, note=note, most=len(rows), marked=marked)
