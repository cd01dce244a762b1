"""Conversion of the kernel's tables to a result, equal to that of the reference engine."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from simulator.native.curves import sampled
from simulator.native.histograms import by_job, histograms
from simulator.native.queues import of_jobs
from simulator.plan.codes import OPERATIONS
from simulator.plan.errors import BlockedError
from simulator.plan.events import disk_events_of
from simulator.result.latency import Latency
from simulator.result.result import (
    ArrayResult,
    CallLog,
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
    from collections.abc import Callable, Iterator

    from simulator.native.kernel import Run
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.plan import Plan

TRACK_BITS = 40


class Table:
    """Columns of numbers, by their names."""

    def __init__(self, columns: dict[str, bytes]) -> None:
        self._columns = {name: memoryview(column).cast("q") for name, column in columns.items()}
        self._rows: dict[str, list[int]] = {}  # The same as lists, which are read twice as fast.

    def __getattr__(self, name: str) -> memoryview[int]:
        try:
            return self._columns[name]
        except KeyError:
            raise AttributeError(name) from None

    def __len__(self) -> int:
        return max(map(len, self._columns.values()), default=0)

    def row(self, number: int) -> dict[str, int]:
        """Return the numbers of a row, by their names."""
        if not self._rows:
            self._rows = {name: column.tolist() for name, column in self._columns.items()}
        return {name: column[number] for name, column in self._rows.items()}


class Tables:
    """The tables of a run, each built on first use."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._made: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._made:
            self._made[name] = Table(self._run.table(name))
        return self._made[name]


def check_ended(run: Run, plan: Plan) -> None:
    """Raise BlockedError naming the processes that are blocked at the end, and the reasons."""
    ended = Table(run.table("process")).ended
    blocked = {
        one.name: _waits_for(run, plan, number)
        for number, one in enumerate(plan.processes)
        if ended[number] < 0
    }
    if blocked:
        raise BlockedError(blocked)


def _waits_for(run: Run, plan: Plan, number: int) -> str:
    """Return the reason for which a process is blocked, in words."""
    return " and ".join(
        dict.fromkeys(_in_words(plan, number, what, numbers) for what, numbers in run.waits(number))
    )


def _in_words(plan: Plan, process: int, what: str, numbers: list[int]) -> str:
    names, born = plan.processes, plan.processes[process].born
    source = names[plan.channels[numbers[0]].source].name if what == "message" else ""
    labels = [plan.parts[part].label for part in numbers] if what == "parts" else []
    words: dict[str, Callable[[], str]] = {
        "start": lambda: f"mark {born}" if born >= 0 else "another process to start it",
        "endless": lambda: "time to pass: its phases take none",
        "lock": lambda: f"lock {numbers[0]} (held by {names[numbers[1]].name})",
        "barrier": lambda: f"barrier {numbers[0]} ({numbers[1]} of {numbers[2]})",
        "message": lambda: f"a message of {source} (channel {numbers[0]})",
        "join": lambda: f"{names[numbers[0]].name} to end",
        "mark": lambda: f"mark {numbers[0]}",
        "store": lambda: f"blocks of {plan.stores[numbers[0]].name}",
        "locks": lambda: "locks of files",
        "queue": lambda: f"its job to start (queue {plan.queues[numbers[0]].name})",
        "data": lambda: "its queue to bring its data",
        "job": lambda: "the end of its job",
        "buffers": lambda: f"requests to merge with at {_unit_names(plan)[numbers[0]]}",
        "others": lambda: f"the other processes of {names[process].job}",
        "parts": lambda: ", ".join(dict.fromkeys(labels)),
    }
    return words[what]()


def _unit_names(plan: Plan) -> list[str]:
    return [
        plan.store_name(row, member)
        for row in plan.buffers
        for member in range(plan.groups[row.group].count)
    ]


def outcome_of(run: Run, plan: Plan) -> Outcome:
    """End a run; raise BlockedError naming processes that are blocked."""
    check_ended(run, plan)
    end_ns = run.finish()
    _, events, prestage_ns = run.numbers()
    return Outcome(plan, Tables(run), end_ns, events, prestage_ns)


