"""Calls of MPI-IO: the processes of a job read or write an array in a file.

The view of a process is that of ``MPI_Type_vector``: a block in each row of the file, the blocks of
all processes beside each other. What the library does with it is its method.
"""

from __future__ import annotations

from array import array
from functools import partial
from typing import Annotated, Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.lowering.tables import MPI_CALLS
from simulator.config.needs import MOST_TOGETHER, too_much
from simulator.config.phase import COUNTED, Drawn, Faults, OnMachine, Phase, Spot, not_written
from simulator.config.quantities import Flag, Name, Size, word
from simulator.config.runtime import MpiIo
from simulator.config.section import Called, default
from simulator.config.workload_file import File, Job
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.runtime.iotables import WantedPieces
from simulator.units import format_size

METHODS = {
    "contiguous": ("seek", "offset"),
    "view": ("seek", "offset", "list", "stride", "sieving"),
    "collective": ("disk-directed", "server-directed", "two-phase"),
}
"""Access -> the methods that can do it."""
PLAIN = ("seek", "offset", "sieving", "two-phase")
"""Methods that need no I/O nodes."""
AUTO = "auto"
_WORDS = (AUTO, *dict.fromkeys(method for some in METHODS.values() for method in some))

Access = Annotated[Literal["contiguous", "view", "collective"], Called("access")]
Method = Annotated[str, word("method", *_WORDS)]
MOST_PIECES = 1 << 20
"""Blocks of all processes in one phase: a mistake in a size is to be found at once."""


