"""The page about the interval between the checkpoints of a job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from simulator.report.page import Browser, Column, Page, Section, Table
from simulator.report.versions import versions
from simulator.units import format_time
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.study.checkpoints import Checkpoints, Tried

INTERVALS = (
    Column("by", "computing between two checkpoints"),
    Column("interval_ns", "interval", "time"),
    Column("low_ns", "95 % from", "time"),
    Column("high_ns", "to", "time"),
    Column("expected", "expected efficiency", "share"),
)
TRIED = (
    Column("interval_ns", "interval", "time"),
    Column("rounds", "checkpoints", "count"),
    Column("elapsed_ns", "time, mean", "time"),
    Column("low_ns", "95 % from", "time"),
    Column("high_ns", "to", "time"),
    Column("efficiency", "efficiency", "share"),
    Column("expected", "expected", "share"),
)
EXPECTED = (
    "expected: by Daly's model, e^(-R/M) t/M / (e^((t + C)/M) - 1), with the costs above; M: mean"
    " time between failures of the job."
)
FOUND = (
    "Simulated: least of a + b/t + c M (e^(t/M) - 1)/t, fitted to the times of each replication by"
    " least squares; Fieller's 95 % interval of b/c over replications (Student's t), which decides"
    " t. Replication n has the same failures at every interval."
)
CSV = (
    *("by", "interval_ns", "low_ns", "high_ns", "rounds", "elapsed_ns"),
    *("elapsed_low_ns", "elapsed_high_ns", "efficiency", "expected"),
)


def checkpoint_page(found: Checkpoints, command: Sequence[str] = ()) -> Page:
    """Return the costs, the intervals of formulas and runs, and the times at those tried."""
    table = Table(
        "intervals", "", INTERVALS, methods(found), note=EXPECTED, whole=bool(found.tried)
    )
    sections = [Section("", [costs(found)], leads=True, name="costs", heading="Costs")]
    sections.append(Section("", [table], leads=True, name="intervals", heading="Intervals"))
    if found.tried:
        tried = Table(
            "tried",
            f"Times for the same work, {format_time(found.tried[0].work_ns)} of computing",
            TRIED,
            [_tried(found, one) for one in found.tried],
            note=f"{_runs(found)} {FOUND}",
            marked=() if found.best is None else (found.best,),
        )
        sections.append(Section(tried.title, [tried]))
    return Page(
        f"{found.workload} on {found.machine}: how long {found.job} computes between checkpoints",
        [_about(found)],
        answer(found),
        sections,
        lambda: record(found),
        lambda: [list(CSV), *csv_rows(found)],
        lambda: Browser(answer=answer(found), command=command),
    )


def answer(found: Checkpoints) -> list[str]:
    """Return the best interval by runs, or by Daly where there are none."""
    best = found.optimum
    if best is None:
        said = f"Daly: compute {format_time(found.daly_ns)} between checkpoints, which expects"
        lines = [f"{said} {percent(found.efficiency(found.daly_ns), 1)} of the time to count."]
        if found.tried:
            lines.append("The simulated times have no least one: write more --replications.")
        return lines
    said = f"Simulated: compute {format_time(best.interval_ns)} between checkpoints"
    work = found.tried[0].work_ns
    return [f"{said} ({_between(found)}): {percent(work / best.elapsed_ns, 1)} of the time counts."]


def _between(found: Checkpoints) -> str:
    best = found.optimum
    assert best is not None
    if not math.isfinite(best.high_ns):
        return "the runs do not bound it; write more --replications"
    return f"95 %: {format_time(best.low_ns)} - {format_time(best.high_ns)}"


def costs(found: Checkpoints) -> str:
    """State what a checkpoint and a restart take."""
    costs = found.costs
    return (
        f"A checkpoint takes {format_time(costs.checkpoint_ns)}, a restart"
        f" {format_time(costs.restart_ns)}: {format_time(costs.delay_ns)} until the job goes on,"
        f" and {format_time(costs.reading_ns)} to read the checkpoint back. In runs on the machine,"
        " at Young's interval."
    )


def _about(found: Checkpoints) -> str:
    fails = f"{counted(found.nodes, 'node')}; a failure every {format_time(found.mean_ns)}"
    return f"{found.job}: {fails}; seed {found.seed}; input {found.digest[:12]}"


def _runs(found: Checkpoints) -> str:
    runs = found.tried[0].times.runs
    if found.whole:
        return f"{counted(runs, 'replication')} of whole runs at each interval."
    return (
        f"{counted(runs, 'replication')} at each interval, of the failures only: each checkpoint"
        " and restart costs what was measured (--whole simulates all that the job does)."
    )


def methods(found: Checkpoints) -> list[list[Any]]:
    """Return a row for each way to find an interval, and for that of the workload."""
    rows: list[list[Any]] = []
    if (best := found.optimum) is not None:
        high = best.high_ns if math.isfinite(best.high_ns) else None
        rows.append(["simulated", best.interval_ns, best.low_ns, high])
    rows.append(["Young 1974", found.young_ns, None, None])
    rows.append(["Daly 2006", found.daly_ns, None, None])
    rows.append(["the workload", found.own_ns, None, None])
    return [[*row, found.efficiency(row[1])] for row in rows]


def _tried(found: Checkpoints, one: Tried) -> list[Any]:
    low, high = one.times.interval or (None, None)
    return [
        one.interval_ns,
        one.rounds,
        one.times.mean * 1e9,
        None if low is None else low * 1e9,
        None if high is None else high * 1e9,
        one.work_ns / 1e9 / one.times.mean,
        found.efficiency(one.interval_ns),
    ]


def csv_rows(found: Checkpoints) -> list[list[Any]]:
    """Return the intervals of all ways, and those tried, as CSV has them."""
    rows = [[*row[:4], None, None, None, None, None, row[4]] for row in methods(found)]
    for one in found.tried:
        interval, rounds, *times = _tried(found, one)
        rows.append(["tried", interval, None, None, rounds, *times])
    return rows


def record(found: Checkpoints) -> dict[str, Any]:
    """Return all of it for programs."""
    names = [column.key for column in INTERVALS]
    made: dict[str, Any] = {
        "machine": found.machine,
        "workload": found.workload,
        "digest": found.digest,
        "job": found.job,
        "nodes": found.nodes,
        "seed": found.seed,
        "mean_between_failures_ns": found.mean_ns,
        "checkpoint_ns": found.costs.checkpoint_ns,
        "delay_ns": found.costs.delay_ns,
        "reading_ns": found.costs.reading_ns,
        "intervals": [dict(zip(names, row, strict=True)) for row in methods(found)],
    }
    if found.tried:
        names = [column.key for column in TRIED]
        made |= {
            "whole_runs": found.whole,
            "replications": found.tried[0].times.runs,
            "confidence": found.tried[0].times.confidence,
            "work_ns": found.tried[0].work_ns,
            "tried": [
                dict(zip(names, _tried(found, one), strict=True))
                | {"elapsed_s": list(one.times.values)}
                for one in found.tried
            ],
        }
    return {**made, "versions": versions()}
