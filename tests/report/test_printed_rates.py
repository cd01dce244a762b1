"""What is printed, against arithmetic by hand and the theory of queues, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.answers.again import InputsAgain
from simulator.answers.limits import Limits, limits_of
from simulator.native.run import run_native
from simulator.reference.run import run_reference
from simulator.report.outcome import answer, bottleneck
from simulator.result.jobs import by_job, moved, reached_by
from simulator.result.latency import Latency
from simulator.result.record import record_of
from simulator.result.result import Result
from simulator.run import load_inputs
from simulator.study.point import row_of

ENGINES = [run_native, run_reference]
Engine = Callable[..., Result]

DISK = """
format: machine/2
name: one
nodes: {pc: {count: 1, memory: 16 GB}}
parts: {disk: {kind: queue, at: pc, rate: 125 MB/s}}
stores: {pages: {at: pc, capacity: 8 GB, block: 1 MB, start: [rewrite], dirty: 90 %}}
filesystems: {fs: [pages, disk]}
"""
SERVER = """
format: machine/2
name: one
nodes: {pc: {count: 1}}
parts: {disk: {kind: queue, at: pc, overhead: 10 ms, noise: {distribution: exponential}}}
filesystems: {fs: [disk]}
"""


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Result]:
    """Run a machine and jobs, written as texts, on an engine."""

    def make(engine: Engine, machine: str, files: str, jobs: str) -> Result:
        return engine(_inputs(tmp_path, machine, files, jobs).plan(seed=None), debug=True)

    return make


def _inputs(folder: Path, machine: str, files: str, jobs: str):  # type: ignore[no-untyped-def]
    (folder / "m.yaml").write_text(machine.strip() + "\n")
    text = f"format: workload/2\nname: w\nfiles: {files}\njobs:\n{jobs}"
    (folder / "w.yaml").write_text(text)
    return load_inputs(str(folder / "m.yaml"), str(folder / "w.yaml"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sync_after_a_write_is_in_both_rates(engine: Engine, made: Callable[..., Result]) -> None:
    """1 GB into memory in no time, then 8 s to a disk of 125 MB/s: 125 MB/s, and not TB/s."""
    jobs = "- {name: j, record: 1 MB, phases: [{do: write, file: a}, {do: sync, file: a}]}\n"
    result = made(engine, DISK, "{a: {size: 1 GB}}", jobs)
    wrote, came = moved(result, "write"), reached_by(result)
    assert wrote.calls_ns < 0.5e9  # what the processor takes
    assert wrote.rate == pytest.approx(1e9 * 1e9 / result.elapsed_ns)
    assert came is not None
    assert came.bytes == 1_000_000_000
    assert 8.0e9 <= came.elapsed_ns <= result.elapsed_ns < 8.5e9
    assert "to stable storage: 1 GB in 8." in answer(result)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_stays_dirty_never_came(engine: Engine, made: Callable[..., Result]) -> None:
    jobs = "- {name: j, record: 1 MB, phases: [{do: write, file: a}]}\n"
    result = made(engine, DISK, "{a: {size: 100 MB}}", jobs)
    assert answer(result).endswith(
        "to stable storage: nothing; still dirty at the end: 100 MB in pages"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_windows_have_computing_in_them_and_time_in_calls_has_not(
    engine: Engine, made: Callable[..., Result]
) -> None:
    phases = "{do: write, file: a}, {do: compute, time: 10 s}, {do: sync, file: a}"
    jobs = f"- {{name: j, record: 1 MB, phases: [{phases}]}}\n"
    wrote = by_job(made(engine, DISK, "{a: {size: 125 MB}}", jobs))[0].transfer("write")
    assert wrote.elapsed_ns - wrote.io_ns == 10_000_000_000
    assert wrote.io_ns > 1_000_000_000


def open_load(every: str, out: int, count: int = 4000) -> str:
    arrivals = f"{{every: {every}, distribution: poisson, count: {count}, out: {out}}}"
    return f"- {{name: j, record: 1 MB, arrivals: {arrivals}, phases: [{{do: read, file: a}}]}}\n"


FILE = "{a: {size: 1 MB, exists: true, shared: true}}"


@pytest.mark.parametrize("engine", ENGINES[:1])  # The engines agree; many arrivals take time.
def test_an_open_queue_is_as_theory_has_it(engine: Engine, made: Callable[..., Result]) -> None:
    """M/M/1 at 0.75: an arrival takes 10 ms / (1 - 0.75) = 40 ms, three quarters of it waiting."""
    result = made(engine, SERVER, FILE, open_load("13.333333 ms", 500, 20_000))
    one = by_job(result)[0]
    assert one.arrived is not None
    assert one.arrived.response.mean_ns == pytest.approx(40e6, rel=0.12)
    assert one.arrived.load is None  # Of sweeps and the like it is not asked.
    read = moved(result, "read")
    assert read.elapsed_ns == result.elapsed_ns
    assert read.rate == pytest.approx(20_000 * 1e6 * 1e9 / result.elapsed_ns)
    share = float(bottleneck(result).partition("longest wait: disk, ")[2].split(" %")[0])
    assert share == pytest.approx(75, abs=5)
    assert "of response time" in bottleneck(result)


def test_limits_of_arrivals_are_of_their_time(tmp_path: Path) -> None:
    """Twice as fast, the queue is at 0.375: 5 ms / (1 - 0.375) = 8 ms instead of 40 ms."""
    found = _limits(tmp_path, SERVER, FILE, open_load("13.333333 ms", 500, 20_000))
    assert found.measure.key == "response_ns"
    assert found.first is not None
    assert found.first.lever.resource == "disk"
    assert found.first.twice.elapsed_ns == pytest.approx(8e6, rel=0.1)
    assert found.p95_ns is not None
    assert found.first.twice.p95_ns is not None
    assert found.first.twice.p95_ns < found.p95_ns


TWO = """
format: machine/2
name: two
nodes: {pc: {count: 1}}
parts:
  disk: {kind: queue, at: pc, rate: 100 MB/s}
  card: {kind: queue, at: pc, rate: 100 MB/s}
