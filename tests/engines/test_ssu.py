"""The SSU by hand on both engines: hits, misses, write-back, quotas, and who waits for whom.

One client and one wait at a time are in tests/reference/test_stores.py.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.kinds.parts.disk.spec import DiskSpec
from tests.engines.ssu import BACK, HIT, NEXT, ON_PATH, PUT, SEQUENTIAL, UNIT, Rig, mark, unit
from tests.examples import examples

EAGER, REWRITE, CLOSE = ("eager",), ("rewrite",), ("close",)
FILE = (400, 400)
NEW = (0, 400)
CACHE = "ssu.cache"


def test_two_readers_queue_for_the_channel_and_a_reader_and_a_writer_do_not_meet() -> None:
    rig = Rig(8, FILE, FILE, prestaged=True)
    for file in (0, 1):
        rig.client(("read", file, *unit(0)))
    rig.client(("write", 1, *unit(1)))
    ran = rig.run()
    assert ran.ends == [HIT, 2 * HIT, PUT]
    assert ran.result.processes[1].spent == {"read": (HIT, HIT)}


def test_of_those_who_waited_the_lowest_number_goes_on_first() -> None:
    """All are woken in one nanosecond, so that it does not matter who waited for longer."""
    rig = Rig(4, FILE)
    for at in (0, 20, 10):
        rig.client(("read", 0, *unit(0)), at=at)
    assert rig.run().ends == [BACK + HIT, BACK + 2 * HIT, BACK + 3 * HIT]


def test_room_is_waited_for_until_a_fetch_has_ended() -> None:
    """The disk goes on with unit 1 as soon as unit 0 can go."""
    rig = Rig(1, FILE).client(("read", 0, *unit(0))).client(("read", 0, *unit(1)))
    ran = rig.run()
    assert ran.ends == [BACK + HIT, BACK + NEXT + HIT]
    assert ran.waits(1) == BACK


# -- writing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "size", "read_back"),
    [(0, 30, 0), (0, 100, 0), (0, 29, 30), (1, 99, 30), (30, 70, 30), (50, 10, 30)],
)
def test_a_unit_is_read_back_unless_a_write_covers_all_there_is(
    low: int, size: int, read_back: int
) -> None:
    ran = Rig(4, (130, 200)).client(("write", 0, 100 + low, size)).run()
    assert ran.counted("read_back_bytes") == [read_back]


def test_a_unit_under_write_back_cannot_be_changed() -> None:
    again = ("write", 0, *unit(0), 500 - PUT)
    ran = Rig(4, NEW, triggers=EAGER).client(("write", 0, *unit(0)), again).run()
    assert ran.waits() == PUT + BACK - 500
    assert ran.ends == [PUT + BACK + PUT]
    # Its second change is written back as well, and the arm has to go back for it.
    assert ran.end_ns == ran.ends[0] + BACK
    assert ran.counted("written_back", "written_back_bytes") == [2, 200]


def test_a_transfer_under_way_when_the_write_back_begins_makes_it_dirty_again() -> None:
    rig = Rig(4, NEW, triggers=EAGER)
    for span in ((0, 50), (50, 50)):
        rig.client(("write", 0, *span))
    ran = rig.run()
    # The second began before the first had ended, and waited for the channel only.
    assert ran.ends == [30 + 200, 2 * (30 + 200)]
    assert ran.counted("written_back", "written_back_bytes") == [2, 100]
    back = (40 + 300) + (1000 + 50 + 400)
    assert ran.end_ns == ran.ends[0] + back + back - 1000


# -- going back ---------------------------------------------------------------------------------


def test_a_rewrite_waits_for_all_dirty_units_of_its_file_its_own_last() -> None:
    moves = [("write", 0, *unit(0)), ("write", 1, *unit(0))]
    moves += [("write", 0, *unit(index)) for index in (2, 1)]
    rig = Rig(4, NEW, NEW, triggers=REWRITE, workers=2).client(*moves, ("write", 0, 0, 4))
    ran = rig.run()
    # Unit 2, back to unit 1 and back to unit 0: one after the other, whatever the workers.
    assert ran.ends == [4 * PUT + 3 * BACK + mark()]
    assert ran.waits() == 3 * BACK
    # Its own four bytes and the other file's unit are dirty: nothing asks for them.
    assert ran.counted("rewrites_waited", "written_back", "dirty") == [1, 3, 2]


@pytest.mark.parametrize("low", [0, 50])
def test_beside_dirty_bytes_it_does_not_wait(low: int) -> None:
    moves = ("write", 0, 20, 30), ("write", 0, low, 20)
    assert Rig(4, NEW, triggers=REWRITE).client(*moves).run().ends == [mark(30) + mark(20)]


def test_its_write_back_comes_before_those_that_wait() -> None:
    """Unit 0 of another file is under way since its close; unit 0 here follows it."""
    moves = [("write", 1, *unit(index)) for index in range(3)]
    moves += [("close", 1), ("write", 0, *unit(0)), ("write", 0, 0, 4)]
    ran = Rig(4, NEW, NEW, triggers=REWRITE + CLOSE).client(*moves).run()
    assert ran.ends == [3 * PUT + BACK + BACK + mark()]
    assert ran.end_ns > ran.ends[0] + NEXT


@pytest.mark.parametrize(("workers", "last"), [(1, 2 * NEXT), (2, 2 * SEQUENTIAL)])
def test_it_waits_for_the_units_of_its_file_that_are_on_their_way(workers: int, last: int) -> None:
    """Unit 0 is under way since its end, and unit 1 queued or under way: unit 2 comes after them.

    Two workers have the next unit at the disk when it is free.
    """
    moves = [("write", 0, *unit(index)) for index in range(3)]
    rig = Rig(4, NEW, triggers=REWRITE + EAGER, workers=workers)
    ran = rig.client(*moves, ("write", 0, 200, 4)).run()
    assert ran.ends == [PUT + BACK + last + mark()]
    assert ran.waits() == ran.ends[0] - 3 * PUT - mark()
    assert ran.counted("rewrites_waited", "written_back") == [0, 4]


@pytest.mark.parametrize(
    ("workers", "last"),
    [
        (1, BACK + NEXT),
        # The second takes the path meanwhile, and then the disk is what they wait for.
        (2, BACK + SEQUENTIAL),
        (4, BACK + SEQUENTIAL),
    ],
)
def test_write_back_side_by_side(workers: int, last: int) -> None:
    moves = ("write", 0, *unit(0)), ("write", 0, *unit(1)), ("close", 0)
    ran = Rig(4, NEW, triggers=CLOSE, workers=workers).client(*moves).run()
    assert ran.end_ns - ran.ends[0] == last


# -- full ---------------------------------------------------------------------------------------


def test_room_goes_to_those_who_wait_in_their_order() -> None:
    rig = Rig(1, (0, 100), FILE).client(("write", 0, *unit(0)))
    for index, at in ((0, 600), (1, 500)):
        rig.client(("read", 1, *unit(index)), at=at)
    ran = rig.run()
    back = max(PUT, 500) + BACK
    # The one that came first fetches unit 1, and the other then unit 0.
    assert (ran.waits(2), ran.waits(1)) == (back - 500, back + BACK - 600)


def test_a_unit_that_becomes_dirty_goes_at_once_if_somebody_waits_for_room() -> None:
    rig = Rig(1, (0, 100), FILE).client(("write", 0, 0, 60))
    ran = rig.client(("read", 1, *unit(0)), at=10).run()
    back = (40 + 360) + (1000 + 50 + 480)
    assert ran.waits(1) == mark(60) + back - 10


def test_who_is_overtaken_when_room_comes_is_the_next() -> None:
    """A unit is on disk, and can go; but who waited to change it does, and has priority."""
    rig = Rig(1, (0, 100), FILE, triggers=EAGER)
    rig.client(("write", 0, *unit(0)), ("write", 0, 0, 10, 500 - PUT))
    for i in (0, 1):
        rig.client(("read", 1, *unit(i)), at=600 + i)
    ran = rig.run()
    changed = PUT + BACK + mark(10)
    back = (40 + 60) + (1000 + 50 + 80)
    assert ran.ends[0] == changed
    assert ran.waits(1) == changed + back - 600
    assert ran.waits(2) == changed + back + BACK - 601


def test_who_finds_its_unit_there_leaves_the_room_to_the_next() -> None:
    """Two readers of one unit and one of another wait for room for one unit."""
    rig = Rig(1, (0, 100), FILE).client(("write", 0, *unit(0)))
    for number, index in enumerate((0, 0, 1)):
        rig.client(("read", 1, *unit(index)), at=500 + number)
    ran = rig.run()
    fetched = 500 + BACK + BACK
    assert ran.ends[1:3] == [fetched + HIT, fetched + 2 * HIT]
    # Unit 1 follows unit 0 on disk, and its fetch begins when unit 0 can go.
    assert ran.waits(3) == fetched - 502
    assert ran.ends[3] == fetched + NEXT + HIT


@pytest.mark.parametrize("op", ["read", "write"])
def test_so_does_who_finds_it_on_its_way(op: str) -> None:
    rig = Rig(2, (0, 200), FILE, triggers=EAGER, workers=2, disk=DiskSpec(rate=1e9 / 8))
    rig.client(("write", 0, *unit(0, 2)))
    rig.client(("read", 1, *unit(0)), at=1000)
    rig.client((op, 1, 0, 10), at=1001)
    rig.client(("read", 1, *unit(1)), at=1002)
    ran = rig.run()
    # The disk takes 800 ns for each unit. The first room is for the first, which queues
    # there behind the second unit: it still waits for its own when the second room comes.
    room = PUT + ON_PATH + 800
    assert [ran.waits(client) for client in (1, 2, 3)] == [
        room - 1000,
        room + 800 - 1001,
        room + 800 - 1002,
    ]
    assert ran.waits(2, CACHE) == 800 + ON_PATH


def test_one_who_no_longer_needs_the_room_passes_it_on() -> None:
    """Two writers and a reader wait for room; what it had brings its file to its quota."""
    rig = Rig(2, (0, 100), NEW, (0, 100), FILE, triggers=EAGER, quota=1)
    for file in (0, 2):
        rig.client(("write", file, *unit(0)))
    for i in (0, 1):
        rig.client(("write", 1, *unit(i)), at=1000 + i)
    ran = rig.client(("read", 3, *unit(0)), at=1002).run()
    first, second = PUT + BACK, PUT + 2 * BACK
    assert ran.ends[2] == first + PUT
    assert ran.ends[3] > second + PUT
    # The unit of file 2 is free now, and the second writer must not sit on it.
    assert ran.waits(4) == second - 1002


# -- quotas -------------------------------------------------------------------------------------


def test_past_its_quota_full_units_are_written_back_at_once() -> None:
    moves = [("write", 0, *unit(index)) for index in range(4)]
    ran = Rig(4, NEW, quota=2).client(*moves).run()
    third = 2 * PUT + BACK + PUT
    # Unit 2 goes first, though unit 1 is older: it was asked for when it was full.
    assert ran.ends == [third + BACK + PUT]
    assert ran.counted("dirty") == [0]


def test_past_it_a_unit_that_becomes_dirty_goes_at_once_if_somebody_waits() -> None:
    rig = Rig(4, NEW, quota=1).client(("write", 0, 0, 60))
    ran = rig.client(("write", 0, *unit(1)), at=10).run()
    back = (40 + 360) + (1000 + 50 + 480)
    assert ran.waits(1) == mark(60) + back - 10


@pytest.mark.parametrize(
    ("release", "parts", "counts"),
    [
        ("none", [(0, 100)], [0, 1]),
        ("whole", [(0, 100)], [1, 0]),
        ("full", [(0, 100)], [1, 0]),
        ("whole", [(0, 50), (50, 50)], [0, 1]),
        ("full", [(0, 50), (50, 50)], [1, 0]),
        ("full", [(0, 99)], [0, 1]),
    ],
)
def test_past_it_written_units_are_released(
    release: str, parts: list[tuple[int, int]], counts: list[int]
) -> None:
    """They are free at once then, where a kept one goes when its place is needed."""
    writes = [("write", 0, *part) for part in parts]
    rig = Rig(4, NEW, quota=1, release=release).client(*writes, ("write", 0, 100, 4))
    assert rig.run().counted("released", "evicted") == counts


def test_a_released_unit_is_read_back_to_change_it() -> None:
    moves = ("write", 0, *unit(0)), ("write", 0, *unit(1)), ("write", 0, 0, 4)
    ran = Rig(4, NEW, quota=1, release="whole").client(*moves).run()
    second = PUT + BACK + PUT
    # Unit 1 is full, so that it is on its way at once, and room comes with its end.
    assert ran.ends == [second + NEXT + BACK + mark()]
    assert ran.counted("released", "read_back", "read_back_bytes") == [2, 1, 100]


def test_rewriting_resident_units_can_bring_a_file_far_past_it() -> None:
    """Each unit that is released makes no room then: the next one has to go as well."""
    moves = [("write", 0, *unit(index)) for index in range(4)]
    rig = Rig(4, (300, 400), quota=1, release="whole", prestaged=True).client(*moves)
    ran = rig.run()
    assert ran.ends == [3 * PUT + BACK + 2 * NEXT + PUT]
    assert ran.counted("released") == [4]


# -- more room ----------------------------------------------------------------------------------

Reads = list[tuple[int, int]]


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(1, 2)), max_size=20), st.integers(1, 9))
def test_a_bigger_cache_never_slows_a_serial_reader(moves: Reads, slots: int) -> None:
    """Positioning costs nothing; with more slots no hit is lost."""

    def serial(slots: int) -> tuple[int, int]:
        rig = Rig(slots, (900, 900), disk=DiskSpec(rate=1e9))
        reads = [("read", 0, *unit(first, count)) for first, count in moves]
        ran = rig.client(*reads).run()
        return ran.ends[0], ran.counted("hits")[0]

    end, hits = serial(slots)
    sooner, more = serial(slots + 1)
    assert more >= hits
    assert sooner <= end
    assert end <= sum(count for _, count in moves) * (UNIT + ON_PATH + HIT)
