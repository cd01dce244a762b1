"""What processes, jobs and a whole run read and wrote, and in which time.

Rates are of *windows*: bytes over the time from the begin of the first operation to the end of the
last, of all the processes concerned. What came to stable storage is divided by the time from the
begin of the writing until the last of it was there. docs/results.md says it in full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.result.jobs import by_job
from simulator.result.windows import Reached, reached, together

if TYPE_CHECKING:
    from simulator.result.result import Result, Transfer


def moved(result: Result, work: str) -> Transfer:
    """Return what all processes of a run read, or wrote, together."""
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
