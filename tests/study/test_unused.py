"""An option that cannot change the result is a warning, on every shipped machine."""

from __future__ import annotations

from pathlib import Path

import pytest

import nwtsim
from simulator.cli.main import main
from simulator.config.formats import MACHINE
from simulator.config.knobs import knobs_of
from simulator.config.starters import starter_workload
from simulator.inputfile import Text
from simulator.run import load_inputs, run_plan
from simulator.study import chunks
from simulator.unused import unused_settings

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


NAMES = [
    pytest.param(name, marks=pytest.mark.slow) if name == "mesh-lab" else name
    for name in MACHINE.shipped()
]
"""All shipped machines; a mesh takes seconds."""


@pytest.mark.few(4)
@pytest.mark.parametrize("name", NAMES)
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


@pytest.mark.few(4)
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


@pytest.mark.slow
def test_the_command_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "workstation", "copy-file", "--ssd.rate", "1 GB/s"]) == 0
    told = "--set machine.parts.ssd.rate=1 GB/s: warning: has no effect: nothing in copy-file uses"
    assert capsys.readouterr().err == f"{told} ssd\n"
    assert main(["run", "workstation", "copy-file", "--disk.rate", "90 MB/s"]) == 0
    assert capsys.readouterr().err == ""


UNUSED = ("machine.parts.lan.rate", "2 MB/s")
"""Of a path that test-write does not take."""
LITTLE = ("workload.files.output.size", "4 MB")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_sweep_warns_once_of_what_no_point_has_used(
    jobs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "ALONE_S", 0.0)
    monkeypatch.setattr(chunks, "WORTH_S", 0.0)
    fixed = [f"--set={path}={value}" for path, value in (UNUSED, LITTLE)]
    vary = ["--vary=nfs.overhead=1 ms, 2 ms", "--vary=paths.rate=40 MB/s, 50 MB/s"]
    words = ["sweep", "nwt", "test-write", *fixed, *vary, "--no-plot", f"--jobs={jobs}"]
    assert main([*words, f"--out={tmp_path / 'few'}"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"{who}: warning: has no effect: nothing in test-write uses {what}"
        for who, what in ((f"--set {'='.join(UNUSED)}", "lan"), ("--vary nfs.overhead", "nfs"))
    ]
    assert main([*words, "--vary=path=scfs,nfs", f"--out={tmp_path / 'more'}"]) == 0
    assert capsys.readouterr().err == ""  # The points of the other path use both.


def test_python_warns_at_the_line_of_the_call() -> None:
    with pytest.warns(nwtsim.SettingWarning, match="nothing in test-write uses lan") as caught:
        nwtsim.run("nwt", "test-write", [UNUSED, LITTLE])
    with pytest.warns(nwtsim.SettingWarning, match="vary lan.rate.* uses lan") as swept:
        nwtsim.sweep("nwt", "test-write", {"lan.rate": ["1 MB/s", "2 MB/s"]}, [LITTLE])
    assert [one.filename for one in (*caught, *swept)] == [__file__, __file__]
