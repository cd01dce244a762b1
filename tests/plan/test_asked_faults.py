"""Mistakes in buffer caches and requests for pieces: each is found, in a sentence that names it."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from simulator.plan.codes import FORWARD, READ, STRIPE
from simulator.plan.jobs import AskedPlan
from simulator.plan.plan import Plan
from tests.plan.test_faults import Change, operation, row
from tests.reference.test_asking import RAID, nodes
from tests.twins.plans.faults import faults


def whole() -> Plan:
    """Two processes, of which one stands on the node that both ask, for merged requests."""
    return nodes(("ask-read", 1), ("ask-read", 0), group=0)


def asked(table: str, column: str, *cells: int) -> Change:
    """A change of a column of the asked requests, groups or extents."""

    def change(plan: Plan) -> Plan:
        assert isinstance(plan.asked, AskedPlan)
        rows = replace(getattr(plan.asked, table), **{column: array("q", cells)})
        return replace(plan, asked=replace(plan.asked, **{table: rows}))

    return change


def both(*changes: Change) -> Change:
    def change(plan: Plan) -> Plan:
        for one in changes:
            plan = one(plan)
        return plan

    return change


def a_read(size: int, **fields: int) -> Change:
    """A read of a file that lies somewhere on its members."""

    def change(plan: Plan) -> Plan:
        phases = [replace(phase, size=0) for phase in plan.processes[0].phases]
        plan = row("processes", 0, phases=tuple(phases))(plan)
        plan = row("files", 0, size=size, **fields)(plan)
        return operation(0, kind=READ, offset=0, size=size)(plan)

    return change


SLOWER = replace(RAID, seek_ns=-1)
ALONE = both(
    asked("requests", "group", -1, -1),
    *(asked("groups", name) for name in ("members", "size", "more", "first", "count")),
)
CASES: list[tuple[Change, str]] = [
    (row("buffers", 0, group=3), "buffers buffers: on group 3"),
    (row("buffers", 0, slots=0), "buffers buffers: 0 slots of 100 B, 0 blocks ahead"),
    (row("buffers", 0, blocks=(1,)), "buffers buffers: blocks on 1 of 2 members"),
    (row("buffers", 0, stored=((0, 1, 1),)), "1 blocks from 1 on stored on member 0"),
    (row("buffers", 0, stored=((2, 0, 1),)), "1 blocks from 0 on stored on member 2"),
    (row("buffers", 0, column=9), "buffers buffers: column 9 of "),
    (row("buffers", 0, raid=2), "buffers buffers: part 2 is no RAID unit of its group"),
    (row("parts", 3, spec=SLOWER), "buffers buffers: a RAID unit of 100000000.0 B/s and times"),
    (lambda plan: replace(plan, buffers=plan.buffers * 2), "the RAID units of others too"),
    (row("tiers", 0, kind=FORWARD, slot=1), "tier 1 has buffers among tiers that asked requests"),
    (row("tiers", 1, row=1), "tier 1 names buffers 1 at place 1"),
    (row("tiers", 1, slot=2), "tier 1 names buffers 0 at place 2"),
    (row("parts", 2, kind="delay"), "tier 1 has processor as its processor, which is no queue"),
    (row("paths", 0, metadata=0), "metadata of pff: tier 1 has buffers, to which calls"),
    (row("paths", 0, drain=0), "drain of pff: tier 1 has buffers, to which calls"),
    (asked("requests", "node", 0), "asked requests: columns of different lengths"),
    (asked("requests", "size", 40, -1), "asked requests: a negative number"),
    (asked("requests", "group", 0, -2), "asked requests: a negative number"),
    (asked("groups", "more", -1), "asked groups: a negative number"),
    (asked("extents", "low", 50, 40), "extent 0: from 50 to 40"),
    (asked("requests", "group", 0, 1), "asked request 1: in group 1 of 1"),
    (asked("requests", "group", 0, -1), "group 0: 1 requests of 2"),
    (asked("requests", "node", 0, 1), "group 0: 2 requests of 2, on {0, 1}"),
    (asked("groups", "count", 3), "group 0: 3 of 2 extents"),
    (both(ALONE, asked("requests", "count", 1, 0)), "asked request 1: 0 of 2 extents"),
    (lambda plan: replace(plan, merging_column=-1), "there is no merging_column"),
    (lambda plan: replace(plan, asked=None), "asks for pieces along path pff, which leads to no"),
    (operation(0, file=2), "p0: operation 0 (ask-read) names file 2 of 1"),
    (operation(0, size=3), "p0: operation 0 (ask-read) asks for requests to 3 of 2"),
    (operation(0, size=2), "p0: operation 0 (ask-read) asks a node twice at one time"),
    (asked("requests", "node", 2, 2), "p0: operation 0 (ask-read) asks nodes [2] of 2"),
    (asked("extents", "block", 0, 1), "(ask-read) asks member 0 for block 1 to byte 80"),
    (asked("extents", "high", 40, 101), "(ask-read) asks member 0 for block 0 to byte 101"),
    (a_read(9, room=8), "p0: operation 0 (read) has 9 B of array on a member, where it has room f"),
    (a_read(9, base=95, room=9), "(read) has array to byte 104 of members of 0 blocks"),
]


def test_a_plan_of_merged_requests_has_no_faults() -> None:
    assert faults(whole()) == []
    assert faults(ALONE(whole())) == []


@pytest.mark.parametrize(("change", "said"), CASES, ids=[said for _, said in CASES])
def test_a_fault_is_named(change: Change, said: str) -> None:
    found = faults(change(whole()))
    assert any(said in one for one in found), found


def test_a_striped_file_needs_room_for_its_share() -> None:
    """9 bytes in units of 2 over both members: three units at most on one."""
    plan = a_read(9, room=6)(whole())
    assert "(read) has 9 B of array" in " ".join(faults(plan))
    stripe = replace(plan.tiers[0], kind=STRIPE, down=(), up=(), size=2, width=2, slot=1)
    later = row("paths", 0, places=(0, 0))(replace(plan, tiers=(stripe, *plan.tiers)))
    later = row("buffers", 0, blocks=(1, 1))(later)
    assert faults(later) == []


def test_buffers_on_the_own_node_answer_nobody_else() -> None:
    """Without a network before them, place 0 is theirs."""
    own = both(
        row("tiers", 0, down=(), up=(), header=0),
        row("tiers", 1, slot=0, down=(replace(whole().tiers[1].down[0], slot=0),)),
        row("paths", 0, places=(0,)),
    )
    found = faults(own(whole()))
    assert found == ["p0: operation 0 (ask-read) asks nodes [0] from node 1, without a way there"]
