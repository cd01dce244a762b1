"""Results of processes: transfers, accounts of time, phases, failed calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(slots=True)
class Transfer:
    """Data that one process read, or wrote, from its program's point of view.

    Its *window* reaches from the begin of the first operation on what it read, or wrote, to the end
    of the last, syncs and closes included; what the process did between them is in it as well.
    """

    bytes: int = 0
    """User data, without record lengths, and without what calls asked for that failed."""
    calls_ns: int = 0
    """Time in the calls that move them: what the NWT's paper divides by."""
    begin_ns: int = -1
    """Where its window begins; -1 without an operation."""
    end_ns: int = -1
    beside_ns: int = 0
    """Time in syncs and closes of its window that are no part of those calls."""
    failed_bytes: int = 0
    """Bytes that calls asked for that failed, record lengths included."""
    apart: bool = False
    """Of several processes: they were not at it side by side, so that the time in calls of one is
    not that of all. Rates are then those of the window."""

    def without_failed(self) -> Transfer:
        """Return it less what was asked for and has not been moved."""
        return replace(self, bytes=max(0, self.bytes - self.failed_bytes))

    def close(self, begin_ns: int, end_ns: int) -> None:
        """End the window with a sync or a close."""
        self.end_ns = end_ns
        self.beside_ns += end_ns - begin_ns

    def widen(self, begin_ns: int, end_ns: int) -> None:
        """Widen the window from a begin to an end; it had nothing after that before."""
        if self.begin_ns < 0:
            self.begin_ns = begin_ns
        self.end_ns = end_ns

    @property
    def elapsed_ns(self) -> int:
        """The length of its window."""
        return self.end_ns - self.begin_ns

    @property
    def io_ns(self) -> int:
        """Time in its calls, syncs and closes: the window without what was between them."""
        return self.calls_ns + self.beside_ns

    @property
    def rate(self) -> float:
        """Bytes per second of its window; 0 for nothing."""
        return per_second(self.bytes, self.elapsed_ns)

    @property
    def io_rate(self) -> float:
        """Bytes per second of the time in calls, syncs and closes; 0 for nothing."""
        return self.rate if self.apart else per_second(self.bytes, self.io_ns)

    @property
    def calls_rate(self) -> float:
        """Bytes per second of the time in calls that move them; 0 for nothing."""
        return self.rate if self.apart else per_second(self.bytes, self.calls_ns)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; rates in MB (10^6 bytes) per second."""
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
    """Bytes of the files of one job that have come to stable storage."""

    bytes: int = 0
    last_ns: int = 0
    """When the last of them came."""

    def add(self, size: int, last_ns: int) -> None:
        """Add what has come of another file."""
        self.bytes += size
        self.last_ns = max(self.last_ns, last_ns)


@dataclass(slots=True)
class FailedCalls:
    """Calls of one process that came back with an error, since a part had failed."""

    count: int = 0
    first_ns: int = -1
    """When the first did; -1 without any."""
    last_ns: int = -1

    def add(self, now_ns: int) -> None:
        """Count one that comes back now."""
        self.count += 1
        self.first_ns = now_ns if self.first_ns < 0 else self.first_ns
        self.last_ns = now_ns


@dataclass(slots=True)
class PhaseResult:
    """A phase of a job, all of its processes together, all passes through it."""

    job: str
    label: str
    """Its place in the job, as ``1`` or ``1.0``."""
    what: str
    """Its operation, as ``read f1``."""
    passes: int = 0
    """How often a process has come to it."""
    begin_ns: int = -1
    """When the first did; -1 if none has."""
    end_ns: int = -1
    """When it was over for the last time."""
    time_ns: int = 0
    """Time that processes have spent in it, added up."""
    read: int = 0
    """Bytes of user data read in it,"""
    written: int = 0
    """and written, without what calls asked for that failed."""

    def without_failed(self) -> PhaseResult:
        """Return it with no less than nothing read or written: of what failed lengths count too."""
        return replace(self, read=max(0, self.read), written=max(0, self.written))

    @property
    def elapsed_ns(self) -> int:
        """From its first begin to its last end."""
        return self.end_ns - self.begin_ns

    def mean_ns(self, processes: int) -> float:
        """Return the time that one of so many processes has spent in it, on the average."""
        return self.time_ns / processes

    def rate(self, processes: int, *, arrive: bool = False) -> float:
        """Return bytes per second of all processes together, while they are in it; 0 for none.

        If each comes to it once, or their runs ``arrive``, that is from its first begin to its last
        end; of processes that come again, other phases between, it is the mean time of one.
        """
        size = self.read + self.written
        if arrive or self.passes <= processes:
            return per_second(size, self.elapsed_ns)
        return per_second(size, self.time_ns) * processes

    def to_json(self, processes: int, *, arrive: bool = False) -> dict[str, Any]:
        """Return the record for programs, of a job with so many processes."""
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
    """Time of a member that shares a process's data in which it had nothing to do."""
    spent: dict[str, tuple[int, int]]
    """Column of the account -> (waiting ns, service ns); only what is not 0."""
    rounds: int = 0
    """How often it went through its phases, if the ends of others decided that."""
    failed: FailedCalls = field(default_factory=FailedCalls)

    @property
    def elapsed_ns(self) -> int:
        """From its start to its end."""
        return self.ended_ns - self.started_ns

    def accounted_ns(self) -> int:
        """Everything in the account; equal to the elapsed time."""
        return self.compute_ns + self.idle_ns + sum(w + s for w, s in self.spent.values())

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; times in ns."""
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
    """Return the record of an account: column -> (waiting ns, service ns)."""
    return {
        name: {"wait_ns": wait, "service_ns": service} for name, (wait, service) in spent.items()
    }


def transfer_of(process: ProcessResult, work: str) -> Transfer:
    """Return what a process transferred by ``read`` or ``write``."""
    return process.read if work == "read" else process.write


def per_second(size: int, time_ns: int) -> float:
    """Return bytes over a time; 0 over no time."""
    return size * 1e9 / time_ns if time_ns else 0.0
