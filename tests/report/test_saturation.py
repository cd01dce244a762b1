"""What a machine keeps up with: as arithmetic has it, the same at all loads, or not told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nwtsim
from simulator.inputfile import Text
from simulator.report.outcome import answer
from simulator.result.jobs import ArrivalResult, by_job
from simulator.result.record import record_of
from simulator.result.result import Result
from simulator.run import Listener, load_inputs, prepare_run, run_plan
from simulator.saturation import MOST_EVENTS, most_per_s

pytestmark = pytest.mark.compiled

CURVE = "{kind: shared, rate: {1: 50 MB/s, 8: 90 MB/s}}"
QUEUE = "{kind: queue, rate: 100 MB/s}"
RAID = (
    "{kind: array, disks: 4, level: raid5, rate: 100 MB/s, seek: 8 ms, rotation: 8 ms,"
    " capacity: 10 GB, unit: 64 KiB}"
)


def machine(disk: str, tiers: str = "[disk]", more: str = "") -> str:
    return f"""\
format: machine/2
name: q
parts:
  cpu: {{kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}}
  disk: {disk}
{more}filesystems:
  data: {tiers}
"""


def workload(every: str, *, out: int = 64, count: int = 2000, work: str = "read", more: str = ""):
    size = "4 KiB" if work == "write" else "1 MB"
    return f"""\
format: workload/2
name: open
files: {{f: {{size: 10 GB, exists: true, shared: true}}}}
jobs:
  - name: r
    record: {size}
    arrivals: {{every: {every}, distribution: poisson, count: {count}, out: {out}}}
    phases: [{{do: {work}, file: f, size: {size}, order: random}}]
{more}"""


def ran(on: str, job: str) -> Result:
    hears = Listener(lambda _: None, lambda _: None)
    return prepare_run(Text(on, "machine"), Text(job, "workload"), hears=hears).result()


def arrived(on: str, job: str) -> ArrivalResult:
    found = by_job(ran(on, job))[0].arrived
    assert found is not None
    return found


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("disk", "out", "most"),
    [
        (CURVE, 64, 90),
        (CURVE, 1, 50),  # A process at a time has the rate of one.
        (QUEUE, 64, 100),
        ("{kind: queue, rate: 100 MB/s, servers: 3}", 64, 300),
        ("{kind: queue, rate: 100 MB/s, servers: 3}", 2, 200),
    ],
)
def test_one_machine_has_one_largest_rate_whatever_arrives(
    disk: str, out: int, most: float
) -> None:
    for factor in (0.1, 0.9, 1.1):
        found = arrived(machine(disk), workload(f"{1e9 / most / factor:.0f} ns", out=out))
        assert found.most_per_s == pytest.approx(most, rel=0.01)
        assert found.load == pytest.approx(factor, rel=0.01)
        assert found.stable is (factor < 1)


def test_a_rate_below_is_kept_up_with_and_one_above_is_not() -> None:
    on = machine(RAID)
    most = arrived(on, workload("100 ms", work="write", count=4000)).most_per_s
    assert most is not None

    def mean(factor: float, count: int) -> float:
        every = f"{1e9 / most / factor:.0f} ns"
        return arrived(on, workload(every, work="write", count=count)).response.mean_ns

    assert mean(1.25, 4000) > 1.7 * mean(1.25, 2000)  # It grows as long as they come.
    assert mean(0.8, 4000) < 1.3 * mean(0.8, 2000)


def test_an_unstable_load_is_told_with_the_largest_that_is_not() -> None:
    text = answer(ran(machine(CURVE), workload("10 ms")))
    assert "offered load 1.11 of capacity" in text
    assert "the largest stable rate is 90 a second" in text


READER = "  - {name: other, record: 1 MB, phases: [{do: read, file: f, size: 100 MB}]}\n"
PAGES = "stores:\n  pages: {capacity: %s, block: 1 MB}\n"


@pytest.mark.parametrize(
    ("on", "job"),
    [
        (machine(QUEUE), workload("20 ms", more=READER)),
        (machine(QUEUE), workload("20 ms", count=200)),  # 3 for each process
        (machine(QUEUE) + "events: [{part: disk, at: 1 s, repair: 1 s}]\n", workload("20 ms")),
        # A cache that takes in what is never written.
        (
            machine(QUEUE, "[pages, disk]", PAGES % "8 GB"),
            workload("20 ms", work="write"),
        ),
    ],
    ids=["another job", "few arrivals", "events", "write-back"],
)
def test_what_is_not_known_is_not_told(on: str, job: str) -> None:
    result = ran(on, job)
    record = record_of(result)["jobs"]["r"]["arrivals"]
    assert (record["load"], record["stable"], record["most_per_s"]) == (None, None, None)
    assert "offered load" not in answer(result)
    assert "what part of the capacity that is was not found" in answer(result)


def test_sweeps_tell_nothing_of_it() -> None:
    inputs = load_inputs(Text(machine(QUEUE), "m"), Text(workload("20 ms"), "w"))
    found = by_job(run_plan(inputs.plan()))[0].arrived
    assert found is not None
    assert found.load is None


def test_python_and_the_command_tell_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from simulator.cli.main import main

    for name, text in (("m.yaml", machine(CURVE)), ("w.yaml", workload("20 ms"))):
        (tmp_path / name).write_text(text)
    files = str(tmp_path / "m.yaml"), str(tmp_path / "w.yaml")
    assert main(["run", *files, "--no-limits", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["jobs"]["r"]["arrivals"]
    assert told["most_per_s"] == pytest.approx(90, rel=0.01)
    assert nwtsim.run(*files).to_dict()["jobs"]["r"]["arrivals"] == told


def test_a_long_run_of_the_reference_engine_is_not_made_again() -> None:
    hears = Listener(lambda _: None, lambda _: None)
    files = Text(machine(QUEUE), "machine"), Text(workload("20 ms", count=30_000), "workload")
    asked = prepare_run(*files, engine="native", hears=hears)
    result = run_plan(asked.plan)
    assert not result.events * result.slowness > MOST_EVENTS
    result.engine = "reference"
    assert result.slowness == 30

    def never(_: object) -> Result:
        raise AssertionError

    result.events = MOST_EVENTS // 20
    assert most_per_s(asked.plan, result, never) is None
