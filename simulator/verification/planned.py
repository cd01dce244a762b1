"""What a plan asks for: calls by operation, bytes by process, and bytes that enter each path.

Nothing is simulated here: record streams are gone through without a clock, lists are added up. What
cannot be known without a run (which process takes which arrival, what a job of very many records
does) is left unknown, as None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    CLOSE,
    CLOSE_FLUSH,
    COMPUTE,
    DIRECT,
    LISTED,
    LOOP,
    METADATA,
    OPERATIONS,
    READ,
    SEND,
    STREAM,
    SYNC,
    SYNCED,
    WRITE,
    plain,
)
from simulator.plan.jobs import operations_of, passes_of
from simulator.runtime import streams
from simulator.runtime.fortran import record_stream

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan, ProcessPlan
    from simulator.plan.plan import Plan

MOST_RECORDS = 2_000_000 if str(streams.__file__).endswith(".py") else 200_000_000
"""Records of a stream that is gone through, which takes seconds, compiled or not; of a longer one
only the user's bytes are known."""

TIMED = frozenset(
    {
        "read",
        "write",
        "sync",
        "lock",
        "barrier",
        "send",
        "receive",
        "ask-read",
        "ask-write",
        *(OPERATIONS[kind] for kind in METADATA),
    }
)
"""Operations whose latencies are counted."""


@dataclass(slots=True)
class Flow:
    """What passes a point of a path: bytes upwards and downwards, and the messages about them."""

    read: int = 0
    write: int = 0
    requests: int = 0
    """Reads, writes, syncs and questions about metadata,"""
    asking: int = 0
    """and the bytes that messages have on their way down beside header and data."""

    def add(self, other: Flow, times: int = 1) -> None:
        """Add what passes as well, so many times."""
        self.read += times * other.read
        self.write += times * other.write
        self.requests += times * other.requests
        self.asking += times * other.asking


@dataclass(slots=True)
class Work:
    """What a process, or a part of it, asks for."""

    read: int = 0
    """User data, without record lengths."""
    write: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    """By operation; only :data:`TIMED` ones."""
    flows: dict[int, Flow] = field(default_factory=dict)
    """The first tier of a path -> what the calls bring that enter it there."""
    far: dict[int, Flow] = field(default_factory=dict)
    """Of that what goes to another node than it comes from, where it is known for all."""
    direct: dict[int, Flow] = field(default_factory=dict)
    """The first tier of a path -> what enters it there by direct calls; not in ``flows``."""
    anywhere: set[int] = field(default_factory=set)
    """First tiers of paths where it is not."""
    ends: dict[tuple[int, int], int] = field(default_factory=dict)
    """Path and file -> end of what is written to the file along the path."""
    unknown: set[int] = field(default_factory=set)
    """First tiers that bytes enter of which there is no count."""
    counted: bool = True
    """Whether all calls and bytes could be counted."""

    def enter(self, top: int, flow: Flow, *, far: bool | None = None) -> None:
        """Count what enters a path; ``far``: whether it goes to another node, if that is known."""
        self.flows.setdefault(top, Flow()).add(flow)
        if far is None:
            self.anywhere.add(top)
        elif far:
            self.far.setdefault(top, Flow()).add(flow)

    def add(self, other: Work, times: int = 1) -> None:
        """Add other work, done so many times; each time it writes the same places."""
        self.read += times * other.read
        self.write += times * other.write
        for operation, count in other.calls.items():
            self.calls[operation] += times * count
        for mine, theirs in (
            (self.flows, other.flows),
            (self.far, other.far),
            (self.direct, other.direct),
        ):
            for top, flow in theirs.items():
                mine.setdefault(top, Flow()).add(flow, times)
        self.anywhere |= other.anywhere
        for way, end in other.ends.items():
            self.ends[way] = max(end, self.ends.get(way, 0))
        self.unknown |= other.unknown
        self.counted &= other.counted


