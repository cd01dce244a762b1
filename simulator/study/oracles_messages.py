"""Oracles of the parts that pass messages: polling servers, latency, joins, bounds and paging.

The numbers O9, O12, ... are those of the project's list of oracles. What one message takes on idle
nodes is arithmetic, exact to the nanosecond; it stands with the polling server, O16.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from simulator.machine.disk import DiskSpec
from simulator.machine.message_server import MessageServerSpec
from simulator.machine.paging import PagingSpec
from simulator.machine.station import ServiceSpec
from simulator.study.oracle_message_runs import (
    latency_ns,
    loops_ns,
    page_hits,
    twin_queues,
    unfound_ns,
    works_ns,
)
from simulator.study.oracle_runs import closed_cycles, station
from simulator.study.oracles import MS, SIGMAS, OracleRow, _mean, _Samples
from simulator.wording import counted

WORK, POLL, INTERVAL = 250.0, 0.2, 10.0
"""Of the list's polling server, in ms."""


def run_message_oracles(quick: bool = False) -> list[OracleRow]:
    """All rows; ``quick`` takes a tenth of the samples."""
    some = _Samples(10 if quick else 1)
    groups = (_polling(some), _best_interval(some), _latency(), _joins(some), _bounds(), _paging())
    return [row for group in groups for row in group]


def server(interval_ms: float, poll_ms: float = POLL) -> MessageServerSpec:
    """A server that only polls: messages themselves cost nothing."""
    return MessageServerSpec(
        interval_ns=round(interval_ms * MS),
        poll_ns=round(poll_ms * MS),
        send_ns=0,
        deliver_ns=0,
        lookup_ns=0,
        copy_rate=math.inf,
        header=0,
        remember=True,
    )


def _polling(some: _Samples) -> Iterator[OracleRow]:
    spec, count = server(INTERVAL), 60_000
    gaps = some.uniform(3 * spec.interval_ns, count)
    found = unfound_ns(spec, gaps)
    yield _mean("O16", "polls every 10 ms: mean wait of a message, ms", INTERVAL / 2, found, MS)
    works = some.count(2_000)
    expected = WORK / (1 - POLL / INTERVAL)
    simulated = works_ns(spec, round(WORK * MS), works) / works / MS
    # At the end of all the work one poll may have been begun and not another.
    tolerance = POLL / works
    yield OracleRow("O16", "250 ms of work beside polls, ms", expected, simulated, tolerance)


def loop_ms(interval: float) -> float:
    """Time of a loop of work and one detection: W / (1 - c / tau) + tau / 2.

    >>> round(loop_ms(10.0), 3)
    260.102
    """
    return WORK / (1 - POLL / interval) + interval / 2


def best_interval_ms() -> float:
    """Where :func:`loop_ms` is least: c + sqrt(2 W c).

    >>> round(best_interval_ms(), 6)
    10.2
    """
    return POLL + math.sqrt(2 * WORK * POLL)


def _best_interval(some: _Samples) -> Iterator[OracleRow]:
    """The curve over the interval, and where its simulated values are least."""
    intervals = np.array([4.0, 6.0, 8.0, 10.0, 13.0, 17.0, 23.0, 30.0])
    count = some.count(8_000)
    curves = []
    for interval in intervals:
        spec = server(float(interval))
        pauses = some.generator().integers(0, spec.interval_ns, 2 * count)
        curves.append(loops_ns(spec, round(WORK * MS), pauses))
        if interval == INTERVAL:
            name = "loop of work and a detection, polls every 10 ms, ms"
            yield _mean("O16", name, loop_ms(INTERVAL), curves[-1], MS)
    # The minimum lies in a flat valley: a curve of the known form through all, batch by batch.
    batches = np.stack([one.reshape(20, -1).mean(axis=1) / MS for one in curves])
    shape = np.stack([np.ones_like(intervals), 1 / (intervals - POLL), intervals], axis=1)
    _, often, seldom = np.linalg.lstsq(shape, batches, rcond=None)[0]
    error = float(np.std(POLL + np.sqrt(often / seldom), ddof=1)) / math.sqrt(20)
    simulated = POLL + math.sqrt(often.mean() / seldom.mean())
    name = "interval of the shortest loop, ms"
    yield OracleRow("O16", name, best_interval_ms(), simulated, SIGMAS * error)


