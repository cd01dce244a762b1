"""Requests that processes make, phase by phase, counted from a plan without a clock.

All that needs to know what a run will do before it does asks :class:`Demands`: its cost
(:mod:`simulator.plan.work`), the least time that it takes (:mod:`simulator.plan.bounds`), and the
sums that its result must have (:mod:`simulator.verification`).

Not known: which process takes which arrival, and what stores and clients answer themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from simulator.plan import codes
from simulator.plan.codes import METADATA, READ, SYNC, WRITE, plain
from simulator.plan.jobs import operations_of, passes_of
from simulator.plan.tiers import EMPTY, READS, WRITES
from simulator.runtime import streams
from simulator.runtime.fortran import record_stream
from simulator.runtime.lengths import FixedLengths

if TYPE_CHECKING:
    from simulator.plan.jobs import PhasePlan, ProcessPlan
    from simulator.plan.paths import PathPlan
    from simulator.plan.plan import Plan

MOST_RECORDS = 2_000_000 if str(streams.__file__).endswith(".py") else 200_000_000
"""Records of a stream that is gone through, which takes seconds, compiled or not; of a longer one
only the user's bytes are known."""
_ASKS = (codes.ASK_READ, codes.ASK_WRITE)
_OF_FILES = frozenset({READ, WRITE, SYNC, *METADATA})
NUMERICAL = -1
"""The row of calls of numerical servers among the services of messages."""


class Entry(NamedTuple):
    """The point at which requests enter the tiers, and the way in which they move bytes."""

    top: int
    """The first tier that they come to."""
    way: int
    file: int = -1
    """The file whose bytes they move; -1: none, or one that does not matter."""
    direct: bool = False
    """They go past the stores of the process's node."""
    far: bool | None = None
    """They go to another node than they come from; None: some may."""


@dataclass(slots=True)
class Amount:
    """Requests, and their bytes."""

    count: int = 0
    bytes: int = 0
    asking: int = 0
    """Bytes that messages have on their way down beside header and data."""


