"""Checks of a trace: the value of each, the guide value beside it, and the verdict.

The guide values are those of the working group's report (SS-ken, 2015); the limits that it does not
state in numbers are nwtsim's: :attr:`Check.limit` names the owner of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

from simulator.traces.reports.totals import FAR_OUTLIER, OUTLIER, SEVERAL, Totals
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted, percent

IO_JOB, CPU_JOB = 0.1, 0.9
"""user / real of an I/O job and of a CPU job (2.3.1). The group's."""
MUCH = 0.5
"""Share of I/O in the client time that is a warning; "low" is good in the report (2.3.3). Ours."""
AS_LONG = 1.0
"""Time of metadata calls by that of reads and writes; "as long, up to twice" (4.1.2.3). The
group's."""
METADATA_PER_MOVE = 2.0
"""Metadata calls for each read or write; the report's bad example has 9 (4.1.2.3). Ours."""
SEEKS_PER_MOVE = 1.0
"""More seeks than reads and writes are needless (4.1.2.3); 1.5 in 4.4.2.3. The group's."""
FAILED = 0.1
"""Share of calls that fail; a bad example has 25 % of its opens (4.2.2.3). Ours."""
MUCH_AGAIN = 10**6
"""Bytes beyond its size that make a single file a warning. Ours."""
SHORT = 10**6
"""Bytes of a short call; the report has it of files (4.1.1.2) and blocks (4.4.1.2). Ours."""

Comparison = Literal["below", "at least", "at most"]
GROUPS, OURS = "SS-ken", "nwtsim"


class Value(NamedTuple):
    """The value of a check of one trace."""

    values: Mapping[str, float | None]
    """What it was computed from; each name ends in its unit, or is a count."""
    value: float | None = None
    """None: the log does not say it, or there is nothing to divide by."""
    text: str = "-"
    """The value for people, or why there is none."""
    warning: bool | None = None
    """None: not judged."""


class Guide(NamedTuple):
    """The number that a value is compared with."""

    comparison: Comparison | None = None
    """How a good value compares with it; None: only the reader can judge."""
    value: float | None = None
    limit: str | None = None
    """Whose number it is."""


class Check(NamedTuple):
    """One check of a trace: for programs as numbers, for people as texts."""

    name: str
    """The name for programs, and that for people."""
    label: str
    unit: str
    """Of the value and of the guide: ratio, B, B/s, calls/B or calls."""
    source: str
    """Sections of the report by SS-ken."""
    guide_text: str
    guide: Guide
    published: Mapping[str, float]
    """Values of the same unit in the report: of a good or bad case."""
    measure: Callable[[Totals], Value]


class Finding(NamedTuple):
    """A check, and its value of a trace."""

    check: Check
    found: Value
    verdict: Literal["good", "warning"] | None
    """None: not judged."""


def findings(totals: Totals) -> list[Finding]:
    """Carry out every check on the totals of a trace; without verdicts if some calls are unread."""
    made = []
    for check in CHECKS:
        found = check.measure(totals)
        judged = found.warning is not None and not totals.unread
        made.append(
            Finding(check, found, ("good", "warning")[bool(found.warning)] if judged else None)
        )
    return made


def _io_share(totals: Totals) -> Value:
    io, whole = totals.io, totals.client_time
    values = {"io_s": seconds(io), "client_time_s": seconds(whole)}
    if io is None or not whole:
        return Value(values, text="not known: the log lacks times")
    text = f"{percent(io, whole)} of {format_time(whole)}"
    if io > whole:
        text += "; calls overlap"
    return Value(values, io / whole, text, io / whole >= MUCH)


def _outside_share(totals: Totals) -> Value:
    outside, whole = totals.outside, totals.client_time
    values = {"outside_s": seconds(outside), "client_time_s": seconds(whole)}
    if outside is None or not whole:
        return Value({**values, "other_calls_share": None}, text="not known")
    share, io = outside / whole, (totals.io or 0) / whole
    others = max(0.0, 1 - share - io)
    text = percent(outside, whole)
    if others >= IO_JOB:  # In poll, futex, wait4 and their kin; pipes and sockets.
        text += f"; in calls other than I/O {percent(others, 1)}"
    warning = True if share < IO_JOB and io >= MUCH else False if share >= CPU_JOB else None
    return Value({**values, "other_calls_share": others}, share, text, warning)


