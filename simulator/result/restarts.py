"""What failures cost a job that goes on from its last checkpoint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class RestartResult:
    """A job with ``restart``. Its rounds, ``lost_ns`` and ``down_ns`` add up to its time."""

    job: str
    failures: int = 0
    lost_ns: int = 0
    """Time up to failures since the last checkpoint, or since the job went on after a failure."""
    down_ns: int = 0
    """Time from failures until the job goes on: until all processes have stopped, and the delay."""
