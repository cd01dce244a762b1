"""Two months of the NWT's jobs with their data: table 4.1.

Inputs: a sixth of H9's jobs by class (table 2.1), with the mix of rows of :mod:`.years`; the
master's CPU time and the mean file size of a row. Assumed: half of a file is read, which is staged
into the SSU before, and half is written, both by SCFS. Calibrated on the mean rates of table 4.1 by
a closed form (``calibrate``): small files of a job, by NFS; the load module, which each PE gets by
NFS; and time beside CPU time, as a share of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml

from simulator.inputfile import Text
from simulator.shipped import shipped_root

from ..tables import Row, tables
from .years import CLASSES, hours_on, mix, year

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

YEAR = "H9"
MONTHS = 2
SCFS_READ, SCFS_WRITE, NFS = 121.3, 15.3, 0.77
"""MB/s of one job alone: tables 4.2(1) and (2) with 600 kB, and of the machine's NFS path."""


@dataclass(frozen=True, slots=True)
class Constants:
    """What was calibrated."""

    small_MB: float
    """Small files of a job."""
    module_MB: float
    """Of the load module, for each PE."""
    system: float
    """Time that is neither CPU time nor transfer, over CPU time."""


@cache
def stored() -> Mapping[str, Any]:
    """Return what ``months.yaml`` has: constants, and the outcome of the last full run."""
    path = shipped_root("experiments") / "nwt" / "centre" / "months.yaml"
    found: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def constants() -> Constants:
    """Return the constants that are used."""
    return Constants(**stored()["calibrated"])


def closed_rate(row: Row, one: Constants) -> float:
    """Return the mean rate of a row by the closed form, in MB/s; ``calibrate`` fits it."""
    small = one.small_MB + one.module_MB * row.pes
    transfer = small / NFS + row.mean_MB / 2 * (1 / SCFS_READ + 1 / SCFS_WRITE)
    return (row.mean_MB + one.small_MB) / (transfer + one.system * row.cpu_s)


def calibrate() -> Constants:
    """Fit the constants to the mean rates of table 4.1: least squares of logarithms, by halving."""

    def error(values: tuple[float, ...]) -> float:
        one = Constants(*values)
        rows = tables().production
        return sum(math.log(closed_rate(row, one) / row.mean_MBps) ** 2 for row in rows)

    best, step = (5.0, 0.2, 0.001), 2.0
    while step > 1.0005:
        tried = [
            tuple(value * (factor if at == one else 1) for at, value in enumerate(best))
            for one in range(len(best))
            for factor in (step, 1 / step)
        ]
        found = min(tried, key=error)
        if error(found) < error(best):
            best = (found[0], found[1], found[2])
        else:
            step = math.sqrt(step)
    return Constants(*(float(f"{value:.3g}") for value in best))


def machine(changes: Mapping[str, Any] | None = None) -> Text:
    """Return the NWT with its queue, and a path on which its data are staged into the SSU.

    ``changes``: values by keys like ``stores.ssu.capacity``.
    """
    path = shipped_root("configs") / "machines" / "nwt.yaml"
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    raw["name"] = "nwt-centre"
    raw["nodes"]["pe"]["queue"] = {"backfill": "easy"}
    paths = raw["filesystems"]["vfl"]["paths"]
    paths["stage"] = [["crossbar"], *paths["scfs"][1:]]
    for key, value in (changes or {}).items():
        *inner, last = key.split(".")
        at = raw
        for one in inner:
            at = at[one]
        at[last] = value
    return Text(yaml.safe_dump(raw, sort_keys=False), "nwt-centre")


