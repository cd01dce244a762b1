"""The claims of the NWT paper about its tables: the figures of each claim, from runs.

The conditions on these figures are in the study's file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Protocol, TypeAlias

from simulator.config.part import READ, rate_of
from simulator.kinds.parts.disk.section import Disk

if TYPE_CHECKING:
    from simulator.result.result import Result

    from .study import NwtRuns

WAITING = ("ssu.writeback", "paths", "array")
"""Account categories: waiting for write-back from the SSU, and for the devices behind it."""

UNSTAGED = ("workload.files.input.prestage", "false")
READS = ("read-1pe-600kB", "read-1pe-8MB", "read-4pe-600kB", "read-4pe-8MB")
WRITES = ("write-1pe-600kB", "write-1pe-8MB", "write-4pe-600kB", "write-4pe-8MB")
REWRITTEN = (*WRITES, "write-120MB-600kB", "write-120MB-8MB")
PREDICTED = ("write-120MB-600kB-predicted", "write-120MB-8MB-predicted")
Figures: TypeAlias = dict[str, float]


class Rates(Protocol):
    """Source of rates for each cell: runs, or formulas."""

    def rates(self, name: str, *settings: tuple[str, str]) -> Sequence[float]:
        """Return the MB/s of each run of a cell."""
        ...


def _ratio(runs: Rates, above: str, below: str) -> tuple[float, float, float]:
    """Return the mean of the first over the mean of the second, and its extremes run by run."""
    pairs = list(zip(runs.rates(above), runs.rates(below), strict=True))
    each = [a / b for a, b in pairs]
    mean = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
    return mean, min(each), max(each)


def _waiting_share(runs: NwtRuns, cell: str) -> float:
    """Return the fraction of the master's time waiting for write-back, disks and their paths."""
    shares = []
    for result in runs.cell(cell):
        master = result.masters()[0]
        waited = sum(sum(master.spent.get(column, (0, 0))) for column in WAITING)
        shares.append(waited / master.elapsed_ns)
    return sum(shares) / len(shares)


def _busy_ns(runs: NwtRuns, cell: str, part: str) -> int:
    """Return the busy time of a resource of the front end, over all runs of a cell."""
    parts = [one for result in runs.cell(cell) for one in result.parts.values()]
    return sum(one.busy_ns for one in parts if one.part == part)


def _rate_MBps(runs: NwtRuns, name: str) -> float:
    """Return the rate of the fast disk array, or of a disk (NWT paper, 2.1: 36 and 4.5 MB/s)."""
    disk = runs.machine.parts[name]
    assert isinstance(disk, Disk)
    return rate_of(disk.rate, READ) / 1e6


def _c1(runs: NwtRuns) -> Figures:
    unstaged = runs.rates(READS[0], UNSTAGED)
    return {
        "units_fetched": sum(_counted(r, "fetched") for cell in READS for r in runs.cell(cell)),
        "slowest_run_MBps": min(min(runs.rates(cell)) for cell in READS),
        "fastest_run_without_cache_MBps": max(unstaged),
        "array_MBps": _rate_MBps(runs, "array"),
    }


def _c2(runs: Rates) -> Figures:
    figures: Figures = {}
    for pes in ("1pe", "4pe"):
        mean, least, _ = _ratio(runs, f"read-{pes}-8MB", f"read-{pes}-600kB")
        figures |= {f"ratio_{pes}": mean, f"least_ratio_{pes}": least}
    return figures


def _c3(runs: Rates) -> Figures:
    figures: Figures = {}
    for buffer in ("600kB", "8MB"):
        mean, _, greatest = _ratio(runs, f"read-4pe-{buffer}", f"read-1pe-{buffer}")
        figures |= {f"ratio_{buffer}": mean, f"greatest_ratio_{buffer}": greatest}
    return figures


def _c4(runs: Rates) -> Figures:
    figures: Figures = {}
    for write, read in zip(WRITES, READS, strict=True):
        name = write.removeprefix("write-")
        figures[f"fastest_output_over_slowest_input_{name}"] = max(runs.rates(write)) / min(
            runs.rates(read)
        )
    fastest = max(fmean(runs.rates(write)) for write in WRITES)
    slowest = min(fmean(runs.rates(read)) for read in READS)
    return figures | {"fastest_output_mean_over_slowest_input_mean": fastest / slowest}


def _c5(runs: Rates) -> Figures:
    return {
        f"8MB_over_600kB_{pes}": _ratio(runs, f"write-{pes}-8MB", f"write-{pes}-600kB")[0]
        for pes in ("1pe", "4pe")
    }


def _c6(runs: NwtRuns) -> Figures:
    fastest = max(max(runs.rates(cell)) for cell in REWRITTEN)
    array_over_path = [
        _busy_ns(runs, cell, "array") / _busy_ns(runs, cell, "paths") for cell in REWRITTEN
    ]
    return {
        "least_waiting_share_rewritten": min(_waiting_share(runs, cell) for cell in REWRITTEN),
        "most_waiting_share_predicted": max(_waiting_share(runs, cell) for cell in PREDICTED),
        "least_array_over_path_time": min(array_over_path),
        "fastest_run_rewritten_MBps": fastest,
        "slowest_run_rewritten_MBps": min(min(runs.rates(cell)) for cell in REWRITTEN),
        "array_MBps": _rate_MBps(runs, "array"),
        "disk_MBps": _rate_MBps(runs, "disk"),
    }


def _c7(runs: Rates) -> Figures:
    figures: Figures = {}
    for buffer in ("600kB", "8MB"):
        cell = f"write-120MB-{buffer}"
        mean, _, _ = _ratio(runs, f"{cell}-predicted", cell)
        slowest, fastest = min(runs.rates(f"{cell}-predicted")), max(runs.rates(cell))
        figures |= {f"ratio_{buffer}": mean, f"slowest_over_fastest_{buffer}": slowest / fastest}
    return figures


def _c10(runs: NwtRuns) -> Figures:
    cell = READS[0]
    staged, unstaged = runs.cell(cell), runs.cell(cell, UNSTAGED)
    needed = max(result.masters()[0].read.bytes for result in unstaged)
    slower = [r.rate("read") / s.rate("read") for r, s in zip(unstaged, staged, strict=True)]
    return {
        "disk_requests_prestaged": sum(map(_disk_requests, staged)),
        "fetched_over_file_unstaged": min(_counted(r, "fetched_bytes") for r in unstaged) / needed,
        "rate_unstaged_over_prestaged": max(slower),
    }


def _counted(result: Result, counter: str) -> int:
    """Return a counter of the SSU."""
    return sum(store.counts.get(counter, 0) for store in result.stores.values())


def _disk_requests(result: Result) -> int:
    """Return the requests at the front end's paths: all transfers to and from disks."""
    return sum(part.requests for part in result.parts.values() if part.part == "paths")


OF_RATES: Mapping[str, Callable[[Rates], Figures]] = {
    "nwt-c2": _c2,
    "nwt-c3": _c3,
    "nwt-c4": _c4,
    "nwt-c5": _c5,
    "nwt-c7": _c7,
}
"""Claims that need only rates of cells."""
CLAIMS: Mapping[str, Callable[[NwtRuns], Figures]] = {
    **OF_RATES,
    "nwt-c1": _c1,
    "nwt-c6": _c6,
    "nwt-c10": _c10,
}
"""Claim -> the function that gives its figures."""
