"""What to look into first: steps 1 and 2 of the analysis by the SS-ken working group.

SS-ken, *File I/O no bunseki to kaizen* (report of the file system working group, 2015). Step 1
(2.3.1) asks how much of the time is I/O; step 2 (2.3.2) whether as much was moved as expected;
chapter 4 shows what metadata calls and slow outliers cost. The guide values are the report's; the
thresholds that it does not give in numbers are ours, and said to be.

Not known from a trace: the CPU time (what is outside of all calls may be waiting for a CPU too),
and the size of a file beyond what was read or written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from simulator.report.wording import brief_size, counted, percent
from simulator.traces.reports.counters import Counters
from simulator.traces.reports.opened import IN_FILES, Opened
from simulator.traces.reports.table import Column, Report, Table
from simulator.units import format_rate, format_time

IO_JOB, CPU_JOB = 0.1, 0.9
"""user / real of an I/O job and of a CPU job (2.3.1)."""
MUCH = 0.5
"""Share of I/O in the time that is worth a look; "low" is good in the report (2.3.3). Ours."""
SEVERAL = 2.0
"""How often more than its size is much for a file; "several times" in the report (2.3.2.1)."""
AS_LONG = 1.0
"""Time of metadata calls by that of reads and writes; "as long, up to twice" (4.1.2.3)."""
METADATA_PER_MOVE = 2.0
"""Metadata calls for each read or write; the report's bad example has 9 (4.1.2.3). Ours."""
SEEKS_PER_MOVE = 1.0
"""The bad examples have 1.2 (4.1.2.3) and 1.5 (4.4.2.3)."""
FAILED = 0.1
"""Share of calls that fail; a bad example has 25 % of its opens (4.2.2.3). Ours."""
SHORT = 10**6
"""Lengths below which the systems of 4.1.1.2 are slow, in bytes."""
OUTLIER, FAR_OUTLIER = 1_000, 10_000
"""How many times as long as usual is an outlier (ours), and one as in 4.5.2.3."""

MOST_LISTED = 1000

SEEKS = "call IN ('lseek', '_llseek', 'llseek')"
GOOD, LOOK, KNOWN = "good", "look", "-"

FINDINGS = (
    Column("check", "check", "text"),
    Column("value", "value", "text"),
    Column("guide", "guide value", "text"),
    Column("verdict", "verdict", "text"),
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
    Column("start_s", "start", "time"),
    Column("duration_s", "duration", "time"),
    Column("usual_s", "usual", "time"),
    Column("factor", "factor", "count"),
    Column("call", "call", "text"),
    Column("pid", "pid", "number"),
    Column("file", "file", "text"),
)