def _latency() -> Iterator[OracleRow]:
    """Send, copy, cross the LAN, wait for the end of the next poll, deliver, copy."""
    spec = MessageServerSpec(
        interval_ns=100 * MS,
        poll_ns=MS,
        send_ns=2 * MS,
        deliver_ns=3 * MS,
        lookup_ns=0,
        copy_rate=5e6,
        header=0,
        remember=True,
    )
    link = ServiceSpec(1.25e6, MS)
    copy, cross = 8000 / 5e6 * 1e3, 1 + 8000 / 1.25e6 * 1e3
    sent = 50 + 2 + copy + cross
    assert sent < 100, "it arrives before the poll at 100 ms"
    expected = (100 + 1 - 50) + 3 + copy
    simulated = latency_ns(spec, link, 8000) / MS
    yield OracleRow("O16", "a message of 8 kB that a poll finds, ms", expected, simulated, 2e-6)
    often = server(0.001, 0.0)
    name = "the same, polls every us, servers that cost nothing, ms"
    yield OracleRow("O16", name, cross, latency_ns(often, link, 8000) / MS, 0.001)


def _joins(some: _Samples) -> Iterator[OracleRow]:
    """Two processors that each get a part of every job: exact for two (Nelson and Tantawi)."""
    count, load = 1_500_000, 0.8
    gaps = some.exponential(1 / load, count)
    times = twin_queues(gaps, [some.exponential(1, count) for _ in range(2)])
    expected = (12 - load) / 8 / (1 - load)
    yield _mean("O12", "2 parts on 2 processors, load 0.8: time of both, ms", expected, times, MS)


def _bounds() -> Iterator[OracleRow]:
    """The throughput of clients that think and visit two stations, over its asymptotic bounds."""
    over = {clients: _throughput_over_bound(clients) for clients in (1, 2, 4, 6, 8, 16)}
    for clients in (1, 16):
        name = f"closed network, {counted(clients, 'client')}: throughput over its bound"
        yield OracleRow("O9", name, 1.0, over[clients], 1e-9)
    name = "closed network, 1 to 16 clients: most that any throughput is over its bound"
    yield OracleRow("O9", name, 0.0, max(0.0, *(one - 1 for one in over.values())), 1e-9)


def _throughput_over_bound(clients: int) -> float:
    """Fixed times, so that the bounds hold on every run: X <= min(N / (D + Z), 1 / Dmax)."""
    think, demands, count = 100, (5, 20), 400
    ends, _ = closed_cycles(
        [station(f"station{i}") for i in range(len(demands))],
        [np.full(count, think * MS) for _ in range(clients)],
        [[np.full(count, one * MS) for one in demands] for _ in range(clients)],
    )
    # Cycles of the first client: what is between two of its ends is a whole round of everybody.
    rate = clients * (count - 1) / (ends[-1] - ends[0]) * MS
    return float(rate) / min(clients / (sum(demands) + think), 1 / max(demands))


def _paging() -> Iterator[OracleRow]:
    """Sweeps over page frames with LRU, and what a sweep waits for the disk."""
    spec = PagingSpec(1000 * 4096, 4096, DiskSpec(rate=1.5e6, seek_ns=14 * MS, turn_ns=16 * MS))
    for pages in (1000, 1001):
        hits = page_hits(spec.frames, list(range(pages)) * 3)
        again = int((1 - hits[pages:]).sum()) / 2
        name = f"sweep over {pages} pages, 1000 frames: faults"
        yield OracleRow("O15", name, spec.sweep_faults(pages * 4096), again, 0)
    expected = 2 * 1001 * (14 + 16 / 2 + 4096 / 1.5e6 * 1e3) / 1e3
    simulated = spec.sweep_ns(1001 * 4096) / 1e9
    # Each of the 2002 services is rounded to a whole nanosecond.
    yield OracleRow("O15", "wait of a sweep over 1001 pages, s", expected, simulated, 1.1e-6)