@dataclass(slots=True)
class Demand:
    """Requests of a process, or of one of its phases."""

    read: int = 0
    """User data, without record lengths."""
    write: int = 0
    steps: int = 0
    """Operations, and times of computing."""
    records: int = 0
    """Records of different lengths, which libraries gather in buffers one by one."""
    calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Operations, and those of record streams that move bytes, by their names."""
    entries: dict[Entry, Amount] = field(default_factory=dict)
    sent: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """Messages that processes list, by the service that they go through,"""
    messages: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    """and those of meshes; calls of numerical servers as ``NUMERICAL``."""
    polls: float = 0.0
    """Polls of message servers in the time that sweeps over meshes take alone."""
    ends: dict[tuple[int, int], int] = field(default_factory=dict)
    """Path and file -> end of what is written to the file along the path."""
    unknown: set[int] = field(default_factory=set)
    """First tiers that bytes enter of which there is no count."""
    counted: bool = True
    """True if all calls and bytes could be counted."""

    def enter(self, entry: Entry, count: int, size: int = 0, asking: int = 0) -> None:
        """Count requests that enter the tiers."""
        amount = self.entries.setdefault(entry, Amount())
        amount.count += count
        amount.bytes += size
        amount.asking += asking

    def move(self, way: int, size: int) -> None:
        """Count user data."""
        if way == WRITES:
            self.write += size
        else:
            self.read += size

    def end(self, path: int, file: int, end: int) -> None:
        """Note where what is written to a file ends."""
        self.ends[path, file] = max(end, self.ends.get((path, file), 0))

    @property
    def tops(self) -> set[int]:
        """The first tiers that requests come to."""
        return {entry.top for entry in self.entries}

    def add(self, other: Demand, times: int = 1) -> None:
        """Add another demand, made so many times; each time it writes the same places."""
        for name in ("read", "write", "steps", "records", "polls"):
            setattr(self, name, getattr(self, name) + times * getattr(other, name))
        for name in ("calls", "sent", "messages"):
            mine = getattr(self, name)
            for key, count in getattr(other, name).items():
                mine[key] += times * count
        for entry, one in other.entries.items():
            self.enter(entry, times * one.count, times * one.bytes, times * one.asking)
        for (path, file), end in other.ends.items():
            self.end(path, file, end)
        self.unknown |= other.unknown
        self.counted &= other.counted


_COMPUTING = Demand(steps=1)


class Demands:
    """Requests of each process of a plan.

    ``exact``: record streams are gone through, and each place is drawn. Else the calls of a stream
    follow from its bytes and its buffer, and draws of a first pass stand for all. ``most_rows``:
    if a plan lists more operations, so many of them, spread evenly, stand for all.
    """

    def __init__(self, plan: Plan, *, exact: bool, most_rows: int = 0) -> None:
        self.plan = plan
        self._exact = exact
        self._streams: dict[tuple[object, ...], Demand] = {}
        rows = len(plan.operations)
        self._every = rows // most_rows | 1 if most_rows else 1

    def of(self, number: int, rounds: int) -> Demand:
        """Return all that a process asks for, in one job if it serves arrivals.

        ``rounds``: how often it goes through its phases if the ends of others decide that.
        """
        whole = Demand()
        for _, demand, times in self.phases(number, rounds):
            whole.add(demand, int(times))
        return whole

    def phases(self, number: int, rounds: int = 1) -> Iterator[tuple[PhasePlan, Demand, float]]:
        """Yield each phase of a process, a demand, and how often the phase makes it.

        A phase whose places are drawn has two: that of other operations, and that of draws.
        """
        process = self.plan.processes[number]
        for phase, passes in passes_of(process, rounds):
            if phase.kind == codes.STREAM:
                yield phase, self._stream(process, phase), passes
            elif phase.kind == codes.LISTED:
                for demand, times in self._listed(process, phase, passes):
                    yield phase, demand, times
            elif phase.kind == codes.MESH:
                yield phase, self._mesh(number, phase), passes
            elif phase.kind == codes.CALLS:
                yield phase, self._numerical(phase), passes
            else:
                yield phase, _COMPUTING, passes

    # -- streams ----------------------------------------------------------------------------------

    def _stream(self, process: ProcessPlan, phase: PhasePlan) -> Demand:
        how = (phase.policy, phase.write, phase.synchronous, phase.direct, phase.buffer)
        where = (phase.path, phase.file, process.nodes, process.exchange)
        key = (id(phase.lengths), how, where)
        if key not in self._streams:
            self._streams[key] = self._whole_stream(process, phase)
        return self._streams[key]

    def _whole_stream(self, process: ProcessPlan, phase: PhasePlan) -> Demand:
        assert phase.lengths is not None
        total, path = phase.lengths.total, self.plan.paths[phase.path]
        demand = Demand(calls={"open": 1, "close": 1}, steps=2)
        self._metadata(demand, path, 2)
        demand.move(WRITES if phase.write else READS, total)
        if phase.write:
            self._flush(demand, path, 1)
        if phase.policy != "posix" and not isinstance(phase.lengths, FixedLengths):
            demand.records = phase.lengths.count
        file = -1 if self._exact else phase.file
        moves = [Entry(path.top, way, file, phase.direct) for way in (READS, WRITES)]
        others = process.nodes - 1 if process.exchange >= 0 else 0
        if others:
            demand.unknown.add(process.exchange)
        if self._exact and phase.lengths.count > MOST_RECORDS:
            demand.unknown.add(path.top)
            demand.counted = False
            if phase.direct:
                demand.enter(moves[phase.write], 0)
            return demand
        reads, read, writes, written, end = self._calls_of(phase)
        demand.steps += reads + writes
        demand.calls |= {"read": reads, "write": writes}
        if reads or not phase.write:
            demand.enter(moves[READS], reads, read)
        if writes or phase.write:
            demand.enter(moves[WRITES], writes, written)
        if phase.synchronous:
            demand.enter(Entry(path.top, EMPTY), writes)
        if phase.write:
            demand.end(phase.path, phase.file, end)
        if others:  # Members of the process get or give their shares.
            demand.enter(Entry(process.exchange, WRITES), (reads + writes) * others, total * others)
        return demand

    def _calls_of(self, phase: PhasePlan) -> tuple[int, int, int, int, int]:
        """Return reads, their bytes, writes, their bytes, and where these end, of a stream."""
        assert phase.lengths is not None
        if self._exact:
            stream = record_stream(
                phase.policy, write=phase.write, buffer=phase.buffer, lengths=phase.lengths
            )
            return stream.add_up()
        calls, total = phase.lengths.count, phase.lengths.total
        if phase.policy != "posix":
            calls = min(2 * calls, total // max(phase.buffer, 1)) + 1
            calls *= 2 if phase.write else 1  # Lengths of records are written again.
        return (0, 0, calls, total, total) if phase.write else (calls, total, 0, 0, 0)

    def _metadata(self, demand: Demand, path: PathPlan, count: int) -> None:
        """Add metadata operations on a file; how many a client answers itself is unknown."""
        if path.metadata >= 0:
            demand.enter(Entry(path.metadata, EMPTY), count)
            if path.remembers:
                demand.unknown.add(path.metadata)

    def _flush(self, demand: Demand, path: PathPlan, count: int) -> None:
        """Add the closing of a file that was written."""
        if path.close == codes.CLOSE_FLUSH:
            demand.enter(Entry(path.top, EMPTY), count)

    # -- lists ------------------------------------------------------------------------------------

    def _listed(
        self, process: ProcessPlan, phase: PhasePlan, passes: int
    ) -> Iterator[tuple[Demand, float]]:
        """Yield what a phase asks for that is carried out so often, and how often it does."""
        table = self.plan.operations
        kinds, files, paths = table.kind, table.file, table.path
        each = passes if self._exact else 1
        made = {each: Demand(), 1: Demand()}
        alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
        for row, offset, size, times in operations_of(table, phase, each, self._every):
            kind, file = kinds[row], files[row]
            if kind == codes.SEND:
                self._send(made[times], process, offset, size)
            elif kind in _ASKS and self._exact:
                asks = range(offset, offset + size)
                self._ask(made[times], process, kind, self.plan.path_of(row), asks)
            one = alike[times, kind, file, paths[row], size > 0]
            one[0] += 1
            one[1] += size
            if offset + size > one[2]:  # noqa: PLR1730 - a loop over millions
                one[2] = offset + size
        for (times, *what), some in alike.items():
            self._operations(made[times], phase, what, some)
        made[each].move(WRITES if phase.write else READS, phase.size)
        if not self._exact:
            looked_at = made[1].steps
            yield made[1], passes if looked_at == phase.count else passes * phase.count / looked_at
            return
        if phase.draw is not None and process.arrivals >= 0:  # Each job has other draws.
            made[each].counted = False
            made[each].unknown.update(self._drains(phase), *(one.tops for one in made.values()))
        yield from ((demand, times) for times, demand in made.items())

    def _operations(
        self, demand: Demand, phase: PhasePlan, what: Sequence[int], some: Sequence[int]
    ) -> None:
        """Add operations of one kind on a file; ``some``: how many, bytes, and where these end."""
        (kind, file, way, moves), (count, size, end) = what, some
        bare = plain(kind)
        demand.steps += count
        demand.calls[codes.OPERATIONS[bare]] += count
        if bare not in _OF_FILES and bare not in _ASKS:
            return
        number = way if way >= 0 else self.plan.files[file].path
        if bare in _ASKS and not self._exact:
            requests, mean = self._mean_asked
            made = round(count * requests)
            demand.enter(self._asking(bare, number, None), made, made * mean)
        if bare not in _OF_FILES:
            return
        path = self.plan.paths[number]
        if bare in (READ, WRITE):
            way, of = WRITES if bare == WRITE else READS, -1 if self._exact else file
            entry = Entry(path.top, way, of, kind & codes.DIRECT != 0)
            demand.enter(entry, count * moves, size)
            if not phase.size:
                demand.move(way, size)
            if bare == WRITE and moves:
                demand.end(number, file, end)
        if bare == SYNC or (bare == WRITE and kind & codes.SYNCED and moves):
            demand.enter(Entry(path.top, EMPTY), count)
        if bare in METADATA:
            self._metadata(demand, path, count)
        if bare == codes.CLOSE and moves:
            self._flush(demand, path, count)

    def _send(self, demand: Demand, process: ProcessPlan, number: int, size: int) -> None:
        channel = self.plan.channels[number]
        if channel.service >= 0:
            demand.sent[channel.service] += 1
        elif channel.top >= 0:
            far = process.node != self.plan.processes[channel.target].node
            demand.enter(Entry(channel.top, WRITES, far=far), 1, size)

    def _ask(self, demand: Demand, process: ProcessPlan, kind: int, path: int, asks: range) -> None:
        """Add requests for pieces that an operation makes of I/O nodes."""
        assert self.plan.asked is not None
        rows = self.plan.asked.requests
        for far in (False, True):
            some = [row for row in asks if (rows.node[row] != process.node) == far]
            size, asking = (sum(map(one.__getitem__, some)) for one in (rows.size, rows.message))
            if some:
                demand.enter(self._asking(kind, path, far), len(some), size, asking)

    def _asking(self, kind: int, path: int, far: bool | None) -> Entry:
        top = self.plan.asked_top(self.plan.paths[path])
        return Entry(top, READS if kind == codes.ASK_READ else WRITES, far=far)

    @cached_property
    def _mean_asked(self) -> tuple[float, int]:
        """The requests of an operation that asks I/O nodes, and the mean bytes of one."""
        assert self.plan.asked is not None
        kinds, sizes = self.plan.operations.kind, self.plan.asked.requests.size
        operations = sum(map(kinds.count, _ASKS))
        return len(sizes) / max(operations, 1), sum(sizes) // max(len(sizes), 1)

    def _drains(self, phase: PhasePlan) -> set[int]:
        """Return the drains of the paths whose files a listed phase may write, by its draws."""
        table = self.plan.operations
        rows = range(phase.first, phase.first + phase.count)
        ways = {self.plan.path_of(row) for row in rows if plain(table.kind[row]) == WRITE}
        return {self.plan.paths[path].drain for path in ways} - {-1}

    # -- services ---------------------------------------------------------------------------------

    def _mesh(self, number: int, phase: PhasePlan) -> Demand:
        """Return the exchanges of a mesh, and the polls in the time that its sweeps take alone."""
        services = self.plan.services
        mesh = services.meshes[phase.row]
        neighbours = len(mesh.blocks[number - mesh.first].neighbours)
        demand = Demand(steps=phase.loops)
        demand.messages[mesh.service] += phase.loops * mesh.exchanges * neighbours
        for service in services.messages:
            spec = self.plan.parts[service.processor].spec
            if spec is not None:
                time_ns = spec.sweep_cpu_ns(mesh.points // mesh.nodes, mesh.point_bytes)
                demand.polls += phase.loops * time_ns / service.spec.interval_ns
        return demand

    def _numerical(self, phase: PhasePlan) -> Demand:
        caller = self.plan.services.callers[phase.row]
        trials = caller.duration_ns // caller.every_ns if caller.every_ns else 0
        return Demand(messages={NUMERICAL: caller.count or round(caller.chance * trials)})
