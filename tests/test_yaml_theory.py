"""Machines in YAML against queueing theory and arithmetic, on both engines, with all identities.

Nothing here is Python but the numbers that theory gives: machines and jobs are text. Tolerances:
means of open queues lie in a 99.9 % confidence interval (batch means), whose width is limited.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pytest

from simulator.plan.faults import faults
from simulator.result.result import Result
from simulator.run import EngineName, Text, load_plan, run_plan
from tests.composed.theory import batch_means, closed_mva, md1, mm1, mmc, sojourns

FREE = "{kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}"
"""A processor whose work costs next to nothing."""
SERVICE = 1_000_000
"""Of the part that is looked at, on average; ns."""


class Engine(NamedTuple):
    """An engine, and how much of statistics it can do in a second."""

    name: EngineName
    jobs: int
    within: float
    """Half the confidence interval of so many jobs, at most, as a part of the mean."""


REFERENCE, NATIVE = Engine("reference", 4_000, 0.5), Engine("native", 40_000, 0.15)
COMPILED = pytest.mark.compiled("simulator.native.engine")
STATISTICS = [pytest.param(REFERENCE, marks=pytest.mark.slow), pytest.param(NATIVE, marks=COMPILED)]


@pytest.fixture(params=[REFERENCE, NATIVE], ids=["reference", "native"])
def engine(request: pytest.FixtureRequest) -> Engine:
    engine = request.param
    assert isinstance(engine, Engine)
    return engine


def run(engine: Engine, machine: str, jobs: str, **settings: str) -> Result:
    """Carry out a machine and its jobs, as a user would write them, and check all identities."""
    machine = machine.replace("parts:", f"parts:\n  cpu: {FREE}", 1)
    heads = [
        f"format: {kind}\nname: theory\ntitle: theory\n" for kind in ("machine/2", "workload/2")
    ]
    given: Iterable[tuple[str, str]] = settings.items()
    plan = load_plan(
        Text(heads[0] + machine, "machine"), Text(heads[1] + jobs, "jobs"), settings=given, seed=3
    )
    assert faults(plan) == []
    return run_plan(plan, engine=engine.name, debug=True, record=True)


# -- open queues --------------------------------------------------------------------------------

OPEN = """
nodes: {{client: 1}}
parts:
  station: {part}
filesystems:
  fs: [[station]]
"""
ARRIVE = """
files: {{f: {{size: 1 kB, shared: true}}}}
jobs:
  - name: client
    record: 1 kB
    arrivals: {{every: {every} ns, count: {jobs}, out: 300}}
    phases: [{{do: write, file: f}}]
"""
VARY = "noise: {distribution: exponential}"


def erlang(service: float, load: float) -> float:
    return mmc(service, load, 3)


QUEUES = {
    "M/M/1": ("{kind: queue, overhead: 1 ms, " + VARY + "}", 0.6, 1, mm1),
    "M/D/1": ("{kind: queue, overhead: 1 ms}", 0.7, 1, md1),
    "M/M/3": (
        "{kind: queue, servers: 3, overhead: 1 ms, " + VARY + "}",
        0.7,
        3,
        erlang,
    ),
    "M/M/1-PS": ("{kind: shared, rate: 1 MB/s, " + VARY + "}", 0.6, 1, mm1),
    "M/D/1-PS": ("{kind: shared, rate: 1 MB/s}", 0.6, 1, mm1),
}


@pytest.mark.parametrize("engine", STATISTICS, ids=["reference", "native"], indirect=True)
@pytest.mark.parametrize("name", QUEUES)
def test_sojourn_of_an_open_queue(engine: Engine, name: str) -> None:
    part, load, servers, formula = QUEUES[name]
    machine = OPEN.format(part=part)
    every = round(SERVICE / load / servers)
    result = run(engine, machine, ARRIVE.format(every=every, jobs=engine.jobs))
    found = batch_means(sojourns(result.calls, "write"))
    assert found.agrees(formula(SERVICE, load), within=engine.within), found
    assert result.latencies["job"].count == engine.jobs
    (part_result,) = [one for one in result.parts.values() if one.part == "station"]
    assert part_result.utilisation(result.end_ns) == pytest.approx(load, rel=0.1)


# -- closed networks ----------------------------------------------------------------------------

CLOSED = """
nodes: {{client: 1}}
parts:
  net: {{kind: queue, overhead: 0.4 ms{noise}}}
  disk: {{kind: queue, overhead: 1 ms{noise}}}