class Planned:
    """What each process of a plan asks for, and all of them together."""

    def __init__(self, plan: Plan, rounds: Mapping[str, int]) -> None:
        """``rounds``: how often processes went through their phases until others had ended."""
        self.plan = plan
        self._streams: dict[tuple[object, ...], Work] = {}
        self.once = [self._work_of(one, rounds.get(one.name, 0)) for one in plan.processes]
        """For each process all that it does, or in one job if it serves arrivals."""
        self.total = Work()
        for process, work in zip(plan.processes, self.once, strict=True):
            if process.arrivals < 0:
                self.total.add(work)
                self._copy_out(process, work)
        self.total.unknown |= {one.top for one in plan.services.messages if one.top >= 0}
        for row, arrivals in enumerate(plan.arrivals):
            takers = [n for n, one in enumerate(plan.processes) if one.arrivals == row]
            if takers:
                self._arrive(takers, arrivals.count)

    def _arrive(self, takers: list[int], count: int) -> None:
        """Add the jobs that arrive, if it does not matter which process takes which."""
        first = self.once[takers[0]]
        alike = all(self.once[number] == first for number in takers)
        drained = any(
            self.plan.paths[path].drain >= 0
            for number in takers
            for path, _ in self.once[number].ends
        )
        if alike and not drained:
            self.total.add(first, count)
            return
        self.total.counted = False
        for number in takers:
            once = self.once[number]
            self.total.unknown |= {*once.flows, *once.direct} | once.unknown
            for top in once.direct:
                self.total.direct.setdefault(top, Flow())
        self.total.unknown |= {path.drain for path in self.plan.paths if path.drain >= 0}

    def _copy_out(self, process: ProcessPlan, work: Work) -> None:
        """Add what is copied after a process from the paths that it wrote through."""
        through = {phase.path for phase in process.phases if phase.kind == STREAM and phase.write}
        for (row, _), end in work.ends.items():
            path = self.plan.paths[row]
            if path.drain >= 0:
                self.total.enter(path.drain, Flow(0, end, bool(end)))
        for number in through | {row for row, _ in work.ends}:
            path = self.plan.paths[number]
            if path.drain >= 0 and not work.counted:
                self.total.unknown.add(path.drain)

    # -- one process ------------------------------------------------------------------------

    def _work_of(self, process: ProcessPlan, rounds: int) -> Work:
        whole = Work()
        for phase, passes in passes_of(process, rounds):
            if phase.kind == STREAM:
                whole.add(self._stream(phase), passes)
                if process.nodes > 1 and process.exchange >= 0:
                    whole.unknown.add(process.exchange)
            elif phase.kind == LISTED:
                own = self._listed(process, phase, passes)
                if phase.draw is not None and process.arrivals >= 0:  # Each job has other draws.
                    own.counted = False
                    own.unknown |= {*own.flows, *own.direct, *self._drains(phase)}
                whole.add(own)
        return whole

    def _drains(self, phase: PhasePlan) -> set[int]:
        """Return the drains of the paths whose files a listed phase may write, by its draws."""
        table = self.plan.operations
        rows = range(phase.first, phase.first + phase.count)
        written = [table.file[row] for row in rows if plain(table.kind[row]) == WRITE]
        drains = {self.plan.paths[self.plan.files[file].path].drain for file in written}
        return drains - {-1}

    def _stream(self, phase: PhasePlan) -> Work:
        assert phase.lengths is not None
        how = (phase.policy, phase.write, phase.synchronous, phase.direct)
        key = (id(phase.lengths), how, phase.buffer, phase.path, phase.file)
        if key not in self._streams:
            self._streams[key] = self._gone_through(phase)
        return self._streams[key]

    def _gone_through(self, phase: PhasePlan) -> Work:
        assert phase.lengths is not None
        work = Work(calls=Counter(open=1, close=1))
        top = self.plan.paths[phase.path].top
        self._look_up(work, phase.path, 2)
        if phase.write:
            self._flush(work, phase.path)
        if phase.write:
            work.write = phase.lengths.total
        else:
            work.read = phase.lengths.total
        if phase.lengths.count > MOST_RECORDS:
            work.unknown.add(top)
            if phase.direct:
                work.direct[top] = Flow()
            work.counted = False
            return work
        stream = record_stream(
            phase.policy, write=phase.write, buffer=phase.buffer, lengths=phase.lengths
        )
        reads, read, writes, written, end = stream.add_up()
        work.calls.update(read=reads, write=writes)
        self._move(work, top, Flow(read, written, reads + writes), direct=phase.direct)
        if phase.synchronous:
            work.enter(top, Flow(requests=writes))
        if phase.write:
            way = phase.path, phase.file
            work.ends[way] = max(end, work.ends.get(way, 0))
        return work

    def _move(self, work: Work, top: int, flow: Flow, *, direct: bool) -> None:
        """Add what calls move."""
        if direct:
            work.direct.setdefault(top, Flow()).add(flow)
            work.anywhere.add(top)
        else:
            work.enter(top, flow)

    def _look_up(self, work: Work, path: int, times: int = 1) -> None:
        """Add metadata operations on a file; how many a client answers itself is unknown."""
        metadata = self.plan.paths[path].metadata
        if metadata >= 0:
            work.enter(metadata, Flow(requests=times))
            if self.plan.paths[path].remembers:
                work.unknown.add(metadata)

    def _flush(self, work: Work, path: int) -> None:
        """Add the closing of a file that was written."""
        if self.plan.paths[path].close == CLOSE_FLUSH:
            work.enter(self.plan.paths[path].top, Flow(requests=1))

    def _listed(self, process: ProcessPlan, phase: PhasePlan, passes: int) -> Work:
        """Return what a phase that is carried out so often asks for."""
        work, single = Work(), Work()
        for row, offset, size, times in operations_of(self.plan.operations, phase, passes):
            into = work if times == passes else single
            self._operation(into, process, phase, row, offset, size)
        if phase.write:
            work.write += phase.size
        else:
            work.read += phase.size
        whole = Work()
        whole.add(work, passes)
        whole.add(single)
        return whole

    def _operation(
        self, work: Work, process: ProcessPlan, phase: PhasePlan, row: int, offset: int, size: int
    ) -> None:
        table = self.plan.operations
        made, file = table.kind[row], table.file[row]
        kind = plain(made)
        name = OPERATIONS[kind]
        if name in TIMED:
            work.calls[name] += 1
        if kind in (READ, WRITE):
            self._access(work, made, file, offset, size)
            if not phase.size and kind == READ:
                work.read += size
            elif not phase.size:
                work.write += size
        elif kind == SEND:
            self._send(work, offset, size)
        elif kind in (ASK_READ, ASK_WRITE):
            rows = range(offset, offset + size)
            self._ask(work, kind, self.plan.files[file].path, rows, process.node)
        elif kind in METADATA:
            self._look_up(work, self.plan.files[file].path)
            if kind == CLOSE and size:
                self._flush(work, self.plan.files[file].path)
        elif kind == SYNC:
            work.enter(self.plan.paths[self.plan.files[file].path].top, Flow(requests=1))

    def _send(self, work: Work, number: int, size: int) -> None:
        channel, processes = self.plan.channels[number], self.plan.processes
        if channel.top >= 0:
            far = processes[channel.source].node != processes[channel.target].node
            work.enter(channel.top, Flow(0, size, 1), far=far)

    def _ask(self, work: Work, kind: int, path: int, asks: range, node: int) -> None:
        assert self.plan.asked is not None
        rows = self.plan.asked.requests
        for row in asks:
            read = rows.size[row] if kind == ASK_READ else 0
            flow = Flow(read, rows.size[row] - read, 1, rows.message[row])
            work.enter(self.plan.asked_top(self.plan.paths[path]), flow, far=rows.node[row] != node)

    def _access(self, work: Work, kind: int, file: int, offset: int, size: int) -> None:
        top = self.plan.paths[self.plan.files[file].path].top
        direct = kind & DIRECT != 0
        if plain(kind) == READ:
            self._move(work, top, Flow(size, 0, bool(size)), direct=direct)
            return
        self._move(work, top, Flow(0, size, bool(size)), direct=direct)
        if size and kind & SYNCED:
            work.enter(top, Flow(requests=1))
        if size:
            way = self.plan.files[file].path, file
            work.ends[way] = max(offset + size, work.ends.get(way, 0))


