"""Small writes that leave holes between them: pieces of an array that is laid out otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import MOVES, READS, Columns, Numbers, remade
from simulator.answers.filerewrites import packed
from simulator.answers.rewrites import buffered
from simulator.plan.codes import WRITE
from simulator.units import format_size
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.calls import Streams
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced

_LEAST_CALLS = 32
"""Of a stream."""
_SMALL = 65_536
_LEAST_JUMPS = 0.5
"""Share of a stream's calls that begin behind a hole."""
_BUFFERS = (1_048_576, 8_388_608)
_LIBRARIES = {
    "netCDF": (".nc", ".nc4", ".cdf"),
    "HDF5": (".h5", ".hdf5", ".hdf", ".he5"),
}
_CHUNKS = {
    "netCDF": "Store the variable in chunks of what a process writes at a time:"
    " nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunksizes), in Python"
    " createVariable(.., chunksizes=..), before the first write.",
    "HDF5": "Store the data set in chunks of what a process writes at a time:"
    " H5Pset_chunk(dcpl, rank, dims), in Python create_dataset(.., chunks=..).",
    "any": "Lay the file out in the order in which it is written: what a process writes at a time"
    " stands together (chunks of HDF5 and netCDF, blocks of the program's own).",
}
_PRESUMES = "what reads the file takes it chunk by chunk, or through the library."
_CONTIGUOUS = (
    "Have each process write one contiguous part of the file: divide the work so, or exchange the"
    " data before they are written, as a collective write of MPI does (MPI_File_write_all)."
)
_EXCHANGED = "what processes send to each other for it takes less than this saves."


def strided_write(program: Program) -> list[Finding]:
    """Small writes with holes between them, in a file that the program does not read.

    So processes write their parts of an array that lies row by row in the file. Found: streams of
    small writes, most of which begin behind a hole. Cured by a layout in which they follow each
    other, in pieces of some sizes; where several processes write the file, also by a contiguous
    part of it for each.
    """
    columns = program.columns
    writes = columns.streams((WRITE,), moving=True)
    read = np.unique(columns.file[columns.moving(READS)])
    jumps = writes.sums(_behind_hole(writes))
    counts, moved = writes.counts, writes.sums(writes.sizes)
    good = (counts >= _LEAST_CALLS) & (moved < _SMALL * counts) & (jumps >= _LEAST_JUMPS * counts)
    good &= ~np.isin(writes.files, read)
    if not good.any() or program.placed:
        return []
    files = np.unique(writes.files[good])
    rows = writes.rows[np.isin(writes.files, files)[writes.number]]
    pairs = writes.pairs[np.isin(writes.files, files)]
    name = program.traced.files[int(files[0])].name
    told = f"{counted(len(rows), 'write')} of {program.mean_size(rows)} on average leave holes"
    told += f" between them: {brief_size(int(writes.sizes[good[writes.number]].sum()))} over"
    told += f" {brief_size(int((writes.high - writes.low)[good].max()))} of the file."
    library = library_of(name)
    ways = [(_CHUNKS[library], _PRESUMES)]
    if len(pairs) > len(files):  # A library's own way is the first.
        ways.insert(library != "any", (_CONTIGUOUS, _EXCHANGED))
    cures = [
        Cure(
            how=f"{how} With {format_size(size)} in a write.",
            change=rewriting(without_holes, pairs, size),
            presumes=presumes,
        )
        for how, presumes in ways
        for size in _BUFFERS
        if program.holds(pairs, size)
    ]
    return [program.finding("strided-write", told, rows, cures)]


def library_of(name: str) -> str:
    """Return the library that makes files of such a name; "any" if it is not known.

    >>> library_of("/scratch/out.nc4"), library_of("field.h5"), library_of("out.dat")
    ('netCDF', 'HDF5', 'any')
    """
    lower = name.lower()
    return next((one for one, ends in _LIBRARIES.items() if lower.endswith(ends)), "any")


def _behind_hole(writes: Streams) -> Numbers:
    """Return which writes begin beyond the end of the one before, of the same stream."""
    before = np.roll(writes.offsets + writes.sizes, 1)
    found: Numbers = ~writes.begins & (writes.offsets > before)
    return found


def without_holes(traced: Traced, pairs: Numbers, size: int) -> Traced:
    """Write the files of some streams without holes, each byte once, through a buffer of ``size``.

    What a client writes stays in the order of its places, and nothing is left out. Clients that
    share no byte of a file have a part of it each, one after the other.
    """
    columns = Columns(traced)
    offset, files = columns.offset.copy(), list(traced.files)
    moves = np.isin(columns.kind, MOVES)
    for one in np.unique(pairs & 0xFFFFFFFF).tolist():
        rows = np.flatnonzero(moves & (columns.file == one))
        offset[rows], reach = _apart(columns.client[rows], offset[rows], columns.size[rows])
        files[one] = replace(files[one], length=min(files[one].length, reach), size=reach)
    return buffered(replace(remade(columns, offset=offset), files=tuple(files)), pairs, size)


def _apart(client: Numbers, offset: Numbers, size: Numbers) -> tuple[Numbers, int]:
    """Return offsets without holes, of one client behind those of another, and where all end.

    Where clients touch the same bytes, offsets stay in one order.

    >>> _apart(np.array([0, 0, 1]), np.array([0, 90, 20]), np.array([10, 10, 10]))
    (array([ 0, 10, 20]), 30)
    """
    found, reach = packed(offset, size)
    rows = np.split(np.arange(len(client)), np.flatnonzero(np.diff(client)) + 1)
    parts = [(part, *packed(offset[part], size[part])) for part in rows]
    if sum(end for _, _, end in parts) == reach:
        ends = np.cumsum([0, *(end for _, _, end in parts)])
        for (part, within, _), first in zip(parts, ends, strict=False):
            found[part] = within + first
    return found, reach
