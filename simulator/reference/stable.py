"""What of the files has come to stable storage: to the end of their paths."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from simulator.result.errors import within
from simulator.result.result import Stable

if TYPE_CHECKING:
    from simulator.plan.paths import TierPlan
    from simulator.plan.plan import Plan
    from simulator.reference.actor import Clock
    from simulator.reference.buffers import Buffers
    from simulator.reference.tiers.tier import Request


class StableStorage:
    """Bytes of each file that have come, and which jobs wrote it."""

    def __init__(self, clock: Clock, plan: Plan) -> None:
        self._clock = clock
        self._names = [file.name for file in plan.files]
        self._ends = {id(plan.tiers[row]) for row in plan.stable_ends()}
        self._files: dict[int, Stable] = defaultdict(Stable)
        self._writers: dict[int, set[str]] = defaultdict(set)

    def reach(self, end: TierPlan, request: Request) -> None:
        """Take note of bytes of a file that have come to the end of a path."""
        size = request.high - request.low
        if request.file >= 0 and size and id(end) in self._ends:
            stable = self._files[request.file]
            within(stable.bytes + size, self._names[request.file], size=True)
            stable.add(size, self._clock.now)

    def written(self, file: int, job: str) -> None:
        """Take note of a job that has written a file."""
        self._writers[file].add(job)

    def by_job(self, buffers: list[Buffers]) -> dict[str, Stable]:
        """Return what has come, by the only job that wrote a file; that of others by no job."""
        found: dict[str, Stable] = defaultdict(Stable)
        for file, one in self._files.items():
            jobs = self._writers[file]
            found[next(iter(jobs)) if len(jobs) == 1 else ""].add(one.bytes, one.last_ns)
        for cache in buffers:
            if size := cache.result().counts["disk_written_bytes"]:
                found[""].add(size, cache.safe_ns)
        return dict(sorted(found.items()))
