"""How long the calls took: a table of latencies by operation, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.lined import table
from simulator.report.quantity import time_cell

if TYPE_CHECKING:
    from simulator.result.latency import Latency
    from simulator.result.result import Result


def latencies_text(result: Result) -> str:
    """Write the latencies of all operations, those that took most time in all first."""
    timed = {name: one for name, one in result.latencies.items() if one.count and one.max_ns}
    if not timed:
        return ""
    order = sorted(timed, key=lambda name: (-timed[name].sum_ns, name))
    rows = [[name, f"{timed[name].count:,}", *_times(timed[name])] for name in order]
    head = ["operation", "calls", "mean", "p50", "p95", "p99", "max"]
    return table(head, rows, "lrrrrrr")


def _times(one: Latency) -> list[str]:
    quantiles = [one.quantile_ns(part) for part in (0.5, 0.95, 0.99)]
    return [time_cell(time) for time in (one.mean_ns, *quantiles, one.max_ns)]
