"""Both engines against queueing theory and arithmetic, on plans by hand.

Services at open queues take 1000 ns on average. Every run checks its identities.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest
from simulator.native.run import run_native

from simulator.plan.codes import POISSON
from simulator.plan.jobs import ArrivalsPlan
from simulator.plan.parts import NoisePlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.identities import check_identities
from simulator.result.result import Result
from tests.composed.hand import Hand
from tests.composed.theory import NaiveLru, batch_means, closed_mva, md1, mm1, mmc, sojourns

SERVICE = 1000
EXPONENTIAL = NoisePlan(exponential=True)
OUT = 300
"""Processes that serve arrivals: more than jobs are ever out at one time."""


class Engine(NamedTuple):
    """An engine, and how much of statistics it can do in a second."""

    run: Callable[..., Result]
    jobs: int
    within: float
    """Half the confidence interval of so many jobs, at most, as a part of the mean."""


ENGINES = {
    "reference": Engine(run_reference, 4_000, 0.5),
    "native": Engine(run_native, 60_000, 0.12),
}


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> Engine:
    return ENGINES[request.param]


def run(engine: Engine, plan: Plan) -> Result:
    """Carry out a plan, record its calls, check its identities."""
    result = engine.run(plan, debug=True, record=True)
    check_identities(plan, result)
    return result


# -- open queues --------------------------------------------------------------------------------


def arrive(hand: Hand, file: str, size: int, jobs: int, gap: int) -> None:
    """Let jobs of one write each arrive at random."""
    hand.arrivals.append(ArrivalsPlan(kind=POISSON, count=jobs, gap_ns=gap, stream=file))
    phase = hand.listed(("write", file, 0, size))
    for number in range(OUT):
        hand.process(f"{file}{number}", phase, arrivals=len(hand.arrivals) - 1)


def open_queue(kind: str, load: float, jobs: int, servers: int, noise: NoisePlan) -> Plan:
    """Poisson arrivals of writes of one byte at a part whose service takes 1000 ns."""
    hand = Hand(client=1, server=1)
    hand.part("station", "server", kind, overhead_ns=SERVICE, servers=servers, noise=noise)
    hand.path("fs", [hand.stage("station")])
    hand.file("f", "fs", 1)
    arrive(hand, "f", 1, jobs, round(SERVICE / load / servers))
    return hand.plan(seed=3)


def erlang(service: float, load: float) -> float:
    return mmc(service, load, 3)


OPEN = {
    "M/M/1": ("queue", 0.6, 1, EXPONENTIAL, mm1),
    "M/D/1": ("queue", 0.7, 1, NoisePlan(), md1),
    "M/M/3": ("queue", 0.7, 3, EXPONENTIAL, erlang),
    "M/M/1-PS": ("shared", 0.6, 1, EXPONENTIAL, mm1),
    "M/D/1-PS": ("shared", 0.6, 1, NoisePlan(), mm1),
}


@pytest.mark.parametrize("name", OPEN)
def test_sojourn_of_an_open_queue(engine: Engine, name: str) -> None:
    """The 99.9 % interval of the mean, by batch means, holds that of theory."""
    kind, load, servers, noise, formula = OPEN[name]
    result = run(engine, open_queue(kind, load, engine.jobs, servers, noise))
    found = batch_means(sojourns(result.calls))
    assert found.agrees(formula(SERVICE, load), within=engine.within), found
    assert result.latencies["job"].count == engine.jobs
    part = result.parts["server.station"]
    assert part.requests == engine.jobs
    assert part.utilisation(result.end_ns) == pytest.approx(load, rel=0.1)


def test_fair_sharing_is_linear_in_the_service(engine: Engine) -> None:
    """M/G/1-PS: who needs x stays x / (1 - load) on average, whatever the others need."""
    hand = Hand(client=1, server=1)
    hand.part("link", "server", "shared", rate=1e9)
    hand.path("fs", [hand.stage("link")])
    load, sizes = 0.6, {"small": 400, "large": 2800}
    for name, size in sizes.items():
        hand.file(name, "fs", size)
        jobs = engine.jobs // 8 * (2800 // size)  # as long as the others arrive
        arrive(hand, name, size, jobs, round(size / (load / 2)))
    calls = run(engine, hand.plan(seed=5)).calls
    assert calls is not None
    rows = sorted(zip(calls.begin, calls.end, calls.size, strict=True))
    for size in sizes.values():
        found = batch_means([end - begin for begin, end, one in rows if one == size])
        assert found.agrees(size / (1 - load), within=2 * engine.within), found


# -- closed networks ----------------------------------------------------------------------------


def closed(clients: int, think: int, cycles: int, noise: NoisePlan = EXPONENTIAL) -> Plan:
    """Clients that think, then use a disk for 1000 ns and a network for 400 ns, in turn."""
    hand = Hand(client=1, server=1)
    hand.part("net", "server", overhead_ns=400, noise=noise)
    hand.part("disk", "server", overhead_ns=1000, noise=noise)
    hand.path("fs", [hand.stage("net"), hand.stage("disk")])
    hand.file("f", "fs", 1)
    phase = hand.listed(("write", "f", 0, 1, think))
    for number in range(clients):
        hand.process(f"p{number}", phase, repeat=cycles)
    return hand.plan(seed=1)


@pytest.mark.parametrize("clients", [1, 2, 3, 5, 9, 20])
@pytest.mark.parametrize("think", [0, 2500])
def test_asymptotic_bounds_of_a_closed_network(engine: Engine, clients: int, think: int) -> None:
    """Throughput is at most N / (D + Z) and 1 / D_max; and one of both without variation."""
    cycles = 1200 // clients
    for noise in (EXPONENTIAL, NoisePlan()):
        result = run(engine, closed(clients, think, cycles, noise))
        busiest = result.parts["server.disk"]
        mean = busiest.busy_ns / busiest.requests
        alone = mean + result.parts["server.net"].busy_ns / busiest.requests
        rate = clients * cycles / result.elapsed_ns
        bound = min(clients / (alone + think), 1 / mean)
        assert rate <= bound * 1.000001
    assert rate == pytest.approx(bound, rel=0.01)


@pytest.mark.parametrize("clients", [2, 4, 8])
def test_a_closed_network_follows_mean_value_analysis(clients: int) -> None:
    """A product-form network but for constant think times; 4 % for what is simulated."""
    result = run(ENGINES["native"], closed(clients, 0, 12_000))
    expected = closed_mva([1000, 400], 0, clients)
    assert clients * 12_000 / result.elapsed_ns == pytest.approx(expected, rel=0.04)


# -- links and stripes --------------------------------------------------------------------------


@pytest.mark.parametrize("clients", [1, 2, 5, 16])
def test_fair_clients_of_one_link_end_together(engine: Engine, clients: int) -> None:
    """Each of n gets one n-th of the link, and waits for the rest of its time."""
    hand = Hand(client=clients, server=1)
    hand.part("link", "server", "shared", rate=125e6)
    hand.path("fs", [hand.stage("link")])
    for number in range(clients):
        hand.file(f"f{number}", "fs", 10**6)
        phase = hand.listed(("write", f"f{number}", 0, 10**6))
        hand.process(f"p{number}", phase, node=number)
    result = run(engine, hand.plan())
    for process in result.processes:
        assert process.elapsed_ns == pytest.approx(8_000_000 * clients, abs=clients)
        assert process.spent["link"][1] == 8_000_000


@pytest.mark.parametrize("targets", [1, 2, 3, 4, 8])
def test_striping_gives_k_times_the_rate_until_the_client_is_the_limit(
    engine: Engine, targets: int
) -> None:
    """Servers of 100 MB/s behind a client's link of 400 MB/s, with pieces enough under way."""
    hand = Hand(client=1, server=8)
    hand.part("nic", "client", rate=400e6)
    hand.part("disk", "server", rate=100e6)
    stripe = hand.stripe("server", 10_000, targets)
    hand.path("fs", [hand.request(10_000, 64), hand.stage("nic"), stripe, hand.stage("disk")])
    hand.file("f", "fs", 8_000_000)
    hand.process("p", hand.listed(("write", "f", 0, 8_000_000)))
    result = run(engine, hand.plan())
    rate = 8e9 / result.elapsed_ns
    assert rate == pytest.approx(min(100.0 * targets, 400), rel=0.02)
    for part in [one for one in result.parts.values() if one.part == "disk"]:
        assert part.bytes == pytest.approx(8_000_000 / targets, rel=0.01)


