"""What is said of a run before it: its cost, what that comes from, and another engine.

Times are not tested; what they are estimated from is counted, and compared with what runs did.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from simulator import cost
from simulator.cli.main import main
from simulator.cost import Estimate, message_before_run
from simulator.errors import InputError
from simulator.inputfile import Text
from simulator.plan.plan import Plan
from simulator.plan.work import Work
from simulator.run import Setting, load_inputs, load_plan, run_plan
from simulator.study.chunks import Runner
from simulator.study.grid import Grid, make_sweep
from simulator.study.sweep import run_sweep, words_before
from tests.draws.plans.draw import plan_of
from tests.examples import examples

MACHINE = """\
format: machine/2
name: small
parts:
  disk: {kind: disk, rate: 100 MB/s, seek: 8 ms}
stores:
  pages: {capacity: 100 GB}
filesystems:
  home: [{request: 1 MB}, pages, {request: 1 MB, window: 2}, disk]
  straight: [{request: 1 MB}, disk]
"""
WORKLOAD = """\
format: workload/2
name: copy
files: {f: {size: 1 GB, filesystem: home}, g: {size: 1 GB, filesystem: straight}}
jobs:
  - name: copy
    record: 1 MB
    phases: [{do: write, file: f}, {do: write, file: g}]
"""
FILES = Text(MACHINE, "small.yaml"), Text(WORKLOAD, "copy.yaml")
TIERS = "machine.filesystems"


def planned(*settings: Setting) -> Plan:
    return load_plan(*FILES, settings=settings)


# -- counts ---------------------------------------------------------------------------------------

RUNS = [
    ("workstation", "copy-file"),
    ("nfs-lab", "copy-file"),
    ("beegfs-like", "shared-file"),
    ("burst-node", "copy-file"),
    ("lustre-scratch", "copy-file"),
    ("nwt", "test-write"),
    ("sr8000", "sr8000-read-col"),
]


@pytest.mark.few(2)
@pytest.mark.parametrize(("machine", "workload"), RUNS)
def test_counts_are_those_of_the_run_within_a_factor_of_three(machine: str, workload: str) -> None:
    plan = load_inputs(machine, workload, noisy=False).plan()
    work, result = Work(plan), run_plan(plan)
    assert result.events / 3 < sum(work.passes) + work.calls < 3 * result.events
    counts = [store.counts for store in result.stores.values()]
    blocks = sum(one.get("hits", 0) + one.get("misses", 0) for one in counts)
    if plan.stores:
        assert blocks / 3 < sum(work.blocks) < 3 * blocks
    assert message_before_run(plan, "auto") == []


@pytest.mark.drawn
def test_every_plan_has_an_estimate() -> None:
    for seed in range(examples(150)):
        plan = plan_of(seed)
        for engine in ("native", "reference", "auto"):
            made = Estimate(plan, engine).cost()
            assert 0 <= made.seconds < cost.MOST_S, seed
            assert 0 < made.size < cost.MOST_BYTES, seed


@pytest.mark.slow
def test_many_processes_are_estimated_from_some_of_them() -> None:
    text = WORKLOAD.replace("1 GB", "10 MB")
    texts = [text.replace("record", f"processes: {count}\n    record") for count in (200, 2000)]
    few, many = (Work(load_plan(FILES[0], Text(text, "many.yaml"))) for text in texts)
    assert many.calls == pytest.approx(10 * few.calls)
    assert many.held == pytest.approx([10 * held for held in few.held])
    assert sum(many.passes) == pytest.approx(10 * sum(few.passes))


def test_a_load_beside_a_job_makes_as_many_calls_as_the_job() -> None:
    other = "  - {name: load, record: 1 MB, until: others end, phases: [{do: read, file: h}]}\n"
    files = "files: {h: {size: 1 MB, exists: true, filesystem: straight}, "
    text = WORKLOAD.replace("files: {", files) + other
    calls = Work(load_plan(FILES[0], Text(text, "two.yaml"))).job_calls
    assert calls["load"] == pytest.approx(calls["copy"])


# -- what is told ---------------------------------------------------------------------------------

MUCH = {
    ("machine.stores.pages.block", "64 B"): r"about \d+ s and 2 GB of memory: 16,000,000 blocks of"
    r" 64 B in pages; write 'block: (?P<new>256 B)' or more in it",
    (f"{TIERS}.straight.tiers.0.request", "1 B"): r"about \d+ min: 1,000,000,000 requests of 1 B on"
    r" the path straight; write 'request: (?P<new>\d+ B)' or more",
    (f"{TIERS}.home.tiers.2.window", "1000000"): r"about \d+ s and \d+ GB of memory: a window of"
    r" 1,000,000 requests on the path home; write 'window: (?P<new>\d+)' or less",
    ("workload.jobs.0.record", "1 B"): r"about \d+ min: 2,000,000,000 calls and steps of the job"
    r" copy; write larger records, or fewer processes or repetitions",
}


@pytest.mark.parametrize("setting", MUCH)
def test_what_is_over_a_minute_or_a_gigabyte_is_told_with_its_cause(setting: Setting) -> None:
    assert message_before_run(planned(), "auto") == []
    (told,) = message_before_run(planned(setting), "auto")
    found = re.fullmatch(f"this run takes {MUCH[setting]}", told)
    assert found, told
    if "new" in found.groupdict():
        mended = planned((setting[0], found["new"]))
        assert message_before_run(mended, "auto") == []


def test_more_runs_cost_more() -> None:
    setting = "workload.jobs.0.record", "100 B"
    assert message_before_run(planned(setting), "auto") == []
    (told,) = message_before_run(planned(setting), "auto", more=30)
    assert told.startswith("this run and some 30 more take about")


def test_another_engine_is_told_with_the_reason() -> None:
    plan = load_inputs("orion", "orion-mesh", noisy=False).plan()
    (told,) = message_before_run(plan, "auto")
    assert told.startswith("the reference engine runs this, some 100 times slower: the native engi")
    assert "does not know message servers" in told
    assert message_before_run(plan, "reference") == []


def test_more_blocks_than_the_native_engine_keeps_are_told() -> None:
    told = message_before_run(planned(("machine.stores.pages.block", "4 B")), "auto")
    assert told[0].endswith("the native engine keeps at most 2**26 blocks; write larger ones")
    assert "250,000,000 blocks of 4 B in pages" in told[1]


# -- where it is told -----------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The machine and the workload in a folder."""
    paths = [tmp_path / one.name for one in FILES]
    for path, one in zip(paths, FILES, strict=True):
        path.write_text(one.text.replace("1 GB, f", "10 MB, f"), encoding="utf-8")
    return [*map(str, paths)]