filesystems: {fs: [disk], other: [card]}
"""


def test_each_job_has_its_own_limit(tmp_path: Path) -> None:
    """The run is as long as the job on the disk; what limits the other is the card."""
    files = "{a: {size: 1 GB, filesystem: fs}, b: {size: 500 MB, filesystem: other}}"
    jobs = "".join(
        f"- {{name: {job}, record: 1 MB, phases: [{{do: write, file: {file}}}]}}\n"
        for job, file in (("long", "a"), ("short", "b"))
    )
    found = _limits(tmp_path, TWO, files, jobs)
    assert [one.measure.job for one in found.jobs] == ["long", "short"]
    assert [one.first.lever.resource for one in found.jobs if one.first] == ["disk", "card"]
    only = _limits(tmp_path, TWO, files, jobs, job="short")
    assert only.jobs == ()
    assert only.first is not None
    assert only.first.lever.resource == "card"


def _limits(folder: Path, *texts: str, job: str | None = None) -> Limits:
    inputs = _inputs(folder, *texts)
    plan = inputs.plan(seed=None)
    return limits_of(InputsAgain(inputs), plan, run_native(plan), job=job)


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_is_busy_for_longer_than_the_run(
    engine: Engine, made: Callable[..., Result]
) -> None:
    """A shared part that is 100 times as fast with 100 transfers was busy for 100 times the run."""
    machine = SERVER.replace(
        "{kind: queue, at: pc, overhead: 10 ms, noise: {distribution: exponential}}",
        "{kind: shared, at: pc, rate: {1: 1 MB/s, 100: 100 MB/s}}",
    )
    jobs = "- {name: j, record: 1 MB, processes: 100, phases: [{do: read, file: a}]}\n"
    result = made(engine, machine, FILE, jobs)
    (disk,) = (one for one in result.parts.values() if one.part == "disk")
    assert disk.busy_ns > 50 * result.end_ns
    assert 0.9 < disk.utilisation(result.end_ns) <= 1


def test_constant_latencies_have_exact_quantiles() -> None:
    one = Latency()
    for _ in range(100):
        one.add(11_010_000)
    assert {one.quantile_ns(part) for part in (0.01, 0.5, 0.99)} == {11_010_000}


TURNS = "{a: {size: 100 MB, exists: true, shared: true}}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "jobs",
    [
        open_load("20 ms", 64, 200),
        # Four processes, one after the other.
        "- {name: j, processes: 4, skew: 3 s, record: 1 MB, phases: [{do: read, file: a},"
        " {do: compute, time: 1 ms}]}\n",
        "- {name: j, record: 1 MB, phases: [{do: read, file: a}]}\n"
        "- {name: k, start: 5 s, record: 1 MB, phases: [{do: read, file: a}]}\n",
        # Side by side, with computing between: their time in calls is that of all.
        "- {name: j, processes: 4, record: 1 MB, repeat: 3, phases: [{do: compute, time: 5 s},"
        " {do: read, file: a}]}\n",
    ],
    ids=["arrivals", "skew", "two jobs", "side by side"],
)
def test_no_rate_is_above_that_of_the_only_device(
    engine: Engine, jobs: str, made: Callable[..., Result]
) -> None:
    machine = SERVER.replace(
        "overhead: 10 ms, noise: {distribution: exponential}", "rate: 100 MB/s"
    )
    files = FILE if "arrivals" in jobs else TURNS
    result = made(engine, machine, files, jobs)
    row = row_of(result)
    rates = [row["read_MBps"], row["read_io_MBps"], result.rate("read") / 1e6]
    record = record_of(result)["jobs"]
    for job in record.values():
        rates += [job["read"][key] for key in ("rate_MBps", "io_MBps", "calls_MBps")]
        rates += [phase["rate_MBps"] for phase in job.get("phases", ())]
    # The papers' rate is of processes together; those that differ by some calls are.
    most = 102 if "compute, time: 5 s" in jobs else 100.001
    assert max(rates if "arrivals" in jobs else [*rates[:2], *rates[3:]]) <= most
    if "compute, time: 5 s" in jobs:
        assert row["read_io_MBps"] > 1.5 * row["read_MBps"]
