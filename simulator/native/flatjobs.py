"""From a plan's processes to tables: phases, listed operations, and where processes meet."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from simulator.native import codes as c
from simulator.native.flatchains import places_of_channel, places_of_exchange
from simulator.native.tables import ProcessTables, copy_with
from simulator.plan.codes import (
    DIRECT,
    LISTED,
    LOOP,
    METADATA,
    OPERATIONS,
    POISSON,
    STREAM,
    SYNCED,
    WRITE,
    plain,
)
from simulator.plan.cores import crowded_groups
from simulator.plan.noise import exponential_table, stream_key
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.policies import POLICY_NAMES
from simulator.runtime.records import NO_LIMIT
from simulator.runtime.streams import RecordStreams

if TYPE_CHECKING:
    from simulator.native.flattiers import Tiering
    from simulator.native.tables import PartTables
    from simulator.plan.jobs import DrawPlan, PhasePlan, ProcessPlan
    from simulator.plan.plan import Plan

TIMED_CODES = tuple(sorted({1, 2, 9, 10, 12, 13, 14, 15, 16, c.O_JOB, *METADATA}))
"""The operations whose latencies are kept."""
ALWAYS = (1, 2, 3, 4)


def _meta_place(code: int) -> int:
    return METADATA.index(code) if code in METADATA else -1


def _named_rows(count: int) -> array[int]:
    """Rows of named phases to which no process has come."""
    row = array("q", bytes(8 * c.PH_ROWS))
    row[c.PH_BEGIN] = row[c.PH_END] = -1
    return row * count


class Jobs:
    """The tables of processes while they are made."""

    def __init__(self, plan: Plan, parts: PartTables, tiering: Tiering) -> None:
        self.plan = plan
        self.tiering = tiering
        self.parts = parts
        self.lengths = LengthTable()
        self.streams = self.new_streams()
        self.stride = (c.X_PLACES + tiering.places + 7) & ~7
        self.rows: dict[int, int] = {}
        self.jobs = {name: n for n, name in enumerate(plan.jobs)}
        self.checked: set[tuple[int, int, int]] = set()
        self.phase = array("q")
        self.draw = array("q")
        self.draw_key = array("Q")
        self.drain = array("q")
        self.cut = array("q")
        self.shared = 0
        self.holdings = array("q", bytes(8 * c.HO_ROWS))
        self.holding: dict[tuple[int, int], int] = {}
        """Where what processes of a group hold stands, by its bytes and the group."""
        self.named = _named_rows(len(plan.named))
        self.listings = False
        """Whether calls of a library are listed in the streams."""
        self.drains = any(path.drain >= 0 for path in plan.paths)
        self.process = self._processes()
        self.tables = self._tables()

    def again(self, plan: Plan, parts: PartTables, changed: dict[str, Any]) -> Jobs:
        """Return the same for a run of a plan that is alike, with new streams.

        ``changed`` are the tables that a run changes, as they were before it.
        """
        fields = {"copy_ns_per_byte": parts.copy_rate, "first_copier": plan.first_copier}
        tables = copy_with(self.tables, {**fields, "path": array("q"), **changed})
        own = {"plan": plan, "parts": parts, "streams": self.new_streams(), "tables": tables}
        return copy_with(self, {**own, "process": tables.process})

    def new_streams(self) -> RecordStreams:
        """Return streams, none of which has begun."""
        return RecordStreams(max(1, len(self.plan.processes)), self.lengths)

    # -- processes ------------------------------------------------------------------------------

    def _processes(self) -> array[int]:
        empty = array("q", bytes(8 * self.stride))
        unset = (c.X_READ_FIRST, c.X_WRITE_FIRST, c.X_READ_FILE, c.X_OPENED_FILE, c.X_NAMED)
        for field in (c.X_PHASE, c.X_LAST_FILE, c.X_JOINERS, *unset):
            empty[field] = -1
        empty[c.X_ENDED] = -1
        empty[c.X_PLACED_FILE] = -2
        rows = empty * max(1, len(self.plan.processes))
        crowded = crowded_groups(self.plan)
        firsts = [0, *accumulate(group.count for group in self.plan.groups)]
        for number, one in enumerate(self.plan.processes):
            x = number * self.stride
            rows[x + c.X_NUMBER] = number
            rows[x + c.X_CPU] = (one.cpu if one.cpu >= 0 else len(self.plan.parts)) * c.P_ROWS
            rows[x + c.X_INSTANCE] = self.plan.instances
            if one.cpu >= 0:
                rows[x + c.X_INSTANCE] = self.plan.parts[one.cpu].first + one.node
            rows[x + c.X_CROWDED] = int(one.group in crowded)
            rows[x + c.X_NODE] = one.node
            rows[x + c.X_CLIENT] = firsts[one.group] + one.node
            rows[x + c.X_NODES] = one.nodes
            rows[x + c.X_EXCHANGE] = one.exchange * c.T_ROWS if one.exchange >= 0 else -1
            rows[x + c.X_FIRST_PHASE] = len(self.phase) // c.H_ROWS
            rows[x + c.X_PHASES] = len(one.phases) if one.repeat else 0
            rows[x + c.X_REPEAT] = one.repeat
            rows[x + c.X_ARRIVALS] = one.arrivals
            rows[x + c.X_UNTIL] = one.until
            rows[x + c.X_JOB] = self.jobs[one.job]
            rows[x + c.X_HOLDING] = self._holding(one.memory, one.group)
            rows[x + c.X_ASLEEP] = int(one.sleeps and one.arrivals < 0)
            if one.nodes > 1:
                rows[x + c.X_SHARES] = self.shared
                self.shared += one.nodes
                where = self.tiering.where_of(places_of_exchange(one))
                rows[x + c.X_WHERE], rows[x + c.X_WHERE_COUNT] = where
            rows[x + c.X_DRAINS] = len(self.drain) // c.Z_ROWS
            self._phases(one)
            rows[x + c.X_DRAIN_COUNT] = len(self.drain) // c.Z_ROWS - rows[x + c.X_DRAINS]
        return rows

    def _holding(self, size: int, group: int) -> int:
        """The row of what processes of a group hold in memory; 0 for nothing."""
        if not size:
            return 0
        if (size, group) not in self.holding:
            self.holding[size, group] = len(self.holdings)
            self.holdings.extend((size, group))
        return self.holding[size, group]

    def _phases(self, process: ProcessPlan) -> None:
        drained: dict[tuple[int, int], int] = {}
        for one in process.phases:
            row = [0] * c.H_ROWS
            row[c.H_KIND] = one.kind
            row[c.H_COMPUTE] = one.compute_ns
            row[c.H_DRAIN] = row[c.H_DRAW] = -1
            if one.kind != LOOP:
                row[c.H_NAMED] = self._named(one.named, process.group)
            if one.kind == STREAM:
                self._stream(row, one)
                if self.drains and one.write:
                    row[c.H_DRAIN] = self._drained(drained, one.file, one.path)
            elif one.kind == LISTED:
                row[c.H_FIRST], row[c.H_COUNT] = one.first, one.count
                row[c.H_SIZE], row[c.H_WRITE] = one.size, int(one.write)
                row[c.H_CUT] = self._cuts(one, process.group)
                if one.draw is not None:
                    row[c.H_DRAW] = self._drawn(one.draw)
                if self.drains:
                    self._drained_by(drained, one)
            elif one.kind == LOOP:
                row[c.H_FIRST], row[c.H_COUNT] = one.first, one.loops
            self.phase.extend(row)

    def _named(self, number: int, group: int) -> int:
        """The row of a named phase, which has what processes of a group hold; or -1."""
        if number < 0:
            return -1
        row = number * c.PH_ROWS
        self.named[row + c.PH_HOLDING] = self._holding(self.plan.named[number].memory, group)
        return row

    def _cuts(self, one: PhasePlan, group: int) -> int:
        """The row of the first end within a list, or of its own."""
        row = len(self.cut)
        for at, number in one.cuts:
            self.cut.extend((at, self._named(number, group)))
        self.cut.extend((one.first + one.count, -1))
        return row

    def _drawn(self, one: DrawPlan) -> int:
        """The row of operations that are drawn each time."""
        rows = one.rows
        self.draw_key.append(one.key)
        fields = (
            rows.start,
            rows.stop,
            one.count,
            one.places,
            one.base,
            one.step,
            one.each,
            one.end,
        )
        self.draw.extend(fields)
        return len(self.draw_key) - 1

    def _stream(self, row: list[int], one: PhasePlan) -> None:
        assert one.lengths is not None
        row[c.H_WRITE] = int(one.write)
        row[c.H_FILE] = one.file
        row[c.H_PATH] = one.path * c.A_ROWS
        row[c.H_BUFFER] = one.buffer
        row[c.H_BITS] = (SYNCED if one.synchronous else 0) | (DIRECT if one.direct else 0)
        number = self.rows.get(id(one.lengths), -1)
        if number < 0:
            number = self.rows[id(one.lengths)] = one.lengths.add_to(self.lengths)
        row[c.H_LENGTHS] = number
        row[c.H_POLICY] = self.streams.number_of(one.policy, one.write, one.buffer, number)
        self.listings |= one.policy not in POLICY_NAMES
        key = (row[c.H_POLICY], one.buffer, number)
        if key not in self.checked:
            self.checked.add(key)
            self.streams.check(row[c.H_POLICY], one.buffer, NO_LIMIT, number)

    def _drained(self, drained: dict[tuple[int, int], int], file: int, path: int) -> int:
        """The row of a file that a process's copier may copy, or -1."""
        drain = self.plan.paths[path].drain
        if drain < 0:
            return -1
        if (file, path) not in drained:
            drained[file, path] = len(self.drain) // c.Z_ROWS
            self.drain.extend((file, drain * c.T_ROWS, 0, path * c.A_ROWS))
        return drained[file, path]

    def _drained_by(self, drained: dict[tuple[int, int], int], one: PhasePlan) -> None:
        table = self.plan.operations
        for i in range(one.first, one.first + one.count):
            if plain(table.kind[i]) == WRITE and table.size[i]:
                file = table.file[i]
                self._drained(drained, file, self.plan.files[file].path)

    def _failing(self) -> array[int]:
        """Return what fails of each process's calls: nothing yet."""
        processes = self.plan.processes
        rows = array("q", bytes(8 * c.FL_ROWS * max(1, len(processes))))
        stops = array("q", (one.stops for one in processes))
        rows[c.FL_STOPS : c.FL_ROWS * len(processes) : c.FL_ROWS] = stops
        return rows

    # -- the rest -------------------------------------------------------------------------------

    def _tables(self) -> ProcessTables:
        plan, table = self.plan, self.plan.operations
        used = {*ALWAYS, *map(plain, set(table.kind))}
        if plan.arrivals:
            used.add(c.O_JOB)
        rows, size = array("q", [-1]) * (c.KIND_BITS + 1), 0
        for code in TIMED_CODES:
            if code in used:
                rows[code] = size
                size += c.Q_ROWS
        rows.extend([-1] * len(self.jobs))
        for name in dict.fromkeys(one.job for one in plan.processes if one.arrivals >= 0):
            rows[c.KIND_BITS + 1 + self.jobs[name]] = size
            size += c.Q_ROWS
        return ProcessTables(
            process=self.process,
            phase=self.phase or array("q", [0]),
            path=array("q"),
            drain=self.drain or array("q", [0]),
            named=self.named or array("q", [0]),
            cut=self.cut or array("q", [0]),
            first_copier=plan.first_copier,
            kind=table.kind or array("b", [0]),
            file=table.file or array("i", [0]),
            offset=table.offset or array("q", [0]),
            size=table.size or array("q", [0]),
            gap=table.gap or array("q", [0]),
            column=table.column or array("h", [0]),
            draw=self.draw or array("q", [0]),
            draw_key=self.draw_key or array("Q", [0]),
            file_path=array("q", [one.path * c.A_ROWS for one in plan.files] or [0]),
            copy_ns_per_byte=self.parts.copy_rate,
            shared=array("q", bytes(8 * (self.shared + 1))),
            failed=self._failing(),
            passed=array("q", bytes(8 * (plan.marks + 1))),
            mark_waiters=array("q", [-1]) * (plan.marks + 1),
            lock=array("q", [-1]) * (4 * plan.locks + 4),
            barrier=self._barriers(),
            channel=self._channels(),
            others_column=plan.others_column,
            lock_column=plan.lock_column,
            barrier_column=plan.barrier_column,
            rounds=array("q", [0]) * (2 + max((one.until for one in plan.processes), default=0)),
            holdings=self.holdings,
            awaited=sum(one.until < 0 for one in plan.processes),
            arrivals=self._arrivals(),
            arrival_times=array("q", [t for row in plan.arrivals for t in row.times] or [0]),
            arrival_keys=array(
                "Q", [stream_key(plan.seed, plan.run, row.stream) for row in plan.arrivals] or [0]
            ),
            factors=array(
                "q",
                exponential_table() if any(a.kind == POISSON for a in plan.arrivals) else [0],
            ),
            meta_place=array("q", map(_meta_place, range(len(OPERATIONS)))),
            version=array("q", bytes(8 * max(1, len(plan.files)))),
            latency_row=rows,
            latency=array("q", bytes(8 * size)),
        )

    def _barriers(self) -> array[int]:
        rows = array("q")
        for members in self.plan.barriers:
            rows.extend((members, 0, -1, 0))
        return rows or array("q", [0])

    def _channels(self) -> array[int]:
        rows = array("q")
        for channel in self.plan.channels:
            source = self.plan.processes[channel.source].node
            target = self.plan.processes[channel.target].node
            top = channel.top * c.T_ROWS if channel.top >= 0 else -1
            where = self.tiering.where_of(places_of_channel(self.plan, channel))
            rows.extend((top, source, target, channel.target, 0, 0, *where))
        return rows or array("q", [0])

    def _arrivals(self) -> array[int]:
        rows, times = array("q"), 0
        for one in self.plan.arrivals:
            rows.extend((one.kind, one.count, one.gap_ns, one.first_ns, 0, one.first_ns, times, 0))
            times += len(one.times)
        return rows or array("q", [0])
