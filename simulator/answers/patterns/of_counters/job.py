"""A job as Darshan counted it: its files, with their calls, bytes, ranks and stripes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from simulator.answers.advise import Change, Concerned, Cure, Finding

Way = Literal["read", "write"]
WAYS: tuple[Way, ...] = ("read", "write")
STREAMS = ("<STDIN>", "<STDOUT>", "<STDERR>")
LEAST_SHARE = 0.02
"""Of the run, from which on the time that one rank spends is worth a word;"""
LEAST_S = 1.0
"""and how many seconds it has to be."""
MOST = 1.1
"""Times the run that a rank may have spent; what is more contradicts the log's own times."""
SMALL = 65_536
"""Bytes of a call, on average, below which calls are small."""
SEVERAL = 4
"""Ranks from which on a file is shared by many."""
_CALLS = {"read": "READS", "write": "WRITES"}
_PAST = {"read": "READ", "write": "WRITTEN"}


class Rank(NamedTuple):
    """A rank, its time in calls on a file, and the bytes that it moved."""

    number: int
    seconds: float
    bytes: int


class Counted(NamedTuple):
    """A finding about the counters of a log, and the time of the rank that it costs most."""

    seconds: float
    finding: Finding


@dataclass(frozen=True, slots=True)
class CountedFile:
    """The counters of one file in one module, of all ranks."""

    name: str
    module: str
    counts: Mapping[str, float]
    nprocs: int
    shared: bool
    """True if Darshan keeps one record of all ranks."""
    records: int
    seconds: Mapping[str, float]
    """Time in calls by rank; of all ranks together under -1."""
    fastest: Rank | None
    slowest: Rank | None
    heaviest: Rank | None
    """Of a shared record not known."""
    moving: Mapping[str, int] | None
    """Ranks that read and that wrote; None of a shared record."""
    variance: tuple[float, float] | None = None
    """Of time and of bytes over ranks, of a shared record."""

    def get(self, name: str) -> int:
        """Return a counter; 0 if the log does not have it."""
        return int(self.counts.get(name, 0))

    @property
    def ranks(self) -> int:
        """Ranks that used the file."""
        return self.nprocs if self.shared else self.records

    def calls(self, way: Way) -> int:
        """Return the number of reads or writes."""
        return self.get(_CALLS[way])

    def bytes(self, way: Way) -> int:
        """Return the bytes that were read or written."""
        return self.get(f"BYTES_{_PAST[way]}")

    def reach(self, way: Way) -> int:
        """Return the bytes up to the last one that was read or written."""
        last = self.counts.get(f"MAX_BYTE_{_PAST[way]}")
        return 0 if last is None else int(last) + 1

    def mean(self, way: Way) -> float:
        """Return the bytes of a read or write, on average."""
        return self.bytes(way) / max(self.calls(way), 1)

    def followed(self, way: Way) -> float:
        """Return the share of calls right behind the one before of their rank."""
        first = min(self.users(way), self.calls(way))
        more = max(self.calls(way) - first, 1)
        return min(1.0, self.get(f"CONSEC_{_CALLS[way]}") / more)

    def forward(self, way: Way) -> float:
        """Return the share of calls anywhere behind the one before of their rank."""
        first = min(self.users(way), self.calls(way))
        return min(1.0, self.get(f"SEQ_{_CALLS[way]}") / max(self.calls(way) - first, 1))

    def users(self, way: Way) -> int:
        """Return how many ranks read or write; of a shared record at most, by its extremes."""
        if self.moving is not None:
            return self.moving[_PAST[way]]
        if self.alone:
            return 1
        return self.nprocs

    @property
    def alone(self) -> bool:
        """True if a shared record says that one rank moved all bytes."""
        moved = sum(map(self.bytes, WAYS))
        return self.slowest is not None and self.shared and 0 < moved == self.slowest.bytes

    def time(self, way: Way) -> float:
        """Return the seconds of all ranks in reads, or in writes with their syncs."""
        return float(self.counts.get(f"F_{way.upper()}_TIME", 0.0))

    @property
    def metadata(self) -> float:
        """Seconds of all ranks in metadata calls."""
        return float(self.counts.get("F_META_TIME", 0.0))

    @property
    def longest(self) -> float:
        """Seconds of the rank that spent most in its calls."""
        if self.slowest is not None and self.slowest.seconds > 0:
            return self.slowest.seconds
        times = {rank: time for rank, time in self.seconds.items() if rank != "-1"}
        return max([*times.values(), self.seconds.get("-1", 0.0) / max(self.nprocs, 1)])

    def part(self, seconds: float) -> float:
        """Return what is of the longest rank, of seconds of all ranks."""
        whole = self.metadata + sum(map(self.time, WAYS))
        return self.longest * seconds / whole if whole > 0 else 0.0

    def concerned(self, *ways: Way) -> Concerned:
        """Return the file, with its calls and bytes."""
        ways = ways or WAYS
        return Concerned(self.name, sum(map(self.calls, ways)), sum(map(self.bytes, ways)))


