"""The phases of a job: what its processes do, one after the other.

To add a kind: its section, with how it becomes operations, and its class in ``AnyPhase``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

from simulator.config.quantities import (
    Count,
    CountOrNone,
    Flag,
    Leaf,
    Name,
    Percent,
    Size,
    Time,
    not_text,
)
from simulator.config.record import RecordSize
from simulator.config.runtime import Policy
from simulator.config.section import Called, Section
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.units import Bytes, format_size, parse_count, parse_size, shown

if TYPE_CHECKING:
    from simulator.config.lowering.process import ProcessBuilder


class Phase(Section, ABC):
    """One thing that each process of a job does."""

    do: str
    """What it does."""

    @abstractmethod
    def lower(self, process: ProcessBuilder) -> None:
        """Add it to a process."""

    @property
    def uses(self) -> str | None:
        """The file that it uses."""
        return getattr(self, "file", None)


class Calls(Section):
    """Listed calls, as 'nwtsim trace workload' writes them; a plain name is the file."""

    shorthand = {"text": "file"}
    synonyms = {"list": "file", "calls": "file"}

    file: Name
    """The CSV file with the calls; beside this file unless its name begins with a '/'."""
    filesystem: Name | None = None
    """Where their files are, by name; the machine's first file system if left out."""
    path: Name | None = None
    """How these are reached, by the name of a path of the file system; its first if left out."""
    prestage: Flag = False
    """Those that are there before the job are in the store when it starts."""
    think: Percent = 1.0
    """How much of the computing between the calls is left."""
    buffer: Size | None = None
    """Gather the calls on each file in a buffer of this size; as they are if left out."""


class Listed(Phase):
    """Carry out listed calls: process after process those of one client of the list, in turn."""

    synonyms = {"file": "calls", "list": "calls"}

    do: Literal["listed"]
    """What it does."""
    calls: Calls
    """The calls, whose clients begin their times when the phase begins."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add the calls of one client."""
        process.listed(self.calls)


Order = Annotated[Literal["sequential", "random"], Called("order")]
Draw = Annotated[Literal["each-round", "once"], Called("draw")]
Pattern = Annotated[Literal["mesh", "ring", "all"], Called("pattern")]

RANK, INTERLEAVED = "rank", "interleaved"


def _read_offset(value: object) -> Bytes | str:
    if value in (RANK, INTERLEAVED):
        return str(value)
    if isinstance(value, str):
        return parse_size(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Bytes(value)
    raise ValueError(not_text(value, "10 MB"))


def _show_offset(offset: Bytes | str) -> str:
    return offset if isinstance(offset, str) else format_size(offset)


Offset = Annotated[
    Bytes | str,
    Leaf("offset", "10 MB", _read_offset, _show_offset, {"type": "string"}),
]
"""A number of bytes, ``rank`` or ``interleaved``."""

NEXT, PREVIOUS, ALL = "next", "previous", "all"


def _read_target(value: object) -> int | str:
    if value in (NEXT, PREVIOUS, ALL):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(not_text(value, "next"))
    try:
        return parse_count(value, least=0)
    except ValueError:
        about = "is no process; write next, previous, all, or its rank"
        raise ValueError(f"{shown(value)} {about}") from None


_TARGET: dict[str, Any] = {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]}
Target = Annotated[int | str, Leaf("target", "next", _read_target, str, _TARGET)]
"""The rank of a process from 0 on, ``next``, ``previous`` or ``all``."""


class Transfer(Phase):
    """Read or write a file: from its beginning, or each process a part of it."""

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
    """Records one after the other, or each at a place that is drawn for each process: in the file
    from the offset on, or in its own part with rank and interleaved. posix only."""
    draw: Draw | None = None
    """With order random, 'each-round', as if left out: each time that a process comes here it draws
    new places; or 'once': they are the same each time."""
    synchronous: Flag = False
    """Each write waits until its data are on the device: a sync after it, as with O_SYNC."""
    direct: Flag = False
    """Calls go past the stores of the process's node, as with O_DIRECT."""

    @property
    def placed(self) -> bool:
        """Whether it is more than a stream of records from the beginning."""
        return self.offset is not None or self.order != "sequential"

    @property
    def bits(self) -> int:
        """Bits of the kinds of its calls."""
        return (codes.SYNCED if self.synchronous else 0) | (codes.DIRECT if self.direct else 0)

    def lower(self, process: ProcessBuilder) -> None:
        """Add a stream of records, or a list of calls."""
        process.transfer(self)


