"""One process of a job, built phase by phase; listed operations in a row are one phase."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from simulator.config.library_phases import MpiTransfer
from simulator.config.lowering.tables import MPI_CALLS
from simulator.config.phases import INTERLEAVED, RANK, Transfer
from simulator.config.record import LognormalRecord, Record, UniformRecord
from simulator.config.workload_file import Loop, label_of
from simulator.mixing import mix
from simulator.plan import codes
from simulator.plan.jobs import DrawPlan, PhasePlan
from simulator.plan.noise import stream_key
from simulator.runtime.lengths import CycledLengths, Lengths, UniformLengths, fixed, lognormal
from simulator.runtime.records import MARK

if TYPE_CHECKING:
    from simulator.config.errors import Path
    from simulator.config.lowering.plan import Lowering
    from simulator.config.phases import Calls as ListedCalls
    from simulator.config.phases import Phase
    from simulator.config.workload_file import Job

_SUBRECORD = 2**31
"""Longer records are divided, with two more lengths each time."""


def record_lengths(record: Record, size: int, seed: int, stream: str) -> Lengths:
    """Return the records of ``size`` bytes; ``stream`` names the random stream of drawn ones."""
    if isinstance(record, int):
        return fixed(record, size)
    if isinstance(record, tuple):
        return CycledLengths(record, size)
    key = stream_key(seed, 0, stream)
    if isinstance(record, UniformRecord):
        return UniformLengths(key, size, record.from_, record.to)
    assert isinstance(record, LognormalRecord)
    return lognormal(key, size, record.median, record.spread, record.largest)


def interleaved_records(
    record: int, rank: int, ranks: int, *, size: int, own: int | None
) -> tuple[array[int], array[int]]:
    """Return the offsets and sizes (bytes) of the records of one of ``ranks`` processes in turn.

    Together they are the whole file of ``size`` bytes, whose last record may be shorter; or of
    each process its ``own`` bytes, so that in the last turn all records are equally shorter.

    >>> [list(interleaved_records(4, rank, 2, size=14, own=None)[1]) for rank in (0, 1)]
    [[4, 4], [4, 2]]
    >>> [list(interleaved_records(4, rank, 2, size=14, own=7)[0]) for rank in (0, 1)]
    [[0, 8], [4, 11]]
    """
    turn = record * ranks
    turns, left = divmod(size if own is None else own * ranks, turn)
    offsets = array("q", range(rank * record, turns * turn, turn))
    sizes = array("q", [record]) * turns
    each = record if own is None else left // ranks
    last = min(left - rank * each, each)
    if last > 0:
        offsets.append(turns * turn + rank * each)
        sizes.append(last)
    return offsets, sizes


def extent_of(policy: str, lengths: Lengths, size: int) -> int:
    """Return the bytes that records of ``size`` bytes take in a file, their lengths included."""
    marks = 0 if policy == "posix" else lengths.count + size // _SUBRECORD
    return size + 2 * MARK * marks


@dataclass(frozen=True)
class Calls:
    """The reads or writes of a phase."""

    offsets: array[int]
    sizes: array[int]
    places: array[int] | range | None = None
    """Where they can be, if that is drawn."""
    key: int = 0
    again: bool = False
    """It is drawn each time that the process comes to the phase."""

    def drawn(self) -> list[int]:
        """Return the places of the first time."""
        assert self.places is not None
        return [mix(self.key, i) % len(self.places) for i in range(len(self.offsets))]

    def listed(self) -> tuple[array[int], array[int]]:
        """Return the offsets and sizes of listed operations."""
        own = self.places is self.offsets
        if self.places is None or (own and self.again):
            return self.offsets, self.sizes
        drawn, sizes = self.drawn(), self.sizes
        if own:  # The last record may be a shorter one.
            sizes = array("q", [sizes[i] for i in drawn])
        return array("q", [self.places[i] for i in drawn]), sizes

    def draw(self, first: int) -> DrawPlan:
        """Return how they are drawn each time; ``first`` is the row of the first one."""
        assert self.places is not None
        base, step = first, 0
        if isinstance(self.places, range):
            base, step = self.places.start, self.places.step
        count = len(self.offsets)
        return DrawPlan(
            key=self.key, first=first, count=count, places=len(self.places), base=base, step=step
        )


class ProcessBuilder:
    """The phases of one process, as they are added."""

    def __init__(self, whole: Lowering, job: Job, rank: int, group: int, number: int) -> None:
        self.whole = whole
        self.job = job
        self.rank = rank
        self.ranks = job.ranks
        self.group = group
        self.node = 0
        """The member of the group that it runs on."""
        self.at: Path = ()
        """The place of the phase that is being added."""
        self.name = job.name if job.ranks == 1 else f"{job.name}.{rank}"
        self.number = number
        self.first = number - rank
        """Number of the process of rank 0."""
        self.phases: list[PhasePlan] = []
        self._begin = len(whole.operations)
        self.under_way: list[int] = []
        """Processes that carry out nonblocking calls of this one."""

    def build(self) -> tuple[PhasePlan, ...]:
        """Add all phases of the job."""
        self._add_phases(self.job.phases or (), ())
        return tuple(self.phases)

    def _add_phases(self, phases: Sequence[Phase], at: Path) -> None:
        """Add phases whose places are below ``at``."""
        for number, phase in enumerate(phases):
            self.at = (*at, "phases", number)
            phase.lower(self)
        self.finish()

    def loop(self, phase: Loop) -> None:
        """Add phases that are repeated, and behind them where they lead back."""
        self.finish()
        first = len(self.phases)
        self._add_phases(phase.phases, self.at)
        if len(self.phases) > first:
            self.phases.append(PhasePlan(kind=codes.LOOP, first=first, loops=phase.times))

    @property
    def label(self) -> str:
        """What the phase is called that is being added."""
        return label_of(self.at)

    @property
    def times(self) -> int:
        """How often the process carries out this phase, as far as its job says so."""
        return self.job.repeat * self.job.times(self.at)

    # -- operations ---------------------------------------------------------------------------

    def add(
        self, kind: int, file: int = -1, offset: int = 0, size: int = 0, count: int = 1
    ) -> None:
        """Add an operation, or several that are equal."""
        for _ in range(count):
            self.whole.operations.add(kind, file, offset, size)

    def finish(self, draw: DrawPlan | None = None) -> None:
        """Make a phase of the operations since the last one."""
        table = self.whole.operations
        if len(table) > self._begin:
            count = len(table) - self._begin
            self.phases.append(
                PhasePlan(kind=codes.LISTED, first=self._begin, count=count, draw=draw)
            )
            self._begin = len(table)

    def append(self, phase: PhasePlan) -> None:
        """Add a phase after the operations so far."""
        self.finish()
        self.phases.append(phase)

    def barrier(self) -> int:
        """Return the number of the barrier that is being added."""
        return self.whole.barrier(self.job, self.label)

    def lock(self, name: str) -> int:
        """Return the number of a lock."""
        return self.whole.locks.setdefault(name, len(self.whole.locks))

    def channel(self, source: int, target: int) -> int:
        """Return the number of the channel between two ranks of the job."""
        return self.whole.channel(self.first + source, self.first + target, self.group)

    def listed(self, calls: ListedCalls) -> None:
        """Add the listed calls of a client."""
        from simulator.config.lowering.listed import add_client

        add_client(self, calls, self.at)

    # -- MPI-IO -------------------------------------------------------------------------------

    def mpi_transfer(self, phase: MpiTransfer) -> None:
        """Add the requests of the library; of a nonblocking call only its start."""
        whole, number = self.whole, self.label
        file = self.file(phase.file)
        if not phase.nonblocking:
            self.finish()
            made = whole.asked.add(self, phase, number, file)
            self._begin = len(whole.operations)
            self.phases.append(made)
            return
        calls = [at for at, one in self.job.every_phase() if is_nonblocking(one)]
        caller = self.first + self.ranks * (1 + calls.index(self.at)) + self.rank
        overhead = whole.machine.mpi_io.call_overhead
        column = whole.column(MPI_CALLS)
        whole.operations.add(codes.START, offset=caller, gap=overhead, column=column)
        self.under_way.append(caller)

    # -- files --------------------------------------------------------------------------------

    def way(self, name: str, path: str | None = None) -> tuple[str, str, int]:
        """Return the file system, path and group of nodes by which the process reaches a file."""
        file, machine = self.whole.workload.files[name], self.whole.machine
        filesystem = machine.system(file.filesystem)
        return filesystem, machine.path(filesystem, path, self.job.path, file.path), self.group

    def file(self, name: str, size: int = 0, *, path: str | None = None) -> int:
        """Return the number of a file of the process, which is to have ``size`` bytes or more."""
        file = self.whole.workload.files[name]
        size = max(size, file.size) if file.exists or not size else size
        return self.whole.files.place(
            name if file.shared else f"{self.name}/{name}",
            self.way(name, path),
            length=size if file.exists else 0,
            size=size,
            most=file.size,
            prestaged=file.prestage,
        )

    def _path(self, phase: Transfer) -> int:
        """Return the number of the path of a phase: its own word first, then the job's."""
        return self.whole.files.path(*self.way(phase.file, phase.path))

    def transfer(self, phase: Transfer) -> None:
        """Add a stream of records, or listed calls where each has a place of its own."""
        runtime = self.whole.machine.runtime
        policy = phase.policy or self.job.policy or runtime.policy
        record = phase.record if phase.record is not None else self.job.record
        assert record is not None
        file = self.whole.workload.files[phase.file]
        if file.layout is not None:
            self._asked(phase, record)
            return
        if phase.placed:
            self._placed(phase)
            return
        size = phase.size or file.size
        stream = f"{self.name}/{self.label}/records"
        lengths = record_lengths(record, size, self.whole.seed, stream)
        number = self.file(phase.file, extent_of(policy, lengths, size), path=phase.path)
        self.append(
            PhasePlan(
                kind=codes.STREAM,
                write=phase.do == "write",
                file=number,
                path=self._path(phase),
                lengths=lengths,
                buffer=phase.buffer or self.job.buffer or runtime.buffer,
                policy=policy,
                synchronous=phase.synchronous,
                direct=phase.direct,
            )
        )

    def _asked(self, phase: Transfer, record: Record) -> None:
        """Add calls that ask I/O nodes for pieces of a file, one for each record."""
        file = self.file(phase.file, path=phase.path)
        self.finish()
        calls = self._records(phase, record)
        if not calls.offsets:  # The file has fewer records than there are processes.
            self.add(codes.OPEN, file)
            self.add(codes.CLOSE, file)
            return
        if calls.again and len({*calls.sizes}) > 1:
            about = "draws records of several sizes in a file with a layout, which it can do only"
            self.whole.refuse(
                ("jobs", self.whole.workload.jobs.index(self.job), *self.at),
                f"{about} once; write 'draw: once', or a size of whole records",
            )
        made = self.whole.asked.add_calls(self, phase.file, file, calls, write=phase.do == "write")
        self.phases.append(made)
        self._begin = len(self.whole.operations)

    def _records(self, phase: Transfer, record: Record) -> Calls:
        """Return the calls of a phase, in the order of the file if they are drawn each time."""
        file = self.whole.workload.files[phase.file]
        low, size = self._range(phase, file.size)
        if phase.offset == INTERLEAVED:
            assert isinstance(record, int)
            self.whole.check_room(file.size // (record * self.ranks), self.job)
            turn = self.rank, self.ranks
            offsets, sizes = interleaved_records(record, *turn, size=file.size, own=phase.size)
        else:
            stream = f"{self.name}/{self.label}/records"
            lengths = record_lengths(record, size, self.whole.seed, stream)
            self.whole.check_room(lengths.count, self.job)
            offsets, sizes = _records(record, lengths, low)
        if phase.order != "random":
            return Calls(offsets, sizes)
        places = self._places(phase, record, low, offsets)
        key = stream_key(self.whole.seed, 0, f"{self.name}/{self.label}/places")
        again = phase.draw != "once" and (self.times > 1 or self.job.rounds)
        return Calls(offsets, sizes, places, key, again=again)

    def _places(
        self, phase: Transfer, record: Record, low: int, offsets: array[int]
    ) -> array[int] | range:
        """Return where records can be: in the file from ``low`` on, or in an own part."""
        own = phase.offset in (RANK, INTERLEAVED)
        if phase.size is None or own or not isinstance(record, int):
            return offsets
        end = self.whole.workload.files[phase.file].size
        return range(low, max(low, end - record) + 1, record)

    def _placed(self, phase: Transfer) -> None:
        """Add the calls of a phase whose records do not simply follow from the beginning."""
        record = phase.record if phase.record is not None else self.job.record
        assert record is not None
        number = self.file(phase.file, self.whole.workload.files[phase.file].size, path=phase.path)
        op = codes.WRITE if phase.do == "write" else codes.READ
        calls = self._records(phase, record)
        if calls.again:
            self.finish()
        self.add(codes.OPEN, number)
        table = self.whole.operations
        first = len(table)
        offsets, sizes = calls.listed()
        count = len(offsets)
        table.kind.extend(array("b", [op | phase.bits]) * count)
        table.file.extend(array("i", [number]) * count)
        table.offset.extend(offsets)
        table.size.extend(sizes)
        table.gap.extend(array("q", [0]) * count)
        table.column.extend(array("h", [-1]) * count)
        self.add(codes.CLOSE, number, size=int(op == codes.WRITE))
        if calls.again and count:
            self.finish(calls.draw(first))

    def _range(self, phase: Transfer, size: int) -> tuple[int, int]:
        """Return the first byte, and how many bytes follow it, of a file of ``size`` bytes."""
        rank, ranks, own = self.rank, self.ranks, phase.size
        if phase.offset == RANK:
            low = size * rank // ranks if own is None else rank * own
            return low, own or size * (rank + 1) // ranks - low
        low = phase.offset if isinstance(phase.offset, int) else 0
        return low, own or size - low


def is_nonblocking(phase: object) -> bool:
    """Return whether a phase is a nonblocking call of MPI-IO."""
    return isinstance(phase, MpiTransfer) and phase.nonblocking


def _records(record: Record, lengths: Lengths, low: int) -> tuple[array[int], array[int]]:
    """Return the offsets and sizes of records that follow each other."""
    count = lengths.count
    if isinstance(record, int):
        sizes = array("q", [record]) * count
        if count:
            sizes[-1] = lengths.length(count - 1)
        return array("q", range(low, low + count * record, record)), sizes
    sizes = array("q", map(lengths.length, range(count)))
    return array("q", accumulate(sizes[:-1], initial=low)) if count else array("q"), sizes