# -- stores -------------------------------------------------------------------------------------


def two_caches(upper: int, lower: int, trace: list[int], back: bool = False) -> Plan:
    """Reads of blocks through a client's cache and a server's, both LRU."""
    hand = Hand(client=1, server=1)
    hand.part("disk", "server", overhead_ns=50, rate=1e9)
    hand.store("pages", "client", slots=upper, back=back)
    hand.store("cache", "server", slots=lower, back=back)
    hand.path("fs", [hand.kept("pages"), hand.kept("cache"), hand.stage("disk")])
    hand.file("f", "fs", 4000, length=4000)
    hand.process("p", hand.listed(*(("read", "f", 100 * block, 100) for block in trace)))
    return hand.plan()


def block_trace(seed: int, count: int = 300) -> list[int]:
    """Blocks used at random, low numbers more often."""
    rng = Random(seed)
    return [min(rng.randrange(40), rng.randrange(40)) for _ in range(count)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("upper", "lower"), [(1, 4), (4, 4), (4, 16), (16, 20), (40, 5)])
def test_hits_of_two_tiers_are_those_of_naive_caches(
    engine: Engine, upper: int, lower: int, seed: int
) -> None:
    """Hits never reach the next tier: its trace is the misses of the one above."""
    trace = block_trace(seed)
    result = run(engine, two_caches(upper, lower, trace))
    first, second = NaiveLru(upper), NaiveLru(lower)
    missed = [block for block in trace if not first.touch(block)]
    fetched = [block for block in missed if not second.touch(block)]
    pages, cache = (one.counts for one in result.stores.values())
    assert (pages["hits"], pages["misses"]) == (len(trace) - len(missed), len(missed))
    assert (cache["hits"], cache["misses"]) == (len(missed) - len(fetched), len(fetched))
    assert result.parts["server.disk"].requests == len(fetched)
    assert pages["evicted"] == max(0, len(missed) - upper)


