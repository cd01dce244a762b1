"""Totals of a program's work on files, from single calls or from Darshan's counters.

The size of a file is known as far as it was read or written. An outlier is a call that took many
times as long as the median of its name, which is known to 1 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from simulator.traces import unread
from simulator.traces.columns import (
    LINKS,
    OPENS,
    READS,
    REAPS,
    RENAMES,
    REQUESTS,
    SUBMITS,
    UNLINKS,
    WRITES,
)
from simulator.traces.inodes import LINKED, MADE, OPENED, REMOVED, RENAMED, Inodes
from simulator.traces.reports.counters import Counters
from simulator.traces.reports.opened import IN_FILES, SEEKING, Opened

SEVERAL = 2.0
"""How often more than its size is much for a file; "several times" in the report (2.3.2.1).
The number is ours."""
OUTLIER, FAR_OUTLIER = 1_000, 10_000
"""How many times as long as usual is an outlier (ours), and one as in 4.5.2.3 (the group's)."""
MOST_LISTED = 1000


@dataclass(slots=True)
class Totals:
    """Totals of a program's work on files; times in ns, None if the log does not say them."""

    elapsed: float | None = None
    client_time: float | None = None
    """The time from first to last call of each process and thread, added up over all."""
    clients: int = 0
    """How many processes and threads these are."""
    outside: float | None = None
    """The part of it in no call at all."""
    reads: int = 0
    writes: int = 0
    seeks: int = 0
    others: int = 0
    """Calls on files that are none of these."""
    failed: int | None = 0
    """None if the log does not say."""
    read: int = 0
    written: int = 0
    read_time: float | None = None
    write_time: float | None = None
    copy_time: float = 0.0
    """Of calls that read one file and write another; it is in both of the times above."""
    metadata_time: float | None = None
    """Of seeks and others."""
    rereads: list[tuple[Any, ...]] = field(default_factory=list)
    """Files that were read or written again, ``MOST_LISTED`` at most, and how many there are."""
    again: int = 0
    files: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Bytes read from files with a known size, those sizes, and the same of those written."""
    outliers: list[tuple[Any, ...]] = field(default_factory=list)
    """The longest of them, ``MOST_LISTED`` at most."""
    slow: int = 0
    """How many outliers there are."""
    far: int | None = None
    """Far outliers; None if the log does not say."""
    layers: dict[str, float] = field(default_factory=dict)
    """Of a log of several layers of calls the time in each, and in ``all``."""
    unread: bool = False
    """Whether the log has calls that move data and are not read, too many for a verdict."""

    @property
    def io(self) -> float | None:
        """The time in calls on files, of all layers."""
        if self.layers:
            return self.layers["all"]
        times = (self.moving_time, self.metadata_time)
        return None if all(time is None for time in times) else sum(time or 0 for time in times)

    @property
    def moving_time(self) -> float | None:
        """The time in reads and writes."""
        if self.read_time is None and self.write_time is None:
            return None
        return (self.read_time or 0) + (self.write_time or 0) - self.copy_time

    @property
    def moves(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes

    @property
    def metadata(self) -> int:
        """Calls on files that neither read nor write."""
        return self.seeks + self.others


def totals_of(trace: Opened) -> Totals:
    """Add up the calls of a trace, or what Darshan counted of them."""
    totals, counters = Totals(), trace.counters
    timed = bool(trace.about.get("durations"))
    _add_counts(trace, totals, timed=timed or counters is not None)
    if counters is not None:
        _add_job(counters, totals)
        trace.keep("sizes", _sizes_of_counters(trace))
    else:
        if timed:
            if trace.times is not None:
                _add_processes(trace, totals)
            _add_requests(trace, totals)
        trace.keep("sizes", _sizes_of_calls(trace))
    _add_files(trace, totals)
    if timed:
        _add_outliers(trace, totals)
    if counters is None:
        took = f"SELECT sum(duration_ns)::HUGEINT FROM calls WHERE call IN {unread.TIMED}"
        totals.unread = unread.is_much(
            trace.unknown,
            moves=totals.moves,
            moved=totals.read + totals.written,
            took=float(trace.row(took)[0] or 0),
            whole=totals.client_time,
        )
    return totals


def _add_counts(trace: Opened, totals: Totals, *, timed: bool) -> None:
    """Add how many calls there are, what they moved, and how long they took."""
    keeps = ", ".join(trace.choice.keeps(name) for name in ("file", "to_file"))
    found = trace.row(
        "SELECT sum(n) FILTER (reads), sum(n) FILTER (writes), sum(n) FILTER (seeks),"
        " sum(n) FILTER (NOT reads AND NOT writes AND NOT seeks), sum(errors),"
        " sum(bytes) FILTER (reads), sum(bytes) FILTER (writes), sum(time) FILTER (reads),"
        " sum(time) FILTER (writes), sum(time) FILTER (reads AND writes),"
        " sum(time) FILTER (NOT reads AND NOT writes)"
        f" FROM (SELECT {trace.reads} AS reads, {trace.writes} AS writes, {SEEKING} AS seeks, *"
        " FROM (SELECT call, kind, any_value(file) AS file, any_value(to_file) AS to_file,"
        f" {trace.groups.sums} FROM {trace.groups.lowest}"
        f" GROUP BY call, kind, file IS NULL, to_file IS NULL, {keeps}) WHERE {IN_FILES})"
    )
    totals.reads, totals.writes, totals.seeks, totals.others = (count or 0 for count in found[:4])
    totals.failed = None if trace.darshan is not None else found[4] or 0
    totals.read, totals.written = found[5] or 0, found[6] or 0
    if timed:
        times = (time or 0 for time in found[7:])
        totals.read_time, totals.write_time, totals.copy_time, totals.metadata_time = times


def _add_job(counters: Counters, totals: Totals) -> None:
    """Add what Darshan says of the whole job: each rank runs as long as it."""
    job = counters.log["job"]
    totals.elapsed = float(job["run_time"]) * 1e9
    totals.clients = job["nprocs"]
    totals.client_time = totals.elapsed * totals.clients
    totals.layers = counters.layers_ns()
    totals.unread = bool(counters.log["unread"])


def _add_requests(trace: Opened, totals: Totals) -> None:
    """Add the time in which a process submitted requests, and waited for them, by their bytes."""
    (time,) = trace.row(
        f"SELECT sum(duration_ns)::HUGEINT FROM calls WHERE call IN {SUBMITS + REAPS}"
    )
    if not time:
        return
    amount: dict[str, int] = dict.fromkeys(REQUESTS, 0)
    found = trace.rows(
        f"SELECT call, sum(returned)::HUGEINT FROM calls WHERE call IN {REQUESTS} GROUP BY call"
    )
    amount |= found
    read, written = (sum(amount[one] for one in REQUESTS if one in way) for way in (READS, WRITES))
    if read + written:
        part = float(time) * read / (read + written)
        totals.read_time = (totals.read_time or 0) + part
        totals.write_time = (totals.write_time or 0) + float(time) - part
    elif found:
        totals.metadata_time = (totals.metadata_time or 0) + float(time)


def _add_processes(trace: Opened, totals: Totals) -> None:
    first, last, whole, inside, clients = trace.lives
    if first is not None and last is not None and whole:
        totals.elapsed, totals.client_time, totals.clients = last - first, whole, clients
        totals.outside = whole - (inside or 0)


def _sizes_of_counters(trace: Opened) -> str:
    """Return the query of what was read and written of each file, and of its size."""
    moved = ", ".join(
        f"coalesce(sum({what}) FILTER ({way} AND moved_bytes > 0), 0) AS {name}"
        for what, way, name in (
            *(("moved_bytes", trace.reads, "r"), ("moved_bytes", trace.writes, "w")),
            *(("many", trace.reads, "nr"), ("many", trace.writes, "nw")),
        )
    )
    return f"SELECT file AS name, max(reach) AS size, {moved} FROM lowest GROUP BY file, module"


def _sizes_of_calls(trace: Opened) -> str:
    """Return the same query of single calls, whose sizes are where the last of them ended."""
    sides = [
        f"SELECT {name} AS name, place, CASE WHEN {ways[0]} THEN returned END AS r,"
        f' CASE WHEN {ways[1]} THEN returned END AS w, "{offset}" + returned AS far'
        f" FROM calls WHERE {trace.moves} AND error IS NULL AND kind IS NOT DISTINCT FROM 'file'"
        f" AND {name} IS NOT NULL AND {trace.choice.keeps(name)}"
        for name, offset, ways in (
            ("file", "offset", (trace.reads, f"{trace.writes} AND to_file IS NULL")),
            ("to_file", "to_offset", ("false", "true")),
        )
        if name == "file" or trace.copies
    ]
    moved = f"(SELECT *, NULL AS inode FROM ({' UNION ALL '.join(sides)}))"
    if _keep_inodes(trace):
        moved = (
            "(SELECT moved.* REPLACE (coalesce(home, name) AS name), inode"
            f" FROM ({' UNION ALL '.join(sides)}) AS moved"
            " ASOF LEFT JOIN inodes ON name = known AND place >= since)"
        )
    return (
        "SELECT name, coalesce(sum(r), 0)::HUGEINT AS r,"
        " coalesce(sum(w), 0)::HUGEINT AS w, max(far) AS size, count(r) AS nr, count(w) AS nw"
        f" FROM {moved} GROUP BY name, inode"
    )


def _add_files(trace: Opened, totals: Totals) -> None:
    """Compare what was read and written with how large each file is, by the relation ``sizes``."""
    read, read_size, written, written_size = trace.row(
        "SELECT sum(r), sum(size) FILTER (nr > 0), sum(w), sum(size) FILTER (nw > 0)"
        " FROM sizes WHERE size > 0"
    )
    totals.files = (int(read or 0), int(read_size or 0), int(written or 0), int(written_size or 0))
    again = f"FROM sizes WHERE size > 0 AND greatest(r, w) > {SEVERAL} * size"
    (totals.again,) = trace.row(f"SELECT count(*) {again}")
    totals.rereads = trace.rows(
        f"SELECT r / size::DOUBLE, w / size::DOUBLE, r, w, size, nr, nw, name {again}"
        f" ORDER BY greatest(r, w) - size DESC, name LIMIT {MOST_LISTED}"
    )
    totals.rereads = [(round(a, 2), round(b, 2), *line) for a, b, *line in totals.rereads]


_EVENTS = f"""\
SELECT file_row_number, what, coalesce(file, ''), coalesce(to_file, '') FROM (SELECT *,
CASE WHEN call IN {RENAMES} THEN {RENAMED}
WHEN call IN {LINKS} THEN {LINKED} WHEN call IN {UNLINKS} THEN {REMOVED}
WHEN flags LIKE '%O_TMPFILE%'
OR (flags LIKE '%O_CREAT%' AND flags LIKE '%O_EXCL%') THEN {MADE} ELSE {OPENED} END AS what
FROM {{source}} WHERE error IS NULL AND call IN {RENAMES + LINKS + UNLINKS + OPENS})
WHERE what <> {OPENED} OR file IN (SELECT file FROM {{source}} WHERE error IS NULL
AND call IN {RENAMES + UNLINKS}) ORDER BY 1"""


def _keep_inodes(trace: Opened) -> bool:
    """Keep as ``inodes`` from which call on a name leads to which file; False if names do not move.

    All calls of the log count, chosen or not.
    """
    events = trace.rows(_EVENTS.format(source=trace.source))
    if not events:
        return False
    found: Inodes[str] = Inodes(events)
    rows = [(name, place, inode, found.home[inode]) for name, place, inode in found.begins]
    trace.put("inodes", ("known VARCHAR", "since BIGINT", "inode BIGINT", "home VARCHAR"), rows)
    return True


def _add_outliers(trace: Opened, totals: Totals) -> None:
    """Add the calls that took far longer than the median of their name (known to 1 %)."""
    usual: dict[str, list[tuple[int, int]]] = {}
    for call, step, count in trace.rows(
        "SELECT call, (100 * ln(greatest(duration_ns, 1)))::INTEGER, count(*) FROM calls"
        f" WHERE duration_ns IS NOT NULL AND {IN_FILES} GROUP BY 1, 2"
    ):
        usual.setdefault(call, []).append((step, count))
    medians = {call: _median(counts) for call, counts in usual.items()}
    totals.far = 0
    if not medians:
        return
    known = ", ".join(f"('{call}', {median}::DOUBLE)" for call, median in medians.items())
    least = int(OUTLIER * min(medians.values()))
    trace.keep(
        "slow",
        f"SELECT time_ns - {trace.start} AS start, duration_ns, median,"
        " duration_ns / median AS factor,"
        f" call, pid, file FROM calls JOIN (VALUES {known}) AS usual(name, median) ON call = name"
        f" WHERE duration_ns >= {least} AND {IN_FILES} AND duration_ns >= {OUTLIER} * median",
    )
    totals.slow, totals.far = trace.row(
        f"SELECT count(*), count(*) FILTER (factor >= {FAR_OUTLIER}) FROM slow"
    )
    found = trace.rows(
        f"SELECT * FROM slow ORDER BY duration_ns DESC, start, call, pid LIMIT {MOST_LISTED}"
    )
    totals.outliers = [(*line[:3], round(line[3]), *line[4:]) for line in found]


def _median(counts: list[tuple[int, int]]) -> float:
    """Return the median in ns of durations counted in steps of 1 %."""
    left = sum(count for _, count in counts) / 2
    for step, count in sorted(counts):
        left -= count
        if left <= 0:
            return float(math.exp(step / 100))
    raise AssertionError("a median lies among its values")
