"""Jobs that arrive: how long they take, and whether the machine can keep up with them.

The load of a job is the time in which the machine ends one of its arrivals when it is busy all the
time, over the time between two arrivals. It is found by the utilisation law, from what the run has
measured: of its processes, each of which serves one arrival at a time, and of devices. Where it is
1 or more, the queue grows for as long as jobs arrive, and the time that one takes depends on how
many there were.

Not known: the load of devices that jobs without arrivals use as well, of journals, which serve
several requests at a time, and of parts whose rate depends on the load. There only the processes
count, of which each keeps its arrival for longer, the longer it waits for a device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.kinds.traits import traits_of
from simulator.result.latency import Latency

if TYPE_CHECKING:
    from simulator.result.result import PartResult, ProcessResult, Result


@dataclass(frozen=True, slots=True)
class Arrived:
    """The arrivals of a job."""

    response: Latency
    """From an arrival to the end of what it asked for."""
    served_ns: int
    """Time in which its processes had an arrival, added up."""
    processes: int
    gap_ns: int
    """Mean time between two arrivals as the workload has it; 0 of given times."""
    device: str = ""
    """The device of the highest load,"""
    device_load: float = 0.0
    """and that load."""

    @property
    def waited_ns(self) -> int:
        """Time that arrivals have waited for a process, added up."""
        return self.response.sum_ns - self.served_ns

    @property
    def load(self) -> float | None:
        """Return the load; None where no mean time between arrivals is known."""
        if not self.gap_ns or not self.response.count:
            return None
        own = self.served_ns / (self.response.count * self.processes * self.gap_ns)
        return max(own, self.device_load)

    @property
    def stable(self) -> bool | None:
        """Return whether the machine keeps up; None if that is not known."""
        return None if self.load is None else self.load < 1

    @property
    def most_per_s(self) -> float | None:
        """Return the largest number of arrivals per second that it keeps up with."""
        return 1e9 / (self.gap_ns * self.load) if self.load else None

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs; times in ns."""
        return {
            "every_ns": self.gap_ns or None,
            "load": None if self.load is None else round(self.load, 9),
            "stable": self.stable,
            "most_per_s": None if self.most_per_s is None else round(self.most_per_s, 6),
            "waited_ns": self.waited_ns,
            "response": self.response.to_json(),
        }


def arrived(result: Result, processes: list[ProcessResult], job: str) -> Arrived:
    """Return the arrivals of a job, which these processes have served."""
    served = sum(one.elapsed_ns - one.idle_ns for one in processes)
    loads = loads_of(result)
    device = max(loads, key=lambda name: loads[name], default="")
    gap = result.gaps_ns.get(job, 0)
    response = result.responses[job]
    return Arrived(response, served, len(processes), gap, device, loads.get(device, 0.0))


def loads_of(result: Result) -> dict[str, float]:
    """Return the load of each device, if all jobs arrive: its busy time over that of arrivals."""
    if any(one.job not in result.responses for one in result.masters()):
        return {}
    gaps = {name: result.gaps_ns.get(name, 0) for name in result.responses}
    span = max((gap * result.responses[name].count for name, gap in gaps.items()), default=0)
    if not span or not all(gaps.values()):
        return {}
    return {
        name: one.busy_ns / (one.servers * span)
        for name, one in result.parts.items()
        if _known(one)
    }


def _known(one: PartResult) -> bool:
    """Whether the busy time of a part is what requests need, however many there are."""
    if one.active_ns is not None:
        return abs(one.active_ns - one.busy_ns) <= 0.001 * one.busy_ns
    kind = traits_of(one.kind)
    return kind.order == "queue" or kind.medium