class Outcome:
    """The tables of a run that has ended."""

    def __init__(
        self, plan: Plan, tables: Tables, end_ns: int, events: int, prestage_ns: int
    ) -> None:
        self.plan = plan
        self.tables = tables
        self.end_ns = end_ns
        self.events = events
        self.prestage_ns = prestage_ns

    def result(self, *, timing: bool, recording: bool, sampling: bool = False) -> Result:
        """Return the result, with the services, calls and curves that were kept."""
        plan = self.plan
        stores = dict(sorted([*self.stores(), *self._buffers()]))
        ended = self.tables["process"].ended
        return Result(
            machine=plan.machine,
            workload=plan.workload,
            engine="native",
            seed=plan.seed,
            run=plan.run,
            digest=plan.digest,
            elapsed_ns=max(ended, default=0),
            end_ns=self.end_ns,
            processes=[
                one
                for number, row in enumerate(plan.processes)
                for one in self._process(number, row)
            ],
            parts=self._parts(),
            stores=stores,
            latencies=self.latencies(),
            job_latencies=by_job(plan, self.tables["job_latency"]) if plan.latencies_by_job else {},
            prestage_ns=self.prestage_ns,
            events=self.events,
            spans=self._spans() if timing else [],
            calls=self._calls() if recording else None,
            needless={at: count for at, count in enumerate(self.tables["needless"].calls) if count},
            stable=self._stable(),
            responses=self._responses(),
            states=self._states(),
            arrays=self._arrays(),
            changes=changes_of(plan, self.end_ns) if timing else {},
            gaps_ns=plan.gaps_ns(),
            phases=self._phases(),
            **of_jobs(plan, self.tables),
            **(sampled(plan, self.tables, self.end_ns, stores) if sampling else {}),
        )

    # -- processes ------------------------------------------------------------------------------

    def _process(self, number: int, row: ProcessPlan) -> list[ProcessResult]:
        """Return the result of a process, then those of the members that share its data."""
        own, account = self.tables["process"].row(number), self.tables["account"]
        width = max(1, len(self.plan.columns))
        cells = slice(number * width, (number + 1) * width)
        pairs = zip(account.waiting[cells].tolist(), account.service[cells].tolist(), strict=True)
        failed = (own["failed"], own["failed_first"], own["failed_last"]) if own["failed"] else ()
        master = ProcessResult(
            name=row.name,
            job=row.job,
            started_ns=own["started"],
            ended_ns=own["ended"],
            read=self._transfer("reads", number, own["failed_read"]),
            write=self._transfer("writes", number, own["failed_written"]),
            compute_ns=own["computed"],
            idle_ns=own["idle"],
            spent={
                name: pair
                for name, pair in zip(self.plan.columns, pairs, strict=False)
                if pair != (0, 0)
            },
            rounds=own["round"] if row.until >= 0 else 0,
            failed=FailedCalls(*failed),
            node=self.plan.home_of(row),
        )
        members = (
            self._member(master, row, own["members"] + rank, rank)
            for rank in range(1, 1 if row.queued else row.nodes)
        )
        return [master, *members]

    def _transfer(self, table: str, number: int, failed: int) -> Transfer:
        """Return the data read or written by a process; ``failed`` bytes have not been moved."""
        own = self.tables[table].row(number)
        end = own["last"] if own["first"] >= 0 else -1
        whole = Transfer(own["bytes"], own["time"], own["first"], end, own["beside"])
        whole.failed_bytes = failed
        return whole.without_failed() if failed else whole

    def _member(self, master: ProcessResult, row: ProcessPlan, at: int, rank: int) -> ProcessResult:
        """Return the result of a member that shares a process's data: packing and waiting."""
        service = self.tables["member"].service[at]
        spent = {}
        if service and row.cpu >= 0:
            spent[self.plan.columns[self.plan.parts[row.cpu].column]] = (0, service)
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

    def _phases(self) -> list[PhaseResult]:
        """Return the phases of jobs, as the workload defines them."""
        found, table = [], self.tables["named"]
        for number, one in enumerate(self.plan.named):
            row = table.row(number)
            sums = [
                row[name] + (row[f"{name}_above"] << 62) for name in ("time", "read", "written")
            ]
            made = PhaseResult(
                one.job, one.label, one.what, row["passes"], row["begin"], row["end"], *sums
            )
            found.append(made.without_failed())
        return [one for one in found if one.passes]

    # -- parts and stores -------------------------------------------------------------------------

    def _parts(self) -> dict[str, PartResult]:
        plan, users, active = self.plan, self.plan.core_users(), self.active()
        state, carries = self.tables["instance"], self.tables["carry"].busy
        columns = [column.tolist() for column in (state.requests, state.bytes, state.busy, carries)]
        done = {}
        for row, part in enumerate(plan.parts):
            unit, shared = self._first_unit(row), part.traits.order == "shared"
            for one in part.instances:
                index = one - part.first
                requests, moved, busy, carry = (column[one] for column in columns)
                busy += carry << 62
                if unit is not None:
                    own = self.tables["unit"].row(unit + index)
                    requests = own["disk_reads"] + own["disk_writes"]
                    moved = own["disk_read_bytes"] + own["disk_written_bytes"]
                    busy = own["disk_busy_ns"]
                if requests or (part.cores and busy):  # Cores compute without requests.
                    done[plan.instance_name(part, index)] = PartResult(
                        part=part.label,
                        kind=part.kind,
                        requests=requests,
                        bytes=moved,
                        busy_ns=busy,
                        servers=users.get((row, index), part.at_once),
                        active_ns=active.get(one) if shared else None,
                    )
        return dict(sorted(done.items()))

    def active(self) -> dict[int, int]:
        """Return for each shared instance the time during which a transfer was under way."""
        from simulator.plan.cores import crowded_groups

        crowded, found, at = crowded_groups(self.plan), {}, 0
        active = self.tables["shared"].active
        for part in self.plan.parts:
            if part.kind == "shared" or (part.kind == "cpu" and part.group in crowded):
                for one in part.instances:
                    found[one] = active[at]
                    at += 1
        return found

    def _first_unit(self, row: int) -> int | None:
        """Return the row of the first RAID unit of a resource; None if it has none."""
        at = 0
        for one in self.plan.buffers:
            if one.raid == row:
                return at
            at += self.plan.groups[one.group].count
        return None

    def _arrays(self) -> dict[str, ArrayResult]:
        """Return failures and counters of disk arrays."""
        plan, happens, at, found = self.plan, disk_events_of(self.plan), 0, {}
        for part in plan.parts:
            for one in part.instances if part.kind == "array" else ():
                if one in happens or self.tables["instance"].requests[one]:
                    name = plan.instance_name(part, one - part.first)
                    found[name] = ArrayResult(part.label, **self.tables["array"].row(at))
                at += 1
        return dict(sorted(found.items()))

    def _states(self) -> dict[str, StateResult]:
        table = self.tables["event"]
        return states_of(
            self.plan,
            self.end_ns,
            lambda one: (table.delayed[one], table.missed[one], table.given_up[one]),
        )

    def _stable(self) -> dict[str, Stable]:
        """Return the bytes on stable storage, by job."""
        found: dict[str, Stable] = {}
        jobs, table = self.plan.jobs, self.tables["file"]
        for size, last, job in zip(table.stable, table.stable_last, table.stable_job, strict=True):
            if size:
                name = jobs[job - 1] if job > 0 else ""
                found.setdefault(name, Stable()).add(size, last)
        units = self.tables["unit"]
        for size, last in zip(units.disk_written_bytes, units.safe_ns, strict=True):
            if size:
                found.setdefault("", Stable()).add(size, last)
        return dict(sorted(found.items()))

    def stores(self) -> Iterator[tuple[str, StoreResult]]:
        """Yield the name and the counters of each store instance that was used."""
        plan, table = self.plan, self.tables["store"]
        for store in plan.stores:
            for member in range(store.count):
                counts = table.row(store.first + member)
                seen = counts.pop("seen")
                used = ("hits", "misses", "accepted_bytes", "prestaged")
                if seen and any(counts[name] for name in used):
                    yield plan.store_name(store, member), StoreResult(store.name, counts)

    def _buffers(self) -> Iterator[tuple[str, StoreResult]]:
        at = 0
        for row in self.plan.buffers:
            for member in range(self.plan.groups[row.group].count):
                counts = self.tables["unit"].row(at)
                counts.pop("safe_ns")
                at += 1
                if counts["hits"] + counts["misses"]:
                    yield self.plan.store_name(row, member), StoreResult(row.name, counts)

    # -- latencies, spans, calls ------------------------------------------------------------------

    def latencies(self) -> dict[str, Latency]:
        """Return the latencies of each operation that occurred."""
        return {OPERATIONS[number]: one for number, one in histograms(self.tables["latency"])}

    def _responses(self) -> dict[str, Latency]:
        jobs = self.plan.jobs
        return dict(
            sorted((jobs[number], one) for number, one in histograms(self.tables["response"]))
        )

    def _spans(self) -> list:  # type: ignore[type-arg]
        from simulator.native.spans import spans_of

        return spans_of(self.plan, self.tables["span"])

    def _calls(self) -> CallLog:
        """Return the log of calls, grouped by process."""
        table = self.tables["call"]
        processes = table.process.tolist()
        counts = Counter(processes)
        numbers = [counts[number] for number in range(len(self.plan.processes))]
        log = CallLog([*accumulate(numbers[:-1], initial=0)] if numbers else [], numbers)
        order = sorted(range(len(processes)), key=processes.__getitem__)
        fields = (table.kind, table.file, table.offset, table.size, table.begin, table.end)
        for column, field in zip(log.columns(), fields, strict=True):
            column.extend(map(field.tolist().__getitem__, order))
        return log