@dataclass(slots=True)
class Totals:
    """What a program did to files, in all; times in ns, None if the log does not say them."""

    elapsed: float | None = None
    processes: float | None = None
    """The time from first to last call of each process, added up."""
    outside: float | None = None
    """The part of it in no call at all."""
    reads: int = 0
    writes: int = 0
    seeks: int = 0
    others: int = 0
    """Calls on files that are none of these."""
    failed: int = 0
    read: int = 0
    written: int = 0
    read_time: float | None = None
    write_time: float | None = None
    metadata_time: float | None = None
    """Of seeks and others."""
    rereads: list[tuple[Any, ...]] = field(default_factory=list)
    files: tuple[float, float, float] = (0, 0, 0)
    """Bytes read and written of the files with a known size, and those sizes."""
    outliers: list[tuple[Any, ...]] = field(default_factory=list)
    far: int | None = None
    """Far outliers; None if the log does not say."""
    errors_known: bool = True

    @property
    def io(self) -> float | None:
        """The time in calls on files."""
        times = (self.read_time, self.write_time, self.metadata_time)
        return None if all(time is None for time in times) else sum(time or 0 for time in times)

    @property
    def moves(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes

    @property
    def metadata(self) -> int:
        """Calls on files that neither read nor write."""
        return self.seeks + self.others


def check(trace: Opened, top: int | None = None) -> Report:
    """Look at a trace in the way of the working group."""
    totals = _of_counters(trace) if trace.darshan is not None else _of_calls(trace)
    rereads = totals.rereads if top is None else totals.rereads[:top]
    outliers = totals.outliers if top is None else totals.outliers[:top]
    tables = [
        Table("findings", FINDINGS, list(_findings(totals))),
        Table(
            "files",
            REREADS,
            rereads,
            more=len(totals.rereads) - len(rereads),
            parts=(("files read or written again", tuple(column.key for column in REREADS)),),
            in_csv=False,
        ),
        Table(
            "outliers",
            OUTLIERS,
            outliers,
            more=len(totals.outliers) - len(outliers),
            parts=(("calls far slower than usual", tuple(column.key for column in OUTLIERS)),),
            in_csv=False,
        ),
    ]
    notes = [
        "I/O here is calls on files and folders, without pipes and sockets; tracing itself makes"
        " calls slower (SS-ken 3.5)",
        "a file's size is as far as it was read or written; usual is the median of a call's name",
    ]
    return Report(tables, trace.unknown, values=_values(totals), notes=notes)


# -- from single calls ------------------------------------------------------------------------


def _of_calls(trace: Opened) -> Totals:
    totals = Totals()
    timed = trace.times is not None
    if timed and trace.about.get("durations"):
        _add_processes(trace, totals)
    keeps = ", ".join(trace.choice.keeps(name) for name in ("file", "to_file"))
    found = trace.row(
        "SELECT sum(n) FILTER (reads), sum(n) FILTER (writes), sum(n) FILTER (seeks),"
        " sum(n) FILTER (NOT reads AND NOT writes AND NOT seeks), sum(errors),"
        " sum(moved) FILTER (reads), sum(moved) FILTER (writes), sum(time) FILTER (reads),"
        " sum(time) FILTER (writes AND NOT reads), sum(time) FILTER (NOT reads AND NOT writes)"
        f" FROM (SELECT {trace.reads} AS reads, {trace.writes} AS writes, {SEEKS} AS seeks, *"
        " FROM (SELECT call, kind, any_value(file) AS file, any_value(to_file) AS to_file,"
        " count(*) AS n, count(error) AS errors, sum(duration_ns)::HUGEINT AS time,"
        " sum(returned) FILTER (error IS NULL)::HUGEINT AS moved FROM calls"
        f" GROUP BY call, kind, file IS NULL, to_file IS NULL, {keeps}) WHERE {IN_FILES})"
    )
    totals.reads, totals.writes, totals.seeks, totals.others, totals.failed = (
        count or 0 for count in found[:5]
    )
    totals.read, totals.written = found[5] or 0, found[6] or 0
    if trace.about.get("durations"):
        totals.read_time, totals.write_time, totals.metadata_time = (time or 0 for time in found[7:])
        _add_outliers(trace, totals)
    _add_files(trace, totals)
    return totals


def _add_processes(trace: Opened, totals: Totals) -> None:
    first, last, whole, inside = trace.row(
        "SELECT min(begins), max(ends), sum(ends - begins)::HUGEINT, sum(least(inside, ends - begins))::HUGEINT"
        " FROM (SELECT min(time_ns) AS begins, max(time_ns + coalesce(duration_ns, 0)) AS ends,"
        " coalesce(sum(duration_ns), 0)::HUGEINT AS inside FROM calls GROUP BY process)"
    )
    if first is not None and whole:
        totals.elapsed, totals.processes = last - first, whole
        totals.outside = whole - inside


def _add_files(trace: Opened, totals: Totals) -> None:
    """Compare what was read and written with how large each file is."""
    sides = [
        f'SELECT {name} AS name, CASE WHEN {ways[0]} THEN returned END AS r,'
        f' CASE WHEN {ways[1]} THEN returned END AS w, "{offset}" + returned AS far'
        f" FROM calls WHERE {trace.moves} AND error IS NULL AND kind IS NOT DISTINCT FROM 'file'"
        f" AND {name} IS NOT NULL AND {trace.choice.keeps(name)}"
        for name, offset, ways in (
            ("file", "offset", (trace.reads, f"{trace.writes} AND to_file IS NULL")),
            ("to_file", "to_offset", ("false", "true")),
        )
        if name == "file" or trace.copies
    ]
    trace.rows(
        "CREATE OR REPLACE TEMP TABLE sizes AS SELECT name, coalesce(sum(r), 0)::HUGEINT AS r,"
        " coalesce(sum(w), 0)::HUGEINT AS w, max(far) AS size, count(r) AS nr, count(w) AS nw"
        f" FROM ({' UNION ALL '.join(sides)}) GROUP BY 1"
    )
    totals.files = trace.row(
        "SELECT coalesce(sum(r), 0), coalesce(sum(w), 0), coalesce(sum(size), 0)::HUGEINT"
        " FROM sizes WHERE size > 0"
    )
    totals.rereads = trace.rows(
        "SELECT r / size::DOUBLE, w / size::DOUBLE, r, w, size, nr, nw, name FROM sizes"
        f" WHERE size > 0 AND greatest(r, w) > {SEVERAL} * size"
        f" ORDER BY greatest(r, w) - size DESC, name LIMIT {MOST_LISTED}"
    )
    totals.rereads = [(round(a, 2), round(b, 2), *line) for a, b, *line in totals.rereads]


def _add_outliers(trace: Opened, totals: Totals) -> None:
    """Find calls that took far longer than the median of their name (known to 1 %)."""
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
    trace.rows(
        "CREATE OR REPLACE TEMP TABLE slow AS"
        f" SELECT time_ns - {trace.start} AS start, duration_ns, median, duration_ns / median AS factor,"
        f" call, pid, file FROM calls JOIN (VALUES {known}) AS usual(name, median) ON call = name"
        f" WHERE duration_ns >= {least} AND {IN_FILES} AND duration_ns >= {OUTLIER} * median"
    )
    (totals.far,) = trace.row(f"SELECT count(*) FROM slow WHERE factor >= {FAR_OUTLIER}")
    found = trace.rows(f"SELECT * FROM slow ORDER BY duration_ns DESC, start LIMIT {MOST_LISTED}")
    totals.outliers = [(*line[:3], round(line[3]), *line[4:]) for line in found]


def _median(counts: list[tuple[int, int]]) -> float:
    """Give the median in ns of durations counted in steps of 1 %."""
    left = sum(count for _, count in counts) / 2
    for step, count in sorted(counts):
        left -= count
        if left <= 0:
            return float(2.718281828459045 ** (step / 100))
    raise AssertionError("a median lies among its values")


# -- from counters ----------------------------------------------------------------------------


def _of_counters(trace: Opened) -> Totals:
    """The same of what Darshan counted; MPI-IO's calls are in those of POSIX."""
    counters = Counters(trace)
    calls = counters.totals()
    job = counters.log["job"]
    totals = Totals(errors_known=False)
    totals.elapsed = float(job["run_time"]) * 1e9
    totals.processes = totals.elapsed * job["nprocs"]
    reads = [calls[name] for name in ("read", "fread") if name in calls]
    writes = [calls[name] for name in ("write", "fwrite") if name in calls]
    totals.reads = sum(one.count for one in reads)
    totals.writes = sum(one.count for one in writes)
    totals.read = sum(one.bytes or 0 for one in reads)
    totals.written = sum(one.bytes or 0 for one in writes)
    totals.read_time = sum(one.time_ns or 0 for one in reads)
    totals.write_time = sum(one.time_ns or 0 for one in writes)
    times = counters.metadata_ns()
    totals.metadata_time = times.get("POSIX", 0) + times.get("STDIO", 0)
    totals.seeks = sum(calls[name].count for name in ("lseek", "fseek") if name in calls)
    moving = {"read", "write", "fread", "fwrite", "lseek", "fseek", "mmap"}
    totals.others = sum(
        one.count for one in calls.values() if one.module != "MPI-IO" and one.call not in moving
    )
    _add_counted_files(counters, totals)
    if counters.log["segments"]:
        _add_outliers(trace, totals)
    return totals


def _add_counted_files(counters: Counters, totals: Totals) -> None:
    sums = [0, 0, 0]
    for one in counters.files:
        counts = one["counters"]
        size = 1 + max(counts.get("MAX_BYTE_READ", -1), counts.get("MAX_BYTE_WRITTEN", -1))
        if one["module"] == "MPI-IO" or size <= 0:
            continue
        read, written = counts.get("BYTES_READ", 0), counts.get("BYTES_WRITTEN", 0)
        sums = [sums[0] + read, sums[1] + written, sums[2] + size]
        if max(read, written) > SEVERAL * size:
            factors = (round(read / size, 2), round(written / size, 2))
            numbers = (counts.get("READS", 0), counts.get("WRITES", 0))
            totals.rereads.append((*factors, read, written, size, *numbers, one["file"]))
    totals.files = (sums[0], sums[1], sums[2])
    totals.rereads.sort(key=lambda row: (row[4] - max(row[2], row[3]), row[-1]))


# -- verdicts ---------------------------------------------------------------------------------


def _findings(totals: Totals) -> list[tuple[str, str, str, str, str]]:
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
            "4.1.2.3",
        ),
        _ratio(
            "metadata time by read/write time",
            (totals.metadata_time, _sum(totals.read_time, totals.write_time)),
            "below 1 (bad: up to 2)",
            AS_LONG,
            "4.1.2.3",
        ),
        _metadata_per_byte(totals),
        _ratio(
            "lseeks per read/write",
            (totals.seeks, totals.moves),
            "below 1 (bad: 1.2, 1.5)",
            SEEKS_PER_MOVE,
            "4.1.2.3, 4.4.2.3",
        ),
        _failed(totals),
        _slow(totals),
    ]


