"""Reading and writing a file: records from its beginning, in own parts, in turn, or at random."""

from __future__ import annotations

from array import array
from typing import Annotated, Literal

from simulator.config.errors import Path
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.lowering.records import (
    Calls,
    extent_of,
    interleaved_records,
    placed_records,
    record_lengths,
)
from simulator.config.machine_file import Machine
from simulator.config.needs import too_much
from simulator.config.phase import COUNTED, Drawn, Faults, OnMachine, Phase, Spot, not_written
from simulator.config.quantities import Flag, Name, Size
from simulator.config.record import INTERLEAVED, RANK, Offset, Record, RecordSize, usual_size
from simulator.config.runtime import Policy
from simulator.config.section import Called
from simulator.config.workload_file import File, Job
from simulator.kinds.dice import Dice
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.runtime.policies import runtime_of
from simulator.runtime.records import LARGEST_FILE, MARK
from simulator.units import format_size

MANY_CALLS = 10**10
"""An engine simulates some millions in a second."""

Order = Annotated[Literal["sequential", "random", "onward"], Called("order")]
Draw = Annotated[Literal["each-round", "once"], Called("draw")]


class Transfer(Phase):
    """Read or write a file: from its beginning, or each process a part of it."""

    rank = 0
    moves = True
    restarts = True
    later = Phase.later | {"truncate"}
    synonyms = {"block": "record", "chunk": "record", "bytes": "size"}

    do: Literal["read", "write"]
    """What it does."""
    file: Name
    """The file, by its name in ``files``."""
    size: Size | None = None
    """How much of it one process transfers; all of it, or of its part, if left out."""
    record: RecordSize | None = None
    """As in the job, for this phase only."""
    buffer: Size | None = None
    """As in the job, for this phase only."""
    policy: Policy | None = None
    """As in the job, for this phase only."""
    path: Name | None = None
    """As in the job, for this phase only."""
    offset: Offset | None = None
    """Where a process begins: a number of bytes, or 'rank': each process has its own part of the
    file, in order of ranks; 'interleaved': their records follow each other in turn, and the last
    may be shorter. posix only."""
    order: Order = "sequential"
    """Records one after the other ('sequential'); each at a place that is drawn for each process
    ('random'); or on from where the process's last time in this phase ended ('onward'), and from
    the beginning again behind the end: in the file from the offset on, or in its own part with rank
    and interleaved. posix only."""
    draw: Draw | None = None
    """With order random, 'each-round', as if left out: each time that a process comes here it draws
    new places; or 'once': they are the same each time."""
    synchronous: Flag = False
    """Each write waits until its data are on the device: a sync after it, as with O_SYNC."""
    direct: Flag = False
    """Calls go past the stores of the process's node, as with O_DIRECT."""
    truncate: Flag | None = None
    """The file is emptied when it is opened, as with O_TRUNC: that is a setattr, and its closing is
    that of a file that replaces another. posix only."""

    @property
    def writes(self) -> bool:
        """Return whether it writes."""
        return self.do == "write"

    @property
    def placed(self) -> bool:
        """Return whether it is more than a stream of records from the beginning."""
        return self.offset is not None or self.order != "sequential" or bool(self.truncate)

    @property
    def whole(self) -> bool:
        """Return whether it is such a stream."""
        return not self.placed

    @property
    def bits(self) -> int:
        """Bits of the kinds of its calls."""
        return (codes.SYNCED if self.synchronous else 0) | (codes.DIRECT if self.direct else 0)

    def writes_of(self, file: File) -> int:
        """Return how many bytes of its file it may write."""
        part = self.size if self.offset is None and self.order != "onward" else None
        return (part or file.size) if self.writes else 0

    def record_in(self, job: Job) -> Record | None:
        """Return the size of its records: its own, or that of its job."""
        return self.record if self.record is not None else job.record

    def policy_on(self, job: Job, machine: Machine) -> str:
        """Return its runtime: its own, that of its job, or the machine's."""
        return self.policy or job.policy or machine.runtime.policy

    # -- checks -----------------------------------------------------------------------------------

    @property
    def draws(self) -> bool:
        """Whether its order is drawn."""
        return self.order == "random"

    def faults(self, spot: Spot) -> Faults:
        """Find transfers of what is not in the file, and keys that do not go together."""
        job, file = spot.job, spot.file(self.file)
        yield from self._beyond(job, file)
        yield from self._too_long(job, file)
        policy = self.policy or job.policy
        if self.placed and policy not in (None, "posix"):
            key = "offset" if self.offset is not None else "order"
            key = "truncate" if self.truncate else key
            about = f"{policy} transfers whole files from their beginning; write 'policy: posix'"
            yield (key,), about
        if isinstance(self.offset, str) and not file.shared:
            about = f"{self.offset} is for a file that all processes share; write 'shared: true'"
            yield ("offset",), f"{about} in files.{self.file}"
        if self.truncate and not self.writes:
            yield ("truncate",), "is for writing: nothing would be left to read; leave it out"
        if self.order == "onward":
            yield from self._onward_faults(job)
        if "draw" in self.given and self.order != "random":
            yield (
                ("draw",),
                "has no effect without 'order: random'; leave it out, or write that too",
            )
        record = self.record_in(job)
        if self.offset == INTERLEAVED and record is not None and not isinstance(record, int):
            yield ("offset",), "interleaved needs records of one size; write 'record: 64 kB'"
        if not self.writes and not file.exists:
            yield from self._lacking(spot.written(self.file), file)
        if self.synchronous and not self.writes:
            about = "is for writing: reading waits for its data anyway; leave it out"
            yield ("synchronous",), about
        if file.layout is not None:
            yield from self._laid_out(job)

    def _beyond(self, job: Job, file: File) -> Faults:
        """Find parts that the file does not have."""
        own, most = self.size or 0, format_size(file.size)
        if own > file.size:
            about = f"{self.do}s {format_size(own)} of a file of {most}; write {most} or less"
            yield ("size",), about
        elif isinstance(self.offset, int) and self.offset + own > file.size:
            end = format_size(self.offset + own)
            yield ("offset",), f"ends at {end} of a file of {most}; write less"
        elif isinstance(self.offset, int) and self.offset == file.size:
            yield ("offset",), "is the end of the file; write less"
        elif isinstance(self.offset, str) and own * job.ranks > file.size:
            about = f"makes {format_size(own * job.ranks)} for {job.ranks} processes; the file has"
            yield ("size",), f"{about} {most}; write less"

    def _too_long(self, job: Job, file: File) -> Faults:
        """Find more bytes of records, and of their lengths, than a file of records may have."""
        record, size = self.record_in(job), self.size or file.size
        if self.placed or record is None:
            return
        if size + 2 * MARK * (size // usual_size(record) + 1) > LARGEST_FILE:
            about = (
                f"{format_size(size)} of records, with a length before and behind each, are more"
            )
            about = f"{about} than the 2**61 bytes of a file; write larger records, or"
            key = "size" if self.size is not None else "file"
            where = "" if self.size is not None else f" in files.{self.file}"
            yield (key,), f"{about} 'size: {format_size(max(1, size // 4))}' or less{where}"

    def _lacking(self, written: int, file: File) -> Faults:
        """Find reads of more than is ``written`` before."""
        if not written:
            yield ("file",), not_written(self.file)
        elif not self.placed and (self.size or file.size) > written:
            size = format_size(self.size or file.size)
            about = f"reads {size}, but only {format_size(written)} is written before"
            yield ("size" if self.size else "file",), f"{about}; write a smaller size here"

    def _onward_faults(self, job: Job) -> Faults:
        """Find what does not say how far a process goes each time."""
        record = self.record_in(job)
        if self.size is None:
            about = "goes on behind the part of the last time; write its 'size' too, like '10 MB'"
            yield ("order",), about
        elif record is not None and not isinstance(record, int):
            yield ("order",), "onward needs records of one size; write 'record: 64 kB'"
        elif isinstance(record, int) and self.size % record:
            whole = format_size(max(1, self.size // record) * record)
            about = f"{format_size(self.size)} are no whole records of {format_size(record)}"
            yield ("size",), f"{about}; write {whole}, or another record"

    def _laid_out(self, job: Job) -> Faults:
        """Find what cannot be done to a file with a layout."""
        if self.order == "onward":
            about = "goes on in no file with a layout, and files.{} has one; leave one of them out"
            yield ("order",), about.format(self.file)
        for key in ("synchronous", "direct", "truncate"):
            if getattr(self, key):
                about = f"is not for a file with a layout, and files.{self.file} has one"
                yield (key,), f"{about}; leave one of them out"
        if job.until is not None:
            yield (), COUNTED

    def misfits(self, spot: OnMachine) -> Faults:
        """Find runtimes and pieces that are not for a file with a layout."""
        file, way = spot.file(self.file), spot.block(self).io
        if way is not None and file.layout is not None:
            policy = self.policy_on(spot.job, spot.machine)
            if policy != "posix":
                about = f"{policy} does not write to a file with a layout of its own"
                yield ("file",), f"{about}; write 'policy: posix', or leave the file's layout out"
            yield from too_much(spot.machine, file, way)

    def doubts(self, spot: OnMachine) -> Faults:
        """Find calls that would take hours to simulate, and buffers that are not used."""
        job = spot.job
        record, times = self.record_in(job), job.ranks * job.repeat * job.times(spot.at)
        size = self.size or spot.file(self.file).size
        if record is not None and (calls := size // usual_size(record) * times) > MANY_CALLS:
            about = f"{calls:,} calls take hours to simulate; write larger records"
            yield (), f"{about}, or fewer bytes"
        yield from self._rereads(job, spot)
        policy = self.policy_on(job, spot.machine)
        if runtime_of(policy).unbuffered and self.buffer is not None:
            yield ("buffer",), _unused(policy)

    def _rereads(self, job: Job, spot: OnMachine) -> Faults:
        """Find a part of a file that each round moves again, though nothing says that it should."""
        size, rounds = self.size, job.repeat * job.times(spot.at)
        if self.placed or size is None or size >= spot.file(self.file).size:
            return
        if rounds > 1 or job.rounds:
            times = f" ({rounds:,} times)" if rounds > 1 else ""
            about = f"each round{times} {self.do}s the first {format_size(size)} of {self.file}"
            cure = "write 'order: onward' to go on through the file, or 'offset: 0 B'"
            yield ("size",), f"{about} again; {cure} if that is meant"

    @classmethod
    def doubts_of(cls, job: Job, machine: Machine) -> Faults:
        """Find a buffer of a job that none of its phases uses."""
        transfers = [one for _, one in job.every_phase() if isinstance(one, cls)]
        policies = [(one.policy_on(job, machine), one.buffer) for one in transfers]
        without = [policy for policy, _ in policies if runtime_of(policy).unbuffered]
        used = any(policy not in without and own is None for policy, own in policies)
        if job.buffer is not None and not used:
            yield ("buffer",), _unused(without[-1] if without else "posix")

    @classmethod
    def drawn_keys(cls, dice: Dice) -> Drawn:
        """Draw phases that go on through their file, which need a size of whole records."""
        if not dice.maybe(15):
            return {}
        return {"order": "onward", "record": "4 kB", "size": dice.some("4 kB", "12 kB", "40 kB")}

    # -- operations -------------------------------------------------------------------------------

    def lower(self, process: ProcessBuilder) -> None:
        """Add a stream of records, or listed calls where each has a place of its own."""
        record = self.record_in(process.job)
        assert record is not None
        if process.whole.workload.files[self.file].layout is not None:
            self._ask(process, record)
        elif self.placed:
            self._place(process, record)
        else:
            self._stream(process, record)

    def _stream(self, process: ProcessBuilder, record: Record) -> None:
        whole, job = process.whole, process.job
        policy = self.policy_on(job, whole.machine)
        size = self.size or whole.workload.files[self.file].size
        lengths = record_lengths(record, size, whole.key, f"{process.stream}/records")
        number = process.file(self.file, extent_of(policy, lengths, size), path=self.path)
        process.append(
            PhasePlan(
                kind=codes.STREAM,
                write=self.writes,
                file=number,
                path=whole.files.path(*process.way(self.file, self.path)),
                lengths=lengths,
                buffer=self.buffer or job.buffer or whole.machine.runtime.buffer,
                policy=policy,
                synchronous=self.synchronous,
                direct=self.direct,
            )
        )

    def _ask(self, process: ProcessBuilder, record: Record) -> None:
        """Add calls that ask I/O nodes for pieces of a file, one for each record."""
        file = process.file(self.file, path=self.path)
        process.finish()
        calls = self._calls(process, record)
        if not calls.offsets:  # The file has fewer records than there are processes.
            process.add(codes.OPEN, file)
            process.add(codes.CLOSE, file)
            return
        whole = process.whole
        if calls.again and len({*calls.sizes}) > 1:
            about = "draws records of several sizes in a file with a layout, which it can do only"
            about = f"{about} once; write 'draw: once', or a size of whole records"
            at: Path = ("jobs", whole.workload.jobs.index(process.job), *process.at)
            raise whole.workload.refused(at, about)
        process.take(whole.asked.add_calls(process, self.file, file, calls, write=self.writes))

    def _place(self, process: ProcessBuilder, record: Record) -> None:
        """Add the calls of records that do not simply follow from the beginning."""
        table = process.whole.operations
        size = process.whole.workload.files[self.file].size
        number = process.file(self.file, size, path=self.path)
        calls = self._calls(process, record)
        if calls.again:
            process.finish()
        process.add(codes.OPEN, number)
        if self.truncate:
            process.add(codes.SETATTR, number)
        first = len(table)
        offsets, sizes = calls.listed()
        count = len(offsets)
        op = codes.WRITE if self.writes else codes.READ
        table.kind.extend(array("b", [op | self.bits]) * count)
        table.file.extend(array("i", [number]) * count)
        table.offset.extend(offsets)
        table.size.extend(sizes)
        table.gap.extend(array("q", [0]) * count)
        table.column.extend(array("h", [-1]) * count)
        table.path.extend(array("i", [process.path_to(number)]) * count)
        process.add(codes.CLOSE, number, size=codes.REPLACED if self.truncate else int(self.writes))
        if calls.again and count:
            process.finish(calls.draw(first))

    def _calls(self, process: ProcessBuilder, record: Record) -> Calls:
        """Return its calls, in the order of the file if they are drawn each time."""
        whole, job, rank, ranks = process.whole, process.job, process.rank, process.ranks
        end = whole.workload.files[self.file].size
        if self.order == "onward":
            return self._onward(process, record, end)
        low, size = self._range(rank, ranks, end)
        if self.offset == INTERLEAVED:
            assert isinstance(record, int)
            whole.check_room(end // (record * ranks), job)
            offsets, sizes = interleaved_records(record, rank, ranks, size=end, own=self.size)
        else:
            lengths = record_lengths(record, size, whole.key, f"{process.stream}/records")
            whole.check_room(lengths.count, job)
            offsets, sizes = placed_records(record, lengths, low)
        if self.order != "random":
            return Calls(offsets, sizes)
        places: array[int] | range = offsets
        if self.size is not None and not isinstance(self.offset, str) and isinstance(record, int):
            places = range(low, max(low, end - record) + 1, record)
        key = whole.key(f"{process.stream}/places")
        again = self.draw != "once" and (process.times > 1 or job.rounds)
        return Calls(offsets, sizes, places, key, again=again)

    def _onward(self, process: ProcessBuilder, record: Record, end: int) -> Calls:
        """Return calls that go on through a process's part of a file of ``end`` bytes."""
        rank, ranks = process.rank, process.ranks
        assert isinstance(record, int)
        assert self.size is not None
        step, low, high = int(record), 0, end
        if self.offset == RANK:
            low, high = end * rank // ranks, end * (rank + 1) // ranks
        elif self.offset == INTERLEAVED:
            step, low = record * ranks, record * rank
        elif isinstance(self.offset, int):
            low = self.offset
        places = range(low, high, step)
        count = self.size // record if places else 0
        process.whole.check_room(count, process.job)
        sizes = array("q", [record]) * count
        return Calls(array("q", [low]) * count, sizes, places, again=True, end=high)

    def _range(self, rank: int, ranks: int, size: int) -> tuple[int, int]:
        """Return the first byte, and how many bytes follow it, of a file of ``size`` bytes."""
        own = self.size
        if self.offset == RANK:
            low = size * rank // ranks if own is None else rank * own
            return low, own or size * (rank + 1) // ranks - low
        low = self.offset if isinstance(self.offset, int) else 0
        return low, own or size - low


def _unused(policy: str) -> str:
    about = f"the buffer has no effect with policy {policy}, {runtime_of(policy).unbuffered}"
    return f"{about}; leave it out, or write another policy"
