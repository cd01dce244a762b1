"""What became of the jobs of a queue."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from simulator.result.latency import Latency


def _cells() -> array[int]:
    return array("q")


@dataclass(slots=True)
class QueueResult:
    """Times of the jobs of a queue, by their rows in ``QueuePlan.jobs``; ns, -1: never."""

    name: str
    submit: array[int] = field(default_factory=_cells)
    ready: array[int] = field(default_factory=_cells)
    """When its data were there; -1 for a job without a ``stage_in``."""
    start: array[int] = field(default_factory=_cells)
    end: array[int] = field(default_factory=_cells)
    done: array[int] = field(default_factory=_cells)
    """When its data had been taken away; its end if it has no ``stage_out``."""
    first: array[int] = field(default_factory=_cells)
    """Where the nodes of a job begin in ``node``; one more for the end of the last."""
    node: array[int] = field(default_factory=_cells)
    """Members of the group, in the order in which jobs took them."""

    classes: list[str] = field(default_factory=list, compare=False)
    """The item of the workload that each job is of."""

    def stays_ns(self, name: str = "") -> list[int]:
        """Return the time from submission until the end of each job of a class, or of all.

        Jobs that did not end are left out.
        """
        return [
            end - submit
            for submit, end, of in zip(
                self.submit, self.end, self.classes or [""] * len(self.submit), strict=True
            )
            if end >= 0 and name in ("", of)
        ]

    def nodes_of(self, job: int) -> array[int]:
        """Return the nodes that a job had."""
        return self.node[self.first[job] : self.first[job + 1]]


def with_stays(
    latencies: Mapping[str, Latency], queues: Iterable[QueueResult]
) -> Mapping[str, Latency]:
    """Return latencies with those of the jobs of queues as ``job``, if there are any."""
    stays = stays_of(queues)
    return {**latencies, "job": stays} if stays.count else latencies


def stays_of(queues: Iterable[QueueResult], name: str = "") -> Latency:
    """Return the times from submission until the end of jobs of a class, or of all."""
    stays = Latency()
    for queue in queues:
        for stay in queue.stays_ns(name):
            stays.add(stay)
    return stays
