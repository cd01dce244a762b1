"""A processing element copies and calls; by hand."""

from __future__ import annotations

from simulator.plan.specs.pe import PeSpec

SPEC = PeSpec(copy_rate=2e9, record_overhead_ns=10, call_overhead_ns=100, turn_overhead_ns=1000)


def test_a_copy_costs_its_bytes_and_its_records() -> None:
    assert SPEC.copy_ns(300) == 150
    assert SPEC.copy_ns(300, records=3) == 180
    assert SPEC.copy_ns(0, records=1) == 10
    assert SPEC.copy_ns(1) == 1  # 0.5 ns, to the nearest


def test_a_turn_of_the_buffer_is_dearer_than_a_call() -> None:
    assert SPEC.call_ns(turn=False) == 100
    assert SPEC.call_ns(turn=True) == 1100
