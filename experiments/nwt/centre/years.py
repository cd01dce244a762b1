"""Jobs of a fiscal year in the NWT's queue, without their data: tables 2.1 and 2.2.

``months`` runs the jobs of table 4.1 with their data, and ``claims`` compares both with what was
predicted before any of these runs (``predictions.yaml``).

Inputs: numbers of jobs and PE-hours of each class of PEs, and the hours of power. Utilisation then
follows, and is no prediction; waits, and the utilisation at which a policy saturates, are.

Assumed: the mix of rows of table 4.1 within a class is that of greatest entropy (:func:`mix`); run
times are exponential; jobs ask for just the time that they compute; submissions are Poisson in the
time in which the power is on, which is run as one piece.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import yaml

from simulator.inputfile import Text

from ..tables import tables

if TYPE_CHECKING:
    from simulator.result.result import Result
    from simulator.run import EngineName

    from ..tables import Row

BEFORE, AFTER = 140, 166
"""PEs until January 1996, and from February 1996 on: two months of fiscal year H7."""
MONTHS_BEFORE = {"H5": 12, "H6": 12, "H7": 10}
"""Months of a fiscal year with the smaller number."""
CLASSES: Mapping[str, tuple[int, int]] = {
    "1PE": (1, 1),
    "2-7PE": (2, 7),
    "8-15PE": (8, 15),
    "16-31PE": (16, 31),
    "32-63PE": (32, 63),
    "64-166PE": (64, 166),
}


def year(name: str) -> int:
    """Return the column of a year in the tables."""
    return tables().years.index(name)


def mean_pes(name: str) -> float:
    """Return the mean number of PEs of a year.

    >>> mean_pes("H6"), round(mean_pes("H7"), 2), mean_pes("H9")
    (140.0, 144.33, 166.0)
    """
    before = MONTHS_BEFORE.get(name, 0)
    return (before * BEFORE + (12 - before) * AFTER) / 12


def hours_on(name: str) -> float:
    """Return the hours in which the power was on: PE-hours over utilisation and PEs.

    >>> [round(hours_on(one)) for one in tables().years]
    [4076, 5258, 5814, 6351, 7350]
    """
    at = year(name)
    return tables().cpu_time.totals[at] / tables().utilisation[at] / mean_pes(name)


@cache
def pes_of(label: str) -> tuple[int, ...]:
    """Return the numbers of PEs of table 4.1 that are in a class.

    >>> pes_of("8-15PE")
    (8, 10, 12, 13, 14)
    """
    least, most = CLASSES[label]
    return tuple(one.pes for one in tables().production if least <= one.pes <= most)


@cache
def mix(label: str, name: str) -> tuple[tuple[int, float, float], ...]:
    """Return PEs, share of a class's jobs and mean run time (h) of each of its rows of table 4.1.

    Run times are the CPU times of table 4.1. Shares are those of greatest entropy among those whose
    PE-hours of a job are those of table 2.2: they fall, or rise, exponentially with a row's
    PE-hours. Where no shares have so many, all jobs have the nearest row, and other times.
    """
    rows, each = _in_class(label), _per_job(label, name)[1]
    hours = [row.pes * row.cpu_s / 3600 for row in rows]
    nearest = min(hours, key=lambda one: abs(one - each))
    if not min(hours) < each < max(hours):
        row = rows[hours.index(nearest)]
        return ((row.pes, 1.0, row.cpu_s / 3600 * each / nearest),)
    low, high = -50.0, 50.0
    while high - low > 1e-12:
        tilt = (low + high) / 2
        low, high = (tilt, high) if _tilted(hours, tilt)[1] < each else (low, tilt)
    shares, _ = _tilted(hours, low)
    return tuple(
        (row.pes, share, row.cpu_s / 3600) for row, share in zip(rows, shares, strict=True)
    )


def _tilted(hours: list[float], tilt: float) -> tuple[list[float], float]:
    """Return shares that change exponentially with hours, and the mean of the hours."""
    powers = [tilt * (one - min(hours)) for one in hours]
    weights = [math.exp(one - max(powers)) for one in powers]
    whole = math.fsum(weights)
    shares = [one / whole for one in weights]
    return shares, math.fsum(one * share for one, share in zip(hours, shares, strict=True))


@dataclass(frozen=True, slots=True)
class Year:
    """A part of a fiscal year in the queue."""

    name: str
    backfill: str = "easy"
    order: str = "fcfs"
    share: float = 1.0
    """Part of the year's jobs, in the same part of its time."""
    backlog: bool = False
    """True if all jobs are there at the begin."""
    pes: int = 0
    """PEs; those of the year's end if 0."""

    def machine(self) -> Text:
        """Return the machine: the PEs and their queue."""
        count = self.pes or (BEFORE if MONTHS_BEFORE.get(self.name) == 12 else AFTER)
        queue = {"order": self.order, "backfill": self.backfill}
        text = {
            "format": "machine/2",
            "name": "nwt-queue",
            "nodes": {"pe": {"count": count, "queue": queue}},
        }
        return Text(yaml.safe_dump(text), f"nwt-queue, {self.name}")

    def workload(self) -> Text:
        """Return the jobs: an item for each class and number of PEs."""
        at, span = year(self.name), hours_on(self.name) * self.share
        if self.backlog:
            span = 1 / 3600
        jobs: list[dict[str, Any]] = []
        for label, counts in tables().jobs.rows.items():
            for pes, part, hours in mix(label, self.name):
                count = max(1, round(counts[at] * self.share * part))
                submit = {"every": f"{span * 3600 / count:.9f} s", "count": count}
                time = {"do": "compute", "time": f"{hours * 3600:.6f} s", "spread": "exponential"}
                name = f"{label}-{pes}"
                jobs.append({"name": name, "nodes": pes, "submit": submit, "phases": [time]})
        text = {"format": "workload/2", "name": f"nwt-{self.name}", "jobs": jobs}
        return Text(yaml.safe_dump(text, sort_keys=False), f"jobs of {self.name}")

    def run(self, seed: int = 1, engine: EngineName = "auto") -> Waits:
        """Run it, and return what became of the jobs."""
        from simulator.run import load_plan, run_plan

        plan = load_plan(self.machine(), self.workload(), seed=seed)
        end = 0 if self.backlog else round(hours_on(self.name) * self.share * 3600e9)
        return Waits.of(run_plan(plan, engine=engine), plan.queues[0].count, end)


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits of a year's jobs, and the use of its PEs."""

    mean_h: float
    of_class: Mapping[str, float]
    """Mean wait by class of PEs; h."""
    utilisation: float
    """PE-time in use over that of all, in the time of the year, or until a backlog's last start."""

    range_h: tuple[float, float]
    """The least and greatest mean wait of the seeds."""

    @classmethod
    def mean(cls, made: list[Waits]) -> Waits:
        """Return the means over runs of several seeds."""
        many = len(made)
        waits = [one.mean_h for one in made]
        return cls(
            math.fsum(waits) / many,
            {
                label: math.fsum(one.of_class[label] for one in made) / many
                for label in made[0].of_class
            },
            math.fsum(one.utilisation for one in made) / many,
            (min(waits), max(waits)),
        )

    @classmethod
    def of(cls, result: Result, pes: int, end: int = 0) -> Waits:
        """Return those of a run; ``end``: until when PEs count (ns), the last start if 0."""
        queue = result.queues[0]
        hour = 3600e9
        waits: dict[str, list[float]] = {}
        end = end or max(queue.start)
        used, jobs = 0, [one.job for one in result.processes]
        for row, start in enumerate(queue.start):
            label = jobs[row].rpartition("-")[0]
            waits.setdefault(label, []).append((start - queue.submit[row]) / hour)
            nodes = queue.first[row + 1] - queue.first[row]
            used += nodes * max(0, min(queue.end[row], end) - min(start, end))
        every = [one for many in waits.values() for one in many]
        mean = math.fsum(every) / len(every)
        return cls(
            mean,
            {label: math.fsum(many) / len(many) for label, many in waits.items()},
            used / (pes * end),
            (mean, mean),
        )


