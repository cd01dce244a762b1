"""What Darshan counted, as calls.

Darshan counts calls that succeed, so the number of errors is not known (null). It adds up the time
of reads, of writes (with fsync) and of all metadata calls together, and keeps the longest read and
write of each file; no minima. The reads and writes of MPI-IO are one row each, of all their kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from simulator.errors import InputError
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import BINS, Report, Table, calls_table, files_table, mean, per
from simulator.units import format_time

READ = ("F_READ_TIME", "F_MAX_READ_TIME", "BYTES_READ")
WRITE = ("F_WRITE_TIME", "F_MAX_WRITE_TIME", "BYTES_WRITTEN")
_KINDS = ("INDEP", "COLL", "SPLIT", "NB")

CALLS: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "POSIX": {
        "open": (("OPENS",), ()),
        "read": (("READS",), READ),
        "write": (("WRITES",), WRITE),
        "lseek": (("SEEKS",), ()),
        "stat": (("STATS",), ()),
        "mmap": (("MMAPS",), ()),
        "fsync": (("FSYNCS",), ()),
        "fdatasync": (("FDSYNCS",), ()),
        "rename": (("RENAME_SOURCES",), ()),
    },
    "STDIO": {
        "fopen": (("OPENS",), ()),
        "fdopen": (("FDOPENS",), ()),
        "fread": (("READS",), READ),
        "fwrite": (("WRITES",), WRITE),
        "fseek": (("SEEKS",), ()),
        "fflush": (("FLUSHES",), ()),
    },
    "MPI-IO": {
        "MPI_File_open": (("INDEP_OPENS", "COLL_OPENS"), ()),
        "MPI_File_read": (tuple(f"{kind}_READS" for kind in _KINDS), READ),
        "MPI_File_write": (tuple(f"{kind}_WRITES" for kind in _KINDS), WRITE),
        "MPI_File_sync": (("SYNCS",), ()),
    },
}
"""Module -> call -> the counters of its number, and those of its time, longest time and bytes."""

SIZES = {
    "0_100": (0, 100),
    "100_1K": (101, 2**10),
    "1K_10K": (2**10 + 1, 10 * 2**10),
    "10K_100K": (10 * 2**10 + 1, 100 * 2**10),
    "100K_1M": (100 * 2**10 + 1, 2**20),
    "1M_4M": (2**20 + 1, 4 * 2**20),
    "4M_10M": (4 * 2**20 + 1, 10 * 2**20),
    "10M_100M": (10 * 2**20 + 1, 100 * 2**20),
    "100M_1G": (100 * 2**20 + 1, 2**30),
    "1G_PLUS": (2**30 + 1, None),
}
"""The first and last length of each of Darshan's bins (darshan-common.h, DARSHAN_BUCKET_INC)."""


@dataclass(slots=True)
class Counted:
    """One call, of all files or of one."""

    call: str
    module: str
    file: str | None = None
    count: int = 0
    time_ns: float | None = None
    longest_ns: float | None = None
    bytes: int | None = None
    """None of a call that moves none."""

    def add(self, other: Counted) -> None:
        """Add another file's."""
        self.count += other.count
        self.time_ns = _sum(self.time_ns, other.time_ns)
        self.longest_ns = max(self.longest_ns or 0, other.longest_ns or 0) or None
        self.bytes = _sum(self.bytes, other.bytes)

    def row(self) -> tuple[Any, ...]:
        """Return the counts as a row of the summary."""
        return (
            *(self.call, self.count, self.count, None),
            *(self.time_ns, None, mean(self.time_ns, self.count), self.longest_ns),
            *(self.bytes or 0, None, mean(self.bytes, self.count), None),
            per(self.bytes, self.time_ns),
            per(self.count, self.time_ns),
        )


