"""Oracles: what queueing theory says of the simulator's own parts, and what they do.

A simulated mean is allowed 4.5 of its standard errors, from batch means; that is never more
than a few per cent of it. What theory gives exactly is compared exactly, up to the rounding
to whole nanoseconds or to whole units. Seeds are fixed: the rows are the same on every run.

The numbers O1, O2, ... are those of the project's list of oracles; the ones it lacks here are
about parts that the simulator does not have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.machine.disk import DiskSpec
from simulator.machine.ssu import SsuSpec
from simulator.study.oracle_runs import (
    Times,
    cache_hits,
    closed_cycles,
    disk_services,
    disk_waits,
    fair_sojourns,
    joins,
    losses,
    open_waits,
    pipeline_ns,
    station,
    tandem_sojourns,
    write_behind_ns,
)

MS = 1_000_000
"""Nanoseconds of a millisecond."""
MB = 1_000_000
SIGMAS = 4.5
BATCHES = 40


@dataclass(frozen=True, slots=True)
class OracleRow:
    """One figure, from theory and from the simulator."""

    id: str
    name: str
    expected: float
    simulated: float
    tolerance: float
    """How far they may be apart."""

    @property
    def ok(self) -> bool:
        """Whether the simulator agrees with theory."""
        return abs(self.simulated - self.expected) <= self.tolerance


def run_oracles(quick: bool = False) -> list[OracleRow]:
    """All rows; ``quick`` takes a tenth of the samples, and so three times the tolerance."""
    some = _Samples(10 if quick else 1)
    groups = (
        _single_queues(some),
        _disk_queue(some),
        _many_servers(some),
        _shared_link(some),
        _finite(some),
        _closed(some),
        _networks(some),
        _pipeline(),
        _caches(some),
        _mechanics(some),
        _write_behind(),
    )
    return [row for group in groups for row in group]


class _Samples:
    """Seeded samples in ns; each call draws from a stream of its own."""

    def __init__(self, divisor: int) -> None:
        self._divisor = divisor
        self._seeds = np.random.SeedSequence(1998)

    def count(self, count: int) -> int:
        return count // self._divisor

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self._seeds.spawn(1)[0])

    def exponential(self, mean_ms: float, count: int) -> Times:
        drawn = self.generator().exponential(mean_ms * MS, self.count(count))
        return np.rint(drawn).astype(np.int64)

    def fixed(self, ms: float, count: int) -> Times:
        return np.full(self.count(count), round(ms * MS), dtype=np.int64)

    def uniform(self, below: int, count: int) -> Times:
        return self.generator().integers(0, below, self.count(count))

    def chance(self, probability: float, count: int) -> NDArray[np.bool_]:
        return self.generator().random(self.count(count)) < probability


def batch_error(values: NDArray[np.float64]) -> float:
    """Standard error of the mean of a correlated series, from the means of its batches."""
    size = len(values) // BATCHES
    means = values[: size * BATCHES].reshape(BATCHES, size).mean(axis=1)
    return float(means.std(ddof=1)) / math.sqrt(BATCHES)


def _mean(
    id_: str, name: str, expected: float, values: Times | NDArray[np.float64], unit: float = 1.0
) -> OracleRow:
    """A row for a mean; the first hundredth of a series is left out, as the system filled."""
    settled = values[len(values) // 100 :] / unit
    return OracleRow(id_, name, expected, float(settled.mean()), SIGMAS * batch_error(settled))


# -- open systems -----------------------------------------------------------------------------


def _single_queues(some: _Samples) -> Iterator[OracleRow]:
    count, load = 2_000_000, 0.8
    waits = open_waits(station(), some.exponential(1 / load, count), some.exponential(1, count))
    yield _mean("O1", "M/M/1, load 0.8: mean wait, ms", load / (1 - load), waits, MS)
    yield _mean("O1", "M/M/1, load 0.8: share that does not wait", 1 - load, 1 * (waits == 0))
    waits = open_waits(station(), some.exponential(1 / load, count), some.fixed(1, count))
    yield _mean("O2", "M/D/1, load 0.8: mean wait, ms", load / (2 * (1 - load)), waits, MS)
    waits = open_waits(station(), some.fixed(1 / load, count), some.exponential(1, count))
    root = d_m_1_root(load)
    yield _mean("O20", "D/M/1, load 0.8: mean wait, ms", root / (1 - root), waits, MS)


def d_m_1_root(load: float) -> float:
    """The root below 1 of s = exp(-(1 - s) / load), by iteration.

    >>> round(d_m_1_root(0.8), 6)
    0.62863
    """
    root = 0.5
    for _ in range(500):
        root = math.exp(-(1 - root) / load)
    return root


def _disk_queue(some: _Samples) -> Iterator[OracleRow]:
    """M/G/1 at a disk: 1 ms if a request continues the one before, 11 ms if it does not."""
    count, miss = 2_000_000, 0.1
    spec = DiskSpec(rate=1e9, seek_ns=10 * MS)
    gaps, jumps = some.exponential(4, count), some.chance(miss, count)
    waits = disk_waits(gaps, jumps.tolist(), spec, MS)
    second_moment = (1 - miss) * 1**2 + miss * 11**2
    expected = 0.25 * second_moment / (2 * (1 - 0.5))
    yield _mean("O4", "M/G/1, seeks at a disk: mean wait, ms", expected, waits, MS)


def erlang_c(servers: int, offered: float) -> float:
    """Probability that a request waits in M/M/c.

    >>> round(erlang_c(4, 3.2), 6)
    0.596432
    """
    blocked = erlang_b(servers, offered)
    return servers * blocked / (servers - offered * (1 - blocked))


def erlang_b(servers: int, offered: float) -> float:
    """Probability that a request is lost in M/G/c/c.

    >>> round(erlang_b(4, 3), 6)
    0.206107
    """
    blocked = 1.0
    for k in range(1, servers + 1):
        blocked = offered * blocked / (k + offered * blocked)
    return blocked


def _many_servers(some: _Samples) -> Iterator[OracleRow]:
    count, servers, offered = 3_000_000, 4, 3.2
    gaps, sizes = some.exponential(1 / offered, count), some.exponential(1, count)
    waits = open_waits(station(servers=servers), gaps, sizes)
    waiting = erlang_c(servers, offered)
    yield _mean("O3", "M/M/4, load 0.8: share that waits", waiting, 1 * (waits > 0))
    yield _mean("O3", "M/M/4, load 0.8: mean wait, ms", waiting / (servers - offered), waits, MS)


def _shared_link(some: _Samples) -> Iterator[OracleRow]:
    """M/G/1 with processor sharing: a transfer takes in the mean its size over what is left."""
    count, load = 400_000, 0.5
    gaps, long = some.exponential(4, count), some.chance(0.1, count)
    times = fair_sojourns(gaps, np.where(long, 11 * MS, MS))
    yield _mean("O5", "M/G/1, fair link: mean time, ms", 2 / (1 - load), times, MS)
    yield _mean("O5", "M/G/1, fair link: mean of the short, ms", 1 / (1 - load), times[~long], MS)
    yield _mean("O5", "M/G/1, fair link: mean of the long, ms", 11 / (1 - load), times[long], MS)


def _finite(some: _Samples) -> Iterator[OracleRow]:
    count, room = 1_000_000, 5
    gaps, sizes = some.exponential(1 / 0.8, count), some.exponential(1, count)
    lost = (1 - 0.8) * 0.8**room / (1 - 0.8 ** (room + 1))
    yield _mean("O6", "M/M/1/5, load 0.8: share lost", lost, losses(1, room, gaps, sizes))
    gaps, sizes = some.exponential(1, count), some.exponential(1, count)
    yield _mean("O6", "M/M/1/5, load 1: share lost", 1 / (room + 1), losses(1, room, gaps, sizes))
    gaps, sizes = some.exponential(1 / 3, count), some.exponential(1, count)
    yield _mean("O7", "M/M/4/4, 3 erlang: share lost", erlang_b(4, 3), losses(4, 4, gaps, sizes))
    gaps, sizes = some.exponential(1 / 3, count), some.fixed(1, count)
    yield _mean("O7", "M/D/4/4, 3 erlang: share lost", erlang_b(4, 3), losses(4, 4, gaps, sizes))


# -- closed systems and networks --------------------------------------------------------------


def mean_values(demands: Sequence[float], think: float, clients: int) -> tuple[float, float]:
    """Throughput and response of a closed network, by exact mean value analysis.

    >>> throughput, response = mean_values([5, 20], 100, 8)
    >>> round(throughput * 1000, 4), round(response, 3)
    (45.69, 75.093)
    """
    queues = [0.0] * len(demands)
    throughput = response = 0.0
    for present in range(1, clients + 1):
        responses = [demand * (1 + queue) for demand, queue in zip(demands, queues, strict=True)]
        response = sum(responses)
        throughput = present / (think + response)
        queues = [throughput * one for one in responses]
    return throughput, response


def _closed(some: _Samples) -> Iterator[OracleRow]:
    cases = (("O8", (5, 20), 4), ("O8", (5, 20), 8), ("O8", (5, 20), 16), ("O10", (50,), 4))
    for id_, demands, clients in cases:
        count = 200_000 // clients
        ends, responses = closed_cycles(
            [station(f"station{i}") for i in range(len(demands))],
            [some.exponential(100, count) for _ in range(clients)],
            [[some.exponential(one, count) for one in demands] for _ in range(clients)],
        )
        throughput, response = mean_values(demands, 100, clients)
        what = "finite source" if len(demands) == 1 else "closed network"
        between = np.diff(ends, prepend=0)
        # The inverse is the mean of something: a row for the time between two ends of cycles.
        name = f"{what}, {clients} clients: time of one cycle of any, ms"
        yield _mean(id_, name, 1 / throughput, between, MS)
        yield _mean(id_, f"{what}, {clients} clients: response, ms", response, responses, MS)


def _networks(some: _Samples) -> Iterator[OracleRow]:
    count = 800_000
    gaps, first = some.exponential(2, count), some.exponential(1, count)
    times = tandem_sojourns(gaps, first, some.exponential(1 / 0.8, count))
    expected = 1 / (1 - 0.5) + 1 / (0.8 - 0.5)
    yield _mean("O11", "two stations in tandem: time in both, ms", expected, times, MS)
    drawn = some.exponential(1, 8 * 60_000).reshape(-1, 8)
    expected = sum(1 / k for k in range(1, 9))
    yield _mean("O12", "8 pieces at once: time of the last, ms", expected, joins(drawn), MS)


def _pipeline() -> Iterator[OracleRow]:
    chunks, size, rates = 64, 8 * MB, (421e6, 36e6)
    expected = sum(size / rate for rate in rates) + (chunks - 1) * size / min(rates)
    # Each of the 65 services on the way of the last chunk is rounded to a whole nanosecond.
    tolerance = (chunks + 1) * 0.5e-9
    simulated = pipeline_ns(chunks, size, rates) / 1e9
    yield OracleRow("O13", "pipeline of 64 chunks of 8 MB, s", expected, simulated, tolerance)


# -- caches and disks -------------------------------------------------------------------------


def che(weights: NDArray[np.float64], slots: int) -> float:
    """Hit ratio of an LRU with independent references, in Che's approximation.

    >>> round(che(np.arange(1, 1001) ** -0.8, 100), 5)
    0.37779
    """
    chances = weights / weights.sum()
    low, high = 0.0, 1e9
    for _ in range(200):
        middle = (low + high) / 2
        if -np.expm1(-chances * middle).sum() < slots:
            low = middle
        else:
            high = middle
    return float((chances * -np.expm1(-chances * low)).sum())


def _caches(some: _Samples) -> Iterator[OracleRow]:
    pages, count = 1000, 300_000
    hits = cache_hits(250, some.uniform(pages, count).tolist())
    yield _mean("O15", "LRU, uniform, 250 of 1000 pages: hits", 0.25, hits)
    cycle = list(range(pages)) * 10
    hits = cache_hits(pages - 1, cycle)
    yield OracleRow("O15", "LRU, cycle of 1000 pages, 999 fit: hits", 0, int(hits.sum()), 0)
    hits = cache_hits(pages, cycle)
    yield OracleRow(
        "O15", "LRU, cycle of 1000 pages, all fit: misses", pages, int((1 - hits).sum()), 0
    )
    weights = np.arange(1, pages + 1, dtype=np.float64) ** -0.8
    drawn = some.generator().choice(pages, some.count(count), p=weights / weights.sum())
    row = _mean(
        "O15",
        "LRU, Zipf 0.8, 100 of 1000 pages: hits",
        che(weights, 100),
        cache_hits(100, drawn.tolist()),
    )
    # Che's formula is itself an approximation, good to a per cent.
    tolerance = max(row.tolerance, 0.01 * row.expected)
    yield OracleRow(row.id, row.name, row.expected, row.simulated, tolerance)


def _mechanics(some: _Samples) -> Iterator[OracleRow]:
    count, turn, far = 100_000, 8_333_333, 30 * MS
    places = (2 * some.uniform(10**9, count)).tolist()
    spec = DiskSpec(rate=math.inf, turn_ns=turn, rotation_drawn=True)
    latency = disk_services(spec, places)
    yield _mean("O17", "rotational latency at 7200 rpm, ms", turn / 2 / MS, latency, MS)
    spec = DiskSpec(rate=math.inf, capacity=2 * 10**9, full_seek_ns=far)
    seeks = disk_services(spec, places)
    yield _mean("O17", "seek between random places, share of the whole", 1 / 3, seeks, far)


def write_behind_s(size: float, rate_in: float, rate_out: float, room: float) -> float:
    """Time until a burst is in a cache of ``room`` that drains meanwhile (a fluid).

    >>> round(write_behind_s(512, 240, 15, 64), 6)
    29.866667
    """
    if size * (1 - rate_out / rate_in) <= room:
        return size / rate_in
    full = room / (rate_in - rate_out)
    return full + (size - rate_in * full) / rate_out


def _write_behind() -> Iterator[OracleRow]:
    size, rate_in, rate_out, room = 512 * MB, 240e6, 15e6, 64 * MB
    expected = write_behind_s(size, rate_in, rate_out, room)
    cases = (("what fits", 1, 1), ("a file's share", 4, 1), ("what fits, smaller units", 1, 8))
    for limit, spare, finer in cases:
        unit = 8 * MB // finer
        spec = SsuSpec(
            capacity=spare * room,
            unit=unit,
            share=room,
            release="none",
            triggers=frozenset({"eager"}),
            workers=1,
            high_mark=1.0,
            low_mark=1.0,
        )
        simulated = write_behind_ns(spec, size, rate_in=rate_in, rate_out=rate_out) / 1e9
        name = f"burst into a write-behind cache, limit {limit}, s"
        # A fluid, against whole units: one of them may still be on its way to disk.
        yield OracleRow("O18", name, expected, simulated, unit / rate_out)
