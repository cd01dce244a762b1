"""Queues, stages and cpus on both engines: by hand, against Lindley's recursion, and by laws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.plan.jobs import ChannelPlan
from simulator.plan.noise import Noise
from simulator.plan.parts import NoisePlan
from simulator.plan.paths import Hold
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import ends, run, spent

Visits = list[tuple[int, int]]
"""(begin, size) of each process's write."""
requests = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 40)), max_size=20)
"""(gap after the one before, size)"""


def visits(*begun: tuple[int, int], servers: int = 1, overhead_ns: int = 0) -> Hand:
    """Processes that write once each to one queue of 1 ns for a byte."""
    hand = Hand(pe=1)
    hand.part("s", "pe", rate=1e9, servers=servers, overhead_ns=overhead_ns)
    hand.path("fs", [hand.stage("s")])
    hand.file("f", "fs", 10_000)
    for number, (at, size) in enumerate(begun):
        hand.process(f"p{number}", hand.listed(("write", "f", 0, size)), start_ns=at)
    return hand


# -- one queue ----------------------------------------------------------------------------------


def test_first_come_first_served_whatever_their_numbers() -> None:
    assert ends(run(visits((10, 5), (9, 100)))) == [114, 109]


def test_in_the_same_nanosecond_the_lower_number_comes_first() -> None:
    assert ends(run(visits((7, 10), (7, 10), (7, 10)))) == [17, 27, 37]


@pytest.mark.parametrize(("first", "expected"), [(0, [20, 25]), (1, [15, 25])])
def test_who_is_served_now_goes_on_before_a_higher_number_comes(
    first: int, expected: list[int]
) -> None:
    """Both act at 10: the lower number is first, whether it comes or comes again."""
    hand = visits()
    twice = hand.listed(("write", "f", 0, 10), ("write", "f", 0, 10))
    once = hand.listed(("write", "f", 0, 5))
    for name, phase, at in [("t", twice, 0), ("o", once, 10)][:: 1 if first == 0 else -1]:
        hand.process(name, phase, start_ns=at)
    assert ends(run(hand)) == expected


def lindley(begun: Visits, servers: int, overhead: int = 0) -> list[int]:
    """When each request ends: the servers' free times in a sorted list, too simple to be wrong."""
    free, done = [0] * servers, []
    for at, size in begun:
        free.sort()
        free[0] = max(at, free[0]) + overhead + size
        done.append(free[0])
    return done


def begun(pairs: list[tuple[int, int]]) -> Visits:
    at = 0
    return [(at := at + gap, size) for gap, size in pairs]


@settings(max_examples=examples(60))
@given(requests, st.integers(1, 4), st.integers(0, 30))
def test_ends_follow_lindleys_recursion(
    pairs: list[tuple[int, int]], servers: int, overhead: int
) -> None:
    """And so waits and services add up to the time in the queue, and busy times to the work."""
    known = begun(pairs)
    result = run(visits(*known, servers=servers, overhead_ns=overhead))
    expected = lindley(known, servers, overhead)
    assert ends(result) == expected
    for number, ((at, size), end) in enumerate(zip(known, expected, strict=True)):
        assert spent(result, number)["s"] == (end - at - size - overhead, size + overhead)
    if known:
        busy = result.parts["s"].busy_ns
        assert busy == sum(size + overhead for _, size in known)
        assert busy <= servers * max(expected)


