"""What Linux's page cache does beside keeping blocks, by hand and on both engines.

Blocks of 100 B; a bus of 1 ns for a byte; a disk of 2 ns for one and 10 for a request.
"""

from __future__ import annotations

import pytest

from simulator.plan.throttle import LONGEST_NS, period_ns, position_ratio
from tests.engines.hand import Hand
from tests.reference.runs import counts, ends, run, spent
from tests.reference.test_stores import BUS, DISK, kept

MARKS = {"triggers": frozenset(("mark",)), "high": 2, "low": 2}


def written(hand: Hand, blocks: int, name: str = "p", file: str = "f", **fields: int) -> None:
    """Add a process that writes so many blocks, each by one call."""
    calls = (("write", file, 100 * block, 100) for block in range(blocks))
    hand.process(name, hand.listed(*calls), **fields)


# -- writers are slowed down ----------------------------------------------------------------------


def test_the_ratio_is_that_of_linux() -> None:
    """Twice and more below the setpoint, 1 at it, nothing at the limit."""
    ratios = [position_ratio(dirty, 100, 200, 50) / 1024 for dirty in (100, 125, 150, 175, 200)]
    assert ratios == [2 * 100 / 50, (1 + 1 / 8) * 75 / 50, 1, (1 - 1 / 8) / 2, 1 / 1024]
    assert position_ratio(300, 100, 200, 50) == 1
    assert period_ns(10**9, 10**9, 1) == LONGEST_NS


def test_a_writer_pauses_between_the_mean_of_its_marks_and_the_limit() -> None:
    """The ninth block is the first with more than 6 = (2 + 10) / 2 dirty: 7 of them at 900.

    Write-back takes blocks at 300, 510, 720 and 930. The setpoint is 8, the ratio
    (1 + (1/2)^3) * (8 + 4 - 7) / 4 = 1440/1024, and so it should have taken 210 * 1024 / 1440 =
    149 since 800, when the eighth was dirty: the writer pauses until 949. The tenth, at 1,049, is
    the seventh dirty one again, and should have come at 949 + 149.
    """
    slowed = {"dirty_limit": 10, "slow_ns": DISK, "span": 4}
    hand = kept(slots=20, **MARKS, **slowed)
    written(hand, 10)
    result = run(hand)
    assert ends(result) == [800 + 149 + 149]
    assert spent(result)["pages.writeback"] == (49 + 49, 0)
    assert counts(result, "pages")["limit_waits"] == 2
    free = kept(slots=20, **MARKS, dirty_limit=10)
    written(free, 10)
    assert ends(run(free)) == [10 * BUS]


@pytest.mark.parametrize("writers", [1, 3])
def test_dirty_blocks_settle_at_the_setpoint(writers: int) -> None:
    """All writers together go as fast as write-back, which never stops; they are slowed fairly."""
    hand = kept(slots=100, **MARKS, dirty_limit=42, slow_ns=DISK, span=8)
    for number in range(1, writers):
        hand.file(f"f{number}", "fs", 100_000)
    for number in range(writers):
        written(hand, 600 // writers, f"p{number}", f"f{number}" if number else "f")
    result = run(hand)
    free, limit = (42 + 2) // 2, 42
    moved = (result.elapsed_ns - 300) / DISK
    assert abs(600 - moved - (free + limit) / 2) < 3
    assert min(ends(result)) > 0.98 * result.elapsed_ns


def test_a_block_that_is_dirty_already_costs_no_pause() -> None:
    """Eight blocks, then the last one again and again: it becomes dirty once."""
    hand = kept(slots=20, **MARKS, dirty_limit=8, slow_ns=DISK, span=4)
    again = (("write", "f", 700, 100) for _ in range(5))
    first = (("write", "f", 100 * block, 100) for block in range(8))
    hand.process("p", hand.listed(*first, *again))
    assert counts(run(hand), "pages")["limit_waits"] == 2


# -- what is old is written back ------------------------------------------------------------------


def test_old_blocks_are_written_back_at_the_next_look() -> None:
    """Dirty at 100 and 250, old after 1,000: found at 1,200 and 1,500, multiples of 300.

    Writing the first one again at 900 makes it no younger.
    """
    hand = kept(expire_ns=1000, interval_ns=300)
    hand.process("p", hand.listed(("write", "f", 0, 100)))
    hand.process("q", hand.listed(("write", "f", 100, 100)), start_ns=150)
    hand.process("r", hand.listed(("write", "f", 0, 100)), start_ns=800)
    result = run(hand)
    begun = [span.start_ns for span in result.spans if span.part == "disk"]
    assert begun == [1200, 1500]
    assert (result.elapsed_ns, result.end_ns) == (900, 1500 + DISK)
    assert counts(result, "pages")["written_back"] == 2


def test_without_an_age_what_is_below_the_marks_stays_dirty() -> None:
    hand = kept()
    hand.process("p", hand.listed(("write", "f", 0, 100)))
    assert counts(run(hand), "pages")["dirty"] == 1


# -- memory is one --------------------------------------------------------------------------------


def test_what_a_process_holds_leaves_less_room() -> None:
    """Of four blocks a process that holds 250 B leaves one, as long as it is there."""
    hand = kept(400, elastic=True)
    every = [("read", "f", 100 * block, 100) for block in range(4)]
    hand.process("first", hand.listed(*every))
    hand.process("holder", hand.listed(("read", "f", 300, 100)), start_ns=3000, memory=250)
    hand.process("last", hand.listed(*every[::-1], *every), start_ns=6000)
    found = counts(run(hand), "pages")
    assert found["evicted"] == 3
    assert (found["hits"], found["misses"]) == (1 + 1 + 4, 4 + 3)


def test_a_store_that_is_not_elastic_keeps_its_room() -> None:
    hand = kept(400)
    hand.process("holder", hand.listed(("read", "f", 0, 100), ("read", "f", 0, 100)), memory=10**6)
    assert counts(run(hand), "pages")["hits"] == 1


def test_a_file_below_its_quota_again_waits_for_any_room() -> None:
    """Its block has gone at 310, and the other one has all that a program leaves until 350."""
    hand = kept(slots=2, elastic=True, quota=1, release="whole")
    hand.file("g", "fs", 1000)
    written(hand, 2)
    written(hand, 1, "other", "g")
    hand.process("holder", hand.listed(("read", "g", 0, 100)), start_ns=250, memory=150)
    result = run(hand)
    assert ends(result) == [350 + BUS, BUS, 250 + BUS]
    assert counts(result, "pages")["released"] == 2


def test_limits_follow_what_is_left() -> None:
    """Four of eight blocks may be dirty, two of the four that are left: the third write waits."""
    times = {}
    for memory in (0, 400):
        hand = kept(slots=8, dirty_limit=4, elastic=True)
        written(hand, 3, memory=memory)
        times[memory] = ends(run(hand))
    assert times == {0: [3 * BUS], 400: [2 * BUS + DISK + BUS]}


def test_the_high_watermark_follows_too() -> None:
    """Above two dirty blocks of eight write-back begins, above one of the four that are left."""
    begun = {}
    for memory in (0, 400):
        hand = kept(slots=8, **MARKS, elastic=True)
        written(hand, 3, memory=memory)
        begun[memory] = next(span.start_ns for span in run(hand).spans if span.part == "disk")
    assert begun == {0: 3 * BUS, 400: 2 * BUS}