@dataclass(frozen=True, slots=True)
class Months:
    """A part of the two months."""

    share: float = 1.0
    """Of the jobs and the time."""
    staged: bool = True
    """True if input is in the SSU before a job starts."""
    policy: str = "nwt"
    """Of the Fortran runtime, for the large files."""

    def workload(self) -> Text:
        """Return the jobs: an item for each row of table 4.1."""
        files: dict[str, Any] = {}
        jobs: list[dict[str, Any]] = []
        for row, count, cpu_s in self._counts():
            jobs += self._jobs(row, count, cpu_s, files)
        text = {"format": "workload/2", "name": "nwt-months", "files": files, "jobs": jobs}
        return Text(yaml.safe_dump(text, sort_keys=False), "jobs of two months")

    def _counts(self) -> Iterator[tuple[Row, int, float]]:
        """Yield the rows of table 4.1, the number of jobs, and their mean CPU time (s)."""
        of_row = {row.pes: row for row in tables().production}
        for label in CLASSES:
            whole = tables().jobs.rows[label][year(YEAR)] * MONTHS / 12 * self.share
            for pes, part, hours in mix(label, YEAR):
                yield of_row[pes], max(1, round(whole * part)), hours * 3600

    def _jobs(
        self, row: Row, count: int, cpu_s: float, files: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Yield the job of a row, and the one that stages its input."""
        one, pes = constants(), row.pes
        half = f"{round(row.mean_MB / 2 * 1e6)} B"
        nfs = {"filesystem": "ufs", "path": "nfs"}
        files[f"module{pes}"] = {
            "size": f"{one.module_MB * pes * 1e6:.0f} B",
            "exists": True,
            **nfs,
        }
        files[f"small{pes}"] = {"size": f"{one.small_MB * 1e6:.0f} B", "exists": True, **nfs}
        files[f"input{pes}"] = {"size": half, "filesystem": "vfl", "exists": True}
        files[f"output{pes}"] = {"size": half, "filesystem": "vfl"}
        small: dict[str, Any] = {"do": "read", "policy": "posix", "record": "64 kB"}
        large = {"policy": self.policy, "record": "64 kB", "path": "scfs"}
        phases = [
            {**small, "file": f"module{pes}"},
            {**small, "file": f"small{pes}"},
            {"do": "read", "file": f"input{pes}", **large},
            {"do": "compute", "time": f"{cpu_s:.6f} s", "spread": "exponential"},
            {"do": "compute", "time": f"{one.system * cpu_s:.6f} s"},
            {"do": "write", "file": f"output{pes}", **large},
        ]
        every = hours_on(YEAR) * MONTHS / 12 * self.share * 3600 / count
        job = {
            "name": f"pe{pes}",
            "nodes": pes,
            "record": "64 kB",
            "submit": {"every": f"{every:.6f} s", "count": count},
            "phases": phases,
        }
        if not self.staged:
            yield job
            return
        yield {**job, "stage_in": f"stage{pes}"}
        read = {"do": "read", "file": f"input{pes}", "path": "stage"}
        stage = {"policy": "posix", "record": "8 MB", "buffer": "8 MB", "phases": [read]}
        yield {"name": f"stage{pes}", "on": "cp0", **stage}

    def plan(self, changes: Mapping[str, Any] | None = None, seed: int = 1) -> Plan:
        """Return the plan on a machine with changes."""
        from simulator.run import load_plan

        return load_plan(machine(changes), self.workload(), seed=seed)

    def run(self, changes: Mapping[str, Any] | None = None, seed: int = 1) -> Measured:
        """Run it, and return what table 4.1 counts."""
        from simulator.run import run_plan

        plan = self.plan(changes, seed)
        return Measured.of(plan, run_plan(plan))


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of a run of the months."""

    rates: Mapping[int, float]
    """PEs -> mean over jobs of bytes over elapsed less CPU time; MB/s."""
    transfer_share: Mapping[int, float]
    """PEs -> elapsed less CPU time, over elapsed time, of all its jobs."""
    jobs: int
    at_a_time: float
    """Mean number of running jobs."""
    demand: float
    """Mean size of the large files of running jobs, over the capacity of the SSU."""
    evicted: int
    """Units that left the SSU for others: more than none says that it was full."""
    hits: float
    """Of the units that jobs and stages wanted from the SSU, those that were there."""
    held: float
    """Share of jobs that began when their data came."""
    wait_h: float
    pe_hours: float
    """PEs times time of all jobs."""
    utilisation: float
    """CPU time of jobs times PEs, over the PE-time of the months."""
    mean_MBps: float
    """Mean over jobs of their rates."""
    events: int

    @classmethod
    def of(cls, plan: Plan, result: Result) -> Measured:
        """Return those of a run."""
        one, queue = constants(), result.queues[0]
        size = {row.pes: row.mean_MB * 1e6 for row in tables().production}
        rates: dict[int, list[float]] = {}
        spent: dict[int, list[float]] = {}
        held = cpu_all = stay = files = 0.0
        by_name = {made.name: made for made in result.processes}
        for batch in plan.queues[0].jobs:
            made, pes = by_name[batch.name], batch.nodes
            cpu = made.compute_ns / (1 + one.system) + sum(made.spent.get("pe", (0, 0)))
            moved = made.read.bytes + made.write.bytes - one.module_MB * pes * 1e6
            rates.setdefault(pes, []).append(moved * 1e3 / (made.elapsed_ns - cpu))
            of_row = spent.setdefault(pes, [0.0, 0.0])
            of_row[0] += made.elapsed_ns - cpu
            of_row[1] += made.elapsed_ns
            held += pes * made.elapsed_ns
            cpu_all += pes * cpu
            stay += made.elapsed_ns
            files += made.elapsed_ns * size[pes]
        last, ssu = max(queue.end), result.counts("ssu")
        waits = [start - when for start, when in zip(queue.start, queue.submit, strict=True)]
        late = [
            ready == start > when
            for ready, start, when in zip(queue.ready, queue.start, queue.submit, strict=True)
        ]
        every = [rate for many in rates.values() for rate in many]
        return cls(
            {pes: math.fsum(many) / len(many) for pes, many in sorted(rates.items())},
            {pes: part / whole for pes, (part, whole) in sorted(spent.items())},
            len(queue.start),
            stay / last,
            files / last / (plan.stores[0].slots * plan.stores[0].block),
            ssu["evicted"],
            ssu["hits"] / max(1, ssu["hits"] + ssu["misses"]),
            sum(late) / len(late),
            math.fsum(waits) / len(waits) / 3600e9,
            held / 3600e9,
            cpu_all / (plan.queues[0].count * last),
            math.fsum(every) / len(every),
            result.events,
        )


def errors(rates: Mapping[int, float]) -> tuple[float, float]:
    """Return the rank correlation of rates with table 4.1's, and the median error by factors."""
    rows = [row for row in tables().production if row.pes in rates]
    found, printed = [rates[row.pes] for row in rows], [row.mean_MBps for row in rows]
    off = sorted(
        math.expm1(abs(math.log(one / other))) for one, other in zip(found, printed, strict=True)
    )
    return rank_correlation(found, printed), off[len(off) // 2]


def rank_correlation(one: list[float], other: list[float]) -> float:
    """Return Spearman's rank correlation.

    >>> rank_correlation([1.0, 2.0, 3.0], [5.0, 6.0, 9.0]), rank_correlation([1.0, 2.0], [2.0, 1.0])
    (1.0, -1.0)
    """
    ranks = [_ranks(values) for values in (one, other)]
    means = [math.fsum(values) / len(values) for values in ranks]
    off = [[value - mean for value in values] for values, mean in zip(ranks, means, strict=True)]
    both = math.fsum(a * b for a, b in zip(*off, strict=True))
    return both / math.sqrt(math.fsum(a * a for a in off[0]) * math.fsum(b * b for b in off[1]))


def _ranks(values: list[float]) -> list[float]:
    """Return the rank of each value; equal ones share the mean of theirs."""
    return [
        sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values
    ]
