"""What a disk, an array and a tape charge for a request, and in which order."""

from __future__ import annotations

import pytest

from simulator.plan.specs.disk import DiskSpec

SPEC = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=601)
POSITIONING = 700 + 300
"""A seek, and half a turn in whole ns."""


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
