"""From an engine that has run to a result: the same that the reference engine gives."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import compress
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.blocked import check_ended
from simulator.native.collectspans import calls_of, spans_of
from simulator.native.flatjobs import TIMED_CODES
from simulator.native.flatstores import counts_of, drain, written_of
from simulator.native.statekinds import WIDE_OF_NAMED
from simulator.plan.codes import OPERATIONS
from simulator.plan.events import disk_events_of
from simulator.result.latency import Latency, bin_of
from simulator.result.result import (
    ArrayResult,
    FailedCalls,
    PartResult,
    PhaseResult,
    ProcessResult,
    Result,
    Stable,
    StateResult,
    StoreResult,
    Transfer,
)
from simulator.result.states import changes_of, states_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.native.flatten import Flat
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.parts import StorePlan

COUNTS = tuple(name[2:].lower() for name in vars(c) if name.startswith("C_"))
"""The counters of an instance of a store, in their order there."""


def collect(flat: Flat, prestage_ns: int) -> Result:
    """Return everything that came out; SimulationError names processes that wait for ever."""
    plan, clients = flat.plan, flat.clients
    check_ended(flat)
    process = memoryview(clients.process)
    ended = process[c.X_ENDED :: flat.stride].tolist() if plan.processes else []
    elapsed_ns = max(ended, default=0)
    flat.make_room()  # what is drained may take a place on the timeline
    drained_ns = drain(plan, flat.buffers, elapsed_ns)
    end_ns = max(flat.clock.now, drained_ns)
    buffers = _buffers(flat)
    return Result(
        machine=plan.machine,
        workload=plan.workload,
        engine="native",
        seed=plan.seed,
        run=plan.run,
        digest=plan.digest,
        elapsed_ns=elapsed_ns,
        end_ns=end_ns,
        processes=[
            one for number, row in enumerate(plan.processes) for one in _process(flat, number, row)
        ],
        parts=_parts(flat),
        stores=dict(sorted({**_stores(flat), **buffers}.items())),
        latencies=latencies_of(flat),
        prestage_ns=prestage_ns,
        events=flat.clock.alarms + flat.sharing.rings,
        spans=spans_of(flat) if flat.parts.timing else [],
        calls=calls_of(flat) if clients.recording else None,
        needless={tier: count for tier, count in enumerate(flat.tiers.needless) if count},
        stable=_stable(flat),
        responses=_responses(flat),
        states=_states(flat, end_ns),
        arrays=_arrays(flat, end_ns),
        changes=changes_of(plan, end_ns) if flat.parts.timing else {},
        gaps_ns=plan.gaps_ns(),
        phases=_phases(flat),
    )


# -- processes ----------------------------------------------------------------------------------


def _process(flat: Flat, number: int, row: ProcessPlan) -> list[ProcessResult]:
    """The result of a process, then those of the members that it shares data with."""
    x = number * flat.stride
    process, columns = memoryview(flat.clients.process), flat.plan.columns
    first = 2 * number * max(1, len(columns))
    spent = memoryview(flat.parts.spent)
    pairs = {
        name: (spent[first + 2 * i], spent[first + 2 * i + 1]) for i, name in enumerate(columns)
    }
    failed = memoryview(flat.clients.failed)[number * c.FL_ROWS :][: c.FL_ROWS]
    failures = FailedCalls()
    if failed[c.FL_COUNT]:
        failures = FailedCalls(*failed[c.FL_COUNT : c.FL_READ].tolist())
    master = ProcessResult(
        name=row.name,
        job=row.job,
        started_ns=process[x + c.X_STARTED],
        ended_ns=process[x + c.X_ENDED],
        read=_transfer(process, x, _READ, failed[c.FL_READ]),
        write=_transfer(process, x, _WRITE, failed[c.FL_WRITE]),
        compute_ns=process[x + c.X_COMPUTED],
        idle_ns=process[x + c.X_IDLE],
        spent={name: pair for name, pair in pairs.items() if pair != (0, 0)},
        rounds=process[x + c.X_ROUND] if row.until >= 0 else 0,
        failed=failures,
    )
    return [master, *(_member(flat, master, row, x, rank) for rank in range(1, row.nodes))]


def _phases(flat: Flat) -> list[PhaseResult]:
    """The phases of jobs, as the workload has them."""
    rows, found = memoryview(flat.clients.named).tolist(), []
    for number, one in enumerate(flat.plan.named):
        row = rows[number * c.PH_ROWS :][: c.PH_ROWS]
        time, read, written = (row[at] + (row[at + 1] << 62) for at in WIDE_OF_NAMED)
        passes, begin, end = row[c.PH_PASSES : c.PH_END + 1]
        made = PhaseResult(one.job, one.label, one.what, passes, begin, end, time, read, written)
        found.append(made.without_failed())
    return [one for one in found if one.passes]


_READ = (c.X_READ_BYTES, c.X_READ_FIRST, c.X_READ_BESIDE)
_WRITE = (c.X_WRITE_BYTES, c.X_WRITE_FIRST, c.X_WRITE_BESIDE)
"""Where bytes, the window, and syncs and closes of what a process reads and writes are."""


def _transfer(
    process: memoryview[int], x: int, fields: tuple[int, int, int], failed: int
) -> Transfer:
    """What a process read or wrote, ``failed`` bytes of which have not been moved."""
    moved, first, beside = fields
    begin = process[x + first]
    end = process[x + first + 1] if begin >= 0 else -1
    whole = Transfer(process[x + moved], process[x + moved + 1], begin, end, process[x + beside])
    whole.failed_bytes = failed
    return whole.without_failed() if failed else whole


def _member(
    flat: Flat, master: ProcessResult, row: ProcessPlan, x: int, rank: int
) -> ProcessResult:
    """A member that shares the data of a process: it packs, unpacks, and waits for the rest."""
    service = flat.clients.shared[flat.clients.process[x + c.X_SHARES] + rank]
    spent = {}
    if service and row.cpu >= 0:
        spent[flat.plan.columns[flat.plan.parts[row.cpu].column]] = (0, service)
    return ProcessResult(
        name=f"{master.name}/{rank}",
        job=master.job,
        started_ns=master.started_ns,
        ended_ns=master.ended_ns,
        read=Transfer(),
        write=Transfer(),
        compute_ns=0,
        idle_ns=master.elapsed_ns - service,
        spent=spent,
    )


# -- parts and stores ---------------------------------------------------------------------------


def _parts(flat: Flat) -> dict[str, PartResult]:
    plan, users = flat.plan, flat.plan.core_users()
    state = array("q", memoryview(flat.parts.state).tobytes())
    requests, moved, busy = (state[one::4] for one in (c.REQUESTS, c.BYTES, c.BUSY))
    asked = [*compress(range(len(requests)), requests)]
    done = {}
    for row, part in enumerate(plan.parts):
        end = part.first + part.count
        low = bisect_left(asked, part.first)
        used = asked[low : bisect_left(asked, end, low)]
        if part.cores:  # they compute without requests
            used = [one for one in range(part.first, end) if requests[one] or busy[one]]
        for one in used:
            index = one - part.first
            done[plan.instance_name(part, index)] = PartResult(
                part=part.label,
                kind=part.kind,
                requests=requests[one],
                bytes=moved[one],
                busy_ns=busy[one] + (flat.parts.busy[one] << 62),
                servers=users.get((row, index), part.at_once),
                active_ns=active_ns(flat, row, index) if part.traits.order == "shared" else None,
            )
    return dict(sorted(done.items()))


def active_ns(flat: Flat, row: int, index: int) -> int:
    """Return the time in which a transfer was under way at an instance of a part that is shared."""
    number = flat.parts.spec[row * c.P_ROWS + c.P_SHARE] + index
    return flat.sharing.share[number * c.S_ROWS + c.S_ACTIVE]


COUNTED = {
    "failures": c.AR_FAILURES,
    "rebuilds": c.AR_REBUILDS,
    "degraded_ns": c.AR_DEGRADED_NS,
    "rebuilt_bytes": c.AR_REBUILT,
    "rebuild_read_bytes": c.AR_REBUILD_READ,
    "reconstructed_bytes": c.AR_RECONSTRUCTED,
    "read_bytes": c.AR_READ,
    "written_bytes": c.AR_WRITTEN,
    "losses": c.AR_LOSSES,
    "first_loss_ns": c.AR_FIRST_LOSS,
}


def _arrays(flat: Flat, end_ns: int) -> dict[str, ArrayResult]:
    """What happened to arrays of disks."""
    plan, arrays = flat.plan, flat.tiers.arrays
    happens = disk_events_of(plan)
    found = {}
    for number, part in enumerate(plan.parts):
        for one in part.instances if part.kind == "array" else ():
            if one in happens or flat.parts.state[4 * one + c.REQUESTS]:
                row = arrays.finish(number * c.P_ROWS, one, end_ns)
                counts = {name: arrays.row[row + field] for name, field in COUNTED.items()}
                found[plan.instance_name(part, one - part.first)] = ArrayResult(
                    part.label, **counts
                )
    return dict(sorted(found.items()))


def _states(flat: Flat, end_ns: int) -> dict[str, StateResult]:
    counted = flat.parts.calendars
    return states_of(
        flat.plan,
        end_ns,
        lambda one: (counted.delayed[one], counted.missed[one], counted.given_up[one]),
    )


def _stable(flat: Flat) -> dict[str, Stable]:
    """What has come to stable storage, by job."""
    plan, rows = flat.plan, memoryview(flat.tiers.stable)
    found: dict[str, Stable] = {}
    jobs = plan.jobs
    sizes = rows[c.STABLE_BYTES :: c.STABLE_ROWS].tolist() if plan.files else []
    for file in compress(range(len(sizes)), sizes):
        last, job = rows[file * c.STABLE_ROWS + 1 : file * c.STABLE_ROWS + 3].tolist()
        name = jobs[job - 1] if job > 0 else ""
        found.setdefault(name, Stable()).add(sizes[file], last)
    for size, last in written_of(plan, flat.buffers):
        found.setdefault("", Stable()).add(size, last)
    return dict(sorted(found.items()))


def _buffers(flat: Flat) -> dict[str, StoreResult]:
    """Return what buffer caches did, by their names, and have the parts count RAID units' work."""
    plan, state = flat.plan, flat.parts.state
    found, number = {}, 0
    for row in plan.buffers:
        for member in range(plan.groups[row.group].count):
            counts = counts_of(flat.buffers, number)
            number += 1
            at = 4 * (plan.parts[row.raid].first + member)
            state[at + c.REQUESTS] = counts["disk_reads"] + counts["disk_writes"]
            state[at + c.BYTES] = counts["disk_read_bytes"] + counts["disk_written_bytes"]
            state[at + c.BUSY] = counts["disk_busy_ns"]
            if counts["hits"] + counts["misses"]:
                found[plan.store_name(row, member)] = StoreResult(row.name, counts)
    return found


