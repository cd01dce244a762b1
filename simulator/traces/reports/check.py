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

from typing import Any, NamedTuple

from simulator.traces.reports.counters import TIME_OF_METADATA
from simulator.traces.reports.findings import SHORT, Finding, findings, totals_by_name
from simulator.traces.reports.opened import IN_FILES, SEEKING, Opened
from simulator.traces.reports.table import Column, Report, Table
from simulator.traces.reports.totals import Totals, totals_of
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
    totals = totals_of(trace)
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
_OF_CALLS = f"""\
SELECT file, call, count(*) AS n, coalesce(sum(duration_ns), 0)::HUGEINT AS time,
count(*) FILTER ({{moves}} AND error IS NULL AND returned < {SHORT}) AS short,
{{moves}} AS moves, {SEEKING} AS seeks, {IN_FILES} AS in_files, true AS lowest
FROM calls GROUP BY ALL"""
_OF_COUNTERS = f"""\
SELECT file, nullif(call, '{TIME_OF_METADATA}') AS call, many AS n, took_ns AS time,
many * (moved_bytes < {SHORT} * many)::BIGINT AS short,
{{moves}} AS moves, {SEEKING} AS seeks, {IN_FILES} AS in_files, lowest
FROM chosen"""
"""How much of each call is made on each file; with the time of all its metadata calls together."""
_METADATA = "lowest AND in_files AND NOT moves"
_WANTED = {
    "io_share": ("time", "in_files AND call IS NOT NULL", "s"),
    "outside_share": ("time", "lowest AND NOT in_files", "s"),
    "mean_length": ("short", "lowest AND in_files", "calls"),
    "metadata_per_move": ("n", _METADATA, "calls"),
    "metadata_per_byte": ("n", _METADATA, "calls"),
    "metadata_time_ratio": ("time", _METADATA, "s"),
    "lseeks_per_move": ("n", "lowest AND in_files AND seeks", "calls"),
}
"""What is added up for a check, of which calls, and in which unit."""


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
    timed = trace.darshan is not None or bool(trace.about.get("durations"))
    used = _OF_CALLS if trace.darshan is None else _OF_COUNTERS
    trace.keep("used", used.format(moves=trace.moves))
    found: dict[str, list[Concerned]] = {}
    for check, (column, condition, unit) in _WANTED.items():
        rows = trace.rows(
            f"SELECT file, call, sum({column}) AS value FROM used WHERE {condition}"
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
    for check, place in (("read_factor", 0), ("write_factor", 1)):
        rows = sorted(totals.rereads, key=lambda row, k=place: (-row[k], row[-1]))  # type: ignore[misc]
        again = [row for row in rows if row[place] > 1]
        found[check] = [Concerned(row[-1], None, None, row[place], "ratio") for row in again[:most]]
    found["far_outliers"] = [
        Concerned(file, call, None, factor, "ratio")
        for _, _, _, factor, call, _, file in totals.outliers[:most]
    ]
    return found
