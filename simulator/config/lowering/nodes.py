"""On which node each process of a workload runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.config.jobs import Job
    from simulator.config.machine_file import Machine


@dataclass(frozen=True)
class Placed:
    """Where the processes of a job run."""

    group: int
    members: list[int]
    """The first node of each process."""
    shared: bool = False
    """More processes are on a node than the job asks for."""


class Nodes:
    """Deals out the nodes of a machine to jobs, in their order."""

    def __init__(self, machine: Machine) -> None:
        self._tables = machine.tables
        self._next: dict[int, int] = {}
        self._first = next(iter(machine.nodes))

    def place(self, job: Job) -> Placed:
        """Return where the processes of a job run.

        Processes follow each other on the nodes of their group, ``per_node`` on each; where it is
        left out they begin again at the first node after the last.
        """
        group = self._tables.group_of[job.on or self._first]
        count = self._tables.groups[group].count
        first = job.first_node if job.first_node is not None else self._next.get(group, 0)
        each = job.per_node or 1
        nodes = [first + rank // each * job.nodes for rank in range(job.ranks)]
        last = nodes[-1] + job.nodes if nodes else first
        self._next[group] = max(self._next.get(group, 0), last)
        shared = last > count
        return Placed(group, [node % count for node in nodes], shared)
