"""Datasheets of parts: how long a request takes, by a calculator."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.service import ServiceSpec


class TestServiceSpec:
    def test_overhead_and_bytes_over_rate(self) -> None:
        assert ServiceSpec(36e6, 1000).service_ns(8_000_000) == 222_222_222 + 1000

    @pytest.mark.parametrize(("size", "service"), [(0, 7), (1, 7), (2, 8), (3, 8), (5, 9)])
    def test_is_rounded_to_the_nearest_nanosecond(self, size: int, service: int) -> None:
        assert ServiceSpec(3e9, 7).service_ns(size) == service

    def test_an_infinite_rate_leaves_the_overhead(self) -> None:
        assert ServiceSpec(math.inf, 12).service_ns(10**15) == 12


class TestDiskSpec:
    SPEC = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=601)

    def test_an_average_seek_is_the_same_for_every_distance(self) -> None:
        """And half a turn in whole ns."""
        assert {self.SPEC.positioning_ns(distance) for distance in (0, 1, -(10**9))} == {700 + 300}

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
        assert [self.SPEC.rotation_ns(draw) for draw in (0.0, 0.9)] == [300, 300]
        assert [drawn.rotation_ns(draw) for draw in (0.0, 0.25, 0.9)] == [0, 150, 540]


class TestPeSpec:
    SPEC = PeSpec(copy_rate=2e9, record_overhead_ns=10, call_overhead_ns=100, turn_overhead_ns=1000)

    def test_a_copy_costs_its_bytes_and_its_records(self) -> None:
        assert self.SPEC.copy_ns(300) == 150
        assert self.SPEC.copy_ns(300, records=3) == 180
        assert self.SPEC.copy_ns(0, records=1) == 10
        assert self.SPEC.copy_ns(1) == 1  # 0.5 ns, to the nearest

    def test_a_turn_of_the_buffer_is_dearer_than_a_call(self) -> None:
        assert self.SPEC.call_ns(turns=0) == 100
        assert self.SPEC.call_ns(turns=1) == 1100
        assert self.SPEC.call_ns(turns=3) == 3100

    @pytest.mark.parametrize(
        ("low", "high", "turns"),
        [(0, 8, 1), (0, 9, 2), (7, 8, 1), (7, 9, 2), (8, 16, 1), (8, 25, 3), (5, 21, 3)],
    )
    def test_a_turn_costs_once_or_for_each_unit_that_it_touches(
        self, low: int, high: int, turns: int
    ) -> None:
        assert self.SPEC.turns(low, high) == 1
        assert replace(self.SPEC, turn_unit=8).turns(low, high) == turns
