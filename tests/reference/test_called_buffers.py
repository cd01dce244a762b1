"""Reads, writes and syncs that come to a buffer cache, by hand, on both engines.

Blocks of 1000 bytes: 105 ns over the bus, 1000 ns on the disks.
"""

from __future__ import annotations

import pytest

from simulator.plan.codes import BUFFERS, CLOSE_FLUSH
from simulator.plan.parts import BuffersPlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.verification.buffers import wanted_of
from tests.engines.hand import Hand
from tests.reference.runs import run
from tests.reference.test_buffercache import BLOCK, SPEC
from tests.twins.plans.faults import faults

BLOCKS = 12
Row = tuple[object, ...]


def hand_of(*rows: Row, nodes: int = 1, call_ns: int = 0, close: int = 0) -> Hand:
    """One process and two files of six blocks on each node, ``f`` and ``g`` behind it."""
    hand = Hand(node=1, io=nodes)
    hand.part("io", "io")
    hand.part("raid", "io", "raid", spec=SPEC)
    tiers = [TierPlan(kind=BUFFERS, down=(Hold(1, 1),), slot=1)]
    if nodes > 1:
        tiers = [hand.request(2 * BLOCK), hand.stripe("io", BLOCK, nodes), *tiers]
    column = hand.column("library")
    hand.path("fs", tiers, call_ns=call_ns, call_column=column, close=close)
    size = BLOCKS // 2 * BLOCK
    for name, base in (("f", 0), ("g", size)):
        hand.file(name, "fs", size * nodes, base=base, room=size)
    hand.process("p", hand.listed(*rows))
    return hand


def plan_fields(
    hand: Hand, nodes: int = 1, *, ahead: int = 0, stored: bool = False
) -> dict[str, object]:
    cache = BuffersPlan(
        name="cache",
        group=1,
        slots=8,
        block=BLOCK,
        ahead=ahead,
        raid=2,
        column=hand.column("raid"),
        blocks=(BLOCKS,) * nodes,
        stored=tuple((member, 0, BLOCKS) for member in range(nodes)) if stored else (),
        request_ns=3,
        piece_ns=2,
    )
    return {"buffers": (cache,)}


def carried_out(
    *rows: Row,
    nodes: int = 1,
    ahead: int = 0,
    stored: bool = False,
    call_ns: int = 0,
    close: int = 0,
) -> tuple[Result, list[int]]:
    """Carry out operations; return the result, and when each has ended."""
    hand = hand_of(*rows, nodes=nodes, call_ns=call_ns, close=close)
    fields = plan_fields(hand, nodes, ahead=ahead, stored=stored)
    assert not faults(hand.plan(**fields))
    result = run(hand, **fields)
    assert result.calls is not None
    return result, list(result.calls.end)


def counts(result: Result, *names: str) -> tuple[int, ...]:
    return tuple(sum(one.counts[name] for one in result.stores.values()) for name in names)


def test_a_sync_waits_until_what_was_written_is_safe() -> None:
    """5 ns for the write of one piece, 3 for the sync, and 10 bytes over the bus."""
    result, ends = carried_out(("write", "f", 4000, 10, 7), ("sync", "f"))
    assert ends == [12, 12 + 3 + 5 + 1]
    assert result.processes[0].spent["raid"] == (6, 0)
    assert result.latencies["sync"].max_ns == 9
    # The disks write it afterwards: 50, 700 and 100 to get there.
    assert result.end_ns == ends[-1] + 850 + 10


def test_a_sync_of_what_is_safe_costs_a_message_only() -> None:
    _, ends = carried_out(("write", "f", 0, 10), ("sync", "f"), ("sync", "f", 0, 0, 50))
    assert ends[2] - ends[1] == 50 + 3


def test_a_sync_writes_the_blocks_of_its_own_file_and_waits_for_those_under_way() -> None:
    """Block 0 is complete at 5, and over the bus at 110; block 1 and that of g wait for a sync."""
    rows = [("write", "f", 0, BLOCK), ("write", "f", BLOCK, 20), ("write", "g", 0, 20)]
    result, ends = carried_out(*rows, ("sync", "g"), ("sync", "f"))
    assert ends == [5, 10, 15, 110 + 5 + 2, 117 + 3 + 5 + 2]
    assert counts(result, "disk_writes", "disk_written_bytes") == (3, BLOCK + 40)


def test_blocks_are_synced_by_their_last_use() -> None:
    """Block 3 first, which was used longest ago: the unit's disks then go on to block 4."""
    rows = [("write", "f", at, 10) for at in (4000, 3000, 4010)]
    result, _ = carried_out(*rows, ("sync", "f"))
    seeks = 850 + 10 + 20  # to block 3, and on to 4 without a pause
    assert result.end_ns == 15 + 3 + 6 + seeks


def test_a_close_that_flushes_waits_as_a_sync_does() -> None:
    _, ends = carried_out(("write", "f", 0, 10), ("close", "f", 0, 1), close=CLOSE_FLUSH)
    assert ends == [5, 5 + 3 + 6]


def test_calls_are_cut_and_dealt_out_over_the_nodes() -> None:
    """Two requests of a block at each node; the second comes when the disks have paused."""
    result, ends = carried_out(("read", "f", 0, 4000), nodes=2, stored=True)
    assert ends == [1105 + 5 + 1000 + 150 + 105 + 5]
    assert counts(result, "misses", "disk_read_bytes") == (4, 4 * BLOCK)


def test_a_read_that_goes_on_is_read_ahead_of() -> None:
    rows = [("read", "f", 0, 500), ("read", "f", 500, 500), ("read", "f", 1000, 500)]
    result, _ = carried_out(*rows, ahead=2, stored=True)
    assert counts(result, "misses", "read_ahead", "used_ahead") == (1, 3, 1)


def test_a_call_costs_what_the_path_says() -> None:
    rows = [("seek", "f"), ("read", "f", 0, 0), ("write", "f", 0, 10), ("sync", "f"), ("open", "f")]
    result, ends = carried_out(*rows, call_ns=40)
    assert result.processes[0].spent["library"] == (0, 160)
    assert ends == [40, 80, 125, 125 + 40 + 3 + 6, 174]


def test_a_stream_pays_it_for_each_call() -> None:
    hand = hand_of(call_ns=40)
    hand.processes.clear()
    hand.process("p", hand.stream("f", 100, 3, write=True))
    result = run(hand, **plan_fields(hand))
    assert result.processes[0].spent["library"] == (0, 120)
    assert result.latencies["write"].max_ns == 45
    assert result.elapsed_ns == 3 * 45


@pytest.mark.parametrize("member", [0, 1])
def test_what_was_wanted_is_known_beforehand(member: int) -> None:
    rows = [("write", "f", 500, 2000), ("read", "g", 0, 1), ("sync", "f")]
    hand = hand_of(*rows, nodes=2)
    plan: Plan = hand.plan(**plan_fields(hand, 2))
    one = wanted_of(plan)[0, member]
    # Bytes 500 to 2000 on both: 500 on node 0, 1000 on node 1, then 500 on node 0.
    assert one.written == 1000
    assert one.looks == (3, 1)[member]
    assert one.works == (4, 2)[member]
    assert sum(one.counts["accepted_bytes"] for one in run_reference(plan).stores.values()) == 2000
