"""The calendar of alarms against a list that is sorted each time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.native.clock import NEVER, Clock
from simulator.native.codes import ALARM, ALARM_NUMBER
from simulator.native.engine import Clock as BuiltClock

LONG = st.integers(0, 60).flatmap(lambda bits: st.integers(0, 1 << bits))
SHORT = st.integers(0, 3)
ACTS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 8), SHORT | LONG), max_size=300)


@pytest.mark.parametrize("kind", [Clock, BuiltClock])
@given(st.permutations(range(9)), ACTS)
def test_the_earliest_alarm_of_the_lowest_number_is_next(
    kind: Any, numbers: list[int], acts: list[tuple[int, int, int]]
) -> None:
    """Alarms are set, set anew and taken back while others go off; who acted last goes on."""
    clock = kind(3)
    clock.grow(9)
    for slot, number in enumerate(numbers):
        clock.alarm[slot * ALARM + ALARM_NUMBER] = number
    due: dict[int, int] = {}
    now, first = 0, -1
    for what, slot, more in acts:
        if what == 0:
            clock.stop(slot)
            due.pop(slot, None)
        elif what == 1:
            clock.wake(slot)
            due[slot] = now
        elif what < 6:
            time = min(now + more, NEVER - 1)
            clock.play(slot, time)
            due[slot] = time
        elif what == 6:
            clock.grow(clock.slots + 1)
        else:
            acted = first if what > 9 else -1
            if acted >= 0:
                due[acted] = time = min(now + more, NEVER - 1)
            first = min(due, key=lambda one: (due[one], numbers[one]), default=-1)
            next_one = clock.go_on(acted, time) if acted >= 0 else clock.next_actor()
            assert next_one == first
            now = due.pop(first, now)
            assert clock.now == now


def test_a_day_is_as_long_as_a_few_events_take() -> None:
    """Ten actors go on every 2**20 ns for long, and then at once for long."""
    clock = BuiltClock(10)
    for slot in range(10):
        clock.alarm[slot * ALARM + ALARM_NUMBER] = slot
        clock.at(slot, slot << 20)
    for _ in range(1000):
        clock.at(clock.next_actor(), clock.now + (10 << 20))
    assert 20 <= clock.shift <= 23
    for _ in range(20_000):
        clock.at(clock.next_actor(), clock.now)
    assert clock.shift <= 3


@pytest.mark.parametrize("bits", [8, 31, 45])
def test_the_day_is_that_of_the_time_however_long_it_is(bits: int) -> None:
    """Three actors go on every 2**bits ns; days may be longer than 2**31 ns."""
    clock = BuiltClock(3)
    for slot in range(3):
        clock.alarm[slot * ALARM + ALARM_NUMBER] = slot
        clock.at(slot, slot << bits)
    for _ in range(10_000):
        clock.at(clock.next_actor(), clock.now + (3 << bits))
        assert clock.evening - (1 << clock.shift) <= clock.now < clock.evening
    assert clock.shift >= bits - 1
