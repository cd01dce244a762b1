"""The buffer cache and the RAID unit: by hand, against a naive twin, and their laws."""

from __future__ import annotations

from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.noise import SILENT
from simulator.machine.raid import RaidSpec
from simulator.plan.parts import BuffersPlan, PartPlan
from simulator.reference.actor import Clock
from simulator.reference.parts.raid import Raid
from simulator.reference.stores.buffercache import BufferCache, Extent

BLOCK = 1000
SPEC = RaidSpec(
    rate=1e9,  # 1000 ns a block
    overhead_ns=50,
    seek_ns=700,
    turn_ns=200,
    cache=4 * BLOCK,
    bus_rate=10e9,  # 100 ns a block
    bus_overhead_ns=5,
)


def unit(blocks: int = 1000) -> Raid:
    plan = PartPlan(name="raid", kind="raid", group=0, first=0, count=1, raid=SPEC)
    raid = Raid(Clock(), plan, "raid", SILENT, 0, None)
    raid.attach(BLOCK, blocks)
    return raid


class Cache:
    """A cache, and the extents that are asked for by their rows."""

    def __init__(
        self,
        rows: list[Extent],
        *,
        slots: int = 3,
        blocks: int = 20,
        ahead: int = 0,
        stored: bool = True,
    ) -> None:
        row = BuffersPlan(
            name="buffers",
            group=0,
            slots=slots,
            block=BLOCK,
            ahead=ahead,
            raid=0,
            column=0,
            blocks=(blocks,),
            stored=((0, 0, blocks),) if stored else (),
        )
        self.rows = rows
        self.raid = unit()
        self.cache = BufferCache(row, 0, self.raid)
        self.drain = self.cache.drain

    def access(self, now: int, first: int, count: int, write: bool, asker: int) -> int:
        extents = self.rows[first : first + count]
        return self.cache.access(now, extents, write=write, asker=asker)

    def written(self, now: int, first: int, count: int) -> None:
        self.cache.written(now, self.rows[first : first + count])


# -- the RAID unit ----------------------------------------------------------------------------


def test_reads_stream_pause_and_seek() -> None:
    raid = unit()
    assert raid.read(0, 0) == 1000 + 105  # the head stands there already
    assert raid.read(500, 1) == 2000 + 105  # queued: it streams
    assert raid.read(2500, 2) == 2500 + 50 + 100 + 1000 + 105  # the unit was idle
    assert raid.read(2600, 9) == 3650 + 50 + 700 + 100 + 1000 + 105  # elsewhere
    assert raid.busy_ns == 4 * 1000 + 2 * 150 + 700
    assert raid.bus_busy_ns == 4 * 105


def test_times_are_those_of_the_specification() -> None:
    assert SPEC.media_ns(BLOCK, continues=True, paused=False) == 1000
    assert SPEC.media_ns(BLOCK, continues=True, paused=True) == 1150
    assert SPEC.media_ns(BLOCK, continues=False, paused=False) == 1850
    assert SPEC.bus_ns(BLOCK) == 105


def test_a_block_that_was_read_or_written_is_in_its_cache() -> None:
    raid = unit()
    raid.read(0, 3)
    assert raid.read(10_000, 3) == 10_105
    assert raid.write(20_000, 5, BLOCK) == 20_105
    assert raid.read(30_000, 5) == 30_105
    assert raid.hits == 2


def test_a_write_is_done_in_the_cache_until_this_is_full() -> None:
    raid = unit()
    ends = [raid.write(0, block, BLOCK) for block in range(6)]
    assert ends[:4] == [105, 210, 315, 420]
    # The fifth waits until the first is on the disks: 105 + 150 + 1000.
    assert ends[4] == 1255 + 105
    assert ends[5] == 2255 + 105


# -- the buffer cache ---------------------------------------------------------------------------


def test_a_second_asker_waits_for_the_same_arrival() -> None:
    at = Cache([(4, 0, 10), (4, 10, 20)])
    first = at.access(0, 0, 1, False, 0)
    assert at.access(100, 1, 1, False, 1) == first
    assert (at.cache.hits, at.cache.misses, at.raid.reads) == (1, 1, 1)


def test_a_part_of_a_block_is_written_without_reading_it_if_the_file_is_new() -> None:
    at = Cache([(4, 0, 10)], stored=False)
    assert at.access(7, 0, 1, True, 0) == 7
    assert at.raid.reads == 0
    old = Cache([(4, 0, 10)])
    assert old.access(7, 0, 1, True, 0) > 7
    assert old.raid.read_bytes == BLOCK


def test_a_whole_block_is_never_read_to_be_written() -> None:
    at = Cache([(4, 0, BLOCK)])
    assert at.access(7, 0, 1, True, 0) == 7


