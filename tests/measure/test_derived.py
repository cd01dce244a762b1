"""Costs of writes that begin pages, and of attributes, as they are derived from probes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.measure.derived import derive, written
from simulator.measure.fitting import Samples
from simulator.measure.probe import KIB, MIB, Measured, Probe, Sample
from simulator.study.measurement import checked, machine_text
from tests.measure.test_measure import known, on

PAGES = """
  first_page:
    kind: core
    at: pc
    rate: {read: 1000000000 MB/s, write: {4 KiB: 2048 MB/s, 1 MiB: 524288 MB/s}}
  lookup:"""
"""2 us for a page, and of less than a page a part of that."""


def test_what_the_first_page_of_a_write_takes_is_found_again() -> None:
    machine = known().replace("\n  lookup:", PAGES)
    machine = machine.replace("[memory], p", "[memory], [first_page], p")
    measurement = on(machine)
    found = derive(measurement)
    assert found.first_page is not None
    assert found.first_page.value * 1e6 == pytest.approx(2, rel=0.05)
    assert found.write_call.value * 1e6 == pytest.approx(2, rel=0.05)
    assert found.write_copy.value / 1e9 == pytest.approx(4, rel=0.05)
    again = machine_text(measurement, found, "again")
    assert "tiers: [[memory], [first_page], pages" in again
    for one in checked(again, measurement):
        if one.measured.probe.kind == "cached-write":
            assert abs(one.error) < 0.02, one.measured.probe.name
    assert derive(on(known())).first_page is None


def test_the_first_page_of_a_write_is_what_is_more_than_its_call_and_bytes() -> None:
    """0.5 us a call, 0.16 ns a byte, 1.6 us a page: 256 B begin a page in one call of 16."""
    times = {256: 0.5 + 0.04096 + 0.1, 4 * KIB: 0.5 + 0.65536 + 1.6}
    times |= {size: 0.5 + 1.6 + size * 0.16e-3 for size in (64 * KIB, MIB)}
    found = written(
        Samples(
            [
                Measured(Probe("cached-write", size, 1), [Sample(1, time * 1e-6)])
                for size, time in times.items()
            ]
        )
    )
    assert found.page * 1e6 == pytest.approx(1.6)
    assert found.latency * 1e6 == pytest.approx(0.5)
    assert found.per_byte * 1e9 == pytest.approx(0.16)


def test_a_change_of_attributes_is_half_of_a_mode_and_half_of_a_length() -> None:
    measurement = on(known())
    changed = tuple(
        replace(one, samples=[Sample(10, 90e-6)]) if one.probe.name == "setattr length" else one
        for one in measurement.measured
    )
    costs = derive(replace(measurement, measured=changed)).costs
    mode = derive(measurement).costs["setattr"].value
    call = derive(measurement).call.value
    assert costs["setattr"].value == pytest.approx((mode + 9e-6 - call) / 2)