class Compute(Phase):
    """Compute: neither input nor output."""

    do: Literal["compute"]
    """What it does."""
    time: Time
    """How long."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add a time of computing."""
        process.append(PhasePlan(kind=codes.COMPUTE, compute_ns=self.time))


class Barrier(Phase):
    """Wait until all processes of the job have come here."""

    do: Literal["barrier"]
    """What it does."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add a barrier."""
        process.add(codes.BARRIER, offset=process.barrier())


class Sync(Phase):
    """Wait until what was written to a file is on its device."""

    do: Literal["sync"]
    """What it does."""
    file: Name
    """The file, by its name in ``files``."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add a sync."""
        process.add(codes.SYNC, process.file(self.file))


class Metadata(Phase):
    """Open, close, create, rename or look up a file, or the like, without moving its bytes."""

    do: Literal[
        "open",
        "close",
        "stat",
        "create",
        "lookup",
        "unlink",
        "rename",
        "mkdir",
        "rmdir",
        "readdir",
        "setattr",
    ]
    """What it does; lookup: look for a name that is not there; setattr: change its mode, owner,
    times or length."""
    file: Name
    """The file, by its name in ``files``."""
    count: Count = 1
    """How often."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add that many calls."""
        (kind,) = (kind for kind in codes.METADATA if codes.OPERATIONS[kind] == self.do)
        process.add(kind, process.file(self.file), count=self.count)


class Message(Phase):
    """Send a message to another process of the job, and receive what is sent to this one."""

    do: Literal["message"]
    """What it does."""
    to: Target
    """Whom to send to: next, previous (in a ring), all others, or a rank: all others send there."""
    size: Size
    """Bytes of one message."""
    count: Count = 1
    """How often."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add sends, then receives."""
        ranks, rank = process.ranks, process.rank
        others = [one for one in range(ranks) if one != rank]
        targets: list[int]
        if self.to == ALL:
            targets = sources = others
        elif isinstance(self.to, str):
            step = 1 if self.to == NEXT else -1
            targets, sources = [(rank + step) % ranks], [(rank - step) % ranks]
        else:
            targets, sources = ([], others) if rank == self.to else ([self.to], [])
        for _ in range(self.count):
            _exchange(process, self.size, targets, sources)


class Exchange(Phase):
    """Send a message to each neighbour, and receive one from each."""

    do: Literal["exchange"]
    """What it does."""
    pattern: Pattern
    """The neighbours: those in a mesh (up, down, left, right), in a ring, or all."""
    size: Size
    """Bytes of one message."""
    rows: CountOrNone = 0
    """Rows of the mesh: rows x columns are the processes of the job."""
    columns: CountOrNone = 0
    """Columns of the mesh."""
    count: Count = 1
    """How often."""

    def neighbours(self, rank: int, ranks: int) -> Iterator[int]:
        """Yield the neighbours of a process, in order of their ranks."""
        if self.pattern == "all":
            yield from (one for one in range(ranks) if one != rank)
        elif self.pattern == "ring":
            yield from sorted({(rank - 1) % ranks, (rank + 1) % ranks} - {rank})
        else:
            row, column = divmod(rank, self.columns)
            if row > 0:
                yield rank - self.columns
            if column > 0:
                yield rank - 1
            if column < self.columns - 1:
                yield rank + 1
            if row < self.rows - 1:
                yield rank + self.columns

    def lower(self, process: ProcessBuilder) -> None:
        """Add sends, then receives."""
        near = list(self.neighbours(process.rank, process.ranks))
        for _ in range(self.count):
            _exchange(process, self.size, near, near)


def _exchange(process: ProcessBuilder, size: int, targets: list[int], sources: list[int]) -> None:
    for other in targets:
        if other != process.rank:
            process.add(codes.SEND, offset=process.channel(process.rank, other), size=size)
    for other in sources:
        if other != process.rank:
            process.add(codes.RECEIVE, offset=process.channel(other, process.rank), size=size)


class Lock(Phase):
    """Take a lock, or give it back: one process of all jobs holds it at one time."""

    do: Literal["lock", "unlock"]
    """What it does."""
    name: Name
    """The lock; locks of one name are one."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add a lock or unlock."""
        process.add(
            codes.LOCK if self.do == "lock" else codes.UNLOCK, offset=process.lock(self.name)
        )