filesystems:
  fs: [[net], [disk]]
"""
LOOP = """
files: {{f: {{size: 1 kB, shared: true}}}}
jobs:
  - name: client
    processes: {clients}
    per_node: {clients}
    record: 1 kB
    repeat: {cycles}
    phases: [{{do: compute, time: {think} us}}, {{do: write, file: f}}]
"""


@pytest.mark.parametrize("clients", [1, 2, 3, 8])
@pytest.mark.parametrize("think", [0, 2500])
def test_asymptotic_bounds_of_a_closed_network(engine: Engine, clients: int, think: int) -> None:
    """Throughput is at most N / (D + Z) and 1 / D_max, and one of both without variation."""
    cycles = 400 // clients
    for noise in (f", {VARY}", ""):
        jobs = LOOP.format(clients=clients, cycles=cycles, think=think)
        result = run(engine, CLOSED.format(noise=noise), jobs)
        parts = {
            one.part: one.busy_ns / one.requests for one in result.parts.values() if one.busy_ns
        }
        rate = clients * cycles / result.elapsed_ns
        alone = parts["disk"] + parts["net"] + think * 1000
        assert rate <= min(clients / alone, 1 / parts["disk"]) * 1.000001
    assert rate == pytest.approx(min(clients / alone, 1 / parts["disk"]), rel=0.01)


@COMPILED
@pytest.mark.parametrize("clients", [2, 5])
def test_a_closed_network_follows_mean_value_analysis(clients: int) -> None:
    jobs = LOOP.format(clients=clients, cycles=12_000, think=0)
    result = run(NATIVE, CLOSED.format(noise=f", {VARY}"), jobs)
    expected = closed_mva([SERVICE, 0.4 * SERVICE], 0, clients)
    assert clients * 12_000 / result.elapsed_ns == pytest.approx(expected, rel=0.04)


# -- links, stripes -----------------------------------------------------------------------------

FAIR = """
nodes: {client: 32}
parts:
  link: {kind: shared, rate: 125 MB/s}
filesystems: {fs: [link]}
"""
WRITE = """
files: {{f: {{size: {size}}}}}
jobs:
  - {{name: client, processes: {clients}, record: {record}, phases: [{{do: write, file: f}}]}}
"""


@pytest.mark.parametrize("clients", [1, 2, 5, 32])
def test_fair_clients_of_one_link_end_together(engine: Engine, clients: int) -> None:
    result = run(engine, FAIR, WRITE.format(size="1 MB", record="1 MB", clients=clients))
    for process in result.processes:
        assert process.elapsed_ns == pytest.approx(8_000_000 * clients, abs=clients)


STRIPED = """
nodes: {{client: 1, server: 8}}
parts:
  net: {{kind: network, at: [client, server], rate: 400 MB/s}}
  disk: {{kind: queue, at: server, rate: 100 MB/s}}
filesystems:
  fs:
    - {{request: 100 kB, window: 64}}
    - {{stripe: 100 kB, over: {targets}, of: server}}
    - [net]
    - [disk]
"""


@pytest.mark.parametrize("targets", [1, 2, 3, 4, 8])
def test_striping_gives_k_times_the_rate_until_the_client_is_the_limit(
    engine: Engine, targets: int
) -> None:
    machine = STRIPED.format(targets=targets)
    result = run(engine, machine, WRITE.format(size="80 MB", record="80 MB", clients=1))
    assert 80e9 / result.elapsed_ns == pytest.approx(min(100.0 * targets, 400), rel=0.02)


# -- stores -------------------------------------------------------------------------------------

TWO = """
nodes: {{client: 1, server: 1}}
parts:
  net: {{kind: network, at: [client, server], rate: 1 GB/s}}
  disk: {{kind: queue, at: server, rate: 100 MB/s}}
