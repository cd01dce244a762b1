"""Intervals of replications cover what is true at the rate that they state.

Queues whose mean time is known: M/M/c by Erlang's C, M/D/1 by Pollaczek and Khinchine. A run starts
empty, so that its mean is short of that of the long run by some parts in ten thousand, against
intervals of several percent. The tolerance is that of a binomial count at four standard errors
(docs/decisions/0039).
"""

import math

import pytest

from simulator.inputfile import Text
from simulator.prepared import Prepared
from simulator.study.figures import Row
from simulator.study.point import row_of
from simulator.study.repeated import Repeated
from simulator.study.replications import Replications, seed_of

LONG, SHORT = 500, 150
"""Repetitions; the short ones are left to a deterministic service."""
MACHINE = """
format: machine/2
name: queue
nodes: {client: 1}
parts:
  cpu: {kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  station: {kind: queue, overhead: 1 ms, servers: SERVERS, NOISE}
filesystems: {fs: [station]}
"""
JOBS = """
format: workload/2
name: arrive
files: {f: {size: 1 B, shared: true}}
jobs:
  - name: client
    record: 1 B
    arrivals: {every: EVERY, distribution: poisson, count: COUNT, out: 200}
    phases: [{do: write, file: f}]
"""
EXPONENTIAL = "noise: {distribution: exponential}"


def erlang_c(servers: int, load: float) -> float:
    """Return the chance to wait in M/M/c; ``load`` is offered, in Erlang."""
    terms = [load**k / math.factorial(k) for k in range(servers)]
    last = load**servers / math.factorial(servers) * servers / (servers - load)
    return last / (math.fsum(terms) + last)


def rows(
    servers: int, noise: str, every: str, count: int, runs: int, repetitions: int
) -> list[list[Row]]:
    """Run each repetition's replications: recorded seeds 0, 1, 2, ..."""
    machine = MACHINE.replace("SERVERS", str(servers)).replace("NOISE", noise)
    jobs = JOBS.replace("EVERY", every).replace("COUNT", str(count))
    prepared = Prepared(Text(machine, "machine"), Text(jobs, "jobs"))
    return [
        [row_of(prepared.plans.run(prepared.plan(seed=seed_of(seed, one)))) for one in range(runs)]
        for seed in range(repetitions)
    ]


def least(confidence: float, repetitions: int) -> float:
    """Return what a correct interval covers at least, but for a chance of 3e-5."""
    mean = repetitions * confidence
    return mean - 4 * math.sqrt(mean * (1 - confidence))


@pytest.mark.long
@pytest.mark.parametrize(
    ("servers", "noise", "every", "truth_ms", "repetitions"),
    [
        pytest.param(1, "noise: {request: 0 %}", "2 ms", 1 + 0.5 / (2 * 0.5), SHORT, id="M/D/1"),
        pytest.param(1, EXPONENTIAL, "2 ms", 1 / (1 - 0.5), LONG, id="M/M/1"),
        pytest.param(
            *(3, EXPONENTIAL, "0.5 ms", 1 + erlang_c(3, 2.0) / (3 - 2.0), LONG), id="M/M/3"
        ),
    ],
)
def test_intervals_cover_the_mean_time_of_a_queue(servers, noise, every, truth_ms, repetitions):
    found = rows(servers, noise, every, 800, 8, repetitions)
    for confidence in (0.8, 0.95):
        hits = 0
        for one in found:
            figure = Repeated(Replications(8, confidence), one).figure("job_mean_ms")
            low, high = figure.interval
            hits += low <= truth_ms <= high
        fewest = least(confidence, repetitions)
        most = 2 * repetitions * confidence - fewest
        assert fewest <= hits <= most, (confidence, hits / repetitions)
