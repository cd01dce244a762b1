"""Pictures of a run: where the time of its jobs went; resources, stores and calls over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.report.html.markup import joined
from simulator.report.html.page import bars, figure, heading, note
from simulator.report.html.style import PIECES
from simulator.report.html.svg import Bar, Line, Piece, Plot, Point, Tick, mark, stacked, ticks_of
from simulator.report.page import Markup
from simulator.report.scales import figure as written
from simulator.report.scales import scale_of
from simulator.report.tables import used_parts
from simulator.result.curves import StoreCurve, means, together, widths
from simulator.result.instances import rows_of_instances
from simulator.units import format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from simulator.answers.advise import Advised
    from simulator.plan.plan import Plan
    from simulator.report.accounts import Account
    from simulator.report.scales import Quantity
    from simulator.result.result import Result


def bar(one: Account) -> Markup:
    """Draw where the time of a job went: a piece for each column of its account."""
    spent, total = one.spent, one.job.busy_ns
    pieces = []
    for place, row in enumerate(spent):
        colour, letter = mark(place)
        for time, hatched in ((row.service_ns, False), (row.wait_ns, True)):
            if time:
                told = f"{row.column}{' (waiting)' if hatched else ''}: {percent(time, total)}"
                pieces.append(Piece(time / total, colour, letter, hatched, told))
    largest = ", ".join(f"{row.column} {percent(row.total_ns, total)}" for row in spent[:3])
    drawn = stacked(_merged(pieces), f"Where the time of {one.job.name} went: {largest}.")
    told = "Shares of the process time. Solid: being served, or computing; hatched: waiting."
    return joined((heading(one.name), figure(drawn, told)))


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Add up what would be too thin to see."""
    thin = [one for one in pieces if one.share < 0.002]
    kept = [one for one in pieces if one.share >= 0.002]
    if thin:
        share = sum(one.share for one in thin)
        kept.append(
            Piece(share, len(PIECES) - 1, "", text=f"{len(thin)} more: {percent(share, 1)}")
        )
    return kept


INTERVALS = 120
MOST_DRAWN = 6
LEAST_DRAWN = 0.01
"""Resources that are never as busy as this are left out."""


