"""What to look into first: steps 1 and 2 of the analysis by the SS-ken working group.

SS-ken (Scientific System Kenkyukai, the research group of the users of Fujitsu's scientific systems
in Japan), *File I/O no bunseki to kaizen* (report of its file system working group, 2015). Step 1
(2.3.1) asks how much of the time is I/O; step 2 (2.3.2) whether as much was moved as expected;
chapter 4 shows what metadata calls and slow outliers cost. The checks themselves are in
:mod:`~simulator.traces.reports.findings`.

Not known from a trace: the CPU time (what is outside all calls may be waiting for a CPU too), and
the size of a file beyond what was read or written.
"""

from __future__ import annotations

from typing import Any

from simulator.traces.reports.concerned import Concerned, concerned
from simulator.traces.reports.findings import Finding, findings, totals_by_name
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import Column, Report, Table
from simulator.traces.reports.totals import Totals, of_calls, of_counters
from simulator.units import format_time

CHECKS = (
    Column("check", "check"),
    Column("label", "check", "text"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("text", "value", "shown"),
    Column("comparison", "comparison"),
    Column("guide", "guide"),
    Column("guide_text", "guide value", "shown"),
    Column("verdict", "verdict", "text"),
    Column("limit", "limit by", "text"),
    Column("source", "SS-ken", "text"),
    Column("values", "values", "record"),
    Column("published", "published", "record"),
    Column("concerned", "concerned", "record"),
)
SHOWN = ("label", "text", "guide_text", "verdict", "limit", "source")
"""The columns of :data:`CHECKS` for people."""
CONCERNED = (
    Column("check", "check"),
    Column("file", "file", "text"),
    Column("call", "call", "text"),
    Column("error", "error", "text"),
    Column("value", "value"),
    Column("unit", "unit"),
)
REREADS = (
    Column("read_factor", "read/size", "ratio"),
    Column("write_factor", "written/size", "ratio"),
    Column("read_bytes", "read", "size", "bytes"),
    Column("written_bytes", "written", "size", "bytes"),
    Column("size_bytes", "size", "size", "bytes"),
    Column("reads", "reads"),
    Column("writes", "writes"),
    Column("file", "file", "text"),
)
OUTLIERS = (
    Column("start_s", "start (s)", "clock"),
    Column("duration_s", "duration", "time"),
    Column("usual_s", "median", "time"),
    Column("factor", "factor", "count"),
    Column("call", "call", "text"),
    Column("pid", "pid", "number"),
    Column("file", "file", "text"),
)


def check(trace: Opened, top: int | None = None) -> Report:
    """Compare a trace with the guide values of the working group."""
    totals = of_counters(trace) if trace.darshan is not None else of_calls(trace)
    rereads = totals.rereads if top is None else totals.rereads[:top]
    outliers = totals.outliers if top is None else totals.outliers[:top]
    found = findings(totals)
    about = concerned(trace, totals, top)
    tables = [
        Table("checks", CHECKS, [_row(one, about) for one in found], parts=(("", SHOWN),)),
        Table("concerned", CONCERNED, _concerned_rows(found, about), outputs=("csv",)),
        Table(
            "files",
            REREADS,
            rereads,
            more=totals.again - len(rereads),
            parts=(("files read or written again", tuple(column.key for column in REREADS)),),
            outputs=("table", "json"),
        ),
        Table(
            "outliers",
            OUTLIERS,
            outliers,
            more=totals.slow - len(outliers),
            parts=(("calls far slower than usual", tuple(column.key for column in OUTLIERS)),),
            outputs=("table", "json"),
        ),
    ]
    notes = _notes(totals, ranks=trace.darshan is not None)
    return Report(tables, trace.unknown, values=totals_by_name(totals), notes=notes)


def _row(one: Finding, about: dict[str, list[Concerned]]) -> tuple[Any, ...]:
    entries = [entry.record() for entry in about.get(one.check, [])]
    return (
        *(one.check, one.label, one.value, one.unit, one.text, one.comparison, one.guide),
        *(one.guide_text, one.verdict, one.limit, one.source, one.values, one.published, entries),
    )


def _concerned_rows(
    found: list[Finding], about: dict[str, list[Concerned]]
) -> list[tuple[Any, ...]]:
    return [
        (one.check, entry.file, entry.call, entry.error, entry.value, entry.unit)
        for one in found
        for entry in about.get(one.check, [])
    ]


def _notes(totals: Totals, *, ranks: bool) -> list[str]:
    notes = []
    if totals.elapsed is not None and totals.client_time is not None:
        about = f"elapsed time {format_time(totals.elapsed)}"
        what = "the elapsed time of each" if ranks else "from the first to the last call of each"
        if totals.clients > 1:
            clients = f"{totals.clients:,} {'ranks' if ranks else 'processes and threads'}"
            about += (
                f"; client time {format_time(totals.client_time)}: {what} of {clients}, added up"
            )
        else:
            about += ", which is the client time of the only process"
        notes.append(about)
    return [
        *notes,
        "I/O: calls on files and folders, without pipes, sockets and inherited descriptors; tracing"
        " makes calls slower (SS-ken 3.5)",
        "a file's size: the end of what was read or written; median: of all calls of that name",
        "limit by: whose number a value is compared with, the working group's (SS-ken) or nwtsim's",
        "what would help, and by how much: nwtsim advise LOG --on MACHINE",
    ]
