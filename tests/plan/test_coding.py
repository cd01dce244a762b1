"""Erasure codes: where bytes lie, and what a request reads and writes, against a naive twin."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.plan.coding import Coding, Spans
from tests.examples import examples
from tests.twins.coding import PRIME, Byte, CodedFile

PARITIES = {4: (0, 10), 5: (0, 10)}


def bytes_of(*all_spans: Spans) -> set[Byte]:
    """The bytes of spans; no two of them share one."""
    found = [
        (position, at)
        for spans in all_spans
        for position, (low, high) in spans.items()
        for at in range(low, high)
    ]
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.parametrize(
    ("low", "high", "end", "lost", "reads"),
    [
        (0, 40, 40, (), {}),  # a whole row
        (0, 10, 0, (), {}),  # nothing is there yet
        (10, 20, 10, (), {0: (0, 10)}),  # 10 bytes of the rest; of the parities 20
        (20, 30, 20, (), {0: (0, 10), 1: (0, 10)}),  # 20 either way: the rest
        (30, 40, 30, (), PARITIES),  # 30 of the rest
        (5, 40, 40, (), {0: (0, 5)}),
        (12, 15, 40, (), dict.fromkeys((0, 2, 3), (2, 5))),  # 9 either way
        (12, 15, 40, (3,), dict.fromkeys((1, 4, 5), (2, 5))),  # the rest is not there
        (12, 15, 40, (1,), dict.fromkeys((0, 2, 3), (2, 5))),
        (12, 15, 40, (1, 3), dict.fromkeys((0, 2, 4, 5), (2, 5))),  # four of six
        (12, 15, 40, (4, 5), {}),  # no parity is there
    ],
)
def test_by_hand(low: int, high: int, end: int, lost: tuple[int, ...], reads: Spans) -> None:
    """Rows of four units of 10 bytes and two parities."""
    assert Coding(10, 6, 4, 2).before(low, high, end, lost) == [reads]


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32))
def test_what_is_read_is_enough_and_the_least(seed: int) -> None:
    """A real code: each parity and each byte that is away follow from what is read, and are right.

    While a member is away it keeps nothing of what is written; the others decode it for ever.
    """
    rng = Random(seed)
    file = CodedFile(rng.randint(1, 6), rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 2))
    members = file.data + file.parity
    coding = Coding(file.size, file.groups * members, file.data, file.parity)
    truth: dict[int, int] = {}
    away = [
        group * members + one
        for group in range(file.groups)
        for one in rng.sample(range(members), rng.randint(0, file.parity))
    ]
    lost = coding.lost(lambda one: one in away)
    assert lost == frozenset(away)
    for _ in range(rng.randint(1, 8)):
        low = rng.randint(0, 60)
        values = [rng.randrange(PRIME) for _ in range(rng.randint(1, 40))]
        high = low + len(values)
        before = bytes_of(*coding.before(low, high, file.end, lost))
        assert before == file.needed(low, high, lost)
        written, parities = file.touched(low, high)
        there = {one for one in written | parities if one[0] not in lost}
        assert bytes_of(coding.writes(low, high, lost)) == there
        file.write(low, values, {one: file.held.get(one, 0) for one in before}, lost)
        truth |= dict(enumerate(values, low))
        low = rng.randrange(file.end)
        high = rng.randint(low + 1, file.end)
        spans, decoded = coding.reads(low, high, file.end, lost)
        known = {one: file.held.get(one, 0) for one in bytes_of(spans)}
        wanted = [(at, file.place(at)) for at in range(low, high)]
        assert decoded == file.data * sum(one[0] in lost for _, one in wanted)
        for at, one in wanted:
            stripe = file.stripe(one)
            value = known[one] if one in known else file.solve(stripe, known)[stripe.index(one)]
            assert value == truth.get(at, 0)


def test_a_group_of_which_too_many_are_away_is_waited_for() -> None:
    """Of the second group of 3+1 two members are away, of the first one."""
    assert Coding(1, 8, 3, 1).lost({2, 4, 7}.__contains__) == {2}


def test_the_longest_member_has_a_unit_of_each_row() -> None:
    """Two groups of 2+1 with units of 10: of 55 bytes the first group has two rows."""
    coding = Coding(10, 6, 2, 1)
    assert [coding.holds(55, position) for position in range(6)] == [20, 15, 20, 10, 10, 10]