def _share(totals: Totals) -> tuple[str, str, str, str, str]:
    name, source = "share of I/O in the elapsed time", "2.3.1, 2.3.3"
    guide = f"low (ours: below {MUCH:g})"
    if totals.io is None or not totals.processes:
        return name, "not known: the log lacks times", guide, KNOWN, source
    share = totals.io / totals.processes
    value = f"{percent(totals.io, totals.processes)} of {format_time(totals.processes)}"
    return name, value, guide, LOOK if share >= MUCH else GOOD, source


def _outside(totals: Totals) -> tuple[str, str, str, str, str]:
    name, source = "share outside of all calls", "2.3.1"
    guide = f"near {CPU_JOB:g}; below {IO_JOB:g}: an I/O job"
    if totals.outside is None or not totals.processes:
        return name, "not known", guide, KNOWN, source
    share = totals.outside / totals.processes
    verdict = LOOK if share < IO_JOB else GOOD if share >= CPU_JOB else KNOWN
    return name, percent(totals.outside, totals.processes), guide, verdict, source


def _again(totals: Totals) -> list[tuple[str, str, str, str, str]]:
    read, written, size = totals.files
    listed = []
    for way, amount, place in (("read", read, 0), ("written", written, 1)):
        name = f"bytes {way} against file sizes"
        guide = "about 1 (50: 4.4.2.3)"
        worst = max((row[place] for row in totals.rereads), default=0)
        value = f"{amount / size:.2f} ({brief_size(amount)})" if size else "not known"
        if worst > SEVERAL:
            value += f"; a file {worst:g}"
        verdict = KNOWN if not size else LOOK if worst > SEVERAL else GOOD
        listed.append((name, value, guide, verdict, "2.3.2.1, 4.4.2.3"))
    return listed


