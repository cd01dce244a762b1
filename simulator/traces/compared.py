"""A store of calls as one side of a comparison: where the time of each process went, by call.

The account of a process has a column for each call, and the time between its calls. It begins with
the first call of the store (a simulated run: with time 0), and ends with the process's last call.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.answers.sides import BETWEEN, Account, Side, add_account, ended
from simulator.result.latency import QUANTILES
from simulator.traces.errors import TraceError
from simulator.traces.store import open_store

if TYPE_CHECKING:
    from simulator.answers.sides import Ended, Key, Times
    from simulator.traces.store import Store

_JOB = "trace"


def store_side(path: Path) -> Side:
    """Read a store; TraceError if it has no times and durations, or calls of a process overlap."""
    store = open_store(path)
    simulated = store.about.get("simulated") or {}
    totals = _totals(store, path)
    origin = 0 if simulated else min((start for start, _ in totals.spans.values()), default=0)
    clients = simulated.get("clients", [])
    processes: list[Ended] = []
    for pid, (start, end) in totals.spans.items():
        name = clients[pid - 1] if 0 < pid <= len(clients) else f"process {pid}"
        spent: dict[Key, Times] = {
            ("call", call): (0, time) for call, time in totals.spent[pid].items() if time
        }
        between = end - start - sum(service for _, service in spent.values())
        if between < 0:
            raise TraceError(
                f"{path}: calls of {name} overlap, so that their times do not add up; this store"
                " cannot be compared"
            )
        spent[BETWEEN] = (0, between)
        processes.append(ended(name, _JOB, start - origin, end - start, spent))
    elapsed = max((one.account.time_ns for one in processes), default=0)
    return Side(
        source=str(path),
        machine=simulated.get("machine", ""),
        workload=simulated.get("workload", path.name),
        elapsed_ns=elapsed,
        last=tuple(one for one in processes if one.account.time_ns == elapsed),
        jobs={_JOB: _together(processes)},
        known=frozenset(),
        stores={},
        latencies={call: totals.latency(call) for call in sorted(totals.counts)},
        seed=simulated.get("seed"),
        drawn=simulated.get("seed") or 0,
        digest=simulated.get("digest", ""),
        by_call=True,
    )


class _Totals:
    """Sums over the rows of a store."""

    def __init__(self) -> None:
        self.spans: dict[int, tuple[int, int]] = {}
        """Process -> its first start, and its last end."""
        self.spent: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.counts: dict[str, int] = defaultdict(int)
        self.longest: dict[str, int] = defaultdict(int)

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Add the sums of a batch: a row for each process and call."""
        for row in rows:
            pid, call = row["pid"], row["call"]
            first, last = self.spans.get(pid, (row["time_ns_min"], 0))
            ends = max(last, row["end_ns_max"], row["time_ns_max"])
            self.spans[pid] = min(first, row["time_ns_min"]), ends
            if row["duration_ns_count"]:
                self.spent[pid][call] += row["duration_ns_sum"]
                self.counts[call] += row["duration_ns_count"]
                self.longest[call] = max(self.longest[call], row["duration_ns_max"])

    def latency(self, call: str) -> dict[str, Any]:
        """Return how long a call took; a store has no histograms."""
        whole = sum(spent.get(call, 0) for spent in self.spent.values())
        count = self.counts[call]
        quantiles = dict.fromkeys(QUANTILES)
        mean = round(whole / count, 3)
        return {"count": count, "mean_ns": mean, **quantiles, "max_ns": self.longest[call]}


def _totals(store: Store, path: Path) -> _Totals:
    import pyarrow as pa
    import pyarrow.compute as pc

    totals = _Totals()
    for batch in store.batches():
        if batch.column("time_ns").null_count:
            raise TraceError(f"{path}: calls without a time; only a store with times is compared")
        time, duration = batch.column("time_ns"), batch.column("duration_ns")
        calls = pa.table(
            {
                "pid": batch.column("pid"),
                "call": batch.column("call").cast(pa.string()),
                "time_ns": time,
                "duration_ns": duration,
                "end_ns": pc.add(time, pc.fill_null(duration, 0)),
            }
        )
        wanted = [
            *(("time_ns", "min"), ("time_ns", "max"), ("end_ns", "max")),
            *(("duration_ns", "sum"), ("duration_ns", "count"), ("duration_ns", "max")),
        ]
        totals.add(calls.group_by(["pid", "call"]).aggregate(wanted).to_pylist())
    if not totals.counts:
        raise TraceError(f"{path}: no call has a duration; there is nothing to compare")
    return totals


def _together(processes: list[Ended]) -> Account:
    spent: dict[Key, Times] = {}
    for one in processes:
        add_account(spent, one)
    time = sum(map(sum, spent.values()))
    return Account(_JOB, time, spent, len(processes))