def _in_class(label: str) -> list[Row]:
    """Return the rows of table 4.1 of a class."""
    return [one for one in tables().production if one.pes in pes_of(label)]


def _per_job(label: str, name: str) -> tuple[int, float]:
    """Return the number of a class's jobs in a year, and the PE-hours of one."""
    count = tables().jobs.rows[label][year(name)]
    return count, tables().cpu_time.rows[label][year(name)] / count


def units(name: str) -> dict[str, bool]:
    """Return whether PE-hours of a job are within what table 4.1 allows, by class of several PEs.

    That is PEs times CPU time of the master, from the least to the greatest of a class's rows.
    """
    found = {}
    for label in list(CLASSES)[1:]:
        products = [one.pes * one.cpu_s / 3600 for one in _in_class(label)]
        found[label] = min(products) <= _per_job(label, name)[1] <= max(products)
    return found


def reachable_means(name: str = "H9") -> tuple[float, float]:
    """Return the least and greatest mean CPU time of a job that tables 2.1, 2.2 and 4.1 allow; s.

    The jobs of a class may have any of its numbers of PEs, if their PE-hours are those of table
    2.2. A mean is extreme where a class has two of them at most.
    """
    bounds, whole = [0.0, 0.0], 0
    for label in CLASSES:
        count, each = _per_job(label, name)
        means = [
            mean
            for one, other in combinations_with_replacement(_in_class(label), 2)
            if (mean := _mixed(one, other, each)) is not None
        ]
        for side, pick in enumerate((min, max)):
            bounds[side] += count * pick(means)
        whole += count
    return bounds[0] / whole, bounds[1] / whole


def _mixed(one: Row, other: Row, each: float) -> float | None:
    """Return the mean CPU time of a mix of two rows with so many PE-hours a job, if there is one.

    Of one PE there is one row, whose time is taken as it is.
    """
    if one is other:
        return one.cpu_s if one.pes == 1 else None
    hours, others = (row.pes * row.cpu_s / 3600 for row in (one, other))
    share = (each - others) / (hours - others)
    return share * one.cpu_s + (1 - share) * other.cpu_s if 0 <= share <= 1 else None
