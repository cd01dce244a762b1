"""Oracles of the parts of numerical servers: shared processors and links, loads, trials.

A processor shared by time is a queue with *processor sharing*: the mean time of a task depends on
the mean work alone, not on its distribution (insensitivity; Kelly, Reversibility and Stochastic
Networks, 1979, section 3.3). With several PEs the number of tasks has the law of M/M/c, and a
closed network of such parts has product form, so that exact mean value analysis holds for it
whatever the works are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from simulator.study.oracle_runs import Times
from simulator.study.oracle_server_runs import (
    SECOND,
    closed_calls,
    closed_shared,
    constant_load,
    queueing_calls,
    shared_sojourns,
    transfer_ends,
    trial_gaps,
)
from simulator.study.oracles import MS, OracleRow, _mean, _Samples, erlang_c, mean_values


def run_server_oracles(quick: bool = False) -> list[OracleRow]:
    """All rows; ``quick`` takes a tenth of the samples."""
    some = _Samples(10 if quick else 1)
    groups = (
        _shared_pe(some),
        _shared_pes(some),
        _load(some),
        _closed(some),
        _links(),
        _trials(some),
    )
    return [row for group in groups for row in group]


def _shared_pe(some: _Samples) -> Iterator[OracleRow]:
    """M/G/1 with processor sharing: E[T | x] = x / (1 - load)."""
    count, load = 300_000, 0.5
    gaps, long = some.exponential(4, count), some.chance(0.1, count)
    times, _ = shared_sojourns(1, gaps, np.where(long, 11 * MS, MS))
    name = "M/G/1, time-shared PE: mean"
    yield _mean("O5", f"{name} time, ms", 2 / (1 - load), times, MS)
    yield _mean("O5", f"{name} of the short, ms", 1 / (1 - load), times[~long], MS)
    yield _mean("O5", f"{name} of the long, ms", 11 / (1 - load), times[long], MS)


def _shared_pes(some: _Samples) -> Iterator[OracleRow]:
    """Four PEs: the mean time of M/M/4, also where all tasks are alike."""
    count, offered = 300_000, 2.8
    expected = 1 + erlang_c(4, offered) / (4 - offered)
    for kind, works in (
        ("M/M/4", some.exponential(1, count)),
        ("M/D/4", some.fixed(1, count)),
    ):
        times, _ = shared_sojourns(4, some.exponential(1 / offered, count), works)
        yield _mean("O5", f"{kind}, 4 time-shared PEs: mean time, ms", expected, times, MS)


def _load(some: _Samples) -> Iterator[OracleRow]:
    """The load average: of a constant queue exactly, and in the mean as long as the run queue."""
    expected = 10 * (1 - math.exp(-12 * 5 / 60))
    # Its memory is a whole number of 2**-20.
    yield OracleRow(
        "O5", "load average, 10 threads for 60 s", expected, constant_load(10, 12), 10 * 12 / 2**20
    )
    count, offered = 300_000, 2.8
    queue = offered * (1 + erlang_c(4, offered) / (4 - offered))
    _, loads = shared_sojourns(
        4, some.exponential(1000 / offered, count), some.exponential(1000, count)
    )
    yield _mean("O5", "M/M/4, works of 1 s: mean load average", queue, np.array(loads))


def _works(some: _Samples, mean_ms: float, count: int) -> Times:
    """Works of which nine in ten are half the mean, and the others eleven times as long."""
    long = some.chance(0.1, count)
    return np.where(long, round(5.5 * mean_ms * MS), round(0.5 * mean_ms * MS))


def _closed(some: _Samples) -> Iterator[OracleRow]:
    """Think 100 ms, compute 5 ms, send 20 ms: exact MVA, for works far from exponential.

    First the parts; then whole calls, with fixed works, which send in two pieces.
    """
    for clients in (4, 8, 16):
        count = 200_000 // clients
        ends, responses = closed_shared(
            [some.exponential(100, count) for _ in range(clients)],
            [_works(some, 5, count) for _ in range(clients)],
            [_works(some, 20, count) for _ in range(clients)],
        )
        throughput, response = mean_values([5, 20], 100, clients)
        what = f"shared PE and link, {clients} clients"
        yield _mean("O8", f"{what}: response, ms", response, responses, MS)
        between = np.diff(ends, prepend=0)
        yield _mean("O8", f"{what}: time of one cycle of any, ms", 1 / throughput, between, MS)
        # Bounds that hold for any works (here: the time between two ends is not below either).
        bound = max(20.0, (100 + 25) / clients)
        row = _mean("O9", f"{what}: cycles beyond the asymptotic bound", 0.0, between, MS)
        beyond = max(0.0, bound / row.simulated - 1)
        yield OracleRow(row.id, row.name, 0.0, beyond, row.tolerance / bound)
    throughput, response = mean_values([5, 20], 100, 8)
    ends, times = closed_calls(8, 100, 5, 20, some.count(12_000))
    yield _mean("O8", "whole calls of 8 clients: time of a call, ms", response, times, MS)
    between = np.diff(ends, prepend=0)
    yield _mean("O8", "whole calls of 8 clients: time between two, ms", 1 / throughput, between, MS)


def _links() -> Iterator[OracleRow]:
    """A on a link of 10 MB/s, C on one of 4 MB/s, B on both; 40 MB each."""
    ends = transfer_ends([10e6, 4e6], [(0,), (0, 1), (1,)], 40_000_000)
    for name, end, expected in zip("ABC", ends, (5, 20, 20), strict=True):
        yield OracleRow("O14", f"max-min links: end of {name}, s", expected, end / SECOND, 1e-9)


def _trials(some: _Samples) -> Iterator[OracleRow]:
    """Trials every s with chance p: gaps s/p in the mean, s^2 (1 - p)/p^2 their variance."""
    gaps = trial_gaps(3, 0.5, some.count(200_000))
    yield _mean("O19", "trials every 3 s, chance 1/2: mean gap, s", 6.0, gaps)
    yield _mean("O19", "variance of the gaps, s^2", 18.0, (gaps - 6) ** 2)
    # Geo/G/1 (Meisling, 1958), in slots: p E[S (S - 1)] / (2 (1 - p E[S])).
    chance, slots = 0.2, 3
    expected = 3 * chance * slots * (slots - 1) / (2 * (1 - chance * slots))
    waits = queueing_calls(3, chance, 3 * slots, some.count(300_000))
    yield _mean("O19", "calls of 9 s one at a time: mean wait, s", expected, waits, SECOND)