stores:
  pages: {{at: client, capacity: {upper} kB, block: 1 kB, write: through}}
  cache: {{at: server, capacity: {lower} kB, block: 1 kB, write: through}}
filesystems: {{fs: [pages, [net], cache, [disk]]}}
"""
READ = """
files: {f: {size: 40 kB, exists: true}}
jobs:
  - name: client
    record: 1 kB
    phases: [{do: read, file: f}, {do: read, file: f}, {do: read, file: f, order: random}]
"""


@pytest.mark.parametrize(("upper", "lower"), [(8, 20), (8, 40), (20, 20), (40, 8), (39, 40)])
def test_two_tiers_have_the_hits_of_naive_caches(engine: Engine, upper: int, lower: int) -> None:
    """The trace of the blocks is in the recorded calls; hits never reach the next tier."""
    from tests.composed.theory import NaiveLru

    result = run(engine, TWO.format(upper=upper, lower=lower), READ)
    assert result.calls is not None
    rows = zip(result.calls.offset, result.calls.size, strict=True)
    trace = [offset // 1000 for offset, size in rows if size]
    assert len(trace) == 120
    first, second = NaiveLru(upper), NaiveLru(lower)
    missed = [block for block in trace if not first.touch(block)]
    fetched = [block for block in missed if not second.touch(block)]
    counts = {one.store: one.counts for one in result.stores.values()}
    assert counts["pages"]["misses"] == len(missed)
    assert counts["pages"]["hits"] == len(trace) - len(missed)
    assert counts["cache"]["misses"] == len(fetched)
    assert counts["cache"]["hits"] == len(missed) - len(fetched)


FLUID = """
nodes: {{client: 1}}
parts:
  memory: {{kind: queue, at: client, rate: 500 MB/s}}
  disk: {{kind: queue, at: client, rate: 100 MB/s}}
stores:
  pages: {{at: client, capacity: 64 MB, block: 100 kB, extent: 100 kB, dirty: {limit} %, start: [eager]}}
filesystems: {{fs: [[memory], pages, [disk]]}}
"""


@pytest.mark.parametrize("limit", [1, 5, 20, 60])
def test_write_back_with_a_dirty_limit_is_a_fluid(engine: Engine, limit: int) -> None:
    """B bytes are written in max(B / w, (B - limit) / d), but for a block or two."""
    result = run(
        engine, FLUID.format(limit=limit), WRITE.format(size="30 MB", record="100 kB", clients=1)
    )
    held = limit * 64_000_000 // 100
    fluid = max(30e6 / 0.5, (30e6 - held) / 0.1)
    assert result.elapsed_ns == pytest.approx(fluid, abs=3_000_000)
    assert result.end_ns == pytest.approx(30e6 / 0.1, abs=3_000_000)


# -- memory -------------------------------------------------------------------------------------

BURST = """
nodes: {{client: 1}}
parts:
  disk: {{kind: queue, at: client, rate: 1 GB/s}}
stores: {{burst: {{at: client, capacity: {capacity}, block: 1 MB}}}}
filesystems: {{fs: [burst, [disk]]}}
"""


def test_a_store_costs_what_it_holds(engine: Engine) -> None:
    """A store of 128 TB that holds 2 GB takes no more memory than one of 4 GB."""
    import tracemalloc

    taken = []
    for capacity in ("4 GB", "128 TB"):
        tracemalloc.start()
        result = run(
            engine,
            BURST.format(capacity=capacity),
            WRITE.format(size="2 GB", record="10 MB", clients=1),
        )
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        (store,) = result.stores.values()
        assert store.counts["created"] == 2000
    assert taken[1] < 1.5 * taken[0] + 100_000
