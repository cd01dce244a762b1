"""Phases of MPI-IO: processes read or write blocks of one file, each in its own file view.

The view of a process is that of ``MPI_Type_vector``: a block in each row of the file, the blocks of
all processes beside each other. What the library does with it is its method.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from simulator.config.errors import Fault, Path
from simulator.config.phases import Phase
from simulator.config.quantities import Flag, Name, Size, word
from simulator.config.section import Called
from simulator.plan import codes
from simulator.units import format_size, shown

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
