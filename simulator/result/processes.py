"""Results of processes: transfers, accounts of time, phases, failed calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(slots=True)
class Transfer:
    """Data that one process read, or wrote, from its program's point of view.

    Its *window* extends from the begin of the first operation on the data to the end of the last,
    syncs and closes included; other activity of the process in between is included.
    """

    bytes: int = 0
    """User data, without record lengths and failed calls."""
    calls_ns: int = 0
    """Time in the calls that move them: the divisor in the NWT's paper."""
    begin_ns: int = -1
    """Begin of its window; -1 without an operation."""
    end_ns: int = -1
    beside_ns: int = 0
    """Time in syncs and closes of its window that are not part of those calls."""
    failed_bytes: int = 0
    """Bytes of failed calls, record lengths included."""
    apart: bool = False
    """Of several processes: their windows do not coincide, so that the time in calls of one does
    not represent all. Rates are then those of the window."""

    def without_failed(self) -> Transfer:
        """Return it without the bytes of failed calls."""
        return replace(self, bytes=max(0, self.bytes - self.failed_bytes))

    def close(self, begin_ns: int, end_ns: int) -> None:
        """End the window with a sync or a close."""
        self.end_ns = end_ns
        self.beside_ns += end_ns - begin_ns

    def widen(self, begin_ns: int, end_ns: int) -> None:
        """Extend the window from a begin to an end, unless it extends further already."""
        if self.begin_ns < 0:
            self.begin_ns = begin_ns
        self.end_ns = end_ns

    @property
    def elapsed_ns(self) -> int:
        """Length of its window."""
        return self.end_ns - self.begin_ns

    @property
    def io_ns(self) -> int:
        """Time in its calls, syncs and closes: the window without other activity."""
        return self.calls_ns + self.beside_ns

    @property
    def rate(self) -> float:
        """Bytes per second of its window; 0 without data."""
        return per_second(self.bytes, self.elapsed_ns)

    @property
    def io_rate(self) -> float:
        """Bytes per second of the time in calls, syncs and closes; 0 without data."""
        return self.rate if self.apart else per_second(self.bytes, self.io_ns)

    @property
    def calls_rate(self) -> float:
        """Bytes per second of the time in calls that move them; 0 without data."""
        return self.rate if self.apart else per_second(self.bytes, self.calls_ns)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record; rates in MB (10^6 bytes) per second."""
        return {
            "bytes": self.bytes,
            **({"failed_bytes": self.failed_bytes} if self.failed_bytes else {}),
            "begin_ns": None if self.begin_ns < 0 else self.begin_ns,
            "elapsed_ns": self.elapsed_ns,
            "rate_MBps": round(self.rate / 1e6, 6),
            "io_ns": self.io_ns,
            "io_MBps": round(self.io_rate / 1e6, 6),
            "calls_ns": self.calls_ns,
            "calls_MBps": round(self.calls_rate / 1e6, 6),
        }


@dataclass(slots=True)
class Stable:
    """Bytes of the files of one job on stable storage."""

    bytes: int = 0
    last_ns: int = 0
    """Time at which the last of them became stable."""

    def add(self, size: int, last_ns: int) -> None:
        """Add the stable bytes of another file."""
        self.bytes += size
        self.last_ns = max(self.last_ns, last_ns)


@dataclass(slots=True)
class FailedCalls:
    """Calls of one process that failed because a resource had failed."""

    count: int = 0
    first_ns: int = -1
    """Time of the first failed call; -1 without any."""
    last_ns: int = -1

    def add(self, now_ns: int) -> None:
        """Add one that fails now."""
        self.count += 1
        self.first_ns = now_ns if self.first_ns < 0 else self.first_ns
        self.last_ns = now_ns


@dataclass(slots=True)
class PhaseResult:
    """A phase of a job, over all of its processes and passes."""

    job: str
    label: str
    """Its position in the job, as ``1`` or ``1.0``."""
    what: str
    """Its operation, as ``read f1``."""
    passes: int = 0
    """Number of passes of processes through it."""
    begin_ns: int = -1
    """Begin of the first pass; -1 without any."""
    end_ns: int = -1
    """End of the last pass."""
    time_ns: int = 0
    """Time that processes have spent in it, added up."""
    read: int = 0
    """Bytes of user data read in it, without failed calls."""
    written: int = 0
    """Bytes of user data written in it, without failed calls."""

    def without_failed(self) -> PhaseResult:
        """Return it with non-negative bytes: of failed calls, record lengths are subtracted too."""
        return replace(self, read=max(0, self.read), written=max(0, self.written))

    @property
    def elapsed_ns(self) -> int:
        """Time from its first begin to its last end."""
        return self.end_ns - self.begin_ns

    def mean_ns(self, processes: int) -> float:
        """Return the mean time of a process in it, over a number of processes."""
        return self.time_ns / processes

    def rate(self, processes: int, *, arrive: bool = False) -> float:
        """Return bytes per second of all processes together while they are in it; 0 for none.

        With one pass of each, or arrivals (``arrive``), the time is that from its first begin to
        its last end; with several passes, other phases between, it is the mean time of a process.
        """
        size = self.read + self.written
        if arrive or self.passes <= processes:
            return per_second(size, self.elapsed_ns)
        return per_second(size, self.time_ns) * processes

    def to_json(self, processes: int, *, arrive: bool = False) -> dict[str, Any]:
        """Return the JSON record, for a job with a number of processes."""
        return {
            "phase": self.label,
            "what": self.what,
            "passes": self.passes,
            "begin_ns": self.begin_ns,
            "elapsed_ns": self.elapsed_ns,
            "time_ns": self.time_ns,
            "mean_ns": round(self.mean_ns(processes)),
            "read_bytes": self.read,
            "write_bytes": self.written,
            "rate_MBps": round(self.rate(processes, arrive=arrive) / 1e6, 6),
        }


@dataclass(slots=True)
class ProcessResult:
    """One process, or one member that shares the data of a process."""

    name: str
    job: str
    started_ns: int
    ended_ns: int
    read: Transfer
    write: Transfer
    compute_ns: int
    idle_ns: int
    """Time during which a member that shares a process's data was idle."""
    spent: dict[str, tuple[int, int]]
    """Account category -> (waiting ns, service ns); only non-zero ones."""
    rounds: int = 0
    """Number of rounds, if the ends of other processes decided that."""
    failed: FailedCalls = field(default_factory=FailedCalls)
    node: tuple[str, int] = ("", -1)
    """Its group of nodes, and which of them it is on; the first of several. Unset where a queue
    gave it one, and of members."""

    @property
    def elapsed_ns(self) -> int:
        """Time from its start to its end."""
        return self.ended_ns - self.started_ns

    def accounted_ns(self) -> int:
        """Sum of the account; equal to the elapsed time."""
        return self.compute_ns + self.idle_ns + sum(w + s for w, s in self.spent.values())

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record; times in ns."""
        return {
            "name": self.name,
            "job": self.job,
            "started_ns": self.started_ns,
            "elapsed_ns": self.elapsed_ns,
            **({"rounds": self.rounds} if self.rounds else {}),
            **({"failed_calls": asdict(self.failed)} if self.failed.count else {}),
            "read": self.read.to_json(),
            "write": self.write.to_json(),
            "where": {
                "compute_ns": self.compute_ns,
                "idle_ns": self.idle_ns,
                "columns": spent_json(self.spent),
            },
        }


def spent_json(spent: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, int]]:
    """Return the record of an account: category -> (waiting ns, service ns)."""
    return {
        name: {"wait_ns": wait, "service_ns": service} for name, (wait, service) in spent.items()
    }


def transfer_of(process: ProcessResult, work: str) -> Transfer:
    """Return the data that a process moved by ``read`` or ``write``."""
    return process.read if work == "read" else process.write


def per_second(size: int, time_ns: int) -> float:
    """Return bytes over a time; 0 if the time is 0."""
    return size * 1e9 / time_ns if time_ns else 0.0
