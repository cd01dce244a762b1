"""The calendar of alarms against a list that is sorted each time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.native.pieces import ask

MOST = (1 << 62) - 1
LONG = st.integers(0, 60).flatmap(lambda bits: st.integers(0, 1 << bits))
SHORT = st.integers(0, 3)
ACTS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 8), SHORT | LONG), max_size=300)


class Model:
    """Alarms in a list; what it is asked to do, and who was next each time."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self.due: dict[int, int] = {}
        self.now, self.acted = 0, -1
        self.words: list[object] = ["clock", len(numbers), *numbers]
        self.said: list[int] = []

    def at(self, slot: int, more: int) -> None:
        """Set an alarm."""
        time = min(self.now + more, MOST)
        self.words += ["at", slot, time] if more else ["wake", slot]
        self.due[slot] = time

    def stop(self, slot: int) -> None:
        """Take an alarm back."""
        self.words += ["stop", slot]
        self.due.pop(slot, None)

    def move(self, more: int) -> None:
        """Let all that is due come later."""
        more = min(more, MOST - max((self.now, *self.due.values())))
        self.now += more
        self.words += ["move", self.now]

    def go_on(self, more: int) -> None:
        """Let who has acted last do so again."""
        if self.acted < 0:
            return self.next()
        self.due[self.acted] = time = min(self.now + more, MOST)
        self.words += ["go", self.acted, time]
        return self._take()

    def next(self) -> None:
        """Let the next one act."""
        self.words.append("next")
        self._take()

    def _take(self) -> None:
        self.acted = min(self.due, key=lambda one: (self.due[one], self.numbers[one]), default=-1)
        self.now = self.due.pop(self.acted, self.now)
        self.said += [self.numbers[self.acted] if self.acted >= 0 else -1, self.now]

    def check(self) -> None:
        """See that the kernel's clock has said the same."""
        assert ask(*self.words) == self.said


@given(st.permutations(range(9)), ACTS)
def test_the_earliest_alarm_of_the_lowest_number_is_next(
    numbers: list[int], acts: list[tuple[int, int, int]]
) -> None:
    """Alarms are set, set anew and taken back while others go off; who acted last goes on."""
    model = Model(numbers)
    for what, slot, more in acts:
        if what == 0:
            model.stop(slot)
        elif what == 1:
            model.at(slot, 0)
        elif what < 6:
            model.at(slot, more)
        elif what < 10:
            model.next()
        else:
            model.go_on(more)
    model.check()


@given(st.permutations(range(9)), ACTS, st.integers(0, 1 << 58))
def test_what_is_carried_on_goes_on_in_the_same_order(
    numbers: list[int], acts: list[tuple[int, int, int]], more: int
) -> None:
    """All alarms and the time move by as much."""
    model = Model(numbers)
    for _, slot, time in acts:
        model.at(slot, time)
    order = sorted(model.due, key=lambda one: (model.due[one], numbers[one]))
    later = min(more, MOST - max(model.due.values(), default=0))
    for slot in order:
        model.words += ["at", slot, model.due[slot] + later]
        model.due[slot] += later
    model.move(later)
    for _ in range(len(order) + 1):
        model.next()
    model.check()


@pytest.mark.parametrize("bits", [0, 8, 20, 31, 45])
def test_days_change_their_length_and_nothing_else(bits: int) -> None:
    """Ten actors go on every 2**bits ns for long, then at once for long, then far apart."""
    model = Model(list(range(10)))
    for slot in range(10):
        model.at(slot, slot << bits)
    for more, times in ((10 << bits, 9000), (0, 9000), (1 << 50, 50), (3, 200)):
        model.next()
        for _ in range(times):
            model.go_on(more)
    model.check()


@pytest.mark.slow
def test_many_alarms_at_once() -> None:
    """More than there are days, some taken back."""
    model = Model([(7 * number) % 5000 for number in range(5000)])
    for slot in range(5000):
        model.at(slot, (slot * slot) % 911)
    for slot in range(0, 5000, 3):
        model.stop(slot)
    for _ in range(5000):
        model.next()
    model.check()
