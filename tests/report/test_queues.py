"""What is said of the jobs of a queue, beside a calculator."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any
from xml.etree import ElementTree

import pytest

from simulator.cli.main import main
from simulator.inputfile import Text
from simulator.native import column_cache
from simulator.plan.plan import Plan
from simulator.report.html.queues import gantt
from simulator.report.outcome import Outcome
from simulator.report.queues import QueueReport, queue_reports
from simulator.report.report import written
from simulator.result.result import Result
from simulator.result.totals import totals_of
from simulator.run import load_plan, run_plan, run_totals
from tests.config.queue_texts import LOG, machine, plan_of, row, workload

SECOND, HOUR = 10**9, 3600 * 10**9
JOBS = (
    "name: small, submit: {every: 10 min, count: 40}, record: 1 MB, stage_in: fetch, user: ann,"
    " phases: [{do: compute, time: 1 h, spread: exponential}, {do: write, file: o}]",
    "name: big, submit: {every: 2 h, count: 6, distribution: fixed}, processes: 3, user: ben,"
    " phases: [{do: compute, time: 3 h}, {do: barrier}]",
    "name: fetch, on: fe, record: 1 MB, phases: [{do: read, file: f}]",
)
OFF = "{backfill: easy, off: [{at: 5 h, lasts: 2 h, every: 1 d, until: 9 d, nodes: 1}]}"


def p95(values: Sequence[float]) -> float:
    """The least value that 95 % do not exceed."""
    return next(x for x in sorted(values) if sum(y <= x for y in values) >= 0.95 * len(values))


@pytest.fixture(scope="module")
def ran() -> tuple[Plan, Result, QueueReport]:
    plan = plan_of(machine(OFF), *JOBS)
    result = run_plan(plan, debug=True)
    (report,) = queue_reports(plan, result)
    return plan, result, report


def rows_by(ran: tuple[Plan, Result, QueueReport]) -> list[dict[str, Any]]:
    """The jobs of the run, from the processes of the result alone."""
    plan, result, _ = ran
    (queue,) = plan.queues
    of = {one.name: one for one in result.processes}
    found = []
    for job in queue.jobs:
        mine = plan.processes[job.first : job.first + job.count]
        times = [of[one.name] for one in mine]
        start, end = times[0].started_ns, max(one.ended_ns for one in times)
        wait, run = start - job.submit_ns, end - start
        slow = max(1.0, (wait + run) / max(run, 10 * SECOND))
        named = {"class": mine[0].job, "nodes": job.nodes, "start": start, "end": end}
        found.append({**named, "submit": job.submit_ns, "wait": wait, "run": run, "slow": slow})
    return found


def test_the_table_of_classes(ran: tuple[Plan, Result, QueueReport]) -> None:
    rows, report = rows_by(ran), ran[2]
    table = next(iter(report.tables()))
    whole = sum(one["nodes"] * one["run"] for one in rows)
    for name, cells in [("small", table.rows[0]), ("big", table.rows[1]), ("all", table.foot)]:
        some = [one for one in rows if name in (one["class"], "all")]
        waits, slow = [one["wait"] for one in some], [one["slow"] for one in some]
        expected = [
            *(name, len(some), fmean(one["nodes"] for one in some)),
            *(fmean(one["run"] for one in some), fmean(waits), p95(waits), max(waits), None),
            *(fmean(slow), p95(slow), sum(one["nodes"] * one["run"] for one in some) / whole),
        ]
        assert cells[0] == name
        for found, wanted in zip(cells[1:11], expected[1:], strict=True):
            assert found == (None if wanted is None else pytest.approx(wanted, abs=1))
    assert table.rows[1][11] == 0  # None of big is held: it has no data.


def test_the_record_and_the_sentence(ran: tuple[Plan, Result, QueueReport]) -> None:
    rows, report = rows_by(ran), ran[2]
    record = json.loads(written("json", Outcome(ran[0], ran[1])))["queues"]["node"]
    begin, end = min(one["submit"] for one in rows), max(one["end"] for one in rows)
    off = sum(max(0, min(end, at + 2 * HOUR) - at) for at in range(5 * HOUR, end, 24 * HOUR))
    used = sum(one["nodes"] * one["run"] for one in rows)
    assert (record["order"], record["backfill"]) == ("fcfs", "easy")
    assert record["node_ns"] == used
    assert record["on_ns"] == 4 * (end - begin) - 3 * off
    assert record["utilisation"] == pytest.approx(used / record["on_ns"])
    waits = [one["wait"] for one in rows]
    assert record["mean_wait_ns"] == pytest.approx(fmean(waits))
    assert record["mean_waiting"] == pytest.approx(sum(waits) / (end - begin))
    jobs = record["jobs"]
    assert jobs["start_ns"] == [one["start"] for one in rows]
    assert jobs["end_ns"] == [one["end"] for one in rows]
    assert jobs["user"] == ["ann"] * 40 + ["ben"] * 6
    said = report.sentence()
    assert said.startswith("queue node: 46 jobs; ")
    assert f"{100 * used / record['on_ns']:.1f} % of the node-time was used" in said
    assert f"mean {fmean(waits) / HOUR:.2f} h" in said
    assert f"longest {max(waits) / HOUR:.1f} h" in said


def test_curves_have_the_same_areas(ran: tuple[Plan, Result, QueueReport]) -> None:
    rows, report = rows_by(ran), ran[2]
    begin, end = report.span
    step = -(-(end - begin) // 240)
    for points, area in (
        (report.in_use(), sum(one["nodes"] * one["run"] for one in rows)),
        (report.waiting(), sum(one["wait"] for one in rows)),
    ):
        widths = [min(step, end - begin - number * step) for number in range(len(points))]
        assert sum(width * y for width, (_, y) in zip(widths, points, strict=True)) == (
            pytest.approx(area)
        )


def test_the_chart_has_a_rectangle_for_each_run_of_nodes(
    ran: tuple[Plan, Result, QueueReport],
) -> None:
    report = ran[2]
    tree = ElementTree.fromstring(f"<r>{gantt(report)}</r>")
    drawn = [one for one in tree.iter() if one.tag.endswith("rect")]
    area = sum(float(one.attrib["height"]) for one in drawn) / 260 * 4
    assert area == pytest.approx(sum(one["nodes"] for one in rows_by(ran)), rel=0.01)
    begin, end = report.span
    for one in drawn:
        x, width = float(one.attrib["x"]), float(one.attrib["width"])
        assert -0.01 <= x <= x + width <= 1000.5
        off = (5 * HOUR - begin) / (end - begin) * 1000, (7 * HOUR - begin) / (end - begin) * 1000
        assert x >= off[1] - 0.02 or x + width <= off[0] + 0.02 or float(one.attrib["y"]) == 0


def test_jobs_that_end_together_and_take_no_time() -> None:
    """Nothing is divided by zero: all at 0, none of which takes time."""
    plan = plan_of(
        machine(), "name: a, submit: {at: [0 s, 0 s]}, phases: [{do: compute, time: 0 s}]"
    )
    result = run_plan(plan, debug=True)
    (report,) = queue_reports(plan, result)
    assert "waits: mean 0 s" in report.sentence()
    assert list(report.pictures()) == []
    assert report.record()["utilisation"] is None
    assert "queue node: 2 jobs" in written("table", Outcome(plan, result))


def test_held_for_data() -> None:
    """Jobs for which nodes are free are held while 10 MB are read at 100 MB/s in 10 calls."""
    stage = "name: s, on: fe, record: 1 MB, phases: [{do: read, file: f}]"
    job = "name: a, submit: {at: [0 s, 1 h]}, stage_in: s, phases: [{do: compute, time: 1 s}]"
    for hold, held in (("", 2), ("hold: false, ", 0)):
        plan = plan_of(machine(), f"{hold}{job}", stage)
        result = run_plan(plan, debug=True)
        (report,) = queue_reports(plan, result)
        assert report.all.held == held
        assert max(report.all.waits) == (102_020_000 if held else 0)


def test_users_have_a_table_if_they_are_not_the_classes(tmp_path: Path) -> None:
    text = "".join(row(at, 100, 1 + at % 2, user=at % 3) for at in range(30))
    (tmp_path / "x.swf").write_text(text, "ascii")
    job = f"name: a, log: {tmp_path / 'x.swf'}, phases: [{{do: compute, of_run: 100 %}}]"
    plan = plan_of(machine(), job)
    (report,) = queue_reports(plan, run_plan(plan))
    _, users = report.tables()
    assert sorted(one[0] for one in users.rows) == ["user0", "user1", "user2"]
    assert sum(one[1] for one in users.rows) == 30
    assert [one[10] for one in users.rows] == sorted((one[10] for one in users.rows), reverse=True)
    assert report.all.row(1)[7] == 5 * SECOND  # By the log.


# -- commands -------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "m.yaml").write_text(machine(OFF), "utf-8")
    (tmp_path / "w.yaml").write_text(workload(*JOBS), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


BACKFILL = "machine.nodes.node.queue.backfill"
COMMANDS = [
    "run m.yaml w.yaml --full",
    "run m.yaml w.yaml --html run.html",
    "run m.yaml w.yaml --format csv",
    "run m.yaml w.yaml --replications 3 --seed 2",
    f"compare m.yaml w.yaml --b-set {BACKFILL}=none",
    f"sweep m.yaml w.yaml --vary {BACKFILL}=none,easy,conservative --out out --no-plot",
    "advise m.yaml w.yaml",
    "uncertainty m.yaml w.yaml --points 8 --replications 2",
    "show m.yaml --full",
    "check m.yaml w.yaml",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_with_queues(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(command.split()) == 0
    told = capsys.readouterr()
    assert "Traceback" not in told.err + told.out
    assert "service times do not vary" not in told.out
    if command.endswith("run.html"):
        page = (files / "run.html").read_text("utf-8")
        assert "Nodes of node" in page


def test_a_sweep_has_the_times_of_jobs(files: Path) -> None:
    """From submission to end, as what counts of jobs of queues."""
    import csv

    assert main(COMMANDS[5].split()) == 0
    (table,) = files.glob("out/*.csv")
    with table.open(encoding="utf-8", newline="") as stream:
        rows = {one[BACKFILL]: one for one in csv.DictReader(stream)}
    for backfill, one in rows.items():
        plan = load_plan(
            Text(machine(OFF), "m"), Text(workload(*JOBS), "w"), settings=[(BACKFILL, backfill)]
        )
        stays = run_plan(plan).queues[0].stays_ns()
        assert float(one["job_mean_ms"]) == pytest.approx(fmean(stays) / 1e6, rel=1e-6)


def test_totals_are_those_of_the_result() -> None:
    """A sweep takes them from the kernel's tables, without a result."""
    plan = plan_of(machine(OFF), *JOBS)
    assert run_totals(plan, cache=column_cache()) == totals_of(run_plan(plan))
    assert totals_of(run_plan(plan, engine="reference")) == totals_of(run_plan(plan))


def test_a_run_with_other_seeds_has_other_submissions(files: Path) -> None:
    sets = []
    for seed in (1, 2):
        assert main(f"run m.yaml w.yaml --seed {seed} --format json --out {seed}.json".split()) == 0
        record = json.loads((files / f"{seed}.json").read_text("utf-8"))
        sets.append(record["queues"]["node"]["jobs"]["submit_ns"])
    assert sets[0] != sets[1]


@pytest.mark.skipif(not LOG.exists(), reason=f"needs {LOG.name} in ../shared/data/swf")
def test_a_real_log_waits_as_it_is_told() -> None:
    job = f"name: a, log: {{file: {LOG}, processors: 2}}, phases: [{{do: compute, of_run: 100 %}}]"
    plan = plan_of(machine("{backfill: easy}", "count: 120"), job)
    (report,) = queue_reports(plan, run_plan(plan))
    recorded = [one.recorded_ns for one in plan.queues[0].jobs if one.recorded_ns >= 0]
    assert report.all.row(1)[7] == sum(recorded) // len(recorded)
    assert math.isclose(
        fmean(report.made.stays_ns()), fmean(report.all.waits) + fmean(report.all.runs)
    )
