"""What MPI-IO libraries did in a run, for people: calls, copies and buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.lined import table
from simulator.report.quantity import size_cell

if TYPE_CHECKING:
    from simulator.result.result import Result


def mpi_io_text(result: Result) -> str:
    """Write what libraries did as a table; nothing without phases of MPI-IO."""
    work = result.mpi_io
    if work is None:
        return ""
    rows = [["calls of the file system", f"{work.calls:,}"]]
    if work.server_calls:
        rows.append(["calls by I/O nodes", f"{work.server_calls:,}"])
    if work.copied:
        rows.append(["copied by libraries", size_cell(work.copied)])
    rows += [[name, size_cell(size)] for name, size in work.memory.items()]
    return table(["library", "all processes"], rows, "lr")
