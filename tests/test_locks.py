"""A lock goes round in the order of asking; a barrier opens for all at once."""

from __future__ import annotations

import simpy
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor, Steps
from simulator.machine.locks import Barrier, Lock


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), min_size=1, max_size=8))
def test_the_lock_is_held_by_one_at_a_time_in_the_order_of_asking(
    asked: list[tuple[int, int]],
) -> None:
    env = simpy.Environment()
    lock = Lock("lock")
    held: list[tuple[int, int, int]] = []

    def hold(number: int, at: int, time: int) -> Steps:
        actor = Actor(env, number, f"a{number}")
        yield actor.until(at)
        yield from lock.take(actor)
        begin = actor.now
        yield actor.until(begin + time)
        held.append((number, begin, actor.now))
        lock.release()
        assert sum(actor.spent.get("lock", [0, 0])) == begin - at

    for number, (at, time) in enumerate(asked):
        env.process(hold(number, at, time))
    env.run()
    order = sorted(range(len(asked)), key=lambda one: (asked[one][0], one))
    assert [number for number, _, _ in held] == order
    free = 0
    for number, begin, end in held:
        assert begin == max(free, asked[number][0])
        free = end
    assert not lock.held


@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.integers(1, 3))
def test_a_barrier_opens_when_the_last_has_come_again_and_again(
    pauses: list[int], rounds: int
) -> None:
    env = simpy.Environment()
    barrier = Barrier("barrier", len(pauses))
    passed: list[list[int]] = [[] for _ in pauses]

    def come(number: int) -> Steps:
        actor = Actor(env, number, f"a{number}")
        for _ in range(rounds):
            yield actor.until(actor.now + pauses[number])
            yield from barrier.meet(actor)
            passed[number].append(actor.now)
        waited = sum(actor.spent.get("barrier", [0, 0]))
        assert waited == rounds * (max(pauses) - pauses[number])

    for number in range(len(pauses)):
        env.process(come(number))
    env.run()
    assert passed == [[max(pauses) * (turn + 1) for turn in range(rounds)]] * len(pauses)
