"""What a run of numerical servers gives: every call, every server, every link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

STEPS = ("elapsed", "response", "waiting", "communication", "compute")
"""The times of a call that reports give; all but the first add up to it."""


@dataclass(slots=True)
class Call:
    """One call, by the times at which its steps ended (ns)."""

    caller: int
    server: int
    group: str
    operations: int
    bytes: int
    submitted_ns: int
    accepted_ns: int = 0
    """The server has taken it in."""
    started_ns: int = 0
    """Its program runs."""
    received_ns: int = 0
    """Its data are there and converted."""
    computing_ns: int = 0
    """It may compute: later than ``received_ns`` where calls queue."""
    computed_ns: int = 0
    ended_ns: int = -1

    @property
    def elapsed_ns(self) -> int:
        """From the client's point of view."""
        return self.ended_ns - self.submitted_ns

    @property
    def response_ns(self) -> int:
        """Until the server has taken it in."""
        return self.accepted_ns - self.submitted_ns

    @property
    def waiting_ns(self) -> int:
        """From then until its program runs, and in the queue for computing if there is one."""
        return self.started_ns - self.accepted_ns + self.computing_ns - self.received_ns

    @property
    def communication_ns(self) -> int:
        """Conversion and transfer, both ways."""
        return self.received_ns - self.started_ns + self.ended_ns - self.computed_ns

    @property
    def compute_ns(self) -> int:
        """From its first operation to its last."""
        return self.computed_ns - self.computing_ns

    @property
    def rate(self) -> float:
        """Operations per second of the whole call, as the paper counts."""
        return self.operations * 1e9 / self.elapsed_ns

    @property
    def throughput(self) -> float:
        """Bytes per second of its communication."""
        return self.bytes * 1e9 / self.communication_ns if self.communication_ns else 0.0


@dataclass(slots=True)
class ServerResult:
    """What one server did while calls were started."""

    pes: int
    calls: int
    used_ns: int
    """PE time."""
    load_mean: float
    """Of the load averages seen every 5 s."""
    load_peak: float
    runnable_mean: float
    """Threads that ran or could, averaged over time."""
    loads: tuple[float, ...]
    """The load average at 5 s, 10 s, ..."""


@dataclass(slots=True)
class LinkResult:
    """What one link carried while calls were started."""

    rate: float
    bytes: float


@dataclass(slots=True)
class CallsResult:
    """The outcome of one run."""

    machine: str
    workload: str
    seed: int
    run: int
    digest: str
    duration_ns: int
    """While calls were started."""
    end_ns: int
    """When the last one ended."""
    callers: tuple[str, ...]
    calls: list[Call]
    servers: dict[str, ServerResult]
    links: dict[str, LinkResult]
    parts: dict[str, tuple[int, int]]
    """Part -> (waiting ns, service ns) of all calls; the sum is that of their elapsed times.

    Service is what the call would have taken there alone, waiting what sharing added."""
    engine: str = "reference"

    def of(self, group: str | None = None, server: int | None = None) -> list[Call]:
        """The calls of one group of clients, or all; of one server, or all."""
        return [
            one
            for one in self.calls
            if (group is None or one.group == group) and (server is None or one.server == server)
        ]

    def mean_rate(self, group: str | None = None) -> float:
        """Operations per second of a call: averaged over its client's calls, then over clients."""
        rates: dict[int, list[float]] = {}
        for call in self.of(group):
            rates.setdefault(call.caller, []).append(call.rate)
        return fmean(map(fmean, rates.values())) if rates else 0.0

    def mean_throughput(self, group: str | None = None) -> float:
        """Bytes per second of a call's communication, averaged over calls."""
        return _mean(self.of(group), lambda one: one.throughput)

    def mean_s(self, what: Callable[[Call], int], group: str | None = None) -> float:
        """Mean of a time of the calls, in seconds."""
        calls = self.of(group)
        return fmean(what(one) for one in calls) / 1e9 if calls else 0.0

    def step_s(self, step: str, group: str | None = None) -> float:
        """Mean of one of :data:`STEPS`, in seconds."""
        return self.mean_s(lambda call: int(getattr(call, f"{step}_ns")), group)

    def utilisation(self, server: str) -> float:
        """Used PE time over that of all PEs."""
        one = self.servers[server]
        return one.used_ns / (one.pes * self.duration_ns)

    def link_utilisation(self, link: str) -> float:
        """What a link carried over what it could have."""
        one = self.links[link]
        return one.bytes * 1e9 / (one.rate * self.duration_ns)

    def served_rate(self) -> float:
        """Operations per second of all calls together, until the last one ended."""
        return sum(one.operations for one in self.calls) * 1e9 / self.end_ns if self.calls else 0.0

    def to_json(self) -> dict[str, Any]:
        """The record for programs."""
        groups = dict.fromkeys(one.group for one in self.calls)
        return {
            "machine": self.machine,
            "workload": self.workload,
            "engine": self.engine,
            "seed": self.seed,
            "run": self.run,
            "digest": self.digest,
            "duration_ns": self.duration_ns,
            "end_ns": self.end_ns,
            "groups": {name: self._group(name) for name in groups},
            "servers": {name: self._server(name) for name in self.servers},
            "links": {name: self._link(name) for name in self.links},
            "where": {
                name: {"wait_ns": wait, "service_ns": service}
                for name, (wait, service) in self.parts.items()
            },
        }

    def _group(self, name: str) -> dict[str, Any]:
        calls = self.of(name)
        return {
            "clients": len({one.caller for one in calls}),
            "calls": len(calls),
            "rate_Mops": round(self.mean_rate(name) / 1e6, 6),
            "throughput_MBps": round(self.mean_throughput(name) / 1e6, 6),
            **{f"{step}_s": round(self.step_s(step, name), 9) for step in STEPS},
        }

    def _server(self, name: str) -> dict[str, Any]:
        one = self.servers[name]
        return {
            "pes": one.pes,
            "calls": one.calls,
            "utilisation": round(self.utilisation(name), 6),
            "load_mean": round(one.load_mean, 6),
            "load_peak": round(one.load_peak, 6),
            "runnable_mean": round(one.runnable_mean, 6),
        }

    def _link(self, name: str) -> dict[str, Any]:
        one = self.links[name]
        return {
            "rate_MBps": round(one.rate / 1e6, 6),
            "bytes": round(one.bytes),
            "utilisation": round(self.link_utilisation(name), 6),
        }


def _mean(calls: Sequence[Call], what: Callable[[Call], float]) -> float:
    return fmean(map(what, calls)) if calls else 0.0
