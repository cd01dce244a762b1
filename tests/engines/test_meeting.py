"""Locks go round in the order of asking; barriers open for all at once; on both engines."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import ends, run, spent


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=8))
def test_a_lock_is_held_by_one_at_a_time_in_the_order_of_asking(
    asked: list[tuple[int, int]],
) -> None:
    hand = Hand(pe=1)
    for number, (at, time) in enumerate(asked):
        rows = ("lock", 0), ("unlock", 0, 0, 0, time)
        hand.process(f"p{number}", hand.listed(*rows), start_ns=at)
    result: Result = run(hand, locks=1)
    free = 0
    for number in sorted(range(len(asked)), key=lambda one: (asked[one][0], one)):
        at, time = asked[number]
        begin = max(free, at)
        assert spent(result, number).get("lock", (0, 0)) == (begin - at, 0)
        assert ends(result)[number] == begin + time
        free = begin + time


@settings(max_examples=examples(40))
@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.integers(1, 3))
def test_a_barrier_opens_when_the_last_has_come_again_and_again(
    pauses: list[int], rounds: int
) -> None:
    hand = Hand(pe=1)
    hand.barriers.append(len(pauses))
    for number, pause in enumerate(pauses):
        hand.process(f"p{number}", hand.listed(("barrier", 0, 0, 0, pause)), repeat=rounds)
    result = run(hand)
    assert ends(result) == [rounds * max(pauses)] * len(pauses)
    for number, pause in enumerate(pauses):
        waited = rounds * (max(pauses) - pause)
        assert spent(result, number).get("barrier", (0, 0)) == (waited, 0)
