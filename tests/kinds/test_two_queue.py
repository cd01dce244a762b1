"""2Q against a naive twin, and what Johnson and Shasha say of it, on both engines."""

from __future__ import annotations

from random import Random

import pytest

from simulator.kinds.policies.lru.reference import Lru
from simulator.kinds.policies.two_queue.reference import TwoQueue
from tests.engines.hand import Hand
from tests.reference.runs import counts, run
from tests.reference.test_policies import use


class NaiveTwoQueue:
    """The paper's pseudocode (full version) on plain lists, the oldest first."""

    def __init__(self, slots: int) -> None:
        self.slots, self.k_in, self.k_out = slots, slots // 4, max(1, slots // 2)
        self.a1_in: list[int] = []
        self.a1_out: list[int] = []
        self.am: list[int] = []

    def use(self, page: int) -> int | None:
        """Access a page; return the one that it takes the place of."""
        if page in self.am:
            self.am.remove(page)
            self.am.append(page)
            return None
        if page in self.a1_in:
            return None
        known = page in self.a1_out
        if known:
            self.a1_out.remove(page)
        gone = self.reclaim()
        (self.am if known else self.a1_in).append(page)
        return gone

    def reclaim(self) -> int | None:
        """Make room for a page."""
        if len(self.a1_in) + len(self.am) < self.slots:
            return None
        if len(self.a1_in) > self.k_in or not self.am:
            gone = self.a1_in.pop(0)
            self.a1_out = [*self.a1_out, gone][-self.k_out :]
            return gone
        return self.am.pop(0)


@pytest.mark.parametrize("slots", [1, 2, 3, 4, 8, 13])
def test_against_the_pseudocode(slots: int) -> None:
    rng, policy, naive = Random(slots), TwoQueue(slots), NaiveTwoQueue(slots)
    resident = set[int]()
    for _ in range(3000):
        page = min(rng.randint(0, 2 * slots + 3), rng.randint(0, 2 * slots + 3))
        assert use(policy, resident, page) == naive.use(page)


def test_a_page_that_comes_back_soon_stays() -> None:
    """Four slots: the queue gives away its first; that comes back into the list."""
    policy, resident = TwoQueue(4), set[int]()
    gone = [use(policy, resident, page) for page in (1, 2, 3, 4, 5, 1, 6, 7, 8)]
    assert gone == [None, None, None, None, 1, 2, 3, 4, 5]
    assert 1 in resident


def test_uses_in_the_queue_count_once() -> None:
    """Correlated references: a page that is used ten times at once goes as if used once."""
    policy, resident = TwoQueue(4), set[int]()
    for page in (1, 1, 1, 1, 2, 3, 4):
        use(policy, resident, page)
    assert use(policy, resident, 5) == 1


def test_a_scan_does_not_drive_out_what_came_back() -> None:
    for kind, kept in ((TwoQueue, True), (Lru, False)):
        policy, resident = kind(4), set[int]()
        for page in (1, 2, 3, 4, 5, 1, *range(10, 30)):
            use(policy, resident, page)
        assert (1 in resident) is kept


def test_both_engines_find_what_the_twin_finds() -> None:
    """Reads of single blocks by one process, of a store of eight."""
    rng, naive = Random(5), NaiveTwoQueue(8)
    pages = [min(rng.randint(0, 20), rng.randint(0, 20)) for _ in range(400)]
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    hand.store("pages", "pe", slots=8, block=100, policy="two-queue")
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", 3000, length=3000)
    hand.process("p", hand.listed(*[("read", "f", 100 * page, 100) for page in pages]))
    found = counts(run(hand), "pages")
    evicted = [naive.use(page) for page in pages]
    assert found["evicted"] == sum(one is not None for one in evicted)
    assert found["misses"] == found["evicted"] + 8
