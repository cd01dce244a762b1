"""Replacement policies: against naive ones, and step by step."""

from __future__ import annotations

from random import Random

import pytest

from simulator.kinds.policies.arc.reference import Arc
from simulator.kinds.policies.fifo.reference import Fifo
from simulator.kinds.policies.lru.reference import Lru
from simulator.reference.policy import Policy


def use(policy: Policy, resident: set[int], number: int) -> int | None:
    """Read a block; return what it takes the place of."""
    key = (0, number)
    if number in resident:
        policy.touch(key)
        return None
    policy.admit(key)
    gone = None
    if len(resident) == policy.slots:
        victim = policy.victim()
        assert victim is not None
        policy.evict(victim)
        gone = victim[1]
        resident.remove(gone)
    resident.add(number)
    policy.join(key)
    return gone


@pytest.mark.parametrize("kind", [Lru, Fifo])
@pytest.mark.parametrize("slots", [1, 3, 8])
def test_against_a_list(kind: type[Policy], slots: int) -> None:
    rng, policy, resident, order = Random(slots), kind(slots), set[int](), list[int]()
    for _ in range(500):
        number = rng.randint(0, 12)
        gone = use(policy, resident, number)
        if number in order and kind is Lru:
            order.remove(number)
            order.append(number)
        elif number not in order:
            assert gone == (order.pop(0) if len(order) == slots else None)
            order.append(number)


def test_a_scan_does_not_drive_out_what_arc_has_seen_twice() -> None:
    arc, lru = Arc(4), Lru(4)
    for policy, kept in ((arc, True), (lru, False)):
        resident: set[int] = set()
        for number in (1, 2, 1, 2, *range(10, 20)):
            use(policy, resident, number)
        assert ({1, 2} <= resident) is kept


def test_the_target_of_arc_follows_the_ghosts() -> None:
    arc, resident = Arc(2), set[int]()
    for number in (1, 2, 3):
        use(arc, resident, number)  # 1 goes; it was used once
    assert arc.target == 0
    assert use(arc, resident, 1) == 2  # back from B1: the target is 1, T1 has 2 and 3
    assert arc.target == 1
    assert use(arc, resident, 3) is None  # T2: 1, 3
    assert use(arc, resident, 4) == 1  # T1 is empty
    assert use(arc, resident, 1) == 4  # back from B2: the target is 0, T1 has one more
    assert arc.target == 0


def test_arc_remembers_as_many_keys_as_there_are_slots() -> None:
    arc, resident = Arc(2), set[int]()
    for number in (1, 2, 3, 4, 5):
        use(arc, resident, number)  # gone: 1, 2, 3, of which 1 is forgotten
    use(arc, resident, 1)
    assert arc.target == 0
    use(arc, resident, 3)
    assert arc.target == 1