class MpiTransfer(Phase):
    """Read or write an array in a file by MPI-IO: the processes of a job a block each, in rows."""

    rank = 10
    meets = True
    prepared = True
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
    access: Access = default("view", "what MPI-IO has over POSIX")
    """A call for each block (contiguous), one for all in a file view (view), one of all processes
    together (collective)."""
    method: Method = default("auto", "neutral: the best that the file system offers")
    """How the library does it; auto: the best that the file system offers."""
    nonblocking: Flag = default(False, "neutral: a call returns when it is done")
    """The call returns at once; a phase 'wait' waits for it."""

    @property
    def writes(self) -> bool:
        """Return whether it writes."""
        return self.do == "mpi-write"

    def writes_of(self, file: File) -> int:
        """Return how many bytes of its file it may write."""
        return file.size if self.writes else 0

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

    def plain_method(self) -> str:
        """Return what the library does on a file system without I/O nodes."""
        if self.method != AUTO:
            return self.method
        return {"collective": "two-phase", "view": "sieving"}.get(self.access, "offset")

    def method_with(self, offers: MpiIo) -> str:
        """Return what the library does: what the phase says, or the best that there is."""
        if self.method != AUTO:
            return self.method
        if self.access == "collective":
            return "disk-directed" if offers.disk_directed else "two-phase"
        if self.access == "view" and offers.stride_io:
            return "stride"
        return "list" if self.access == "view" and offers.list_io else "seek"

    # -- checks -----------------------------------------------------------------------------------

    def faults(self, spot: Spot) -> Faults:
        """Find arrays that are not whole rows of their file, and methods of another access."""
        file, ranks = spot.file(self.file), spot.job.ranks
        if not file.shared:
            about = "all processes have views of one file; write 'shared: true'"
            yield ("file",), f"{about} in files.{self.file}"
        if not (self.writes or file.exists or spot.written(self.file)):
            yield ("file",), not_written(self.file)
        offered = METHODS[self.access]
        if self.method != AUTO and self.method not in offered:
            about = f"{self.method!r} is no method of {self.access} access"
            yield ("method",), f"{about}; write {', '.join(offered)}"
        row = self.row(ranks)
        if self.gap(ranks) < 0:
            about = f"{format_size(self.stride or 0)} is less than the blocks of {ranks} processes"
            yield ("stride",), f"{about}; write {format_size(row)} or more"
        else:
            yield from self._rows(ranks, file.size)
        if spot.job.until is not None:
            yield (), COUNTED

    def _rows(self, ranks: int, size: int) -> Faults:
        """Find arrays that are not whole rows, or do not fit in their file."""
        row, rows = self.row(ranks), self.rows(ranks, size)
        each = f"rows of {format_size(row)} ({ranks} blocks of {format_size(self.block)})"
        if self.size is not None and self.size % row:
            whole = format_size(max(1, rows) * row)
            about = f"{format_size(self.size)} is not a whole number of {each}"
            yield ("size",), f"{about}; write it like {whole!r}"
        elif not rows:
            yield ("block",), f"a file of {format_size(size)} has no {each}; write a smaller one"
        elif (extent := self.extent(ranks, rows)) > size:
            about = f"ends at {format_size(extent)} of a file of {format_size(size)}"
            yield ("size",), f"{about}; write less"
        elif self.size is None and extent != size:
            about = f"{format_size(size)} in the file is not a whole number of {each}"
            yield ("block",), f"{about}; write 'size: {format_size(rows * row)}' for what is"
        elif rows * ranks > MOST_PIECES:
            about = f"makes {rows * ranks:,} blocks; write a larger one: at most"
            yield ("block",), f"{about} {MOST_PIECES:,} blocks"

    def misfits(self, spot: OnMachine) -> Faults:
        """Find methods that the file system does not offer, and too large calls."""
        machine = spot.machine
        system, way = spot.system(self), spot.block(self).io
        if way is None:
            if self.method not in (AUTO, *PLAIN):
                about = f"{system} has no I/O nodes, which {self.method} needs"
                yield ("method",), f"{about}; write auto, or {', '.join(PLAIN)}"
            yield from self._together(spot.job)
            return
        offers = machine.mpi_io
        lacking = {
            "stride": not offers.stride_io and "stride_io",
            "list": not offers.list_io and "list_io",
            "disk-directed": not offers.disk_directed and "disk_directed",
        }.get(self.method)
        if lacking:
            about = f"{system} of {machine.name} does not offer it (runtime.mpi_io.{lacking})"
            yield ("method",), f"{about}; write auto"
        yield from too_much(machine, spot.file(self.file), way) or self._together(spot.job)

    def _together(self, job: Job) -> Faults:
        """Find more processes than can exchange what they have read."""
        if self.access == "collective" and job.ranks > MOST_TOGETHER:
            about = f"{job.ranks:,} processes call together; write at most {MOST_TOGETHER}"
            yield ("access",), about

    # -- operations -------------------------------------------------------------------------------

    def lower(self, process: ProcessBuilder) -> None:
        """Add the requests of the library; of a nonblocking call only its start."""
        if not self.nonblocking:
            process.finish()
            process.take(self.carry_out(process))
            return
        whole = process.whole
        process.file(self.file)
        caller = process.helper(0)
        overhead = whole.machine.mpi_io.call_overhead
        column = whole.column(MPI_CALLS)
        whole.operations.add(codes.START, offset=caller, gap=overhead, column=column)
        process.under_way.append(caller)

    def carry_out(self, process: ProcessBuilder, number: int = 0) -> PhasePlan:
        """Return the requests of the library as a phase."""
        del number
        methods = self.plain_method(), self.method_with(process.whole.machine.mpi_io)
        asked = partial(self._asked, process)
        return process.whole.asked.add(process, self.file, asked, methods, write=self.writes)

    def _asked(self, process: ProcessBuilder) -> list[WantedPieces]:
        """Return the pieces that each process wants."""
        ranks, size = process.ranks, self.block
        rows = self.rows(ranks, process.whole.workload.files[self.file].size)
        step = self.row(ranks) + self.gap(ranks)
        sizes = array("q", [size]) * rows
        return [
            WantedPieces(range(rank * size, rank * size + rows * step, step), sizes, even=size)
            for rank in range(ranks)
        ]

    @classmethod
    def drawn_keys(cls, dice: Dice) -> Drawn:
        """Draw a method of its access, and blocks that divide the drawn file."""
        size, access = dice.some(LEFT_OUT, LEFT_OUT, "64 KiB"), dice.some(*METHODS)
        method = dice.some(LEFT_OUT, "auto", *METHODS[access])
        block = dice.some("1 KiB", "4 KiB")
        return {"access": access, "method": method, "size": size, "file": "view", "block": block}
