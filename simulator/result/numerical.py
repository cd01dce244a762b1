"""Results of numerical servers: every call, every server, every link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from simulator.result.processes import spent_json

STEPS = ("elapsed", "response", "waiting", "communication", "compute")
"""The times of a call that reports give; all but the first add up to it."""


@dataclass(slots=True)
class NumericalCall:
    """One call, by the times at which its steps ended (ns)."""

    process: str
    """The process that made it,"""
    job: str
    """and its job."""
    server: str
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
        """From the caller's point of view."""
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
        """Operations per second of the whole call."""
        return self.operations * 1e9 / self.elapsed_ns if self.elapsed_ns else 0.0

    @property
    def throughput(self) -> float:
        """Bytes per second of its communication."""
        return self.bytes * 1e9 / self.communication_ns if self.communication_ns else 0.0


@dataclass(slots=True)
class ServerResult:
    """Counters of one server when stock was taken."""

    pes: int
    calls: int
    """That had ended."""
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
    """Traffic of one link until stock was taken, transfers under way included."""

    rate: float
    """Bytes per second."""
    bytes: float


@dataclass(slots=True)
class NumericalResult:
    """All numerical calls of a run, their servers and links."""

    stock_ns: int
    """Time of the stock: the end of the time in which calls are started."""
    calls: list[NumericalCall]
    servers: dict[str, ServerResult]
    links: dict[str, LinkResult]
    """By the name of the instance; those that callers can use."""
    beside: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The accounts of calls that ran beside their processes: column -> (waiting ns, service ns)."""

    @property
    def end_ns(self) -> int:
        """When the last call ended; the time of the stock without any."""
        return max((one.ended_ns for one in self.calls), default=self.stock_ns)

    def of(self, job: str | None = None, server: str | None = None) -> list[NumericalCall]:
        """Return the calls of one job, or all; of one server, or all."""
        return [
            one
            for one in self.calls
            if (job is None or one.job == job) and (server is None or one.server == server)
        ]

    def mean_rate(self, job: str | None = None) -> float:
        """Operations per second of a call: averaged over its process's calls, then over these."""
        rates: dict[str, list[float]] = {}
        for call in self.of(job):
            rates.setdefault(call.process, []).append(call.rate)
        return fmean(map(fmean, rates.values())) if rates else 0.0

    def mean_throughput(self, job: str | None = None) -> float:
        """Bytes per second of a call's communication, averaged over calls."""
        calls = self.of(job)
        return fmean(one.throughput for one in calls) if calls else 0.0

    def mean_s(self, what: Callable[[NumericalCall], int], job: str | None = None) -> float:
        """Mean of a time of the calls, in seconds."""
        calls = self.of(job)
        return fmean(what(one) for one in calls) / 1e9 if calls else 0.0

    def step_s(self, step: str, job: str | None = None) -> float:
        """Mean of one of :data:`STEPS`, in seconds."""
        return self.mean_s(lambda call: int(getattr(call, f"{step}_ns")), job)

    def utilisation(self, server: str) -> float:
        """Used PE time over that of all PEs."""
        one = self.servers[server]
        return one.used_ns / (one.pes * self.stock_ns) if self.stock_ns else 0.0

    def link_utilisation(self, link: str) -> float:
        """Return the traffic of a link over the most that it could have had."""
        one = self.links[link]
        return one.bytes * 1e9 / (one.rate * self.stock_ns) if self.stock_ns else 0.0

    def served_rate(self) -> float:
        """Operations per second of all calls together, until the last one ended."""
        return sum(one.operations for one in self.calls) * 1e9 / self.end_ns if self.calls else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs."""
        jobs = dict.fromkeys(one.job for one in self.calls)
        return {
            "stock_ns": self.stock_ns,
            "end_ns": self.end_ns,
            "jobs": {name: self._job(name) for name in jobs},
            "servers": {name: self._server(name) for name in self.servers},
            "links": {name: self._link(name) for name in self.links},
            "beside": spent_json(self.beside),
        }

    def _job(self, name: str) -> dict[str, Any]:
        calls = self.of(name)
        return {
            "callers": len({one.process for one in calls}),
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
