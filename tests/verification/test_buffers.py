"""The identities of buffer caches hold for runs, and each notices its own defect."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import pytest

from simulator.native.run import run_native
from simulator.plan.codes import COMPUTE
from simulator.plan.jobs import PhasePlan
from simulator.plan.plan import Plan
from simulator.plan.restarts import RestartPlan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.verification.buffers import broken_buffers
from simulator.verification.identities import check_identities
from simulator.verification.sums import IdentityError
from tests.reference.test_asking import nodes

PLANS = {
    "reads": nodes(("ask-read", 1), ("ask-read", 0)),
    "writes": nodes(("ask-write", 1), ("ask-write", 0), stored=False),
    "merged": nodes(("ask-write", 0), ("ask-write", 1), group=0),
}


@pytest.mark.parametrize("name", PLANS)
def test_they_hold(name: str) -> None:
    plan = PLANS[name]
    check_identities(plan, run_native(plan))


Change = Callable[[Result], None]


def counts(**more: int) -> Change:
    """Add to counters of the cache."""

    def change(result: Result) -> None:
        one = result.stores["node0.buffers"].counts
        for name, number in more.items():
            one[name] += number

    return change


def part(name: str, **more: int) -> Change:
    """Add to what a part has done."""

    def change(result: Result) -> None:
        one = result.parts[name]
        fields = {field: getattr(one, field) + number for field, number in more.items()}
        result.parts[name] = replace(one, **fields)  # type: ignore[arg-type]

    return change


def without_store(result: Result) -> None:
    result.stores.clear()


DOCTORED = [
    ("reads", counts(hits=1), "node0.buffers: 3 lookups of blocks, 2 expected"),
    ("reads", counts(hits=-1), "node0.buffers: 1 lookups of blocks, 2 expected"),
    ("reads", counts(evicted=2), "1 blocks came, 2 went, with 1 slots"),
    ("reads", counts(misses=1, hits=-1), "2 blocks came, 0 went, with 1 slots"),
    ("reads", counts(used_ahead=1), "1 blocks came, 1 from the disks, 0 ahead, 1 of them used"),
    ("reads", counts(disk_reads=1), "1 blocks came, 2 from the disks"),
    ("reads", counts(disk_read_bytes=1), "101 B in 1 reads and 0 B in 0 writes of 100 B"),
    ("reads", counts(disk_writes=1), "100 B in 1 reads and 0 B in 1 writes of 100 B"),
    ("reads", counts(disk_hits=2), "2 of 1 reads found in the unit's cache"),
    ("reads", counts(bus_busy_ns=1), "bus busy for 201 ns, its transfers take 200"),
    ("reads", counts(bus_busy_ns=-1), "bus busy for 199 ns"),
    ("reads", counts(disk_busy_ns=-1), "disks busy for 999 ns, their transfers take 1000"),
    ("reads", counts(disk_busy_ns=4501), "disks busy for 5501 ns, their transfers take 1000"),
    ("reads", part("node0.raid", requests=1), "node0.raid: requests, bytes and busy ns (2, 100"),
    ("reads", part("node0.raid", bytes=1), "node0.raid: requests, bytes and busy ns (1, 101"),
    ("reads", part("node0.raid", busy_ns=1), "node0.raid: requests, bytes and busy ns (1, 100"),
    ("reads", part("node0.processor", requests=1), "processor: 3 uses of the processor, 2"),
    ("reads", part("node0.processor", busy_ns=1), "processor: busy for 291 ns, its work takes 290"),
    ("reads", without_store, "node0.buffers: no result, but 2 blocks were requested"),
    ("writes", counts(accepted_bytes=1, overwritten_bytes=1), "81 B received, 80 B written to it"),
    ("writes", counts(overwritten_bytes=1), "80 B written into it, 81 B accounted for"),
    ("merged", counts(hits=1), "node0.buffers: 3 lookups of blocks, 2 expected"),
    ("merged", part("node0.processor", requests=-1), "processor: 2 uses of the processor, 3"),
]


@pytest.mark.parametrize(("name", "change", "said"), DOCTORED, ids=[one[2] for one in DOCTORED])
def test_each_notices_its_defect(name: str, change: Change, said: str) -> None:
    plan, result = PLANS[name], run_native(PLANS[name])
    doctored = copy.deepcopy(result)
    change(doctored)
    assert any(said in one for one in broken_buffers(plan, doctored)), [
        *broken_buffers(plan, doctored)
    ]
    with pytest.raises(IdentityError):
        check_identities(plan, doctored)


def test_disks_that_are_busy_for_longer_than_the_run() -> None:
    plan = PLANS["reads"]
    result = run_native(plan)
    part("node0.raid", busy_ns=10**6)(result)
    with pytest.raises(IdentityError, match=r"node0\.raid: busy for 1001000 ns in "):
        check_identities(plan, result)


def test_requests_of_arrivals_are_not_counted() -> None:
    """Nobody knows which process takes which job: less is checked, and nothing is wrong."""
    plan: Plan = PLANS["reads"]
    result = run_native(plan)
    counts(hits=1)(result)
    served = replace(plan, processes=tuple(replace(one, arrivals=0) for one in plan.processes))
    assert not list(broken_buffers(served, result))


def test_reading_a_checkpoint_back_is_no_request_of_a_round() -> None:
    """How often a job reads back depends on its failures; that it may do so is known."""
    plan = PLANS["reads"]
    first = plan.processes[0]
    computing = PhasePlan(kind=COMPUTE, compute_ns=1000)
    back = replace(first, phases=(computing, *first.phases), repeat=2, reading=1, restart=0)
    restart = RestartPlan(job=first.job, processes=1, times=(1500,))
    plan = replace(plan, processes=(back,), restarts=(restart,))
    for result in (run_native(plan), run_reference(plan)):
        assert result.stores["node0.buffers"].counts["misses"] == 1
        check_identities(plan, result)
