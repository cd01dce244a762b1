"""What counts of a run: calls and rounds that end when some time is over, not the time."""

from __future__ import annotations

import pytest

from simulator.answers.again import InputsAgain, ask_limits
from simulator.answers.limits import Limits
from simulator.answers.measure import Measure, measure_of, measures_of
from simulator.inputfile import Text
from simulator.report.limits import sentence
from simulator.run import load_inputs, run_plan

DURATION = ("workload.jobs.0.phases.0.duration", "2 min")


def asked(machine: str | Text, workload: str | Text, *settings: tuple[str, str]) -> Limits:
    inputs = load_inputs(machine, workload, settings)
    plan = inputs.plan()
    found = ask_limits(InputsAgain(inputs), plan, run_plan(plan), wanted=True)
    assert isinstance(found, Limits)
    return found


@pytest.mark.slow
def test_clients_that_call_for_some_time_are_judged_by_their_calls() -> None:
    found = asked("ninf", "ninf-lan", DURATION)
    assert found.measure == Measure("", arrives=True, each="call")
    inputs = load_inputs("ninf", "ninf-lan", (DURATION,))
    called = run_plan(inputs.plan()).numerical
    assert called is not None
    assert found.elapsed_ns == pytest.approx(called.mean_s(lambda one: one.elapsed_ns) * 1e9, abs=1)
    assert found.ended == len(called.calls)
    first = found.first
    assert first is not None
    assert first.lever.name == "j90-pes.pes"
    assert first.saves_ns > 0.3 * found.elapsed_ns
    assert first.twice.ended is not None
    assert first.twice.ended > 1.3 * found.ended
    told = sentence(found)
    assert "a call takes" in told
    assert f"{first.twice.ended} calls end instead of {found.ended}" in told


def test_a_single_call_is_judged_by_its_time() -> None:
    inputs = load_inputs("ninf", "ninf-single")
    assert measure_of(run_plan(inputs.plan()), None) == Measure()


BESIDE = """\
format: workload/2
name: beside
files: {a: {size: 100 MB, exists: true}, b: {size: 1 MB, exists: true}}
jobs:
  - {name: long, record: 1 MB, phases: [{do: read, file: a}, {do: compute, time: 5 s}]}
  - {name: again, record: 1 MB, until: others end, phases: [{do: read, file: b}]}
"""
DISK = """\
format: machine/2
name: pc
parts: {disk: {kind: disk, rate: 100 MB/s}}
filesystems: {home: [disk]}
"""


def test_a_job_that_goes_on_until_others_end_is_judged_by_its_rounds() -> None:
    inputs = load_inputs(Text(DISK, "m"), Text(BESIDE, "w"))
    result = run_plan(inputs.plan())
    long, again = measures_of(result, inputs.workload)
    assert long == Measure("long")
    assert again == Measure("again", arrives=True, each="round")
    timed = again.of(result)
    assert timed.ended is not None
    assert timed.ended > 400
    assert timed.time_ns * timed.ended == pytest.approx(result.elapsed_ns, rel=0.01)
    of_again = asked(Text(DISK, "m"), Text(BESIDE, "w")).jobs[1]
    assert of_again.first is not None
    assert of_again.first.saves_ns == pytest.approx(of_again.elapsed_ns / 2, rel=0.1)
    assert "a round of again takes" in sentence(of_again)
