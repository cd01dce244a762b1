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
    """Operations of a phase whose offsets are drawn anew in each pass.

    They are ``count`` calls of ``each`` operations. Call i of pass r (from 0) takes position
    ``mix(key, r * count + i) % places``, or with an ``end`` ``(r * count + i) % places``.
    """

    key: int
    first: int
    """First of these operations, a row of the plan's operations."""
    count: int
    places: int
    base: int = 0
    step: int = 0
    """Position p begins at byte ``base + p * step``, and the operation has its own size. With
    step 0 its k-th operation has the offset and size of row ``base + p * each + k``."""
    each: int = 1
    end: int = 0
    """If not 0: positions are taken in turn, and an operation that passes this byte is cut
    there."""

    @property
    def rows(self) -> range:
        """Rows of the operations that are drawn."""
        return range(self.first, self.first + self.count * self.each)

    def range_of(self, table: Operations, row: int, passes: int) -> tuple[int, int]:
        """Return the offset and size of one of them; ``passes``: the number of earlier passes."""
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
    """A phase as the workload defines it, whose time results report; each job has its own."""

    job: str
    label: str
    """Its position in the job: ``1``, or ``1.0`` for the first of a loop."""
    what: str
    """Its operation, as ``read f1``."""
    memory: int = 0
    """Memory of a process on each of its nodes from the begin of this phase to that of the next;
    bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePlan:
    """Computing, a stream of records, listed operations, a mesh, calls, or the end of a loop."""

    kind: int = COMPUTE
    compute_ns: int = 0
    write: bool = False
    """Stream: true if records are written, false if read."""
    file: int = -1
    path: int = -1
    """Stream: row of the path to the file."""
    lengths: Lengths | None = None
    buffer: int = 0
    policy: str = "posix"
    synchronous: bool = False
    """Stream: each write waits until its data are on the device (O_SYNC)."""
    direct: bool = False
    """Stream: calls bypass the stores of the process's node (O_DIRECT)."""
    first: int = 0
    """Listed: row of its first operation. Loop: the first phase that it repeats, counted from the
    process's first; the repeated phases directly precede the loop."""
    count: int = 0
    """Listed: number of operations. Loop: number of phases that it repeats."""
    draw: DrawPlan | None = None
    """Listed: operations whose offsets are drawn in each pass."""
    size: int = 0
    """Listed: bytes of program data that a library moves for it. If not 0 the whole phase is one
    transfer, a write if ``write``, and its single reads and writes are not counted."""
    row: int = -1
    """Mesh: row of the plan's meshes. Calls: row of its callers."""
    loops: int = 0
    """Mesh: number of iterations. Loop: number of passes."""
    named: int = -1
    """Row of the named phase that begins with it; -1: the previous one continues."""
    cuts: tuple[tuple[int, int], ...] = ()
    """Listed: operations, in order, at which other named phases begin, and the rows of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessPlan:
    """One process: its node, its start, and its phases."""

    name: str
    job: str
    group: int
    node: int
    """The member of its group on which it runs; the first of ``nodes``."""
    nodes: int = 1
    """Number of members over which its data are distributed."""
    cpu: int = -1
    """Row of the ``cpu`` resource."""
    processor: int = -1
    """Row of the ``processor`` resource that it shares with servers, and computes on; -1: none."""
    exchange: int = -1
    """The first tier of the path between members that share its data."""
    exchange_places: tuple[int, ...] = ()
    """Places of that path, as ``ChannelPlan.places``."""
    memory: int = 0
    """Memory that it holds on each of its nodes from its start, until its end or its first named
    phase, which has a value of its own; bytes."""
    start_ns: int = 0
    born: int = -1
    """The mark whose passing starts it; -1: it starts at ``start_ns``."""
    sleeps: bool = False
    """True if a ``start`` operation of another process starts it."""
    launched: bool = False
    """True if a process server creates it; it starts when all processes of its job exist."""
    queued: bool = False
    """True if a queue starts it; ``node`` then counts within the nodes that its job gets, or is one
    of its group if it moves data before or after the job."""
    repeat: int = 1
    until: int = -1
    """It repeats its phases until all processes with -1 have ended. Processes of one row do the
    same number of rounds, since they synchronise."""
    phases: tuple[PhasePlan, ...] = ()
    arrivals: int = -1
    """Row of arrivals that it serves one after the other; then ``start_ns`` is not used."""
    stops: bool = False
    """True if it ends with its first failed call; otherwise it continues with the next."""
    restart: int = -1
    """Row of the plan's restarts, if its job fails and goes on from its last checkpoint."""
    reading: int = 0
    """Number of its last phases that belong to no round: they read the checkpoint back."""

    @property
    def in_rounds(self) -> tuple[PhasePlan, ...]:
        """Phases of each round."""
        return self.phases[: len(self.phases) - self.reading]

    @property
    def computing_ns(self) -> int:
        """Time that it computes in all, if it repeats its phases a known number of times."""
        times = times_of(self.in_rounds)
        each = sum(
            phase.compute_ns * count for phase, count in zip(self.in_rounds, times, strict=True)
        )
        return each * self.repeat


