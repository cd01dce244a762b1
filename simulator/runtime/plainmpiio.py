"""MPI-IO over any file system, as ROMIO does it: plain calls, data sieving, two-phase.

The library knows offsets and sizes only. Independent access of a view reads whole windows and picks
the pieces out (``sieving``), or makes a call for each piece (``seek``, ``offset``); collective
access lets some processes, the aggregators, read and write windows for all (``two-phase``).

Not modelled: opening, hints that turn sieving off, domains that follow stripes.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.runtime.exchange import Exchange
from simulator.runtime.iosteps import CALLS
from simulator.runtime.iotables import Asked, Tables
from simulator.runtime.mpiio import Call, Compiler
from simulator.runtime.mpilibrary import LibrarySpec
from simulator.runtime.operations import READ, SEEK, WRITE
from simulator.runtime.subfiles import Region, SubFiles

METHODS = ("seek", "offset", "sieving", "two-phase")
"""What needs nothing but calls of the operating system."""


def compiled_plainly(
    asked: Sequence[Asked],
    method: str,
    library: LibrarySpec,
    aggregators: Sequence[int],
    tables: Tables,
    *,
    write: bool,
) -> Call:
    """Make the steps of the processes that read or write pieces of a file.

    ``aggregators``: the ranks that read and write for all in two-phase.
    """
    if method not in METHODS:
        raise ValueError(f"no method {method!r} without I/O nodes; there are {', '.join(METHODS)}")
    return _PlainCompiler(asked, method, library, aggregators, tables, write=write).call()


class _PlainCompiler(Compiler):
    """One call of all processes of a job, whose requests are calls of the operating system."""

    def __init__(
        self,
        asked: Sequence[Asked],
        method: str,
        library: LibrarySpec,
        aggregators: Sequence[int],
        tables: Tables,
        *,
        write: bool,
    ) -> None:
        size = max(one.offset[-1] + one.size[-1] for one in asked)
        files = SubFiles((Region(size, size, (0,)),), 1)  # one range of bytes
        super().__init__(asked, method, library, files, tables, write=write)
        self.aggregators = aggregators
        self.memory = {}

    def _calls(self, asked: Asked, write: bool, *, system: int = 1) -> None:
        kind = WRITE if write else READ
        for offset, size in zip(asked.offset, asked.size, strict=True):
            if system > 1:
                self.tables.step(SEEK, offset, 0, 0, CALLS)
            self.tables.step(kind, offset, size, 0, CALLS)
        self.calls += system * len(asked.offset)

    def _domains(self) -> Exchange:
        return Exchange(self.asked, self.library, 1, self.aggregators)
