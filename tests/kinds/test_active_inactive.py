"""Linux's two lists against a twin written from its source, on both engines, and by hand."""

from __future__ import annotations

from math import floor, sqrt
from random import Random

import pytest

from simulator.kinds.policies.active_inactive.reference import ActiveInactive
from simulator.kinds.policies.lru.reference import Lru
from simulator.reference.policy import Policy
from tests.engines.hand import Hand
from tests.reference.runs import counts, run
from tests.reference.test_policies import use


class NaiveLists:
    """mark_page_accessed, shrink_active_list, workingset_eviction and workingset_refault (4.18).

    Plain lists, the page that goes next first; ``age`` is inactive_age.
    """

    def __init__(self, slots: int, block: int) -> None:
        self.slots, self.block = slots, block
        self.inactive: list[int] = []
        self.active: list[int] = []
        self.shadows: list[tuple[int, int]] = []
        self.age = 0

    def use(self, page: int) -> int | None:
        """Access a page; return the one that it takes the place of."""
        if page in self.active:
            return None
        if page in self.inactive:
            self.inactive.remove(page)
            self.activate(page)
            return None
        age = dict(self.shadows).get(page)
        self.shadows = [shadow for shadow in self.shadows if shadow[0] != page]
        refault = age is not None and self.age - age <= len(self.active)
        self.age += refault
        gone = None
        if len(self.inactive) + len(self.active) == self.slots:
            gone = self.reclaim(refault=refault)
        (self.active if refault else self.inactive).append(page)
        return gone

    def activate(self, page: int) -> None:
        """Put a page last in the active list."""
        self.age += 1
        self.active.append(page)

    def reclaim(self, *, refault: bool) -> int:
        """Make room for a page; inactive_ratio is 0 for a page of the active list, of a refault."""
        if refault and self.active:
            self.inactive.append(self.active.pop(0))
        gigabytes = self.slots * self.block // 2**30
        ratio = floor(sqrt(10 * gigabytes)) if gigabytes else 1
        while len(self.inactive) * ratio < len(self.active):
            self.inactive.append(self.active.pop(0))
        gone = self.inactive.pop(0)
        self.age += 1
        self.shadows = [*self.shadows, (gone, self.age)][-self.slots :]
        return gone


def drawn(seed: int, slots: int, count: int) -> list[int]:
    rng = Random(seed)
    return [min(rng.randint(0, 2 * slots + 3), rng.randint(0, 2 * slots + 3)) for _ in range(count)]


@pytest.mark.parametrize("block", [4096, 2**30])
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 8, 13])
def test_against_the_twin(slots: int, block: int) -> None:
    policy, naive = ActiveInactive(slots), NaiveLists(slots, block)
    policy.block = block
    resident = set[int]()
    for page in drawn(slots, slots, 3000):
        assert use(policy, resident, page) == naive.use(page)


@pytest.mark.parametrize("block", [100, 2**30])
@pytest.mark.parametrize("slots", [2, 8, 13])
def test_both_engines_find_what_the_twin_finds(slots: int, block: int) -> None:
    """Reads of single blocks by one process; of 13 GiB up to 11 blocks are active for each."""
    naive, pages = NaiveLists(slots, block), drawn(5, slots, 400)
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    hand.store("pages", "pe", slots=slots, block=block, policy="active-inactive")
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", 30 * block, length=30 * block)
    hand.process("p", hand.listed(*[("read", "f", block * page, block) for page in pages]))
    found = counts(run(hand), "pages")
    evicted = [naive.use(page) for page in pages]
    assert found["evicted"] == sum(one is not None for one in evicted)
    assert found["misses"] == found["evicted"] + min(slots, len(set(pages)))


@pytest.mark.parametrize(("kind", "kept"), [(ActiveInactive, True), (Lru, False)])
def test_a_scan_does_not_drive_out_what_was_used_twice(kind: type[Policy], kept: bool) -> None:
    policy, resident = kind(4), set[int]()
    for page in (1, 2, 1, 2, *range(10, 30)):
        use(policy, resident, page)
    assert ({1, 2} <= resident) is kept


def test_a_page_that_comes_back_within_the_length_of_the_active_list_is_active() -> None:
    """Four slots, 1 and 2 active: 3 goes for 5 and comes back one page later; a scan leaves it."""
    policy, resident = ActiveInactive(4), set[int]()
    gone = [use(policy, resident, page) for page in (1, 2, 1, 2, 3, 4, 5, 3)]
    assert gone == [None, None, None, None, None, None, 3, 4]
    assert [use(policy, resident, page) for page in (6, 7)] == [5, 1], "3 is active, 1 no more"


def sequential_reads(policy: str, record: int) -> int:
    """Blocks of a table that are there after it was read twice, and a long log once, in records.

    Eight blocks of 100 B: the table has three, the log 40.
    """
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    hand.store("pages", "pe", slots=8, block=100, policy=policy)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("table", "fs", 300, length=300)
    hand.file("log", "fs", 4000, length=4000)
    table = [("read", "table", at, record) for at in range(0, 300, record)]
    log = [("read", "log", at, record) for at in range(0, 4000, record)]
    hand.process("p", hand.listed(*table, *table, *log, *table))
    return 3 + 40 + 3 - counts(run(hand), "pages")["misses"]


@pytest.mark.parametrize("record", [100, 50, 20, 10])
def test_records_in_order_use_a_block_once(record: int) -> None:
    """A log read in small records is a scan, too: it does not become active."""
    assert sequential_reads("active-inactive", record) == 3
    assert sequential_reads("lru", record) == 0


def test_what_is_read_ahead_is_used_once() -> None:
    """A log that is read ahead leaves the table, which was used twice, where it is."""
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    hand.store("pages", "pe", slots=8, block=100, policy="active-inactive", ahead=2)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("table", "fs", 300, length=300)
    hand.file("log", "fs", 4000, length=4000)
    table = [("read", "table", at, 100) for at in (200, 100, 0)]
    log = [("read", "log", at, 100) for at in range(0, 4000, 100)]
    hand.process("p", hand.listed(*table, *table, *log, *table))
    found = counts(run(hand), "pages")
    assert found["used_ahead"] > 30
    assert found["misses"] + found["read_ahead"] == 3 + 40


@pytest.mark.parametrize(("reads", "there"), [(1, 0), (2, 3)])
@pytest.mark.parametrize("back", [False, True])
def test_a_write_is_no_use(reads: int, there: int, back: bool) -> None:
    """What was written is active from its second read on (Linux since 4.7), written twice or not.

    Eight blocks: a table of three is written twice, then read, then a log of 40 is read; of the
    table ``there`` blocks are left.
    """
    hand = Hand(pe=1)
    hand.part("disk", "pe", rate=1e9)
    at_once = {"high": 0, "low": 0, "triggers": frozenset({"mark"})}  # of write-back
    hand.store("pages", "pe", slots=8, block=100, policy="active-inactive", back=back, **at_once)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("table", "fs", 300)
    hand.file("log", "fs", 4000, length=4000)
    table, log = range(0, 300, 100), range(0, 4000, 100)
    written = [("write", "table", at, 100) for at in (*table, *table)]
    read = [("read", "table", at, 100) for at in table]
    scan = [("read", "log", at, 100) for at in log]
    hand.process("p", hand.listed(*written, *read * reads, *scan, *read))
    assert 40 + 3 - counts(run(hand), "pages")["fetched"] == there
