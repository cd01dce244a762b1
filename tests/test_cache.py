"""The cache's rules by hand, and against a naive twin made of lists and dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.cache import UnitCache
from simulator.machine.slots import (
    BUSY,
    CLEAN,
    DIRTY,
    FREE,
    KEEP,
    QUEUED,
    RELEASE_FULL,
    RELEASE_WHOLE,
)

UNIT = 10
PER_FILE = 4
"""Blocks of a file: block 5 is unit 1 of file 1."""


def cache(slots: int = 3, *, share: int = 9, release: int = KEEP) -> UnitCache:
    return UnitCache(slots=slots, unit=UNIT, share=share, files=2, release=release)


def read(of: UnitCache, block: int) -> bool:
    """Read a block, fetching it at once if need be; returns whether it was there."""
    slot = of.find(block)
    hit = slot >= 0
    if not hit:
        slot = of.admit(block, block // PER_FILE, write=False)
        of.valid[slot] = UNIT
        of.settle(slot)
    of.touch(slot)
    return hit


def write(of: UnitCache, block: int, low: int = 0, high: int = UNIT) -> int:
    """Write [low, high) of a block; returns its slot."""
    slot = of.find(block)
    if slot < 0:
        slot = of.admit(block, block // PER_FILE, write=True)
    if slot >= 0:
        of.begin_write(slot)
        of.end_write(slot, low, high)
    return slot


def write_back(of: UnitCache, slot: int) -> tuple[int, bool]:
    """Write a dirty unit back at once; returns the bytes, and whether it is gone."""
    if of.state[slot] == DIRTY:
        of.queue(slot)
    size = of.begin_writeback(slot)
    return size, of.end_writeback(slot)


def resident(of: UnitCache) -> set[int]:
    return {block for block in range(2 * PER_FILE) if of.find(block) >= 0}


class TestCleanUnits:
    def test_the_one_used_longest_ago_goes_first(self) -> None:
        one = cache(2)
        assert [read(one, block) for block in (1, 2, 1, 3, 2)] == [False, False, True, False, False]
        assert resident(one) == {2, 3}
        assert one.evicted == 2

    def test_a_dirty_unit_does_not_go(self) -> None:
        one = cache(2)
        write(one, 0)
        assert [read(one, block) for block in (1, 2, 3)] == [False] * 3
        assert resident(one) == {0, 3}

    def test_where_none_can_go_nobody_is_admitted(self) -> None:
        one = cache(1)
        slot = write(one, 0)
        assert not one.has_room(0, write=False)
        assert one.admit(1, 0, write=False) == -1
        write_back(one, slot)
        assert one.has_room(0, write=False)
        assert one.admit(1, 0, write=False) == slot

    def test_a_unit_written_back_is_the_last_to_go(self) -> None:
        one = cache(2)
        slot = write(one, 0)
        read(one, 1)
        write_back(one, slot)
        read(one, 2)
        assert resident(one) == {0, 2}

    def test_a_cache_needs_room(self) -> None:
        with pytest.raises(ValueError, match="need room for a unit, got slots=0, share=9"):
            cache(0)
        with pytest.raises(ValueError, match="got slots=3, share=0"):
            cache(share=0)


class TestShare:
    def test_a_file_at_its_share_gives_up_a_clean_unit_of_its_own(self) -> None:
        one = cache(4, share=2)
        write_back(one, write(one, 0))
        write(one, 1)
        read(one, PER_FILE)  # another file's, and clean for longer than nothing of ours
        assert not one.file_outgrown[0]
        assert write(one, 2) >= 0
        assert resident(one) == {1, 2, PER_FILE}
        assert one.file_outgrown[0]
        assert (one.file_written[0], one.file_outgrown[1]) == (2, 0)

    def test_without_a_clean_unit_of_its_own_it_has_to_wait(self) -> None:
        one = cache(4, share=1)
        write(one, 0)
        read(one, PER_FILE)
        assert not one.has_room(0, write=True)
        assert one.has_room(0, write=False)
        assert write(one, 1) == -1
        assert one.file_outgrown[0]

    def test_units_that_were_only_read_do_not_count(self) -> None:
        one = cache(4, share=1)
        read(one, 1)
        read(one, 2)
        assert one.may_write(0)
        assert write(one, 0) >= 0
        assert one.file_written[0] == 1

    def test_writing_a_resident_unit_is_never_refused(self) -> None:
        one = cache(4, share=1)
        read(one, 1)
        write(one, 0)
        write(one, 1)
        assert one.file_written[0] == 2
        assert not one.may_write(0)

    def test_a_written_unit_that_goes_gives_its_place_back(self) -> None:
        one = cache(1, share=1)
        write_back(one, write(one, 0))
        read(one, PER_FILE)
        assert one.file_written[0] == 0


class TestDirtyBytes:
    def test_are_those_written_but_never_more_than_they_span(self) -> None:
        one = cache()
        slot = write(one, 0, 2, 5)
        assert one.dirty_bytes(slot) == 3
        write(one, 0, 8, 9)
        assert one.dirty_bytes(slot) == 4  # of the 7 that they span
        write(one, 0, 2, 9)
        assert one.dirty_bytes(slot) == 7

    @pytest.mark.parametrize(
        ("low", "high", "back"), [(0, 3, False), (3, 4, True), (0, 10, True), (5, 10, False)]
    )
    def test_going_back_is_overlapping_what_is_not_on_disk(
        self, low: int, high: int, back: bool
    ) -> None:
        one = cache()
        slot = write(one, 0, 3, 5)
        assert one.overlaps_dirty(slot, low, high) is back
        write_back(one, slot)
        assert not one.overlaps_dirty(slot, low, high)

    def test_written_during_the_write_back_it_stays_dirty(self) -> None:
        one = cache()
        slot = write(one, 0, 0, 6)
        one.begin_write(slot)
        one.queue(slot)
        assert one.begin_writeback(slot) == 6
        one.end_write(slot, 8, 10)
        assert one.state[slot] == BUSY
        assert not one.end_writeback(slot)
        assert (one.state[slot], one.dirty_bytes(slot), one.dirty_low[slot]) == (DIRTY, 2, 8)

    def test_written_during_the_write_back_it_is_not_released(self) -> None:
        one = cache(share=1, release=RELEASE_FULL)
        slot = write(one, 0)
        one.file_outgrown[0] = 1
        one.begin_write(slot)
        one.queue(slot)
        one.begin_writeback(slot)
        one.end_write(slot, 0, 1)
        assert not one.end_writeback(slot)
        assert one.state[slot] == DIRTY

    def test_a_unit_stays_full_when_a_part_of_it_is_written_again(self) -> None:
        one = cache()
        slot = write(one, 0)
        write(one, 0, 0, 4)
        assert one.is_full(slot)

    def test_a_unit_that_is_being_written_to_is_kept(self) -> None:
        one = cache(1, share=1, release=RELEASE_FULL)
        slot = write(one, 0)
        one.file_outgrown[0] = 1
        one.begin_write(slot)
        assert write_back(one, slot) == (UNIT, False)
        assert one.state[slot] == BUSY
        assert not one.has_room(0, write=False)
        one.end_write(slot, 0, 1)
        assert one.state[slot] == DIRTY


class TestRelease:
    @pytest.mark.parametrize(
        ("release", "gone"),
        [
            (KEEP, [False, False, False]),
            (RELEASE_WHOLE, [True, False, False]),
            (RELEASE_FULL, [True, True, False]),
        ],
    )
    def test_of_a_file_past_its_share(self, release: int, gone: list[bool]) -> None:
        """Written whole by one call; full after two; not full."""
        one = cache(release=release)
        slots = [write(one, 0), write(one, 1, 0, 5), write(one, 2, 0, 5)]
        write(one, 1, 5, 10)
        one.file_outgrown[0] = 1
        assert [write_back(one, slot)[1] for slot in slots] == gone
        assert one.used == 3 - sum(gone)
        assert one.file_written[0] == one.used

    def test_not_of_a_file_within_its_share(self) -> None:
        one = cache(release=RELEASE_FULL)
        assert write_back(one, write(one, 0)) == (UNIT, False)

    def test_a_whole_unit_that_is_changed_is_no_longer_whole(self) -> None:
        one = cache(release=RELEASE_WHOLE)
        slot = write(one, 0)
        write(one, 0, 0, 4)
        one.file_outgrown[0] = 1
        assert write_back(one, slot) == (UNIT, False)


class TestQueue:
    def test_first_come_first_served_but_forced_ones_before(self) -> None:
        one = cache()
        a, b, c = (write(one, block) for block in (0, 1, 2))
        one.queue(b)
        one.queue(a)
        one.queue(c, first=True)
        order = []
        while (slot := one.next_queued()) >= 0:
            order.append(slot)
            one.begin_writeback(slot)
        assert order == [c, b, a]

    def test_a_queued_unit_can_be_asked_for_again(self) -> None:
        one = cache()
        a, b = write(one, 0), write(one, 1)
        one.queue(a)
        one.queue(b)
        one.queue(b, first=True)
        assert (one.next_queued(), one.queued_count) == (b, 2)

    def test_the_oldest_change_of_all_or_of_a_file(self) -> None:
        one = cache()
        assert one.oldest_dirty() == -1
        other, mine = write(one, PER_FILE), write(one, 0)
        write(one, PER_FILE)  # dirty again is not dirty anew
        assert (one.oldest_dirty(), one.oldest_dirty(0), one.oldest_dirty(1)) == (
            other,
            mine,
            other,
        )
        one.queue(other)
        assert (one.oldest_dirty(), one.oldest_dirty(1)) == (mine, -1)

    def test_a_forced_unit_comes_after_the_others_of_its_file(self) -> None:
        one = cache(4)
        a, b, other = write(one, 0), write(one, 1), write(one, PER_FILE)
        assert [one.dirty_before(slot) for slot in (a, b, other)] == [b, a, other]
        one.queue(a)
        assert [one.dirty_before(slot) for slot in (a, b)] == [b, b]


# -- a twin that is too simple to be wrong ------------------------------------------------------


@dataclass
class Unit:
    file: int
    written: bool
    users: int = 0
    fetching: bool = False
    writing: bool = False
    valid: int = 0
    whole: bool = False
    changes: list[tuple[int, int]] = field(default_factory=list)
    """Ranges written since the last write-back."""

    def dirty_bytes(self) -> int:
        if not self.changes:
            return 0
        span = max(high for _, high in self.changes) - min(low for low, _ in self.changes)
        return min(span, sum(high - low for low, high in self.changes))


class NaiveCache:
    """Blocks in a dictionary, and in lists in the order in which they go."""

    def __init__(self, slots: int, share: int, release: int) -> None:
        self.slots, self.share, self.release = slots, share, release
        self.units: dict[int, Unit] = {}
        self.lists: dict[int, list[int]] = {CLEAN: [], DIRTY: [], QUEUED: []}
        self.outgrown: set[int] = set()
        self.evicted = 0

    def state(self, block: int) -> int:
        return next((name for name, blocks in self.lists.items() if block in blocks), BUSY)

    def file_written(self, file: int) -> int:
        return sum(unit.file == file and unit.written for unit in self.units.values())

    def victims(self, file: int, write: bool) -> list[int] | None:
        """Those that can go, the first first; None if nobody needs to."""
        if write and self.file_written(file) >= self.share:
            return [
                b for b in self.lists[CLEAN] if self.units[b].written and self.units[b].file == file
            ]
        return None if len(self.units) < self.slots else self.lists[CLEAN]

    def admit(self, block: int, file: int, *, write: bool) -> bool:
        if write and self.file_written(file) >= self.share:
            self.outgrown.add(file)
        victims = self.victims(file, write)
        if victims is not None:
            if not victims:
                return False
            self.remove(victims[0])
            self.evicted += 1
        self.units[block] = Unit(file, written=write)
        return True

    def remove(self, block: int) -> None:
        del self.units[block]
        self.out(block)

    def out(self, block: int) -> None:
        for blocks in self.lists.values():
            if block in blocks:
                blocks.remove(block)

    def settle(self, block: int) -> None:
        unit = self.units[block]
        if self.state(block) != BUSY or unit.fetching or unit.writing:
            return
        if unit.changes:
            self.lists[DIRTY].append(block)
        elif not unit.users:
            self.lists[CLEAN].append(block)

    def touch(self, block: int) -> None:
        if self.state(block) == CLEAN:
            self.out(block)
            self.lists[CLEAN].append(block)

    def begin_write(self, block: int) -> None:
        self.units[block].users += 1
        self.units[block].written = True
        if self.state(block) == CLEAN:
            self.out(block)

    def end_write(self, block: int, low: int, high: int) -> None:
        unit = self.units[block]
        unit.users -= 1
        unit.changes.append((low, high))
        unit.valid = max(unit.valid, high)
        unit.whole = (low, high) == (0, UNIT)
        self.settle(block)

    def queue(self, block: int, *, first: bool) -> None:
        self.out(block)
        self.lists[QUEUED].insert(0 if first else len(self.lists[QUEUED]), block)

    def dirty_before(self, block: int) -> int:
        file = self.units[block].file
        others = [b for b in self.lists[DIRTY] if self.units[b].file == file and b != block]
        return others[0] if others else block

    def begin_writeback(self, block: int) -> int:
        unit = self.units[block]
        size = unit.dirty_bytes()
        self.out(block)
        unit.writing, unit.changes = True, []
        return size

    def end_writeback(self, block: int) -> bool:
        unit = self.units[block]
        unit.writing = False
        goes = {KEEP: False, RELEASE_WHOLE: unit.whole, RELEASE_FULL: unit.valid >= UNIT}
        if (
            not unit.changes
            and not unit.users
            and unit.file in self.outgrown
            and goes[self.release]
        ):
            self.remove(block)
            return True
        self.settle(block)
        return False


class Twins:
    """The same operations on both, drawn from those that make sense at the time."""

    def __init__(self, slots: int, share: int, release: int) -> None:
        self.fast = cache(slots, share=share, release=release)
        self.naive = NaiveCache(slots, share, release)
        self.transfers: list[int] = []
        """Blocks into which a transfer is under way."""

    def step(self, rng: Random) -> None:
        """Do one thing: first what, so that what is seldom possible is not seldom done."""
        possible: dict[Callable[[int], None], list[int]] = {}
        for block in range(2 * PER_FILE):
            for what in self.possible(block):
                possible.setdefault(what, []).append(block)
        self.low = rng.randint(0, UNIT - 1)
        self.high = rng.randint(self.low + 1, UNIT)
        if rng.randint(0, 2) == 0:
            self.low, self.high = 0, UNIT
        what = rng.choice(list(possible))
        what(rng.choice(possible[what]))

    def possible(self, block: int) -> Iterator[Callable[[int], None]]:
        unit = self.naive.units.get(block)
        if unit is None:
            yield from (self.come_to_read, self.come_to_write)
            return
        yield self.touch
        if unit.fetching:
            yield self.fetched
        elif unit.writing:
            yield self.written_back
        else:
            yield self.begin_write
        if block in self.transfers:
            yield self.end_write
        if self.naive.state(block) in (DIRTY, QUEUED):
            yield from (self.queue, self.force)
        if block in self.naive.lists[QUEUED][:1]:
            yield self.write_back

    def come_to_read(self, block: int) -> None:
        slot = self.fast.admit(block, block // PER_FILE, write=False)
        assert (slot >= 0) == self.naive.admit(block, block // PER_FILE, write=False)
        if slot >= 0:
            self.fast.fetching[slot] = 1
            self.naive.units[block].fetching = True

    def come_to_write(self, block: int) -> None:
        slot = self.fast.admit(block, block // PER_FILE, write=True)
        assert (slot >= 0) == self.naive.admit(block, block // PER_FILE, write=True)
        if slot >= 0:
            self.begin_write(block)

    def touch(self, block: int) -> None:
        self.fast.touch(self.fast.find(block))
        self.naive.touch(block)

    def fetched(self, block: int) -> None:
        slot = self.fast.find(block)
        self.fast.fetching[slot] = 0
        self.naive.units[block].fetching = False
        self.fast.valid[slot] = self.naive.units[block].valid = self.high
        self.fast.settle(slot)
        self.naive.settle(block)

    def begin_write(self, block: int) -> None:
        self.fast.begin_write(self.fast.find(block))
        self.naive.begin_write(block)
        self.transfers.append(block)

    def end_write(self, block: int) -> None:
        self.transfers.remove(block)
        self.fast.end_write(self.fast.find(block), self.low, self.high)
        self.naive.end_write(block, self.low, self.high)

    def queue(self, block: int) -> None:
        self.fast.queue(self.fast.find(block))
        self.naive.queue(block, first=False)

    def force(self, block: int) -> None:
        self.fast.queue(self.fast.find(block), first=True)
        self.naive.queue(block, first=True)

    def write_back(self, block: int) -> None:
        assert self.fast.next_queued() == self.fast.find(block)
        size = self.fast.begin_writeback(self.fast.next_queued())
        assert size == self.naive.begin_writeback(block)

    def written_back(self, block: int) -> None:
        gone = self.fast.end_writeback(self.fast.find(block))
        assert gone == self.naive.end_writeback(block)

    def compare(self) -> None:
        fast, naive = self.fast, self.naive
        assert resident(fast) == set(naive.units)
        for block, unit in naive.units.items():
            slot = fast.find(block)
            assert fast.state[slot] == naive.state(block)
            assert (fast.users[slot], fast.written[slot]) == (unit.users, unit.written)
            assert (fast.valid[slot], fast.whole[slot]) == (unit.valid, unit.whole)
            assert fast.is_full(slot) == (unit.valid >= UNIT)
            assert fast.dirty_bytes(slot) == unit.dirty_bytes()
            if fast.state[slot] in (DIRTY, QUEUED):
                assert fast.block_of[fast.dirty_before(slot)] == naive.dirty_before(block)
        assert fast.evicted == naive.evicted
        for file in (0, 1):
            assert fast.file_written[file] == naive.file_written(file)
            assert bool(fast.file_outgrown[file]) == (file in naive.outgrown)
            for write in (False, True):
                assert fast.has_room(file, write=write) == (naive.victims(file, write) != [])
            dirty = [block for block in naive.lists[DIRTY] if block // PER_FILE == file]
            oldest = fast.oldest_dirty(file)
            assert (fast.block_of[oldest] if oldest >= 0 else None) == (dirty or [None])[0]


def check_rings(of: UnitCache) -> None:
    """Every slot is in one state and one ring, and all counts agree."""
    states = Counter(of.state)
    assert of.used == of.slots - states[FREE]
    assert (of.dirty_count, of.queued_count) == (states[DIRTY], states[QUEUED])
    free = [of._free[i] for i in range(of.slots - of.used)]
    assert sorted(free) == [slot for slot in range(of.slots) if of.state[slot] == FREE]
    for ring in (CLEAN, DIRTY, QUEUED):
        everywhere = walk(of._next, of.slots + ring, of.slots)
        assert everywhere == walk(of._prev, of.slots + ring, of.slots)[::-1]
        assert sorted(everywhere) == [s for s in range(of.slots) if of.state[s] == ring]
    for file in range(len(of.file_written)):
        mine = [s for s in range(of.slots) if of.state[s] != FREE and of.file_of[s] == file]
        written = [slot for slot in mine if of.written[slot]]
        assert of.file_written[file] == len(written)
        for ring in (CLEAN, DIRTY):
            head = of.slots + 2 * file + ring
            wanted = [s for s in walk(of._next, of.slots + ring, of.slots) if s in written]
            assert walk(of._file_next, head, of.slots) == wanted
            assert walk(of._file_prev, head, of.slots)[::-1] == wanted
    for slot in range(of.slots):
        if of.state[slot] != FREE:
            assert of.find(of.block_of[slot]) == slot


def walk(links: object, head: int, slots: int) -> list[int]:
    """The slots of a ring from its head on."""
    found: list[int] = []
    slot = links[head]  # type: ignore[index]
    while slot != head:
        assert slot < slots
        assert slot not in found
        found.append(slot)
        slot = links[slot]  # type: ignore[index]
    return found


@given(
    st.integers(1, 6),
    st.integers(1, 4),
    st.sampled_from((KEEP, RELEASE_WHOLE, RELEASE_FULL)),
    st.integers(1, 60),
    st.randoms(use_true_random=False),
)
def test_agrees_with_the_naive_one(
    slots: int, share: int, release: int, steps: int, rng: Random
) -> None:
    twins = Twins(slots, share, release)
    for _ in range(steps):
        twins.step(rng)
        twins.compare()
        check_rings(twins.fast)


@given(st.integers(1, 7), st.lists(st.integers(0, 7), max_size=60))
def test_more_room_never_means_fewer_hits(slots: int, blocks: list[int]) -> None:
    """The inclusion property of LRU, for each single read (Mattson et al., 1970)."""
    small, large = cache(slots), cache(slots + 1)
    for block in blocks:
        assert read(small, block) <= read(large, block)
        assert resident(small) <= resident(large)
