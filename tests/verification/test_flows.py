"""Bytes and calls that are known of a plan before a run: where they pass, with headers or not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from simulator.native.run import run_native
from simulator.plan.codes import (
    CLOSE_FLUSH,
    END,
    HOLD,
    LISTED,
    POISSON,
    READ,
    SEND,
    STAGE,
    STORE,
    WRITE,
)
from simulator.plan.demand import MOST_RECORDS
from simulator.plan.jobs import (
    ArrivalsPlan,
    ChannelPlan,
    DrawPlan,
    Operations,
    PhasePlan,
    ProcessPlan,
)
from simulator.plan.paths import Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan
from simulator.result.result import StoreResult
from simulator.verification.flows import Flows
from simulator.verification.identities import broken_identities
from simulator.verification.planned import Planned
from tests.engines.hand import Hand
from tests.verification.handmade import a_plan, a_result


def _listed_plan(operations: Operations, **more: object) -> Plan:
    process = ProcessPlan(
        name="p", job="j", group=0, node=0, phases=(PhasePlan(kind=1 + 1, count=len(operations)),)
    )
    plan = replace(a_plan(), operations=operations, processes=(process,))
    return replace(plan, **more)  # type: ignore[arg-type]


def _flows(plan: Plan, *stores: tuple[str, str, dict[str, int]]) -> Flows:
    result = a_result()
    result.stores = {name: StoreResult(store, counts) for name, store, counts in stores}
    return Flows(plan, Planned(plan, {}).total, result)


def test_bytes_below_a_store_are_those_that_it_asks_for() -> None:
    """Two stores above each other, the upper one written through."""
    operations = Operations()
    operations.add(WRITE, 0, 0, 70)
    operations.add(READ, 0, 0, 30)
    plan = _listed_plan(operations)
    upper = replace(plan.stores[0], name="upper", back=False, workers=0)
    hold = (Hold(1, 0),)
    tiers = (
        TierPlan(kind=STORE, row=1),
        TierPlan(kind=STAGE, down=hold, up=hold),
        *plan.tiers[1:],
    )
    plan = replace(plan, stores=(*plan.stores, upper), tiers=tiers)
    flows = _flows(
        plan,
        ("server.upper", "upper", {"fetched_bytes": 64, "accepted_bytes": 70}),
        (
            "server.pages",
            "pages",
            {"fetched_bytes": 10, "read_back_bytes": 1, "written_back_bytes": 5},
        ),
    )
    assert flows.known() == {1: 134, 5: 16}
    assert {row: (one.read, one.write) for row, one in flows.known_stores().items()} == {
        0: (64, 70),
        1: (30, 70),
    }


def test_a_store_whose_paths_part_below_it_says_nothing_of_them() -> None:
    operations = Operations()
    operations.add(WRITE, 0, 0, 70)
    plan = _listed_plan(operations)
    store, end = TierPlan(kind=STORE, row=0), TierPlan(kind=END)
    ways = [TierPlan(kind=STAGE, down=(Hold(part, 0),)) for part in (1, 5)]
    plan = replace(
        plan,
        tiers=(store, ways[0], end, store, ways[1], end),
        paths=(PathPlan(name="a", top=0), PathPlan(name="b", top=3)),
    )
    assert _flows(plan).known() == {}
    same = replace(plan, tiers=(store, ways[0], end) * 2)
    assert _flows(same, ("server.pages", "pages", {"written_back_bytes": 7})).known() == {1: 7}


def test_messages_are_data_of_a_write_and_headers_are_not_known() -> None:
    operations = Operations()
    operations.add(SEND, offset=0, size=40)
    operations.add(SEND, offset=0, size=2)
    plan = _listed_plan(operations, channels=(ChannelPlan(source=0, target=0, top=0),))
    assert _flows(plan).known() == {1: 42, 3: 42, 4: 0, 2: 0, 5: 0}
    header_traffic = replace(plan.tiers[0], header=64)
    plan = replace(plan, tiers=(header_traffic, *plan.tiers[1:]))
    assert _flows(plan).known() == {5: 0}


def test_a_pool_serves_what_passes_it() -> None:
    operations = Operations()
    operations.add(WRITE, 0, 0, 70)
    plan = _listed_plan(operations)
    pool = TierPlan(kind=HOLD, down=(Hold(1, 0),))
    plan = replace(plan, tiers=(pool, TierPlan(kind=END)))
    assert _flows(plan).known() == {1: 70}


def header_traffic(
    *operations: tuple[object, ...], remote_only: bool = False, cut: int = 0
) -> Plan:
    """Processes on nodes 0 and 1, messages between them, a file behind a server with headers."""
    hand = Hand(node=2, server=1)
    for name in ("nic", "bus"):
        hand.part(name, "node", rate=1e9)
    for name in ("port", "meta", "disk"):
        hand.part(name, "server", rate=1e9)
    tiers = [hand.stage("nic", "port", header=10), hand.stage("disk")]
    if cut:
        tiers.insert(0, hand.request(cut))
    metadata = hand.chain([hand.stage("meta", header=5)])
    hand.path("fs", tiers, metadata=metadata, close=CLOSE_FLUSH)
    hand.file("f", "fs", 1000, length=1000)
    link = hand.stage("bus", down=(Hold(2, 0), Hold(2, 1)), up=(Hold(2, 1), Hold(2, 0)), header=3)
    top = hand.chain([replace(link, remote_only=remote_only)])
    hand.channels = [ChannelPlan(source=0, target=other, top=top) for other in (0, 1)]
    hand.process("p", hand.listed(*operations), repeat=2)
    hand.process("q", node=1)
    return hand.plan()


def _known(plan: Plan) -> dict[str, int]:
    """The bytes that are known of each part; a run has served just these."""
    result = run_native(plan, debug=True)
    known = Flows(plan, Planned(plan, {}).total, result).known()
    named = {plan.parts[row].name: size for row, size in known.items() if size}
    served: Counter[str] = Counter()
    for one in result.parts.values():
        served[one.part] += one.bytes
    assert {name: served[name] for name in named} == named
    return named


CALLS = (
    ("open", "f"),
    ("read", "f", 0, 70),
    ("write", "f", 0, 30),
    ("sync", "f"),
    ("close", "f", 0, 1),
)


def test_headers_of_calls_and_metadata_are_known() -> None:
    """Four requests a round: a read, a write, a sync and that of the close; two of metadata."""
    both = 2 * (70 + 30 + 2 * 4 * 10)
    assert _known(header_traffic(*CALLS)) == {
        "nic": both,
        "port": both,
        "disk": 2 * 100,
        "meta": 2 * 2 * 2 * 5,
    }


def test_headers_behind_a_cut_are_those_of_the_messages_that_were_served() -> None:
    """A read in two requests, a write in one, two syncs, each with an answer: 10 a round."""
    plan = header_traffic(*CALLS, cut=50)
    assert _known(plan) == {"disk": 200, "meta": 40}
    result = run_native(plan, debug=True)
    rows = Flows(plan, Planned(plan, {}).total, result).header_traffic()
    assert {plan.parts[row].name for row in rows} == {"nic", "port"}
    for row, one in rows.items():
        served = [part for part in result.parts.values() if part.part == plan.parts[row].name]
        requests = sum(part.requests for part in served)
        assert requests == 2 * 10
        assert sum(part.bytes for part in served) == one.bytes_of(requests) == 2 * (100 + 10 * 10)


def test_a_header_that_is_missing_behind_a_cut_is_found() -> None:
    plan = header_traffic(*CALLS, cut=50)
    result = run_native(plan)
    assert not list(broken_identities(plan, result))
    result.parts["server.port"].bytes -= 10
    (about, *_) = broken_identities(plan, result)
    assert about == ("port: 390 B served in 20 messages, 400 B of data and headers sent through it")


def test_headers_of_two_sizes_behind_cuts_are_not_told_apart() -> None:
    hand = Hand(node=1, server=1)
    hand.part("nic", "node", rate=1e9)
    hand.part("disk", "server", rate=1e9)
    for header in (10, 20):
        name = f"fs{header}"
        tiers = [hand.request(50), hand.stage("nic", header=header), hand.stage("disk")]
        hand.path(name, tiers)
        hand.file(f"f{header}", name, 1000, length=1000)
    hand.process("p", hand.listed(("read", "f10", 0, 70), ("read", "f20", 0, 70)))
    plan = hand.plan()
    result = run_native(plan, debug=True)
    rows = Flows(plan, Planned(plan, {}).total, result).header_traffic()
    assert [one.bytes_of(8) for one in rows.values()] == [None]


def test_messages_within_a_node_pass_no_stage_between_neighbours() -> None:
    operations = (("send", 0, 0, 100), ("send", 1, 0, 20), ("send", 1, 0, 0))
    away = 2 * 2 * (20 + 2 * 2 * 3)
    assert _known(header_traffic(*operations, remote_only=True)) == {"bus": away}


def test_a_header_that_is_missing_is_found() -> None:
    plan = header_traffic(*CALLS)
    result = run_native(plan)
    result.parts["server.port"].bytes -= 10
    assert "port: 350 B served, 360 B sent through it" in list(broken_identities(plan, result))


def test_what_is_copied_after_a_process_is_what_it_wrote() -> None:
    operations = Operations()
    operations.add(WRITE, 0, 30, 40)
    operations.add(WRITE, 0, 0, 10)
    end = TierPlan(kind=END)
    drain = TierPlan(kind=STAGE, down=(Hold(5, 1),), up=(Hold(5, 1),))
    plan = _listed_plan(
        operations, tiers=(end, drain, end), paths=(PathPlan(name="a", top=0, drain=1),)
    )
    assert _flows(plan).known() == {5: 70}


def _arriving(count: int, *bytes_of: int) -> Plan:
    operations = Operations()
    processes = []
    for number, size in enumerate(bytes_of):
        operations.add(WRITE, 0, 0, size)
        phase = PhasePlan(kind=2, first=number, count=1)
        processes.append(
            ProcessPlan(name=f"p{number}", job="j", group=0, node=0, phases=(phase,), arrivals=0)
        )
    arrivals = ArrivalsPlan(kind=POISSON, count=count, gap_ns=10)
    return replace(
        a_plan(), operations=operations, processes=tuple(processes), arrivals=(arrivals,)
    )


def test_jobs_that_arrive_are_counted_if_they_are_alike() -> None:
    alike = Planned(_arriving(7, 10, 10), {}).total
    assert (alike.write, alike.calls["write"], alike.counted) == (70, 7, True)
    different = Planned(_arriving(7, 10, 20), {}).total
    assert (different.counted, different.unknown) == (False, {0})


def _streaming(records: int) -> Plan:
    hand = Hand(node=1)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", records)
    hand.process("p", hand.stream("f", 1, records, write=True))
    return hand.plan()


def test_calls_of_a_stream_of_many_records_are_counted() -> None:
    total = Planned(_streaming(100_000), {}).total
    assert total.counted
    assert total.calls["write"] == 100_000
    assert MOST_RECORDS >= 2_000_000


def test_of_streams_that_are_longer_still_only_the_bytes_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = _streaming(9)
    assert _flows(plan).known() == {1: 9}
    monkeypatch.setattr("simulator.plan.demand.MOST_RECORDS", 8)
    assert _flows(plan).known() == {}
    assert not list(broken_identities(plan, run_native(plan)))


def test_a_message_that_is_dealt_out_is_not_one_request() -> None:
    """A header crosses both disks in pieces, then one: more requests than messages."""
    hand = Hand(node=1, server=1)
    hand.devices("disks", "server", 2)
    hand.part("disk", "disks", rate=1e9)
    dealt = hand.stage("disk", header=7, pieces=4, width=2, slot=2)
    hand.path("fs", [dealt, hand.request(16), hand.stage("disk", header=7)])
    hand.file("f", "fs", 1000, length=1000)
    hand.process("p", hand.listed(("read", "f", 63, 1)))
    result = run_native(hand.plan(), debug=True)
    assert sum(part.requests for part in result.parts.values()) > 4
    assert not list(broken_identities(hand.plan(), result))


def test_what_a_drawn_job_writes_may_be_drained_though_the_first_draws_write_nothing() -> None:
    """Of two places with 1 B and 0 B the first job draws those with 0 B only."""
    operations = Operations()
    operations.add(WRITE, 0, 0, 1)
    operations.add(WRITE, 0, 7, 0)
    draw = DrawPlan(key=8250849651088336289, first=0, count=2, places=2)
    assert [draw.range_of(operations, row, 0)[1] for row in draw.rows] == [0, 0]
    assert {draw.range_of(operations, row, 1)[1] for row in draw.rows} != {0}
    phase = PhasePlan(kind=LISTED, count=2, draw=draw)
    process = ProcessPlan(name="p", job="j", group=0, node=0, phases=(phase,), arrivals=0)
    plan = a_plan()
    plan = replace(
        plan,
        operations=operations,
        processes=(process,),
        arrivals=(ArrivalsPlan(kind=0, count=4),),
        paths=tuple(replace(path, drain=len(plan.tiers) - 2) for path in plan.paths),
    )
    assert len(plan.tiers) - 2 in Planned(plan, {}).total.unknown
