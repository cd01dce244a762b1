"""The buffer cache and the RAID unit on both engines: by hand, against a naive twin, their laws.

The processor of the node takes no time here, so that a request ends when its blocks are there.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.plan.codes import BUFFERS
from simulator.plan.jobs import AskedPlan
from simulator.plan.parts import BuffersPlan
from simulator.plan.paths import Hold, TierPlan
from simulator.result.result import Result
from simulator.runtime.iosteps import ExtentRows, Groups, Requests
from tests.engines.hand import Hand
from tests.examples import examples
from tests.reference.runs import both
from tests.twins.plans.faults import faults

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
Extent = tuple[int, int, int]


@dataclass
class Ask:
    """A request of one process."""

    kind: str
    extents: list[Extent]
    at: int = 0
    """The process waits so long before it asks."""
    process: int = 0
    merged: bool = False
    """It is a group of its own: nobody asks."""


def read(*blocks: int, at: int = 0, process: int = 0, merged: bool = False) -> Ask:
    """Read whole blocks."""
    return Ask("ask-read", [(one, 0, BLOCK) for one in blocks], at, process, merged)


def write(block: int, low: int = 0, high: int = BLOCK, *, at: int = 0) -> Ask:
    """Write a part of a block."""
    return Ask("ask-write", [(block, low, high)], at)


def ask(
    *asks: Ask,
    slots: int = 3,
    blocks: int = 20,
    ahead: int = 0,
    stored: bool = True,
    spec: RaidSpec = SPEC,
) -> tuple[Result, list[int]]:
    """Carry out requests on both engines; return the result, and when each request ended."""
    hand = Hand(node=1)
    hand.part("io", "node")
    hand.part("raid", "node", "raid", spec=spec)
    hand.path("fs", [TierPlan(kind=BUFFERS, down=(Hold(1, 0),))])
    hand.file("f", "fs", blocks * BLOCK)
    for process in sorted({one.process for one in asks}):
        own = [(n, one) for n, one in enumerate(asks) if one.process == process]
        rows = [(one.kind, "f", number, 1, one.at) for number, one in own]
        hand.process(f"p{process}", hand.listed(*rows))
    rows = [one for each in asks for one in each.extents]
    first = [sum(len(one.extents) for one in asks[:number]) for number in range(len(asks))]
    merged = [number for number, one in enumerate(asks) if one.merged]
    count = [len(one.extents) for one in asks]
    groups = [merged.index(number) if number in merged else -1 for number in range(len(asks))]
    none = [0] * len(asks)
    asked = AskedPlan(
        requests=Requests(*map(_ints, (none, none, none, none, groups, first, count))),
        groups=Groups(
            *map(_ints, ([1] * len(merged), [0] * len(merged), [0] * len(merged))),
            _ints([first[number] for number in merged]),
            _ints([count[number] for number in merged]),
        ),
        extents=ExtentRows(*(_ints([row[place] for row in rows]) for place in range(3))),
    )
    cache = BuffersPlan(
        name="cache",
        group=0,
        slots=slots,
        block=BLOCK,
        ahead=ahead,
        raid=2,
        column=hand.column("raid"),
        blocks=(blocks,),
        stored=((0, 0, blocks),) if stored else (),
    )
    plan = hand.plan(buffers=(cache,), asked=asked, merging_column=hand.column("merging"))
    assert not faults(plan)
    result = both(plan)
    assert result.calls is not None
    order = sorted(range(len(asks)), key=lambda number: (asks[number].process, number))
    ends = dict(zip(order, result.calls.end, strict=True))
    return result, [ends[number] for number in range(len(asks))]


def _ints(values: list[int]) -> array[int]:
    return array("q", values)


def counts(result: Result, *names: str) -> tuple[int, ...]:
    """Return counters of the cache."""
    return tuple(result.stores["cache"].counts[name] for name in names)


# -- the RAID unit ------------------------------------------------------------------------------


def test_reads_stream_pause_and_seek() -> None:
    result, ends = ask(
        read(0),  # the head stands there already
        read(1, at=500, process=1),  # queued: it streams
        read(2, at=2500, process=2),  # the unit was idle
        read(9, at=2600, process=3),  # elsewhere
    )
    assert ends == [1000 + 105, 2000 + 105, 2500 + 50 + 100 + 1000 + 105, 3650 + 1850 + 105]
    assert counts(result, "disk_busy_ns", "bus_busy_ns") == (4 * 1000 + 2 * 150 + 700, 4 * 105)
    assert result.parts["raid"].busy_ns == 4 * 1000 + 2 * 150 + 700


def test_times_are_those_of_the_specification() -> None:
    assert SPEC.media_ns(BLOCK, continues=True, paused=False) == 1000
    assert SPEC.media_ns(BLOCK, continues=True, paused=True) == 1150
    assert SPEC.media_ns(BLOCK, continues=False, paused=False) == 1850
    assert SPEC.bus_ns(BLOCK) == 105


def test_a_block_that_was_read_or_written_is_in_the_unit_s_cache() -> None:
    """The node has one slot: the block comes again, over the bus alone."""
    result, ends = ask(
        read(3), read(7), read(3, at=9000), write(5, at=9000), read(5, at=90), slots=1
    )
    assert ends[2] - ends[1] == 9000 + 105
    assert counts(result, "disk_hits") == (1,)
    again, _ = ask(write(5), write(6), read(5, at=9000), slots=1)
    assert counts(again, "disk_hits", "disk_reads") == (1, 1)


def test_a_write_is_done_in_the_unit_s_cache_until_this_is_full() -> None:
    """In one slot a block can come when the one before is safe."""
    _, ends = ask(*(write(block) for block in range(6)), slots=1, stored=False)
    assert ends[:5] == [0, 105, 210, 315, 420]
    # The fifth waits until the first is on the disks: 105 + 150 + 1000.
    assert ends[5] == 1255 + 105


# -- the buffer cache ---------------------------------------------------------------------------


def test_a_second_asker_waits_for_the_same_arrival() -> None:
    result, ends = ask(read(4), read(4, at=100, process=1))
    assert ends[0] == ends[1]
    assert counts(result, "hits", "misses", "disk_reads") == (1, 1, 1)


def test_a_part_of_a_block_is_written_without_reading_it_if_it_is_new() -> None:
    result, ends = ask(write(4, 0, 10, at=7), stored=False)
    assert (ends, counts(result, "disk_reads")) == ([7], (0,))
    result, ends = ask(write(4, 0, 10, at=7))
    assert ends[0] > 7
    assert counts(result, "disk_read_bytes") == (BLOCK,)


def test_a_whole_block_is_never_read_to_be_written() -> None:
    result, ends = ask(write(4, at=7))
    assert (ends, counts(result, "disk_reads")) == ([7], (0,))


def test_a_block_goes_to_the_disks_when_it_is_complete_and_once() -> None:
    result, _ = ask(write(2, 0, 400), write(2, 400, BLOCK), stored=False)
    assert counts(result, "disk_writes", "disk_written_bytes") == (1, BLOCK)
    assert result.end_ns == 105 + 150 + 700 + 1000


def test_bytes_that_are_written_twice_go_once() -> None:
    result, _ = ask(write(2, 0, 700), write(2, 300, BLOCK), stored=False)
    assert counts(result, "accepted_bytes", "overwritten_bytes") == (1400, 400)
    assert counts(result, "disk_written_bytes") == (BLOCK,)


def test_a_dirty_block_is_written_before_its_place_is_given_away_and_read_back() -> None:
    rows = [write(0, 0, 300), *(write(block, 0, 10) for block in (1, 2, 3))]
    result, _ = ask(*rows, stored=False)
    assert counts(result, "evicted", "disk_writes", "disk_written_bytes") == (1, 4, 330)
    result, _ = ask(*rows, write(0, 300, 400, at=9000), stored=False)
    assert counts(result, "disk_reads") == (1,)  # it is on disk by now, and needed


def test_what_is_dirty_at_the_end_is_written_in_the_order_of_slots() -> None:
    """Blocks 8 and 3 in the order in which they came, though 8 was used last."""
    result, _ = ask(write(8, 0, 10), write(3, 0, 10), write(8, 10, 20), stored=False)
    bus = 5 + 2, 5 + 1
    first = bus[0] + 850 + 20  # 8 is elsewhere
    assert result.end_ns == first + 850 + 10  # and 3 is, too


@pytest.mark.parametrize(("merged", "expected"), [(False, 3), (True, 0)])
def test_read_ahead_after_a_request_that_goes_on_where_the_last_ended(
    merged: bool, expected: int
) -> None:
    result, _ = ask(read(0, merged=merged), read(1, merged=merged), slots=10, ahead=3)
    assert counts(result, "read_ahead") == (expected,)


def test_read_ahead_within_one_request() -> None:
    result, _ = ask(read(4, 5, merged=True), read(6, at=9000), slots=10, ahead=2)
    assert counts(result, "read_ahead", "used_ahead", "misses") == (2, 1, 2)


def test_no_read_ahead_after_gaps_beyond_the_end_or_for_writes() -> None:
    gaps = [Ask("ask-read", [(block, 0, 10)]) for block in (0, 1)]
    result, _ = ask(*gaps, read(18, 19), write(3), write(4), slots=10, ahead=4)
    assert counts(result, "read_ahead") == (0,)


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


@settings(max_examples=examples(40))
@given(
    st.lists(
        st.tuples(
            st.integers(0, 7), st.sampled_from([(0, 400), (400, BLOCK), (0, BLOCK)]), st.booleans()
        ),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 6),
    st.booleans(),
)
def test_it_agrees_with_the_naive_one(
    rows: list[tuple[int, tuple[int, int], bool]], slots: int, stored: bool
) -> None:
    naive = NaiveCache(slots, stored=stored, blocks=8)
    for block, (low, high), writes in rows:
        naive.access(block, high - low, write=writes)
    for block, dirty in [*naive.held.items()]:
        naive.flush(block, dirty)
    kinds = {False: "ask-read", True: "ask-write"}
    asks = [Ask(kinds[writes], [(block, *span)]) for block, span, writes in rows]
    result, _ = ask(*asks, slots=slots, blocks=8, stored=stored)
    found = counts(result, "misses", "disk_read_bytes", "disk_written_bytes")
    assert found == (naive.misses, naive.read, naive.written)


@settings(max_examples=examples(20))
@given(st.lists(st.integers(0, 15), min_size=1, max_size=60), st.integers(1, 8))
def test_more_room_never_means_more_misses(blocks: list[int], slots: int) -> None:
    """LRU has the inclusion property (Mattson et al., 1970)."""
    less, more = (ask(*map(read, blocks), slots=room)[0] for room in (slots, slots + 1))
    assert counts(less, "misses") >= counts(more, "misses")
