"""The page of a comparison: how the elapsed time of A becomes that of B, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.answers.compare import hit_ratio
from simulator.report.compare import (
    MOST_JOBS,
    about,
    answer,
    notes,
    processes_of,
    side_text,
    signed,
)
from simulator.report.html import cells
from simulator.report.html.assumptions import made_by, warnings
from simulator.report.html.cells import Table
from simulator.report.html.markup import ARROW, Markup, tag
from simulator.report.html.page import Section, page, paragraphs
from simulator.report.html.svg import Piece, rows
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.compare import Comparison, Difference, Row

MOST_STEPS = 12
"""Columns with a bar of their own; the smaller ones are added up."""
MOST_ROWS = 60
MOST_VALUES = 100
_ELAPSED, _LONGER, _SHORTER, _REST = 0, 5, 2, 7
"""Places in the palette."""


def compare_page(found: Comparison, warned: Sequence[str] = (), command: Sequence[str] = ()) -> str:
    """Return the page of a comparison."""
    a, b = (format_time(one.elapsed_ns) for one in (found.a, found.b))
    title = f"{_name(found.a)}: {a} {ARROW} {_name(found.b)}: {b}"
    sides = [f"{name}: {side_text(one)}" for name, one in (("A", found.a), ("B", found.b))]
    lines = [line for side in sides for line in side.splitlines()]
    sections = [
        Section("Where the difference is", [] if found.same else _where(found)),
        Section("Jobs", [] if found.same else [_account(one, n) for n, one in _jobs(found)]),
        Section("Values that differ", _values(found)),
        Section("Latencies", [] if found.same else _latencies(found)),
        Section("Hit rates of stores", [] if found.same else _stores(found)),
        Section("Assumptions", [paragraphs(notes(found)), warnings(warned)]),
        Section("How this was made", made_by(command, _about(found))),
    ]
    return page(title, lines, paragraphs(answer(found).splitlines()), sections)


def _name(side: Any) -> str:
    return f"{side.workload} on {side.machine}" if side.machine else str(side.workload)


def _where(found: Comparison) -> list[Markup]:
    one = found.elapsed
    who = one.a.name if one.a.name == one.b.name else f"{one.a.name} in A, {one.b.name} in B"
    told = (
        f"The columns of the process that ends last ({who}) add up to the difference of the"
        " elapsed times, exactly. A solid bar is longer in B, a hatched one shorter."
    )
    return [tag("p", told), tag("figure", _waterfall(one)), _account(one, 0)]


def _waterfall(one: Difference) -> Markup:
    """Draw how the time of A becomes that of B: a bar for each column that changes."""
    changes = [(row.column, row.difference_ns) for row in one.rows if row.difference_ns]
    if len(changes) > MOST_STEPS:
        rest = changes[MOST_STEPS - 1 :]
        many = counted(len(rest), "more column")
        changes = [*changes[: MOST_STEPS - 1], (many, sum(time for _, time in rest))]
    level, levels = one.a.time_ns, [one.a.time_ns, one.b.time_ns]
    for _, change in changes:
        level += change
        levels.append(level)
    whole = max(*levels, 1)
    bars = [("A", format_time(one.a.time_ns), [Piece(one.a.time_ns / whole, _ELAPSED)])]
    level = one.a.time_ns
    for name, change in changes:
        start = min(level, level + change) / whole
        colour = _LONGER if change > 0 else _SHORTER
        piece = Piece(abs(change) / whole, colour, hatched=change < 0, start=start)
        bars.append((name, signed(change), [piece]))
        level += change
    bars.append(("B", format_time(one.b.time_ns), [Piece(one.b.time_ns / whole, _ELAPSED)]))
    told = "; ".join(f"{name} {text}" for name, text, _ in bars)
    return rows(bars, f"From A to B: {told}")


def _jobs(found: Comparison) -> list[tuple[int, Difference]]:
    """Return jobs with several processes, or on one side only; each with a number."""
    wanted = [
        one
        for one in found.jobs
        if one.only or one.a.processes > 1 or one.b.processes > 1 or len(found.jobs) > 1
    ]
    return list(enumerate(wanted[:MOST_JOBS], 1))


def _account(one: Difference, number: int) -> Markup:
    """Return two accounts side by side, with their sums."""
    title = f"Process time of {one.name}: {processes_of(one)}" if number else "Elapsed time"
    foot = _row(one.total)
    more = len(one.rows) - MOST_ROWS
    head = ["column", "waits in A", "in B", "served in A", "in B", "difference", ""]
    return Table(
        f"{title}, by column",
        head,
        [_row(row) for row in one.rows[:MOST_ROWS]],
        "lrrrrrl",
        foot=foot,
        note=f"({counted(more, 'more column')} in the sum)" if more > 0 else "",
        name=f"account-{number}",
    ).markup()


def _row(row: Row) -> list[str]:
    times = (row.a[0], row.b[0], row.a[1], row.b[1])
    change = cells.number(row.difference_ns, signed(row.difference_ns))
    return [row.column, *map(cells.time, times), change, about(row)]


def _values(found: Comparison) -> list[Markup]:
    if not found.values:
        known = found.values is not None or found.a.digest == found.b.digest
        if not found.a.digest or not found.b.digest:
            return []
        return [tag("p", "All values are the same." if known else "They are not known.")]
    lines = [[one.key, one.a or cells.NOTHING, one.b or cells.NOTHING] for one in found.values]
    more = len(lines) - MOST_VALUES
    note = f"({counted(more, 'more value')} not listed)" if more > 0 else ""
    table = Table(
        "Values that differ",
        ["value", "A", "B"],
        lines[:MOST_VALUES],
        "lll",
        note=note,
        name="values",
        headed=True,
    )
    return [table.markup()]


def _latencies(found: Comparison) -> list[Markup]:
    a, b = found.a.latencies, found.b.latencies
    lines = []
    for name in sorted(a.keys() | b.keys()):
        sides = (a.get(name, {}), b.get(name, {}))
        line = [name, *(cells.count(side.get("count")) for side in sides)]
        for key in ("mean_ns", "p95_ns", "max_ns"):
            line += [cells.time(side.get(key)) for side in sides]
        lines.append(line)
    if not lines:
        return []
    head = ["operation", "calls in A", "in B", "mean in A", "in B", "p95 in A", "in B"]
    head += ["max in A", "in B"]
    table = Table("Latencies", head, lines, "lrrrrrrrr", name="latencies", headed=True)
    return [table.markup()]


def _stores(found: Comparison) -> list[Markup]:
    a, b = found.a.stores, found.b.stores
    lines = []
    for name in sorted(a.keys() | b.keys()):
        ratios = [None if one is None else hit_ratio(one) for one in (a.get(name), b.get(name))]
        if ratios != [None, None]:
            lines.append([name, *map(cells.share, ratios)])
    if not lines:
        return []
    table = Table("Hit rates of stores", ["store", "A", "B"], lines, "lrr", name="stores")
    return [table.markup()]


def _about(found: Comparison) -> dict[str, str]:
    about_: dict[str, str] = {}
    for name, side in (("A", found.a), ("B", found.b)):
        about_[f"{name}"] = side.source
        if side.digest:
            about_[f"digest of {name}"] = side.digest
    return about_
