"""Locks by hand: units of 100 B; the lock server takes 50 ns, a bus 1 ns for a byte.

The disk takes 2 ns for a byte and 10 for a request. Both engines run each plan.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.codes import LOCKS
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.reference.runs import counts, ends, run, spent
from tests.twins.plans.faults import faults

ASK, BUS, DISK = 50, 100, 210


def shared(nodes: int = 2, *, grow: int = 1, unit: int = 100, **store: Any) -> Hand:
    """Nodes with a store each, a lock server, a disk, and a file."""
    hand = Hand(node=nodes, mds=1, server=1)
    hand.part("bus", "node", "delay", rate=1e9)
    hand.part("ldlm", "mds", overhead_ns=ASK)
    hand.part("disk", "server", rate=0.5e9, overhead_ns=10)
    hand.store("pages", "node", **{"slots": 40, **store})
    locks = hand.locks(unit, "pages", grow=grow)
    tiers = [locks, hand.stage("bus"), hand.kept("pages"), hand.stage("disk")]
    hand.path("fs", tiers, ask=[hand.work("ldlm")])
    hand.file("f", "fs", 10_000)
    return hand


def asked(result: Result) -> int:
    """Return how many requests came to the lock server."""
    return result.parts["mds.ldlm"].requests


def called_back(result: Result) -> list[int]:
    """Return how many locks each node lost."""
    return [store.counts["called_back"] for store in result.stores.values()]


def test_one_node_asks_once_for_a_file() -> None:
    """The lock to write suits reads too, of any unit, and of another process."""
    hand = shared(1)
    hand.process("p", hand.listed(("write", "f", 0, 200), ("read", "f", 0, 100)))
    hand.process("q", hand.listed(("write", "f", 5000, 100, 1000)))
    result = run(hand)
    assert ends(result) == [ASK + 2 * BUS + BUS, 1000 + BUS]
    assert spent(result) == {"ldlm": (0, ASK), "bus": (0, 3 * BUS)}
    assert asked(result) == 1


def test_a_reader_that_writes_asks_again() -> None:
    hand = shared(1)
    hand.process("p", hand.listed(("read", "f", 0, 100), ("write", "f", 0, 100)))
    result = run(hand)
    assert ends(result) == [2 * ASK + 2 * BUS]
    assert asked(result) == 2


def test_own_files_cost_one_request_each() -> None:
    hand = shared(3)
    for node, name in enumerate(("f", "g", "h")):
        if node:
            hand.file(name, "fs", 1000)
        writes = (("write", name, 100 * i, 100) for i in range(5))
        hand.process(name, hand.listed(*writes), node=node)
    result = run(hand)
    assert ends(result) == [ASK * (n + 1) + 5 * BUS for n in range(3)]
    assert asked(result) == 3
    assert called_back(result) == [0, 0, 0]


def test_readers_share_a_file() -> None:
    """Each has the lock of the whole file, to read: nobody waits, and nobody asks again."""
    hand = shared(2)
    hand.files[0] = replace(hand.files[0], length=300)
    reads = [("read", "f", 100 * i, 100) for i in range(3)]
    for node in range(2):
        hand.process(f"p{node}", hand.listed(*reads), node=node)
    result = run(hand)
    assert asked(result) == 2
    assert called_back(result) == [0, 0]
    assert all("file locks" not in one.spent for one in result.processes)


def test_the_second_node_has_the_file_divided() -> None:
    """It waits until the first has been answered, at 150, and its block is on the disk, at 360."""
    hand = shared(2)
    hand.process("a", hand.listed(("write", "f", 0, 100)), node=0)
    hand.process("b", hand.listed(("write", "f", 100, 100)), node=1)
    result = run(hand)
    assert ends(result) == [ASK + BUS, ASK + BUS + DISK + BUS]
    assert spent(result, 1) == {
        "ldlm": (ASK, ASK),
        "file locks": (50 + DISK, 0),
        "bus": (0, BUS),
    }
    assert counts(result, "node0.pages") == {
        "misses": 1, "created": 1, "accepted_bytes": 100, "written_back": 1,
        "written_back_bytes": 100, "called_back": 1, "invalidated": 1,
    }  # fmt: skip


def in_turn(own: list[list[int]], size: int = 100, **fields: Any) -> Result:
    """Let nodes write at places of one file, each after the one before by 1 us; return the run."""
    hand = shared(len(own), **fields)
    for node, places in enumerate(own):
        first, *rest = places
        rows = [("write", "f", first, size, 1000 * node)]
        rows += [("write", "f", place, size, 1000 * (len(own) - 1)) for place in rest]
        hand.process(f"p{node}", hand.listed(*rows), node=node)
    return run(hand)


def test_aligned_parts_are_not_lost() -> None:
    """Four nodes write four units each, side by side. The first loses the whole file once."""
    result = in_turn([[400 * node + 100 * i for i in range(4)] for node in range(4)])
    assert called_back(result) == [1, 0, 0, 0]
    assert asked(result) == 1 + 3 + 3 * 4  # The first again for each unit but its first.


def test_a_grant_of_more_units_saves_requests() -> None:
    """After its first grant of four units a node has its part; the first asks for it again."""
    result = in_turn([[400 * node + 100 * i for i in range(4)] for node in range(4)], grow=4)
    assert called_back(result) == [1, 0, 0, 0]
    assert asked(result) == 1 + 3 + 1


def test_aligned_records_ask_once_each() -> None:
    result = in_turn([[0, 200, 400], [100, 300, 500]])
    assert called_back(result) == [1, 0]
    assert asked(result) == 6


def test_records_within_a_unit_go_back_and_forth() -> None:
    """Each write but the first takes the unit from the other node, which writes its record back.

    What is not covered of the block has to be read back: 2 * 150 B exist then. The later writes
    read the whole block back that the other one has written.
    """
    hand = shared(2)
    hand.process("a", hand.listed(("write", "f", 0, 50), ("write", "f", 0, 50, 1850)), node=0)
    hand.process("b", hand.listed(("write", "f", 50, 50, 1000)), node=1)
    result = run(hand)
    back = 10 + 2 * 50
    first = ASK + 50
    second = 1000 + ASK + back + back + 50  # called back; the 50 B that exist are read back
    third = first + 1850 + ASK + back + DISK + 50  # the block of 100 B is read back
    assert ends(result) == [third, second]
    assert called_back(result) == [1, 1]
    assert spent(result, 0)["file locks"] == (back, 0)
    assert counts(result, "node1.pages")["invalidated"] == 1


def test_the_same_records_aligned_are_faster() -> None:
    """Fifty records of 20 B by two nodes in turn: five in a unit of 100 B, or one of 20 B.

    Each unit of 100 B goes from node to node four times.
    """
    own = [[20 * (2 * i + node) for i in range(25)] for node in range(2)]
    torn = in_turn(own, 20)
    aligned = in_turn(own, 20, unit=20, block=20)
    assert sum(called_back(torn)) == 40
    assert sum(called_back(aligned)) == 1
    slower, faster = (max(ends(one)) for one in (torn, aligned))
    waited = sum(one.spent["file locks"][0] for one in torn.processes)
    assert waited >= 40 * (10 + 2 * 20)
    assert slower > faster + waited / 2


def test_a_lock_in_use_is_not_taken_away() -> None:
    """a writes unit 1 from 1150 to 1650, as b asks for it at 1200: b gets it at 1650 + 2 * 210.

    Units 1 and 2 of a are written back one after the other; b waits for its own alone.
    """
    hand = shared(2, workers=2)
    hand.process(
        "a", hand.listed(("read", "f", 0, 1), ("write", "f", 100, 500, 1100 - ASK - 1)), node=0
    )
    hand.process("b", hand.listed(("read", "f", 900, 1), ("write", "f", 100, 100, 1099)), node=1)
    result = run(hand)
    assert ends(result)[0] == 1100 + ASK + 500
    assert spent(result, 1)["file locks"] == (1650 - ASK - 1200 + DISK, 0)


def test_the_first_in_line_comes_first() -> None:
    """b and c want a unit that a writes: b comes first, though c has the lower number."""
    hand = shared(3)
    hand.process("c", hand.listed(("read", "f", 900, 1), ("write", "f", 0, 100, 2200)), node=2)
    hand.process("b", hand.listed(("read", "f", 900, 1), ("write", "f", 0, 100, 2100)), node=1)
    hand.process("a", hand.listed(("write", "f", 100, 1), ("write", "f", 0, 100, 2000)), node=0)
    result = run(hand)
    c, b, a = ends(result)
    assert a < b < c


def test_waiting_readers_are_granted_one_after_the_other() -> None:
    """Three readers wait for a writer; the lock suits all, so they go on at once."""
    hand = shared(4)
    hand.process("w", hand.listed(("write", "f", 0, 100)), node=0)
    for node in range(1, 4):
        hand.process(f"r{node}", hand.listed(("read", "f", 0, 100, 1000)), node=node)
    result = run(hand)
    begin = 1000 + ASK + DISK
    assert [one.spent.get("file locks") for one in result.processes[1:]] == [
        (DISK, 0),
        (DISK - ASK, 0),
        (DISK - 2 * ASK, 0),
    ]
    assert ends(result)[1:] == [begin + n * DISK + BUS for n in (1, 2, 3)]


def test_a_write_back_that_is_under_way_is_waited_for() -> None:
    """With eager write-back the block of unit 0 is on its way to the disk already."""
    hand = shared(2, triggers=frozenset(("eager",)))
    hand.process("a", hand.listed(("write", "f", 0, 100)), node=0)
    hand.process("b", hand.listed(("write", "f", 0, 100, 200)), node=1)
    result = run(hand)
    assert spent(result, 1)["file locks"] == (ASK + BUS + DISK - 200 - ASK, 0)


def test_a_block_that_is_rewritten_while_it_is_written_back_is_written_back_again() -> None:
    """Block 0 is open for c while a closes it and, with a second dirty block, sends it off.

    What c has brought meanwhile is nobody's to write back but that of b, who calls the lock back.
    """
    hand = shared(2, triggers=frozenset(("mark",)), high=1, low=0, workers=2)
    begin = ("read", "f", 0, 1)
    hand.process("a", hand.listed(begin, ("write", "f", 0, 50, 1000), ("write", "f", 100, 100)))
    hand.process("c", hand.listed(begin, ("write", "f", 0, 100, 1130)))
    hand.process("b", hand.listed(("read", "f", 900, 1), ("write", "f", 0, 100, 1160)), node=1)
    result = run(hand)
    first, _ = result.stores.values()
    assert first.counts["written_back_bytes"] == 50 + 100 + 100
    closes = 1201 + BUS
    assert ends(result)[2] == closes + (10 + 2 * 50) + DISK + DISK + BUS


def test_units_of_a_stripe_have_servers_of_their_own() -> None:
    """Requests for the locks of units 0 and 1 go to two servers at the same time."""
    hand = Hand(node=2, mds=2)
    hand.part("bus", "node", "delay", rate=1e9)
    hand.part("ldlm", "mds", overhead_ns=ASK)
    hand.path(
        "fs",
        [hand.locks(100), hand.stage("bus")],
        ask=[hand.stripe("mds", 100, 2), hand.work("ldlm")],
    )
    hand.file("f", "fs", 1000)
    for node in range(2):
        place = 100 * node
        hand.process(f"p{node}", hand.listed(("write", "f", place, 100)), node=node)
    result = run(hand)
    assert {name: result.parts[name].requests for name in ("mds0.ldlm", "mds1.ldlm")} == {
        "mds0.ldlm": 1,
        "mds1.ldlm": 1,
    }
    assert ends(result) == [ASK + BUS, ASK + BUS + BUS]


def test_offsets_of_requests_for_locks_are_local_below_a_stripe() -> None:
    """Lock servers are disks that take 1 ns a byte of distance; each has every second unit.

    Unit 2 is at byte 100 of the first, unit 5 at byte 200 of the second. The locks protect no
    store: nothing is written back.
    """
    hand = Hand(node=2, mds=2, server=1)
    seeks = DiskSpec(rate=math.inf, overhead_ns=ASK, capacity=10**6, full_seek_ns=10**6)
    hand.part("ldlm", "mds", "disk", spec=seeks)
    hand.part("disk", "server", overhead_ns=10)
    tiers = [hand.locks(100), hand.stage("disk")]
    hand.path("fs", tiers, ask=[hand.stripe("mds", 100, 2), hand.work("ldlm")])
    hand.file("f", "fs", 1000)
    mine = (("write", "f", 0, 100), ("write", "f", 500, 100, 2000))
    hand.process("a", hand.listed(*mine), node=0)
    hand.process("b", hand.listed(("write", "f", 200, 100, 1000)), node=1)
    result = run(hand)
    assert ends(result) == [ASK + 10 + 2000 + (ASK + 200) + 10, 1000 + (ASK + 100) + 10]
    assert spent(result) == {"ldlm": (0, ASK + ASK + 200), "disk": (0, 20)}
    assert spent(result, 1) == {"ldlm": (0, ASK + 100), "disk": (0, 10)}


def test_dropped_blocks_make_room() -> None:
    """Node 0's store is full of clean blocks of f; a callback drops them, not those of g."""
    hand = shared(2, slots=2)
    hand.files[0] = replace(hand.files[0], length=100)
    hand.file("g", "fs", 100, length=100)
    hand.process("a", hand.listed(("read", "f", 0, 100), ("read", "g", 0, 100)), node=0)
    hand.process("b", hand.listed(("write", "f", 0, 100, 2000)), node=1)
    result = run(hand)
    assert counts(result, "node0.pages") == {
        "misses": 2, "fetched": 2, "fetched_bytes": 200, "resident": 1, "invalidated": 1,
        "called_back": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "about"),
    [
        ({"size": 150}, "locks units of 150 B, and pages has blocks of 100 B"),
        ({"grow": 0}, "locks units of 100 B, 0 at one time"),
        ({"row": 7}, "protects store 7, which is not at the nodes of its requests"),
        ({"column": 99}, "charges waiting to column 99"),
        ({"ask": 99}, "is no beginning of tiers that come to an end"),
    ],
)
def test_what_no_engine_could_do_is_named(fields: dict[str, int], about: str) -> None:
    hand = shared()
    hand.process("p", hand.listed(("write", "f", 0, 100)))
    row = [tier.kind for tier in hand.tiers].index(LOCKS)
    hand.tiers[row] = replace(hand.tiers[row], **fields)
    assert any(about in fault for fault in faults(hand.plan()))


