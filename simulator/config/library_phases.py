"""Phases that call a library or a service: MPI-IO, sweeps over a mesh, numerical servers.

The view of a process of MPI-IO is that of ``MPI_Type_vector``: a block in each row of the file, the
blocks of all processes beside each other. What the library does with it is its method.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from simulator.config.errors import Fault, Path
from simulator.config.phases import Phase
from simulator.config.quantities import Count, Flag, Name, Percent, Size, Time, word
from simulator.config.section import Called, Earlier, check
from simulator.config.services import ProblemName
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.units import Bytes, Nanoseconds, format_size, format_time, shown
from simulator.workload.split import grid_of

if TYPE_CHECKING:
    from simulator.config.lowering.process import ProcessBuilder
    from simulator.config.workload_file import File, Job

METHODS = {
    "contiguous": ("seek", "offset"),
    "view": ("seek", "offset", "list", "stride", "sieving"),
    "collective": ("disk-directed", "server-directed", "two-phase"),
}
"""Access -> the methods that can do it."""
AUTO = "auto"
_WORDS = (AUTO, *dict.fromkeys(method for some in METHODS.values() for method in some))

Access = Annotated[Literal["contiguous", "view", "collective"], Called("access")]
Method = Annotated[
    Literal[
        "auto",
        "seek",
        "offset",
        "list",
        "stride",
        "sieving",
        "disk-directed",
        "server-directed",
        "two-phase",
    ],
    word("method", *_WORDS),
]
MOST_PIECES = 1 << 20
"""Blocks of all processes in one phase: a mistake in a size is to be found at once."""


class MpiTransfer(Phase):
    """Read or write an array in a file by MPI-IO: the processes of a job a block each, in rows."""

    synonyms = {
        "piece": "block",
        "blocklength": "block",
        "record": "block",
        "interface": "access",
        "asynchronous": "nonblocking",
    }

    do: Literal["mpi-read", "mpi-write"]
    """What it does."""
    file: Name
    """The file, by its name in ``files``."""
    block: Size
    """What one process has of a row, in one piece."""
    stride: Size | None = None
    """From the begin of a row to that of the next; the blocks of all processes if left out."""
    size: Size | None = None
    """All blocks of all processes together: whole rows; as many as the file has if left out."""
    access: Access = "view"
    """A call for each block (contiguous), one for all in a file view (view), one of all processes
    together (collective)."""
    method: Method = "auto"
    """How the library does it; auto: the best that the file system offers."""
    nonblocking: Flag = False
    """The call returns at once; a phase 'wait' waits for it."""

    @property
    def writes(self) -> bool:
        """Whether it writes."""
        return self.do == "mpi-write"

    def row(self, ranks: int) -> int:
        """Return the bytes of the blocks of all processes in one row."""
        return self.block * ranks

    def gap(self, ranks: int) -> int:
        """Return the bytes between two rows that no process wants."""
        return 0 if self.stride is None else self.stride - self.row(ranks)

    def rows(self, ranks: int, file_size: int) -> int:
        """Return how many rows there are in a file of a size."""
        if self.size is not None:
            return self.size // self.row(ranks)
        gap = self.gap(ranks)
        return (file_size + gap) // (self.row(ranks) + gap)

    def extent(self, ranks: int, rows: int) -> int:
        """Return the bytes from the first block to the end of the last."""
        return rows * self.row(ranks) + (rows - 1) * self.gap(ranks)

    def lower(self, process: ProcessBuilder) -> None:
        """Add the requests of the library."""
        process.mpi_transfer(self)


class Wait(Phase):
    """Wait for all calls of MPI-IO that have not ended."""

    do: Literal["wait"]
    """What it does."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add a wait for each call."""
        for caller in process.under_way:
            process.add(codes.JOIN, offset=caller)
        process.under_way.clear()


# -- what they must agree on with their files and their job -------------------------------------


