"""Shortened runs: faithful ones only, which give the answer of the whole run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simulator.answers import again as again_module
from simulator.answers import jobs as jobs_module
from simulator.answers.again import InputsAgain, NotAsked, work_of
from simulator.answers.limits import Limits, limits_of
from simulator.answers.shorter import MOST_APART, Shortened, shortened
from simulator.report.limits import limits_text
from simulator.run import Inputs, load_inputs, run_plan

pytestmark = pytest.mark.compiled

LOOP = """\
format: workload/2
name: loop
files: {{a: {{size: {size}}}}}
jobs:
  - name: job
    processes: 4
    record: 1 MiB
    repeat: {repeat}
    phases:
      - {{do: compute, time: {time}}}
      - {{do: write, file: a}}
      - {{do: sync, file: a}}
      - {{do: open, file: a, count: 40}}
"""


def inputs_of(folder: Path, text: str, machine: str = "burst-node") -> Inputs:
    job = folder / "job.yaml"
    job.write_text(text)
    return load_inputs(machine, job)


def short(inputs: Inputs, by: int) -> Shortened | None:
    return shortened(InputsAgain(inputs), run_plan(inputs.plan()), by, by // 2)


SCALED = {
    "workload.files.a.size": "16 MiB",
    "workload.jobs.0.phases.0.time": "50 ms",
    "workload.jobs.0.phases.3.count": "5",
    "machine.stores.pages.capacity": "976560 KiB",  # An eighth of 8 GB, in blocks of 4 KiB.
    "machine.stores.server-pages.capacity": "2929684 KiB",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "loop", "divided", "how"),
    [
        (
            *("lustre-scratch", {"repeat": 40, "size": "32 MB", "time": "1 ms"}),
            *({"workload.jobs.0.repeat": "5"}, "fewer repetitions"),
        ),
        (
            *("nfs-lab", {"repeat": 1, "size": "128 MiB", "time": "400 ms"}),
            *(SCALED, "files, stores, times of computing and counts divided"),
        ),
    ],
)
def test_a_shortened_run_gives_the_answer_of_the_whole(
    machine: str, loop: dict[str, Any], divided: dict[str, str], how: str, tmp_path: Path
) -> None:
    inputs = inputs_of(tmp_path, LOOP.format(**loop), machine)
    less = short(inputs, 8)
    assert less is not None
    assert (dict(less.settings), less.how, less.by) == (divided, how, 8)
    assert less.apart <= MOST_APART
    again, plan = InputsAgain(inputs), inputs.plan()
    whole = limits_of(again, plan, run_plan(plan))
    some = limits_of(again, less.plan, less.result, shortened=less)
    assert 7 < whole.elapsed_ns / some.elapsed_ns < 9
    assert some.first is not None
    assert whole.first is not None
    assert some.first.lever.name == whole.first.lever.name
    shares = [one.first.saves_ns / one.elapsed_ns for one in (some, whole) if one.first]
    assert shares[0] == pytest.approx(shares[1], abs=0.05)
    # What is told of the shortened run is a run too.
    again_settings = (*less.settings, *some.first.twice.settings)
    run = run_plan(load_inputs(machine, tmp_path / "job.yaml", again_settings).plan())
    assert run.elapsed_ns == some.first.twice.elapsed_ns


def test_a_run_of_which_no_part_is_like_the_whole_is_left_whole(tmp_path: Path) -> None:
    # Four records cannot be divided by eight.
    few = LOOP.format(repeat=1, size="4 MiB", time="1 s")
    assert short(inputs_of(tmp_path, few), 8) is None
    # One open is one open: it would become a larger share of the time.
    machine = (
        "format: machine/2\nname: pc\nparts: {disk: {kind: disk, rate: 10 MB/s},"
        " lookup: {kind: queue, overhead: 1 s}}\n"
        "filesystems: {home: {tiers: [disk], metadata: [{work: lookup}]}}\n"
    )
    job = (
        "format: workload/2\nname: once\nfiles: {a: {size: 40 MB, exists: true}}\n"
        "jobs: [{name: job, record: 1 MB, phases: [{do: open, file: a}, {do: read, file: a}]}]\n"
    )
    (tmp_path / "pc.yaml").write_text(machine)
    assert short(inputs_of(tmp_path, job, str(tmp_path / "pc.yaml")), 8) is None


def test_fewer_repetitions_are_no_sample_of_a_cache_that_fills(tmp_path: Path) -> None:
    """The first pass reads the disk, the others the cache: files and stores are divided instead."""
    machine = (
        "format: machine/2\nname: pc\nparts: {disk: {kind: disk, rate: 10 MB/s}}\n"
        "stores: {pages: {capacity: 40 MB, block: 1 MB}}\nfilesystems: {home: [pages, disk]}\n"
    )
    job = (
        "format: workload/2\nname: again\nfiles: {a: {size: 20 MB, exists: true}}\n"
        "jobs: [{name: job, record: 1 MB, repeat: 20, phases: [{do: read, file: a},"
        " {do: compute, time: 1 s}]}]\n"
    )
    (tmp_path / "pc.yaml").write_text(machine)
    less = short(inputs_of(tmp_path, job, str(tmp_path / "pc.yaml")), 10)
    assert less is not None
    settings = dict(less.settings)
    assert "workload.jobs.0.repeat" not in settings
    assert settings["workload.files.a.size"] == "2 MB"
    assert settings["machine.stores.pages.capacity"] == "4 MB"


@pytest.mark.slow
def test_arrivals_become_fewer_and_each_stays_as_it_is() -> None:
    less = short(load_inputs("nfs-lab", "morning", noisy=False), 10)
    assert less is not None
    settings = dict(less.settings)
    assert settings["workload.jobs.1.arrivals.count"] == "50"
    assert not any(path.startswith("workload.jobs.1.phases") for path in settings)


def test_nothing_is_divided_by_one(tmp_path: Path) -> None:
    assert short(inputs_of(tmp_path, LOOP.format(repeat=8, size="4 MiB", time="1 ms")), 1) is None


def test_a_run_with_events_is_left_whole(tmp_path: Path) -> None:
    text = LOOP.format(size="128 MiB", repeat=40, time="400 ms")
    assert short(inputs_of(tmp_path, text), 8) is not None
    text += "events: [{part: nvme, at: 1 s, repair: 1 ms}]\n"
    assert short(inputs_of(tmp_path, text), 8) is None


RAMP = """\
format: machine/2
name: ramp
parts:
  disk: {kind: disk, rate: 100 MB/s, seek: 4 ms, rotation: 4 ms}
  net: {kind: queue, rate: 120 MB/s}