@settings(max_examples=examples(30))
@given(requests, st.integers(1, 3), st.integers(2, 5))
def test_the_same_work_in_less_time_and_longer_services_wait_no_less(
    pairs: list[tuple[int, int]], servers: int, factor: int
) -> None:
    """M11 and M12, by common random numbers: later arrivals, and then shorter services."""

    def waits(pairs: list[tuple[int, int]], servers: int) -> list[int]:
        result = run(visits(*begun(pairs), servers=servers))
        return [one.spent["s"][0] for one in result.processes]

    plain = waits(pairs, servers)
    short = waits([(gap, max(1, size // factor)) for gap, size in pairs], servers)
    assert all(one <= other for one, other in zip(short, plain, strict=True))
    later = waits([(gap * factor, size) for gap, size in pairs], 1)
    assert all(one <= other for one, other in zip(later, waits(pairs, 1), strict=True))


# -- parts that are held at once ----------------------------------------------------------------


def held(parts: dict[str, float], *writes: tuple[tuple[str, ...], int, int]) -> Result:
    """Writes of (parts, begin, size) that hold parts of these ns for a byte at once."""
    hand = Hand(pe=1)
    for name, cost in parts.items():
        hand.part(name, "pe", rate=1e9 / cost)
    for number, (names, at, size) in enumerate(writes):
        hand.path(f"fs{number}", [hand.stage(*names)])
        hand.file(f"f{number}", f"fs{number}", 1000)
        hand.process(f"p{number}", hand.listed(("write", f"f{number}", 0, size)), start_ns=at)
    return run(hand)


def test_a_stage_lasts_as_long_as_its_slowest_part() -> None:
    result = held({"o": 2, "i": 2, "c": 5}, (("o", "i", "c"), 0, 10), (("o",), 0, 10))
    assert ends(result) == [50, 40]  # a part is not held for a slower one
    assert spent(result) == {"c": (0, 50)}
    assert [result.parts[name].busy_ns for name in "oic"] == [40, 20, 50]


def test_a_stage_begins_when_all_its_parts_are_free() -> None:
    result = held({"o": 1, "i": 1}, (("o",), 0, 100), (("i",), 0, 70), (("o", "i"), 50, 10))
    assert ends(result)[2] == 110
    assert spent(result, 2) == {"o": (50, 10)}


def test_a_part_kept_for_a_stage_is_not_given_to_who_comes_later() -> None:
    """The stage comes first at both parts, though it cannot begin."""
    result = held({"b": 1, "i": 1}, (("b",), 0, 100), (("b", "i"), 1, 10), (("i",), 2, 5))
    assert ends(result) == [100, 110, 115]


def test_a_tie_is_charged_to_the_first() -> None:
    result = held({"a": 1, "b": 1}, (("a",), 0, 9), (("b",), 0, 9), (("a", "b"), 5, 4))
    assert spent(result, 2) == {"a": (4, 4)}


# -- ports of a network -------------------------------------------------------------------------

ALONE = 5 + 200


def crossing(*pairs: tuple[int, int], channel: float = 0) -> Result:
    """Messages of 100 bytes between nodes (from, to), each over a port out and a port in."""
    hand = Hand(node=4)
    for way in ("out", "in"):
        hand.part("port", "node", rate=0.5e9, overhead_ns=5, way=way)
    hand.part("channel", "node", rate=1e9 / channel if channel else float("inf"))
    out, into, wide = (Hold(row, slot) for row, slot in ((1, 0), (2, 1), (3, 1)))
    held = (out, into, wide) if channel else (out, into)
    way = hand.chain([replace(hand.stage("port"), down=held, up=())])
    for number, (source, target) in enumerate(pairs):
        hand.channels.append(ChannelPlan(source=2 * number, target=2 * number + 1, top=way))
        hand.process(f"s{number}", hand.listed(("send", number, 0, 100)), node=source)
        hand.process(f"r{number}", hand.listed(("receive", number)), node=target)
    return run(hand)


@pytest.mark.parametrize(
    ("pairs", "last"),
    [
        (((0, 1), (2, 3)), ALONE),  # disjoint pairs do not meet
        (((0, 1), (1, 0)), ALONE),  # nor do both ways of a pair
        (((0, 1), (0, 2)), 2 * ALONE),  # a sender sends one at a time
        (((0, 2), (1, 2)), 2 * ALONE),  # a receiver receives one at a time
    ],
)
def test_only_ports_contend_and_each_way_of_a_port_by_itself(
    pairs: tuple[tuple[int, int], ...], last: int
) -> None:
    result = crossing(*pairs)
    assert [one.ended_ns for one in result.processes[::2]] == [ALONE, last]


def test_one_transfer_holds_both_ports_and_is_paid_once() -> None:
    result = crossing((0, 1))
    assert spent(result) == {"port": (0, ALONE)}
    served = {name: part.bytes for name, part in result.parts.items()}
    assert served == {"node0.port.out": 100, "node1.port.in": 100}


def test_a_port_is_not_held_for_a_slower_channel() -> None:
    result = crossing((0, 1), channel=4)
    assert ends(result)[0] == 400
    assert result.parts["node0.port.out"].busy_ns == ALONE


# -- noise --------------------------------------------------------------------------------------


def noisy(hand: Hand, part: int, **fields: Any) -> Hand:
    hand.parts[part] = replace(
        hand.parts[part], noise=NoisePlan(run_sd=0.1, request_sd=0.3), **fields
    )
    return hand


def test_noise_counts_copies_and_calls_of_a_cpu_alike() -> None:
    """Two records of 2000 bytes in a buffer of one: copies and calls in turn."""
    hand = visits()
    hand.parts[0] = replace(hand.parts[0], spec=PeSpec(2e9, call_overhead_ns=100))
    hand.process("p", hand.stream("f", 2000, 2, write=True))
    result = run(noisy(hand, 0, stream="cpu"), noisy=True, seed=5)
    noise = Noise.of(5, 0, "cpu", run_sd=0.1, request_sd=0.3)
    work = sum(noise.stretch((100, 1000)[n % 2], n) for n in range(1, 5))
    assert spent(result)["cpu"] == (0, work)


def test_each_part_has_noise_of_its_own_and_seed_and_run_decide_it() -> None:
    def elapsed(**fields: Any) -> int:
        hand = visits((0, 100), (0, 100))
        return run(noisy(hand, 1, stream="s"), **{"noisy": True, **fields}).elapsed_ns

    assert elapsed(seed=3) == elapsed(seed=3)
    assert len({elapsed(seed=seed, run=number) for seed in (1, 2) for number in (0, 1)}) == 4
    assert {elapsed(seed=seed, noisy=False) for seed in range(3)} == {200}
    factors = Noise.of(4, 0, "s", run_sd=0.1, request_sd=0.3)
    assert elapsed(seed=4) == factors.stretch(100, 1) + factors.stretch(100, 2)