def mpi_faults(job: Job, phase: MpiTransfer, file: File, written: int) -> Iterator[Fault]:
    """Find arrays that are not whole rows of their file, and methods of another access.

    ``written`` is 0 if nothing that a read could get is in the file.
    """
    ranks = job.ranks
    if not file.shared:
        about = "all processes have views of one file; write 'shared: true'"
        yield ("file",), f"{about} in files.{phase.file}"
    if not written:
        about = f"{shown(phase.file)} neither exists nor is written before; write 'exists: true'"
        yield ("file",), f"{about} in files.{phase.file}, or a phase that writes it"
    offered = METHODS[phase.access]
    if phase.method != AUTO and phase.method not in offered:
        about = f"{phase.method!r} is no method of {phase.access} access"
        yield ("method",), f"{about}; write {', '.join(offered)}"
    row = phase.row(ranks)
    if phase.gap(ranks) < 0:
        about = f"{format_size(phase.stride or 0)} is less than the blocks of {ranks} processes"
        yield ("stride",), f"{about}; write {format_size(row)} or more"
        return
    yield from _rows(phase, ranks, file.size)


def _rows(phase: MpiTransfer, ranks: int, size: int) -> Iterator[Fault]:
    """Find arrays that are not whole rows, or do not fit in their file."""
    row, rows = phase.row(ranks), phase.rows(ranks, size)
    each = f"rows of {format_size(row)} ({ranks} blocks of {format_size(phase.block)})"
    if phase.size is not None and phase.size % row:
        whole = format_size(max(1, rows) * row)
        about = f"{format_size(phase.size)} is not a whole number of {each}"
        yield ("size",), f"{about}; write it like {whole!r}"
    elif not rows:
        yield ("block",), f"a file of {format_size(size)} has no {each}; write a smaller one"
    elif (extent := phase.extent(ranks, rows)) > size:
        about = f"ends at {format_size(extent)} of a file of {format_size(size)}"
        yield ("size",), f"{about}; write less"
    elif phase.size is None and extent != size:
        about = f"{format_size(size)} in the file is not a whole number of {each}"
        yield ("block",), f"{about}; write 'size: {format_size(rows * row)}' for what is"
    elif rows * ranks > MOST_PIECES:
        about = f"makes {rows * ranks:,} blocks; write a larger one: at most {MOST_PIECES:,} blocks"
        yield ("block",), about


def call_faults(job: Job) -> Iterator[Fault]:
    """Find nonblocking calls that are never waited for, and waits for none."""
    under_way: list[Path] = []
    for at, phase in job.every_phase():
        if isinstance(phase, MpiTransfer) and phase.nonblocking:
            under_way.append(at)
            if job.repeat > 1:
                about = "a nonblocking call cannot be repeated; write 'repeat: 1' in the job"
                yield (*at, "nonblocking"), f"{about}, or the phases as often"
            elif len(at) > 2:
                about = "a nonblocking call cannot be repeated; write it outside the loop"
                yield (*at, "nonblocking"), f"{about}, or the phases as often"
        elif isinstance(phase, Wait):
            if not under_way:
                about = "no nonblocking call is under way here; leave it out"
                yield (*at, "do"), about
            elif len(at) > 2:
                about = "waits in a loop for a call before it; write it outside the loop"
                yield (*at, "do"), about
            under_way.clear()
    for at in under_way:
        about = "is not waited for; write '{do: wait}' after it"
        yield (*at, "nonblocking"), about


MeshOrder = Annotated[Literal["blocks", "edges-first", "colours"], Called("mesh-order")]
Choice = Annotated[Literal["fixed", "load", "compute", "bandwidth", "estimate"], Called("choose")]
"""How a call finds its server: as written; the least load for each PE; or the least estimated time
of computing, of moving its bytes, or (``estimate``) of both."""

LARGEST_N = {"linpack": 100_000, "ep": 50}
"""Of equations; of EP's logarithm."""


class Mesh(Phase):
    """Sweep over a mesh of points, divided over the job's processes, and exchange the edges."""

    do: Literal["mesh"]
    """What it does."""
    rows: Count
    """Rows of the mesh."""
    columns: Count
    """Columns of the mesh."""
    point: Size = Bytes(8)
    """Data of one point."""
    loops: Count
    """Loops; the very first, in which ports are located, is not counted in means."""
    order: MeshOrder = "blocks"
    """Blocks: each process from its first point to its last, then edges are sent. Edges-first:
    edges are computed and sent first, the rest while they are on their way. Colours: all red
    points, an exchange, all black points, an exchange."""

    def lower(self, process: ProcessBuilder) -> None:
        """Add some loops of a mesh."""
        row = process.whole.services.mesh(process, self)
        process.append(PhasePlan(kind=codes.MESH, row=row, loops=self.loops))


