"""Results of services: message servers by node, iterations of meshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.result.processes import spent_json


@dataclass(slots=True)
class ServiceResult:
    """Counters of a service on one node until the last process ended."""

    service: str
    """The service's name in the machine file."""
    kind: str
    counts: dict[str, int]


@dataclass(slots=True)
class MeshNodeResult:
    """Times of one process in the counted iterations of its mesh (all but the very first)."""

    process: str
    points: int
    counted_ns: int
    """Time in these iterations."""
    compute_ns: int
    communication_ns: int
    """Time of sending edges, locating ports, and waiting for edges."""
    spent: dict[str, tuple[int, int]]
    """Account category -> (waiting ns, service ns); only non-zero ones."""

    @property
    def computation_ns(self) -> int:
        """The counted time that is not communication: paging and interleaved servers included."""
        return self.counted_ns - self.communication_ns

    def accounted_ns(self) -> int:
        """Sum of the account; equal to the counted time."""
        return self.compute_ns + sum(wait + service for wait, service in self.spent.values())


@dataclass(slots=True)
class MeshResult:
    """The iterations of one mesh."""

    job: str
    points: int
    setup_ns: int
    """Start of its last process."""
    loop_ends_ns: tuple[int, ...]
    """Time at which the last process completed each iteration."""
    nodes: list[MeshNodeResult]

    @property
    def loop_ns(self) -> float:
        """Mean time from the end of an iteration to that of the next, including work in between.

        The first, in which ports are located, is excluded.
        """
        ends = self.loop_ends_ns
        return (ends[-1] - ends[0]) / (len(ends) - 1) if len(ends) > 1 else 0.0

    @property
    def inside_ns(self) -> float:
        """Mean time of a process in an iteration but the first, without work in between."""
        loops = (len(self.loop_ends_ns) - 1) * len(self.nodes)
        return sum(node.counted_ns for node in self.nodes) / loops if loops > 0 else 0.0

    @property
    def computation_share(self) -> float:
        """Fraction of the counted time that is not communication; 0 without any time.

        Waiting for pages, and for interleaved servers, counts as computation.
        """
        counted = sum(node.counted_ns for node in self.nodes)
        communication = sum(node.communication_ns for node in self.nodes)
        return (counted - communication) / counted if counted else 0.0


def mesh_json(mesh: MeshResult) -> dict[str, Any]:
    """Return the JSON record; times in ns."""
    return {
        "job": mesh.job,
        "points": mesh.points,
        "setup_ns": mesh.setup_ns,
        "loop_ns": round(mesh.loop_ns),
        "inside_ns": round(mesh.inside_ns),
        "computation_share": round(mesh.computation_share, 9),
        "loop_ends_ns": list(mesh.loop_ends_ns),
        "nodes": [
            {
                "process": node.process,
                "points": node.points,
                "counted_ns": node.counted_ns,
                "compute_ns": node.compute_ns,
                "communication_ns": node.communication_ns,
                "columns": spent_json(node.spent),
            }
            for node in mesh.nodes
        ],
    }
