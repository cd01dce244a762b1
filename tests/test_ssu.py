"""The SSU by hand: hits, misses, write-back, shares and who waits for whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.disk import DiskSpec
from tests.actors import ends
from tests.plans import UNIT, per_byte, ssu
from tests.rigs import (
    BACK,
    HIT,
    ON_DISK,
    ON_PATH,
    PUT,
    SEQUENTIAL,
    SsuRig,
    counted,
    unit,
)

CACHE, WRITEBACK = "ssu.cache", "ssu.writeback"
NEXT = ON_PATH + SEQUENTIAL
"""Writing back a unit that continues the one before on disk."""


def mark(size: int = 4) -> int:
    """Writing a few bytes into a resident unit."""
    return 30 + 4 * size


class TestRead:
    def test_a_hit_is_a_transfer(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        assert rig.prestage() == 400
        (client,) = rig.run(rig.client(("read", 0, *unit(0))))
        assert client.now == HIT
        assert client.spent == {"read": [0, HIT]}
        assert counted(rig, "hits", "misses", "prestaged") == [1, 0, 4]

    def test_a_miss_fetches_the_unit_before(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        (client,) = rig.run(rig.client(("read", 0, *unit(0))))
        assert client.now == BACK + HIT
        assert client.spent == {"d0": [0, ON_DISK], "paths": [0, ON_PATH], "read": [0, HIT]}
        assert counted(rig, "misses", "fetched", "fetched_bytes") == [1, 1, 100]

    def test_a_few_bytes_cost_a_whole_unit_from_disk(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        (client,) = rig.run(rig.client(("read", 0, 20, 10)))
        assert client.now == BACK + 20 + 30

    def test_the_last_unit_has_as_many_bytes_as_the_file_has(self) -> None:
        rig = SsuRig(ssu(), (130, 130))
        (client,) = rig.run(rig.client(("read", 0, 100, 30)))
        assert client.spent["d0"] == [0, 1000 + 50 + 240]
        assert client.spent["paths"] == [0, 40 + 180]

    def test_units_in_order_are_one_movement_of_the_arm(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        (client,) = rig.run(rig.client(("read", 0, 50, 100)))
        assert client.now == BACK + (20 + 150) + NEXT + (20 + 150)

    def test_a_second_reader_of_a_missing_unit_waits_for_the_first(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        first, second = rig.run(*(rig.client(("read", 0, *unit(0))) for _ in range(2)))
        assert (first.now, second.now) == (BACK + HIT, BACK + 2 * HIT)
        assert second.spent == {CACHE: [BACK, 0], "read": [HIT, HIT]}
        assert rig.disk.requests == 1
        assert counted(rig, "hits", "misses", "fetched") == [1, 1, 1]

    def test_of_those_who_waited_the_lowest_number_goes_on_first(self) -> None:
        """All are woken in one nanosecond, so that it does not matter who waited for longer."""
        rig = SsuRig(ssu(), (400, 400))
        clients = rig.run(*(rig.client(("read", 0, *unit(0)), at=at) for at in (0, 20, 10)))
        assert ends(clients) == [BACK + HIT, BACK + 2 * HIT, BACK + 3 * HIT]

    def test_the_unit_read_longest_ago_goes(self) -> None:
        rig = SsuRig(ssu(2), (400, 400))
        rig.run(rig.client(*(("read", 0, *unit(index)) for index in (0, 1, 0, 2, 1))))
        assert counted(rig, "hits", "misses") == [1, 4]
        assert rig.resident() == [1, 2]

    def test_room_is_waited_for_until_a_fetch_has_ended(self) -> None:
        rig = SsuRig(ssu(1), (400, 400))
        lives = [rig.client(("read", 0, *unit(index))) for index in (0, 1)]
        first, second = rig.run(*lives)
        assert first.now == BACK + HIT
        # The disk goes on with unit 1 as soon as unit 0 can go.
        assert second.spent[WRITEBACK] == [BACK, 0]
        assert second.now == BACK + NEXT + HIT

    @pytest.mark.parametrize("disks", [1, 2])
    def test_what_nobody_has_written_is_not_fetched(self, disks: int) -> None:
        rig = SsuRig(ssu(), (0, 400), disks=disks, stripes=disks)
        (client,) = rig.run(rig.client(("read", 0, *unit(0))))
        assert client.now == HIT
        assert rig.disk.requests == 0
        assert counted(rig, "fetched", "fetched_bytes") == [1, 0]


class TestPrestage:
    def test_loads_what_fits_from_the_beginning(self) -> None:
        rig = SsuRig(ssu(2), (350, 350))
        assert rig.prestage() == 200
        assert rig.resident() == [0, 1]

    def test_a_second_file_gets_what_is_left(self) -> None:
        rig = SsuRig(ssu(3), (130, 130), (400, 400))
        assert [rig.prestage(0), rig.prestage(1)] == [130, 100]
        assert counted(rig, "prestaged", "prestaged_bytes") == [3, 230]

    def test_a_file_of_nothing_loads_nothing(self) -> None:
        assert SsuRig(ssu(), (0, 400)).prestage() == 0


class TestWrite:
    def test_a_new_unit_is_a_transfer(self) -> None:
        rig = SsuRig(ssu(), (0, 400))
        (client,) = rig.run(rig.client(("write", 0, *unit(0))))
        assert client.now == PUT
        assert client.spent == {"write": [0, PUT]}
        assert counted(rig, "misses", "created", "accepted_bytes", "written_back") == [1, 1, 100, 0]
        assert rig.files[0].length == 100

    def test_a_part_of_a_unit_that_is_on_disk_is_read_back_first(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        (client,) = rig.run(rig.client(("write", 0, 110, 10)))
        assert client.now == BACK + mark(10)
        assert counted(rig, "read_back", "read_back_bytes", "created") == [1, 100, 0]

    @pytest.mark.parametrize(
        ("low", "size", "read_back"),
        [(0, 30, 0), (0, 100, 0), (0, 29, 30), (1, 99, 30), (30, 70, 30), (50, 10, 30)],
    )
    def test_unless_it_covers_all_there_is(self, low: int, size: int, read_back: int) -> None:
        rig = SsuRig(ssu(), (130, 200))
        rig.run(rig.client(("write", 0, 100 + low, size)))
        assert counted(rig, "read_back_bytes") == [read_back]
        assert rig.files[0].length == max(130, 100 + low + size)

    def test_a_resident_unit_is_changed_at_once(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        rig.prestage()
        (client,) = rig.run(rig.client(("write", 0, 110, 10)))
        assert client.now == mark(10)
        assert counted(rig, "hits", "read_back") == [1, 0]

    def test_a_unit_that_is_being_fetched_is_waited_for(self) -> None:
        rig = SsuRig(ssu(), (400, 400))
        clients = rig.run(rig.client(("read", 0, *unit(0))), rig.client(("write", 0, 0, 10), at=90))
        assert clients[1].now == BACK + mark(10)
        assert clients[1].spent[CACHE] == [BACK - 90, 0]

    def test_a_unit_under_write_back_cannot_be_changed(self) -> None:
        rig = SsuRig(ssu(4, "eager"), (0, 400))
        again = rig.client(("write", 0, *unit(0)), ("wait", 500), ("write", 0, *unit(0)))
        (client,) = rig.run(again)
        assert client.spent[WRITEBACK] == [PUT + BACK - 500, 0]
        assert client.now == PUT + BACK + PUT
        # Its second change is written back as well, and the arm has to go back for it.
        assert rig.env.now == client.now + BACK
        assert counted(rig, "written_back", "written_back_bytes") == [2, 200]

    def test_a_unit_under_write_back_can_be_read(self) -> None:
        rig = SsuRig(ssu(4, "eager"), (0, 400))
        (client,) = rig.run(rig.client(("write", 0, *unit(0)), ("read", 0, *unit(0))))
        assert client.now == PUT + HIT

    def test_a_transfer_under_way_when_the_write_back_begins_makes_it_dirty_again(self) -> None:
        rig = SsuRig(ssu(4, "eager"), (0, 400))
        lives = [rig.client(("write", 0, *span)) for span in ((0, 50), (50, 50))]
        first, second = rig.run(*lives)
        # The second began before the first had ended, and waited for the channel only.
        assert (first.now, second.now) == (30 + 200, 2 * (30 + 200))
        assert counted(rig, "written_back", "written_back_bytes") == [2, 100]
        back = (40 + 300) + (1000 + 50 + 400)
        assert rig.env.now == first.now + back + back - 1000


class TestRewrite:
    def test_over_dirty_bytes_it_waits_for_their_write_back(self) -> None:
        rig = SsuRig(ssu(4, "rewrite"), (0, 400))
        (client,) = rig.run(rig.client(("write", 0, *unit(0)), ("write", 0, 0, 4)))
        assert client.now == PUT + BACK + mark()
        assert client.spent[WRITEBACK] == [BACK, 0]
        assert counted(rig, "rewrites_waited", "written_back", "written_back_bytes") == [1, 1, 100]
        assert rig.ssu.cache.dirty_count == 1  # the four bytes: nothing asks for them

    def test_only_dirty_bytes_are_written_back(self) -> None:
        rig = SsuRig(ssu(4, "rewrite"), (0, 400))
        (client,) = rig.run(rig.client(("write", 0, 0, 20), ("write", 0, 10, 20)))
        back = (40 + 120) + (1000 + 50 + 160)
        assert client.now == mark(20) + back + mark(20)

    def test_it_waits_for_all_dirty_units_of_its_file_the_oldest_first_its_own_last(self) -> None:
        rig = SsuRig(ssu(4, "rewrite", workers=2), (0, 400), (0, 400))
        moves = [("write", 0, *unit(0)), ("write", 1, *unit(0))]
        moves += [("write", 0, *unit(index)) for index in (2, 1)]
        (client,) = rig.run(rig.client(*moves, ("write", 0, 0, 4)))
        # Unit 2, back to unit 1 and back to unit 0: one after the other, whatever the workers.
        assert client.now == 4 * PUT + 3 * BACK + mark()
        assert client.spent[WRITEBACK] == [3 * BACK, 0]
        assert counted(rig, "rewrites_waited", "written_back") == [1, 3]
        assert rig.ssu.cache.dirty_count == 2  # its own four bytes, and the other file's unit

    @pytest.mark.parametrize("low", [0, 50])
    def test_beside_dirty_bytes_it_does_not_wait(self, low: int) -> None:
        rig = SsuRig(ssu(4, "rewrite"), (0, 400))
        (client,) = rig.run(rig.client(("write", 0, 20, 30), ("write", 0, low, 20)))
        assert client.now == mark(30) + mark(20)

    def test_without_the_trigger_it_goes_over_them(self) -> None:
        rig = SsuRig(ssu(4, "close"), (0, 400))
        moves = (("write", 0, *unit(0)), ("write", 0, 0, 4), ("close", 0))
        (client,) = rig.run(rig.client(*moves))
        assert client.now == PUT + mark()
        names = ("accepted_bytes", "written_back_bytes", "overwritten_bytes")
        assert counted(rig, *names) == [104, 100, 4]

    def test_its_write_back_comes_before_those_that_wait(self) -> None:
        rig = SsuRig(ssu(4, "rewrite", "eager"), (0, 400))
        moves = (*(("write", 0, *unit(index)) for index in range(3)), ("write", 0, 200, 4))
        (client,) = rig.run(rig.client(*moves))
        # Unit 0 is on its way since its end; unit 2 follows it, and unit 1 has to wait.
        assert client.now == PUT + BACK + BACK + mark()
        assert rig.env.now > client.now


class TestTriggers:
    def three_units(self, *triggers: str, **changes: float) -> SsuRig:
        rig = SsuRig(ssu(4, *triggers, **changes), (0, 400))
        rig.run(rig.client(*(("write", 0, *unit(index)) for index in range(3))))
        return rig

    def test_none_leaves_everything_dirty(self) -> None:
        rig = self.three_units()
        assert (rig.env.now, rig.ssu.cache.dirty_count) == (3 * PUT, 3)

    def test_eager_begins_with_the_first_dirty_unit(self) -> None:
        rig = self.three_units("eager")
        assert rig.env.now == PUT + BACK + 2 * NEXT
        assert rig.ssu.cache.dirty_count == 0

    def test_a_mark_writes_the_oldest_back_down_to_the_low_mark(self) -> None:
        rig = self.three_units("mark", high_mark=0.5, low_mark=0.25)
        assert rig.env.now == 3 * PUT + BACK + NEXT
        assert counted(rig, "written_back") == [2]
        assert rig.ssu.cache.oldest_dirty() == rig.ssu.cache.find(2)

    def test_up_to_the_high_mark_nothing_is_written_back(self) -> None:
        assert self.three_units("mark", high_mark=0.75, low_mark=0.25).env.now == 3 * PUT

    def test_close_writes_back_what_its_file_has(self) -> None:
        rig = SsuRig(ssu(4, "close"), (0, 400), (0, 400))
        moves = (("write", 0, *unit(0)), ("write", 1, *unit(0)), ("write", 0, *unit(1)))
        (client,) = rig.run(rig.client(*moves, ("close", 0)))
        assert client.now == 3 * PUT
        assert rig.env.now == 3 * PUT + BACK + NEXT
        assert rig.ssu.cache.dirty_count == 1

    def test_close_without_the_trigger_does_nothing(self) -> None:
        rig = SsuRig(ssu(), (0, 400))
        rig.run(rig.client(("write", 0, *unit(0)), ("close", 0)))
        assert rig.env.now == PUT


class TestWorkers:
    @pytest.mark.parametrize(
        ("workers", "last"),
        [
            (1, BACK + NEXT),
            # The second takes the path meanwhile, and then the disk is what they wait for.
            (2, BACK + SEQUENTIAL),
            (4, BACK + SEQUENTIAL),
        ],
    )
    def test_write_back_side_by_side(self, workers: int, last: int) -> None:
        rig = SsuRig(ssu(4, "close", workers=workers), (0, 400))
        moves = (("write", 0, *unit(0)), ("write", 0, *unit(1)), ("close", 0))
        (client,) = rig.run(rig.client(*moves))
        assert rig.env.now - client.now == last

    def test_the_idle_worker_with_the_lowest_number_goes(self) -> None:
        rig = SsuRig(ssu(4, "eager", workers=3), (0, 400))
        rig.run(rig.client(("write", 0, *unit(0)), ("wait", 20_000), ("write", 0, *unit(1))))
        assert {worker.name: len(worker.spent) for worker in rig.ssu._idle_workers} == {
            "w0": 2,
            "w1": 0,
            "w2": 0,
        }


class TestFull:
    def test_of_dirty_units_it_waits_for_the_oldest(self) -> None:
        rig = SsuRig(ssu(2), (0, 400), (0, 400))
        moves = (("write", 0, *unit(0)), ("write", 0, *unit(1)), ("write", 1, *unit(0)))
        (client,) = rig.run(rig.client(*moves))
        assert client.now == 2 * PUT + BACK + PUT
        assert client.spent[WRITEBACK] == [BACK, 0]
        assert rig.resident(0) == [1]
        assert counted(rig, "written_back") == [1]
        assert rig.ssu.cache.evicted == 1

    def test_room_goes_to_those_who_wait_in_their_order(self) -> None:
        rig = SsuRig(ssu(1), (0, 100), (400, 400))
        fill = rig.client(("write", 0, *unit(0)))
        late = [rig.client(("read", 1, *unit(index)), at=at) for index, at in ((0, 600), (1, 500))]
        clients = rig.run(fill, *late)
        back = max(PUT, 500) + BACK
        # The one that came first fetches unit 1, and the other then unit 0.
        assert clients[2].spent[WRITEBACK] == [back - 500, 0]
        assert clients[1].spent[WRITEBACK] == [back + BACK - 600, 0]

    def test_a_unit_that_becomes_dirty_goes_at_once_if_somebody_waits_for_room(self) -> None:
        rig = SsuRig(ssu(1), (0, 100), (400, 400))
        writer, reader = rig.client(("write", 0, 0, 60)), rig.client(("read", 1, *unit(0)), at=10)
        clients = rig.run(writer, reader)
        back = (40 + 360) + (1000 + 50 + 480)
        assert clients[1].spent[WRITEBACK] == [mark(60) + back - 10, 0]

    def test_who_is_overtaken_when_room_comes_is_the_next(self) -> None:
        """A unit is on disk, and can go; but who waited to change it does, and has priority."""
        rig = SsuRig(ssu(1, "eager"), (0, 100), (400, 400))
        writer = rig.client(("write", 0, *unit(0)), ("wait", 500), ("write", 0, 0, 10))
        late = [rig.client(("read", 1, *unit(i)), at=600 + i) for i in (0, 1)]
        clients = rig.run(writer, *late)
        changed = PUT + BACK + mark(10)
        back = (40 + 60) + (1000 + 50 + 80)
        assert clients[0].now == changed
        assert clients[1].spent[WRITEBACK] == [changed + back - 600, 0]
        assert clients[2].spent[WRITEBACK] == [changed + back + BACK - 601, 0]

    def test_who_finds_its_unit_there_leaves_the_room_to_the_next(self) -> None:
        """Two readers of one unit and one of another wait for room for one unit."""
        rig = SsuRig(ssu(1), (0, 100), (400, 400))
        fill = rig.client(("write", 0, *unit(0)))
        late = [rig.client(("read", 1, *unit(i)), at=500 + n) for n, i in enumerate((0, 0, 1))]
        clients = rig.run(fill, *late)
        fetched = 500 + BACK + BACK
        assert clients[1].now == fetched + HIT
        assert clients[2].now == fetched + 2 * HIT
        # Unit 1 follows unit 0 on disk, and its fetch begins when unit 0 can go.
        assert clients[3].spent[WRITEBACK] == [fetched - 502, 0]
        assert clients[3].now == fetched + NEXT + HIT

    @pytest.mark.parametrize("op", ["read", "write"])
    def test_so_does_who_finds_it_on_its_way(self, op: str) -> None:
        spec = ssu(2, "eager", workers=2)
        rig = SsuRig(spec, (0, 200), (400, 400), disk=DiskSpec(rate=1e9 / 8))
        fill = rig.client(("write", 0, *unit(0, 2)))
        first = rig.client(("read", 1, *unit(0)), at=1000)
        second = rig.client((op, 1, 0, 10), at=1001)
        third = rig.client(("read", 1, *unit(1)), at=1002)
        clients = rig.run(fill, first, second, third)
        # The disk takes 800 ns for each unit. The first room is for the first, which queues
        # there behind the second unit: it still waits for its own when the second room comes.
        room = PUT + ON_PATH + 800
        assert clients[1].spent[WRITEBACK] == [room - 1000, 0]
        assert clients[2].spent[WRITEBACK] == [room + 800 - 1001, 0]
        assert clients[2].spent[CACHE] == [800 + ON_PATH, 0]
        assert clients[3].spent[WRITEBACK] == [room + 800 - 1002, 0]

    def test_one_who_no_longer_needs_the_room_passes_it_on(self) -> None:
        """Two writers and a reader wait for room; what it had brings its file to its share."""
        rig = SsuRig(ssu(2, "eager", share=1), (0, 100), (0, 400), (0, 100), (400, 400))
        fill = [rig.client(("write", file, *unit(0))) for file in (0, 2)]
        writers = [rig.client(("write", 1, *unit(i)), at=1000 + i) for i in (0, 1)]
        reader = rig.client(("read", 3, *unit(0)), at=1002)
        clients = rig.run(*fill, *writers, reader)
        first, second = PUT + BACK, PUT + 2 * BACK
        assert clients[2].now == first + PUT
        assert clients[3].now > second + PUT
        # The unit of file 2 is free now, and the second writer must not sit on it.
        assert clients[4].spent[WRITEBACK] == [second - 1002, 0]


class TestShare:
    def test_past_it_a_file_waits_for_its_own_oldest_unit(self) -> None:
        rig = SsuRig(ssu(4, share=2), (0, 400))
        (client,) = rig.run(rig.client(*(("write", 0, *unit(index)) for index in range(3))))
        assert client.now == 2 * PUT + BACK + PUT
        assert rig.resident() == [1, 2]

    def test_past_it_full_units_are_written_back_at_once(self) -> None:
        rig = SsuRig(ssu(4, share=2), (0, 400))
        (client,) = rig.run(rig.client(*(("write", 0, *unit(index)) for index in range(4))))
        third = 2 * PUT + BACK + PUT
        # Unit 2 goes first, though unit 1 is older: it was asked for when it was full.
        assert client.now == third + BACK + PUT
        assert rig.resident() == [1, 3]
        assert rig.ssu.cache.dirty_count == 0

    def test_past_it_a_unit_that_is_not_full_stays(self) -> None:
        rig = SsuRig(ssu(4, share=1), (0, 400))
        (client,) = rig.run(rig.client(("write", 0, *unit(0)), ("write", 0, 100, 60)))
        assert client.now == PUT + BACK + mark(60)
        assert rig.env.now == client.now

    def test_past_it_a_unit_that_becomes_dirty_goes_at_once_if_somebody_waits(self) -> None:
        rig = SsuRig(ssu(4, share=1), (0, 400))
        clients = rig.run(
            rig.client(("write", 0, 0, 60)), rig.client(("write", 0, *unit(1)), at=10)
        )
        back = (40 + 360) + (1000 + 50 + 480)
        assert clients[1].spent[WRITEBACK] == [mark(60) + back - 10, 0]

    def test_others_have_their_own(self) -> None:
        rig = SsuRig(ssu(4, share=1), (0, 400), (0, 400))
        clients = rig.run(rig.client(("write", 0, *unit(0))), rig.client(("write", 1, *unit(0))))
        assert ends(clients) == [PUT, 2 * PUT]

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
        self, release: str, parts: list[tuple[int, int]], counts: list[int]
    ) -> None:
        """They are free at once then, where a kept one goes when its place is needed."""
        rig = SsuRig(ssu(4, share=1, release=release), (0, 400))
        writes = [("write", 0, *part) for part in parts]
        rig.run(rig.client(*writes, ("write", 0, 100, 4)))
        assert [rig.ssu.counts.released, rig.ssu.cache.evicted] == counts

    def test_a_released_unit_is_read_back_to_change_it(self) -> None:
        rig = SsuRig(ssu(4, share=1, release="whole"), (0, 400))
        moves = (("write", 0, *unit(0)), ("write", 0, *unit(1)), ("write", 0, 0, 4))
        (client,) = rig.run(rig.client(*moves))
        second = PUT + BACK + PUT
        # Unit 1 is full, so that it is on its way at once, and room comes with its end.
        assert client.now == second + NEXT + BACK + mark()
        assert counted(rig, "released", "read_back", "read_back_bytes") == [2, 1, 100]

    def test_a_kept_unit_is_changed_where_it_is(self) -> None:
        rig = SsuRig(ssu(4, share=2, release="none"), (0, 400))
        moves = [("write", 0, *unit(index)) for index in range(3)]
        (client,) = rig.run(rig.client(*moves, ("wait", 30_000), ("write", 0, 200, 4)))
        assert client.now == 30_000 + mark()

    def test_rewriting_resident_units_can_bring_a_file_far_past_it(self) -> None:
        """Each unit that is released makes no room then: the next one has to go as well."""
        rig = SsuRig(ssu(4, share=1, release="whole"), (300, 400))
        rig.prestage()
        (client,) = rig.run(rig.client(*(("write", 0, *unit(index)) for index in range(4))))
        assert client.now == 3 * PUT + BACK + 2 * NEXT + PUT
        assert counted(rig, "released") == [4]


Reads = list[tuple[int, int]]
reads = st.lists(st.tuples(st.integers(0, 7), st.integers(1, 2)), max_size=25)
"""(first unit, units)"""


def serial_reads(slots: int, moves: Reads) -> tuple[int, int]:
    """(end, hits) of one client that reads alone; positioning costs nothing."""
    rig = SsuRig(ssu(slots), (900, 900), disk=DiskSpec(rate=1e9))
    (client,) = rig.run(rig.client(*(("read", 0, *unit(first, count)) for first, count in moves)))
    return client.now, rig.ssu.counts.hits


@given(reads, st.integers(1, 9))
def test_a_bigger_cache_never_slows_a_serial_reader(moves: Reads, slots: int) -> None:
    end, hits = serial_reads(slots, moves)
    sooner, more = serial_reads(slots + 1, moves)
    assert more >= hits
    assert sooner <= end


@given(reads, st.integers(1, 9))
def test_a_cache_never_slows_a_serial_reader(moves: Reads, slots: int) -> None:
    """Against a cache whose only unit is always another one: every read is a miss."""
    alone = SsuRig(ssu(1), (900, 900), (100, 100), disk=DiskSpec(rate=1e9))
    steps = []
    for first, count in moves:
        for index in range(first, first + count):
            steps += [("read", 0, *unit(index)), ("read", 1, *unit(0))]
    without = alone.run(alone.client(*steps))[0].now - len(steps) // 2 * _missed_unit()
    assert serial_reads(slots, moves)[0] <= without


def _missed_unit() -> int:
    return (100 + 40 + 600) + HIT


@given(st.integers(0, 3), st.integers(1, UNIT // 2))
def test_two_halves_of_a_transfer_cost_one_overhead_more(first: int, half: int) -> None:
    """Reading a resident unit, and writing one: the channel is the slowest on the way."""
    for op, overhead in (("read", 20), ("write", 30)):
        times = []
        for moves in ([(0, 2 * half)], [(0, half), (half, half)]):
            rig = SsuRig(ssu(), (400, 400))
            rig.prestage()
            calls = [(op, 0, first * UNIT + at, size) for at, size in moves]
            times.append(rig.run(rig.client(*calls))[0].now)
        assert times[1] == times[0] + overhead


def test_several_channels_take_several_transfers() -> None:
    """The port is free again before the channel is."""
    rig = SsuRig(ssu(), (400, 400), port=per_byte(1))
    rig.prestage()
    rig.read_channel.free_at.append(0)
    rig.read_channel.servers = 2
    clients = rig.run(*(rig.client(("read", 0, *unit(0))) for _ in range(3)))
    assert ends(clients) == [HIT, 100 + HIT, 2 * HIT]
