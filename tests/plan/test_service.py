"""What a request costs: an overhead and its bytes over the rate."""

from __future__ import annotations

import math

import pytest

from simulator.service import ServiceSpec


class TestServiceSpec:
    def test_overhead_and_bytes_over_rate(self) -> None:
        assert ServiceSpec(36e6, 1000).service_ns(8_000_000) == 222_222_222 + 1000

    @pytest.mark.parametrize(("size", "service"), [(0, 7), (1, 7), (2, 8), (3, 8), (5, 9)])
    def test_is_rounded_to_the_nearest_nanosecond(self, size: int, service: int) -> None:
        assert ServiceSpec(3e9, 7).service_ns(size) == service

    def test_an_infinite_rate_leaves_the_overhead(self) -> None:
        assert ServiceSpec(math.inf, 12).service_ns(10**15) == 12
