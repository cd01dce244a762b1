"""Totals of a run from the kernel's tables, without building a whole result.

They equal those of the result (``result/totals.py``), and take less time; decisions/0077.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.native.outcome import Outcome
from simulator.native.queues import queues_of
from simulator.result.jobs import MIN_COVERAGE
from simulator.result.queues import with_stays
from simulator.result.result import Stable, Transfer
from simulator.result.totals import COUNTERS, Totals
from simulator.verification.sums import wrong_spreads

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan


class NeedsResultError(Exception):
    """Totals need the whole result, or the sums of the run are inconsistent."""


def totals_of(outcome: Outcome) -> Totals | None:
    """Return the totals of a run; None if they need a whole result.

    A whole result is needed for I/O nodes, arrivals, members that share data, failed calls, and
    inconsistent sums (the result reports these).
    """
    plan = outcome.plan
    alone = all(one.nodes == 1 and "/" not in one.name for one in plan.processes)
    if plan.buffers or plan.arrivals or not alone:
        return None
    try:
        return _totals(outcome)
    except NeedsResultError:
        return None


def _totals(outcome: Outcome) -> Totals:
    done = _Processes(outcome)
    _check_phases(outcome, done)
    latencies = outcome.latencies()
    _see(not [*wrong_spreads(latencies)] and done.elapsed_ns <= outcome.end_ns)
    return Totals(
        done.elapsed_ns,
        outcome.end_ns,
        done.read.together(),
        done.written.together(),
        _stable(outcome),
        round(done.read.calls_ns / done.workers) if done.workers else 0,
        round(done.written.calls_ns / done.workers) if done.workers else 0,
        1 - done.compute_ns / done.time_ns if done.time_ns else 0.0,
        _counts(outcome),
        with_stays(latencies, queues_of(outcome.plan, outcome.tables)),
        _busiest(outcome),
    )


def _see(sound: bool) -> None:
    if not sound:
        raise NeedsResultError


class _Moved:
    """Data that processes read, or wrote."""

    def __init__(self) -> None:
        self.calls_ns = 0
        """Time in calls, added up."""
        self.bytes: dict[str, int] = {}
        """Bytes by job."""
        self._whole = Transfer()
        self._longest_ns = -1
        self._window_ns = 0
        """The longest window of a process."""

    def add(self, job: str, row: Sequence[int], took_ns: int) -> int:
        """Add the bytes and times of a process; return its time in calls."""
        size, calls, begin, end, beside = row
        whole = self._whole
        if begin < 0:
            _see(not size and not calls and not beside)
            return 0
        _see(size >= 0 and 0 <= calls + beside <= end - begin <= took_ns)
        if whole.begin_ns < 0 or begin < whole.begin_ns:
            whole.begin_ns = begin
        whole.bytes += size
        whole.end_ns = max(whole.end_ns, end)
        whole.calls_ns = max(whole.calls_ns, calls)
        if calls + beside > self._longest_ns:
            self._longest_ns, self._window_ns = calls + beside, end - begin
        self.calls_ns += calls
        self.bytes[job] = self.bytes.get(job, 0) + size
        return calls

    def together(self) -> Transfer:
        """Return the combined transfer, as ``together`` of results does."""
        whole = self._whole
        if whole.begin_ns >= 0:
            whole.beside_ns = self._longest_ns - whole.calls_ns
            whole.apart = self._window_ns < MIN_COVERAGE * whole.elapsed_ns
        return whole


class _Processes:
    """Totals over processes; the account of each is checked."""

    def __init__(self, outcome: Outcome) -> None:
        self.elapsed_ns = 0
        """End of the last process."""
        self.took_ns: dict[str, int] = {}
        """The times of the processes of each job."""
        self.read, self.written = _Moved(), _Moved()
        self.workers = self.time_ns = self.compute_ns = 0
        """Processes that read, write or compute; their elapsed time without idle time; their
        computing time."""
        own, account = outcome.tables["process"], outcome.tables["account"]
        windows = [
            list(zip(one.bytes, one.time, one.first, one.last, one.beside, strict=True))
            for one in (outcome.tables["reads"], outcome.tables["writes"])
        ]
        width = max(1, len(outcome.plan.columns))
        waiting, service = account.waiting.tolist(), account.service.tolist()
        _see(not (any(own.failed) or any(own.failed_read) or any(own.failed_written)))
        for number, one in enumerate(outcome.plan.processes):
            began, ended = own.started[number], own.ended[number]
            compute, idle = own.computed[number], own.idle[number]
            first = number * width
            times = [*waiting[first : first + width], *service[first : first + width]]
            took = ended - began
            _see(0 <= began <= ended and compute + idle + sum(times) == took)
            _see(min(compute, idle, *times) >= 0)
            self.elapsed_ns = max(self.elapsed_ns, ended)
            self.took_ns[one.job] = self.took_ns.get(one.job, 0) + took
            read = self.read.add(one.job, windows[0][number], took)
            if self.written.add(one.job, windows[1][number], took) or read or compute:
                self.workers += 1
                self.time_ns += took - idle
                self.compute_ns += compute


def _check_phases(outcome: Outcome, done: _Processes) -> None:
    """Check that the phases of a job cover all time of its processes, and all bytes moved."""
    phases: dict[str, list[int]] = {}
    table = outcome.tables["named"]
    for number, named in enumerate(outcome.plan.named):
        row = table.row(number)
        if row["passes"]:
            _see(row["passes"] > 0 <= row["begin"] <= row["end"] <= done.elapsed_ns)
            sums = phases.setdefault(named.job, [0, 0, 0])
            for place, name in enumerate(("time", "read", "written")):
                sums[place] += row[name] + (row[f"{name}_above"] << 62)
    for job, sums in phases.items():
        whole = (done.took_ns, done.read.bytes, done.written.bytes)
        _see(sums == [each.get(job, 0) for each in whole])


def _stable(outcome: Outcome) -> Stable:
    """Return the bytes on stable storage."""
    found, table = Stable(), outcome.tables["file"]
    for size, last in zip(table.stable, table.stable_last, strict=True):
        if size:
            found.add(size, last)
    return found


def _counts(outcome: Outcome) -> dict[str, int]:
    """Return the counters of all stores."""
    total = dict.fromkeys(COUNTERS, 0)
    for _, store in outcome.stores():
        _see(min(store.counts.values()) >= 0)
        for name in COUNTERS:
            total[name] += store.counts[name]
    return total


def _busiest(outcome: Outcome) -> str:
    """Return the name of the instance with the highest utilisation, the first of several."""
    plan, users, active = outcome.plan, outcome.plan.core_users(), outcome.active()
    firsts, count = [part.first for part in plan.parts], plan.instances
    state, carries = outcome.tables["instance"], outcome.tables["carry"].busy
    found: list[tuple[PartPlan, int]] = []
    most = -1.0
    rows = zip(state.requests, state.bytes, state.busy, strict=True)
    for one, (requests, moved, busy) in enumerate(rows):
        if one == count or not (requests or busy):
            continue
        row = bisect_right(firsts, one) - 1
        part, index = plan.parts[row], one - firsts[row]
        if not (requests or part.cores):  # Cores compute without requests.
            continue
        time, traits = busy + (carries[one] << 62), part.traits
        spent = active[one] if traits.order == "shared" else time
        _see(min(requests, moved, time, spent) >= 0)
        servers = users.get((row, index), part.at_once)
        if not (traits.busy and servers):
            continue
        utilisation = spent / (outcome.end_ns * servers) if outcome.end_ns else 0.0
        if utilisation > most:
            most, found = utilisation, []
        if utilisation == most:
            found.append((part, index))
    return min((plan.instance_name(*one) for one in found), default="")
