"""Claims of the NWT paper about production: tables 2.1, 2.2 and 4.1, and distributions of runs.

The tables of counts are checked against their own totals: this tests the transcription and the
paper, but not the simulator. Table 4.1 is compared with the machine's maximum rate by the paper's
definition. Not modelled: the mix of jobs that makes the mean rates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .centre.years import hours_on
from .tables import Row, tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.result.result import Result
    from simulator.study.change import Settings
    from simulator.study.study_file import Cell

    from .study import NwtRuns

MASTER, EACH = "test-read-parallel", "nwt-each"
FASTEST = 4
"""PEs of the row with the greatest rate, 310.7 MB/s."""

USABLE = 0.99
"""Fraction of the SSU available to data: lengths of records need the rest."""

WIDE, TWO_GROUPS = "write-4pe-600kB", "write-4pe-8MB"
"""The cells whose printed runs are widely spread, and in two groups."""

IN_TURNS = "write-120MB-600kB"
"""The cell whose printed runs alternate between fast and slow."""

BESIDE = "nwt-neighbours"
"""The same job with two other writing jobs."""

QUOTAS = ("200MB", "344MB")
"""Quotas of a file in the SSU that would give the two groups."""

POOL = 45
"""Number of simulated runs that represent the distribution of such a cell."""

DRAWS = 2000
"""Number of samples drawn from it."""


# -- table 4.1 against the machine ---------------------------------------------------------------


def greatest_rates(runs: NwtRuns) -> Mapping[str, float]:
    """Compare the greatest rates of table 4.1 with the machine's maximum, row by row.

    ``master``: one PE reads for all, by the paper's definition of the rate, the more generous one.
    ``each``: every PE reads for itself, by elapsed time, the stricter one.
    """
    figures: dict[str, float] = {}
    possible = {"master": 0, "each": 0}
    for row in tables().production:
        if row.pes > runs.machine.nodes["pe"].count:
            continue
        master, each = _by_master(runs, row), _by_each(runs, row)
        rates = {
            "printed": row.greatest_MBps,
            "master": without_cpu_time(master),
            "each": _bytes(each) * 1e3 / each.elapsed_ns,
        }
        for name in possible:
            possible[name] += rates["printed"] <= rates[name]
        if row.pes == FASTEST:
            rates["each_by_definition"] = without_cpu_time(each)
            figures = {f"{name}_MBps_{row.pes}pe": rate for name, rate in rates.items()}
    rows = {f"rows_possible_{name}": number for name, number in possible.items()}
    return {"rows": len(tables().production), **rows, **figures}


def _by_master(runs: NwtRuns, row: Row) -> Result:
    """Return the run of a job whose master reads for all; as much as fits into the SSU."""
    size_bytes = min(row.largest_MB * 1e6, USABLE * _capacity(runs))
    return _read(runs, MASTER, "nodes", row.pes, size_bytes)


def _by_each(runs: NwtRuns, row: Row) -> Result:
    """Return the run of a job whose PEs read a file each; whole units of the SSU for each."""
    block = runs.machine.stores["ssu"].block
    room = USABLE * block * (_capacity(runs) // block // row.pes)
    size_bytes = max(1.0, min(row.largest_MB * 1e6 / row.pes, room))
    return _read(runs, EACH, "processes", row.pes, size_bytes)


def _capacity(runs: NwtRuns) -> int:
    return runs.machine.stores["ssu"].capacity


def _read(runs: NwtRuns, workload: str, count: str, pes: int, size_bytes: float) -> Result:
    settings: Settings = (
        (f"workload.jobs.0.{count}", str(pes)),
        ("workload.jobs.0.buffer", "8 MB"),
        ("workload.jobs.0.record", "8 MB"),
        ("workload.files.input.size", f"{int(size_bytes)} B"),
    )
    return runs.exact(workload, settings)


def _bytes(result: Result) -> int:
    return sum(one.read.bytes + one.write.bytes for one in result.processes)


def without_cpu_time(result: Result) -> float:
    """Return the rate by the definition of table 4.1, in MB/s.

    Bytes of all PEs over the elapsed time of the master less its CPU time: computing, and what
    the runtime and the system do on the PE.
    """
    master = result.masters()[0]
    cpu_ns = master.compute_ns + sum(master.spent.get("pe", (0, 0)))
    return _bytes(result) * 1e3 / (master.elapsed_ns - cpu_ns)


# -- nine runs as a distribution -----------------------------------------------------------------


def nine_runs(cell_id: str, runs: NwtRuns) -> Mapping[str, float]:
    """Compare the printed runs of a cell with the distribution of simulated ones.

    Limits are those of samples of nine simulated runs: ``sd_99`` is exceeded by one of 100,
    ``ks_95`` (Kolmogorov and Smirnov) by 5 of 100, and one of 100 is separated into two groups more
    clearly than ``within_01``. ``power_*``: the probability that nine runs drawn from the printed
    ones exceed that limit, if these were the true distribution. The last figures are without
    variation: the effect on such a run of another quota in the SSU, and of other jobs at the same
    array.
    """
    cell = runs.cells[cell_id]
    printed = np.array(cell.runs)
    made = runs.made(cell.workload, cell.settings, POOL)
    pool = np.sort([result.rate(cell.work) / 1e6 for result in made])
    draw = np.random.default_rng(runs.seed)
    null = draw.choice(pool, (DRAWS, len(printed)))
    other = draw.choice(printed, (DRAWS, len(printed)))
    sd_99 = float(np.quantile(null.std(axis=1, ddof=1), 0.99))
    within_01 = float(np.quantile(within_two_groups(null), 0.01))
    ks_95 = float(np.quantile(distance(null, pool), 0.95))
    buffer = ("workload.jobs.0.buffer", dict(cell.settings)["buffer"])
    return {
        "sd_printed": float(printed.std(ddof=1)),
        "sd_simulated": float(pool.std(ddof=1)),
        "sd_99": sd_99,
        "within_printed": float(within_two_groups(printed[None])[0]),
        "within_01": within_01,
        "ks": float(distance(printed[None], pool)[0]),
        "ks_95": ks_95,
        "power_of_sd": float(np.mean(other.std(axis=1, ddof=1) > sd_99)),
        "power_of_within": float(np.mean(within_two_groups(other) < within_01)),
        "power_of_ks": float(np.mean(distance(other, pool) > ks_95)),
        **{
            f"MBps_quota_{room}": _with_quota(runs, cell, room.replace("MB", " MB"))
            for room in QUOTAS
        },
        "MBps_alone": runs.exact(cell.workload, cell.settings).rate("write") / 1e6,
        "MBps_beside_two_others": runs.exact(BESIDE, (buffer,)).processes[0].write.rate / 1e6,
    }


def _with_quota(runs: NwtRuns, cell: Cell, quota: str) -> float:
    """Return the rate of a cell with another quota of its file in the SSU, in MB/s."""
    setting = ("machine.stores.ssu.quota", quota)
    return runs.exact(cell.workload, (*cell.settings, setting)).rate("write") / 1e6


def in_order(cell_id: str, runs: NwtRuns) -> Mapping[str, float]:
    """Compare the order of a cell's printed runs with that of simulated ones.

    One of 100 samples of as many simulated runs has a correlation of each run with the next below
    ``lag_01``.
    """
    cell = runs.cells[cell_id]
    made = runs.made(cell.workload, cell.settings, POOL)
    pool = np.array([result.rate(cell.work) / 1e6 for result in made])
    draw = np.random.default_rng(runs.seed)
    samples = lag_one(draw.choice(pool, (DRAWS, len(cell.runs))))
    return {
        "lag_printed": float(lag_one(np.array([cell.runs]))[0]),
        "lag_01": float(np.quantile(samples, 0.01)),
    }


def lag_one(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation of each value with the next, for each sample, a row.

    >>> lag_one(np.array([[1.0, 5.0, 1.0, 5.0], [1.0, 2.0, 3.0, 4.0]]))
    array([-0.75,  0.25])
    """
    off = samples - samples.mean(axis=1, keepdims=True)
    squares = (off**2).sum(axis=1)
    products = (off[:, :-1] * off[:, 1:]).sum(axis=1)
    lags = np.divide(products, squares, out=np.zeros_like(squares), where=squares > 0)
    return np.asarray(lags, np.float64)


