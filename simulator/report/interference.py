"""Who slows whom, for people: a row for each job and the others that take time from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.report.page import Column, Section, Table
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.interference import Interference, Slowed

TITLE = "Who slows whom"
COLUMNS = (
    Column("job", "job"),
    Column("time", "what counts"),
    Column("now_ns", "now", "time"),
    Column("alone_ns", "alone", "time"),
    Column("slowed_by", "slowed by"),
    Column("without_ns", "without that", "time"),
    Column("saves", "saves", "share"),
)
WHAT = {
    "arrival": "an arrival, mean",
    "call": "a call, mean",
    "round": "a round, mean",
    "job": "submission to end, mean",
}
LEGEND = (
    "Each is a run of its own, of the same seed. What two jobs take from a third only together is"
    " in neither row."
)


def interference_section(found: Interference | None) -> Section:
    """Return the table; an empty section if nobody asked."""
    if found is None:
        return Section("", [])
    if len(found.jobs) < 2:
        return Section(TITLE, [f"{TITLE}: there is one job."], leads=True)
    rows = [row for one in found.jobs for row in _rows(one)]
    note = LEGEND
    if found.needed:
        note += f" Without {' and '.join(found.needed)} the others cannot run."
    note += f" ({counted(found.runs, 'run')})"
    table = Table("interference", TITLE, COLUMNS, rows, note=note, weight="saves", whole=True)
    return Section(TITLE, [table], leads=True)


def _rows(one: Slowed) -> Iterator[list[Any]]:
    """Yield a row for each other job that matters, or one that names nobody."""
    measure = one.measure
    counts = WHAT[measure.each] if measure.arrives else "elapsed"
    head = [measure.job, counts, one.now.time_ns, one.alone and one.alone.time_ns]
    if not one.matter:
        yield [*head, "nobody", None, None]
    for loss in one.matter:
        share = loss.saves_ns / one.now.time_ns
        yield [*head, loss.to, loss.without.time_ns, share]