def gaps_elsewhere(plan: Plan, process: ProcessPlan, rounds: int) -> int:
    """Time between the listed operations of a process that counts as service, not as computing."""
    table = plan.operations
    return sum(
        times * table.gap[i]
        for phase, times in passes_of(process, rounds)
        for i in range(phase.first, phase.first + phase.count)
        if table.column[i] >= 0
    )


def listed_of(plan: Plan, process: ProcessPlan, rounds: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield row, offset, size of the listed operations of a process, and how often each is done.

    Of a process that serves arrivals those of one job.
    """
    for phase, passes in passes_of(process, rounds):
        if phase.kind == LISTED:
            yield from operations_of(plan.operations, phase, passes)


def listed_rows(process: ProcessPlan) -> Iterator[int]:
    """Yield the rows of the listed operations of a process, once each."""
    for phase in process.phases:
        if phase.kind == LISTED:
            yield from range(phase.first, phase.first + phase.count)


def only_timed(plan: Plan, process: ProcessPlan) -> bool:
    """Whether all time of a process is computing, gaps, or latencies that are counted."""
    free = TIMED | {"unlock", "pass", "pause", "start"}
    if process.processor >= 0 or any(
        phase.kind not in (COMPUTE, LISTED, LOOP) for phase in process.phases
    ):
        return False
    return all(OPERATIONS[plain(plan.operations.kind[i])] in free for i in listed_rows(process))
