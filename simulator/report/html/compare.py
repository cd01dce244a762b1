"""The page of a comparison: how the elapsed time of A becomes that of B, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report.compare import (
    PHASES,
    account_table,
    answer,
    job_title,
    jobs,
    latencies_table,
    notes,
    phases_table,
    rest_of_jobs,
    side_text,
    signed,
    stores_table,
    values_table,
    values_told,
    where_title,
)
from simulator.report.html.markup import ARROW
from simulator.report.html.page import figure, made_by, page, warnings
from simulator.report.html.svg import Piece, rows
from simulator.report.page import Markup, Section
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.compare import Comparison, Difference

MOST_STEPS = 12
"""Columns with a bar of their own; the smaller ones are added up."""
_ELAPSED, _LONGER, _SHORTER, _REST = 0, 5, 2, 7
"""Places in the palette."""


def compare_page(found: Comparison, warned: Sequence[str] = (), command: Sequence[str] = ()) -> str:
    """Return the page of a comparison."""
    a, b = (format_time(one.elapsed_ns) for one in (found.a, found.b))
    title = f"{_name(found.a)}: {a} {ARROW} {_name(found.b)}: {b}"
    sides = [f"{name}: {side_text(one)}" for name, one in (("A", found.a), ("B", found.b))]
    lines = [line for side in sides for line in side.splitlines()]
    tables = (latencies_table(found), stores_table(found))
    sections = [
        *([] if found.same else _differences(found)),
        Section("Values that differ", [values_told(found), values_table(found)]),
        *([] if found.same else [Section(one.title, [one]) for one in tables]),
        Section("Assumptions", [*notes(found), warnings(warned)]),
        made_by(command, _about(found)),
    ]
    return page(title, lines, answer(found).splitlines(), sections)


def _name(side: Any) -> str:
    return f"{side.workload} on {side.machine}" if side.machine else str(side.workload)


def _differences(found: Comparison) -> list[Section]:
    """Return where the difference is: in the process that ends last, and in jobs."""
    one = found.elapsed
    who = one.a.name if one.a.name == one.b.name else f"{one.a.name} in A, {one.b.name} in B"
    told = (
        f"The columns of the process that ends last ({who}) add up to the difference of the"
        " elapsed times, exactly. A solid bar is longer in B, a hatched one shorter."
    )
    each = [Section(job_title(one), [account_table(one, number)]) for number, one in jobs(found)]
    return [
        Section(where_title(one), [told, figure(_waterfall(one)), account_table(one, 0)]),
        *each,
        Section("Other jobs", [rest_of_jobs(found)]),
        Section(PHASES, [phases_table(found)]),
    ]


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


def _about(found: Comparison) -> dict[str, str]:
    about_: dict[str, str] = {}
    for name, side in (("A", found.a), ("B", found.b)):
        about_[f"{name}"] = side.source
        if side.digest:
            about_[f"digest of {name}"] = side.digest
    return about_
