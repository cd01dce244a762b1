"""What a run of a message-passing machine gives: the time of a loop, and where it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

COMPUTING, PAGING = "computing", "paging"
SENDING, LOCATING, AWAITING = "sending", "locating ports", "awaiting edges"
COMPUTATION = (COMPUTING, PAGING)
"""The parts of the account that are computation; the others are communication."""


@dataclass(frozen=True, slots=True)
class NodeResult:
    """What one node did in the counted loops (all but the first)."""

    node: int
    points: int
    elapsed_ns: int
    parts: dict[str, tuple[int, int]]
    """Part of the account -> (waiting ns, work ns). While computing or sending, waiting is for
    the node's own servers."""
    polls: int
    found: int
    """Messages that polls have found, in the whole run."""
    unfound_ns: int
    """Time that these lay there."""
    server_ns: int
    """Processor time of the node's servers, in the whole run."""

    def spent(self, *parts: str) -> int:
        """Time in these parts of the account."""
        return sum(sum(self.parts.get(part, (0, 0))) for part in parts)

    @property
    def computation_ns(self) -> int:
        """Time for computing, paging and servers in between included."""
        return self.spent(*COMPUTATION)

    @property
    def communication_ns(self) -> int:
        """All the rest."""
        return self.spent(*self.parts.keys() - set(COMPUTATION))


@dataclass(frozen=True, slots=True)
class MeshResult:
    """The outcome of one run."""

    machine: str
    workload: str
    engine: str
    seed: int
    run: int
    digest: str
    points: int
    setup_ns: int
    """Until all processes are made and have begun."""
    loop_ends_ns: tuple[int, ...]
    """When the last node was through each loop."""
    nodes: tuple[NodeResult, ...]
    counts: dict[str, int]
    """Messages sent, arrived and delivered, and bytes on the network, in the whole run."""
    link_busy_ns: int
    events: int

    @property
    def loop_ns(self) -> float:
        """Mean time of a loop; the first, in which ports are located, does not count."""
        return (self.loop_ends_ns[-1] - self.loop_ends_ns[0]) / (len(self.loop_ends_ns) - 1)

    @property
    def computation_share(self) -> float:
        """The part of the nodes' time that is computation; 0 if there was no time at all."""
        elapsed = sum(one.elapsed_ns for one in self.nodes)
        return sum(one.computation_ns for one in self.nodes) / elapsed if elapsed else 0.0

    @property
    def detection_ns(self) -> float:
        """Mean time that a message lay there until a poll found it; 0 if there was none."""
        found = sum(one.found for one in self.nodes)
        return sum(one.unfound_ns for one in self.nodes) / found if found else 0.0

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        return {
            "machine": self.machine,
            "workload": self.workload,
            "engine": self.engine,
            "seed": self.seed,
            "run": self.run,
            "digest": self.digest,
            "points": self.points,
            "loop_ns": round(self.loop_ns),
            "setup_ns": self.setup_ns,
            "loop_ends_ns": list(self.loop_ends_ns),
            "computation_share": round(self.computation_share, 9),
            "detection_ns": round(self.detection_ns),
            "nodes": [_node_json(one) for one in self.nodes],
            "counts": dict(self.counts),
            "link_busy_ns": self.link_busy_ns,
            "events": self.events,
        }


def _node_json(node: NodeResult) -> dict[str, Any]:
    return {
        "node": node.node,
        "points": node.points,
        "elapsed_ns": node.elapsed_ns,
        "computation_ns": node.computation_ns,
        "communication_ns": node.communication_ns,
        "parts": {
            part: {"wait_ns": wait, "work_ns": work}
            for part, (wait, work) in sorted(node.parts.items())
        },
        "polls": node.polls,
        "found": node.found,
        "unfound_ns": node.unfound_ns,
        "server_ns": node.server_ns,
    }
