"""Replications that are made: of a run, of points of a sweep; in parts, interrupted, in Python."""

import json
from pathlib import Path

import pytest

import nwtsim
from simulator.cli.main import main
from simulator.plan.drawn import varies
from simulator.plan.errors import SimulationError
from simulator.run import load_plan
from simulator.study import repetition as module
from simulator.study.grid import Grid, Sweep, make_sweep
from simulator.study.point import run_point
from simulator.study.repeated import Repeated
from simulator.study.repetition import repeat
from simulator.study.replications import Replicated, Replications, seed_of

SMALL = [("workload.files.input.size", "8 MB")]
SET = ["--set", "workload.files.input.size=8 MB"]
NOISY = ("nwt", "test-read")
SWEEP = ["sweep", *NOISY, *SET, "--vary", "buffer=1 MB,8 MB", "--no-plot", "--replications", "5"]
READ = """
format: workload/2
name: reads
files: {input: {size: 4 MB, exists: true}}
jobs:
  - {name: reader, record: 64 kB, SKEW, phases: [{do: read, file: input, order: ORDER}]}
"""


def ran(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(words) == code, capsys.readouterr().err
    return capsys.readouterr().out


def test_each_replication_is_the_run_with_its_seed(capsys):
    found = json.loads(
        ran(["run", *NOISY, *SET, "--replications", "4", "--format", "json"], capsys)
    )["replications"]
    assert (found["runs"], found["varies"], found["confidence"]) == (4, True, 0.95)
    assert found["seeds"] == [seed_of(1, one) for one in range(4)]
    one = found["figures"]["elapsed_s"]
    for seed, value in zip(found["seeds"], one["values"], strict=True):
        assert nwtsim.run(*NOISY, dict(SMALL), seed=seed).elapsed_s == value
    expected = Replicated(tuple(one["values"]))
    assert (one["low"], one["high"]) == expected.interval
    assert one["median_low"] is None  # Four runs are too few for one at 95 %.


def test_table_and_columns_of_a_run(capsys):
    words = ["run", *NOISY, *SET, "--replications", "6", "--no-limits"]
    table = ran(words, capsys)
    assert "From run to run" in table
    assert "6 runs with seeds that follow from seed 1" in table
    head, row, *_ = ran([*words, "--format", "csv"], capsys).splitlines()
    cells = dict(zip(head.split(","), row.split(","), strict=True))
    assert cells["replications"] == "6"
    low, mean, high = (float(cells[f"elapsed_{end}_s"]) for end in ("low", "mean", "high"))
    assert low < mean < high


def test_first_lines_say_that_noise_is_left_out(capsys, tmp_path):
    """Of a machine that states some; a seed, varied or not, takes the sentence away."""
    words = ["sweep", *NOISY, *SET, "--no-plot", "--vary"]
    told = "No seed: the noise that the machine states is left out (--seed: "
    out = ["--out", str(tmp_path / "one")]
    assert ran([*words, "paths.servers=4", *out], capsys).startswith(told)
    out = ["--out", str(tmp_path / "two")]
    assert "No seed" not in ran([*words, "paths.servers=4", *out, "--seed", "1"], capsys)
    out = ["--out", str(tmp_path / "three")]
    assert "No seed" not in ran([*words, "seed=1,2", *out], capsys)
    plain = [
        "sweep",
        "workstation",
        "copy-file",
        "--no-plot",
        "--vary",
        "disk.rate=40 MB/s,80 MB/s",
    ]
    assert "No seed" not in ran([*plain, "--out", str(tmp_path / "four")], capsys)


def test_machine_without_noise_says_so_and_runs_once(capsys):
    words = ["run", "workstation", "copy-file", "--replications", "50", "--no-limits"]
    assert "runs do not vary, and one was made" in ran(words, capsys)
    found = nwtsim.run("workstation", "copy-file", replications=50)
    assert found.to_dict()["replications"]["runs"] == 1
    assert found.replicated["elapsed_s"].meets(1e9, "at most").holds


@pytest.mark.parametrize(
    ("skew", "order", "drawn"),
    [("0 s", "sequential", False), ("1 s", "sequential", True), ("0 s", "random", True)],
)
def test_what_is_drawn_into_a_plan_counts_as_variation(skew, order, drawn):
    text = READ.replace("SKEW", f"skew: {skew}").replace("ORDER", order)
    source = nwtsim.load_workload(text).source
    assert varies(*(load_plan("workstation", source, seed=one) for one in (1, 2))) == drawn


def test_sweep_has_intervals_and_the_same_draws_at_every_point(tmp_path, capsys):
    text = ran([*SWEEP, "--out", str(tmp_path / "a")], capsys)
    assert "Means of 5 runs with seeds that follow from seed 1, ± half of the 95 %" in text
    rows = json.loads((tmp_path / "a" / "points.json").read_text())
    for row, buffer in zip(rows, ("1 MB", "8 MB"), strict=True):
        times = [
            nwtsim.run(*NOISY, dict(SMALL), buffer=buffer, seed=seed_of(1, one)).elapsed_s
            for one in range(5)
        ]
        low, high = Replicated(tuple(times)).interval
        assert row["elapsed_s"] == pytest.approx(sum(times) / 5)
        assert (row["elapsed_low_s"], row["elapsed_high_s"]) == pytest.approx((low, high))
        assert (row["replications"], row["narrow"]) == (5, None)


@pytest.mark.slow
def test_plot_of_a_replicated_sweep_has_its_intervals(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    lines = []
    for more in ([], ["--seed", "1"]):
        words = [one for one in SWEEP if one != "--no-plot"]
        words = words[:-2] + more if more else words  # The second one has a run for each point.
        ran([*words, "--out", str(tmp_path / f"a{len(more)}")], capsys)
        lines.append((tmp_path / f"a{len(more)}" / "plot.svg").read_text().count("<path"))
    assert lines[0] > lines[1]


def test_parts_of_a_replicated_sweep_merge_to_the_whole(tmp_path, capsys):
    ran([*SWEEP, "--out", str(tmp_path / "whole")], capsys)
    parts = [str(tmp_path / f"part{one}") for one in (1, 2)]
    for one, part in enumerate(parts, 1):
        ran([*SWEEP, "--shard", f"{one}/2", "--out", part], capsys)
    ran(["sweep", "--merge", *parts, "--no-plot", "--out", str(tmp_path / "both")], capsys)
    for name in ("points.csv", "points.json", "sweep.json"):
        assert (tmp_path / "both" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_another_number_of_replications_is_another_sweep(tmp_path, capsys):
    ran([*SWEEP, "--out", str(tmp_path / "a")], capsys)
    assert "(0 run now)" in ran([*SWEEP, "--out", str(tmp_path / "a")], capsys)
    assert main([*SWEEP[:-1], "6", "--out", str(tmp_path / "a")]) == 2
    assert "differs in its replications" in capsys.readouterr().err


def test_auto_stops_as_soon_as_intervals_are_narrow_and_says_when_they_are_not(capsys):
    words = ["run", *NOISY, *SET, "--no-limits", "--format", "json", "--replications"]
    wide = json.loads(ran([*words, "auto", "--precision", "20 %"], capsys))["replications"]
    assert (wide["runs"], wide["narrow"]) == (8, True)
    narrow = json.loads(ran([*words, "auto:16", "--precision", "0.01 %"], capsys))["replications"]
    assert (narrow["runs"], narrow["narrow"]) == (16, False)
    table = ran([*words[:-3], "--replications", "auto:16", "--precision", "0.01 %"], capsys)
    assert "not all intervals are within 0.01 %" in " ".join(table.split())


@pytest.mark.parametrize("jobs", [1, 2])
def test_number_of_processes_changes_nothing(jobs):
    sweep = Sweep(*NOISY, tuple(SMALL), (), 7)
    found = repeat(sweep, Replications(40), jobs=jobs, progress=False)
    point = Grid(make_sweep(*NOISY, vary=[("seed", str(seed_of(7, 39)))], settings=SMALL)).point(0)
    assert len(found.rows) == 40
    assert found.rows[39]["elapsed_ns"] == run_point(point)["elapsed_ns"]


def test_interrupt_keeps_the_first_ones(monkeypatch, capsys):
    made = module._rows

    def some(*arguments):
        for number, row in enumerate(made(*arguments)):
            if number == 3:
                raise KeyboardInterrupt
            yield row

    monkeypatch.setattr(module, "_rows", some)
    out = ran(["run", *NOISY, *SET, "--replications", "9", "--no-limits"], capsys, code=130)
    assert "Interrupted: 9 were asked for; these are the first 3." in out


def test_interrupt_in_python_is_one(monkeypatch):
    def ends(*_: object) -> None:
        yield {}
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_rows", ends)
    with pytest.raises(KeyboardInterrupt):
        nwtsim.run(*NOISY, dict(SMALL), replications=9)


def test_figure_that_a_run_lacks_has_no_interval():
    rows = [{"job_mean_ms": None}, {"job_mean_ms": 1.0}]
    assert Repeated(Replications(2), rows).figure("job_mean_ms") is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--replications", "0"], "--replications '0' is no number of them"),
        (["--confidence", "95 %"], "--confidence is about --replications"),
        (["--replications", "5", "--precision", "1 %"], "--precision says when auto stops"),
        (["--jobs", "2"], "--jobs is about --replications"),
    ],
)
def test_what_does_not_fit_together_is_refused(words, said, capsys):
    assert main(["run", *NOISY, *words]) == 2
    assert said in capsys.readouterr().err


def test_seeds_are_varied_once(capsys, tmp_path: Path):
    words = ["sweep", *NOISY, "--vary", "seed=1,2", "--replications", "3", "--out", str(tmp_path)]
    assert main(words) == 2
    assert "--replications vary it too" in capsys.readouterr().err


def test_mistake_of_a_replication_names_the_point(monkeypatch):
    sweep = make_sweep(*NOISY, vary=[("buffer", "1 MB")], replications=Replications(2))

    def fails(*_: object, **__: object) -> None:
        raise SimulationError("no end")

    monkeypatch.setattr("simulator.study.point._run", fails)
    with pytest.raises(SimulationError, match="at the point buffer=1 MB: no end"):
        run_point(Grid(sweep).point(0))
