"""What processes, jobs and a whole run read and wrote, and in which time.

Rates are of *windows*: bytes over the time from the begin of the first operation to the end of the
last, of all the processes concerned. What came to stable storage is divided by the time from the
begin of the writing until the last of it was there. docs/results.md says it in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.result.result import Stable, Transfer, per_second

if TYPE_CHECKING:
    from simulator.result.result import Result


def together(transfers: Iterable[Transfer]) -> Transfer:
    """Return what several processes moved: in a window that has all of theirs in it.

    Its times in calls, and in calls, syncs and closes, are each the longest of one process.
    """
    made = [one for one in transfers if one.begin_ns >= 0]
    if not made:
        return Transfer()
    calls = max(one.calls_ns for one in made)
    return Transfer(
        bytes=sum(one.bytes for one in made),
        calls_ns=calls,
        begin_ns=min(one.begin_ns for one in made),
        end_ns=max(one.end_ns for one in made),
        beside_ns=max(one.io_ns for one in made) - calls,
    )


@dataclass(frozen=True, slots=True)
class Reached:
    """What of the written data has come to stable storage."""

    bytes: int
    elapsed_ns: int
    """From the begin of the writing until the last of it was there; 0 if nothing came."""

    @property
    def rate(self) -> float:
        """Bytes per second; 0 for nothing."""
        return per_second(self.bytes, self.elapsed_ns)

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; the rate in MB (10^6 bytes) per second."""
        return {
            "bytes": self.bytes,
            "elapsed_ns": self.elapsed_ns,
            "rate_MBps": round(self.rate / 1e6, 6),
        }


def reached(written: Transfer, stable: Iterable[Stable]) -> Reached:
    """Return what came to stable storage of what was written in a window."""
    came = [one for one in stable if one.bytes]
    last = max((one.last_ns for one in came), default=written.begin_ns)
    return Reached(sum(one.bytes for one in came), last - written.begin_ns)


def moved(result: Result, work: str) -> Transfer:
    """Return what all processes of a run read, or wrote, together."""
    from simulator.result.jobs import by_job

    return together(job.transfer(work) for job in by_job(result))


def reached_by(result: Result) -> Reached | None:
    """Return what of all written data has come to stable storage; None if nothing was written."""
    written = moved(result, "write")
    return reached(written, result.stable.values()) if written.begin_ns >= 0 else None


def still_dirty(result: Result) -> dict[str, int]:
    """Return the stores that hold dirty data at the end, and how many bytes."""
    sizes: dict[str, int] = {}
    for one in result.stores.values():
        if size := one.counts.get("dirty_bytes", 0):
            sizes[one.store] = sizes.get(one.store, 0) + size
    return sizes
