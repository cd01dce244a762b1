"""The tables of what has failed: states of parts, calls that gave up, and arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simulator.report.page import Column, Table
from simulator.report.tables import MOST_LISTED

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


_STATES = (
    Column("resource", "resource"),
    Column("failures", "failures", "count"),
    Column("down_ns", "failed for", "time"),
    Column("slow_ns", "other speed for", "time"),
    Column("delayed", "requests delayed", "count"),
    Column("lost_ns", "by", "time"),
)
_GIVEN_UP = Column("given_up", "given up", "count")
_FAILED = (
    Column("process", "process"),
    Column("calls", "calls failed", "count"),
    Column("read_bytes", "not read", "size"),
    Column("write_bytes", "not written", "size"),
    Column("first_ns", "first at", "time"),
    Column("last_ns", "last at", "time"),
    Column("stopped", "then"),
)


def states_tables(result: Result) -> Iterator[Table]:
    """Yield a row for each instance to which something happened; nothing where nothing could."""
    if not result.states:
        return
    fails = result.given_up > 0
    rows = [
        [
            *(name, one.failures, one.down_ns, one.slow_ns, one.delayed, one.lost_ns),
            *([one.given_up] if fails else []),
        ]
        for name, one in result.states.items()
        if one.down_ns or one.slow_ns
    ]
    legend = f"{len(result.states) - len(rows):,} more could fail, and did not." * (
        len(rows) < len(result.states)
    )
    columns = (*_STATES, _GIVEN_UP) if fails else _STATES
    yield Table(
        "states", "Failures", columns, rows, legend=legend, noun="resource", brief=MOST_LISTED
    )


def failed_tables(result: Result, plan: Plan) -> Iterator[Table]:
    """Yield a row for each process whose calls failed, the first first; nothing without any."""
    stops = {one.name for one in plan.processes if one.stops}
    failed = [one for one in result.processes if one.failed.count]
    rows = [
        [
            *(one.name, one.failed.count, one.read.failed_bytes, one.write.failed_bytes),
            *(one.failed.first_ns, one.failed.last_ns),
            "stopped" if one.name in stops else "went on",
        ]
        for one in sorted(failed, key=lambda one: one.failed.first_ns)
    ]
    if rows:
        yield Table("failed", "Calls that failed", _FAILED, rows, noun="process", brief=MOST_LISTED)


_ARRAYS = (
    Column("array", "array"),
    Column("failures", "disks failed", "count"),
    Column("rebuilds", "rebuilt", "count"),
    Column("degraded_ns", "degraded for", "time"),
    Column("rebuilt_bytes", "rebuilt", "size"),
    Column("reconstructed_bytes", "reconstructed", "size"),
    Column("read_bytes", "disks read", "size"),
    Column("written_bytes", "disks wrote", "size"),
    Column("losses", "data lost", "count"),
    Column("first_loss_ns", "first at", "time"),
)


def arrays_tables(result: Result) -> Iterator[Table]:
    """Yield a row for each array of disks, those that lost data first; nothing without any."""
    if not result.arrays:
        return
    order = sorted(result.arrays.items(), key=lambda one: (-one[1].losses, -one[1].failures))
    rows = []
    for name, one in order:
        row: list[Any] = [name, *(getattr(one, column.key) for column in _ARRAYS[1:])]
        rows.append([*row[:-1], row[-1] if one.losses else None])
    legend = "Disks read and wrote for requests, parity included; a rebuild comes on top."
    yield Table("arrays", "Arrays", _ARRAYS, rows, legend=legend, noun="array", brief=MOST_LISTED)