def _again(totals: Totals, *, way: Literal["read", "written"]) -> Value:
    place = 0 if way == "read" else 1
    amount, size = totals.files[2 * place : 2 * place + 2]
    moved = (totals.read, totals.written)[place]
    large = (row for row in totals.rereads if row[2 + place] - row[4] >= MUCH_AGAIN)
    worst = max((row[place] for row in large), default=None)
    values = {
        f"{way}_bytes": amount,
        "size_bytes": size,
        "largest_file_ratio": worst,
        f"unknown_size_{way}_bytes": moved - amount,
    }
    if not size:
        return Value(values, text=f"not known ({brief_size(moved)})" if moved else f"nothing {way}")
    text = f"{figure(amount / size)} ({brief_size(amount)})"
    if worst is not None and worst > SEVERAL:
        text += f"; one file {figure(worst)}"
    return Value(values, amount / size, text, max(worst or 0, amount / size) > SEVERAL)


def _rate(totals: Totals, *, way: Literal["read", "write"]) -> Value:
    past, size, time = (
        ("read", totals.read, totals.read_time)
        if way == "read"
        else ("written", totals.written, totals.write_time)
    )
    values = {f"{past}_bytes": size, f"{way}_time_s": seconds(time)}
    if not size:
        return Value(values, text=f"nothing {past}")
    if not time:
        return Value(values, text="not known")
    rate = size * 1e9 / time
    return Value(values, rate, format_rate(rate).partition(" (")[0])


def _length(totals: Totals) -> Value:
    moved, moves = totals.read + totals.written, totals.moves
    values = {"moved_bytes": moved, "reads_and_writes": moves}
    if not moves:
        return Value(values, text="no read or write")
    warning = moved / moves < SHORT if moved >= SHORT else None
    return Value(values, moved / moves, brief_size(moved / moves), warning)


def _metadata_calls(totals: Totals) -> Value:
    values = {"metadata_calls": totals.metadata, "reads_and_writes": totals.moves}
    return _ratio(values, totals.metadata, totals.moves, METADATA_PER_MOVE)


def _metadata_time(totals: Totals) -> Value:
    times = totals.metadata_time, totals.moving_time
    values = dict(zip(("metadata_s", "read_write_s"), map(seconds, times), strict=True))
    return _ratio(values, *times, AS_LONG)


def _seeks(totals: Totals) -> Value:
    values = {"lseeks": totals.seeks, "reads_and_writes": totals.moves}
    return _ratio(values, totals.seeks, totals.moves, SEEKS_PER_MOVE)


def _ratio(
    values: Mapping[str, float | None], part: float | None, whole: float | None, below: float
) -> Value:
    """Compare a ratio with the guide value that it must be below."""
    if part is None or whole is None:
        return Value(values, text="not known")
    if not whole:
        return Value(values)
    return Value(values, part / whole, figure(part / whole), part / whole >= below)


def _metadata_per_byte(totals: Totals) -> Value:
    moved, calls = totals.read + totals.written, counted(totals.metadata, "call")
    values = {"metadata_calls": totals.metadata, "moved_bytes": moved}
    if not moved:
        return Value(values, text=f"- ({calls})")
    rate = totals.metadata / moved
    return Value(values, rate, f"{figure(rate * 1e6)} per MB ({calls})")


def _failed(totals: Totals) -> Value:
    failed, whole = totals.failed, totals.moves + totals.metadata
    if failed is None:
        return Value({"failed_calls": None, "calls": whole}, text="not in the log")
    share = failed / whole if whole else None
    text = f"{percent(failed, whole)} ({counted(failed, 'call')})"
    return Value({"failed_calls": failed, "calls": whole}, share, text, (share or 0) >= FAILED)


def _outliers(totals: Totals) -> Value:
    names = [f"calls_{times}_times" for times in (OUTLIER, FAR_OUTLIER)]
    if totals.far is None:
        return Value(dict.fromkeys(names), text="not known: the log lacks single times")
    values = dict(zip(names, (totals.slow, totals.far), strict=True))
    text = f"{totals.far:,} ({totals.slow:,} of {OUTLIER:,} times)"
    return Value(values, totals.far, text, totals.far > 0)


