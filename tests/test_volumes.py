"""The front end's paths and volumes: one transfer by hand, then several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor, Steps
from simulator.machine.disk import Disk, DiskSpec
from simulator.machine.station import Station
from simulator.machine.volumes import Backing, VolumeFile
from tests.actors import Life, act, ends
from tests.plans import DISK, PATH, POSITIONING, per_byte


def backing(*files: VolumeFile, paths: int = 1, disks: int = 1, spec: DiskSpec = DISK) -> Backing:
    """A group of disks behind some paths."""
    group = [Disk(f"d{i}", spec) for i in range(disks)]
    return Backing(Station("paths", PATH, servers=paths), [group], list(files))


def plain(*, stripes: int = 1, base: int = 0, first: int = 0) -> VolumeFile:
    return VolumeFile(volumes=0, stripes=stripes, base=base, first=first)


def go(
    to: Backing, op: str, *, file: int = 0, offset: int = 0, size: int = 100, at: int = 0
) -> Life:
    def life(actor: Actor) -> Steps:
        yield actor.until(at)
        move = to.read if op == "read" else to.write
        yield from move(actor, file, offset, size)

    return life


ON_PATH = 40 + 600
ON_DISK = POSITIONING + 50 + 800


class TestOneTransfer:
    def test_a_write_takes_the_path_and_then_the_disk(self) -> None:
        (actor,) = act(go(backing(plain()), "write"))
        assert actor.now == ON_PATH + ON_DISK
        assert actor.spent == {"paths": [0, ON_PATH], "d0": [0, ON_DISK]}

    def test_a_read_takes_them_the_other_way(self) -> None:
        to = backing(plain())
        (actor,) = act(go(to, "read"))
        assert actor.now == ON_DISK + ON_PATH
        assert to.groups[0][0].free_at == [ON_DISK]

    def test_files_lie_at_their_places(self) -> None:
        """The end of one file is not the beginning of the other, unless they lie so."""
        to = backing(plain(), plain(base=100), plain(base=250))
        act(go(to, "read"))
        assert act(go(to, "read", file=1, at=10_000))[0].spent["d0"] == [0, ON_DISK - POSITIONING]
        assert act(go(to, "read", file=2, at=20_000))[0].spent["d0"] == [0, ON_DISK]

    def test_a_stripe_is_a_transfer_of_its_own_on_each_volume(self) -> None:
        to = backing(plain(stripes=4), paths=4, disks=4)
        (actor,) = act(go(to, "write"))
        assert actor.now == (40 + 150) + (POSITIONING + 50 + 200)
        # All four end at once: the account has the first.
        assert actor.spent == {"paths": [0, 190], "d0": [0, POSITIONING + 250]}
        assert [disk.bytes for disk in to.groups[0]] == [25] * 4
        assert (to.paths.requests, to.paths.bytes) == (4, 100)

    def test_stripes_share_the_paths_there_are(self) -> None:
        to = backing(plain(stripes=4), paths=2, disks=4)
        (actor,) = act(go(to, "write"))
        assert actor.spent["paths"] == [190, 190]

    def test_stripes_on_one_volume_travel_together(self) -> None:
        to = backing(plain(stripes=32), paths=4)
        (actor,) = act(go(to, "write"))
        assert actor.now == ON_PATH + ON_DISK
        assert to.paths.requests == 1

    def test_a_file_that_is_not_striped_has_one_volume(self) -> None:
        to = backing(plain(first=2), disks=4)
        act(go(to, "write"))
        assert [disk.bytes for disk in to.groups[0]] == [0, 0, 100, 0]

    def test_the_slowest_volume_is_charged(self) -> None:
        to = backing(plain(stripes=2), plain(first=1), paths=2, disks=2)
        actors = act(go(to, "read", file=1), go(to, "read"))
        # Volume 1 first serves the other's 100 bytes.
        assert actors[1].spent["d1"] == [ON_DISK, POSITIONING + 50 + 400]

    def test_drives_mount_a_file_once(self) -> None:
        tape = DiskSpec(rate=1e9, mount_ns=5000)
        to = backing(plain(), plain(base=500), spec=tape)
        for file, at, cost in ((0, 0, 5000), (0, 10_000, 0), (1, 20_000, 5000)):
            (actor,) = act(go(to, "read", file=file, at=at))
            assert actor.spent["d0"] == [0, cost + 100]


class TestSeveralTransfers:
    def test_a_path_is_held_for_its_own_time_only(self) -> None:
        to = backing(plain(), plain(first=1), disks=2)
        actors = act(go(to, "write"), go(to, "write", file=1))
        assert ends(actors) == [ON_PATH + ON_DISK, 2 * ON_PATH + ON_DISK]

    @pytest.mark.parametrize(("paths", "last"), [(1, 4), (2, 2), (3, 2), (4, 1)])
    def test_paths_are_limited(self, paths: int, last: int) -> None:
        to = backing(*(plain(first=i) for i in range(4)), paths=paths, disks=4)
        actors = act(*(go(to, "write", file=i) for i in range(4)))
        assert max(ends(actors)) == last * ON_PATH + ON_DISK


class TestUnloadedRead:
    def test_is_a_read_of_each_piece_alone(self) -> None:
        to = backing(plain(), disks=1)
        pieces = 2 * (850 + 640) + (50 + 8 * 30) + (40 + 6 * 30)
        assert to.unloaded_read_ns(0, 230, 100) == POSITIONING + pieces

    def test_of_nothing_takes_no_time(self) -> None:
        assert backing(plain(), spec=DiskSpec(rate=1e9, mount_ns=9)).unloaded_read_ns(0, 0, 10) == 0

    @given(st.integers(1, 300), st.integers(20, 100), st.integers(1, 4), st.integers(1, 3))
    def test_is_what_one_reader_measures(
        self, size: int, piece: int, stripes: int, disks: int
    ) -> None:
        spec = DiskSpec(rate=1e9, seek_ns=70, turn_ns=60, mount_ns=500)
        to = backing(plain(stripes=stripes), paths=stripes, disks=disks, spec=spec)

        def read_all(actor: Actor) -> Steps:
            for start in range(0, size, piece):
                yield from to.read(actor, 0, start, min(piece, size - start))

        assert act(read_all)[0].now == to.unloaded_read_ns(0, size, piece)


@given(
    st.lists(
        st.tuples(st.sampled_from(("read", "write")), st.integers(0, 2), st.integers(1, 99)),
        max_size=12,
    ),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_what_crosses_the_paths_is_on_the_disks(
    moves: list[tuple[str, int, int]], paths: int, disks: int
) -> None:
    files = [plain(stripes=1 + 2 * i, base=1000 * i, first=i) for i in range(3)]
    to = backing(*files, paths=paths, disks=disks)
    actors = act(*(go(to, op, file=file, size=size) for op, file, size in moves))
    moved = sum(size for _, _, size in moves)
    assert to.paths.bytes == moved == sum(disk.bytes for disk in to.groups[0])
    for actor in actors:
        assert sum(wait + service for wait, service in actor.spent.values()) == actor.now


def test_a_free_path_costs_nothing() -> None:
    to = Backing(Station("paths", per_byte(0)), [[Disk("d0", DISK)]], [plain()])
    assert act(go(to, "write"))[0].now == ON_DISK
