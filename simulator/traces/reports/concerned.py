"""Which calls and files a check is about: those with the most of what it looks at.

Each entry has a file, a call, an error and a value with its unit; what does not apply is None. A
copy counts for its source.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from simulator.traces.reports.counters import Counters
from simulator.traces.reports.findings import SHORT
from simulator.traces.reports.opened import IN_FILES, Opened
from simulator.traces.reports.totals import SEEKS, Totals

LISTED = 5
"""Entries of each check, unless ``--top`` says how many."""
_USED = """\
SELECT file, call, count(*) AS n, coalesce(sum(duration_ns), 0)::HUGEINT AS time,
count(*) FILTER ({moves} AND error IS NULL AND returned < {short}) AS short,
{moves} AS moves, {seeks} AS seeks, {files} AS in_files FROM calls GROUP BY ALL"""


@dataclass(frozen=True, slots=True)
class Concerned:
    """A file, a call, or a call on a file, and how much of it a check is about."""

    value: float
    unit: str
    """Of ``value``: s, calls or ratio."""
    file: str | None = None
    call: str | None = None
    error: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields by their names."""
        names = ("file", "call", "error", "value", "unit")
        return {name: getattr(self, name) for name in names}


def concerned(trace: Opened, totals: Totals, top: int | None = None) -> dict[str, list[Concerned]]:
    """Return the files and calls of each check, the largest values first."""
    most = top or LISTED
    found = _counted(trace, most) if trace.darshan is not None else _called(trace, most)
    for check, place in (("read_factor", 0), ("write_factor", 1)):
        rows = sorted(totals.rereads, key=lambda row, k=place: (-row[k], row[-1]))  # type: ignore[misc]
        again = [row for row in rows if row[place] > 1]
        found[check] = [Concerned(row[place], "ratio", file=row[-1]) for row in again[:most]]
    found["far_outliers"] = [
        Concerned(factor, "ratio", file=file, call=call)
        for _, _, _, factor, call, _, file in totals.outliers[:most]
    ]
    return found


def _called(trace: Opened, most: int) -> dict[str, list[Concerned]]:
    """Find the files and calls of each check among single calls."""
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
        found[check] = [Concerned(value, unit, file, call) for file, call, value in rows]
    found["failed_share"] = [
        Concerned(count, "calls", *names)
        for count, *names in trace.rows(
            "SELECT count(*), file, call, error FROM calls"
            f" WHERE error IS NOT NULL AND {IN_FILES} GROUP BY 2, 3, 4"
            f" ORDER BY 1 DESC, file, call, error LIMIT {most}"
        )
    ]
    return found


def _counted(trace: Opened, most: int) -> dict[str, list[Concerned]]:
    """Find them among Darshan's counters, which have the time of metadata by file only."""
    counters = Counters(trace)
    calls = [one for one in counters.counted() if one.module != "MPI-IO"]
    seeks = [one for one in calls if one.call in ("lseek", "fseek")]
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
        check: _first((Concerned(one.count, "calls", one.file, one.call) for one in some), most)
        for check, some in by_count.items()
    }
    found["metadata_time_ratio"] = _first(
        (Concerned(time, "s", file) for file, time in counters.metadata_by_file().items()), most
    )
    times = ((one.time_ns or 0) / 1e9 for one in moving)
    found["io_share"] = _first(
        (Concerned(time, "s", one.file, one.call) for one, time in zip(moving, times, strict=True)),
        most,
    )
    return found


def _first(some: Iterable[Concerned], most: int) -> list[Concerned]:
    listed = sorted(some, key=lambda one: (-one.value, one.file or "", one.call or ""))
    return [one for one in listed[:most] if one.value > 0]
