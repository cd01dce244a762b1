"""Where the time went, as a plot: one bar for each job, divided by column of the accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report.accounts import MOST_JOBS, Columns, spent_by
from simulator.result.jobs import JobResult, by_job
from simulator.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simulator.plan.plan import Plan
    from simulator.result.result import Result

MOST_PIECES = 8
"""Columns with a colour of their own; the smaller ones are added up."""
# Okabe and Ito's palette, which people with any colour vision can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#666666")
_OTHER = "#CCCCCC"


def pieces_of(jobs: list[JobResult], columns: Columns) -> dict[str, list[float]]:
    """Return what is drawn: label -> its share of the process time of each job, largest first."""
    labels: dict[str, list[float]] = {}
    for place, job in enumerate(jobs):
        for row in spent_by(job, columns):
            for what, time in (("waiting", row.wait_ns), ("", row.service_ns)):
                if time:
                    label = f"{row.column} ({what})" if what else row.column
                    shares = labels.setdefault(label, [0.0] * len(jobs))
                    shares[place] += time / job.time_ns
    order = sorted(labels, key=lambda label: -sum(labels[label]))
    kept = {label: labels[label] for label in order[:MOST_PIECES]}
    rest = [labels[label] for label in order[MOST_PIECES:]]
    if rest:
        kept["other"] = [sum(shares) for shares in zip(*rest, strict=True)]
    return kept


def draw_where(result: Result, plan: Plan, axes: Axes | None = None) -> Axes:
    """Draw where the time of each job went, as shares of its process time."""
    if axes is None:
        from matplotlib import pyplot as plt

        axes = plt.subplots(figsize=(8.0, 1.6 + 0.5 * _bars(result)), layout="constrained")[1]
    jobs = _jobs(result)
    left = [0.0] * len(jobs)
    for number, (label, shares) in enumerate(pieces_of(jobs, Columns(plan)).items()):
        widths = [100 * share for share in shares]
        colour = _OTHER if label == "other" else _COLOURS[number]
        hatch = "//" if label.endswith("(waiting)") else None
        style: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.5}
        axes.barh(
            range(len(jobs)), widths, left=left, label=label, color=colour, hatch=hatch, **style
        )
        left = [before + width for before, width in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(jobs)), [job.name for job in jobs])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of process time (%)")
    axes.set_title(f"{result.workload} on {result.machine}: where the time went")
    if jobs:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return axes


def _bars(result: Result) -> int:
    return max(1, len(_jobs(result)))


def _jobs(result: Result) -> list[JobResult]:
    """Return the jobs to draw; many of them as one."""
    jobs = [job for job in by_job(result) if job.time_ns]
    if len(jobs) <= 2 * MOST_JOBS:
        return jobs
    return [JobResult(counted(len(jobs), "job"), [one for job in jobs for one in job.processes])]
