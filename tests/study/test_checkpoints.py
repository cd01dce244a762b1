"""The interval between checkpoints: formulas, runs against a twin and theory, and the command."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.mixing import mix
from simulator.native.run import run_native
from simulator.plan.restarts import FailureTimes, RestartPlan, key_of
from simulator.study.intervals import Costs, daly, expected, optimum_of, young
from simulator.study.replications import Replicated, seed_of
from tests.reference.runs import both, planned

S = 10**9
MACHINE = """
parts:
  cpu: {kind: cpu, copy_rate: 4000 PB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  disk: {kind: disk, rate: 100 MB/s}
filesystems: {fs: [disk]}
"""
JOBS = """
files: {state: {size: 100 MB}}
jobs:
  - name: job
    record: %s
    policy: posix
    repeat: 40
    restart: {mtbf: %s, delay: 5 s}
    phases: [{do: compute, time: 10 s}, {do: write, file: state}]
"""
COSTS = Costs(checkpoint_ns=S, delay_ns=5 * S, reading_ns=S)


# -- the twin, and Daly's model -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_engines_take_as_long_as_a_naive_twin(seed: int) -> None:
    """A call takes 10 us, and ends up to that much after a failure; that is all they differ by."""
    plan = planned(MACHINE, JOBS % ("1 kB", "60 s"), seed=seed)
    result = run_native(plan)
    (restart,) = result.restarts
    times = FailureTimes(plan.restarts[0], key_of(plan, plan.restarts[0]))
    twin = COSTS.elapsed_ns(times, 40, 10 * S)
    assert restart.failures > 2
    assert 0 <= result.elapsed_ns - twin <= restart.failures * 10_000


def test_both_engines_draw_the_same_failures() -> None:
    (restart,) = both(planned(MACHINE, JOBS % ("10 MB", "60 s"), seed=3)).restarts
    assert restart.failures > 2


def test_the_mean_time_is_that_of_daly() -> None:
    """M e^(R/M) (e^((t + C)/M) - 1) for each interval; 400 runs of 40, M = 60 s.

    The first interval reads no checkpoint back, as Daly's does not know: R is the mean of both.
    """
    mean = 60.0
    plan = planned(MACHINE, JOBS % ("10 MB", "60 s"))
    key = key_of(plan, plan.restarts[0])
    times = [
        COSTS.elapsed_ns(FailureTimes(plan.restarts[0], mix(key, number)), 40, 10 * S) / S
        for number in range(400)
    ]
    wanted = 39 * expected(10, 1, 6, mean) + expected(10, 1, 5, mean)
    low, high = Replicated(tuple(times), 0.999).interval or (0, 0)
    assert low < wanted < high
    assert high - low < 0.05 * wanted


def test_whole_runs_take_the_mean_time_of_daly() -> None:
    """The same in the engine, with calls of 10 us."""
    times = []
    for number in range(60):
        plan = planned(MACHINE, JOBS % ("100 kB", "60 s"), seed=seed_of(1, number))
        times.append(run_native(plan).elapsed_ns / S)
    wanted = 39 * expected(10, 1, 6, 60) + expected(10, 1, 5, 60)
    low, high = Replicated(tuple(times), 0.999).interval or (0, 0)
    assert low < wanted < high


# -- the optimum ----------------------------------------------------------------------------------


def least_by_daly(cost: float, mean: float) -> float:
    """The least of Daly's mean time over the interval, by bisection of its slope."""
    low, high = 0.0, 50 * mean
    for _ in range(200):
        middle = (low + high) / 2
        x = middle / mean
        slope = math.exp(x + cost / mean) * (x - 1) + 1
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low


@pytest.mark.parametrize(("cost", "mean"), [(60, 21_600), (600, 21_600), (3000, 21_600)])
def test_formulas_come_near_the_least_time(cost: float, mean: float) -> None:
    least = least_by_daly(cost, mean)
    assert daly(cost, mean) == pytest.approx(least, rel=0.005)
    assert abs(young(cost, mean) / least - 1) > abs(daly(cost, mean) / least - 1)
    for near in (0.9, 1.1):
        per = [expected(one, cost, 60, mean) / one for one in (least, near * least)]
        assert per[0] < per[1]


def times_at(
    intervals: list[tuple[int, int]], mean: int, costs: Costs, seed: int, runs: int
) -> Iterator[list[int]]:
    plan = RestartPlan(job="j", processes=1, mean_ns=mean)
    for run in range(runs):
        yield [
            costs.elapsed_ns(FailureTimes(plan, mix(seed, run)), rounds, interval)
            for interval, rounds in intervals
        ]


def test_the_interval_of_the_optimum_holds_it() -> None:
    """95 % of 300 studies: 285, and 2.5 deviations (3.8) less or more."""
    mean, costs = 21_600 * S, Costs(60 * S, 300 * S, 60 * S)
    least = least_by_daly(60, 21_600) * S
    middle, work = daly(60 * S, mean), 10 * mean
    rounds = [round(work / (middle * 2 ** (step / 3))) for step in range(-3, 4)]
    intervals = [(work // one, one) for one in rounds]
    held, widths = 0, []
    for seed in range(300):
        times = [*times_at(intervals, mean, costs, seed, 8)]
        found = optimum_of([one for one, _ in intervals], times, mean)
        assert found is not None
        held += found.low_ns <= least <= found.high_ns
        widths.append(found.high_ns - found.low_ns)
    assert 275 <= held <= 295
    assert median(widths) < 0.5 * least


def test_times_of_the_model_have_its_optimum() -> None:
    mean, cost = 1000.0 * S, 20.0 * S
    intervals = [int(step * 50 * S) for step in range(2, 9)]
    row = [expected(one, cost, cost, mean) / one * 1e6 * S for one in intervals]
    found = optimum_of(intervals, [row, row], mean)
    assert found is not None
    assert found.interval_ns == pytest.approx(least_by_daly(20, 1000) * S, rel=1e-6)
    assert found.low_ns == pytest.approx(found.high_ns)
    # One replication bounds nothing, and times that only fall have no least.
    (alone, falling) = optimum_of(intervals, [row], mean), [float(-one) for one in intervals]
    assert alone is not None
    assert (alone.low_ns, alone.high_ns) == (0, math.inf)
    assert optimum_of(intervals, [falling, falling], mean) is None


# -- the command ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    names = []
    for noun, text in (("machine", MACHINE), ("workload", JOBS % ("10 MB", "1000 s"))):
        path = tmp_path / f"{noun}.yaml"
        path.write_text(f"format: {noun}/2\nname: {noun}\ntitle: t\n{text}", encoding="utf-8")
        names.append(str(path))
    return names


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["checkpoint", *words, "--no-progress"]) == 0
    return capsys.readouterr().out


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    found = json.loads(ran(capsys, *words, "--format", "json"))
    assert isinstance(found, dict)
    return found


def test_costs_are_measured_and_the_optimum_is_near(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = answered(capsys, *files, "--seed", "3")
    costs = [found[f"{name}_ns"] for name in ("checkpoint", "delay", "reading")]
    assert costs == [S, 5 * S, S]
    by = {one["by"]: one for one in found["intervals"]}
    assert by["Young 1974"]["interval_ns"] == pytest.approx(math.sqrt(2 * 1000) * S)
    assert by["Daly 2006"]["interval_ns"] == pytest.approx(daly(1, 1000) * S)
    assert by["the workload"]["interval_ns"] == 10 * S
    best = by["simulated"]
    assert best["low_ns"] < least_by_daly(1, 1000) * S < best["high_ns"]
    assert found["whole_runs"] is True
    assert len(found["tried"]) == 7
    for one in found["tried"]:
        assert one["efficiency"] == pytest.approx(one["expected"], rel=0.02)


def test_measured_costs_stand_in_for_whole_runs(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """They differ by the ends of calls, of 0.1 s: less than that for each of about 20 failures."""
    few = ("--replications", "3", "--work", "9000 s")
    whole, costs = (answered(capsys, *files, *few, how) for how in ("--whole", "--no-whole"))
    assert (whole["whole_runs"], costs["whole_runs"]) == (True, False)
    for one, other in zip(whole["tried"], costs["tried"], strict=True):
        assert one["elapsed_ns"] == pytest.approx(other["elapsed_ns"], abs=2 * S)


def test_formulas_alone_print_nothing_that_was_not_simulated(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = ran(capsys, *files, "--replications", "0")
    assert "Daly: compute 44.1 s between checkpoints" in text
    assert "imulated" not in text
    assert "tried" not in answered(capsys, *files, "--replications", "0")
    rows = [*csv.DictReader(io.StringIO(ran(capsys, *files, "--format", "csv")))]
    assert [row["by"] for row in rows][:4] == [
        "simulated",
        "Young 1974",
        "Daly 2006",
        "the workload",
    ]
    assert len(rows) == 4 + 7


def test_same_seed_same_answer_with_any_number_of_processes(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    few = (*files, "--replications", "2", "--work", "4000 s")
    assert ran(capsys, *few, "--jobs", "1") == ran(capsys, *few, "--jobs", "2")
    assert ran(capsys, *few) != ran(capsys, *few, "--seed", "2")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mtbf", "1 s"], "job fails every 1.00 s (1 node), and a checkpoint takes 1.00 s"),
        (["--job", "jib"], "no such job; did you mean 'job'?"),
        (["--work", "50 s"], "are too few intervals of 44.1 s to compare; write"),
        (["--mtbf", "0 s"], "is no time to wait; write it like '1000 h'"),
        (["--set", "workload.jobs.0.phases.0.time=0 s"], "job computes nothing between its"),
        (
            ["--set", "disk.rate=4000 PB/s"],
            "a checkpoint of job takes no time beside its computing",
        ),
    ],
)
def test_what_has_no_interval_is_refused(
    files: list[str], capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["checkpoint", *files, *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_job_without_restart_needs_the_time_between_failures(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path(files[1]).read_text(encoding="utf-8")
    gone = text.replace("    restart: {mtbf: 1000 s, delay: 5 s}\n", "")
    Path(files[1]).write_text(gone, encoding="utf-8")
    assert main(["checkpoint", *files]) == 2
    assert "Add --mtbf '1000 h', of one node" in " ".join(capsys.readouterr().err.split())
    found = answered(capsys, *files, "--mtbf", "1000 s", "--replications", "0")
    assert (found["delay_ns"], found["reading_ns"]) == (0, S)
    # No phase writes a checkpoint: the file says so.
    Path(files[1]).write_text(gone.replace(", {do: write, file: state}", ""), encoding="utf-8")
    assert main(["checkpoint", *files, "--mtbf", "1000 s"]) == 2
    assert "has no checkpoint, since no phase writes" in capsys.readouterr().err
