"""How many servers does it take? The search beside Erlang's formula, which knows.

In M/M/c an answer takes longer than t with P = exp(-t) (1 + C (1 - exp(-t r)) / r), where times are
in those of a service, r = c - 1 - a, a is the offered load and C Erlang's chance to wait.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from experiments.validation.theory import erlang_c
from simulator.inputfile import Text
from simulator.sizing.evaluate import Evaluator
from simulator.sizing.loads import Loads
from simulator.sizing.search import Search
from simulator.study.executors import Processes

MACHINE = """
format: machine/2
name: queue
nodes: {client: 1}
parts:
  cpu: {kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  station: {kind: queue, overhead: 1 ms, servers: 1, noise: {distribution: exponential}}
filesystems: {fs: [station]}
"""
JOBS = """
format: workload/2
name: arrive
files: {f: {size: 1 B, shared: true}}
jobs:
  - name: client
    record: 1 B
    arrivals: {every: GAP us, distribution: poisson, count: 20000, out: 200}
    phases: [{do: write, file: f}]
"""
REQUIREMENT = """
format: requirement/1
name: servers
machine: queue.yaml
workloads: {load: arrive.yaml}
targets: [{workload: load, FIGURE: LIMIT us}]
catalogue: {server: {price: 1}}
choices: {servers: {set: station.servers, values: 1..12 +1, buys: {server: 1}}}
"""


def later(servers: int, offered: float, t: float) -> float:
    """The chance that an answer takes longer than ``t`` services."""
    rest = servers - 1 - offered
    waits = erlang_c(servers, offered)
    more = t if abs(rest) < 1e-9 else (1 - math.exp(-t * rest)) / rest
    return math.exp(-t) * (1 + waits * more)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gap_us", "limit_us"), [(250, 4500), (250, 3500), (200, 4000), (400, 6000)]
)
def test_the_number_of_servers_is_that_of_erlang(
    gap_us: int, limit_us: int, tmp_path: Path
) -> None:
    offered = 1000 / gap_us
    fits = [
        servers
        for servers in range(1, 13)
        if servers > offered and later(servers, offered, limit_us / 1000) <= 0.05
    ]
    near = [later(servers, offered, limit_us / 1000) for servers in (fits[0], fits[0] - 1)]
    assert near[0] < 0.044, "too near to the target for 20,000 arrivals"
    assert near[1] > 0.056 or fits[0] - 1 <= offered
    assert bought(tmp_path, "job_p95", gap_us, limit_us) == str(fits[0])


@pytest.mark.slow
@pytest.mark.parametrize(("gap_us", "limit_us"), [(250, 2000), (250, 1200), (200, 1300)])
def test_of_mean_times_it_is_that_of_erlang_too(gap_us: int, limit_us: int, tmp_path: Path) -> None:
    """An answer takes 1 + C / (c - a) services in the mean."""
    offered = 1000 / gap_us
    means = {
        servers: 1 + erlang_c(servers, offered) / (servers - offered)
        for servers in range(int(offered) + 1, 13)
    }
    fits = [servers for servers, mean in means.items() if 1000 * mean <= limit_us]
    assert all(abs(1000 * mean / limit_us - 1) > 0.03 for mean in means.values()), "too near"
    assert bought(tmp_path, "job_mean", gap_us, limit_us) == str(fits[0])


def bought(folder: Path, figure: str, gap_us: int, limit_us: int) -> str:
    """Return the number of servers that a target of this figure takes."""
    (folder / "queue.yaml").write_text(MACHINE)
    (folder / "arrive.yaml").write_text(JOBS.replace("GAP", str(gap_us)))
    text = REQUIREMENT.replace("FIGURE", figure).replace("LIMIT", str(limit_us))
    evaluator = Evaluator(
        Loads(Text(text, str(folder / "requirement.yaml"))), seed=1, replications=4
    )
    found = Search(evaluator, executor=Processes(1)).run()
    assert found.winner is not None
    return found.winner.levels[0]


def test_the_formula() -> None:
    """One server: exp(-t (1 - a)), and with many it is that of the service alone."""
    assert later(1, 0.5, 3.0) == pytest.approx(math.exp(-1.5))
    assert later(50, 0.5, 3.0) == pytest.approx(math.exp(-3.0))
