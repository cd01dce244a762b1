"""What a run of parallel input and output gives: the same from both engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadResult:
    """One process."""

    name: str
    started_ns: int
    ended_ns: int
    read: int
    written: int
    calls: int
    parts: Mapping[str, tuple[int, int]]
    """Part -> waiting, service; ns. They add up to the time from start to end."""

    @property
    def elapsed_ns(self) -> int:
        """From its start to its end."""
        return self.ended_ns - self.started_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeResult:
    """What one I/O node did."""

    requests: int
    busy_ns: int
    """Of its processors."""
    sent: int
    """Bytes that left by its port,"""
    received: int
    """and came in by it."""
    messages: int
    """That left by its port."""
    hits: int
    misses: int
    read_ahead: int
    used_ahead: int
    evicted: int
    disk_reads: int
    disk_writes: int
    disk_read: int
    """Bytes."""
    disk_written: int
    disk_busy_ns: int
    bus_busy_ns: int
    raid_hits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IoResult:
    """A finished run."""

    machine: str
    workload: str
    engine: str
    seed: int
    digest: str
    elapsed_ns: int
    """Until the last process has ended, from the start of the run."""
    end_ns: int
    """Until the last byte is on disk."""
    threads: tuple[ThreadResult, ...]
    nodes: tuple[NodeResult, ...]
    memory: Mapping[str, int] = field(default_factory=dict)
    server_calls: int = 0
    copied: int = 0
    """Bytes that libraries and servers copied besides what I/O nodes do."""
    events: int = 0

    @property
    def bytes(self) -> int:
        """What the processes read and wrote."""
        return sum(one.read + one.written for one in self.threads)

    @property
    def rate(self) -> float:
        """Bytes per second of all processes together; 0 if nothing took any time."""
        return self.bytes / self.elapsed_ns * 1e9 if self.elapsed_ns else 0.0

    @property
    def calls(self) -> int:
        """System calls."""
        return self.server_calls + sum(one.calls for one in self.threads)

    def total(self, name: str) -> int:
        """The sum of a count over all I/O nodes."""
        return sum(int(getattr(one, name)) for one in self.nodes)

    def spent_ns(self, part: str) -> int:
        """Time of all processes at a part, waiting and service."""
        return sum(sum(one.parts.get(part, (0, 0))) for one in self.threads)

    def to_record(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            **asdict(self),
            "bytes": self.bytes,
            "rate_MBps": self.rate / 1e6,
            "system_calls": self.calls,
        }


class BooksError(AssertionError):
    """Bytes or nanoseconds are missing: a mistake of the simulator."""


def check_books(result: IoResult) -> None:
    """See that no nanosecond of a process is missing; BooksError if one is."""
    for one in result.threads:
        spent = sum(wait + service for wait, service in one.parts.values())
        if spent != one.elapsed_ns:
            raise BooksError(f"{one.name}: {one.elapsed_ns} ns passed, {spent} are accounted for")
