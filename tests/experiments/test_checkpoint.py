"""Machines of today, and the page about a checkpoint every hour.

Both engines on these machines: ``engines/test_striped_stores.py``.
"""

import functools
import itertools
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from experiments.checkpoint.page import (
    BETWEEN_FAILURES_S,
    REPEATED,
    cells_in,
    computing_s,
    draw,
    filled,
    load_sweeps,
    optimum,
    shown,
    wasted,
)
from simulator.cli.main import main
from simulator.config.formats import load_machine
from simulator.report.plots import png
from simulator.report.sweep import command
from simulator.run import load_plan, run_plan
from simulator.study.grid import Grid, Sweep, make_sweep
from simulator.study.intervals import daly, young
from simulator.study.point import run_point
from simulator.study.sweep import Swept, run_sweep

PAGE = Path(__file__).resolve().parents[2] / "experiments" / "checkpoint" / "README.md"
SWEEPS = load_sweeps()
FEW = (
    ("workload.jobs.*.processes", "6"),
    ("workload.files.*.size", "64 MB"),
    ("workload.jobs.*.record", "4 MB"),
)


# -- the page -------------------------------------------------------------------------------------


@functools.cache
def blocks() -> dict[str, str]:
    """What stands in the page's places for sweeps, by name."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.findall(r"<!-- sweep ([a-z-]+) -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert len(dict(found)) == len(found)
    return dict(found)


def printed(name: str) -> list[list[str]]:
    """The cells of the rows that a sweep of the page has printed."""
    return table(blocks()[name].partition("\n\n")[2])


def rows_of(sweep: Sweep) -> list[dict[str, Any]]:
    rows = []
    for point, values in zip(
        Grid(sweep).points(), itertools.product(*(axis.texts for axis in sweep.axes)), strict=True
    ):
        named = dict(zip((axis.name for axis in sweep.axes), values, strict=True))
        rows.append({**named, **run_point(point)})
    return rows


def test_the_page_shows_every_sweep_and_its_command() -> None:
    assert set(blocks()) == {*SWEEPS, "optimum"}
    for name, sweep in SWEEPS.items():
        assert blocks()[name].splitlines()[0] == f"`{command(sweep)}`"
        assert [row[: len(sweep.axes)] for row in printed(name)] == [
            list(values) for values in itertools.product(*(axis.texts for axis in sweep.axes))
        ]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Swept]:
    """Every sweep of the page, with few clients and little data."""
    folder, done = tmp_path_factory.mktemp("small"), {}
    for name, sweep in SWEEPS.items():
        fixed = [*sweep.settings, ("workload.jobs.*.processes", "2"), FEW[1]]
        vary = [(axis.name, ",".join(axis.texts)) for axis in sweep.axes]
        made = make_sweep(sweep.machine, sweep.workload, vary=vary, settings=fixed)
        done[name] = run_sweep(made, folder / name, versions={}, jobs=1)
    return done


@pytest.mark.few(4)
@pytest.mark.parametrize("name", SWEEPS)
def test_every_sweep_runs_at_small_scale(name: str, small: dict[str, Swept]) -> None:
    assert all(row["read_s"] + row["write_s"] > 0 for row in small[name].rows)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("unit-lustre", ["32 MB"]),
        ("unit-burst", ["8 MB"]),
        ("start", ["[eager]", "126 GB"]),
        ("share-burst", ["8 MB"]),
        ("prestage", ["true", "42 GB"]),
        ("read-ahead", ["32 MB"]),
        ("interval-burst", ["1 h"]),
    ],
)
def test_rows_of_the_page_are_fresh(name: str, values: list[str]) -> None:
    """The rows that take least."""
    sweep = SWEEPS[name]
    vary = [(axis.name, value) for axis, value in zip(sweep.axes, values, strict=True)]
    again = make_sweep(
        sweep.machine, sweep.workload, vary=vary, settings=sweep.settings, seed=sweep.seed
    )
    rows = rows_of(again)
    fresh = table(shown(Swept(again, {}, tuple(rows), 0)).partition("\n\n")[2])
    assert fresh == [row for row in printed(name) if row[: len(values)] == values]
    # Where the SSU's lesson does not hold: nothing of what slowed the NWT happens.
    assert [rows[0][one] for one in ("rewrites_waited", "read_back", "released")] == [0, 0, 0]


def test_the_disks_of_the_scratch_have_the_rate_that_they_were_calibrated_on() -> None:
    """20 of 248 targets, 700 GB/s in all; requests of 4 MB that do not continue the last."""
    machine = load_machine("lustre-scratch")
    disk: Any = machine.parts["ost"]
    seconds = 4e6 / disk.rate.write + disk.seek / 1e9
    groups = machine.nodes["oss"].count * disk.count
    assert groups * 4e6 / seconds == pytest.approx(700e9 * 20 / 248, rel=0.01)
    # Those that do continue it cost no seek, so that a checkpoint is written a little faster.
    rates = {row[0]: float(row[2].replace(",", "")) for row in printed("share-lustre")}
    assert 1 < rates["1.6 %"] * 1e6 / (700e9 * 20 / 248) < 1.2


def test_a_command_prints_what_the_page_would_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    vary = [("flash.block", "4 MB,8 MB")]
    sweep = make_sweep("burst-buffer", "checkpoint-hourly", vary=vary, settings=FEW)
    swept = run_sweep(sweep, tmp_path / "other", versions={}, jobs=1)
    line, _, shows = shown(swept).partition("\n\n")
    words = shlex.split(line.strip("`").removeprefix("nwtsim "))
    assert main([*words, "--out", "here"]) == 0
    assert cells_in(capsys.readouterr().out)[1:] == table(shows)
    assert "| lost % |" in shows


# -- figures of a sweep --------------------------------------------------------------------------


def test_the_columns_of_waiting_by_hand() -> None:
    clients = 60
    settings = [*FEW[1:], ("clients", str(clients)), ("workload.jobs.0.phases.0.time", "1 s")]
    plan = load_plan("burst-buffer", "checkpoint-interval", settings=settings)
    result = run_plan(plan)
    writing = [one.write.calls_ns for one in result.processes]
    assert min(writing) < max(writing)
    total = sum(writing)
    assert result.mean_calls_ns("write") == round(total / clients)
    assert result.mean_calls_ns("read") == 0
    assert result.lost() == pytest.approx(total / (total + clients * 2e9), rel=1e-9)


def test_only_the_masters_of_parallel_jobs_count() -> None:
    settings = [*FEW[1:], ("workload.jobs.*.nodes", "4"), ("clients", "1")]
    plan = load_plan("burst-buffer", "checkpoint-interval", settings=settings)
    result = run_plan(plan)
    assert len(result.processes) == 4
    master = result.processes[0]
    assert result.mean_calls_ns("write") == master.write.calls_ns
    assert result.lost() == pytest.approx(1 - 7200e9 / master.elapsed_ns, rel=1e-9)


# -- the interval ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cost", [1.0, 30.0, 70.0, 600.0])
@pytest.mark.parametrize("between", [3600.0, 86_400.0])
def test_daly_finds_the_least_waste(cost: float, between: float) -> None:
    best = daly(cost, between)
    least = wasted(best, cost, 60, between)
    for near in (0.9, 0.97, 1.03, 1.1):
        assert wasted(near * best, cost, 60, between) > least
    assert best < young(cost, between)


def test_daly_gives_the_time_between_failures_if_a_checkpoint_takes_longer() -> None:
    assert daly(200, 100) == 100


@pytest.mark.parametrize("machine", ["lustre-scratch", "burst-buffer"])
def test_the_simulated_cost_has_its_least_where_daly_says(machine: str, tmp_path: Path) -> None:
    """On a grid: at the interval next to Daly's, in proportion."""
    vary = [("workload.jobs.0.phases.0.time", "250 ms..8 s x2")]
    sweep = make_sweep(machine, "checkpoint-interval", vary=vary, settings=FEW)
    between = 20.0
    lost, best = {}, 0.0
    for row in run_sweep(sweep, tmp_path, versions={}, jobs=1).rows:
        computing, cost = computing_s(row), row["write_s"] / REPEATED
        assert row["lost_percent"] / 100 == pytest.approx(cost / (computing + cost), rel=1e-5)
        lost[computing] = wasted(computing, cost, cost, between)
        best = daly(cost, between)
    assert 0.5 < best < 4
    nearest = min(lost, key=lambda one: max(one / best, best / one))
    assert min(lost, key=lost.__getitem__) == nearest