STRETCH = 256
"""Length of a contiguous sample of operations, where not all are examined."""


def operations_of(
    table: Operations, phase: PhasePlan, passes: int, every: int = 1
) -> Iterator[tuple[int, int, int, int]]:
    """Yield row, offset and size of each operation of a phase with ``passes`` passes.

    The fourth value is its number of executions; operations with drawn offsets are yielded singly.
    ``every``: only one sample of operations in so many.
    """
    draw, end = phase.draw, phase.first + phase.count
    for start in range(phase.first, end, STRETCH * every):
        rows = range(start, min(start + STRETCH, end))
        some = slice(rows.start, rows.stop)
        listed = zip(rows, table.offset[some], table.size[some], repeat(passes))
        if draw is None:
            yield from listed
            continue
        for row, *bounds in listed:
            if row in draw.rows:
                yield from (
                    (row, *draw.range_of(table, row, number), 1) for number in range(passes)
                )
            else:
                yield row, *bounds  # type: ignore[misc]


def passes_of(process: ProcessPlan, rounds: int = 0) -> Iterator[tuple[PhasePlan, int]]:
    """Yield each phase except ends of loops, and its number of passes in a process.

    Per job, if it serves arrivals. ``rounds``: its number of rounds if the ends of other processes
    decide that.
    """
    times = times_of(process.in_rounds)
    for phase, count in zip(process.in_rounds, times, strict=True):
        if phase.kind != LOOP:
            yield phase, count * (rounds if process.until >= 0 else process.repeat)


def times_of(phases: Sequence[PhasePlan]) -> list[int]:
    """Return the number of passes of each phase in one round.

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


MOST_KEPT = 4_000_000
"""Maximum arrivals of which each response time is kept (32 MB), as in process.hpp."""
NOT_ENDED = -1
"""Response time of an arrival that has not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalsPlan:
    """Arrivals of jobs. The processes that name the same row take the next arrival in turn."""

    kind: int
    count: int
    """Number of jobs that arrive."""
    gap_ns: int = 0
    """Mean time between two arrivals."""
    first_ns: int = 0
    """Earliest time of the first arrival."""
    stream: str = ""
    """Name of the random stream."""
    times: tuple[int, ...] = ()

    @property
    def kept(self) -> int:
        """Number of response times that are kept: of all arrivals, or of none."""
        return self.count if self.count <= MOST_KEPT else 0


@dataclass(slots=True)
class Operations(Rows):
    """Listed operations, a row each; those of a phase are contiguous.

    ``offset`` and ``size`` are a range of a file, or: a mark (pass, wait), a lock, a barrier, a
    channel and its bytes (send, receive), the first request and their number (ask-read, ask-write,
    of a file on a path with ``buffers``), a process (start, join).
    """

    column: array[int] = field(default_factory=lambda: array("h"))
    """Account category to which ``gap`` is charged; -1: computing."""
    path: array[int] = field(default_factory=lambda: array("i"))
    """Path by which its process reaches the file; -1: the file's own, or there is no file."""

    def add(
        self,
        kind: int,
        file: int = -1,
        offset: int = 0,
        size: int = 0,
        *,
        gap: int = 0,
        column: int = -1,
        path: int = -1,
    ) -> None:
        """Append a row."""
        Rows.add(self, kind, file, offset, size, gap=gap)
        self.column.append(column)
        self.path.append(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPlan:
    """Messages from one process to another, in the order in which they are sent."""

    source: int
    target: int
    top: int = -1
    """First tier between their nodes; -1: messages cost no time."""
    places: tuple[int, ...] = ()
    """Group of each place of that path, those of both nodes first; empty if there are no others."""
    service: int = -1
    """Row of the message service that carries them, instead of ``top``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryWork:
    """Work of MPI-IO libraries that takes no time at resources: counts, and sizes in bytes."""

    calls: int = 0
    """Calls of the file system by processes."""
    server_calls: int = 0
    """Calls of the file system by I/O nodes that serve collective calls with programs of their
    own."""
    copied: int = 0
    """Bytes copied by libraries and by such programs."""
    memory: Mapping[str, int] = field(default_factory=dict)
    """Bytes of buffers, by purpose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPlan:
    """Requests for non-contiguous fragments of files, as MPI-IO makes them.

    They use the path of the file in their operation; the request's node is the place of the path's
    ``buffers``.
    """

    requests: Requests
    groups: Groups
    extents: ExtentRows
    work: LibraryWork = LibraryWork()
