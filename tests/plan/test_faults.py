"""Plans that no engine could carry out: each mistake is found, in a sentence that names it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from simulator.native.run import run_native
from simulator.plan.codes import END, POISSON, STRIPE
from simulator.plan.jobs import ArrivalsPlan, ChannelPlan, Operations
from simulator.plan.limits import PlanError
from simulator.plan.paths import Hold
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.run import load_plan
from simulator.service import ServiceSpec, SizePoint
from tests.engines.hand import Hand
from tests.twins.plans.faults import check, faults

ROOT = Path(__file__).resolve().parents[2]
Change: TypeAlias = Callable[[Plan], Plan]


def whole() -> Plan:
    """A plan with one of everything, and nothing wrong with it."""
    hand = Hand(pe=4, server=2)
    hand.devices("disk", "server", 3)
    for name in ("memory", "nic"):
        hand.part(name, "pe")
    for name in ("port", "threads", "lane"):
        hand.part(name, "server")
    hand.part("disk", "disk", rate=1e9)
    hand.part("flow", "server", "shared", rate=1e9)
    hand.store("pages", "pe")
    hand.store("cache", "server")
    hand.path(
        "striped",
        [
            hand.stage("memory"),
            hand.kept("pages"),
            hand.request(50, 2),
            hand.stripe("server", 32, 2),
            hand.stage("nic", "port", header=10),
            hand.hold("threads"),
            hand.kept("cache"),
            hand.stage("flow"),
            hand.stage("lane", pieces=4, slot=2, width=3),
            hand.stage("disk", pieces=4, slot=2, width=3),
        ],
    )
    hand.path("straight", [hand.forward("server", "pe"), hand.kept("cache"), hand.stage("disk")])
    hand.paths[0] = replace(hand.paths[0], metadata=hand.chain([hand.work("port")]))
    hand.file("f", "striped", 1000, length=500)
    hand.file("g", "straight", 1000, prestaged=True)
    link = replace(hand.stage("nic"), down=(Hold(2, 0), Hold(2, 1)), up=(), remote_only=True)
    hand.channels = [ChannelPlan(source=0, target=1, top=hand.chain([link]))]
    hand.barriers = [2]
    hand.arrivals = [ArrivalsPlan(kind=POISSON, count=3, gap_ns=5)]
    hand.process(
        "one",
        hand.listed(("lock", 0), ("write", "f", 0, 300), ("unlock", 0), ("send", 0), ("start", 2)),
        hand.listed(("barrier", 0), ("pass", 0)),
    )
    hand.process("two", hand.listed(("receive", 0), ("barrier", 0), ("join", 2)), node=3)
    hand.process("three", hand.stream("f", 100, 3, write=True), sleeps=True)
    hand.process("four", hand.stream("g", 100, 3, write=False), arrivals=0)
    hand.process("five", hand.listed(("stat", "f")), born=0)
    return hand.plan(locks=1, marks=1)


def row(table: str, number: int, **fields: Any) -> Change:
    """A change of one row of a table."""

    def change(plan: Plan) -> Plan:
        rows = list(getattr(plan, table))
        rows[number] = replace(rows[number], **fields)
        return replace(plan, **{table: tuple(rows)})

    return change


def whole_table(**fields: Any) -> Change:
    return lambda plan: replace(plan, **fields)


def phase(process: int, number: int, **fields: Any) -> Change:
    """A change of one phase of a process."""

    def change(plan: Plan) -> Plan:
        phases = list(plan.processes[process].phases)
        phases[number] = replace(phases[number], **fields)
        return row("processes", process, phases=tuple(phases))(plan)

    return change


def operation(number: int, **cells: int) -> Change:
    """A change of one operation."""

    def change(plan: Plan) -> Plan:
        copied = Operations()
        for name in ("kind", "file", "offset", "size", "gap", "column", "path"):
            getattr(copied, name).extend(getattr(plan.operations, name))
            if name in cells:
                getattr(copied, name)[number] = cells[name]
        return replace(plan, operations=copied)

    return change


def hold(part: int, slot: int) -> tuple[Hold, ...]:
    return (Hold(part, slot),)


def test_a_plan_with_one_of_everything_has_no_faults() -> None:
    assert faults(whole()) == []
    check(whole())


CASES = [
    (whole_table(groups=()), "there is no group of nodes"),
    (row("groups", 0, count=0), "group pe: 0 members"),
    (row("groups", 2, count=5), "group disk: 5 members, 3 in each of its parent"),
    (row("groups", 0, parent=1), "group pe: its parent 1 is no earlier group"),
    (row("parts", 1, kind="pool"), "memory: unknown kind pool"),
    (row("parts", 0, spec=None), "cpu: no specification of its cpu"),
    (row("parts", 6, kind="disk"), "disk: no specification of its disk"),
    (row("parts", 1, first=0), "memory: its first instance is 0, not 4"),
    (row("parts", 1, count=3), "memory: 3 instances on group 0"),
    (row("parts", 1, servers=0), "memory: 0 servers"),
    (row("parts", 7, servers=2), "flow: 2 servers"),
    (row("parts", 7, speeds=(1, 0)), "flow: speeds (1, 0)"),
    (row("parts", 7, speeds=(1,)), "flow: speeds (1,)"),
    (row("parts", 1, column=99), "memory: column 99 of "),
    (row("parts", 1, service=ServiceSpec(-1.0)), "memory: a service at -1.0 B/s"),
    (
        row("parts", 1, service=ServiceSpec(1.0, points=(SizePoint(5, 9), SizePoint(5, 9)))),
        "memory: points [(5, 9), (5, 9)]",
    ),
    (row("parts", 1, service=ServiceSpec(1.0, points=(SizePoint(5, 0),))), "memory: points [(5, "),
    (
        row("parts", 1, service=ServiceSpec(1.0, deeper=(ServiceSpec(1.0),))),
        "memory: a queue with services by how many requests there are",
    ),
    (row("parts", 1, latency_ns=-1), "memory: a latency of -1 ns"),
    (row("parts", 1, name="nic"), "instances of one name: pe0.nic, pe1.nic, pe2.nic, pe3.nic"),
    (row("stores", 0, slots=0), "store pages: 0 slots of 100 B, moved by 1"),
    (row("stores", 0, extent=0), "store pages: 4 slots of 100 B, moved by 0"),
    (row("stores", 0, policy="mru"), "store pages: policy mru, release none"),
    (row("stores", 0, triggers=frozenset({"often"})), "store pages: triggers ['often']"),
    (row("stores", 0, dirty_limit=0), "store pages: dirty limit 0, quota -1"),
    (row("stores", 0, high=1, low=2), "store pages: watermarks 2 and 1, 0 blocks ahead"),
    (row("stores", 0, workers=0), "store pages: 0 workers"),
    (row("stores", 1, first_worker=6), "store cache: its first worker is actor 6, not 9"),
    (row("stores", 0, cache_column=-1), "store pages: columns "),
    (row("paths", 0, top=99), "path striped: tier 99 is no beginning of tiers"),
    (row("tiers", -1, kind=STRIPE), "channel 0: tier 17 is no beginning of tiers"),
    (row("tiers", 0, kind=77), "tier 0 is of unknown kind 77"),
    (row("tiers", 0, down=hold(99, 0)), "tier 0 uses part 99 at place 0"),
    (row("tiers", 0, down=hold(0, 0)), "tier 0 uses cpu, a cpu"),
    (row("tiers", 0, down=hold(1, 1)), "tier 0 uses memory at a place of another group"),
    (row("tiers", 0, down=hold(3, 1)), "tier 0 uses place 1, which nothing has decided"),
    (row("tiers", 1, row=5), "tier 1 names store 5 at place 0"),
    (row("tiers", 1, slot=1), "tier 1 has store pages at a place of another group"),
    (row("tiers", 2, size=0), "tier 2 cuts at 0 B with a window of 2"),
    (row("tiers", 3, width=3), "tier 3 stripes units of 32 B over 3 of 2 members"),
    (row("tiers", 3, slot=0), "tier 3 decides place 0"),
    (row("tiers", 4, header=-1), "tier 4 has a header of -1 B"),
    (row("tiers", 4, down=(*hold(7, 1), *hold(3, 1))), "tier 4 holds a shared part together"),
    (row("tiers", 4, down=hold(3, 1) * 2), "tier 4 holds a part twice"),
    (row("tiers", 5, down=()), "tier 5 needs one part, has 0"),
    (row("tiers", 5, down=hold(7, 1)), "tier 5 holds a server of flow, which is no queue"),
    (row("tiers", 5, down=hold(3, 1)), "port: a pool of servers that serves requests too"),
    (row("tiers", 7, down=hold(1, 0)), "tier 7 uses place 0, which nothing has decided"),
    (row("tiers", 7, pieces=2), "tier 7 deals out pieces to several parts, or to a shared one"),
    (row("tiers", 9, width=2), "tier 9 deals out pieces to 2 of 3 members"),
    (row("tiers", 11, by=9), "path straight: tier 11 decides place 1 from place 9"),
    (row("tiers", 15, kind=STRIPE), "metadata of striped: tier 15 decides place 0"),
    (row("paths", 0, close=4), "path striped: unknown close 4"),
    (row("paths", 0, first_store=2), "path striped: its first store is tier 2, which is none"),
    (row("paths", 0, first_store=6), "path striped: a store before its first store"),
    (row("files", 0, path=7), "file f: path 7 of 2"),
    (row("files", 0, length=1001), "file f: 1001 of 1000 B"),
    (row("files", 0, prestaged=True), "file f: prestaged, but path striped leads to no store"),
    (phase(2, 0, path=1), "file f: reaches store cache in different ways"),
    (row("processes", 0, name="two"), "processes of one name"),
    (row("processes", 0, node=4), "one: runs on 1 members of pe from 4 on"),
    (row("processes", 2, nodes=2), "three: shares its data without a path"),
    (row("processes", 0, cpu=1), "one: has part 1 as its cpu"),
    (row("processes", 0, repeat=-1), "one: starts at 0 ns, repeats -1 times"),
    (row("processes", 0, born=3), "one: begins with mark 3 of 1"),
    (row("processes", 2, born=0), "three: begins in several ways"),
    (row("processes", 0, arrivals=4), "one: serves arrivals 4 of 1"),
    (phase(2, 0, buffer=0), "three: streams by posix with a buffer of 0 B"),
    (phase(2, 0, policy="basic"), "three: streams by basic with a buffer of 1 B"),
    (phase(2, 0, file=9), "three: streams file 9"),
    (row("files", 0, size=200, length=0), "three: streams 300 B of f"),
    (phase(2, 0, path=9), "three: uses path 9 of 2"),
    (phase(0, 0, count=99), "one: 99 operations from 0 of 11"),
    (phase(0, 0, kind=9), "one: a phase of unknown kind 9"),
    (row("processes", 3, arrivals=-1), "arrivals 0: no process serves them"),
    (row("arrivals", 0, kind=9), "arrivals 0: unknown kind 9"),
    (row("arrivals", 0, gap_ns=-1), "arrivals 0: a negative number"),
    (row("channels", 0, source=9), "channel 0: from process 9 to 1"),
    (whole_table(barriers=(0,)), "barrier 0: of 0 processes"),
    (operation(1, kind=99), "one: operation 1 is of unknown kind 99"),
    (operation(1, file=9), "one: operation 1 (write) names file 9 of 2"),
    (operation(1, size=1001), "one: operation 1 (write) goes to 1001 of 1000 B"),
    (operation(1, gap=-1), "one: operation 1 (write) has a negative number"),
    (operation(1, column=99), "one: operation 1 (write) charges column 99 of "),
    (operation(1, path=99), "one: operation 1 (write) uses path 99 of "),
    (operation(0, offset=4), "one: operation 0 (lock) names row 4 of 1"),
    (operation(0, kind=11), "one: operation 0 (unlock) of lock 0, which it does not hold"),
    (operation(2, kind=10), "one: operation 2 (lock) of lock 0, which it holds"),
    (operation(2, kind=7), "one: ends with locks [0]"),
    (operation(3, kind=14), "one: operation 3 (receive) from channel 0 to another process"),
    (operation(7, kind=13), "two: operation 7 (send) to channel 0 of another process"),
    (operation(4, offset=0), "one: operation 4 (start) names the process itself"),
    (operation(4, offset=1), "one: operation 4 (start) of two, which does not sleep"),
    (whole_table(lock_column=-1), "one: operation 0 (lock) waits, but there is no lock_column"),
    (whole_table(others_column=99), "two: operation 7 (receive) waits, but there is no others"),
]


@pytest.mark.parametrize(("change", "said"), CASES, ids=[said for _, said in CASES])
def test_a_fault_is_named(change: Change, said: str) -> None:
    found = faults(change(whole()))
    assert any(said in one for one in found), found
    with pytest.raises(PlanError):
        check(change(whole()))


NOTHING = [
    (row("stores", 0, slots=0), "store pages: 0 slots of 100 B, moved by 1"),
    (row("stores", 1, block=0), "store cache: 4 slots of 0 B, moved by 1"),
    (row("stores", 1, extent=0), "store cache: 4 slots of 100 B, moved by 0"),
    (row("tiers", 2, size=0), "tier 2: units of 0 B over 1 members"),
    (row("tiers", 3, width=0), "tier 3: units of 32 B over 0 members"),
]


@pytest.mark.parametrize("engine", [run_reference, run_native])
@pytest.mark.parametrize(("change", "said"), NOTHING, ids=[said for _, said in NOTHING])
def test_engines_refuse_what_they_would_divide_by(
    engine: Callable[[Plan], object], change: Change, said: str
) -> None:
    """It was a ZeroDivisionError, and the end of the whole program where code is compiled."""
    with pytest.raises(PlanError, match=f"^{re.escape(said)}$"):
        engine(change(whole()))


def circle(*orders: str) -> list[str]:
    """The faults of paths with pools and stores in these orders: A, B pools, S, T stores."""
    hand = Hand(pe=1)
    for name in "AB":
        hand.part(name, "pe")
    for name in "ST":
        hand.store(name, "pe")
    for number, order in enumerate(orders):
        tiers = [hand.hold(one) if one in "AB" else hand.kept(one) for one in order]
        hand.path(f"path{number}", tiers)
        hand.file(f"f{number}", f"path{number}", 10)
    return faults(hand.plan())


@pytest.mark.parametrize("orders", ["AB", "AB B", "AS SB", "ST S", "ASB AB"])
def test_orders_that_cannot_wait_in_a_circle(orders: str) -> None:
    assert circle(*orders.split()) == []


@pytest.mark.parametrize("orders", ["AB BA", "AA", "AS SA", "ST TS", "AS SB BA", "AST TA"])
def test_orders_that_could_wait_in_a_circle(orders: str) -> None:
    assert any("could wait for it again" in one for one in circle(*orders.split()))


def test_every_chain_comes_to_an_end() -> None:
    plan = whole()
    assert [tier.kind for tier in plan.tiers].count(END) == 4


def with_files() -> list[str]:
    """The names of the shipped machines that have a file system."""
    found = []
    for file in sorted((ROOT / "configs" / "machines").glob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        if "format: machine/2\n" in text and "\nfilesystems:" in text:
            found.append(file.stem)
    return found


STRIPED = ["nfs-lab", "burst-node", "beegfs-like"]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("machine", "workload"),
    [(one, "copy-file") for one in with_files() if one != "sr8000"]
    + [(one, "shared-file") for one in STRIPED]
    + [("sr8000", "sr8000-write-ut"), ("sr8000", "sr8000-regions")],
)
def test_plans_of_shipped_machines_have_no_faults(machine: str, workload: str) -> None:
    assert faults(load_plan(machine, workload)) == []