def within_two_groups(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fraction of each sample's variance that remains within its two best groups.

    ``samples``: one in each row. The groups are a sample's least and greatest values, at least two
    in each; near 0 they are well separated.

    >>> within_two_groups(np.array([[1.0, 5.0, 1.0, 5.0], [1.0, 2.0, 3.0, 4.0]])).round(3)
    array([0. , 0.2])
    """
    ordered = np.sort(samples, axis=1)
    splits = [
        _squares(ordered[:, :at]) + _squares(ordered[:, at:])
        for at in range(2, ordered.shape[1] - 1)
    ]
    whole = _squares(ordered)
    least = np.min(splits, axis=0)
    share = np.divide(least, whole, out=np.ones_like(whole), where=whole > 0)
    return np.asarray(share, np.float64)


def _squares(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of squared deviations from its mean, for each row."""
    return np.asarray(samples.var(axis=1) * samples.shape[1], np.float64)


def distance(samples: NDArray[np.float64], pool: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the greatest distance of each sample's distribution function from that of a pool.

    ``samples``: one in each row; ``pool``: sorted.

    >>> distance(np.array([[1.0, 2.0], [3.5, 3.6]]), np.array([1.0, 2.0, 3.0, 4.0]))
    array([0.5 , 0.75])
    """
    count = samples.shape[1]
    ordered = np.sort(samples, axis=1)
    steps = np.arange(1, count + 1) / count
    upto = np.searchsorted(pool, ordered, side="right") / len(pool)
    below = np.searchsorted(pool, ordered, side="left") / len(pool)
    above, under = steps - upto, below - (steps - 1 / count)
    return np.asarray(np.maximum(above, under).max(axis=1), np.float64)


# -- tables of counts ----------------------------------------------------------------------------


def jobs_by_year(_runs: NwtRuns) -> Mapping[str, float]:
    """Compare the columns of table 2.1 with its totals."""
    printed = tables()
    return {f"excess_{name}": printed.jobs.excess(at) for at, name in enumerate(printed.years)}


def cpu_time_by_year(_runs: NwtRuns) -> Mapping[str, float]:
    """Compare the columns of table 2.2 with its totals, and compute the powered-on time."""
    printed = tables()
    figures: dict[str, float] = {}
    for at, name in enumerate(printed.years):
        figures[f"excess_{name}"] = printed.cpu_time.excess(at)
        figures[f"hours_on_{name}"] = hours_on(name)
    return figures


def growth(_runs: NwtRuns) -> Mapping[str, float]:
    """Compute the growth of parallel jobs from year to year, and the fraction of one-PE jobs."""
    figures: dict[str, float] = {}
    printed = tables()
    for name, counts in (("jobs", printed.jobs), ("cpu_time", printed.cpu_time)):
        sums = [sum(counts.column(at)) for at in range(len(printed.years))]
        single = counts.rows["1PE"]
        parallel = [total - one for total, one in zip(sums, single, strict=True)]
        figures[f"parallel_{name}_least_growth"] = min(b / a for a, b in pairwise(parallel))
        for at in (0, -1):
            figures[f"share_of_1pe_{name}_{printed.years[at]}"] = single[at] / sums[at]
    return figures


def rows_of_production(_runs: NwtRuns) -> Mapping[str, float]:
    """Compare the rows of table 4.1 with its last row."""
    rows, whole = tables().production, tables().representative
    disordered = [
        one
        for one in rows
        if one.mean_MB > one.largest_MB or one.mean_MBps > one.greatest_MBps or one.cpu_s <= 0
    ]
    means = [one.mean_MBps for one in rows]
    return {
        "rows": len(rows),
        "mean_above_greatest": len(disordered),
        "largest_less_printed": max(one.largest_MB for one in rows) - whole[1],
        "greatest_less_printed": max(one.greatest_MBps for one in rows) - whole[3],
        "least_mean_rate": min(means),
        "representative_mean_rate": whole[4],
        "greatest_mean_rate": max(means),
    }


PRODUCTION: Mapping[str, Callable[[NwtRuns], Mapping[str, float]]] = {
    "nwt-c8": growth,
    "nwt-c16": partial(nine_runs, WIDE),
    "nwt-c17": greatest_rates,
    "nwt-c18": jobs_by_year,
    "nwt-c19": cpu_time_by_year,
    "nwt-c20": rows_of_production,
    "nwt-c21": partial(nine_runs, TWO_GROUPS),
    "nwt-c22": partial(in_order, IN_TURNS),
}
"""Claim -> the function that gives its figures."""
