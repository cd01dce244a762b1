"""Darshan's counters as calls.

Darshan counts calls that succeed, so the number of errors is not known (null). It adds up the time
of reads, of writes (with fsync) and of all metadata calls together, and keeps the longest read and
write of each file; no minima. The reads and writes of MPI-IO are one row each, of all their kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from simulator.errors import InputError
from simulator.traces.darshan_records import BENEATH, CALLS, LAYERS, READ, STREAMS, WRITE
from simulator.traces.reports.choice import meant
from simulator.traces.reports.opened import Opened
from simulator.traces.reports.table import BINS, Report, Table, calls_table, files_table, mean, per
from simulator.units import format_time

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

    @property
    def way(self) -> str:
        """What it does: read, write, seek, map or other."""
        moved = CALLS[self.module][self.call][1]
        named = {"lseek": "seek", "fseek": "seek", "mmap": "map"}.get(self.call, "other")
        return "read" if moved == READ else "write" if moved == WRITE else named

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
                there = meant(wanted, self._most_used(), "files")
                raise InputError(f"no call matches --file {wanted}; {there}")
        self.lowest = [one for one in self.files if self._is_lowest(one)]
        """Records of files, each call once: of layers above one another the lowest."""

    def _is_lowest(self, one: dict[str, Any]) -> bool:
        """Return whether no other record of the log has the calls of this one as well."""
        if one["file"] in STREAMS:
            return False
        beneath = {*BENEATH.get(one["module"], ())} & {*self.log["modules"]}
        if one["module"] != "MPI-IO" or beneath & {"DFS", "DAOS"}:
            return not beneath
        return one["file"] not in self._plain

    @cached_property
    def _plain(self) -> frozenset[str]:
        """The files that POSIX or STDIO have."""
        return frozenset(one["file"] for one in self.files if one["module"] in ("POSIX", "STDIO"))

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
        report.notes = [f"the bins are Darshan's, of {module}", *self.trace.lacks]
        if self.log["segments"]:
            report.notes.append("the exact lengths are of DXT's segments")
        else:
            report.notes.append("exact lengths are not in the log, since it has no DXT")
        return report

    def totals(self, files: Sequence[dict[str, Any]] | None = None) -> dict[str, Counted]:
        """Return each call of the chosen files, or of some of their records, added up."""
        calls: dict[str, Counted] = {}
        for one in self.counted(files):
            if one.call in calls:
                calls[one.call].add(one)
            else:
                calls[one.call] = one
        return calls

    def metadata_ns(self, files: Sequence[dict[str, Any]] | None = None) -> dict[str, float]:
        """Return the time of the metadata calls, by module."""
        times: dict[str, float] = {}
        for one in self.files if files is None else files:
            seconds = one["counters"].get("F_META_TIME", 0)
            times[one["module"]] = times.get(one["module"], 0) + seconds * 1e9
        return {module: time for module, time in times.items() if time}

    def metadata_by_file(self) -> dict[str, float]:
        """Return the seconds in metadata calls of the lowest layer for each file."""
        times: dict[str, float] = {}
        for one in self.lowest:
            seconds = one["counters"].get("F_META_TIME", 0)
            times[one["file"]] = times.get(one["file"], 0) + seconds
        return times

    def layers_ns(self) -> dict[str, float]:
        """Return the time in calls on files by layer; those of a layer have those beneath in them.

        In ``all`` each rank counts the larger of its layers, and STDIO beside them. Of a record of
        several ranks together (rank -1) it is not known whose time it is: ``all`` is at least that.
        """
        ranks: dict[str, dict[str, float]] = {}
        for one in self.files:
            if one["file"] not in STREAMS:
                of = ranks.setdefault(LAYERS[one["module"]], {})
                of = of if one["module"] != "DAOS" else ranks.setdefault("DAOS objects", {})
                for rank, seconds in one["seconds"].items():
                    of[rank] = of.get(rank, 0.0) + seconds
        objects = ranks.pop("DAOS objects", {})
        if sum(objects.values()) > sum(ranks.get("DAOS", {}).values()):
            ranks["DAOS"] = objects
        plain = ranks.pop("STDIO", {})
        layers = {name: sum(of.values()) * 1e9 for name, of in ranks.items()}
        known = {rank for of in ranks.values() for rank in of} - {"-1"}
        largest = sum(max(of.get(rank, 0.0) for of in ranks.values()) for rank in known) * 1e9
        stdio = sum(plain.values()) * 1e9
        if plain:
            layers["STDIO"] = stdio
        nested = [time for name, time in layers.items() if name != "STDIO"]
        return {**layers, "all": max(largest, *nested, 0.0) + stdio}

    def counted(self, files: Sequence[dict[str, Any]] | None = None) -> Iterator[Counted]:
        """Count each call of each file, or of some of their records."""
        for one in self.files if files is None else files:
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
        lowest = {one["module"] for one in self.lowest}
        above = {one["module"] for one in self.files if one["module"] in BENEATH} - lowest
        if above:
            names = sorted({LAYERS[name] for name in above})
            notes.append(f"what {' and '.join(names)} moved is in the calls beneath as well")
        notes.append("Darshan counts calls that succeed: errors are not in the log")
        notes += [
            f"the log's {name} of {one['file']} is negative: not known"
            for one in self.files
            for name in one["negative"]
        ]
        notes += self.trace.lacks
        values = {
            "metadata_time_s": {module: time / 1e9 for module, time in times.items()},
            "above": sorted(call for module in above for call in CALLS[module]),
        }
        return Report([table], self.trace.unknown, values=values, notes=notes)

    def _most_used(self) -> list[str]:
        """Return the files, that of most calls first."""
        uses: dict[str, int] = {}
        for one in self.log["files"]:
            counts = one["counters"]
            count = sum(
                counts.get(number, 0)
                for numbers, _ in CALLS[one["module"]].values()
                for number in numbers
            )
            uses[one["file"]] = uses.get(one["file"], 0) + count
        return sorted(uses, key=lambda name: (-uses[name], name))


def _sum(one: Any, other: Any) -> Any:
    """Add two numbers; what is not known is not known together with others either."""
    return None if one is None or other is None else one + other


def _by_time(one: Counted) -> tuple[Any, ...]:
    return (-(one.time_ns or 0), -one.count, one.call, one.file or "")
