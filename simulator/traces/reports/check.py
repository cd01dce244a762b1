"""The checks of a trace: steps 1 and 2 of the analysis by the SS-ken working group.

SS-ken (Scientific System Kenkyukai, the research group of the users of Fujitsu's scientific systems
in Japan), *File I/O no bunseki to kaizen* (report of its file system working group, 2015). Step 1
(2.3.1) asks how much of the time is I/O; step 2 (2.3.2) whether as much was moved as expected;
chapter 4 shows what metadata calls and slow outliers cost. The checks themselves are in
:mod:`~simulator.traces.reports.findings`.

Not known from a trace: the CPU time (what is outside all calls may be waiting for a CPU too), and
the size of a file beyond what was read or written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from simulator.traces.darshan_records import STREAMS
from simulator.traces.reports.counters import Counters
from simulator.traces.reports.findings import SHORT, Finding, findings, totals_by_name
from simulator.traces.reports.opened import IN_FILES, Opened
from simulator.traces.reports.table import Column, Report, Table
from simulator.traces.reports.totals import SEEKS, Totals, of_calls, of_counters
from simulator.traces.unread import processes_text
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
    notes = _notes(totals, trace) + trace.lacks
    return Report(tables, trace.unknown, values=totals_by_name(totals), notes=notes)


def _row(one: Finding, about: dict[str, list[Concerned]]) -> tuple[Any, ...]:
    check, found, guide = one.check, one.found, one.check.guide
    entries = [entry._asdict() for entry in about.get(check.name, [])]
    return (
        *(check.name, check.label, found.value, check.unit, found.text, guide.comparison),
        *(guide.value, check.guide_text, one.verdict, guide.limit, check.source),
        *(dict(found.values), dict(check.published), entries),
    )


def _concerned_rows(
    found: list[Finding], about: dict[str, list[Concerned]]
) -> list[tuple[Any, ...]]:
    return [(one.check.name, *entry) for one in found for entry in about.get(one.check.name, [])]


def _notes(totals: Totals, trace: Opened) -> list[str]:
    notes, ranks = [], trace.darshan is not None
    if totals.elapsed is not None and totals.client_time is not None:
        about = f"elapsed time {format_time(totals.elapsed)}"
        what = "the elapsed time of each" if ranks else "from the first to the last call of each"
        if totals.clients > 1:
            many = totals.clients
            clients = f"{many:,} ranks" if ranks else processes_text(trace.about, many)
            about += (
                f"; client time {format_time(totals.client_time)}: {what} of {clients}, added up"
            )
        else:
            about += ", which is the client time of the only process"
        notes.append(about)
    if len(totals.layers) > 2:
        layers = ((name, time) for name, time in totals.layers.items() if name != "all")
        each = ", ".join(f"{format_time(time)} in calls of {name}" for name, time in layers)
        notes.append(
            f"client time by layer: {each}; of layers above one another each rank counts the"
            " larger, at least"
        )
    return [
        *notes,
        "I/O: calls on files and folders, without pipes, sockets and inherited descriptors; tracing"
        " makes calls slower (SS-ken 3.5)",
        "a file's size: the end of what was read or written; median: of all calls of that name",
        "limit by: whose number a value is compared with, the working group's (SS-ken) or nwtsim's",
        "what would help, and by how much: nwtsim advise LOG --on MACHINE",
    ]


# -- which calls and files a check is about: those with the most of what it looks at ---------------

LISTED = 5
"""Entries of each check, unless ``--top`` says how many."""
_USED = """\
SELECT file, call, count(*) AS n, coalesce(sum(duration_ns), 0)::HUGEINT AS time,
count(*) FILTER ({moves} AND error IS NULL AND returned < {short}) AS short,
{moves} AS moves, {seeks} AS seeks, {files} AS in_files FROM calls GROUP BY ALL"""


class Concerned(NamedTuple):
    """A file, a call, or a call on a file, and how much of it a check is about."""

    file: str | None
    call: str | None
    error: str | None
    value: float
    unit: str
    """Of ``value``: s, calls or ratio."""


def concerned(trace: Opened, totals: Totals, top: int | None = None) -> dict[str, list[Concerned]]:
    """Return the files and calls of each check, the largest values first."""
    most = top or LISTED
    found = _counted(trace, most) if trace.darshan is not None else _called(trace, most)
    for check, place in (("read_factor", 0), ("write_factor", 1)):
        rows = sorted(totals.rereads, key=lambda row, k=place: (-row[k], row[-1]))  # type: ignore[misc]
        again = [row for row in rows if row[place] > 1]
        found[check] = [Concerned(row[-1], None, None, row[place], "ratio") for row in again[:most]]
    found["far_outliers"] = [
        Concerned(file, call, None, factor, "ratio")
        for _, _, _, factor, call, _, file in totals.outliers[:most]
    ]
    return found


def _called(trace: Opened, most: int) -> dict[str, list[Concerned]]:
    """Return the files and calls of each check among single calls."""
    with_names = {"moves": trace.moves, "short": SHORT, "seeks": f"({SEEKS})", "files": IN_FILES}
    trace.keep("used", _USED.format(**with_names))
    timed = bool(trace.about.get("durations"))
    metadata = "in_files AND NOT moves"
    wanted = {
        "io_share": ("time", "in_files", "s"),
        "outside_share": ("time", "NOT in_files", "s"),
        "mean_length": ("short", "in_files", "calls"),
        "metadata_per_move": ("n", metadata, "calls"),
        "metadata_per_byte": ("n", metadata, "calls"),
        "metadata_time_ratio": ("time", metadata, "s"),
        "lseeks_per_move": ("n", "in_files AND seeks", "calls"),
    }
    found: dict[str, list[Concerned]] = {}
    for check, (column, condition, unit) in wanted.items():
        rows = trace.rows(
            f"SELECT file, call, sum({column})::HUGEINT AS value FROM used WHERE {condition}"
            f" GROUP BY 1, 2 HAVING value > 0 ORDER BY value DESC, file, call LIMIT {most}"
        )
        if unit == "s":
            rows = [(file, call, time / 1e9) for file, call, time in rows if timed]
        found[check] = [Concerned(file, call, None, value, unit) for file, call, value in rows]
    found["failed_share"] = [
        Concerned(file, call, error, count, "calls")
        for count, file, call, error in trace.rows(
            "SELECT count(*), file, call, error FROM calls"
            f" WHERE error IS NOT NULL AND {IN_FILES} GROUP BY 2, 3, 4"
            f" ORDER BY 1 DESC, file, call, error LIMIT {most}"
        )
    ]
    return found


def _counted(trace: Opened, most: int) -> dict[str, list[Concerned]]:
    """Return them from Darshan's counters, which have the time of metadata by file only."""
    counters = Counters(trace)
    calls = list(counters.counted(counters.lowest))
    seeks = [one for one in calls if one.way == "seek"]
    moving = [one for one in calls if one.time_ns is not None]
    short = [one for one in moving if (one.bytes or 0) < SHORT * one.count]
    metadata = [one for one in calls if one.bytes is None and one.call != "mmap"]
    by_count = {
        "mean_length": short,
        "metadata_per_move": metadata,
        "metadata_per_byte": metadata,
        "lseeks_per_move": seeks,
    }
    found = {
        check: _first(
            (Concerned(one.file, one.call, None, one.count, "calls") for one in some), most
        )
        for check, some in by_count.items()
    }
    found["metadata_time_ratio"] = _first(
        (
            Concerned(file, None, None, time, "s")
            for file, time in counters.metadata_by_file().items()
        ),
        most,
    )
    inside = (one for one in counters.counted() if one.time_ns and one.file not in STREAMS)
    found["io_share"] = _first(
        (Concerned(one.file, one.call, None, (one.time_ns or 0) / 1e9, "s") for one in inside), most
    )
    return found


def _first(some: Iterable[Concerned], most: int) -> list[Concerned]:
    listed = sorted(some, key=lambda one: (-one.value, one.file or "", one.call or ""))
    return [one for one in listed[:most] if one.value > 0]