def stop(*_: object, **__: object) -> None:
    """Stand for the run."""
    raise InputError("it runs")


@pytest.mark.parametrize("command", ["run", "advise"])
def test_commands_say_it_on_standard_error_before_the_run(
    command: str,
    files: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([command, *files]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    monkeypatch.setattr(cost, "MOST_S", 1e-9)
    monkeypatch.setattr("simulator.run.run_plan", stop)
    assert main([command, *files]) == 2
    stopped, told = capsys.readouterr()
    assert stopped == ""
    assert re.fullmatch(r"this run takes about \d+ s: .*; write .*\nit runs\n", told)
    monkeypatch.undo()
    monkeypatch.setattr(cost, "MOST_S", 1e-9)
    assert main([command, *files]) == 0
    assert capsys.readouterr().out == out


@pytest.mark.parametrize("command", ["replay", "advise"])
def test_a_replay_says_it_too(
    command: str,
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("pyarrow")
    store = str(tmp_path / "calls.parquet")
    assert main(["run", *files, "--no-limits", "--store", store]) == 0
    monkeypatch.setattr(cost, "MOST_S", 1e-9)
    capsys.readouterr()
    assert main([command, store, "--on", files[0], "--no-limits"]) == 0
    assert capsys.readouterr().err.count("this run takes about") == 1


def test_a_sweep_says_it_once_for_all_points(
    files: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cost, "MOST_S", 1e-9)
    sweep = make_sweep(*files, vary=[("record", "10 kB,100 kB,1 MB")])
    told: list[str] = []
    for _ in range(2):  # The second time nothing is left to run.
        run_sweep(sweep, tmp_path / "out", versions={}, jobs=2, said=told.append)
    (line,) = told
    assert line.startswith("3 runs, 2 at a time, take about ")
    assert "2,000 calls and steps of the job copy at one of its points; write larger" in line


def test_a_sweep_on_another_engine_says_so_once(tmp_path: Path) -> None:
    sweep = make_sweep("orion", "orion-mesh", vary=[("seed", "1,2")])
    told: list[str] = []
    run_sweep(sweep, tmp_path, versions={}, jobs=1, said=told.append)
    assert [one.partition(":")[0] for one in told] == [
        "the reference engine runs this, some 100 times slower"
    ]


def test_a_point_with_a_mistake_is_left_to_the_sweep(files: list[str]) -> None:
    vary = [("machine.stores.pages.block", "64 B,1 MB,300 GB,2 MB")]
    grid = Grid(make_sweep(*files, vary=vary))
    assert words_before(Runner(grid), range(4), 4, 1) == []


def test_memory_of_points_that_run_together_adds_up() -> None:
    one = replace(Estimate(planned(), "native").cost(), size=6e8)
    assert cost.message_before_runs([one, one], 2, 1) == []
    (told,) = cost.message_before_runs([one, one], 2, 8)
    assert "2 runs, 2 at a time, take about" in told
    assert "and 1 GB of memory" in told


def test_many_light_points_are_told_as_such() -> None:
    one = Estimate(planned(), "native").cost()
    points = int(7200 / one.seconds)
    (told,) = cost.message_before_runs([one, one], points, 2)
    about = "take about 60 min: vary fewer values, or run parts of it by --shard"
    assert told == f"{points:,} runs, 2 at a time, {about}"


# -- what a run keeps -----------------------------------------------------------------------------

SMALL = (("workload.jobs.0.record", "500 B"),)


@pytest.mark.parametrize(
    ("machine", "workload"),
    [("workstation", "copy-file"), ("nwt", "test-write"), ("lustre-lab", "shared-file")],
)
def test_services_on_the_timeline_are_counted(machine: str, workload: str) -> None:
    """As all of an estimate: within a factor of three of what the run keeps."""
    plan = load_plan(machine, workload)
    kept = len(run_plan(plan, timeline=True).spans)
    assert kept / 3 < Estimate(plan, "auto", timeline=True).spans < 3 * kept
    assert Estimate(plan, "auto").spans == 0


def test_a_long_timeline_is_told_before_the_run() -> None:
    plan = planned(*SMALL)
    assert message_before_run(plan, "auto") == []
    (told,) = message_before_run(plan, "auto", timeline=True)
    assert re.search(r"takes about .* GB of memory: [\d,]+ services on the timeline; omit it", told)


def test_so_are_many_calls_that_are_kept() -> None:
    plan = planned(*SMALL)
    (told,) = message_before_run(plan, "auto", record=True)
    assert re.search(r"GB of memory: [\d,]+ recorded calls; do not store them", told)


def test_rebuilds_beside_a_slow_disk_are_told() -> None:
    """Others are carried out by arithmetic, whatever their size."""
    machine = (
        "format: machine/2\nname: m\nparts:\n  raid: {kind: array, disks: 8, level: raid6,"
        " rate: 200 MB/s, capacity: 16 TB, unit: 1 kB}\nfilesystems: {fs: [raid]}\nevents:\n"
        "  - {part: raid, disk: 1, at: 1 s, repair: 1 h}\n"
    )
    jobs = (
        "format: workload/2\nname: w\nfiles: {f: {size: 1 MB, exists: true}}\njobs:\n"
        "  - {name: a, record: 1 MB, phases: [{do: read, file: f}, {do: compute, time: 168 h}]}\n"
    )
    assert message_before_run(load_plan(Text(machine, "m"), Text(jobs, "w")), "auto") == []
    slow = machine + "  - {part: raid, disk: 2, at: 0 s, factor: 50 %, lasts: 1000 h}\n"
    (told,) = message_before_run(load_plan(Text(slow, "m"), Text(jobs, "w")), "auto")
    assert "steps of rebuilds beside a slow disk; write a larger 'rebuild_step'" in told


def test_records_that_a_buffer_gathers_one_by_one_are_told() -> None:
    jobs = (
        "format: workload/2\nname: w\nfiles: {f: {size: 100 GB, exists: true}}\njobs:\n"
        "  - {name: a, policy: gfortran, buffer: 1 GB, record: [1 B, 2 B],"
        " phases: [{do: read, file: f}]}\n"
    )
    machine = "format: machine/2\nname: m\nparts: {d: {kind: disk, rate: 1 GB/s}}\n"
    machine += "filesystems: {fs: [d]}\n"
    (told,) = message_before_run(load_plan(Text(machine, "m"), Text(jobs, "w")), "auto")
    assert "67,000,000,000 records of different lengths in buffers; write records of one" in told
