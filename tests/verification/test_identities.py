"""The identities hold for a run worked out by hand, and each notices its own defect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from simulator.plan.codes import HOLD
from simulator.plan.parts import StorePlan
from simulator.plan.paths import FilePlan, Hold, TierPlan
from simulator.result.latency import Latency
from simulator.result.result import PartResult, Result, Span, StoreResult
from simulator.service import ServiceSpec
from simulator.verification.identities import broken_identities, check_identities
from simulator.verification.sums import IdentityError, check_sums
from tests.verification.handmade import a_part, a_plan, a_result, latency


def test_they_hold_for_a_result_worked_out_by_hand() -> None:
    check_identities(a_plan(), a_result())


def _counts(**changed: int) -> Callable[[Result], None]:
    return lambda result: result.stores["server.pages"].counts.update(changed)


def _part(name: str, **changed: int) -> Callable[[Result], None]:
    def change(result: Result) -> None:
        result.parts[name] = replace(result.parts[name], **changed)

    return change


def _process(number: int, **changed: object) -> Callable[[Result], None]:
    def change(result: Result) -> None:
        result.processes[number] = replace(result.processes[number], **changed)  # type: ignore[arg-type]

    return change


def _latency(operation: str, *values: int) -> Callable[[Result], None]:
    return lambda result: result.latencies.update({operation: latency(*values)})


def _do(*acts: Callable[[Result], None]) -> Callable[[Result], None]:
    def change(result: Result) -> None:
        for act in acts:
            act(result)

    return change


DOCTORED: dict[str, tuple[Callable[[Result], None], str]] = {
    "time": (_process(0, compute_ns=14_000), "writer: 28000 ns of 29000 accounted for"),
    "negative time": (
        _process(0, compute_ns=-1, idle_ns=15_001),
        "writer: negative time in its account",
    ),
    "span of a process": (_process(0, started_ns=-1, compute_ns=15_001), "ran from -1 to 29000"),
    "transfer time": (
        lambda result: setattr(result.processes[0].write, "calls_ns", 30_000),
        "writer: 100 B in 30000 ns",
    ),
    "elapsed": (
        lambda result: setattr(result, "elapsed_ns", 36_000),
        "last process ended at 35500",
    ),
    "end": (lambda result: setattr(result, "end_ns", 35_000), "the run ended at 35000 ns"),
    "missing process": (lambda result: result.processes.pop(), "no result of reader"),
    "planned bytes": (
        lambda result: setattr(result.processes[1].read, "bytes", 40),
        "reader: read of 40 B where 50 B were planned",
    ),
    "calls made": (_latency("read", 15_500), "read: 1 latencies where 5 calls were planned"),
    "calls not asked for": (_latency("stat", 0), "stat: 1 latencies where 0 calls were planned"),
    "histogram": (
        lambda result: setattr(result.latencies["sync"], "count", 2),
        "sync: 2 latencies, 1 in the histogram",
    ),
    "maximum": (
        lambda result: setattr(result.latencies["sync"], "max_ns", 11_000),
        "sync: latencies of 12000 ns in all, 12000 at least, 11000 at most",
    ),
    "Little's law": (
        _latency("sync", 13_001),
        "calls took 30501 ns in all, but processes spent 29500 ns",
    ),
    "kind": (
        lambda result: setattr(result.parts["server.disk"], "kind", "queue"),
        "kind 'queue', which the plan has not",
    ),
    "counters": (_part("server.disk", requests=0), "server.disk: 0 requests"),
    "busy": (_part("server.port.in", busy_ns=36_000), "server.port.in: busy for 36000 ns in 35500"),
    "device": (_part("server.disk", bytes=149), "disk: 149 B served, 150 B sent through it"),
    "network": (
        _part("server.port.in", bytes=90),
        "nic.out: 100 B, but 90 B at port.in with it",
    ),
    "calls and network": (
        _do(_part("server.port.in", bytes=90), _part("client0.nic.out", bytes=90)),
        "nic.out: 90 B served, 100 B sent through it",
    ),
    "accepted": (_counts(dirty=1, dirty_bytes=3), "100 B written into it, 103 B accounted for"),
    "taken in": (
        _counts(accepted_bytes=101, overwritten_bytes=1),
        "pages: 101 B received, 100 B written to it",
    ),
    "blocks": (_counts(resident=2), "3 blocks came, 0 went, 2 are there"),
    "slots": (_counts(resident=9, created=8), "9 blocks resident in 8 slots"),
    "dirty": (_counts(dirty=1), "1 dirty blocks with 0 B"),
    "ahead": (_counts(used_ahead=1), "1 blocks fetched, 0 ahead, 1 of them used"),
    "fetched": (_counts(fetched_bytes=65), "65 B fetched in 1 blocks"),
    "negative counter": (_counts(hits=-1), "negative counters: hits"),
    "unknown store": (
        lambda result: result.stores.update(x=StoreResult("pages", {}), y=StoreResult("z", {})),
        "y: a store 'z', which the plan has not",
    ),
    "timeline": (
        lambda result: result.spans.pop(0),
        "client0.nic.out: 0 services of 0 B in 0 ns on the timeline",
    ),
    "servers": (
        lambda result: setattr(result.spans[3], "start_ns", 21_000),
        "server.disk: 2 services at one time on 1 servers",
    ),
    "services": (
        lambda result: setattr(result.spans[0], "start_ns", -1),
        "client0.nic.out: a service of 1000 ns at -1 ns",
    ),
}


def _by_job(result: Result) -> dict[str, dict[str, Latency]]:
    opened = {"open": latency(0), "close": latency(0)}
    write = {**opened, "write": latency(2_000), "sync": latency(12_000)}
    return {"write": write, "read": {**opened, "read": result.latencies["read"]}}


def test_latencies_of_jobs_add_up_to_those_of_the_run() -> None:
    result = a_result()
    result.job_latencies = _by_job(result)
    check_identities(a_plan(), result)
    result.job_latencies["write"]["sync"] = latency(11_999)
    with pytest.raises(IdentityError, match="sync: latencies of all jobs are not those of the run"):
        check_sums(result)


def test_each_job_makes_the_calls_that_are_planned_for_it() -> None:
    """All together are right."""
    result = a_result()
    result.job_latencies = {"read": _by_job(result)["write"], "write": _by_job(result)["read"]}
    check_sums(result)
    told = "write: 5 latencies of read where 0 were planned"
    with pytest.raises(IdentityError, match=told):
        check_identities(a_plan(), result)


def test_response_times_of_a_job_are_the_latencies_of_its_arrivals() -> None:
    result = a_result()
    result.job_latencies = _by_job(result)
    result.latencies["job"] = result.job_latencies["write"]["job"] = latency(1, 2)
    result.responses["write"] = latency(1, 2)
    check_sums(result)
    result.responses["write"] = latency(1, 3)
    with pytest.raises(IdentityError, match="write: latencies of its arrivals are other ones"):
        check_sums(result)


@pytest.mark.parametrize("what", DOCTORED)
def test_a_doctored_result_fails(what: str) -> None:
    change, said = DOCTORED[what]
    result = a_result()
    change(result)
    with pytest.raises(IdentityError) as error:
        check_identities(a_plan(), result)
    assert said in str(error.value)


def test_all_that_is_broken_is_listed() -> None:
    result = a_result()
    _process(0, compute_ns=1)(result)
    _counts(resident=0)(result)
    assert len(list(broken_identities(a_plan(), result))) == 2


def test_a_shared_part_can_serve_as_much_as_it_is_fast() -> None:
    plan = a_plan()
    both = {"kind": "shared", "service": ServiceSpec(1e6)}
    fast = replace(plan.parts[5], speeds=(1 << 19, 1 << 21), **both)  # type: ignore[arg-type]
    result = a_result()
    result.spans = []
    result.parts["server.disk"] = PartResult("disk", "shared", 3, 150, 71_000)
    plan = replace(plan, parts=(*plan.parts[:5], fast))
    check_identities(plan, result)
    result.parts["server.disk"].busy_ns += 1
    with pytest.raises(IdentityError, match=r"server.disk: busy for 71001 ns in 35500 ns"):
        check_identities(plan, result)


def test_services_of_a_pool_are_not_asked_for() -> None:
    """How long a server is kept is not known when it is taken."""
    plan = a_plan()
    part = a_part("pool", "queue", 1, 9, 1, column="cpu", servers=2)
    plan = replace(
        plan,
        parts=(*plan.parts, part),
        tiers=(TierPlan(kind=HOLD, down=(Hold(6, 1),)), *plan.tiers),
    )
    result = a_result()
    result.parts["server.pool"] = PartResult("pool", "queue", 6, 150, 70_000, servers=2)
    check_identities(plan, result)
    result.spans.append(Span("server.pool", 0, 40_000, 0))
    with pytest.raises(IdentityError, match=r"server.pool: a service of 40000 ns at 0 ns"):
        check_identities(plan, result)


def test_files_of_the_plan_may_be_on_no_path_that_is_used() -> None:
    plan = a_plan()
    plan = replace(plan, files=(*plan.files, FilePlan(name="spare", path=0)))
    check_identities(plan, a_result())


def test_the_store_of_the_plan_has_defaults() -> None:
    assert StorePlan(name="s", group=0, first=0, count=1, slots=1, block=1).back
