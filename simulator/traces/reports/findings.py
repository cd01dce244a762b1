"""The checks of a trace: what was found, the guide value beside it, and the verdict.

The guide values are those of the working group's report (SS-ken, 2015); the limits that it does not
state in numbers are nwtsim's: :attr:`Finding.limit` names the owner of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

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

Verdict = Literal["good", "warning"]
Comparison = Literal["below", "at least", "at most"]
GROUPS, OURS = "SS-ken", "nwtsim"


@dataclass(slots=True, kw_only=True)
class Finding:
    """One check of a trace: for programs as numbers, for people as texts."""

    check: str
    """The name for programs."""
    label: str
    """The name for people."""
    unit: str
    """Of ``value`` and ``guide``: ratio, B, B/s, calls/B or calls."""
    source: str
    """Sections of the report by SS-ken."""
    guide_text: str
    value: float | None = None
    """None: the log does not say it, or there is nothing to divide by."""
    text: str = "-"
    """The value for people, or why there is none."""
    comparison: Comparison | None = None
    """How a good value compares with the guide value; None: only the reader can judge."""
    guide: float | None = None
    limit: str | None = None
    """Whose number the guide value is."""
    verdict: Verdict | None = None
    """None: not judged."""
    values: dict[str, float | None] = field(default_factory=dict)
    """What the value was computed from; each name ends in its unit, or is a count."""
    published: dict[str, float] = field(default_factory=dict)
    """Values of the same unit in the report: of a good or bad case."""

    def judged(self, *, warning: bool) -> Finding:
        """Return this finding with a verdict."""
        self.verdict = "warning" if warning else "good"
        return self


def findings(totals: Totals) -> list[Finding]:
    """Carry out every check on the totals of a trace; without verdicts if some calls are unread."""
    found = [
        _io_share(totals),
        _outside_share(totals),
        _again(totals, "read"),
        _again(totals, "written"),
        _rate("read", totals.read, totals.read_time),
        _rate("write", totals.written, totals.write_time),
        _length(totals),
        _metadata_calls(totals),
        _metadata_time(totals),
        _metadata_per_byte(totals),
        _seeks(totals),
        _failed(totals),
        _outliers(totals),
    ]
    return [replace(one, verdict=None) for one in found] if totals.unread else found


def _io_share(totals: Totals) -> Finding:
    found = Finding(
        check="io_share",
        label="share of I/O in client time",
        unit="ratio",
        source="2.3.1, 2.3.3",
        guide_text=f"low, below {MUCH * 100:g} %",
        comparison="below",
        guide=MUCH,
        limit=OURS,
        values={"io_s": seconds(totals.io), "client_time_s": seconds(totals.client_time)},
    )
    if totals.io is None or not totals.client_time:
        found.text = "not known: the log lacks times"
        return found
    found.value = totals.io / totals.client_time
    found.text = f"{percent(totals.io, totals.client_time)} of {format_time(totals.client_time)}"
    if found.value > 1:
        found.text += "; calls overlap"
    return found.judged(warning=found.value >= MUCH)


def _outside_share(totals: Totals) -> Finding:
    found = Finding(
        check="outside_share",
        label="share of client time outside calls",
        unit="ratio",
        source="2.3.1",
        guide_text=f"near {CPU_JOB * 100:g} %; below {IO_JOB * 100:g} %: an I/O job",
        comparison="at least",
        guide=CPU_JOB,
        limit=GROUPS,
        values={
            "outside_s": seconds(totals.outside),
            "client_time_s": seconds(totals.client_time),
            "other_calls_share": None,
        },
        published={"cpu_job": CPU_JOB, "io_job": IO_JOB},
        text="not known",
    )
    if totals.outside is None or not totals.client_time:
        return found
    share = found.value = totals.outside / totals.client_time
    io = (totals.io or 0) / totals.client_time
    others = found.values["other_calls_share"] = max(0.0, 1 - share - io)
    found.text = percent(totals.outside, totals.client_time)
    if others >= IO_JOB:  # In poll, futex, wait4 and their kin; pipes and sockets.
        found.text += f"; in calls other than I/O {percent(others, 1)}"
    if share < IO_JOB and io >= MUCH:
        return found.judged(warning=True)
    return found.judged(warning=False) if share >= CPU_JOB else found


def _again(totals: Totals, way: Literal["read", "written"]) -> Finding:
    place = 0 if way == "read" else 1
    amount, size = totals.files[2 * place : 2 * place + 2]
    moved = (totals.read, totals.written)[place]
    large = (row for row in totals.rereads if row[2 + place] - row[4] >= MUCH_AGAIN)
    worst = max((row[place] for row in large), default=None)
    found = Finding(
        check=f"{'read' if way == 'read' else 'write'}_factor",
        label=f"bytes {way} against file sizes",
        unit="ratio",
        source="2.3.2.1, 4.4.2.3",
        guide_text=f"about 1, at most {SEVERAL:g} (bad: 50)",
        comparison="at most",
        guide=SEVERAL,
        limit=OURS,
        values={
            f"{way}_bytes": amount,
            "size_bytes": size,
            "largest_file_ratio": worst,
            f"unknown_size_{way}_bytes": moved - amount,
        },
        published={"bad": 50.0},
    )
    if not size:
        found.text = f"not known ({brief_size(moved)})" if moved else f"nothing {way}"
        return found
    found.value = amount / size
    found.text = f"{figure(found.value)} ({brief_size(amount)})"
    if worst is not None and worst > SEVERAL:
        found.text += f"; one file {figure(worst)}"
    return found.judged(warning=max(worst or 0, found.value) > SEVERAL)


def _rate(way: Literal["read", "write"], size: int, time: float | None) -> Finding:
    past = "read" if way == "read" else "written"
    found = Finding(
        check=f"{way}_rate",
        label=f"{way} rate in calls",
        unit="B/s",
        source="4.1.1.2" if way == "read" else "4.1.1.2, 4.3.1.2",
        guide_text="1 GB/s (large file system)",
        values={f"{past}_bytes": size, f"{way}_time_s": seconds(time)},
        published={"large_file_system": 1e9},
    )
    if way == "write":
        found.guide_text = "70 MB/s (NFS), 1 GB/s (large)"
        found.published = {"nfs": 70e6, "large_file_system": 1e9}
    if not size:
        found.text = f"nothing {past}"
    elif not time:
        found.text = "not known"
    else:
        found.value = size * 1e9 / time
        found.text = format_rate(found.value).partition(" (")[0]
    return found


def _length(totals: Totals) -> Finding:
    moved = totals.read + totals.written
    found = Finding(
        check="mean_length",
        label="mean length of reads and writes",
        unit="B",
        source="4.1.1.2, 4.4.1.2",
        guide_text="1 MB or more",
        comparison="at least",
        guide=SHORT,
        limit=OURS,
        values={"moved_bytes": moved, "reads_and_writes": totals.moves},
        text="no read or write",
    )
    if not totals.moves:
        return found
    found.value = moved / totals.moves
    found.text = brief_size(found.value)
    return found.judged(warning=found.value < SHORT) if moved >= SHORT else found


def _metadata_calls(totals: Totals) -> Finding:
    found = Finding(
        check="metadata_per_move",
        label="metadata calls per read/write",
        unit="ratio",
        source="4.1.2.3",
        guide_text=f"below {METADATA_PER_MOVE:g} (bad: 9)",
        guide=METADATA_PER_MOVE,
        limit=OURS,
        values={"metadata_calls": totals.metadata, "reads_and_writes": totals.moves},
        published={"bad": 9.0},
    )
    return _ratio(found, totals.metadata, totals.moves)


def _metadata_time(totals: Totals) -> Finding:
    found = Finding(
        check="metadata_time_ratio",
        label="metadata time by read/write time",
        unit="ratio",
        source="4.1.2.3",
        guide_text="below 1 (bad: up to 2)",
        guide=AS_LONG,
        limit=GROUPS,
        values={
            "metadata_s": seconds(totals.metadata_time),
            "read_write_s": seconds(totals.moving_time),
        },
        published={"bad": 2.0},
    )
    return _ratio(found, totals.metadata_time, totals.moving_time)


def _seeks(totals: Totals) -> Finding:
    found = Finding(
        check="lseeks_per_move",
        label="lseeks per read/write",
        unit="ratio",
        source="4.1.2.3, 4.4.2.3",
        guide_text="below 1 (bad: 1.2, 1.5)",
        guide=SEEKS_PER_MOVE,
        limit=GROUPS,
        values={"lseeks": totals.seeks, "reads_and_writes": totals.moves},
        published={"bad": 1.2, "worse": 1.5},
    )
    return _ratio(found, totals.seeks, totals.moves)


def _ratio(found: Finding, part: float | None, whole: float | None) -> Finding:
    """Compare a ratio with the guide value that it must be below."""
    found.comparison = "below"
    if part is None or whole is None:
        found.text = "not known"
        return found
    if not whole or found.guide is None:
        return found
    found.value = part / whole
    found.text = figure(found.value)
    return found.judged(warning=found.value >= found.guide)


def _metadata_per_byte(totals: Totals) -> Finding:
    moved = totals.read + totals.written
    found = Finding(
        check="metadata_per_byte",
        label="metadata calls per byte",
        unit="calls/B",
        source="4.1.2.3",
        guide_text="bad: 3.6 per MB",
        values={"metadata_calls": totals.metadata, "moved_bytes": moved},
        # 9 for each of 511 writes, 1271 MB in all: figure 4.1.7, node 2.
        published={"bad": 3.6e-6},
        text=f"- ({counted(totals.metadata, 'call')})",
    )
    if moved:
        found.value = totals.metadata / moved
        found.text = f"{figure(found.value * 1e6)} per MB ({counted(totals.metadata, 'call')})"
    return found


def _failed(totals: Totals) -> Finding:
    whole = totals.moves + totals.metadata
    found = Finding(
        check="failed_share",
        label="share of calls that failed",
        unit="ratio",
        source="3.3.1, 4.2.2.3",
        guide_text=f"few, below {FAILED * 100:g} % (bad: 25 % of opens)",
        comparison="below",
        guide=FAILED,
        limit=OURS,
        values={"failed_calls": totals.failed, "calls": whole},
        published={"bad": 0.25},
    )
    if not totals.errors_known:
        found.text, found.values["failed_calls"] = "not in the log", None
        return found
    found.value = totals.failed / whole if whole else None
    found.text = f"{percent(totals.failed, whole)} ({counted(totals.failed, 'call')})"
    return found.judged(warning=(found.value or 0) >= FAILED)


def _outliers(totals: Totals) -> Finding:
    found = Finding(
        check="far_outliers",
        label="calls far slower than usual",
        unit="calls",
        source="4.3.2.3, 4.5.2.3",
        guide_text=f"none {FAR_OUTLIER:,} times the median",
        comparison="at most",
        guide=0,
        limit=GROUPS,
        values=dict.fromkeys(f"calls_{times}_times" for times in (OUTLIER, FAR_OUTLIER)),
        text="not known: the log lacks single times",
    )
    if totals.far is None:
        return found
    found.value = totals.far
    found.values = dict(zip(found.values, (totals.slow, totals.far), strict=True))
    found.text = f"{totals.far:,} ({totals.slow:,} of {OUTLIER:,} times)"
    return found.judged(warning=totals.far > 0)


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
        "errors": totals.failed if totals.errors_known else None,
        "outliers_in_all": totals.slow if totals.far is not None else None,
        "far_outliers": totals.far,
    }


def _by(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None