@pytest.mark.parametrize("seed", range(3))
def test_more_room_never_means_more_misses(engine: Engine, seed: int) -> None:
    """The inclusion property of LRU (Mattson et al., 1970)."""
    trace = block_trace(seed, 200)
    misses = []
    for slots in range(1, 40, 3):
        result = run(engine, two_caches(slots, 1, trace))
        misses.append(next(iter(result.stores.values())).counts["misses"])
    assert misses == sorted(misses, reverse=True)


@pytest.mark.parametrize("limit", [2, 5, 20, 80])
def test_write_back_with_a_dirty_limit_is_a_fluid(engine: Engine, limit: int) -> None:
    """A writer at rate w, a device at d: dirty data grow by w - d up to the limit, then none.

    B bytes are written in max(B / w, (B - limit) / d), but for a block or two at the ends.
    """
    blocks, w_ns, d_ns = 100, 200, 700
    result = run(engine, written(blocks, w_ns, d_ns, limit))
    fluid = max(blocks * w_ns, (blocks - limit) * d_ns)
    assert result.elapsed_ns == pytest.approx(fluid, abs=2 * (w_ns + d_ns))
    assert result.end_ns == pytest.approx(blocks * d_ns, abs=2 * (w_ns + d_ns))
    (store,) = result.stores.values()
    assert (store.counts["limit_waits"] > 0) == (fluid > blocks * w_ns)


def test_a_dirty_limit_of_one_block_overlaps_nothing(engine: Engine) -> None:
    """A block being written into counts: each is written and written back before the next."""
    assert run(engine, written(100, 200, 700, 1)).elapsed_ns == 100 * (200 + 700) - 700


def written(blocks: int, w_ns: int, d_ns: int, limit: int) -> Plan:
    """A file of so many blocks, written through a cache with a dirty limit."""
    hand = Hand(client=1)
    hand.part("memory", "client", rate=1e9 * 100 / w_ns)
    hand.part("disk", "client", rate=1e9 * 100 / d_ns)
    hand.store("pages", "client", slots=200, dirty_limit=limit, triggers=frozenset({"eager"}))
    hand.path("fs", [hand.stage("memory"), hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", 100 * blocks)
    hand.process("p", hand.stream("f", 100, blocks, write=True))
    return hand.plan()


def test_a_store_costs_what_it_holds(engine: Engine) -> None:
    """A store of 128 TB that gets 2 GB takes no more memory than one of 4 GB."""
    taken = []
    for capacity in (4 * 10**9, 128 * 10**12):
        hand = Hand(client=1)
        hand.part("disk", "client", rate=1e9)
        million = 10**6
        hand.store("burst", "client", slots=capacity // million, block=million)
        hand.path("fs", [hand.kept("burst"), hand.stage("disk")])
        hand.file("f", "fs", 2 * 10**9)
        hand.process("p", hand.stream("f", 10 * million, 200, write=True))
        plan = hand.plan()
        tracemalloc.start()
        result = run(engine, plan)
        taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        (store,) = result.stores.values()
        assert store.counts["created"] == 2000
    assert taken[1] < 1.5 * taken[0] + 100_000
