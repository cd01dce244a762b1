"""What to look into first: steps 1 and 2 of the analysis by the SS-ken working group.

SS-ken, *File I/O no bunseki to kaizen* (report of the file system working group, 2015). Step 1
(2.3.1) asks how much of the time is I/O; step 2 (2.3.2) whether as much was moved as expected;
chapter 4 shows what metadata calls and slow outliers cost. The guide values are the report's; the
limits that it does not give in numbers are ours: the column ``limit`` says whose each one is.

Not known from a trace: the CPU time (what is outside of all calls may be waiting for a CPU too),
and the size of a file beyond what was read or written.
"""

from __future__ import annotations

from typing import Any

from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import Column, Report, Table
from simulator.traces.reports.totals import (
    FAR_OUTLIER,
    OUTLIER,
    SEVERAL,
    Totals,
    of_calls,
    of_counters,
)
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted, percent

IO_JOB, CPU_JOB = 0.1, 0.9
"""user / real of an I/O job and of a CPU job (2.3.1). The group's."""
MUCH = 0.5
"""Share of I/O in the time that is worth a look; "low" is good in the report (2.3.3). Ours."""
AS_LONG = 1.0
"""Time of metadata calls by that of reads and writes; "as long, up to twice" (4.1.2.3). The
group's."""
METADATA_PER_MOVE = 2.0
"""Metadata calls for each read or write; the report's bad example has 9 (4.1.2.3). Ours."""
SEEKS_PER_MOVE = 1.0
"""More seeks than reads and writes are called needless (4.1.2.3); 1.5 in 4.4.2.3. The group's."""
FAILED = 0.1
"""Share of calls that fail; a bad example has 25 % of its opens (4.2.2.3). Ours."""
MUCH_AGAIN = 10**6
"""Bytes beyond its size that make a single file worth a look. Ours."""
SHORT = 10**6
"""Bytes of a short call; the report has it of files (4.1.1.2) and blocks (4.4.1.2). Ours."""

GOOD, LOOK, KNOWN = "good", "look", "-"
GROUPS, OURS, NONE = "group's", "ours", "-"
"""Whose the limit is behind which a value is worth a look; NONE: only the reader can judge."""

Finding = tuple[str, str, str, str, str, str]
"""A row of :data:`FINDINGS`."""

FINDINGS = (
    Column("check", "check", "text"),
    Column("value", "value", "text"),
    Column("guide", "guide value", "text"),
    Column("verdict", "verdict", "text"),
    Column("limit", "limit", "text"),
    Column("source", "SS-ken", "text"),
)
REREADS = (
    Column("read_factor", "read/size", "number"),
    Column("write_factor", "written/size", "number"),
    Column("read_bytes", "read", "size"),
    Column("written_bytes", "written", "size"),
    Column("size_bytes", "size", "size"),
    Column("reads", "reads"),
    Column("writes", "writes"),
    Column("file", "file", "text"),
)
OUTLIERS = (
    Column("start_s", "start (s)", "clock"),
    Column("duration_s", "duration", "time"),
    Column("usual_s", "usual", "time"),
    Column("factor", "factor", "count"),
    Column("call", "call", "text"),
    Column("pid", "pid", "number"),
    Column("file", "file", "text"),
)


def check(trace: Opened, top: int | None = None) -> Report:
    """Look at a trace in the way of the working group."""
    totals = of_counters(trace) if trace.darshan is not None else of_calls(trace)
    rereads = totals.rereads if top is None else totals.rereads[:top]
    outliers = totals.outliers if top is None else totals.outliers[:top]
    tables = [
        Table("findings", FINDINGS, list(_findings(totals))),
        Table(
            "files",
            REREADS,
            rereads,
            more=totals.again - len(rereads),
            parts=(("files read or written again", tuple(column.key for column in REREADS)),),
            in_csv=False,
        ),
        Table(
            "outliers",
            OUTLIERS,
            outliers,
            more=totals.slow - len(outliers),
            parts=(("calls far slower than usual", tuple(column.key for column in OUTLIERS)),),
            in_csv=False,
        ),
    ]
    notes = [
        "I/O is calls on files and folders, not on pipes, sockets and inherited descriptors;"
        " tracing makes calls slower (SS-ken 3.5)",
        "a file's size is as far as it was read or written; usual is the median of a call's name",
        "limit: whose the number is that 'look' is decided by, the group's or ours",
    ]
    return Report(tables, trace.unknown, values=_values(totals), notes=notes)


