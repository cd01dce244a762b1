"""A small composed machine with two jobs, and the result of its run worked out by hand.

Two clients reach a server's disk through its write-back cache. ``writer`` writes 100 B in one call,
``reader`` reads 50 B of another file by records; both computed before.
"""

from __future__ import annotations

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.codes import (
    CLOSE,
    COMPUTE,
    END,
    LISTED,
    OPEN,
    STAGE,
    STORE,
    STREAM,
    SYNC,
    WRITE,
)
from simulator.plan.jobs import Operations, PhasePlan, ProcessPlan
from simulator.plan.parts import GroupPlan, PartPlan, StorePlan
from simulator.plan.paths import FilePlan, Hold, PathPlan, TierPlan
from simulator.plan.plan import Plan
from simulator.result.latency import Latency
from simulator.result.result import PartResult, ProcessResult, Result, Span, StoreResult, Transfer
from simulator.runtime.lengths import FixedLengths
from simulator.service import ServiceSpec

US = 1000
COLUMNS = ("cpu", "nic.out", "nic.in", "disk", "pages", "pages.writeback")


def a_part(name: str, kind: str, group: int, first: int, count: int, **more: object) -> PartPlan:
    column = COLUMNS.index(more.pop("column", name))  # type: ignore[arg-type]
    return PartPlan(
        name=name, kind=kind, group=group, first=first, count=count, column=column, **more
    )  # type: ignore[arg-type]


def a_plan() -> Plan:
    """Both jobs on the machine."""
    nic = ServiceSpec(100e6)
    parts = (
        a_part("cpu", "cpu", 0, 0, 2, spec=PeSpec(1e9, call_overhead_ns=1 * US)),
        a_part("nic", "queue", 0, 2, 2, way="out", service=nic, column="nic.out"),
        a_part("nic", "queue", 0, 4, 2, way="in", service=nic, column="nic.in"),
        a_part("port", "queue", 1, 6, 1, way="in", service=nic, column="nic.in"),
        a_part("port", "queue", 1, 7, 1, way="out", service=nic, column="nic.out"),
        a_part("disk", "disk", 1, 8, 1, spec=DiskSpec(rate=10e6)),
    )
    store = StorePlan(
        name="pages",
        group=1,
        first=0,
        count=1,
        slots=8,
        block=64,
        triggers=frozenset({"eager"}),
        workers=1,
        first_worker=2,
        cache_column=4,
        writeback_column=5,
    )
    stage = TierPlan(kind=STAGE, down=(Hold(1, 0), Hold(3, 1)), up=(Hold(4, 1), Hold(2, 0)))
    disk = (Hold(5, 1),)
    tiers = (
        stage,
        TierPlan(kind=STORE, row=0, slot=1),
        TierPlan(kind=STAGE, down=disk, up=disk),
        TierPlan(kind=END),
    )
    operations = Operations()
    operations.add(OPEN, 0)
    operations.add(WRITE, 0, 0, 100, gap=5 * US)
    operations.add(SYNC, 0)
    operations.add(CLOSE, 0, 0, 1)
    lengths = FixedLengths(10, 5)
    return Plan(
        machine="pair",
        workload="both",
        groups=(GroupPlan(name="client", count=2), GroupPlan(name="server", count=1)),
        parts=parts,
        stores=(store,),
        tiers=tiers,
        paths=(PathPlan(name="home", top=0, places=(0, 1), first_store=1),),
        files=(
            FilePlan(name="out", path=0, size=100),
            FilePlan(name="in", path=0, length=50, size=50, base=1000),
        ),
        processes=(
            ProcessPlan(
                name="writer",
                job="write",
                group=0,
                node=0,
                cpu=0,
                phases=(
                    PhasePlan(kind=COMPUTE, compute_ns=10 * US),
                    PhasePlan(kind=LISTED, first=0, count=4),
                ),
            ),
            ProcessPlan(
                name="reader",
                job="read",
                group=0,
                node=1,
                cpu=0,
                phases=(
                    PhasePlan(kind=COMPUTE, compute_ns=20 * US),
                    PhasePlan(kind=STREAM, file=1, path=0, lengths=lengths, buffer=1),
                ),
            ),
        ),
        operations=operations,
        columns=COLUMNS,
        digest="0123456789abcdef",
    )


def latency(*values_ns: int) -> Latency:
    one = Latency()
    for value in values_ns:
        one.add(value)
    return one


def a_result() -> Result:
    """What comes out; the numbers fit together, to the nanosecond and byte."""
    writer = ProcessResult(
        name="writer",
        job="write",
        started_ns=0,
        ended_ns=29 * US,
        read=Transfer(),
        write=Transfer(100, 2 * US, 15 * US, 17 * US),
        compute_ns=15 * US,
        idle_ns=0,
        spent={"cpu": (0, 2 * US), "nic.out": (0, 1 * US), "pages.writeback": (11 * US, 0)},
    )
    reader = ProcessResult(
        name="reader",
        job="read",
        started_ns=0,
        ended_ns=35_500,
        read=Transfer(50, 15_500, 20_000, 35_500),
        write=Transfer(),
        compute_ns=20 * US,
        idle_ns=0,
        spent={"cpu": (0, 5 * US), "disk": (5 * US, 5 * US), "nic.out": (0, 500)},
    )
    counts = {
        "hits": 4,
        "misses": 3,
        "fetched": 1,
        "fetched_bytes": 50,
        "read_ahead": 0,
        "used_ahead": 0,
        "created": 2,
        "written_back": 2,
        "written_back_bytes": 100,
        "accepted_bytes": 100,
        "overwritten_bytes": 0,
        "resident": 3,
        "evicted": 0,
        "released": 0,
        "dirty": 0,
        "dirty_bytes": 0,
        "syncs": 1,
    }
    return Result(
        machine="pair",
        workload="both",
        engine="native",
        seed=0,
        run=0,
        digest="0123456789abcdef",
        elapsed_ns=35_500,
        end_ns=35_500,
        processes=[writer, reader],
        parts={
            "client0.nic.out": PartResult("nic.out", "queue", 1, 100, 1 * US),
            "client1.nic.in": PartResult("nic.in", "queue", 5, 50, 500),
            "server.port.in": PartResult("port.in", "queue", 1, 100, 1 * US),
            "server.port.out": PartResult("port.out", "queue", 5, 50, 500),
            "server.disk": PartResult("disk", "disk", 3, 150, 15 * US),
        },
        stores={"server.pages": StoreResult("pages", counts)},
        latencies={
            "open": latency(0, 0),
            "close": latency(0, 0),
            "write": latency(2 * US),
            "sync": latency(12 * US),
            "read": latency(11_100, 1_100, 1_100, 1_100, 1_100),
        },
        prestage_ns=0,
        events=20,
        spans=[
            Span("client0.nic.out", 16 * US, 1 * US, 100),
            Span("server.port.in", 16 * US, 1 * US, 100),
            Span("server.disk", 17 * US, 5 * US, 64),
            Span("server.disk", 22 * US, 5 * US, 36),
            Span("server.disk", 27 * US, 5 * US, 50),
            *(Span("server.port.out", 32 * US + i * 500, 100, 10) for i in range(5)),
            *(Span("client1.nic.in", 32 * US + i * 500, 100, 10) for i in range(5)),
        ],
    )
