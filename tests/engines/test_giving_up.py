"""Calls that come back with an error when a part has failed for too long, on both engines."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from simulator.errors import RefusedError
from simulator.kinds.dice import Dice
from simulator.native.run import run_native
from simulator.plan.errors import MOST, LimitError, SimulationError
from simulator.reference.run import run_reference
from simulator.result.result import FailedCalls, Result, StateResult, Transfer
from simulator.service import ServiceSpec
from simulator.verification.identities import IdentityError, check_identities
from tests.draws.plans.draw import any_plan_of
from tests.draws.plans.events import with_failures
from tests.engines.compare import assert_equal
from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent


def soft(give_up_ns: int, *begun: tuple[int, int], kind: str = "queue", **stage: int) -> Hand:
    """Processes that write once each to one part of 1 ns for a byte, and give up."""
    hand = Hand(pe=1)
    hand.part("s", "pe", kind, rate=1e9)
    hand.path("fs", [hand.stage("s", **stage)], give_up_ns=give_up_ns)
    hand.file("f", "fs", 10_000)
    for number, (at, size) in enumerate(begun):
        hand.process(f"p{number}", hand.listed(("write", "f", 0, size)), start_ns=at)
    return hand


def write_of(result: Result, number: int = 0) -> Transfer:
    """Return what a process has written."""
    return result.processes[number].write


# -- one part, by hand --------------------------------------------------------------------------


@pytest.mark.parametrize(("give_up", "end"), [(0, 20), (7, 27), (34, 54)])
def test_a_request_that_comes_gives_up_after_its_time(give_up: int, end: int) -> None:
    hand = soft(give_up, (20, 10))
    hand.event("s", at_ns=15, lasts_ns=40)  # from 15 to 55
    result = run(hand)
    assert ends(result) == [end]
    assert spent(result) == ({"s": (give_up, 0)} if give_up else {})
    assert result.states["s"] == StateResult("s", 1, end - 15, 0, 0, 0, given_up=1)
    assert write_of(result).bytes == 0
    assert write_of(result).failed_bytes == 10
    assert result.processes[0].failed == FailedCalls(1, end, end)
    assert (result.parts["s"].requests, result.parts["s"].bytes) == (1, 0)


@pytest.mark.parametrize("kind", ["queue", "delay"])
def test_one_that_is_back_in_time_is_waited_for(kind: str) -> None:
    hand = soft(35, (20, 10), kind=kind)
    hand.event("s", at_ns=15, lasts_ns=40)
    result = run(hand)
    assert ends(result) == [65]
    assert result.processes[0].failed == FailedCalls()
    assert result.states["s"] == StateResult("s", 1, 40, 0, 1, 35)


@pytest.mark.parametrize("kind", ["queue", "delay"])
def test_what_is_under_way_gives_up_as_well(kind: str) -> None:
    hand = soft(25, (0, 30), kind=kind)
    hand.event("s", at_ns=10, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [35]
    assert spent(result) == {"s": (25, 10)}
    assert (result.parts["s"].bytes, result.parts["s"].busy_ns) == (0, 10)


def test_an_interruption_that_is_waited_for_is_none_that_is_not() -> None:
    """It waits 5 ns, serves 10 more, and gives up 7 ns into the second failure."""
    hand = soft(7, (0, 100))
    hand.event("s", at_ns=10, lasts_ns=5)
    hand.event("s", at_ns=25, lasts_ns=1000)
    result = run(hand)
    assert ends(result) == [32]
    assert spent(result) == {"s": (12, 20)}


@pytest.mark.parametrize(("speed", "end"), [(0, 32), (4 << 20, 25 + (MOST - 15) // 4)])
def test_what_would_end_too_late_gives_up_or_gets_faster_before_that(speed: int, end: int) -> None:
    """It begins at 20, and would take until 2**62 + 9; at 25 the part fails, or is faster."""
    hand = soft(7, (20, 10))
    hand.parts[-1] = replace(hand.parts[-1], service=ServiceSpec(1e9, overhead_ns=MOST - 20))
    hand.event("s", at_ns=25, lasts_ns=MOST // 2, speed=speed)
    assert ends(run(hand)) == [end]


def test_those_in_the_queue_give_up_at_their_own_times() -> None:
    """The first works until 10; the second came at 5, the third at 60, the last finds it back."""
    hand = soft(20, (0, 30), (5, 10), (60, 10), (111, 10))
    hand.event("s", at_ns=10, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [30, 30, 80, 121]
    assert [one.failed.count for one in result.processes] == [1, 1, 1, 0]
    assert result.states["s"].given_up == 3


@pytest.mark.parametrize("pieces", [0, 1, 4])
def test_behind_one_that_waits_a_request_gives_up_all_the_same(pieces: int) -> None:
    """A hard mount of the same part keeps it until it is back at 110, and serves until 130."""
    hand = soft(20, pieces=pieces, slot=0, width=1)
    hand.path("hard", [hand.stage("s")])
    hand.file("h", "hard", 100)
    hand.process("hard", hand.listed(("write", "h", 0, 30)))
    hand.process("soft", hand.listed(("write", "f", 0, 10), ("write", "f", 0, 10, 80)), start_ns=5)
    hand.event("s", at_ns=10, lasts_ns=100)
    result = run(hand)
    # The second call comes at 110, when the part is back: it waits until 130 and is served.
    assert ends(result) == [130, 140]
    assert result.processes[1].failed == FailedCalls(1, 30, 30)
    assert spent(result, 1) == {"s": (25 + 20, 10)}


def test_the_next_call_is_made() -> None:
    hand = soft(5)
    rows = [("write", "f", 0, 10), ("write", "f", 10, 10, 50), ("sync", "f"), ("read", "f", 0, 10)]
    hand.process("p", hand.listed(*rows))
    hand.event("s", at_ns=0, lasts_ns=40)
    result = run(hand)
    assert ends(result) == [5 + 50 + 10 + 10]
    assert (write_of(result).bytes, write_of(result).failed_bytes) == (10, 10)
    assert result.processes[0].read.bytes == 10


def test_bytes_asked_for_are_moved_or_failed() -> None:
    hand = soft(5, (0, 10), (100, 10))
    hand.event("s", at_ns=0, lasts_ns=40)
    plan = hand.plan()
    result = run(hand)
    check_identities(plan, result)
    one = result.processes[0]
    for wrong in (
        replace(one, write=replace(one.write, failed_bytes=9)),
        replace(one, write=replace(one.write, bytes=1)),
        replace(one, failed=FailedCalls()),
    ):
        with pytest.raises(IdentityError):
            check_identities(plan, replace(result, processes=[wrong, *result.processes[1:]]))


# -- more than one part -------------------------------------------------------------------------


def test_packets_do_not_come_to_the_parts_behind() -> None:
    hand = Hand(pe=1, server=1)
    hand.part("out", "pe", rate=1e9, latency_ns=3)
    hand.part("in", "server", rate=1e9)
    hand.part("disk", "server", rate=1e9)
    stages = [hand.stage("out", "in", packets=True), hand.stage("disk")]
    hand.path("fs", stages, give_up_ns=7)
    hand.file("f", "fs", 1000)
    hand.process("p", hand.listed(("write", "f", 0, 10)))
    hand.event("in", at_ns=1, lasts_ns=500)
    result = run(hand)
    # It leaves at 0, is at the other port at 3, and gives up there at 10. Its last byte would have
    # been there at 13.
    assert ends(result) == [13]
    assert spent(result) == {"out": (0, 3), "in": (10, 0)}
    assert result.parts["pe.out"].bytes == 10
    assert "server.disk" not in result.parts


def test_parts_that_are_held_at_once() -> None:
    hand = Hand(pe=1, server=1)
    hand.part("nic", "pe", rate=1e9)
    hand.part("port", "server", rate=1e9)
    hand.path("fs", [hand.stage("nic", "port")], give_up_ns=3)
    hand.file("f", "fs", 1000)
    hand.process("p", hand.listed(("write", "f", 0, 10)))
    hand.event("port", at_ns=5, lasts_ns=30)
    result = run(hand)
    # The other part is done at 10; this one worked until 5, and was waited for until 8.
    assert ends(result) == [10]
    assert spent(result) == {"nic": (0, 10)}
    assert result.processes[0].failed == FailedCalls(1, 10, 10)


def striped(give_up_ns: int, **fields: Any) -> Hand:
    """A file over two disks, 100 B on each in turn, that is written in calls of 200 B."""
    hand = Hand(pe=1, server=2)
    hand.part("disk", "server", rate=1e9)
    tiers = [hand.stripe("server", 100, 2), hand.stage("disk")]
    hand.path("fs", tiers, give_up_ns=give_up_ns)
    hand.file("f", "fs", 10_000, **fields)
    return hand


def test_one_disk_of_a_stripe_fails_the_call() -> None:
    """The other disk's half is written; the call comes back when both have answered."""
    hand = striped(20)
    hand.process("p", hand.listed(("write", "f", 0, 200), ("write", "f", 200, 100)))
    hand.event("disk", 1, at_ns=30, lasts_ns=10**6)
    result = run(hand)
    assert ends(result) == [100 + 100]
    assert (write_of(result).bytes, write_of(result).failed_bytes) == (100, 200)
    assert result.parts["server0.disk"].bytes == 200
    assert result.parts["server1.disk"].bytes == 0
    assert spent(result) == {"disk": (0, 200)}


