"""What a plan says that no run beats; and that it is near where a part is all there is."""

from __future__ import annotations

import math

import pytest

from simulator.config.formats import WORKLOAD
from simulator.errors import InputError
from simulator.plan.bounds import Bounds
from simulator.prepared import Prepared
from simulator.report.shipped import fitting
from simulator.result.jobs import by_job, reached_by
from simulator.run import load_inputs, load_plan, run_plan

SMALL = {"size": "8 MB"}
MACHINES = ("nwt", "workstation", "nfs-lab", "beegfs-like", "burst-node", "sr8000", "lustre-lab")
QUICK = ("test-write", "copy-file", "nwt-each", "morning", "sr8000-read-fv", "read-cached")


def pairs(quick: bool) -> list[tuple[str, str]]:
    """Machines with workloads that fit them."""
    return [
        (machine, one.name)
        for machine in MACHINES
        for one in fitting(machine)
        if not quick or one.name in QUICK
    ]


def small(workload: str) -> list[tuple[str, str]]:
    """Settings that make the files of a workload small."""
    read = WORKLOAD.parse(WORKLOAD.shipped()[workload].read_text("utf-8"), workload, ())[0]
    return [
        (f"workload.files.{name}.size", "8 MB")
        for name, file in read.files.items()
        if file.size > 8_000_000 and not file.shared
    ]


def check(machine: str, workload: str, seed: int | None) -> None:
    try:
        plan = load_plan(machine, workload, settings=small(workload), seed=seed)
        result = run_plan(plan)
    except InputError:
        return  # such a size is not one of whole records
    bounds = Bounds(plan)
    assert bounds.least_ns() <= result.elapsed_ns
    for job in by_job(result):
        assert bounds.least_ns(job.name) <= job.elapsed_ns
    came = reached_by(result)
    if came is not None:
        assert came.rate <= bounds.most_stable() * (1 + 1e-9)


@pytest.mark.few(6)
@pytest.mark.parametrize(("machine", "workload"), pairs(quick=True))
def test_no_run_beats_the_bound(machine: str, workload: str) -> None:
    check(machine, workload, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "step"),
    [(None, 4), *(pytest.param(one, 1, marks=pytest.mark.long) for one in (None, 1, 2))],
)
def test_no_run_of_any_workload_beats_the_bound(seed: int | None, step: int) -> None:
    for machine, workload in pairs(quick=False)[::step]:
        if "checkpoint" not in workload or machine != "lustre-scratch":
            check(machine, workload, seed)


def test_it_is_near_where_one_part_is_all_there_is() -> None:
    """1 GB from a disk of 125 MB/s: 8 s, and the copy to it hides in the page cache."""
    settings = [("workload.files.source.size", "1 GB")]
    plan = load_plan("workstation", "copy-file", settings=settings)
    result = run_plan(plan)
    assert Bounds(plan).least_ns() == pytest.approx(8e9, rel=0.01)
    assert Bounds(plan).least_ns() > 0.4 * result.elapsed_ns


def test_written_data_that_fits_into_a_cache_may_stay_there() -> None:
    """4 GB written: 20 % of the 8 GB of the page cache may be dirty, so 2.4 GB have to go on."""
    inputs = load_inputs("workstation", "copy-file", [("workload.files.copy.size", "4 GB")])
    assert inputs.workload.files["copy"].size == 4_000_000_000
    sizes = [(f"workload.files.{name}.size", "4 GB") for name in ("source", "copy")]
    plan = load_plan("workstation", "copy-file", settings=sizes)
    read, written = 4e9, 4e9 - 0.2 * 8e9
    assert Bounds(plan).least_ns() == pytest.approx((read + written) / 125e6 * 1e9, rel=0.001)


def test_noise_takes_something_off_the_bound() -> None:
    plain, noisy = (load_plan("nwt", "test-write", seed=seed) for seed in (None, 1))
    assert Bounds(noisy).least_ns() < Bounds(plain).least_ns()
    assert Bounds(plain).least_ns() > 0
    assert math.isfinite(Bounds(plain).most_stable())


def test_what_processes_ask_for_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of plans of which only the rate of a disk differs."""
    prepared = Prepared("workstation", "copy-file", [("workload.files.source.size", "1 GB")])
    slow, fast = (
        prepared.plan([("machine.parts.disk.rate", rate)]) for rate in ("50 MB/s", "100 MB/s")
    )
    first = Bounds(slow)
    again = Bounds(fast).least_ns()
    monkeypatch.setattr("simulator.plan.bounds.Demands", None)
    assert Bounds(fast, first).best("elapsed", None) == again == first.least_ns() / 2
    other = load_plan("workstation", "copy-file")
    with pytest.raises(TypeError, match="not callable"):
        Bounds(other, first)
