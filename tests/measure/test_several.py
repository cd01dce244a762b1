"""Several streams: what is derived of a machine that is known gives their rates again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.config.formats import MACHINE
from simulator.measure.derived import derive, shared_copy
from simulator.measure.fitting import Samples, locking
from simulator.measure.probe import (
    MIB,
    TINY,
    Kind,
    Limits,
    Measured,
    Probe,
    Sample,
    SystemState,
    limits_of,
    probes_of,
)
from simulator.measure.probing import Measurement, probed
from simulator.report.forms import written
from simulator.report.measurement import measurement_page
from simulator.study.measurement import Checked, Whole, checked, machine_text
from tests.measure.lab import FACTS, drawn
from tests.measure.test_measure import SimulatedProber, known

LIMITS = Limits(64 * MIB, 60.0, 4, quick=True)
CORE = "kind: delay\n    at: pc\n    overhead: {read: 0 s, write: 2 us}"
CURVE = (
    "rate: {read: {1: 10 GB/s, 2: 14 GB/s, 4: 16 GB/s}, write: {1: 4 GB/s, 2: 5 GB/s, 4: 5 GB/s}}"
)


def several(measured: list[tuple[Kind, int, float]]) -> Samples:
    """Probes of 1 MiB with the seconds of a call, over all processes."""
    return Samples(
        [
            Measured(Probe(kind, MIB, 10, many), [Sample(10 * many, 10 * many * seconds)])
            for kind, many, seconds in measured
        ]
    )


def on(machine: str) -> list[Checked]:
    measurement = Measurement(
        FACTS, LIMITS, tuple(probed(SimulatedProber(machine), FACTS, LIMITS)), ""
    )
    found = derive(measurement)
    return checked(machine_text(measurement, found, "again"), measurement)


def test_streams_go_up_to_the_cores_of_this_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("probe.processors",):
        monkeypatch.setattr(f"simulator.measure.{module}", lambda: 48)
    limits = limits_of(size=None, seconds=None, processes=None, quick=False, seed=1)
    assert limits.many == [2, 4, 8, 16, 32, 48]
    for kind in ("cached-read", "read", "write-sync", "create", "open-close", "sync-write"):
        counts = [one.processes for one in probes_of(limits) if one.kind == kind]
        assert set(limits.many) < set(counts), kind


def test_copies_that_do_not_disturb_each_other_have_a_core_each() -> None:
    alone: list[tuple[Kind, int, float]] = [("cached-read", 1, 1e-4), ("cached-write", 1, 2e-4)]
    free = several([*alone, ("cached-read", 2, 5.2e-5), ("cached-write", 2, 1e-4)])
    assert shared_copy(free, 4) == {}
    crowded = several([*alone, ("cached-read", 2, 5.2e-5), ("cached-write", 2, 1.6e-4)])
    curves = shared_copy(crowded, 4)
    assert curves["write"] == pytest.approx({1: MIB / 2e-4, 2: MIB / 1.6e-4})
    assert shared_copy(crowded, 1) == {}  # One of the two waited for the core.


@pytest.mark.slow
def test_memory_that_copies_share_is_found_again() -> None:
    machine = known().replace(CORE, CORE.replace("delay", "shared"))
    machine = machine.replace("rate: {read: 10 GB/s, write: 4 GB/s}", CURVE)
    checks = on(machine)
    copies = [one for one in checks if one.measured.probe.kind.startswith("cached")]
    assert {one.measured.probe.processes for one in copies} == {1, 2, 4}
    for one in copies:
        if one.measured.probe.size == MIB:
            assert abs(one.error) < 0.05, one.measured.probe.name


@pytest.mark.slow
def test_the_rates_of_several_come_out_on_the_machine() -> None:
    for one in on(known()):
        if one.measured.probe.processes > 1:
            assert abs(one.error) < 0.15, one.measured.probe.name


def test_a_memory_with_a_rate_for_each_number_is_a_machine() -> None:
    measurement = drawn(1, spread=1e-9)
    crowded = tuple(
        replace(
            one, samples=[replace(sample, seconds=2 * sample.seconds) for sample in one.samples]
        )
        if one.probe.name == "cached-read 1 MiB x 2"
        else one
        for one in measurement.measured
    )
    measurement = replace(measurement, measured=crowded)
    text = machine_text(measurement, derive(measurement), "crowded")
    machine = MACHINE.parse(text, "crowded", ())[0]
    assert machine.parts["memory"].kind == "shared"
    assert "cached-read 1 MiB x 2 took" in machine.origin.sources["parts.memory.rate"].note


def test_the_table_says_which_rates_are_within_their_spread() -> None:
    measurement = drawn(1)
    checks = [
        Checked(one, one.median * (2 if one.probe.name == "create x 2" else 1))
        for one in measurement.measured
    ]
    table = written(measurement_page(Whole(measurement, "", checks)), "table")
    count = sum(one.probe.processes > 1 for one in measurement.measured)
    line = f"{count - 1} of {count} rates of several processes are simulated within their spread"
    assert f"{line}; not create x 2." in table


def test_what_is_simulated_in_no_time_is_said_and_has_no_mean() -> None:
    measurement = drawn(1)
    used = [one.probe.name for one in measurement.measured if not one.probe.state]
    checks = [
        Checked(one, 0.0 if one.probe.name == used[0] else 2 * one.median)
        for one in measurement.measured
    ]
    table = written(measurement_page(Whole(measurement, "", checks)), "table")
    assert "geometric mean error 100 %, without 1 simulated in no time." in table
    assert "-100 %" in table
    none = [Checked(one, 0.0) for one in measurement.measured]
    table = written(measurement_page(Whole(measurement, "", none)), "table")
    assert "used in the fit: simulated in no time." in table


def test_a_lock_of_writes_is_found_again() -> None:
    """A write of 256 B takes 2 us + 256 B at 4 GB/s; one of two in turns 0.3 us more."""
    turns = known().replace("home:\n", "home:\n    write_lock: 300 ns\n")
    assert turns != known()
    for text, wanted in ((turns, 300), (known(), None)):
        measured = tuple(probed(SimulatedProber(text), FACTS, LIMITS))
        measurement = Measurement(FACTS, LIMITS, measured, "")
        machine = machine_text(measurement, derive(measurement), "again")
        lock = MACHINE.parse(machine, "again", ())[0].filesystems["home"].write_lock
        assert lock == (wanted and pytest.approx(wanted, abs=5))


def test_who_had_no_processor_says_nothing_of_a_lock() -> None:
    def samples(*waited: float) -> Samples:
        alone = Measured(Probe("cached-write", TINY, 10), [Sample(10, 10e-6)])
        shared = Measured(Probe("cached-write", TINY, 10, 2, state="shared"))
        for one in waited:
            shared.samples.append(Sample(20, 26e-6 if one < 0.1 else 13e-6, SystemState(one, 0)))
        return Samples([alone, shared])

    found = locking(samples(0.0, 0.5, 0.05, 0.4, 0.4, 0.4, 0.01))
    assert found is not None
    assert found.value == pytest.approx(0.3e-6)
    assert "in 3 samples; cached-write 256 B x 2 shared took" in found.note
    assert locking(samples(0.0, 0.5, 0.05, 0.4)) is None
    assert locking(samples(0.5)) is None
