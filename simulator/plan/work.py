"""What carrying out a plan comes to, before it is: requests at each tier, and blocks of stores.

Counted by arithmetic, not by looking at each request: calls of the same size on the same path are
one row. What depends on the run (which blocks are found, who waits for whom, how often a process
goes on until others end) is taken in the mean or at its most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.kinds.traits import PartSpec
from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    BUFFERS,
    CALLS,
    COMMIT,
    END,
    EXPORT,
    HOLD,
    LISTED,
    LOCKS,
    MESH,
    METADATA,
    READ,
    RECEIVE,
    REQUEST,
    SEND,
    STAGE,
    STORE,
    STREAM,
    STRIPE,
    SYNC,
    WRITE,
    plain,
)
from simulator.plan.events import MOST_TIMES
from simulator.plan.jobs import PhasePlan, passes_of
from simulator.runtime.lengths import FixedLengths

if TYPE_CHECKING:
    from simulator.plan.events import EventPlan
    from simulator.plan.jobs import ProcessPlan
    from simulator.plan.plan import Plan

MOST_LOOKED_AT = 256
"""Processes that are looked at; of more, so many of them spread evenly stand for all."""
READS, WRITES, EMPTY = range(3)
"""Which way requests move bytes; none: syncs, metadata and requests for locks."""


@dataclass(slots=True)
class Calls:
    """Calls of one size that go along the same tiers."""

    count: float = 0.0
    seen: dict[tuple[int, int], float] = field(default_factory=dict)
    """The files and nodes that they are of, each with for how many it stands."""


class Work:
    """What a plan comes to: numbers of requests and blocks, most of them estimates."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.calls = 0.0
        """Operations of processes, and their computing."""
        self.job_calls: defaultdict[str, float] = defaultdict(float)
        """Calls of each job."""
        self.requests = [0.0] * len(plan.tiers)
        """That come to each tier."""
        self.passes = [0.0] * len(plan.tiers)
        """Of parts, by requests at each tier."""
        self.blocks = [0.0] * len(plan.stores)
        """That are looked at in each store."""
        self.held = [0.0] * len(plan.stores)
        """That all instances of each store hold at most."""
        self._files: list[dict[tuple[int, int], float]] = [{} for _ in plan.stores]
        """Bytes of each file, and from which node, that come to each store."""
        self.made: defaultdict[int, float] = defaultdict(float)
        """Requests that tiers make of those that come to them, where these are cut or striped."""
        self.pieces = [1.0] * len(plan.tiers)
        """The most that each tier makes of one request."""
        self.ways: dict[int, list[int]] = {}
        """The tiers of each chain that requests go along, by the first of them."""
        self.polls = 0.0
        """Of message servers."""
        self.records = 0.0
        """Of different lengths, which libraries gather in buffers one by one."""
        self.messages = 0.0
        """Between message servers, and calls of numerical servers."""
        self._groups: defaultdict[tuple[int, int, int], Calls] = defaultdict(Calls)
        """Calls by their first tier, their size, and which way they move it."""
        self._listings: dict[tuple[int, int], tuple[dict[int, int], int, set[int]]] = {}
        every = -(-len(plan.processes) // MOST_LOOKED_AT) or 1
        looked_at = plan.processes[::every]
        self._stands_for = len(plan.processes) / max(len(looked_at), 1)
        """For how many processes one stands that is looked at."""
        self._computes_ns = 0.0
        """The time that the process computes which does so longest, with its start."""
        self._longest = 0.0
        """The most calls of a process that does not go on until others end."""
        self._count(looked_at)

    def _count(self, looked_at: Sequence[ProcessPlan]) -> None:
        """Count the calls of processes, then their requests, then the blocks of stores."""
        for process in sorted(looked_at, key=lambda one: one.until >= 0):
            self._process(process, self._stands_for)
        for (top, size, way), calls in self._groups.items():
            self._walk(top, size, way, calls)
        for row, store in enumerate(self.plan.stores):
            most = float(store.count * store.slots)
            self.held[row] = min(most, sum(self._files[row].values()) / store.block)

    @cached_property
    def happenings(self) -> float:
        """Failures and changes of speed, and steps of rebuilds that no arithmetic carries out."""
        return sum(map(self._happenings, self.plan.events))

    def _happenings(self, event: EventPlan) -> float:
        """Return how often an event happens in the time that processes compute at least.

        With the steps of rebuilds beside a disk that is slow: others are carried out at once.
        """
        times = 1.0
        if event.mean_ns:
            times = min(MOST_TIMES, self._computes_ns / (event.mean_ns + event.lasts_ns))
        spec = self.plan.parts[event.part].spec
        slows = any(one.part == event.part and one.speed for one in self.plan.events)
        if slows and not event.speed and isinstance(spec, PartSpec):
            times *= 1 + spec.rebuild_steps()
        return times

    # -- processes ------------------------------------------------------------------------------

    @cached_property
    def _servers(self) -> dict[int, int]:
        """How many processes serve each row of arrivals."""
        found: defaultdict[int, int] = defaultdict(int)
        for one in self.plan.processes:
            found[one.arrivals] += 1
        return found

    def _process(self, process: ProcessPlan, share: float) -> None:
        """Add the phases of a process that stands for ``share``."""
        if process.arrivals >= 0:
            row = self.plan.arrivals[process.arrivals]
            share *= row.count / self._servers[process.arrivals]
        before = self.calls
        own_ns = sum(phase.compute_ns * times for phase, times in passes_of(process, 1))
        self._computes_ns = max(self._computes_ns, process.start_ns + own_ns)
        self._phases(process, share)
        made = self.calls - before
        if process.until < 0:
            self._longest = max(self._longest, made / self._stands_for)
        elif made and self._longest * share > made:  # As many calls as the longest of the others.
            self._phases(process, self._longest * share**2 / made - share)
        self.job_calls[process.job] += self.calls - before

    def _phases(self, process: ProcessPlan, share: float) -> None:
        for phase, times in passes_of(process, 1):
            count = times * share
            if phase.kind == STREAM:
                self._stream(process, phase, count)
            elif phase.kind == LISTED:
                self._listed(process, phase, count)
            elif phase.kind == MESH:
                self._mesh(phase, count)
            elif phase.kind == CALLS:
                self._numerical(phase, count)
            else:
                self.calls += count

    def _stream(self, process: ProcessPlan, phase: PhasePlan, count: float) -> None:
        assert phase.lengths is not None
        records, total = phase.lengths.count, phase.lengths.total
        calls = records
        if phase.policy != "posix":
            calls = min(2 * records, total // max(phase.buffer, 1)) + 1
            calls *= 2 if phase.write else 1  # Lengths of records are written again.
        if phase.policy != "posix" and not isinstance(phase.lengths, FixedLengths):
            self.records += records * count
        self.calls += (calls + 2) * count
        top = self.plan.paths[phase.path].top
        way = WRITES if phase.write else READS
        self._call(top, -(-total // max(calls, 1)), way, calls * count, process, phase.file)
        if phase.synchronous and phase.write:
            self._call(top, 0, EMPTY, calls * count, process, phase.file)
        metadata = self.plan.paths[phase.path].metadata
        if metadata >= 0:
            self._call(metadata, 0, EMPTY, 2 * count, process, phase.file)
        if process.nodes > 1:  # Its members get or give their shares.
            shares = calls * (process.nodes - 1) * count
            self._call(process.exchange, total // max(calls, 1), WRITES, shares, process, -1)

    def _listed(self, process: ProcessPlan, phase: PhasePlan, count: float) -> None:
        kinds, size, files = self._listing(phase)
        self.calls += phase.count * count
        file = next(iter(files), -1)
        path = self.plan.paths[self.plan.files[file].path] if file >= 0 else None
        for kind, number in kinds.items():
            bare, times = plain(kind), number * count
            if bare in (SEND, RECEIVE) and self.plan.channels:
                self._message(bare, size, times, process)
            elif bare in (ASK_READ, ASK_WRITE) and path is not None:
                self._asked(self.plan.asked_top(path), bare, times, process)
            elif path is None:
                continue
            elif bare in (READ, WRITE):
                way = WRITES if bare == WRITE else READS
                for one in files:
                    self._call(path.top, size, way, times / len(files), process, one)
                if kind != bare and bare == WRITE:
                    self._call(path.top, 0, EMPTY, times, process, file)
            elif bare == SYNC:
                self._call(path.top, 0, EMPTY, times, process, file)
            elif bare in METADATA and path.metadata >= 0:
                self._call(path.metadata, 0, EMPTY, times, process, file)

    def _listing(self, phase: PhasePlan) -> tuple[dict[int, int], int, set[int]]:
        """Return the numbers of listed operations by kind, the mean size of a move, and the files.

        A drawn operation of no size has the mean one of the places that it may have.
        """
        key = phase.first, phase.count
        if key not in self._listings:
            table, end = self.plan.operations, phase.first + phase.count
            codes = bytes(table.kind[phase.first : end])
            kinds = {code: codes.count(code) for code in set(codes)}
            moves = sum(n for code, n in kinds.items() if plain(code) in (READ, WRITE, SEND))
            size = sum(table.size[phase.first : end])
            if not size and phase.draw is not None:
                size, moves = sum(table.size[phase.draw.base : end]), end - phase.draw.base
            files = set(table.file[phase.first : end]) - {-1}
            self._listings[key] = kinds, -(-size // max(moves, 1)), files
        return self._listings[key]

    def _message(self, kind: int, size: int, count: float, process: ProcessPlan) -> None:
        channel = self.plan.channels[0]
        if channel.service >= 0:
            self.messages += count / 2
        elif kind == SEND and channel.top >= 0:
            self._call(channel.top, size, WRITES, count, process, -1)

    def _asked(self, top: int, kind: int, count: float, process: ProcessPlan) -> None:
        """Add operations that ask I/O nodes for pieces, of as many requests as the mean one has."""
        requests, size = self._mean_asked
        way = WRITES if kind == ASK_WRITE else READS
        self._call(top, size, way, count * requests, process, -1)

    @cached_property
    def _mean_asked(self) -> tuple[float, int]:
        """How many requests an operation asks I/O nodes for, and the mean bytes of one."""
        assert self.plan.asked is not None
        kinds, sizes = self.plan.operations.kind, self.plan.asked.requests.size
        operations = kinds.count(ASK_READ) + kinds.count(ASK_WRITE)
        return len(sizes) / max(operations, 1), sum(sizes) // max(len(sizes), 1)

    def _mesh(self, phase: PhasePlan, count: float) -> None:
        """Add the exchanges of a mesh, and the polls in the time that its sweeps take alone."""
        mesh = self.plan.services.meshes[phase.row]
        self.calls += phase.loops * count
        self.messages += phase.loops * mesh.exchanges * len(mesh.blocks[0].neighbours) * count
        for service in self.plan.services.messages:
            spec = self.plan.parts[service.processor].spec
            if spec is not None:
                time_ns = spec.sweep_cpu_ns(mesh.points // mesh.nodes, mesh.point_bytes)
                self.polls += count * phase.loops * time_ns / service.spec.interval_ns

    def _numerical(self, phase: PhasePlan, count: float) -> None:
        caller = self.plan.services.callers[phase.row]
        trials = caller.duration_ns // caller.every_ns if caller.every_ns else 0
        self.messages += count * (caller.count or caller.chance * trials)

    # -- requests -------------------------------------------------------------------------------

    def _call(
        self, top: int, size: int, way: int, count: float, process: ProcessPlan, file: int
    ) -> None:
        calls = self._groups[top, size, way]
        calls.count += count
        calls.seen[file, process.node] = self._stands_for

    def _walk(self, top: int, size: float, way: int, calls: Calls) -> None:
        """Follow requests down a chain; each tier may make several of one."""
        count = calls.count
        if top not in self.ways:
            self.ways[top] = [*self._rows(top)]
        for row in self.ways[top]:
            tier = self.plan.tiers[row]
            self.requests[row] += count
            pieces = there = 1.0
            if tier.kind == REQUEST and way != EMPTY:
                pieces = max(1.0, size / tier.size)
            elif tier.kind == STRIPE and way != EMPTY:
                pieces = min(tier.width, max(1.0, size / tier.size))
            elif tier.kind == STORE and way != EMPTY:
                pieces, there = self._kept(row, count, size, way, calls)
            elif tier.kind == LOCKS and way != EMPTY:
                self.requests[row] += count * size / tier.size
            elif tier.kind == STAGE:
                both = 2 if tier.header else 1
                ways = both * max(len(tier.down), len(tier.up))
                ways *= tier.header > 0 or way != EMPTY
                self.passes[row] += count * ways * max(1, min(tier.pieces, tier.width))
            elif tier.kind in (COMMIT, EXPORT):
                self.passes[row] += count * (way == EMPTY)
            elif tier.kind in (HOLD, BUFFERS):
                self.passes[row] += count
            else:
                self.passes[row] += count * len(tier.down)
            if tier.kind in (REQUEST, STRIPE):
                self.made[row] += count * pieces
                self.pieces[row] = max(self.pieces[row], pieces)
            count *= pieces * there
            if not count:
                return
            size /= pieces

    def _rows(self, top: int) -> Iterator[int]:
        for row in range(top, len(self.plan.tiers)):
            if self.plan.tiers[row].kind == END:
                return
            yield row

    def _kept(
        self, row: int, count: float, size: float, way: int, calls: Calls
    ) -> tuple[float, float]:
        """Add the blocks of a store; return into how many requests one is cut that goes on.

        And how many of them do.
        """
        tier = self.plan.tiers[row]
        store = self.plan.stores[tier.row]
        extent = store.extent * store.block
        self.blocks[tier.row] += count * (size / store.block + 1)
        through = way == WRITES and not store.back
        missing = 1.0 if through else self._missing(tier.row, tier.slot, count * size, way, calls)
        if "eager" in store.triggers and way == WRITES:
            return max(1.0, size / extent), missing
        # Calls smaller than an extent are gathered, and what is fetched is found by later ones.
        least = store.block if way == READS and not store.ahead else extent
        return max(size / extent, min(1.0, size / least)), missing

    def _missing(self, row: int, slot: int, total: float, way: int, calls: Calls) -> float:
        """Return which part of the bytes has to be moved below a store."""
        store = self.plan.stores[row]
        nodes = Counter(file for file, _ in calls.seen)
        own = 0.0
        for (file, node), stands_for in calls.seen.items():
            if file >= 0:
                one = max(self.plan.files[file].size, self.plan.files[file].length)
                part = one * stands_for if slot == 0 or nodes[file] == 1 else one / nodes[file]
                self._files[row][file, node] = part
                own += part
        members = len(calls.seen) * self._stands_for if slot == 0 else 1
        room = float(members * store.slots * store.block)
        if own > room or not own:
            return 1.0
        return min(1.0, own / total) if total else 0.0
