"""The page of a sweep: the best points, a plot for each varied value, the points.

Rows are read one after the other, and what is kept does not grow with the number of points.
"""

from __future__ import annotations

import heapq
import itertools
import math
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from simulator.config.axis import is_geometric
from simulator.report.html.markup import ARROW
from simulator.report.html.page import bulleted, figure, heading, made_by, note, page
from simulator.report.html.svg import Line, Piece, Plot, round_ticks, rows
from simulator.report.limits import NONE, turns
from simulator.report.page import Block, Column, Markup, Section, Table
from simulator.report.scales import scale_of
from simulator.report.sweep import changes, command, known
from simulator.units import format_rate, format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.config.axis import Axis
    from simulator.study.figures import Row
    from simulator.study.sweep import Swept

MOST_ROWS = 200
"""Points in the table; of more, the fastest are listed."""
MOST_LINES = 6
"""Lines of a plot; of more, the lowest and the highest value are drawn."""
MOST_PLOTS = 12
MOST_PLACES = 2_000
"""Values of an axis that is drawn."""
MOST_BARS = 40
MOST_CHANGES = 40


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure of each point."""

    key: str
    label: str
    unit: str
    best: str
    """What the best point is called."""
    kind: Literal["time", "rate"]
    base: float
    """What one of its unit is in ns, or in bytes per second."""

    @property
    def least(self) -> bool:
        """Whether less is better."""
        return self.kind == "time"

    def text(self, value: float) -> str:
        """Write a value with a unit."""
        if self.kind == "time":
            return format_time(self.base * value)
        return format_rate(self.base * value).partition(" (")[0]


ELAPSED = Quantity("elapsed_s", "elapsed time", "s", "fastest", "time", 1e9)
RATES = (
    Quantity("read_MBps", "read rate", "MB/s", "reads most", "rate", 1e6),
    Quantity("write_MBps", "write rate", "MB/s", "writes most", "rate", 1e6),
    Quantity("stable_MBps", "rate to stable storage", "MB/s", "stores most", "rate", 1e6),
)


@dataclass(slots=True)
class Seen:
    """What is kept of the rows of a sweep."""

    count: int = 0
    best: dict[str, tuple[int, Row]] = field(default_factory=dict)
    worst_s: float = 0.0
    used: set[str] = field(default_factory=set)
    bounds: dict[tuple[int, int, str], tuple[float, float]] = field(default_factory=dict)
    """Axis, place on it and quantity -> the lowest and the highest value there."""
    lines: dict[tuple[int, int, int, str], float] = field(default_factory=dict)
    """Axis, combination of the others, place, quantity -> the value; where these are few."""
    limits: dict[str, int] = field(default_factory=dict)
    """What limits -> at how many points."""
    shown: list[tuple[int, Row]] = field(default_factory=list)
    """Points of the table."""


def sweep_page(swept: Swept, where: str, *, repeated: bool = True) -> str:
    """Return the page of a sweep; ``where`` is the folder with all its points, if one has them.

    ``repeated``: whether a command repeats it, since its machine and workload are in files.
    """
    sweep = swept.sweep
    seen = _seen(swept)
    title = (
        f"{Path(sweep.workload).stem} on {Path(sweep.machine).stem}: {counted(seen.count, 'point')}"
    )
    varied = ", ".join(f"{axis.name} ({counted(len(axis.texts), 'value')})" for axis in sweep.axes)
    about = [f"varied: {varied}"]
    about += [f"part {swept.shard} of {counted(sweep.size, 'point')}"] if swept.shard else []
    if not seen.count:
        return page(title, about, ["This part has no points."], [])
    sections = [
        Section("What the values do", _plots(swept, seen)),
        Section("What limits", _limits(swept, seen)),
        Section("Points", _points(swept, seen, where)),
        made_by(shlex.split(command(sweep, swept.shard)) if repeated else (), _about(swept)),
    ]
    return page(title, about, _answer(swept, seen), sections)


# -- reading -------------------------------------------------------------------------------------


def _numbers(swept: Swept) -> range:
    """Return the numbers of the points in the grid."""
    sweep = swept.sweep
    return swept.shard.part(sweep.size) if swept.shard else range(sweep.size)


def _seen(swept: Swept) -> Seen:
    """Read all rows once."""
    sweep, seen = swept.sweep, Seen()
    counts = [len(axis.texts) for axis in sweep.axes]
    lines = [sweep.size // count <= MOST_LINES and count <= MOST_PLACES for count in counts]
    small = len(swept.rows) <= MOST_ROWS
    fastest: list[tuple[float, int, Row]] = []
    for number, row in zip(_numbers(swept), swept.rows, strict=True):
        seen.count += 1
        seen.worst_s = max(seen.worst_s, row["elapsed_s"])
        if sweep.limits:
            name = row["limit"] or NONE
            seen.limits[name] = seen.limits.get(name, 0) + 1
        places = sweep.places(number)
        for one in (ELAPSED, *RATES):
            _keep(seen, one, number, row, places, lines)
        if small:
            seen.shown.append((number, row))
        else:
            entry = (-row["elapsed_s"], -number, row)
            if len(fastest) < MOST_ROWS:
                heapq.heappush(fastest, entry)
            elif entry[:2] > fastest[0][:2]:
                heapq.heapreplace(fastest, entry)
    if not small:
        best = sorted(fastest, key=lambda entry: (-entry[0], -entry[1]))
        seen.shown = [(-number, row) for _, number, row in best]
    return seen


def _keep(
    seen: Seen, one: Quantity, number: int, row: Row, places: Sequence[int], lines: Sequence[bool]
) -> None:
    """Keep one quantity of a row."""
    value = row[one.key]
    if value:
        seen.used.add(one.key)
    before = seen.best.get(one.key)
    if before is None or (value < before[1][one.key] if one.least else value > before[1][one.key]):
        seen.best[one.key] = number, row
    for axis, place in enumerate(places):
        if place >= MOST_PLACES:
            continue
        low, high = seen.bounds.get((axis, place, one.key), (value, value))
        seen.bounds[axis, place, one.key] = min(low, value), max(high, value)
        if lines[axis]:
            seen.lines[axis, _others(places, axis), place, one.key] = value


def _others(places: Sequence[int], axis: int) -> int:
    """Return one number for the places on all other axes; they are few."""
    number = 0
    for other, place in enumerate(places):
        if other != axis:
            number = number * 1000 + place
    return number


# -- the answer ----------------------------------------------------------------------------------


def _quantities(seen: Seen) -> list[Quantity]:
    return [ELAPSED, *(one for one in RATES if one.key in seen.used)]


def _answer(swept: Swept, seen: Seen) -> list[str]:
    number, row = seen.best[ELAPSED.key]
    best_s = row["elapsed_s"]
    told = f"Fastest of {counted(seen.count, 'point')}: {_name(swept, number)}"
    told += f" takes {format_time(1e9 * best_s)}"
    if best_s and seen.worst_s > best_s:
        told += f"; the slowest point takes {format_time(1e9 * seen.worst_s)}"
        told += f", {seen.worst_s / best_s:.3g} times as long"
    lines = [f"{told}."]
    for one in _quantities(seen)[1:]:
        number, row = seen.best[one.key]
        if row[one.key]:
            value = one.text(row[one.key])
            lines.append(f"Highest {one.label}: {value} with {_name(swept, number)}.")
    if seen.limits:
        order = sorted(seen.limits, key=lambda name: (-seen.limits[name], name))
        told = ", ".join(f"{name} at {counted(seen.limits[name], 'point')}" for name in order[:4])
        lines.append(f"What limits: {told}{', ...' if len(order) > 4 else ''}.")
    return lines


def _name(swept: Swept, number: int) -> str:
    places = zip(swept.sweep.axes, swept.sweep.places(number), strict=True)
    return ", ".join(f"{axis.name}={axis.texts[place]}" for axis, place in places)


# -- plots ---------------------------------------------------------------------------------------


def _plots(swept: Swept, seen: Seen) -> list[Block]:
    made: list[Block] = []
    wanted = [(index, one) for index in range(len(swept.sweep.axes)) for one in _quantities(seen)]
    for index, one in wanted[:MOST_PLOTS]:
        axis = swept.sweep.axes[index]
        if len(axis.texts) < 2:
            continue
        drawn = _bars if axis.numbers is None else _plot
        made += [heading(f"{one.label} over {axis.name}"), drawn(swept, seen, index, one)]
    if more := max(0, len(wanted) - MOST_PLOTS):
        made.append(note(f"({counted(more, 'more plot')} left out)"))
    return made


def _plot(swept: Swept, seen: Seen, index: int, one: Quantity) -> Markup:
    """Draw a quantity over an axis of numbers."""
    axis = swept.sweep.axes[index]
    assert axis.numbers is not None
    spread = _spread(axis)
    series = list(_series(swept, seen, index, one))
    top = max((value for _, points in series for _, value in points), default=0.0)
    scale = scale_of(one.kind, [top * one.base])
    up = round_ticks(top * one.base / scale.size)
    high = up[-1] * scale.size / one.base
    lines = [
        Line(name, sorted((spread[place], value / high) for place, value in points))
        for name, points in series
    ]
    ticks = [(value / up[-1], f"{value:g} {scale.unit}") for value in up]
    order = sorted(range(len(axis.texts)), key=lambda place: spread[place])
    across = [(spread[place], axis.texts[place]) for place in order]
    told = f"{one.label} over {axis.name}, from {axis.texts[order[0]]} to {axis.texts[order[-1]]}."
    return Plot(told, lines, across, ticks, axis.name, _marks(swept, spread)).markup()


def _spread(axis: Axis) -> list[float]:
    """Return where each value of an axis stands, from 0 to 1."""
    numbers = [float(number) for number in axis.numbers or ()]
    if is_geometric(numbers):
        numbers = [math.log(number) for number in numbers]
    low, high = min(numbers), max(numbers)
    return [(number - low) / (high - low) if high > low else 0.5 for number in numbers]


def _series(
    swept: Swept, seen: Seen, index: int, one: Quantity
) -> Iterator[tuple[str, list[tuple[int, float]]]]:
    """Yield named lines over an axis: of each combination of the other axes, or the bounds."""
    axes = swept.sweep.axes
    places = range(min(len(axes[index].texts), MOST_PLACES))
    others = [axis for number, axis in enumerate(axes) if number != index]
    if swept.sweep.size // len(axes[index].texts) <= MOST_LINES:
        for combination in itertools.product(*(range(len(axis.texts)) for axis in others)):
            key = _others([*combination[:index], 0, *combination[index:]], index)
            found = [(place, seen.lines.get((index, key, place, one.key))) for place in places]
            named = zip(others, combination, strict=True)
            name = ", ".join(f"{axis.name}={axis.texts[place]}" for axis, place in named)
            yield name, [(place, value) for place, value in found if value is not None]
        return
    bounds = [(place, seen.bounds.get((index, place, one.key))) for place in places]
    for side, name in enumerate(("lowest of all points there", "highest")):
        yield name, [(place, pair[side]) for place, pair in bounds if pair is not None]


def _marks(swept: Swept, spread: Sequence[float]) -> list[tuple[float, str]]:
    """Return where what limits changes, on the only axis."""
    axis, *others = swept.sweep.axes
    if others or not known(swept):
        return []
    place = dict(zip(map(float, axis.numbers or ()), spread, strict=True))
    changed = [((place[low] + place[high]) / 2, text) for low, high, text in turns(swept)]
    return changed[:MOST_LINES]


def _bars(swept: Swept, seen: Seen, index: int, one: Quantity) -> Markup:
    """Draw a quantity for each value of an axis of words: its range over the other axes."""
    axis = swept.sweep.axes[index]
    found = [(text, seen.bounds.get((index, n, one.key))) for n, text in enumerate(axis.texts)]
    pairs = [(text, pair) for text, pair in found if pair is not None][:MOST_BARS]
    top = max((high for _, (_, high) in pairs), default=0) or 1
    bars = []
    for text, (low, high) in pairs:
        told = one.text(low) if low == high else f"{one.text(low)} to {one.text(high)}"
        pieces = [Piece(low / top, 0)]
        pieces += [Piece((high - low) / top, 1, hatched=True)] if high > low else []
        bars.append((text, told, pieces))
    about = "; ".join(f"{text}: {told}" for text, told, _ in bars)
    many = any(low != high for _, (low, high) in pairs)
    key = "Solid: the lowest of all points there; hatched: up to the highest." if many else ""
    return figure(rows(bars, f"{one.label}: {about}"), key)


# -- tables --------------------------------------------------------------------------------------


def _limits(swept: Swept, seen: Seen) -> list[Block]:
    if not seen.limits:
        return []
    order = sorted(seen.limits, key=lambda name: (-seen.limits[name], name))
    lines = [[name, seen.limits[name]] for name in order[: MOST_LINES * 5]]
    head = [Column("resource", "resource"), Column("points", "points", "count")]
    made: list[Block] = [Table("limits", "What limits", head, lines)]
    if not known(swept):
        return made
    every = [line.strip().replace("->", ARROW) for line in changes(swept)]
    if not every:
        return [*made, "What limits is the same at all points."]
    return [*made, heading("Where it changes"), bulleted(every, MOST_CHANGES, "more change")]


def _points(swept: Swept, seen: Seen, where: str) -> list[Block]:
    sweep, quantities = swept.sweep, _quantities(seen)
    best: dict[int, list[str]] = {}
    for one in quantities:
        best.setdefault(seen.best[one.key][0], []).append(one.best)
    head = [
        Column("point", "point"),
        *(Column(one.key, f"{one.label} ({one.unit})", "figure") for one in quantities),
        Column("bottleneck", "busiest"),
    ]
    if sweep.limits:
        head += [Column("limit", "limit"), Column("limit_kind", "by")]
        head.append(Column("limit_saves_s", "saves (s)", "figure"))
    lines, marked = [], []
    for place, (number, row) in enumerate(seen.shown):
        if number in best:
            marked.append(place)
        line = [_name(swept, number), *(row[one.key] for one in quantities)]
        line.append(row["bottleneck"] or None)
        if sweep.limits:
            line += [row["limit"] or NONE, row["limit_kind"] or None, row["limit_saves_s"]]
        lines.append([*line, ", ".join(best.get(number, []))])
    told = f"All figures of all points are in {where}." if where else ""
    if seen.count > len(lines):
        told = f"The {len(lines)} fastest of {counted(seen.count, 'point')}. {told}".rstrip()
    points = Table(
        "points",
        "Points",
        [*head, Column("best", "best")],
        lines,
        note=told,
        most=len(lines),
        whole=True,
        marked=marked,
    )
    return [points]


def _about(swept: Swept) -> dict[str, str]:
    sweep = swept.sweep
    return {
        "machine": sweep.machine,
        "workload": sweep.workload,
        "seed": "none" if sweep.seed is None else str(sweep.seed),
        "digest of the first point": str(swept.identity["points"]),
    }