stores:
  pages: {capacity: 400 MB, block: 1 MB, extent: 1 MB, dirty: 50 %, read_ahead: 4 MB}
filesystems: {fs: [net, pages, disk]}
"""
RAMPED = """\
format: workload/2
name: ramped
files: {a: {size: 900 MB}, b: {size: 300 MB, exists: true}, c: {size: 4 MB, exists: true}}
jobs:
  - name: job
    record: 1 MB
    phases:
      - {do: write, file: a}
      - {do: read, file: b}
      - {do: read, file: c, order: random, record: 4 kB}
      - {do: compute, time: 1 s}
"""


def test_what_is_told_of_a_long_run_is_of_whole_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("machine", "job"):
        (tmp_path / f"{name}.yaml").write_text(RAMP if name == "machine" else RAMPED)
    inputs = load_inputs(tmp_path / "machine.yaml", tmp_path / "job.yaml")
    plan = inputs.plan()
    base = run_plan(plan)
    monkeypatch.setattr(again_module, "SHORT", 6 * work_of(base))
    monkeypatch.setattr(jobs_module, "SHORT", 6 * work_of(base))
    again = InputsAgain(inputs)
    found = again_module.ask_limits(again, plan, base)
    assert isinstance(found, Limits)
    assert found.shortened is not None
    assert 1 <= len(found.limits) <= again_module.MOST_CONFIRMED
    assert found.elapsed_ns == base.elapsed_ns
    assert "hosen by runs shortened to 1/" in limits_text(found)
    advised = jobs_module.first_advice(jobs_module.JobRun(again, base, found), found)
    assert advised.elapsed_ns == base.elapsed_ns
    told = [(one.twice.settings, one.twice.elapsed_ns) for one in found.limits]
    told += [(one.cure.change.settings, one.elapsed_ns) for one in advised.advice]
    for settings, elapsed_ns in told:
        inputs = load_inputs(tmp_path / "machine.yaml", tmp_path / "job.yaml", settings)
        assert run_plan(inputs.plan()).elapsed_ns == elapsed_ns


def test_a_run_that_takes_long_is_not_asked_about_unless_that_is_wanted(tmp_path: Path) -> None:
    inputs = inputs_of(tmp_path, LOOP.format(repeat=40, size="32 MiB", time="1 ms"))
    plan = inputs.plan()
    base = run_plan(plan)
    base.events = 10**9
    assert isinstance(again_module.ask_limits(InputsAgain(inputs), plan, base), NotAsked)
