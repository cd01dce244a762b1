"""An option that cannot change the result is a warning, on every shipped machine."""

from __future__ import annotations

import pytest

from simulator.cli.main import main
from simulator.config.formats import MACHINE
from simulator.config.knobs import knobs_of
from simulator.config.starters import starter_workload
from simulator.report.unused import unused_settings
from simulator.run import Text, load_inputs, run_plan

BUFFER = ("workload.jobs.*.buffer", "1 MB")


def of_parts(name: str) -> list[tuple[str, str]]:
    """Return a setting for each rate of a part of a machine: a part of what it is."""
    machine = MACHINE.parse(MACHINE.shipped()[name].read_text("utf-8"), name, ())[0]
    paths = [knob.path for knob in knobs_of(machine).values()]
    found = [path.split(".") for path in paths]
    return [
        (".".join(path), "3 MB/s")
        for path in found
        if path[1:2] == ["parts"] and path[3:] == ["rate"]
    ]


@pytest.mark.parametrize("name", MACHINE.shipped())
def test_what_is_not_used_is_told_and_changes_nothing(name: str) -> None:
    machine = MACHINE.parse(MACHINE.shipped()[name].read_text("utf-8"), name, ())[0]
    job = Text(starter_workload("job", "job.yaml", machine, name), "job.yaml")
    plan = load_inputs(name, job).plan()
    plain = run_plan(plan)
    settings = of_parts(name)
    told = [one for one in settings if unused_settings([one], plan, plain)]
    silent = [one for one in settings if one not in told]
    if told:  # All of them at once.
        inputs = load_inputs(name, job, told)
        plan = inputs.plan()
        result = run_plan(plan)
        assert result.elapsed_ns == plain.elapsed_ns
        assert len(unused_settings(inputs.settings, plan, result)) == len(told)
    inputs = load_inputs(name, job, silent)
    assert run_plan(inputs.plan()).elapsed_ns != plain.elapsed_ns


@pytest.mark.parametrize("name", MACHINE.shipped())
def test_a_buffer_without_fortran_is_told(name: str) -> None:
    machine = MACHINE.parse(MACHINE.shipped()[name].read_text("utf-8"), name, ())[0]
    job = Text(starter_workload("job", "job.yaml", machine, name), "job.yaml")
    posix = ("workload.jobs.*.policy", "posix")
    (doubt,) = load_inputs(name, job, [posix, BUFFER]).doubts
    assert "the buffer has no effect with policy posix" in str(doubt)
    if name == "sr8000":  # Its processes write at offsets only, which Fortran does not.
        return
    (doubt,) = load_inputs(name, job, [(posix[0], "flang"), BUFFER]).doubts
    assert "no effect with policy flang, whose buffer grows with the records" in str(doubt)
    assert load_inputs(name, job, [(posix[0], "gfortran"), BUFFER]).doubts == []


def test_settings_of_the_machine_that_no_program_looks_at() -> None:
    settings = [("runtime.buffer", "1 MB"), ("pages.capacity", "4 GB")]
    inputs = load_inputs("workstation", "copy-file", settings)
    plan = inputs.plan()
    told = [str(one) for one in unused_settings(inputs.settings, plan, run_plan(plan))]
    assert told == [
        "--set machine.runtime.buffer=1 MB: warning: has no effect: no program of copy-file has a"
        " buffer of that size",
    ]


def test_costs_of_mpi_io_that_no_program_calls() -> None:
    jobs = "jobs: [{name: j, phases: [{do: compute, time: 1 s}]}]"
    job = Text(f"format: workload/2\nname: job\n{jobs}\n", "job.yaml")
    inputs = load_inputs("sr8000", job, [("runtime.mpi_io.call_overhead", "1 ms")])
    plan = inputs.plan()
    (told,) = unused_settings(inputs.settings, plan, run_plan(plan))
    assert "machine.runtime.mpi_io.call_overhead=1 ms: warning: has no effect" in str(told)
    assert "makes no calls of MPI-IO" in str(told)


def test_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "workstation", "copy-file", "--ssd.rate", "1 GB/s"]) == 0
    told = "--set machine.parts.ssd.rate=1 GB/s: warning: has no effect: nothing in copy-file uses"
    assert capsys.readouterr().err == f"{told} ssd\n"
    assert main(["run", "workstation", "copy-file", "--disk.rate", "90 MB/s"]) == 0
    assert capsys.readouterr().err == ""