def test_the_least_on_the_page_is_next_to_its_daly() -> None:
    seconds = {"900 s": 900, "1800 s": 1800, "1 h": 3600, "2 h": 7200, "4 h": 14400}
    points, bests = (table(part) for part in blocks()["optimum"].split("\n\n"))
    assert len(bests) == 2
    for machine, cost, restart, _, best in bests:
        own = {row[1]: number(row[4]) for row in points if row[0] == machine}
        assert set(own) == set(seconds)
        for text, lost in own.items():
            again = wasted(seconds[text], number(cost), number(restart), BETWEEN_FAILURES_S)
            assert 100 * again == pytest.approx(lost, abs=0.01)
        ratios = {text: seconds[text] / number(best) for text in own}
        nearest = min(own, key=lambda text: max(ratios[text], 1 / ratios[text]))
        assert min(own, key=own.__getitem__) == nearest


def table(text: str) -> list[list[str]]:
    """The rows of a table in Markdown, without its head."""
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines()[2:]]


def number(cell: str) -> float:
    return float(cell.split(maxsplit=1)[0])


@pytest.mark.slow
def test_the_page_and_the_picture_are_made_of_the_sweeps(small: dict[str, Swept]) -> None:
    table = optimum(small)
    assert table.count("\n| lustre-scratch |") == 6
    page = filled("a\n<!-- sweep optimum -->\n<!-- end -->\nb\n", {"optimum": table})
    assert page == f"a\n<!-- sweep optimum -->\n{table}<!-- end -->\nb\n"
    assert png(draw(small)) == png(draw(small))