class Counters:
    """The chosen files of a Darshan log."""

    def __init__(self, trace: Opened) -> None:
        assert trace.darshan is not None
        choice = trace.choice
        if choice.since is not None or choice.until is not None:
            raise InputError(
                f"{', '.join(trace.names)}: Darshan's totals are of the whole run, without"
                " --since and --until; 'rate' and 'offsets' can take them if the log has DXT"
            )
        self.trace = trace
        self.log = trace.darshan
        self.files = self.log["files"]
        if choice.by_name:
            kept = trace.chosen(sorted({one["file"] for one in self.files}))
            self.files = [one for one in self.files if one["file"] in kept]
            if not kept:
                wanted = ", ".join(choice.files) or "what is left"
                raise InputError(f"no call matches --file {wanted}; {self._most_used()}")

    def summary(self, top: int | None) -> Report:
        """Count the calls of each name."""
        rows = [one.row() for one in sorted(self.totals().values(), key=_by_time)]
        return self._report(calls_table(rows, top))

    def by_file(self, top: int | None) -> Report:
        """Count the calls of each name and file."""
        listed = sorted(self.counted(), key=_by_time)
        kept = listed if top is None else listed[:top]
        rows = ((one.file, *one.row(), "file") for one in kept)
        return self._report(files_table(rows, len(listed) - len(kept)))

    def sizes(self, top: int | None, *, lengths: Table) -> Report:
        """Count reads and writes by their length, in Darshan's bins."""
        module, aggregated = ("POSIX", "")
        if all(one["module"] != "POSIX" for one in self.files):
            module, aggregated = ("MPI-IO", "AGG_")
        rows = []
        for name, (low, high) in SIZES.items():
            counts = [
                sum(
                    one["counters"].get(f"SIZE_{way}_{aggregated}{name}", 0)
                    for one in self.files
                    if one["module"] == module
                )
                if self._wants(call)
                else 0
                for way, call in (("READ", "read"), ("WRITE", "write"))
            ]
            rows.append((low, high, *counts, None, None))
        report = self._report(Table("bins", BINS, rows))
        report.tables.append(lengths)
        report.notes = [f"the bins are Darshan's, of {module}"]
        if self.log["segments"]:
            report.notes.append("the exact lengths are of DXT's segments")
        else:
            report.notes.append("exact lengths are not in the log, since it has no DXT")
        return report

    def totals(self) -> dict[str, Counted]:
        """Return each call of the chosen files, added up."""
        calls: dict[str, Counted] = {}
        for one in self.counted():
            if one.call in calls:
                calls[one.call].add(one)
            else:
                calls[one.call] = one
        return calls

    def metadata_ns(self) -> dict[str, float]:
        """Return the time of the metadata calls, by module."""
        times: dict[str, float] = {}
        for one in self.files:
            seconds = one["counters"].get("F_META_TIME", 0)
            times[one["module"]] = times.get(one["module"], 0) + seconds * 1e9
        return {module: time for module, time in times.items() if time}

    def metadata_by_file(self) -> dict[str, float]:
        """Return the seconds in metadata calls of POSIX and STDIO for each file."""
        times: dict[str, float] = {}
        for one in self.files:
            if one["module"] != "MPI-IO":
                seconds = one["counters"].get("F_META_TIME", 0)
                times[one["file"]] = times.get(one["file"], 0) + seconds
        return times

    def counted(self) -> Iterator[Counted]:
        """Count each call of each file."""
        for one in self.files:
            counters = one["counters"]
            for call, (numbers, moved) in CALLS[one["module"]].items():
                count = sum(counters.get(number, 0) for number in numbers)
                if not count or not self._wants(call):
                    continue
                found = Counted(call, one["module"], one["file"], count)
                if moved:
                    total, longest, size = moved
                    known = total not in one["negative"]
                    found.time_ns = counters.get(total, 0) * 1e9 if known else None
                    found.longest_ns = counters[longest] * 1e9 if longest in counters else None
                    found.bytes = counters.get(size, 0)
                yield found

    def _wants(self, call: str) -> bool:
        chosen = self.trace.choice.calls
        return not chosen or any(fnmatchcase(call, name.replace("[", "[[]")) for name in chosen)

    def _report(self, table: Table) -> Report:
        times = self.metadata_ns()
        notes = [
            f"metadata calls of {module} took {format_time(time)} of client time together; Darshan"
            " does not divide it among them"
            for module, time in times.items()
        ]
        if any(one["module"] == "MPI-IO" for one in self.files):
            notes.append("what MPI_File_* moved is in the calls beneath it as well")
        notes.append("Darshan counts calls that succeed: errors are not in the log")
        notes += [
            f"the log's {name} of {one['file']} is negative: not known"
            for one in self.files
            for name in one["negative"]
        ]
        if self.log["partial"]:
            cut = ", ".join(self.log["partial"])
            notes.append(f"Darshan ran out of memory for {cut}: some files are missing")
        values = {"metadata_time_s": {module: time / 1e9 for module, time in times.items()}}
        return Report([table], self.trace.unknown, values=values, notes=notes)

    def _most_used(self) -> str:
        uses: dict[str, int] = {}
        for one in self.log["files"]:
            counts = one["counters"]
            count = sum(
                counts.get(number, 0)
                for numbers, _ in CALLS[one["module"]].values()
                for number in numbers
            )
            uses[one["file"]] = uses.get(one["file"], 0) + count
        most = sorted(uses, key=lambda name: (-uses[name], name))[:5]
        return f"the most used files are {', '.join(most)}"


def _sum(one: Any, other: Any) -> Any:
    """Add two numbers; what is not known is not known together with others either."""
    return None if one is None or other is None else one + other


def _by_time(one: Counted) -> tuple[Any, ...]:
    return (-(one.time_ns or 0), -one.count, one.call, one.file or "")