def _rates(way: str, size: int, time: float | None) -> tuple[str, str, str, str, str]:
    guide = "1 GB/s (large file system)" if way == "read" else "70 MB/s (NFS), 1 GB/s (large)"
    source = "4.1.1.2" if way == "read" else "4.1.1.2, 4.3.1.2"
    value = format_rate(size * 1e9 / time).partition(" (")[0] if time and size else "not known"
    return f"{way} rate in calls", value, guide, KNOWN, source


def _length(totals: Totals) -> tuple[str, str, str, str, str]:
    moved = totals.read + totals.written
    mean = moved / totals.moves if totals.moves else None
    value = "no read or write" if mean is None else f"{brief_size(mean)} in the mean"
    verdict = KNOWN if mean is None or moved < SHORT else LOOK if mean < SHORT else GOOD
    return "length of reads and writes", value, "1 MB or more", verdict, "4.1.1.2"


def _ratio(
    name: str, of: tuple[float | None, float | None], guide: str, most: float, source: str
) -> tuple[str, str, str, str, str]:
    part, whole = of
    if part is None or whole is None:
        return name, "not known", guide, KNOWN, source
    if not whole:
        return name, "-", guide, KNOWN, source
    return name, f"{part / whole:.2f}", guide, LOOK if part / whole >= most else GOOD, source


def _metadata_per_byte(totals: Totals) -> tuple[str, str, str, str, str]:
    moved = totals.read + totals.written
    value = f"{totals.metadata * 1e6 / moved:.3g} per MB" if moved else "-"
    text = f"{value} ({counted(totals.metadata, 'call')})"
    # 9 for each of 511 writes, 1271 MB in all: figure 4.1.7, node 1.
    return "metadata calls per byte", text, "bad: 3.6 per MB", KNOWN, "4.1.2.3"


def _failed(totals: Totals) -> tuple[str, str, str, str, str]:
    name, guide, source = "calls that failed", "few (bad: 25 % of opens)", "3.3.1, 4.2.2.3"
    if not totals.errors_known:
        return name, "not in the log", guide, KNOWN, source
    whole = totals.moves + totals.metadata
    value = f"{percent(totals.failed, whole)} ({counted(totals.failed, 'call')})"
    share = totals.failed / whole if whole else 0
    return name, value, guide, LOOK if share >= FAILED else GOOD, source


def _slow(totals: Totals) -> tuple[str, str, str, str, str]:
    name, source = "slow outliers", "4.3.2.3, 4.5.2.3"
    guide = "none of 10,000 x the usual"
    if totals.far is None:
        return name, "not known: the log lacks single times", guide, KNOWN, source
    known = len(totals.outliers)
    value = f"{totals.far:,}; of {OUTLIER:,} x: {known:,}{'+' if known == MOST_LISTED else ''}"
    return name, value, guide, LOOK if totals.far else GOOD, source


def _values(totals: Totals) -> dict[str, Any]:
    """Give the numbers behind the verdicts, for programs."""
    read, written, size = totals.files
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
        "read_factor": _by(read, size),
        "write_factor": _by(written, size),
        "metadata_calls": totals.metadata,
        "metadata_calls_per_byte": _by(totals.metadata, totals.read + totals.written),
        "metadata_s": _seconds(totals.metadata_time),
        "lseeks": totals.seeks,
        "errors": totals.failed if totals.errors_known else None,
        "far_outliers": totals.far,
    }


def _by(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def _seconds(time: float | None) -> float | None:
    return None if time is None else time / 1e9
