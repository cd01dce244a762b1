from __future__ import annotations

from random import Random

from simpy.events import EventPriority

from simulator.reference.actor import Clock, Timer


def rings(sets: list[tuple[int, int]]) -> tuple[list[int], int]:
    """When a timer rings that is set (at, to); and the events that SimPy carried out for it."""
    env = Clock()
    rang: list[int] = []
    timer = Timer(env, EventPriority(0), lambda: rang.append(env.now))

    def user():
        for at, to in sets:
            yield env.timeout(at - env.now)
            timer.set(to)

    env.process(user())
    events = 0
    while env.peek() != float("inf"):
        env.step()
        events += 1
    return rang, events - len(sets) - 2  # less those of the user's own process


def expected(sets: list[tuple[int, int]]) -> list[int]:
    """The times at which the last of the settings until then was due."""
    ends = [at for at, _ in sets[1:]] + [10**9]
    # A timer acts before the user of the same nanosecond, whose events come later in turn.
    return [to for (_, to), end in zip(sets, ends, strict=True) if 0 <= to <= end]


class TestTimer:
    def test_rings_once_at_its_time(self) -> None:
        assert rings([(0, 10)]) == ([10], 1)

    def test_a_later_time_costs_nothing_when_it_is_set(self) -> None:
        later = [(at, 100 + at) for at in range(10)]
        assert rings(later) == ([109], 2)

    def test_an_earlier_time_counts(self) -> None:
        assert rings([(0, 10), (1, 5)])[0] == [5]

    def test_never_is_a_time(self) -> None:
        assert rings([(0, 10), (1, -1)])[0] == []

    def test_it_may_ring_in_this_nanosecond_and_again(self) -> None:
        assert rings([(3, 3), (4, 4)])[0] == [3, 4]

    def test_rings_when_it_is_due_and_at_no_other_time(self) -> None:
        for seed in range(50):
            rng = Random(seed)
            times = sorted(rng.sample(range(100), 12))
            sets = [(at, rng.choice([-1, at, at + rng.randrange(40)])) for at in times]
            assert rings(sets)[0] == expected(sets), seed
