"""Phases of MPI-IO: processes read or write blocks of one file, each in its own file view.

The view of a process is that of ``MPI_Type_vector``: a block in each row of the file, the blocks of
all processes beside each other. What the library does with it is its method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simulator.config.phase import Phase
from simulator.config.quantities import Flag, Name, Size, word
from simulator.config.section import Called

if TYPE_CHECKING:
    from simulator.config.lowering.process import ProcessBuilder

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
    def uses(self) -> str | None:
        """The file that it uses."""
        return self.file

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
        process.wait()
