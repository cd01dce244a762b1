"""From an engine that has run to the totals of the run, without a result of all that it did.

They are those of the result (``result/totals.py``), in about half of the time; decisions/0025.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import compress
from operator import add, itemgetter
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.collect import COUNTS, active_ns, latencies_of, used_stores
from simulator.native.statekinds import WIDE_OF_NAMED
from simulator.result.jobs import MOST_OF_IT
from simulator.result.result import Stable, Transfer
from simulator.result.sums import wrong_spreads
from simulator.result.totals import COUNTERS, Totals

if TYPE_CHECKING:
    from simulator.native.flatten import Flat
    from simulator.plan.parts import PartPlan

_ADDED = itemgetter(*map(COUNTS.index, COUNTERS))


class UnclearError(Exception):
    """Something that only a whole result tells, or that no result may have."""


def totals_of(flat: Flat) -> Totals | None:
    """Return what a run comes to; None where a whole result is needed for that.

    So it is with I/O nodes, arrivals, members that share data, and calls that failed; and with sums
    that cannot be, which the result then tells.
    """
    if flat.plan.buffers or flat.plan.arrivals or not flat.alone:
        return None
    try:
        return _totals(flat)
    except UnclearError:
        return None


def _totals(flat: Flat) -> Totals:
    end_ns = int(flat.clock.now)
    done = _Processes(flat)
    _check_phases(flat, done)
    latencies = latencies_of(flat)
    _see(not [*wrong_spreads(latencies)] and done.elapsed_ns <= end_ns)
    return Totals(
        done.elapsed_ns,
        end_ns,
        done.read.together(),
        done.written.together(),
        _stable(flat),
        round(done.read.calls_ns / done.workers) if done.workers else 0,
        round(done.written.calls_ns / done.workers) if done.workers else 0,
        1 - done.compute_ns / done.time_ns if done.time_ns else 0.0,
        _counts(flat),
        latencies,
        _busiest(flat, end_ns),
    )


def _see(sound: bool) -> None:
    if not sound:
        raise UnclearError


# -- processes ------------------------------------------------------------------------------------


class _Moved:
    """What processes read, or wrote."""

    def __init__(self) -> None:
        self.calls_ns = 0
        """Time in calls, added up."""
        self.bytes: dict[str, int] = {}
        """By job."""
        self._whole = Transfer()
        self._longest_ns = -1
        self._window_ns = 0
        """The window of the process that was longest at it."""

    def add(self, job: str, cells: Sequence[int], took_ns: int) -> int:
        """Add what a process moved: bytes, and its times; returns that in calls."""
        size, calls, begin, end, beside = cells
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
        """Return what all have moved, as ``together`` of results does."""
        whole = self._whole
        if whole.begin_ns >= 0:
            whole.beside_ns = self._longest_ns - whole.calls_ns
            whole.apart = self._window_ns < MOST_OF_IT * whole.elapsed_ns
        return whole


_READ = itemgetter(c.X_READ_BYTES, c.X_READ_NS, c.X_READ_FIRST, c.X_READ_LAST, c.X_READ_BESIDE)
_WRITTEN = itemgetter(
    c.X_WRITE_BYTES, c.X_WRITE_NS, c.X_WRITE_FIRST, c.X_WRITE_LAST, c.X_WRITE_BESIDE
)


class _Processes:
    """What processes did, added up; each accounts for its time."""

    def __init__(self, flat: Flat) -> None:
        self.elapsed_ns = 0
        """Until the last ended."""
        self.took_ns: dict[str, int] = {}
        """The times of the processes of each job."""
        self.read, self.written = _Moved(), _Moved()
        self.workers = self.time_ns = self.compute_ns = 0
        """Those that read, write or compute; their time but for idle time; what they compute."""
        process, spent = memoryview(flat.clients.process), memoryview(flat.parts.spent)
        failed = memoryview(flat.clients.failed)
        width = 2 * max(1, len(flat.plan.columns))
        for number, one in enumerate(flat.plan.processes):
            row = process[number * flat.stride :][: c.X_PLACES].tolist()
            stops = failed[number * c.FL_ROWS :]
            _see(not (stops[c.FL_COUNT] or stops[c.FL_READ] or stops[c.FL_WRITE]))
            self._add(one.job, row, spent[number * width :][:width].tolist())

    def _add(self, job: str, row: Sequence[int], times: Sequence[int]) -> None:
        compute, idle = row[c.X_COMPUTED], row[c.X_IDLE]
        started, ended = row[c.X_STARTED], row[c.X_ENDED]
        took = ended - started
        _see(0 <= started <= ended and compute + idle + sum(times) == took)
        _see(min(compute, idle, *times) >= 0)
        self.elapsed_ns = max(self.elapsed_ns, ended)
        self.took_ns[job] = self.took_ns.get(job, 0) + took
        read = self.read.add(job, _READ(row), took)
        if self.written.add(job, _WRITTEN(row), took) or read or compute:
            self.workers += 1
            self.time_ns += took - idle
            self.compute_ns += compute


def _check_phases(flat: Flat, done: _Processes) -> None:
    """See to it that the phases of a job take all the time of its processes, and all they move."""
    table = memoryview(flat.clients.named).tolist()
    phases: dict[str, list[int]] = {}
    for number, named in enumerate(flat.plan.named):
        row = table[number * c.PH_ROWS :][: c.PH_ROWS]
        if row[c.PH_PASSES]:
            _see(row[c.PH_PASSES] > 0 <= row[c.PH_BEGIN] <= row[c.PH_END] <= done.elapsed_ns)
            sums = phases.setdefault(named.job, [0, 0, 0])
            for place, at in enumerate(WIDE_OF_NAMED):
                sums[place] += row[at] + (row[at + 1] << 62)
    for job, sums in phases.items():
        whole = (done.took_ns, done.read.bytes, done.written.bytes)
        _see(sums == [each.get(job, 0) for each in whole])


# -- parts and stores -----------------------------------------------------------------------------


def _stable(flat: Flat) -> Stable:
    """What has come to stable storage."""
    found, rows = Stable(), memoryview(flat.tiers.stable)
    sizes = rows[c.STABLE_BYTES :: c.STABLE_ROWS].tolist() if flat.plan.files else []
    for file in compress(range(len(sizes)), sizes):
        found.add(sizes[file], rows[file * c.STABLE_ROWS + c.STABLE_LAST])
    return found


def _counts(flat: Flat) -> dict[str, int]:
    """What the stores counted."""
    total = [0] * len(COUNTERS)
    for _, _, counts in used_stores(flat):
        _see(min(counts) >= 0)
        total = [*map(add, total, _ADDED(counts))]
    return dict(zip(COUNTERS, total, strict=True))


def _busiest(flat: Flat, end_ns: int) -> str:
    """Name the instance with the highest utilisation, the first of several."""
    plan, firsts, parts, users = flat.plan, flat.firsts, flat.parts, flat.users
    state, carries = memoryview(parts.state), memoryview(parts.busy)
    found: list[tuple[PartPlan, int]] = []
    most = -1.0
    end, one = plan.instances, -1
    while (one := parts.touched(one + 1, end)) < end:
        requests, moved, busy = state[4 * one + c.REQUESTS : 4 * one + c.BUSY + 1].tolist()
        row = bisect_right(firsts, one) - 1
        part, index = plan.parts[row], one - firsts[row]
        if not (requests or part.cores):  # Cores compute without requests.
            continue
        time, traits = busy + (carries[one] << 62), part.traits
        active = active_ns(flat, row, index) if traits.order == "shared" else time
        _see(min(requests, moved, time, active) >= 0)
        servers = users.get((row, index), part.at_once)
        if not (traits.busy and servers):
            continue
        utilisation = active / (end_ns * servers) if end_ns else 0.0
        if utilisation > most:
            most, found = utilisation, []
        if utilisation == most:
            found.append((part, index))
    return min((plan.instance_name(*one) for one in found), default="")