def test_a_window_takes_no_more_pieces() -> None:
    """Four pieces of 10 B, two at a time; the part fails at 15, when the second is under way."""
    hand = soft(5)
    hand.paths.clear()
    hand.files.clear()
    hand.path("cut", [hand.request(10, window=2), hand.stage("s")], give_up_ns=5)
    hand.file("f", "cut", 1000)
    hand.process("p", hand.listed(("write", "f", 0, 40), ("write", "f", 40, 10, 100)))
    hand.event("s", at_ns=15, lasts_ns=50)
    result = run(hand)
    # The first piece is done at 10, and the third waits behind the second; both give up at 20.
    assert ends(result) == [20 + 100 + 10]
    assert result.states["s"].given_up == 2
    assert result.parts["s"].requests == 4
    assert result.parts["s"].bytes == 20


def test_a_pool_gets_its_server_back() -> None:
    hand = Hand(pe=2)
    hand.part("s", "pe", rate=1e9)
    hand.part("daemon", "pe")
    hand.path("fs", [hand.hold("daemon"), hand.work("s"), hand.stage("s")], give_up_ns=5)
    hand.file("f", "fs", 1000)
    for number in range(2):
        hand.process(f"p{number}", hand.listed(("write", "f", 0, 10)))
    hand.event("s", at_ns=0, lasts_ns=8)
    result = run(hand)
    # The first gives up at 5; the second has its server then, and the part is back at 8.
    assert ends(result) == [5, 28]


