"""What a disk, an array and a tape charge for a request, and in which order."""

from __future__ import annotations

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from simulator.machine.actor import Actor
from simulator.machine.disk import Disk, DiskSpec
from simulator.machine.mixing import mix
from simulator.machine.noise import Noise

SPEC = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=601)
POSITIONING = 700 + 300
"""A seek, and half a turn in whole ns."""


def disk(spec: DiskSpec = SPEC, **changes: Noise) -> Disk:
    return Disk("d0", spec, **changes)


def actor() -> Actor:
    return Actor(simpy.Environment(), 0, "client")


class TestSpec:
    def test_an_average_seek_is_the_same_for_every_distance(self) -> None:
        assert {SPEC.positioning_ns(distance) for distance in (0, 1, -(10**9))} == {POSITIONING}

    @pytest.mark.parametrize(
        ("distance", "seek"),
        [(0, 10), (1000, 710), (-1000, 710), (500, 360), (333, 243), (5000, 710)],
    )
    def test_a_seek_over_a_distance_is_linear_up_to_the_whole_disk(
        self, distance: int, seek: int
    ) -> None:
        spec = DiskSpec(rate=1e9, seek_ns=99, capacity=1000, track_seek_ns=10, full_seek_ns=710)
        assert spec.seek_time_ns(distance) == seek

    def test_the_rotational_delay_is_half_a_turn_or_drawn(self) -> None:
        drawn = DiskSpec(rate=1e9, turn_ns=600, rotation_drawn=True)
        assert [SPEC.rotation_ns(draw) for draw in (0.0, 0.9)] == [300, 300]
        assert [drawn.rotation_ns(draw) for draw in (0.0, 0.25, 0.9)] == [0, 150, 540]


class TestDisk:
    def test_the_first_request_pays_for_positioning(self) -> None:
        assert disk().request(actor(), 0, (0, 100), 100) == (0, POSITIONING + 50 + 800)

    def test_a_request_that_continues_the_one_before_does_not(self) -> None:
        one, client = disk(), actor()
        _, first = one.request(client, 0, (500, 600), 100)
        assert one.request(client, 0, (600, 610), 10) == (first, first + 50 + 80)

    @pytest.mark.parametrize("start", [599, 601, 500])
    def test_one_that_does_not_continue_it_does(self, start: int) -> None:
        one, client = disk(), actor()
        _, first = one.request(client, 0, (500, 600), 100)
        assert one.request(client, 0, (start, start + 1), 1)[1] == first + POSITIONING + 50 + 8

    def test_which_request_is_before_is_decided_by_arrival(self) -> None:
        """The arm will be where the last request in the queue leaves it."""
        one, client = disk(), actor()
        one.request(client, 0, (0, 100), 100)
        one.request(client, 0, (900, 910), 10)
        waited, done = one.request(client, 0, (910, 920), 10)
        assert (waited, done) == (2 * POSITIONING + 2 * 50 + 880, 2 * POSITIONING + 3 * 50 + 960)

    def test_counts_requests_bytes_and_busy_time(self) -> None:
        one, client = disk(), actor()
        one.request(client, 0, (0, 100), 100)
        one.request(client, 0, (100, 200), 100)
        assert (one.requests, one.bytes, one.busy_ns) == (2, 200, POSITIONING + 2 * 850)

    def test_a_seek_goes_from_where_the_arm_is(self) -> None:
        spec = DiskSpec(rate=1e9, capacity=1000, track_seek_ns=0, full_seek_ns=1000)
        one, client = disk(spec), actor()
        ends = [one.request(client, 0, (at, at + 100), 100)[1] for at in (300, 100, 900)]
        # From 0 to 300, back from 400 to 100, on from 200 to 900.
        assert ends == [400, 800, 1600]

    def test_a_striped_transfer_moves_the_arm_by_its_share_of_the_distance(self) -> None:
        spec = DiskSpec(rate=1e9, capacity=1000, track_seek_ns=0, full_seek_ns=1000)
        assert disk(spec).request(actor(), 0, (400, 500), 25, 4) == (0, 100 + 25)

    def test_a_drawn_rotation_is_counted_and_not_a_service_factor(self) -> None:
        spec = DiskSpec(rate=1e9, turn_ns=10**6, rotation_drawn=True)
        noise = Noise(key=77)
        one, client = disk(spec, noise=noise), actor()
        now, drawn = 0, []
        for at in (5, 3, 1):
            _, done = one.request(client, 0, (at, at + 1), 1)
            drawn.append(done - now - 1)
            now = done
        assert drawn == [int(10**6 * ((mix(77, -n) >> 11) / 2**53)) for n in (1, 2, 3)]

    def test_noise_stretches_positioning_and_transfer(self) -> None:
        noise = Noise.of(1, 0, "d0", run_sd=0.2, request_sd=0.2)
        _, done = disk(noise=noise).request(actor(), 0, (0, 100), 100)
        assert done == noise.stretch(POSITIONING + 850, 1)


class TestTape:
    TAPE = DiskSpec(rate=1e9, mount_ns=60_000)

    def test_another_file_is_another_volume_to_mount(self) -> None:
        drive, client = disk(self.TAPE), actor()
        ends = [drive.request(client, file, (0, 10), 10)[1] for file in (3, 3, 4, 3)]
        assert ends == [60_010, 60_020, 120_030, 180_040]


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), min_size=1, max_size=20),
    st.booleans(),
)
def test_a_disk_in_order_is_never_slower(places: list[tuple[int, int]], drawn: bool) -> None:
    spec = DiskSpec(rate=1e9, seek_ns=40, turn_ns=20, rotation_drawn=drawn)
    one, in_order, client = disk(spec), disk(spec), actor()
    end = best = at = 0
    for place, size in places:
        _, end = one.request(client, 0, (place, place + size), size)
        _, best = in_order.request(client, 0, (at, at + size), size)
        at += size
    assert best <= end
    assert one.busy_ns == end