def test_locks_stand_above_stripes_and_stores() -> None:
    hand = shared()
    locks, bus, pages, disk, *rest = hand.tiers
    hand.tiers = [bus, pages, replace(locks, ask=3), disk, *rest]
    hand.paths[0] = replace(hand.paths[0], first_store=1)
    found = faults(hand.plan())
    assert any("has locks below a store, a stripe or other locks" in one for one in found)


def found_in(hand: Hand) -> str:
    """Return what is wrong with a plan."""
    return "\n".join(faults(hand.plan()))


def test_locks_protect_the_one_store_of_the_node_that_follows() -> None:
    hand = shared()
    hand.store("flash", "node")
    locks, bus, pages, disk, *rest = hand.tiers
    hand.tiers = [replace(locks, ask=4), bus, disk, *rest]
    hand.paths[0] = replace(hand.paths[0], first_store=-1)
    assert "protects store 0, which does not follow" in found_in(hand)
    hand.tiers = [replace(locks, ask=6), bus, pages, hand.kept("flash"), disk, *rest]
    hand.paths[0] = replace(hand.paths[0], first_store=2)
    assert "has store 1 at the node below, where locks protect store 0" in found_in(hand)


def test_a_file_has_the_same_locks_on_all_its_ways() -> None:
    hand = shared()
    hand.path("direct", [hand.stage("bus"), hand.stage("disk")])
    hand.process("p", replace(hand.stream("f", 100, 1, write=True), path=1))
    assert "file f: reached with different locks, or without" in found_in(hand)


def test_a_pool_above_locks_is_not_on_the_way_to_their_server() -> None:
    """A request keeps the pool while it waits for a lock, whose holder would wait for the pool."""
    hand = Hand(node=2)
    hand.part("slots", "node")
    hand.part("disk", "node")
    slots = hand.hold("slots")
    hand.path("fs", [slots, hand.locks(100), hand.stage("disk")], ask=[slots])
    hand.file("f", "fs", 1000)
    assert "could wait for it again further down" in found_in(hand)