# -- stores -------------------------------------------------------------------------------------


def cached(give_up_ns: int = 5, **store: Any) -> Hand:
    """A store of blocks of 100 B in front of a disk of 1 ns for a byte."""
    hand = Hand(pe=2)
    hand.part("disk", "pe", rate=1e9)
    hand.store("pages", "pe", **store)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")], give_up_ns=give_up_ns)
    hand.file("f", "fs", 1000, length=1000)
    return hand


@pytest.mark.parametrize("policy", ["lru", "arc", "two-queue", "fifo"])
def test_what_is_there_is_read_without_an_error(policy: str) -> None:
    hand = cached(policy=policy)
    reads = [("read", "f", 0, 100), ("read", "f", 0, 100, 50), ("read", "f", 100, 100)]
    hand.process("p", hand.listed(*reads, ("read", "f", 100, 100, 200)))
    hand.event("disk", at_ns=120, lasts_ns=100)
    result = run(hand)
    # Read until 100; found at 150; not at 150, until 155; at 355 it is back.
    assert ends(result) == [455]
    counts = result.stores["pe0.pages"].counts
    assert (counts["hits"], counts["misses"], counts["fetched"]) == (1, 3, 2)
    assert counts["resident"] == 2
    assert result.processes[0].failed == FailedCalls(1, 155, 155)