def _stores(flat: Flat) -> dict[str, StoreResult]:
    plan, dirty, done = flat.plan, _dirty(flat), {}
    for store, at, cells in used_stores(flat):
        counts = dict(zip(COUNTS, cells, strict=True))
        counts["resident"] = flat.blocks.inst[at + c.I_USED]
        counts["dirty"], counts["dirty_bytes"] = dirty.get(at, (0, 0))
        name = plan.store_name(store, at // c.I_ROWS - store.first)
        done[name] = StoreResult(store.name, counts)
    return done


_USES = [COUNTS.index(one) for one in ("hits", "misses", "accepted_bytes", "prestaged")]


def used_stores(flat: Flat) -> Iterator[tuple[StorePlan, int, list[int]]]:
    """Yield the place and the counters of each instance of a store that was used."""
    inst = memoryview(flat.blocks.inst)
    used = set(_file_cells(flat, c.F_STORE_AT))
    for store in flat.plan.stores:
        first = store.first * c.I_ROWS
        for at in range(first, first + store.count * c.I_ROWS, c.I_ROWS):
            if at in used:
                counts = inst[at + c.C_HITS : at + c.I_ROWS].tolist()
                if any(counts[place] for place in _USES):
                    yield store, at, counts


def _file_cells(flat: Flat, field: int) -> list[int]:
    """A field of all files of instances."""
    rows = memoryview(flat.blocks.frow)[: flat.blocks.file_count * c.F_ROWS]
    return rows[field :: c.F_ROWS].tolist() if rows else []


def _dirty(flat: Flat) -> dict[int, tuple[int, int]]:
    """For each instance that has any, its blocks that are dirty or queued, and their bytes."""
    blocks = flat.blocks
    found: dict[int, tuple[int, int]] = {}
    pending = compress(_file_cells(flat, c.F_STORE_AT), _file_cells(flat, c.F_PENDING))
    for at in set(pending):
        count = size = 0
        for ring in (c.I_DIRTY, c.I_QUEUED):
            count += blocks.count_dirty(at + ring)
            size += blocks.dirty_sum
        found[at] = (count, size)
    return found


# -- latencies, spans, calls --------------------------------------------------------------------


def latencies_of(flat: Flat) -> dict[str, Latency]:
    """Return the latencies of each operation that happened."""
    rows, table = flat.clients.latency_row, memoryview(flat.clients.latency)
    found = {}
    for code in TIMED_CODES:
        row = rows[code]
        if row >= 0 and table[row + c.Q_COUNT]:
            found[OPERATIONS[code]] = _latency(table, row)
    return found


def _responses(flat: Flat) -> dict[str, Latency]:
    """How long jobs that arrive took, by job; only those that had an arrival."""
    rows, table = flat.clients.latency_row, memoryview(flat.clients.latency)
    found = {name: rows[c.KIND_BITS + 1 + number] for number, name in enumerate(flat.plan.jobs)}
    return {
        name: _latency(table, row)
        for name, row in sorted(found.items())
        if row >= 0 and table[row + c.Q_COUNT]
    }


def _latency(table: memoryview[int], row: int) -> Latency:
    """The histogram at a row."""
    count, total, most, least, carry = table[row : row + c.Q_BINS].tolist()
    return Latency(count, total + (carry << 62), most, least, _bins(table, row))


def bins_at(table: memoryview[int], row: int) -> tuple[int, int]:
    """Return where the bins from the least to the longest latency of a row begin and end."""
    first = row + c.Q_BINS
    return first + bin_of(table[row + c.Q_LEAST]), first + bin_of(table[row + c.Q_MOST]) + 1


def _bins(table: memoryview[int], row: int) -> dict[int, int]:
    """The bins that have any."""
    begin, end = bins_at(table, row)
    counts, first = table[begin:end].tolist(), begin - row - c.Q_BINS
    return {first + i: counts[i] for i in compress(range(len(counts)), counts)}
