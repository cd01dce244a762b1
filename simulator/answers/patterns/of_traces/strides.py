"""Small calls that leave holes between them: pieces of an array that is laid out otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding, rewriting
from simulator.answers.calls import MOVES, READS, WRITES, Columns, Numbers, remade
from simulator.answers.filerewrites import packed
from simulator.answers.patterns.of_traces.files import LEAST_SYNCS
from simulator.answers.rewrites import buffered, one_sync
from simulator.plan.codes import SYNC, WRITE
from simulator.units import format_size
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    "Have each process {0} one contiguous part of the file: divide the work so, or exchange the"
    " data {1}, as a collective {0} of MPI does (MPI_File_{0}_all)."
)
_MPI = "what processes send to each other for it takes less than this saves."


def strided_write(program: Program) -> list[Finding]:
    """Small writes with holes between them, in a file that the program does not read.

    So processes write their parts of an array that lies row by row in the file. Found: streams of
    small writes, most of which begin behind a hole. Cured by a layout in which they follow each
    other, in pieces of some sizes; where several processes write the file, also by a contiguous
    part of it for each. What was synced all the while is synced after each piece.
    """
    found = _with_holes(program, (WRITE,), READS)
    if found is None:
        return []
    pairs, rows, told = found
    files = np.unique(pairs & 0xFFFFFFFF)
    library = library_of(program.traced.files[int(files[0])].name)
    ways = [(_CHUNKS[library], _PRESUMES)]
    if len(pairs) > len(files):  # A library's own way is the first.
        ways.insert(
            library != "any", (_CONTIGUOUS.format("write", "before they are written"), _MPI)
        )
    syncs = program.columns.streams((SYNC,))
    synced = bool(np.isin(syncs.pairs[syncs.counts >= LEAST_SYNCS], pairs).any())
    cures = [
        Cure(
            how=f"{how} With {format_size(size)} in a write"
            + (", and then a sync." * synced or "."),
            change=(rewriting(one_sync, pairs, size) if synced else Change())
            + rewriting(without_holes, pairs, size),
            presumes=presumes,
            risk=f"a crash costs up to {format_size(size)} of each process." if synced else "",
        )
        for how, presumes in ways
        for size in _BUFFERS
        if program.holds(pairs, size)
    ]
    return [program.finding("strided-write", told, rows, cures)]


def strided_read(program: Program) -> list[Finding]:
    """Small reads with holes between them, which other processes read.

    So processes read their parts of an array that lies row by row in the file. Found: as
    :func:`strided_write`, where several processes read different bytes. Cured by a contiguous part
    of the file for each.
    """
    found = _with_holes(program, READS, WRITES)
    if found is None or len(found[0]) == len(np.unique(found[0] & 0xFFFFFFFF)):
        return []
    pairs, rows, told = found
    columns = program.columns
    for one in np.unique(pairs & 0xFFFFFFFF).tolist():
        mine = rows[columns.file[rows] == one]
        order = np.argsort(columns.offset[mine], kind="stable")
        begin, end = columns.offset[mine][order], (columns.offset + columns.size)[mine][order]
        if (np.maximum.accumulate(end)[:-1] > begin[1:]).any():
            return []  # Bytes that several processes want are read by each.
    how = _CONTIGUOUS.format("read", "after they are read")
    cures = [
        Cure(
            how=f"{how} With {format_size(size)} in a read.",
            change=rewriting(without_holes, pairs, size),
            presumes=_MPI,
        )
        for size in _BUFFERS
        if program.holds(pairs, size)
    ]
    return [program.finding("strided-read", told, rows, cures)]


def _with_holes(
    program: Program, kinds: Sequence[int], others: Sequence[int]
) -> tuple[Numbers, Numbers, str] | None:
    """Return streams of small calls that leave holes, their calls, and that in words.

    None if there are none, of files of which no call is of the ``others``.
    """
    columns = program.columns
    used = columns.streams(kinds, moving=True)
    jumps = used.sums(_behind_hole(used))
    counts, moved = used.counts, used.sums(used.sizes)
    good = (counts >= _LEAST_CALLS) & (moved < _SMALL * counts) & (jumps >= _LEAST_JUMPS * counts)
    good &= ~np.isin(used.files, np.unique(columns.file[columns.moving(others)]))
    if not good.any() or program.placed:
        return None
    whole = np.isin(used.files, used.files[good])
    rows = used.rows[whole[used.number]]
    what = "read" if kinds is READS else "write"
    told = f"{counted(len(rows), what)} of {program.mean_size(rows)} on average leave holes"
    told += f" between them: {brief_size(int(used.sizes[good[used.number]].sum()))} over"
    told += f" {brief_size(int((used.high - used.low)[good].max()))} of the file."
    return used.pairs[whole], rows, told


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
    """Use the files of some streams without holes, each byte once, through a buffer of ``size``.

    What a client moves stays in the order of its places, and nothing is left out. Clients that
    share no byte of a file have a part of it each, one after the other, and no larger buffer.
    """
    columns = Columns(traced)
    mine = columns.streams(MOVES, moving=True)
    most = int(mine.sums(mine.sizes)[np.isin(mine.pairs, pairs)].max(initial=1))
    offset, files = columns.offset.copy(), list(traced.files)
    moves = np.isin(columns.kind, MOVES)
    for one in np.unique(pairs & 0xFFFFFFFF).tolist():
        rows = np.flatnonzero(moves & (columns.file == one))
        offset[rows], reach = _apart(columns.client[rows], offset[rows], columns.size[rows])
        files[one] = replace(files[one], length=min(files[one].length, reach), size=reach)
    return buffered(
        replace(remade(columns, offset=offset), files=tuple(files)), pairs, min(size, most)
    )


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
