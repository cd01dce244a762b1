"""Machines in YAML against queueing theory and arithmetic, on both engines, with all identities.

Nothing here is Python but the numbers that theory gives: machines and jobs are text. What is
compared by statistics is in the table of oracles (``properties/test_oracles.py``).
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from simulator.inputfile import Text
from simulator.result.result import Result
from simulator.run import EngineName, load_plan, run_plan
from tests.twins.caches import NaiveLru
from tests.twins.plans.faults import faults

FREE = "{kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}"
"""A processor whose work costs next to nothing."""


@pytest.fixture(params=["reference", "native"])
def engine(request: pytest.FixtureRequest) -> EngineName:
    name: EngineName = request.param
    return name


def run(engine: EngineName, machine: str, jobs: str, **settings: str) -> Result:
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
    return run_plan(plan, engine=engine, debug=True, record=True)


# -- an open queue ------------------------------------------------------------------------------

OPEN = """
nodes: {client: 1}
parts:
  station: {kind: queue, overhead: 1 ms, noise: {distribution: exponential}}
filesystems:
  fs: [[station]]
"""
ARRIVE = """
files: {f: {size: 1 kB, shared: true}}
jobs:
  - name: client
    record: 1 kB
    arrivals: {every: 2 ms, count: 3000, out: 300}
    phases: [{do: write, file: f}]
"""


def test_a_queue_is_as_busy_as_its_load(engine: EngineName) -> None:
    """Its sojourns, and other queues, are in the table of oracles (properties/test_oracles.py)."""
    result = run(engine, OPEN, ARRIVE)
    assert result.latencies["job"].count == 3000
    (station,) = [one for one in result.parts.values() if one.part == "station"]
    assert station.utilisation(result.end_ns) == pytest.approx(0.5, rel=0.1)
    mean = result.latencies["job"].sum_ns / 3000
    assert mean == pytest.approx(1e6 / (1 - 0.5), rel=0.2)


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
def test_fair_clients_of_one_link_end_together(engine: EngineName, clients: int) -> None:
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
    engine: EngineName, targets: int
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
def test_two_tiers_have_the_hits_of_naive_caches(
    engine: EngineName, upper: int, lower: int
) -> None:
    """The trace of the blocks is in the recorded calls; hits never reach the next tier."""
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
  pages:
    {{at: client, capacity: 64 MB, block: 100 kB, extent: 100 kB, dirty: {limit} %, start: [eager]}}
filesystems: {{fs: [[memory], pages, [disk]]}}
"""


@pytest.mark.parametrize("limit", [1, 5, 20, 60])
def test_write_back_with_a_dirty_limit_is_a_fluid(engine: EngineName, limit: int) -> None:
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


def test_a_store_costs_what_it_holds(engine: EngineName) -> None:
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