class Numerical(Phase):
    """Calls of numerical servers."""

    problem: ProblemName
    """What they ask for."""
    n: Count
    """Its size: equations, or EP's logarithm."""
    library: Name | None = None
    """By its name at the servers; the fastest of each for the problem if left out."""
    server: Name | None = None
    """Which server; needed unless a metaserver chooses among all with that library."""
    choose: Choice = "fixed"
    """How a call finds its server."""
    site: Name | None = None
    """Where the processes are; as their machine says if left out."""

    @check("n")
    @classmethod
    def _not_endless(cls, n: int, earlier: Earlier) -> int:
        most = LARGEST_N.get(earlier.get("problem", ""), n)
        if n > most:
            about = f"{shown(str(n))} is too large for {earlier['problem']}"
            raise ValueError(f"{about}; write 1 to {most}")
        return n

    def lower(self, process: ProcessBuilder) -> None:
        """Add calls."""
        row = process.whole.services.caller(process, self)
        process.append(PhasePlan(kind=codes.CALLS, row=row))


class Solve(Numerical):
    """Call a numerical server, and wait for the result."""

    do: Literal["solve"]
    """What it does."""
    count: Count = 1
    """How often, one call after the other."""


_LIST = "calls are those of numerical servers; for a list write '{do: listed, calls: FILE.csv}'"


class Calling(Numerical):
    """Call numerical servers at random: trials at equal intervals start calls by chance."""

    mistaken = {"file": _LIST, "calls": _LIST}

    do: Literal["calls"]
    """What it does."""
    every: Time
    """Time between two trials."""
    chance: Percent = 1.0
    """That a trial starts a call."""
    duration: Time
    """How long calls are started; those under way then are waited for."""
    continues: Flag = False
    """Trials go on while a call is out; otherwise they stop until it has ended."""
    first: Time = Nanoseconds(0)
    """The first trial."""
    spread: Flag = False
    """The first trials of the job's processes are spread over the time between two."""

    @check("every")
    @classmethod
    def _not_at_once(cls, every: Nanoseconds, _: Earlier) -> Nanoseconds:
        if every == 0:
            raise ValueError("'0 s' would be endless trials; write it like '3 s'")
        return every

    @check("duration")
    @classmethod
    def _some(cls, duration: Nanoseconds, _: Earlier) -> Nanoseconds:
        if duration == 0:
            raise ValueError("'0 s' leaves no time for a call; write it like '30 min'")
        return duration


# -- what they need of their job ----------------------------------------------------------------


MOST_TRIALS = 1_000_000
"""Of all processes of a job together."""


def use_faults(job: Job) -> Iterator[Fault]:
    """Find phases that the processes of a job cannot do, whatever the machine."""
    for at, phase in job.every_phase():
        if isinstance(phase, Mesh):
            yield from _mesh(job, phase, at)
        elif isinstance(phase, Numerical):
            yield from _numerical(job, phase, at)
    if job.launched and job.arrivals is not None:
        about = "has no effect beside arrivals, whose processes are there; leave one of them out"
        yield ("launched",), about


def _mesh(job: Job, phase: Mesh, at: Path) -> Iterator[Fault]:
    if grid_of(job.ranks, phase.rows, phase.columns) is None:
        about = f"{phase.rows} x {phase.columns} points cannot be divided in {job.ranks} blocks"
        yield (*at, "rows"), f"{about}; write more points, or fewer processes"
    elif job.arrivals is not None:
        about = "processes that serve arrivals do not meet, so they cannot do mesh"
        yield at, f"{about}; leave the phase or the arrivals out"


def _numerical(job: Job, phase: Numerical, at: Path) -> Iterator[Fault]:
    if phase.choose == "fixed" and phase.server is None:
        about = "server is missing; write it like 'server: j90', or 'choose: load'"
        yield at, about
    if isinstance(phase, Calling):
        trials = phase.duration // phase.every * job.ranks * job.times(at)
        if trials > MOST_TRIALS:
            least = format_time(phase.duration * job.ranks / MOST_TRIALS)
            about = f"{shown(format_time(phase.every))} would be {trials:,} trials"
            yield (*at, "every"), f"{about}; write {least} or more"