def test_a_block_goes_to_disk_when_it_is_complete() -> None:
    rows = [(2, 0, 400), (2, 400, BLOCK)]
    at = Cache(rows, stored=False)
    for row in range(2):
        assert at.raid.writes == 0
        at.access(0, row, 1, True, 0)
        at.written(0, row, 1)
    assert at.raid.written_bytes == BLOCK
    assert at.drain(0) == at.raid.free_ns
    assert at.raid.writes == 1


def test_a_dirty_block_is_written_before_its_place_is_given_away_and_read_back() -> None:
    rows = [(0, 0, 300), (1, 0, 10), (2, 0, 10), (3, 0, 10), (0, 300, 400)]
    at = Cache(rows, stored=False)
    for row in range(4):
        at.access(row, row, 1, True, 0)
    assert (at.cache.evicted, at.raid.written_bytes) == (1, 300)
    at.access(10_000, 4, 1, True, 0)
    assert at.raid.reads == 1  # what was written before is on disk, and the block needs it


@pytest.mark.parametrize(("asker", "expected"), [(0, 3), (-1, 0)])
def test_read_ahead_after_a_request_that_goes_on_where_the_last_ended(
    asker: int, expected: int
) -> None:
    at = Cache([(0, 0, BLOCK), (1, 0, BLOCK)], slots=10, ahead=3)
    at.access(0, 0, 1, False, asker)
    at.access(10, 1, 1, False, asker)
    assert at.cache.read_ahead == expected


def test_read_ahead_within_one_request() -> None:
    at = Cache([(4, 0, 10), (5, 0, 10), (6, 0, 10)], slots=10, ahead=2)
    at.access(0, 0, 2, False, -1)
    assert at.cache.read_ahead == 2
    at.access(9000, 2, 1, False, 0)
    assert (at.cache.used_ahead, at.cache.misses) == (1, 2)


def test_no_read_ahead_for_pieces_with_gaps_or_beyond_the_end() -> None:
    at = Cache([(0, 0, 10), (1, 0, 10), (18, 0, 10), (19, 0, 10)], slots=10, ahead=4)
    at.access(0, 0, 1, False, 0)
    at.access(10, 1, 1, False, 0)
    at.access(20, 2, 2, False, 0)
    assert at.cache.read_ahead == 0


class NaiveCache:
    """Which blocks are there, and what moves; without time."""

    def __init__(self, slots: int, *, stored: bool, blocks: int) -> None:
        self.slots = slots
        self.held: OrderedDict[int, int] = OrderedDict()
        self.stored = {block for block in range(blocks) if stored}
        self.read = self.written = self.misses = 0

    def access(self, block: int, size: int, *, write: bool) -> None:
        if block not in self.held:
            self.misses += 1
            if len(self.held) == self.slots:
                self.flush(*self.held.popitem(last=False))
            if block in self.stored and not (write and size == BLOCK):
                self.read += BLOCK
            self.held[block] = 0
        self.held.move_to_end(block)
        if write:
            self.held[block] = min(BLOCK, self.held[block] + size)
            if self.held[block] == BLOCK:
                self.flush(block, BLOCK)
                self.held[block] = 0

    def flush(self, block: int, dirty: int) -> None:
        if dirty:
            self.written += dirty
            self.stored.add(block)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 7), st.sampled_from([(0, 400), (400, BLOCK), (0, BLOCK)]), st.booleans()
        ),
        min_size=1,
        max_size=60,
    ),
    st.integers(1, 6),
    st.booleans(),
)
def test_it_agrees_with_the_naive_one(
    asked: list[tuple[int, tuple[int, int], bool]], slots: int, stored: bool
) -> None:
    fast = Cache([(block, *span) for block, span, _ in asked], slots=slots, blocks=8, stored=stored)
    naive = NaiveCache(slots, stored=stored, blocks=8)
    now = 0
    for row, (block, (low, high), write) in enumerate(asked):
        ready = fast.access(now, row, 1, write, -1)
        assert ready >= now
        if write:
            fast.written(ready, row, 1)
        naive.access(block, high - low, write=write)
        now = ready
    assert (fast.cache.misses, fast.raid.read_bytes) == (naive.misses, naive.read)
    fast.drain(now)
    for block, dirty in naive.held.items():
        naive.flush(block, dirty)
    assert fast.raid.written_bytes == naive.written


@given(st.lists(st.integers(0, 15), min_size=1, max_size=80), st.integers(1, 8))
def test_more_room_never_means_more_misses(blocks: list[int], slots: int) -> None:
    """LRU has the inclusion property (Mattson et al., 1970)."""
    misses = []
    for room in (slots, slots + 1):
        at = Cache([(block, 0, 1) for block in blocks], slots=room)
        for row in range(len(blocks)):
            at.access(row, row, 1, False, -1)
        misses.append(at.cache.misses)
    assert misses[0] >= misses[1]
