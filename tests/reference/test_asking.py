"""Asked requests by hand: two nodes, blocks of 100 bytes, and a RAID unit of 10 ns for a byte."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.native.run import run_native
from simulator.plan.codes import BUFFERS, OPERATIONS
from simulator.plan.errors import SimulationError
from simulator.plan.jobs import AskedPlan, Operations
from simulator.plan.parts import BuffersPlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.report.screen import table_text
from simulator.report.tables import latencies_table
from simulator.result.record import record_of
from simulator.runtime.iosteps import ExtentRows, Groups, Requests
from simulator.service import ServiceSpec
from tests.engines.hand import Hand
from tests.reference.runs import both

RAID = RaidSpec(rate=1e8, overhead_ns=500, seek_ns=3000, turn_ns=2000, cache=1000, bus_rate=5e8)
AT_ONCE = 100 * 10 + 100 * 2
"""The first block at time 0, from the disks and over the bus;"""
FETCH = 500 + 1000 + AT_ONCE
"""and later, when it has passed the head."""
HANDLING = 100 + 5
"""A request of one piece at the processor."""


def ints(*values: int) -> array[int]:
    return array("q", values)


def nodes(*processes: tuple[str, int], group: int = -1, stored: bool = True) -> Plan:
    """Two nodes; process i asks for 40 bytes on node 0: request i, extent i."""
    hand = Hand(node=2)
    hand.part("port", "node", rate=1e9)
    hand.part("processor", "node")
    hand.part("raid", "node", "raid", spec=RAID)
    port, processor = hand.stage("port").down[0], hand.stage("processor").down[0]
    there = Hold(port.part, 1)
    stage = hand.stage("port", down=(port, there), up=(there, port), header=10, remote_only=True)
    buffers = TierPlan(kind=BUFFERS, down=(Hold(processor.part, 1),), slot=1)
    hand.path("pff", [stage, buffers], places=(0, 0))
    hand.file("array", "pff", size=100)
    count = len(processes)
    for number, (kind, node) in enumerate(processes):
        phase = hand.listed((kind, "array", number, 1))
        write = kind == "ask-write"
        hand.process(f"p{number}", replace(phase, size=40, write=write), node=node)
    requests = Requests(
        node=ints(*[0] * count),
        size=ints(*[40] * count),
        message=ints(*[7] * count),
        pieces=ints(*[1] * count),
        group=ints(*[group] * count),
        first=ints(*range(count)),
        count=ints(*[1] * count),
    )
    merged = (count, 40 * count, 3, 0, count) if group >= 0 else ()
    groups = Groups(*[ints(*merged[i : i + 1]) for i in range(5)])
    low = [40 * number for number in range(count)]
    extents = ExtentRows(ints(*[0] * count), ints(*low), ints(*[one + 40 for one in low]))
    return hand.plan(
        asked=AskedPlan(requests=requests, groups=groups, extents=extents),
        buffers=(
            BuffersPlan(
                name="buffers",
                group=0,
                slots=4,
                block=100,
                ahead=0,
                raid=3,
                column=hand.column("disks"),
                blocks=(1, 0),
                stored=((0, 0, 1),) if stored else (),
                request_ns=100,
                piece_ns=5,
                copy=ServiceSpec(1e9),
            ),
        ),
        merging_column=hand.column("merging"),
    )


def test_a_read_on_the_own_node() -> None:
    result = both(nodes(("ask-read", 0)))
    assert result.elapsed_ns == AT_ONCE + HANDLING + 40
    assert result.processes[0].spent == {"disks": (AT_ONCE, 0), "processor": (0, HANDLING + 40)}
    read = result.processes[0].read
    assert (read.bytes, read.calls_ns, read.elapsed_ns) == (40, *[result.elapsed_ns] * 2)
    assert (result.parts["node0.raid"].requests, result.parts["node0.raid"].bytes) == (1, 100)


def test_a_read_of_another_node_is_a_message_each_way() -> None:
    result = both(nodes(("ask-read", 1)))
    assert result.elapsed_ns == 17 + FETCH + HANDLING + 40 + 50


def test_a_block_is_fetched_once() -> None:
    result = both(nodes(("ask-read", 0), ("ask-read", 0)))
    assert result.elapsed_ns == AT_ONCE + 2 * (HANDLING + 40)
    counts = result.stores["node0.buffers"].counts
    assert (counts["hits"], counts["misses"], counts["disk_reads"]) == (1, 1, 1)


def test_merged_requests_are_handled_one_by_one_and_copied_at_once() -> None:
    """The second member does the work for both, and wakes the first."""
    result = both(nodes(("ask-read", 0), ("ask-read", 0), group=0))
    assert result.elapsed_ns == 2 * HANDLING + FETCH + 80 + 3
    first, second = result.processes
    assert first.ended_ns == second.ended_ns
    assert first.spent["merging"] == (HANDLING + FETCH + 83, 0)
    assert second.spent["disks"] == (FETCH, 0)


def test_what_is_dirty_goes_to_the_disks_at_the_end() -> None:
    """A new block: nothing is read, and its 40 bytes are written after the last process."""
    result = both(nodes(("ask-write", 0), stored=False))
    assert result.elapsed_ns == HANDLING + 40
    assert result.end_ns == result.elapsed_ns + 80 + 500 + 1000 + 400
    assert result.stores["node0.buffers"].counts["disk_written_bytes"] == 40


def test_a_tape_on_the_way_is_mounted_for_files_and_not_for_requests() -> None:
    """Requests are of no file, as those that a new tape has: nothing is to be mounted."""
    plan = nodes(("ask-read", 1), ("ask-read", 1))
    tape = DiskSpec(rate=1e9, overhead_ns=7, seek_ns=0, turn_ns=0, mount_ns=10**6)
    parts = [
        replace(one, kind="disk", spec=tape) if one.name == "port" else one for one in plan.parts
    ]
    result = both(replace(plan, parts=tuple(parts)))
    assert result.elapsed_ns < 10**6


def test_a_member_that_never_comes_is_waited_for_by_name() -> None:
    plan = nodes(("ask-read", 0), ("ask-read", 1), group=0)
    operations = Operations()
    for name in ("ask-read", "pause"):
        operations.add(OPERATIONS.index(name), file=0, size=1)
    alone = replace(plan, operations=operations)
    said = r"^processes are blocked: p0 waits for requests to merge with at node0\.buffers$"
    for engine in (run_reference, run_native):
        with pytest.raises(SimulationError, match=said):
            engine(alone)


def test_asked_requests_have_latencies_in_table_and_record() -> None:
    result = both(nodes(("ask-read", 0), ("ask-read", 1)))
    ends = [one.ended_ns for one in result.processes]
    one = record_of(result)["latencies"]["ask-read"]
    assert (one["count"], one["mean_ns"], one["max_ns"]) == (2, sum(ends) / 2, max(ends))
    assert [line.split()[:2] for line in table_text(latencies_table(result)).splitlines()][-1] == [
        "ask-read",
        "2",
    ]
