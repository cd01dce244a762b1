"""Results of numerical servers: every call, every server, every link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from simulator.result.processes import spent_json

STEPS = ("elapsed", "response", "waiting", "communication", "compute")
"""Reported time intervals of a call; all but the first add up to it."""


@dataclass(slots=True)
class NumericalCall:
    """One call, with the end times of its steps (ns)."""

    process: str
    """Process that made it."""
    job: str
    """Job of that process."""
    server: str
    operations: int
    bytes: int
    submitted_ns: int
    accepted_ns: int = 0
    """Time at which the server has accepted it."""
    started_ns: int = 0
    """Start of its program."""
    received_ns: int = 0
    """Time at which its data are received and converted."""
    computing_ns: int = 0
    """Start of computing: later than ``received_ns`` where calls queue."""
    computed_ns: int = 0
    ended_ns: int = -1

    @property
    def elapsed_ns(self) -> int:
        """Elapsed time for the caller."""
        return self.ended_ns - self.submitted_ns

    @property
    def response_ns(self) -> int:
        """Time until the server has accepted it."""
        return self.accepted_ns - self.submitted_ns

    @property
    def waiting_ns(self) -> int:
        """Time from acceptance to the start of its program, and in the queue for computing."""
        return self.started_ns - self.accepted_ns + self.computing_ns - self.received_ns

    @property
    def communication_ns(self) -> int:
        """Time of conversion and transfer, both ways."""
        return self.received_ns - self.started_ns + self.ended_ns - self.computed_ns

    @property
    def compute_ns(self) -> int:
        """Time from its first operation to its last."""
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
    """Counters of one server at the sampling time."""

    pes: int
    calls: int
    """Completed calls."""
    used_ns: int
    """PE time used."""
    load_mean: float
    """Mean of the load averages sampled every 5 s."""
    load_peak: float
    runnable_mean: float
    """Runnable threads, averaged over time."""
    loads: tuple[float, ...]
    """Load average at 5 s, 10 s, ..."""


@dataclass(slots=True)
class LinkResult:
    """Traffic of one link until the sampling time, transfers under way included."""

    rate: float
    """Bytes per second."""
    bytes: float


@dataclass(slots=True)
class NumericalResult:
    """All numerical calls of a run, their servers and links."""

    stock_ns: int
    """Sampling time: the end of the interval in which calls are started."""
    calls: list[NumericalCall]
    servers: dict[str, ServerResult]
    links: dict[str, LinkResult]
    """By name of the instance; those on routes of callers."""
    beside: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Accounts of calls that ran concurrently with their processes: category -> (waiting ns,
    service ns)."""

    @property
    def end_ns(self) -> int:
        """End of the last call; the sampling time without any."""
        return max((one.ended_ns for one in self.calls), default=self.stock_ns)

    def of(self, job: str | None = None, server: str | None = None) -> list[NumericalCall]:
        """Return the calls of one job, or all; of one server, or all."""
        return [
            one
            for one in self.calls
            if (job is None or one.job == job) and (server is None or one.server == server)
        ]

    def mean_rate(self, job: str | None = None) -> float:
        """Return the mean rate of calls in operations per second: per process, then over these."""
        rates: dict[str, list[float]] = {}
        for call in self.of(job):
            rates.setdefault(call.process, []).append(call.rate)
        return fmean(map(fmean, rates.values())) if rates else 0.0

    def mean_throughput(self, job: str | None = None) -> float:
        """Return the mean throughput of calls' communication in bytes per second."""
        calls = self.of(job)
        return fmean(one.throughput for one in calls) if calls else 0.0

    def mean_s(self, what: Callable[[NumericalCall], int], job: str | None = None) -> float:
        """Return the mean of a time of the calls, in seconds."""
        calls = self.of(job)
        return fmean(what(one) for one in calls) / 1e9 if calls else 0.0

    def step_s(self, step: str, job: str | None = None) -> float:
        """Return the mean of one of :data:`STEPS`, in seconds."""
        return self.mean_s(lambda call: int(getattr(call, f"{step}_ns")), job)

    def utilisation(self, server: str) -> float:
        """Return the PE time used over that of all PEs."""
        one = self.servers[server]
        return one.used_ns / (one.pes * self.stock_ns) if self.stock_ns else 0.0

    def link_utilisation(self, link: str) -> float:
        """Return the traffic of a link over its capacity."""
        one = self.links[link]
        return one.bytes * 1e9 / (one.rate * self.stock_ns) if self.stock_ns else 0.0

    def served_rate(self) -> float:
        """Operations per second of all calls together, until the last one ended."""
        return sum(one.operations for one in self.calls) * 1e9 / self.end_ns if self.calls else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON record."""
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