# -- verdicts ---------------------------------------------------------------------------------


def _findings(totals: Totals) -> list[Finding]:
    return [
        _share(totals),
        _outside(totals),
        *_again(totals),
        _rates("read", totals.read, totals.read_time),
        _rates("write", totals.written, totals.write_time),
        _length(totals),
        _ratio(
            "metadata calls per read/write",
            (totals.metadata, totals.moves),
            f"below {METADATA_PER_MOVE:g} (bad: 9)",
            METADATA_PER_MOVE,
            (OURS, "4.1.2.3"),
        ),
        _ratio(
            "metadata time by read/write time",
            (totals.metadata_time, totals.moving_time),
            "below 1 (bad: up to 2)",
            AS_LONG,
            (GROUPS, "4.1.2.3"),
        ),
        _metadata_per_byte(totals),
        _ratio(
            "lseeks per read/write",
            (totals.seeks, totals.moves),
            "below 1 (bad: 1.2, 1.5)",
            SEEKS_PER_MOVE,
            (GROUPS, "4.1.2.3, 4.4.2.3"),
        ),
        _failed(totals),
        _slow(totals),
    ]


def _share(totals: Totals) -> Finding:
    name, guide, end = (
        "share of I/O in the elapsed time",
        f"low, below {MUCH * 100:g} %",
        "2.3.1, 2.3.3",
    )
    if totals.io is None or not totals.processes:
        return name, "not known: the log lacks times", guide, KNOWN, OURS, end
    share = totals.io / totals.processes
    value = f"{percent(totals.io, totals.processes)} of {format_time(totals.processes)}"
    if share > 1:
        value += "; threads at once"
    return name, value, guide, LOOK if share >= MUCH else GOOD, OURS, end


def _outside(totals: Totals) -> Finding:
    name, end = "share outside of all calls", "2.3.1"
    guide = f"near {CPU_JOB * 100:g} %; below {IO_JOB * 100:g} %: an I/O job"
    if totals.outside is None or not totals.processes:
        return name, "not known", guide, KNOWN, GROUPS, end
    share = totals.outside / totals.processes
    value = percent(totals.outside, totals.processes)
    waiting = 1 - share - (totals.io or 0) / totals.processes
    if waiting >= IO_JOB:  # In poll, futex, wait4 and their kin; pipes and sockets.
        value += f"; in calls that are no I/O {percent(waiting, 1)}"
    busy = share < IO_JOB and (totals.io or 0) / totals.processes >= MUCH
    verdict = LOOK if busy else GOOD if share >= CPU_JOB else KNOWN
    return name, value, guide, verdict, GROUPS, end


def _again(totals: Totals) -> list[Finding]:
    read, read_size, written, written_size = totals.files
    listed = []
    ways = (
        ("read", read, read_size, totals.read, 0),
        ("written", written, written_size, totals.written, 1),
    )
    for way, amount, size, moved, place in ways:
        name = f"bytes {way} against file sizes"
        guide = f"about 1, below {SEVERAL:g} (bad: 50)"
        large = (row for row in totals.rereads if row[2 + place] - row[4] >= MUCH_AGAIN)
        worst = max((row[place] for row in large), default=0)
        value = f"{amount / size:.2f} ({brief_size(amount)})" if size else _unsized(way, moved)
        if worst > SEVERAL:
            value += f"; one file {worst:g}"
        verdict = KNOWN if not size else LOOK if max(worst, amount / size) > SEVERAL else GOOD
        listed.append((name, value, guide, verdict, OURS, "2.3.2.1, 4.4.2.3"))
    return listed


def _unsized(way: str, moved: int) -> str:
    return f"not known ({brief_size(moved)})" if moved else f"nothing {way}"