def test_who_waits_for_a_block_that_does_not_come_asks_for_it() -> None:
    hand = cached()
    for number, start in enumerate((10, 12)):
        hand.process(f"p{number}", hand.listed(("read", "f", 0, 100)), start_ns=start)
    hand.event("disk", at_ns=0, lasts_ns=18)
    result = run(hand)
    # The first gives up at 15; the other asks from then on, and the disk is back at 18.
    assert ends(result) == [15, 118]


def test_what_is_written_behind_waits() -> None:
    """The call is done when the block is in the store; its write-back waits for the disk."""
    hand = cached(triggers=("eager",), back=True)
    hand.process("p", hand.listed(("write", "f", 0, 100), ("sync", "f")))
    hand.event("disk", at_ns=0, lasts_ns=70)
    result = run(hand)
    assert ends(result) == [170]
    assert result.processes[0].failed == FailedCalls()


def test_a_write_that_does_not_come_to_a_store_leaves_it_as_it_was() -> None:
    hand = Hand(pe=1, server=1)
    hand.part("nic", "server", rate=1e9)
    hand.part("disk", "server", rate=1e9)
    hand.store("cache", "server", back=True, extent=2)
    tiers = [hand.stage("nic"), hand.kept("cache"), hand.stage("disk")]
    hand.path("fs", tiers, give_up_ns=5)
    hand.file("f", "fs", 1000)
    rows = [("write", "f", 0, 200), ("write", "f", 0, 100, 100), ("read", "f", 0, 100)]
    hand.process("p", hand.listed(*rows))
    hand.event("nic", at_ns=50, lasts_ns=20)
    result = run(hand)
    assert ends(result) == [55 + 100 + 100 + 100]
    counts = result.stores["server.cache"].counts
    assert (counts["accepted_bytes"], counts["invalidated"], counts["resident"]) == (100, 2, 1)
    assert (write_of(result).bytes, write_of(result).failed_bytes) == (100, 200)


def test_a_part_of_a_block_that_cannot_be_read_back() -> None:
    hand = cached(back=True)
    hand.process("p", hand.listed(("write", "f", 10, 20), ("write", "f", 10, 20, 100)))
    hand.event("disk", at_ns=0, lasts_ns=50)
    result = run(hand)
    assert ends(result) == [5 + 100 + 100]
    assert result.stores["pe0.pages"].counts["read_back"] == 1


def test_what_is_read_ahead_waits() -> None:
    hand = cached(ahead=2)
    hand.process("p", hand.listed(("read", "f", 0, 100), ("read", "f", 100, 100)))
    hand.event("disk", at_ns=150, lasts_ns=1000)
    result = run(hand)
    # The second call waits for the reader, which no call sent.
    assert ends(result) == [100 + 200 + 1000]
    assert result.processes[0].failed == FailedCalls()


def test_what_passes_the_stores_fails_too() -> None:
    hand = cached(back=True)
    hand.process("p", hand.listed(("write-direct", "f", 0, 100), ("read-direct", "f", 0, 100)))
    hand.event("disk", at_ns=0, lasts_ns=50)
    result = run(hand)
    assert ends(result) == [10]
    assert result.processes[0].failed == FailedCalls(2, 5, 10)


# -- drawn --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seeds", "least"),
    [(range(30), 10), pytest.param(range(30, 600), 200, marks=pytest.mark.long)],
    ids=["few", "many"],
)
def test_drawn_plans_whose_parts_fail(seeds: range, least: int) -> None:
    """Failures come while a plan is carried out; both engines see the same calls fail."""
    failed = 0
    for seed in seeds:
        plan = replace(any_plan_of(seed), events=())
        try:
            end_ns = run_native(plan).end_ns
        except (SimulationError, LimitError, RefusedError):
            continue
        plan = with_failures(Dice(Random(seed)), plan, min(end_ns, 10**12))
        assert_equal({"reference": run_reference, "native": run_native}, plan)
        try:
            failed += sum(one.failed.count for one in run_native(plan).processes)
        except (SimulationError, LimitError, RefusedError):
            continue
    assert failed >= least