@dataclass(frozen=True)
class CountedJob:
    """The counters of a job."""

    found: Mapping[str, Any]
    """What was read of the log."""
    stripes: Mapping[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> CountedJob:
        """Return the job of a log's record; a store of before lacks its ranks and stripes."""
        return cls(found, found.get("stripes", {}))

    @property
    def nprocs(self) -> int:
        """Ranks of the job."""
        return int(self.found["job"]["nprocs"])

    @property
    def seconds(self) -> float:
        """Elapsed time of the job, by its begin and end; at least one second, as Darshan has it."""
        return max(float(self.found["job"]["run_time"]), 1.0)

    @cached_property
    def files(self) -> dict[str, list[CountedFile]]:
        """The files of each module, without standard streams."""
        made: dict[str, list[CountedFile]] = defaultdict(list)
        for one in self.found["files"]:
            if one["file"] not in STREAMS:
                made[one["module"]].append(self._file(one))
        return made

    @cached_property
    def plain(self) -> list[CountedFile]:
        """Files in the modules that count each call once: POSIX, and STDIO."""
        return [*self.files["POSIX"], *self.files["STDIO"]]

    @cached_property
    def mpi(self) -> dict[str, CountedFile]:
        """Files of MPI-IO by their names."""
        return {one.name: one for one in self.files["MPI-IO"]}

    @cached_property
    def hdf5(self) -> dict[str, CountedFile]:
        """Files of HDF5 by their names, with the counters of their data sets."""
        return {one.name: one for one in (*self.files["H5F"], *self.files["H5D"])}

    @cached_property
    def data_sets(self) -> dict[str, CountedFile]:
        """The data sets of HDF5 of each file together."""
        return {one.name: one for one in self.files["H5D"]}

    @cached_property
    def pnetcdf(self) -> frozenset[str]:
        """Names of files of PnetCDF."""
        every = (*self.files["PNETCDF_FILE"], *self.files["PNETCDF_VAR"])
        return frozenset(one.name for one in every)

    @cached_property
    def ranks(self) -> dict[int, list[float]]:
        """Bytes read and written, seconds in calls and in metadata calls, by rank.

        Without what ranks did in files of which Darshan keeps one record of all.
        """
        return {int(rank): of for rank, of in self.found.get("ranks", {}).items()}

    def collective(self, name: str, way: Way) -> int:
        """Return the collective reads or writes of a file by MPI-IO."""
        return self._mpi(name, f"COLL_{_CALLS[way]}") + self._mpi(name, f"SPLIT_{_CALLS[way]}")

    def independent(self, name: str, way: Way) -> int:
        """Return the independent reads or writes of a file by MPI-IO."""
        return self._mpi(name, f"INDEP_{_CALLS[way]}") + self._mpi(name, f"NB_{_CALLS[way]}")

    def _mpi(self, name: str, counter: str) -> int:
        return self.mpi[name].get(counter) if name in self.mpi else 0

    def matters(self, seconds: float) -> bool:
        """Return whether so many seconds of a rank are worth a word."""
        least = max(LEAST_S, LEAST_SHARE * self.seconds)
        return least <= seconds <= MOST * self.seconds + LEAST_S

    def _file(self, one: Mapping[str, Any]) -> CountedFile:
        ends = [one.get(name) for name in ("fastest", "slowest", "heaviest")]
        fastest, slowest, heaviest = (None if of is None else Rank(*of) for of in ends)
        variance = one.get("variance")
        shared = variance is not None
        return CountedFile(
            one["file"],
            one["module"],
            one["counters"],
            self.nprocs,
            shared,
            one["ranks"],
            one["seconds"],
            fastest,
            slowest,
            heaviest,
            None if shared else one.get("moving"),
            None if variance is None else (variance[0], variance[1]),
        )


def finding(
    pattern: str,
    found: str,
    how: str,
    files: list[Concerned],
    *,
    presumes: str = "",
    risk: str = "",
) -> Finding:
    """Return a finding with a cure that no run carries out."""
    files = sorted(files, key=lambda one: (-one.calls, one.name))
    cure = Cure(how, Change(), presumes, risk)
    return Finding(pattern, found, (cure,), tuple(files), sum(one.calls for one in files))
