"""The claims of the NWT paper about its tables, each decided by simulated runs.

Every function takes the runs of a reproduction and returns whether the claim holds and the
figures that decide it. Rules and the paper's own ratios stand in the study's file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from simulator.result.result import Result
    from simulator.study.study import Claim

DISK_RATE = 36.0
"""MB/s of the fast disk array (NWT paper, section 2.1)."""

DISK_COLUMNS = ("ssu.writeback", "paths", "array")
"""Columns of an account: waiting for write-back from the SSU, and for what is behind it."""

Figures: TypeAlias = dict[str, float]
Verdict: TypeAlias = tuple[bool, Figures]


class Runs:
    """The simulated runs of every cell: one result for each repetition."""

    def __init__(self, results: Mapping[str, Sequence[Result]], unstaged: Sequence[Result]) -> None:
        self.results = results
        self.unstaged = unstaged
        """Table 4.2(1)'s first cell again, without prestaging."""

    def rates(self, cell: str) -> list[float]:
        """MB/s of each run of a cell."""
        work = "read" if cell.startswith("read") else "write"
        return [result.rate(work) / 1e6 for result in self.results[cell]]

    def ratio(self, above: str, below: str) -> tuple[float, float, float]:
        """Mean of the first over mean of the second; and the least and greatest, run by run."""
        pairs = list(zip(self.rates(above), self.rates(below), strict=True))
        each = [a / b for a, b in pairs]
        mean = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
        return mean, min(each), max(each)

    def disk_share(self, cell: str) -> float:
        """The part of the master's time that went to write-back, disks and their paths."""
        shares = []
        for result in self.results[cell]:
            master = result.masters()[0]
            disk = sum(sum(master.spent.get(column, (0, 0))) for column in DISK_COLUMNS)
            shares.append(disk / master.elapsed_ns)
        return sum(shares) / len(shares)


def _near(value: float, published: float, within: float) -> bool:
    return abs(value / published - 1) <= within


def _c1(runs: Runs, _claim: Claim) -> Verdict:
    cells = [cell for cell in runs.results if cell.startswith("read")]
    slowest = min(min(runs.rates(cell)) for cell in cells)
    fetched = sum(_counted(r, "fetched") for cell in cells for r in runs.results[cell])
    figures = {"slowest_run_MBps": slowest, "disk_MBps": DISK_RATE, "units_fetched": fetched}
    return slowest > 2 * DISK_RATE and fetched == 0, figures


def _c2(runs: Runs, claim: Claim) -> Verdict:
    figures: Figures = {}
    holds = True
    for pes in ("1pe", "4pe"):
        mean, least, _ = runs.ratio(f"read-{pes}-8MB", f"read-{pes}-600kB")
        figures |= {f"ratio_{pes}": mean, f"paper_{pes}": claim.ratios[pes]}
        holds &= least > 1 and _near(mean, claim.ratios[pes], 0.10)
    return holds, figures


def _c3(runs: Runs, claim: Claim) -> Verdict:
    figures: Figures = {}
    holds = True
    for buffer in ("600kB", "8MB"):
        mean, _, greatest = runs.ratio(f"read-4pe-{buffer}", f"read-1pe-{buffer}")
        figures |= {f"ratio_{buffer}": mean, f"paper_{buffer}": claim.ratios[buffer]}
        holds &= greatest < 1 and _near(mean, claim.ratios[buffer], 0.10)
    return holds, figures


def _c4(runs: Runs, _claim: Claim) -> Verdict:
    figures: Figures = {}
    holds = True
    for pes in ("1pe", "4pe"):
        for buffer in ("600kB", "8MB"):
            fastest = max(runs.rates(f"write-{pes}-{buffer}"))
            slowest = min(runs.rates(f"read-{pes}-{buffer}"))
            figures[f"fastest_write_over_slowest_read_{pes}_{buffer}"] = fastest / slowest
            holds &= fastest < slowest
    return holds, figures


def _c5(runs: Runs, _claim: Claim) -> Verdict:
    figures = {
        f"8MB_over_600kB_{size}": runs.ratio(f"write-{size}-8MB", f"write-{size}-600kB")[0]
        for size in ("1pe", "4pe", "120MB")
    }
    return figures["8MB_over_600kB_1pe"] < 1 and max(figures.values()) <= 1.2, figures


def _c6(runs: Runs, _claim: Claim) -> Verdict:
    rewritten = [c for c in runs.results if c.startswith("write") and "predicted" not in c]
    predicted = [c for c in runs.results if c.endswith("predicted")]
    figures = {
        "least_disk_share_rewritten": min(runs.disk_share(cell) for cell in rewritten),
        "most_disk_share_predicted": max(runs.disk_share(cell) for cell in predicted),
        "fastest_run_rewritten_MBps": max(max(runs.rates(cell)) for cell in rewritten),
        "disk_MBps": DISK_RATE,
    }
    holds = figures["least_disk_share_rewritten"] > 0.5
    holds &= figures["most_disk_share_predicted"] < 0.01
    return holds and figures["fastest_run_rewritten_MBps"] < DISK_RATE, figures


def _c7(runs: Runs, claim: Claim) -> Verdict:
    figures: Figures = {}
    holds = True
    for buffer in ("600kB", "8MB"):
        cell = f"write-120MB-{buffer}"
        mean, _, _ = runs.ratio(f"{cell}-predicted", cell)
        figures |= {f"ratio_{buffer}": mean, f"paper_{buffer}": claim.ratios[buffer]}
        faster = min(runs.rates(f"{cell}-predicted")) > max(runs.rates(cell))
        holds &= faster and _near(mean, claim.ratios[buffer], 0.20)
    return holds, figures


def _c10(runs: Runs, _claim: Claim) -> Verdict:
    staged = runs.results["read-1pe-600kB"]
    requests = sum(_disk_requests(result) for result in staged)
    fetched = min(_counted(result, "fetched_bytes") for result in runs.unstaged)
    needed = max(result.masters()[0].read.bytes for result in runs.unstaged)
    slower = [r.rate("read") / s.rate("read") for r, s in zip(runs.unstaged, staged, strict=True)]
    figures = {
        "disk_requests_prestaged": float(requests),
        "fetched_over_file_unstaged": fetched / needed,
        "rate_unstaged_over_prestaged": max(slower),
    }
    return requests == 0 and fetched >= needed and max(slower) < 0.5, figures


def _counted(result: Result, counter: str) -> int:
    """Return a counter of the SSU."""
    return sum(store.counts.get(counter, 0) for store in result.stores.values())


def _disk_requests(result: Result) -> int:
    """Requests at the front end's paths: everything that goes to a disk or comes from one."""
    return sum(part.requests for part in result.parts.values() if part.part == "paths")


RULES: Mapping[str, Callable[[Runs, Claim], Verdict]] = {
    "nwt-c1": _c1,
    "nwt-c2": _c2,
    "nwt-c3": _c3,
    "nwt-c4": _c4,
    "nwt-c5": _c5,
    "nwt-c6": _c6,
    "nwt-c7": _c7,
    "nwt-c10": _c10,
}
"""Claim -> the function that decides it."""
