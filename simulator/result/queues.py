"""What became of the jobs of a queue."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field


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
            for submit, end, of in zip(self.submit, self.end, self.classes, strict=True)
            if end >= 0 and name in ("", of)
        ]

    def nodes_of(self, job: int) -> array[int]:
        """Return the nodes that a job had."""
        return self.node[self.first[job] : self.first[job + 1]]
