"""Latencies from the kernel's tables: of each operation, and of each operation of each job."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from simulator.plan.codes import OPERATIONS
from simulator.result.latency import Latency

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.native.outcome import Table
    from simulator.plan.plan import Plan


def histograms(table: Table) -> Iterator[tuple[int, Latency]]:
    """Yield the number and the contents of each histogram of a table that is not empty."""
    at = 0
    for row, number in enumerate(table.number):
        end = at + table.bins[row]
        bins = dict(zip(table.bin[at:end], table.bin_count[at:end], strict=True))
        at = end
        total = table.sum[row] + (table.sum_above[row] << 62)
        yield number, Latency(table.count[row], total, table.most[row], table.least[row], bins)


def by_job(plan: Plan, table: Table) -> dict[str, dict[str, Latency]]:
    """Return latencies by job and operation: rows of all operations, job after job."""
    jobs, found = plan.jobs, defaultdict[str, dict[str, Latency]](dict)
    for number, one in histograms(table):
        job, operation = divmod(number, len(OPERATIONS))
        found[jobs[job]][OPERATIONS[operation]] = one
    return dict(sorted(found.items()))