def over_time(result: Result, plan: Plan) -> list[Markup]:
    """Return a plot for each of the busiest resources; nothing without services that were kept."""
    if not result.spans or not result.end_ns:
        return []
    step = -(-result.end_ns // INTERVALS)
    busy = _busy(result, plan, step)
    used = [row for row in used_parts(result, plan) if row.row in busy]
    used = [row for row in used if max(busy[row.row]) >= LEAST_DRAWN * step * row.servers]
    used = sorted(used, key=lambda row: -row.mean(result.end_ns))[:MOST_DRAWN]
    ticks = [(place / 4, format_time(result.end_ns * place / 4)) for place in range(5)]
    every = f"Utilisation in intervals of {format_time(step)}, of all instances together."
    made = [note(every)]
    for row in used:
        whole = step * row.servers
        shares = [min(1.0, time / whole) for time in busy[row.row]]
        points = [(min(1.0, (i + 0.5) * step / result.end_ns), s) for i, s in enumerate(shares)]
        about = f"Utilisation of {row.part} over time: at most {percent(max(shares), 1)}."
        plot = Plot(
            about,
            [Line(row.part, points, filled=True)],
            ticks,
            [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")],
            height=130,
        )
        made += [heading(f"{row.part}: {percent(row.mean(result.end_ns), 1)}"), plot.markup()]
    return made


def _busy(result: Result, plan: Plan, step: int) -> dict[int, list[int]]:
    """Add up the service time of each part in each interval."""
    rows = rows_of_instances(plan)
    busy: dict[int, list[int]] = {}
    for span in result.spans:
        row = rows[span.part]
        if span.queue in plan.parts[row].traits.queues[1:]:  # its busy time is that of the first
            continue
        times = busy.setdefault(row, [0] * INTERVALS)
        start, end = span.start_ns, span.start_ns + span.service_ns
        first, last = start // step, min(INTERVALS - 1, max(start, end - 1) // step)
        for place in range(first, last + 1):
            times[place] += max(0, min(end, (place + 1) * step) - max(start, place * step))
    return busy


def saving_bars(advised: Advised, most: int) -> Markup:
    """Draw the time as it is, and with each advice."""
    whole = advised.elapsed_ns
    drawn: list[Bar] = [("as it is", format_time(whole), [Piece(1.0, 0)])]
    for number, one in enumerate(advised.advice[:most], 1):
        resource = f": {one.finding.resource}" if one.finding.resource else ""
        pieces = [Piece(one.elapsed_ns / whole, 0), Piece(one.saves_ns / whole, 2, hatched=True)]
        name = f"{number}. {one.finding.pattern}{resource}"
        drawn.append((name, format_time(one.elapsed_ns), pieces))
    return bars(drawn, "", "Predicted elapsed time, each advice alone; hatched: what it saves.")


# -- contents of stores, and rates of calls ------------------------------------------------------

MOST_STORES = 6
"""Maximum number of stores: those with most bytes in use."""
HEIGHT = 160
NEAR = 0.12
"""Distance of two ticks of which the labels touch; fraction of the height."""
MOST_ABOVE = 4
"""A capacity more than this many times the largest value is not on the axis."""


def curves(result: Result) -> list[Markup]:
    """Return a plot for each store, and one of the calls' rates; nothing without samples."""
    calls = result.call_curve
    if calls is None or not calls.end_ns:
        return []
    made = [note(f"Means in intervals of {format_time(calls.width_ns)}.")]
    by_store: dict[str, list[StoreCurve]] = {}
    for one in result.curves.values():
        by_store.setdefault(one.store, []).append(one)
    plots = [_StorePlot(store, members) for store, members in by_store.items()]
    for plot in sorted(plots, key=lambda one: -one.most)[:MOST_STORES]:
        made += plot.markups()
    lengths = widths(calls.width_ns, calls.end_ns)
    rates = {
        name: [size * 10**9 // length for size, length in zip(sizes, lengths, strict=True)]
        for name, sizes in (("read", calls.read), ("written", calls.written))
        if any(sizes)
    }
    if rates:
        most = max(map(max, rates.values()))
        which = f"Bytes {' and '.join(rates)} by calls"
        made.append(heading(f"{which}: at most {_size(most)}/s"))
        about = f"{which} over time."
        made.append(_plot(about, rates, calls.width_ns, calls.end_ns, ("rate", most, 0)))
    return made if len(made) > 1 else []


class _StorePlot:
    """The plot of a store, of all its instances together."""

    def __init__(self, store: str, members: Sequence[StoreCurve]) -> None:
        self.store = store
        self.members = members
        first = members[0]
        self.width_ns, self.end_ns = first.width_ns, first.end_ns
        self.used = self._mean([one.used.sums for one in members])
        self.dirty = self._mean([one.dirty.sums for one in members])
        self.capacity = sum(one.capacity for one in members)
        self.most = max(*self.used, *self.dirty)

    def _mean(self, levels: Sequence[Sequence[int]]) -> list[int]:
        return means(together(levels), self.width_ns, self.end_ns)

    def markups(self) -> list[Markup]:
        """Return the heading and the plot."""
        lines = {"used": self.used}
        told = f"at most {_size(max(self.used))} used"
        if any(self.dirty):
            lines["dirty"] = self.dirty
            told += f", {_size(max(self.dirty))} dirty"
        several = len(self.members)
        whose = f" of {counted(several, 'instance')} together" if several > 1 else ""
        room = f"capacity {_size(self.capacity)}"
        about = f"Used and dirty bytes of {self.store} over time: {told}; {room}{whose}."
        drawn = _plot(about, lines, self.width_ns, self.end_ns, ("size", self.most, self.capacity))
        return [heading(f"{self.store}: {told} ({room}{whose})"), drawn]


def _size(size: int) -> str:
    """Write a size with three digits.

    >>> _size(1_599_999_999), _size(0)
    ('1.60 GB', '0 B')
    """
    scale = scale_of("size", [size])
    return f"{written(size, scale)} {scale.unit}"


def _plot(
    about: str,
    lines: dict[str, list[int]],
    width_ns: int,
    end_ns: int,
    axis: tuple[Quantity, int, int],
) -> Markup:
    """Draw lines of a value for each bin; the axis has a quantity, a maximum and a capacity."""
    top, up = _axis(*axis)
    across = [(place / 4, format_time(end_ns * place / 4)) for place in range(5)]
    drawn = []
    for number, (name, values) in enumerate(lines.items()):
        begins = range(0, end_ns, width_ns)
        points: list[Point] = [
            ((begin + min(end_ns, begin + width_ns)) / 2 / end_ns, value / top)
            for begin, value in zip(begins, values, strict=True)
        ]
        drawn.append(Line(name, points, filled=number == 0))
    return Plot(about, drawn, across, up, height=HEIGHT).markup()


def _axis(quantity: Quantity, most: int, capacity: int) -> tuple[float, list[Tick]]:
    """Return where the axis ends, and its ticks; with the capacity, if that is not far above."""
    top, ticks = ticks_of(quantity, most)
    if not 0 < capacity <= MOST_ABOVE * most:
        return top, ticks
    larger = max(top, float(capacity))
    place = capacity / larger
    kept = [(at * top / larger, text) for at, text in ticks]
    kept = [one for one in kept if abs(one[0] - place) > NEAR]
    return larger, sorted([*kept, (place, f"capacity {_size(capacity)}")])
