"""The claims of the NWT paper about its tables: the figures of runs that decide each.

The conditions over these figures stand in the study's file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from simulator.result.result import Result
    from simulator.study.nwt import NwtRuns

DISK_RATE = 36.0
"""MB/s of the fast disk array (NWT paper, section 2.1)."""

DISK_COLUMNS = ("ssu.writeback", "paths", "array")
"""Columns of an account: waiting for write-back from the SSU, and for what is behind it."""

UNSTAGED = ("workload.files.input.prestage", "false")
READS = ("read-1pe-600kB", "read-1pe-8MB", "read-4pe-600kB", "read-4pe-8MB")
PREDICTED = ("write-120MB-600kB-predicted", "write-120MB-8MB-predicted")
REWRITTEN = (
    "write-1pe-600kB",
    "write-1pe-8MB",
    "write-4pe-600kB",
    "write-4pe-8MB",
    "write-120MB-600kB",
    "write-120MB-8MB",
)
Figures: TypeAlias = dict[str, float]


def _ratio(runs: NwtRuns, above: str, below: str) -> tuple[float, float, float]:
    """Mean of the first over mean of the second; and the least and greatest, run by run."""
    pairs = list(zip(runs.rates(above), runs.rates(below), strict=True))
    each = [a / b for a, b in pairs]
    mean = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
    return mean, min(each), max(each)


def _disk_share(runs: NwtRuns, cell: str) -> float:
    """Return the part of the master's time that went to write-back, disks and their paths."""
    shares = []
    for result in runs.cell(cell):
        master = result.masters()[0]
        disk = sum(sum(master.spent.get(column, (0, 0))) for column in DISK_COLUMNS)
        shares.append(disk / master.elapsed_ns)
    return sum(shares) / len(shares)


def _c1(runs: NwtRuns) -> Figures:
    slowest = min(min(runs.rates(cell)) for cell in READS)
    fetched = sum(_counted(r, "fetched") for cell in READS for r in runs.cell(cell))
    return {"slowest_over_disk": slowest / DISK_RATE, "units_fetched": fetched}


def _c2(runs: NwtRuns) -> Figures:
    figures: Figures = {}
    for pes in ("1pe", "4pe"):
        mean, least, _ = _ratio(runs, f"read-{pes}-8MB", f"read-{pes}-600kB")
        figures |= {f"ratio_{pes}": mean, f"least_ratio_{pes}": least}
    return figures


def _c3(runs: NwtRuns) -> Figures:
    figures: Figures = {}
    for buffer in ("600kB", "8MB"):
        mean, _, greatest = _ratio(runs, f"read-4pe-{buffer}", f"read-1pe-{buffer}")
        figures |= {f"ratio_{buffer}": mean, f"greatest_ratio_{buffer}": greatest}
    return figures


def _c4(runs: NwtRuns) -> Figures:
    figures: Figures = {}
    for pes in ("1pe", "4pe"):
        for buffer in ("600kB", "8MB"):
            fastest = max(runs.rates(f"write-{pes}-{buffer}"))
            slowest = min(runs.rates(f"read-{pes}-{buffer}"))
            figures[f"fastest_write_over_slowest_read_{pes}_{buffer}"] = fastest / slowest
    return figures


def _c5(runs: NwtRuns) -> Figures:
    return {
        f"8MB_over_600kB_{size}": _ratio(runs, f"write-{size}-8MB", f"write-{size}-600kB")[0]
        for size in ("1pe", "4pe", "120MB")
    }


def _c6(runs: NwtRuns) -> Figures:
    fastest = max(max(runs.rates(cell)) for cell in REWRITTEN)
    return {
        "least_disk_share_rewritten": min(_disk_share(runs, cell) for cell in REWRITTEN),
        "most_disk_share_predicted": max(_disk_share(runs, cell) for cell in PREDICTED),
        "fastest_run_rewritten_over_disk": fastest / DISK_RATE,
    }


def _c7(runs: NwtRuns) -> Figures:
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
    """Requests at the front end's paths: everything that goes to a disk or comes from one."""
    return sum(part.requests for part in result.parts.values() if part.part == "paths")


CLAIMS: Mapping[str, Callable[[NwtRuns], Mapping[str, float]]] = {
    "nwt-c1": _c1,
    "nwt-c2": _c2,
    "nwt-c3": _c3,
    "nwt-c4": _c4,
    "nwt-c5": _c5,
    "nwt-c6": _c6,
    "nwt-c7": _c7,
    "nwt-c10": _c10,
}
"""Claim -> the function that gives its figures."""
