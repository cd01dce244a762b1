"""Closed forms of queueing theory, and confidence intervals for what simulations give."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from simulator.plan.codes import OPERATIONS

BATCHES = 20
T_19 = 3.883
"""Student's t of 19 degrees of freedom at 99.9 %, two-sided."""


class Interval(NamedTuple):
    """A mean with half the width of its 99.9 % confidence interval."""

    mean: float
    half: float

    def agrees(self, expected: float, within: float) -> bool:
        """Whether the interval holds the expected mean, and is narrower than a part of it."""
        return abs(self.mean - expected) <= self.half <= within * expected


def batch_means(values: Sequence[float]) -> Interval:
    """Return the mean of a stationary sequence by 20 batches; the first batch's worth is left out.

    >>> batch_means([1.0] * 42)
    Interval(mean=1.0, half=0.0)
    """
    size = len(values) // (BATCHES + 1)
    kept = values[len(values) - BATCHES * size :]
    means = [math.fsum(kept[i * size : (i + 1) * size]) / size for i in range(BATCHES)]
    mean = math.fsum(means) / BATCHES
    variance = math.fsum((one - mean) ** 2 for one in means) / (BATCHES - 1)
    return Interval(mean, T_19 * math.sqrt(variance / BATCHES))


def mm1(service: float, load: float) -> float:
    """Mean sojourn of M/M/1, and of M/G/1 with processor sharing."""
    return service / (1 - load)


def md1(service: float, load: float) -> float:
    """Mean sojourn of M/D/1 (Pollaczek and Khinchine)."""
    return service + service * load / (2 * (1 - load))


def mmc(service: float, load: float, servers: int) -> float:
    """Mean sojourn of M/M/c by Erlang's C; ``load`` is that of one server.

    >>> round(mmc(1.0, 0.5, 1), 6), round(mmc(1.0, 0.5, 2), 6)
    (2.0, 1.333333)
    """
    offered = load * servers
    terms = [offered**k / math.factorial(k) for k in range(servers)]
    last = offered**servers / math.factorial(servers) / (1 - load)
    waits = last / (math.fsum(terms) + last)
    return service + waits * service / (servers * (1 - load))


def closed_mva(demand: Sequence[float], think: float, clients: int) -> float:
    """Throughput of a closed network of queues with exponential services (mean value analysis)."""
    queues = [0.0] * len(demand)
    throughput = 0.0
    for n in range(1, clients + 1):
        times = [d * (1 + q) for d, q in zip(demand, queues, strict=True)]
        throughput = n / (think + math.fsum(times))
        queues = [throughput * t for t in times]
    return throughput


class NaiveLru:
    """An LRU too simple to be wrong: a list, newest last."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.order: list[Any] = []

    def touch(self, block: Any) -> bool:
        """Use a block; returns whether it was there."""
        hit = block in self.order
        self.order = ([one for one in self.order if one != block] + [block])[-self.slots :]
        return hit


def sojourns(calls: Any, operation: str = "write") -> list[float]:
    """Return end minus begin of the calls of an operation, in the order of their begins."""
    rows = sorted(zip(calls.begin, calls.end, calls.kind, strict=True))
    kind = OPERATIONS.index(operation)
    return [end - begin for begin, end, one in rows if one == kind]


Formula = Callable[[float, float], float]
