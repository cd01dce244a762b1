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
from simulator.traces.reports.choice import Choice
from simulator.traces.reports.opened import opened
from simulator.traces.store import Store

if TYPE_CHECKING:
    from simulator.answers.sides import Ended, Key, Times

_JOB = "trace"
_SUMS = """\
SELECT pid, call, min(time_ns), max(time_ns + greatest(coalesce(duration_ns, 0), 0)),
coalesce(sum(duration_ns), 0)::HUGEINT, count(duration_ns), coalesce(max(duration_ns), 0),
count(*) - count(time_ns) FROM calls GROUP BY 1, 2 ORDER BY min(place)"""


def store_side(path: Path) -> Side:
    """Read a store; TraceError if it has no times and durations, or calls of a process overlap."""
    Store(path)  # Raises what is wrong with it.
    with opened([path], Choice()) as trace:
        simulated = trace.about.get("simulated") or {}
        rows = trace.rows(_SUMS)
    if any(row[-1] for row in rows):
        raise TraceError(f"{path}: calls without a time; only a store with times is compared")
    if not any(row[5] for row in rows):
        raise TraceError(f"{path}: no call has a duration; there is nothing to compare")
    of_process: dict[int, list[Any]] = defaultdict(list)
    of_call: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        of_process[row[0]].append(row)
        of_call[row[1]].append(row)
    origin = 0 if simulated else min((row[2] for row in rows), default=0)
    clients = simulated.get("clients", [])
    processes: list[Ended] = []
    for pid, mine in of_process.items():
        name = clients[pid - 1] if 0 < pid <= len(clients) else f"process {pid}"
        processes.append(_process(path, name, origin, mine))
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
        latencies=dict(filter(None, (_latency(*one) for one in sorted(of_call.items())))),
        seed=simulated.get("seed"),
        drawn=simulated.get("seed") or 0,
        digest=simulated.get("digest", ""),
        by_call=True,
    )


def _process(path: Path, name: str, origin: int, rows: list[Any]) -> Ended:
    """Return the account of a process: of each call, and of the time between them."""
    start, end = min(row[2] for row in rows), max(row[3] for row in rows)
    spent: dict[Key, Times] = {("call", row[1]): (0, row[4]) for row in rows if row[4]}
    between = end - start - sum(service for _, service in spent.values())
    if between < 0:
        raise TraceError(
            f"{path}: calls of {name} overlap, so that their times do not add up; this store"
            " cannot be compared"
        )
    spent[BETWEEN] = (0, between)
    return ended(name, _JOB, start - origin, end - start, spent)


def _latency(call: str, rows: list[Any]) -> tuple[str, dict[str, Any]] | None:
    """Return how long a call took; a store has no histograms. None without a duration."""
    count, whole = sum(row[5] for row in rows), sum(row[4] for row in rows)
    if not count:
        return None
    numbers = {"count": count, "mean_ns": round(whole / count, 3), **dict.fromkeys(QUANTILES)}
    return call, {**numbers, "max_ns": max(row[6] for row in rows)}


def _together(processes: list[Ended]) -> Account:
    spent: dict[Key, Times] = {}
    for one in processes:
        add_account(spent, one)
    time = sum(map(sum, spent.values()))
    return Account(_JOB, time, spent, len(processes))
