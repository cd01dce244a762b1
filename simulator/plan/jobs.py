"""Workload of a machine: processes, their phases, arrivals, and tables of operations."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

from simulator.mixing import mix
from simulator.plan.codes import COMPUTE, LOOP
from simulator.runtime.iosteps import ExtentRows, Groups, Requests
from simulator.runtime.lengths import Lengths
from simulator.runtime.listed import Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawPlan:
    """Operations of a phase whose places are drawn anew each time the process comes through it.

    They make ``count`` calls of ``each`` operations. Call i of the r-th time (from 0) draws place
    ``mix(key, r * count + i) % places``, or with an ``end`` ``(r * count + i) % places``.
    """

    key: int
    first: int
    """The first of these operations, a row of the plan's."""
    count: int
    places: int
    base: int = 0
    step: int = 0
    """Place p begins at byte ``base + p * step``, and the operation has its own size. With step 0
    its k-th operation has the offset and size of row ``base + p * each + k``."""
    each: int = 1
    end: int = 0
    """Not 0: places are taken in turn, and an operation that goes beyond this byte ends there."""

    @property
    def rows(self) -> range:
        """The operations that are drawn."""
        return range(self.first, self.first + self.count * self.each)

    def place(self, table: Operations, row: int, passes: int) -> tuple[int, int]:
        """Return the offset and size of one of them; ``passes``: how often it came here before."""
        call, part = divmod(row - self.first, self.each)
        number = passes * self.count + call
        place = (number if self.end else mix(self.key, number)) % self.places
        if self.step:
            offset = self.base + place * self.step
            size = table.size[row]
            return offset, min(size, self.end - offset) if self.end else size
        other = self.base + place * self.each + part
        return table.offset[other], table.size[other]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPhase:
    """A phase as the workload has it, of whose time results tell; a job has its own."""

    job: str
    label: str
    """Its place in the job: ``1``, or ``1.0`` for the first of a loop."""
    what: str
    """Its operation, as ``read f1``."""
    memory: int = 0
    """Bytes that a process holds on each of its nodes from the begin of it to that of another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePlan:
    """Computing, a stream of records, listed operations, a mesh, calls, or the end of a loop."""

    kind: int = COMPUTE
    compute_ns: int = 0
    write: bool = False
    """Stream: records are written, else read."""
    file: int = -1
    path: int = -1
    """Stream: how it reaches the file."""
    lengths: Lengths | None = None
    buffer: int = 0
    policy: str = "posix"
    synchronous: bool = False
    """Stream: each write waits until it is on the device (O_SYNC)."""
    direct: bool = False
    """Stream: calls go past the stores of the process's node (O_DIRECT)."""
    first: int = 0
    """Listed: the first of its operations,"""
    count: int = 0
    """and their number. Loop: ``first`` is the first of the phases that it repeats, counted from
    the process's first; they stand directly before it."""
    draw: DrawPlan | None = None
    """Listed: operations whose places are drawn each time."""
    size: int = 0
    """Listed: bytes of the program's data that a library moves for it, if it does. Then the whole
    phase is one transfer, a write if ``write``, and its single reads and writes are none."""
    row: int = -1
    """Mesh: row of the plan's meshes. Calls: row of its callers."""
    loops: int = 0
    """Mesh: loops, one after the other. Loop: how often its phases are carried out."""
    named: int = -1
    """Row of the named phase that begins with it; -1: what was before goes on."""
    cuts: tuple[tuple[int, int], ...] = ()
    """Listed: operations, in order, before which other named phases begin, and their rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessPlan:
    """One process: where it runs, when it starts, and its phases."""

    name: str
    job: str
    group: int
    node: int
    """The member of its group that it runs on,"""
    nodes: int = 1
    """and how many members its data are spread over, from that one on."""
    cpu: int = -1
    """Row of the ``cpu`` part."""
    processor: int = -1
    """Row of the ``processor`` part that it shares with servers; then it computes there."""
    exchange: int = -1
    """The first tier of the path between members that share its data."""
    exchange_places: tuple[int, ...] = ()
    """As ``ChannelPlan.places``, on this path."""
    memory: int = 0
    """Bytes that it holds from its start on, on each of its nodes; until its end, unless it comes
    to a named phase, which says what it holds then."""
    start_ns: int = 0
    born: int = -1
    """The mark whose passing starts it; ``start_ns`` if -1."""
    sleeps: bool = False
    """It starts when a ``start`` operation of another process names it."""
    launched: bool = False
    """A process server makes it, and it starts when all of its job are there."""
    repeat: int = 1
    until: int = -1
    """It repeats its phases until all processes with -1 have ended. Processes of one row do so
    equally often, since they meet."""
    phases: tuple[PhasePlan, ...] = ()
    arrivals: int = -1
    """Row of arrivals that it serves one after the other; then ``start_ns`` is not used."""
    stops: bool = False
    """It ends with the first of its calls that fails; else it goes on with the next."""


STRETCH = 256
"""Operations that stand together of those that are looked at, where not all are."""


def operations_of(
    table: Operations, phase: PhasePlan, passes: int, every: int = 1
) -> Iterator[tuple[int, int, int, int]]:
    """Yield row, offset, size of each operation of a phase that is carried out ``passes`` times.

    And how often it is: each place that is drawn comes by itself. ``every``: only one stretch of
    operations in so many.
    """
    draw, end = phase.draw, phase.first + phase.count
    for start in range(phase.first, end, STRETCH * every):
        rows = range(start, min(start + STRETCH, end))
        some = slice(rows.start, rows.stop)
        listed = zip(rows, table.offset[some], table.size[some], repeat(passes))
        if draw is None:
            yield from listed
            continue
        for row, *place in listed:
            if row in draw.rows:
                yield from ((row, *draw.place(table, row, number), 1) for number in range(passes))
            else:
                yield row, *place  # type: ignore[misc]


def passes_of(process: ProcessPlan, rounds: int = 0) -> Iterator[tuple[PhasePlan, int]]:
    """Yield each phase but the ends of loops, and how often a process carries it out.

    In one job, if it serves arrivals. ``rounds``: how often it goes through its phases if the ends
    of others decide that.
    """
    times = times_of(process.phases)
    for phase, count in zip(process.phases, times, strict=True):
        if phase.kind != LOOP:
            yield phase, count * (rounds if process.until >= 0 else process.repeat)


def times_of(phases: Sequence[PhasePlan]) -> list[int]:
    """Return how often each phase is carried out on one way through all of them.

    >>> inner = PhasePlan(kind=LOOP, first=1, loops=3)
    >>> times_of([PhasePlan(), PhasePlan(), inner, PhasePlan(kind=LOOP, first=0, loops=2)])
    [2, 6, 6, 2]
    """
    times = [1] * len(phases)
    for end, phase in enumerate(phases):
        if phase.kind == LOOP:
            for number in range(phase.first, end + 1):
                times[number] *= phase.loops
    return times


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalsPlan:
    """When jobs arrive. The processes that name the same row take the next arrival in turn."""

    kind: int
    count: int
    """How many jobs arrive."""
    gap_ns: int = 0
    """The mean time between two."""
    first_ns: int = 0
    """The earliest time of the first."""
    stream: str = ""
    """Name of the random stream."""
    times: tuple[int, ...] = ()


@dataclass(slots=True)
class Operations(Rows):
    """Listed operations, a row each; those of a phase stand together.

    ``offset`` and ``size`` mean, besides a range of a file: a mark (pass, wait), a lock, a barrier,
    a channel and its bytes (send, receive), the first request and how many (ask-read, ask-write, of
    a file on a path with ``buffers``), a process (start, join).
    """

    column: array[int] = field(default_factory=lambda: array("h"))
    """The column of the account that ``gap`` is charged to; -1: computing."""

    def add(
        self,
        kind: int,
        file: int = -1,
        offset: int = 0,
        size: int = 0,
        *,
        gap: int = 0,
        column: int = -1,
    ) -> None:
        """Add one row at the end."""
        Rows.add(self, kind, file, offset, size, gap=gap)
        self.column.append(column)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPlan:
    """Messages from one process to another, in the order in which they are sent."""

    source: int
    target: int
    top: int = -1
    """The first tier between their nodes; -1: they cost no time."""
    places: tuple[int, ...] = ()
    """The group of each place on the way, those of both nodes first; empty if these are all."""
    service: int = -1
    """Row of the message service that they go through, instead of ``top``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryWork:
    """Work of MPI-IO libraries that takes no time at parts: counts, and sizes in bytes."""

    calls: int = 0
    """Calls of the file system by processes,"""
    server_calls: int = 0
    """and by I/O nodes that serve collective calls with programs of their own."""
    copied: int = 0
    """Bytes copied by libraries and by such programs."""
    memory: Mapping[str, int] = field(default_factory=dict)
    """Bytes of buffers, by what they are for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPlan:
    """Requests for pieces of files that are not contiguous, as MPI-IO makes them.

    They go along the path of the file that their operation names; the request's node is the place
    of the path's ``buffers``.
    """

    requests: Requests
    groups: Groups
    extents: ExtentRows
    work: LibraryWork = LibraryWork()