def _rates(way: str, size: int, time: float | None) -> Finding:
    guide = "1 GB/s (large file system)" if way == "read" else "70 MB/s (NFS), 1 GB/s (large)"
    source = "4.1.1.2" if way == "read" else "4.1.1.2, 4.3.1.2"
    value = format_rate(size * 1e9 / time).partition(" (")[0] if time and size else "not known"
    if not size:
        value = f"nothing {'read' if way == 'read' else 'written'}"
    return f"{way} rate in calls", value, guide, KNOWN, NONE, source


def _length(totals: Totals) -> Finding:
    moved = totals.read + totals.written
    mean = moved / totals.moves if totals.moves else None
    value = "no read or write" if mean is None else f"{brief_size(mean)} in the mean"
    verdict = KNOWN if mean is None or moved < SHORT else LOOK if mean < SHORT else GOOD
    return "length of reads and writes", value, "1 MB or more", verdict, OURS, "4.1.1.2, 4.4.1.2"


def _ratio(
    name: str,
    of: tuple[float | None, float | None],
    guide: str,
    most: float,
    end: tuple[str, str],
) -> Finding:
    part, whole = of
    if part is None or whole is None:
        return name, "not known", guide, KNOWN, *end
    if not whole:
        return name, "-", guide, KNOWN, *end
    return name, _figure(part / whole), guide, LOOK if part / whole >= most else GOOD, *end


def _figure(value: float) -> str:
    """Write a ratio, with the digits that say something.

    >>> _figure(0.5), _figure(24845.3), _figure(0.002)
    ('0.50', '24,845', '0.002')
    """
    if value and value < 0.01:
        return f"{value:.1g}"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def _metadata_per_byte(totals: Totals) -> Finding:
    moved = totals.read + totals.written
    value = f"{_figure(totals.metadata * 1e6 / moved)} per MB" if moved else "-"
    text = f"{value} ({counted(totals.metadata, 'call')})"
    # 9 for each of 511 writes, 1271 MB in all: figure 4.1.7, node 2.
    return "metadata calls per byte", text, "bad: 3.6 per MB", KNOWN, NONE, "4.1.2.3"


def _failed(totals: Totals) -> Finding:
    name, end = "calls that failed", "3.3.1, 4.2.2.3"
    guide = f"few, below {FAILED * 100:g} % (bad: 25 % of opens)"
    if not totals.errors_known:
        return name, "not in the log", guide, KNOWN, OURS, end
    whole = totals.moves + totals.metadata
    value = f"{percent(totals.failed, whole)} ({counted(totals.failed, 'call')})"
    share = totals.failed / whole if whole else 0
    return name, value, guide, LOOK if share >= FAILED else GOOD, OURS, end


def _slow(totals: Totals) -> Finding:
    name, end = "slow outliers", "4.3.2.3, 4.5.2.3"
    guide = f"none of {FAR_OUTLIER:,} x the usual"
    if totals.far is None:
        return name, "not known: the log lacks single times", guide, KNOWN, GROUPS, end
    value = f"{totals.far:,}; of {OUTLIER:,} x: {totals.slow:,}"
    return name, value, guide, LOOK if totals.far else GOOD, GROUPS, end


def _values(totals: Totals) -> dict[str, Any]:
    """Give the numbers behind the verdicts, for programs."""
    read, read_size, written, written_size = totals.files
    return {
        "elapsed_s": _seconds(totals.elapsed),
        "processes_s": _seconds(totals.processes),
        "io_s": _seconds(totals.io),
        "io_share": _by(totals.io, totals.processes),
        "outside_share": _by(totals.outside, totals.processes),
        "reads": totals.reads,
        "writes": totals.writes,
        "read_bytes": totals.read,
        "written_bytes": totals.written,
        "read_factor": _by(read, read_size),
        "write_factor": _by(written, written_size),
        "read_size_bytes": read_size,
        "written_size_bytes": written_size,
        "metadata_calls": totals.metadata,
        "metadata_calls_per_byte": _by(totals.metadata, totals.read + totals.written),
        "metadata_s": _seconds(totals.metadata_time),
        "lseeks": totals.seeks,
        "errors": totals.failed if totals.errors_known else None,
        "outliers_in_all": totals.slow if totals.far is not None else None,
        "far_outliers": totals.far,
    }


def _by(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _seconds(time: float | None) -> float | None:
    return None if time is None else time / 1e9
