"""Shared parts on both engines: by hand, and against a fluid in exact fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.plan.noise import Noise
from simulator.plan.parts import NoisePlan
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import ends, run, spent

Transfers = list[tuple[int, int]]
"""(when it begins, how long it would take alone)"""


def sharing(*transfers: tuple[int, int], overhead_ns: int = 0, noise: float = 0.0) -> Hand:
    """Processes that send over one link of 1 ns for a byte."""
    hand = Hand(pe=1)
    fields = {"noise": NoisePlan(request_sd=noise), "stream": "lan"} if noise else {}
    hand.part("lan", "pe", "shared", rate=1e9, overhead_ns=overhead_ns, **fields)
    hand.path("fs", [hand.stage("lan")])
    hand.file("f", "fs", 10_000)
    for number, (at, size) in enumerate(transfers):
        hand.process(f"p{number}", hand.listed(("write", "f", 0, size)), start_ns=at)
    return hand


def shared(transfers: Transfers) -> list[int]:
    """When each transfer ends."""
    return ends(run(sharing(*transfers)))


def fluid(transfers: Transfers) -> list[Fraction]:
    """The same in fractions: at every moment each of n transfers has 1/n of the link."""
    left: dict[int, Fraction] = {}
    done = [Fraction(0)] * len(transfers)
    now = Fraction(0)

    def flow(until: Fraction | None) -> None:
        nonlocal now
        while left:
            first = now + min(left.values()) * len(left)
            stop = first if until is None else min(first, until)
            share = (stop - now) / len(left)
            now = stop
            for number in list(left):
                left[number] -= share
                if left[number] == 0:
                    done[number] = now
                    del left[number]
            if stop == until:
                break
        now = until if until is not None else now

    for number, (begin, service) in sorted(enumerate(transfers), key=lambda one: one[1][0]):
        flow(Fraction(begin))
        left[number] = Fraction(service)
    flow(None)
    return done


def test_an_end_is_rounded_up_to_a_whole_nanosecond() -> None:
    """Half of the second is done when the third begins, which needs half a ns in three parts."""
    transfers = [(0, 10), (5, 1), (6, 1)]
    assert fluid(transfers) == [12, Fraction(15, 2), Fraction(17, 2)]
    assert shared(transfers) == [13, 8, 9]


def test_of_two_that_end_together_the_lower_number_goes_on_first() -> None:
    hand = sharing()
    hand.part("gate", "pe", rate=1e9)
    hand.path("both", [hand.stage("lan"), hand.stage("gate")])
    hand.file("g", "both", 100)
    for name in "pq":
        hand.process(name, hand.listed(("write", "g", 0, 50)))
    assert ends(run(hand)) == [150, 200]


def test_what_sharing_adds_is_waiting() -> None:
    result = run(sharing((0, 90), (40, 10), overhead_ns=10))
    # 40 alone, then 20 of the second with half the link, then 40 of the first.
    assert ends(result) == [120, 80]
    assert [spent(result, number)["lan"] for number in (0, 1)] == [(20, 100), (20, 20)]
    lan = result.parts["lan"]
    assert (lan.requests, lan.bytes, lan.busy_ns) == (2, 100, 120)
    assert result.end_ns == 120  # a timer that no longer counts does not make the run longer
    spans = [(one.start_ns, one.bytes) for one in result.spans if one.part == "lan"]
    assert spans == [(40, 10), (0, 90)]  # written down when they end


def test_it_has_noise_for_each_request() -> None:
    noise = Noise.of(3, 0, "lan", run_sd=0.0, request_sd=0.5)
    (end,) = ends(run(sharing((0, 100), noise=0.5), noisy=True, seed=3))
    assert end == noise.stretch(100, 1) != 100


def test_work_is_conserved_whether_a_link_is_shared_or_a_queue() -> None:
    """Equal work: the last byte arrives at the same time."""
    fair = run(sharing((0, 40), (0, 90), (10, 30)))
    queue = sharing((0, 40), (0, 90), (10, 30))
    queue.parts[1] = replace(queue.parts[1], kind="queue")
    assert fair.end_ns == run(queue).end_ns == 160


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 60)), min_size=1, max_size=12))
def test_agrees_with_the_fluid_to_a_nanosecond_each(drawn: Transfers) -> None:
    at = 0
    transfers = [(at := at + gap, service) for gap, service in drawn]
    result: Result = run(sharing(*transfers))
    exact = fluid(transfers)
    for number, (real, ideal) in enumerate(zip(ends(result), exact, strict=True)):
        before = sum(end <= ideal for end in exact)
        assert ideal <= real <= ideal + before + 1
        waited, served = spent(result, number)["lan"]
        assert waited >= 0
        assert waited + served == real - transfers[number][0]


@settings(max_examples=examples(40))
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=20))
def test_the_link_is_never_idle_while_there_is_work(services: list[int]) -> None:
    found = ends(run(sharing(*((0, service) for service in services))))
    assert sum(services) <= max(found) <= sum(services) + len(services)
    order = sorted(zip(services, found, strict=True))
    assert all(one[1] <= other[1] for one, other in pairwise(order))
