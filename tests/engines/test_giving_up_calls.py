"""Calls of every kind that give up, and what their program does then, on both engines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.result.result import FailedCalls
from tests.engines.hand import Hand
from tests.engines.test_giving_up import soft, write_of
from tests.reference.runs import ends, run

# -- other calls --------------------------------------------------------------------------------


def test_metadata_fails_and_nothing_is_learnt() -> None:
    hand = Hand(pe=1)
    hand.part("server", "pe", overhead_ns=10)
    hand.part("disk", "pe", rate=1e9)
    top = hand.chain([hand.work("server")])
    hand.path(
        "fs",
        [hand.stage("disk")],
        metadata=top,
        give_up_ns=5,
        attributes_min_ns=1000,
        attributes_max_ns=1000,
    )
    hand.file("f", "fs", 1000, length=1000)
    hand.process("p", hand.listed(("stat", "f"), ("stat", "f", 0, 0, 50), ("stat", "f")))
    hand.event("server", at_ns=0, lasts_ns=30)
    result = run(hand)
    # It fails at 5, is asked again at 55 until 65, and is known then.
    assert ends(result) == [65]
    assert result.processes[0].failed == FailedCalls(1, 5, 5)


def test_a_write_that_fails_is_not_synced() -> None:
    hand = soft(5)
    hand.process("p", hand.listed(("write-sync", "f", 0, 10), ("write-sync", "f", 0, 10, 100)))
    hand.event("s", at_ns=0, lasts_ns=50)
    assert ends(run(hand)) == [5 + 100 + 10]


def test_a_stream_goes_on_after_calls_that_fail() -> None:
    hand = soft(5)
    hand.process("p", hand.stream("f", 10, 8, write=True))
    hand.event("s", at_ns=15, lasts_ns=12)
    result = run(hand)
    # The second call works from 10 to 15 and fails at 20, the third at 25; the fourth waits 2 ns.
    assert ends(result) == [27 + 50]
    assert (write_of(result).bytes, write_of(result).failed_bytes) == (60, 20)
    assert result.processes[0].failed == FailedCalls(2, 20, 25)


def test_processes_meet_after_calls_that_fail() -> None:
    hand = soft(5)
    hand.barriers.append(2)
    for number in range(2):
        rows = [("write", "f", 0, 10), ("barrier", 0), ("write", "f", 0, 10), ("barrier", 0)]
        hand.process(f"p{number}", hand.listed(*rows), start_ns=40 * number)
    hand.event("s", at_ns=0, lasts_ns=42)
    assert ends(run(hand)) == [42 + 10 + 20] * 2


def test_a_lock_is_given_back() -> None:
    hand = Hand(pe=2)
    hand.part("disk", "pe", rate=1e9)
    hand.part("server", "pe", rate=1e9)
    tiers = [hand.locks(100), hand.stage("disk")]
    hand.path("fs", tiers, [hand.work("server")], give_up_ns=5)
    hand.file("f", "fs", 1000)
    for number in range(2):
        rows = [("write", "f", 0, 10), ("write", "f", 0, 10, 60)]
        hand.process(f"p{number}", hand.listed(*rows), node=number)
    hand.event("disk", 0, at_ns=0, lasts_ns=50)
    result = run(hand)
    assert max(ends(result)) < 200
    assert [one.failed.count for one in result.processes] == [1, 0]


# -- a program that checks ----------------------------------------------------------------------


def test_a_process_that_stops_makes_no_more_calls() -> None:
    hand = soft(5)
    rows = [("write", "f", 0, 10), ("write", "f", 10, 10, 20), ("write", "f", 20, 10)]
    hand.process("p", hand.listed(*rows), hand.listed(*rows), stops=True, repeat=3)
    hand.process("q", hand.listed(*rows), start_ns=200)
    hand.event("s", at_ns=30, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [35, 250]
    assert (write_of(result).bytes, write_of(result).failed_bytes) == (10, 10)
    assert (write_of(result).calls_ns, result.latencies["write"].count) == (15, 5)


@pytest.mark.parametrize("write", [True, False])
def test_a_stream_stops_at_a_call(write: bool) -> None:
    hand = soft(5)
    hand.process("p", hand.stream("f", 10, 8, write=write), stops=True)
    hand.files[0] = replace(hand.files[0], length=1000)
    hand.event("s", at_ns=25, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [30]
    one = write_of(result) if write else result.processes[0].read
    assert (one.bytes, one.failed_bytes, one.calls_ns) == (20, 10, 30)
    assert result.latencies["open"].count == 1
    assert "close" not in result.latencies


def test_a_stream_stops_when_its_file_cannot_be_opened() -> None:
    hand = soft(5)
    top = hand.chain([hand.work("s")])
    hand.paths[0] = replace(hand.paths[0], metadata=top)
    hand.process("p", hand.stream("f", 10, 8, write=True), hand.stream("f", 10, 8, write=True))
    hand.processes[0] = replace(hand.processes[0], stops=True)
    hand.event("s", at_ns=0, lasts_ns=100)
    result = run(hand)
    assert ends(result) == [5]
    assert result.processes[0].failed == FailedCalls(1, 5, 5)
    assert (write_of(result).bytes, write_of(result).failed_bytes) == (0, 0)


def test_who_joins_a_process_that_stopped_goes_on() -> None:
    hand = soft(5)
    hand.process("p", hand.listed(("write", "f", 0, 10), ("write", "f", 0, 10)), stops=True)
    hand.process("q", hand.listed(("join", 0)))
    hand.event("s", at_ns=0, lasts_ns=100)
    assert ends(run(hand)) == [5, 5]
