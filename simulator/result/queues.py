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

    def nodes_of(self, job: int) -> array[int]:
        """Return the nodes that a job had."""
        return self.node[self.first[job] : self.first[job + 1]]