_SEVERAL = (f"about 1, at most {SEVERAL:g} (bad: 50)", Guide("at most", SEVERAL, OURS))
CHECKS = (
    Check(
        *("io_share", "share of I/O in client time", "ratio", "2.3.1, 2.3.3"),
        *(f"low, below {MUCH * 100:g} %", Guide("below", MUCH, OURS), {}, _io_share),
    ),
    Check(
        *("outside_share", "share of client time outside calls", "ratio", "2.3.1"),
        f"near {CPU_JOB * 100:g} %; below {IO_JOB * 100:g} %: an I/O job",
        Guide("at least", CPU_JOB, GROUPS),
        {"cpu_job": CPU_JOB, "io_job": IO_JOB},
        _outside_share,
    ),
    Check(
        *("read_factor", "bytes read against file sizes", "ratio", "2.3.2.1, 4.4.2.3"),
        *(*_SEVERAL, {"bad": 50.0}, partial(_again, way="read")),
    ),
    Check(
        *("write_factor", "bytes written against file sizes", "ratio", "2.3.2.1, 4.4.2.3"),
        *(*_SEVERAL, {"bad": 50.0}, partial(_again, way="written")),
    ),
    Check(
        *("read_rate", "read rate in calls", "B/s", "4.1.1.2", "1 GB/s (large file system)"),
        *(Guide(), {"large_file_system": 1e9}, partial(_rate, way="read")),
    ),
    Check(
        *("write_rate", "write rate in calls", "B/s", "4.1.1.2, 4.3.1.2"),
        *("70 MB/s (NFS), 1 GB/s (large)", Guide()),
        *({"nfs": 70e6, "large_file_system": 1e9}, partial(_rate, way="write")),
    ),
    Check(
        *("mean_length", "mean length of reads and writes", "B", "4.1.1.2, 4.4.1.2"),
        *("1 MB or more", Guide("at least", SHORT, OURS), {}, _length),
    ),
    Check(
        *("metadata_per_move", "metadata calls per read/write", "ratio", "4.1.2.3"),
        f"below {METADATA_PER_MOVE:g} (bad: 9)",
        *(Guide("below", METADATA_PER_MOVE, OURS), {"bad": 9.0}, _metadata_calls),
    ),
    Check(
        *("metadata_time_ratio", "metadata time by read/write time", "ratio", "4.1.2.3"),
        "below 1 (bad: up to 2)",
        *(Guide("below", AS_LONG, GROUPS), {"bad": 2.0}, _metadata_time),
    ),
    Check(
        *("metadata_per_byte", "metadata calls per byte", "calls/B", "4.1.2.3"),
        # 9 for each of 511 writes, 1271 MB in all: figure 4.1.7, node 2.
        *("bad: 3.6 per MB", Guide(), {"bad": 3.6e-6}, _metadata_per_byte),
    ),
    Check(
        *("lseeks_per_move", "lseeks per read/write", "ratio", "4.1.2.3, 4.4.2.3"),
        *("below 1 (bad: 1.2, 1.5)", Guide("below", SEEKS_PER_MOVE, GROUPS)),
        *({"bad": 1.2, "worse": 1.5}, _seeks),
    ),
    Check(
        *("failed_share", "share of calls that failed", "ratio", "3.3.1, 4.2.2.3"),
        f"few, below {FAILED * 100:g} % (bad: 25 % of opens)",
        *(Guide("below", FAILED, OURS), {"bad": 0.25}, _failed),
    ),
    Check(
        *("far_outliers", "calls far slower than usual", "calls", "4.3.2.3, 4.5.2.3"),
        f"none {FAR_OUTLIER:,} times the median",
        *(Guide("at most", 0, GROUPS), {}, _outliers),
    ),
)
"""The checks, in the order of the report."""


def figure(value: float) -> str:
    """Write a ratio for people, with the digits that matter.

    >>> figure(0.5), figure(24845.3), figure(0.002)
    ('0.50', '24,845', '0.002')
    """
    if value and value < 0.01:
        return f"{value:.1g}"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def seconds(time: float | None) -> float | None:
    """Convert a time in ns, if it is known, to seconds."""
    return None if time is None else time / 1e9


def totals_by_name(totals: Totals) -> dict[str, Any]:
    """Return the totals behind all checks by their names for programs."""
    read, read_size, written, written_size = totals.files
    return {
        "elapsed_s": seconds(totals.elapsed),
        "client_time_s": seconds(totals.client_time),
        "clients": totals.clients,
        "io_s": seconds(totals.io),
        "io_share": _by(totals.io, totals.client_time),
        "layers_s": {name: time / 1e9 for name, time in totals.layers.items()},
        "outside_share": _by(totals.outside, totals.client_time),
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
        "metadata_s": seconds(totals.metadata_time),
        "lseeks": totals.seeks,
        "errors": totals.failed,
        "outliers_in_all": totals.slow if totals.far is not None else None,
        "far_outliers": totals.far,
    }


def _by(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
