"""Calls of the paper's programs: fragments of chunks read, and of the image written.

An image is merged from 125 chunks, or split into them. Chunks are slabs (28 slices each) or blocks
(5 x 5 x 5). The loads of each method are modelled: the bytes read into memory at one time, and
their destinations. All follows from the paper: sizes, memory, and algorithms.

Not here: naive blocks, and clustered reads with 3 GiB, which write rows of 1.5 to 6 kB.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from simulator.runtime.listed import KINDS, CallTable
from simulator.workload.traced import Traced, TracedClient, TracedFile

CODES = {name: code for code, name in KINDS.items()}

ROWS, SLICES, SIDE = 3025, 3500, 5
"""Rows in a slice, slices in the image, blocks along each of its sides."""
ROW = 3850 * 2
"""Bytes of a row of the image, of voxels of two bytes."""
SLICE = ROWS * ROW
IMAGE = SLICES * SLICE
CHUNKS = SIDE**3
CHUNK = IMAGE // CHUNKS
"""Bytes of a slab, and of a block."""
BLOCK_SLICES, BLOCK_ROWS = SLICES // SIDE, ROWS // SIDE
BLOCK_SLICE = BLOCK_ROWS * ROW // SIDE
"""Bytes of a slice of a block."""
CALL = 16 * 2**20
"""Maximum bytes of one call; copies of a mapped file by the library need no calls."""

GIB = 2**30
MEMORY = {3: 3 * GIB, 6: 6 * GIB, 9: 9 * GIB, 12: 13_043_807_040, 16: 16 * GIB}
"""Memory of the program, by its name in the paper in GB; that of 12 is the script's."""

COPY_RATE = 3.066e9
"""Rate in bytes per second at which the program copies into its own memory, and the page cache."""
READ_ROW_NS, WRITE_ROW_NS = 1380, 660
"""Python's and numpy's time for one row of a block: extracted from the block and put into a
dictionary; looked up and converted to bytes. Measured with Python 3.11 and numpy 2 on this
project's computer."""

NAIVE, BUFFERED, CLUSTERED, MULTIPLE = "naive", "buffered", "clustered", "multiple"


@dataclass(frozen=True, slots=True)
class Piece:
    """Contiguous bytes of a file."""

    file: int
    """0: the image; from 1 on: the chunks."""
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Load:
    """Contents of memory at one time, and their destinations."""

    reads: tuple[Piece, ...]
    writes: tuple[Piece, ...]
    rows: int
    """Rows of blocks processed one by one; 0: slabs, copied as a whole, twice."""

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return sum(piece.size for piece in self.reads)


def slabs(memory: int) -> Iterator[Load]:
    """Yield the loads of slabs, as many at one time as fit; at least one.

    >>> [len(load.reads) for load in slabs(MEMORY[16])]
    [26, 26, 26, 26, 21]
    """
    most = max(1, memory // CHUNK)
    for first in range(0, CHUNKS, most):
        numbers = range(first, min(first + most, CHUNKS))
        reads = tuple(Piece(1 + number, 0, CHUNK) for number in numbers)
        yield Load(reads, (Piece(0, first * CHUNK, len(reads) * CHUNK),), 0)


def clustered(memory: int) -> Iterator[Load]:
    """Yield the loads of whole rows of blocks (case 2 of the paper), or of whole slabs (case 3).

    >>> [len(load.writes) for load in clustered(MEMORY[12])][:3]
    [700, 700, 700]
    """
    rows = memory // (SIDE * CHUNK)
    if rows < 1:
        raise ValueError("less than a row of blocks: case 1 of the paper, rows one by one")
    most = min(rows, SIDE)
    for slab in range(SIDE):
        for first in range(0, SIDE, most):
            yield _block_rows(slab, first, min(most, SIDE - first))


def _block_rows(slab: int, first: int, rows: int) -> Load:
    numbers = range((slab * SIDE + first) * SIDE, (slab * SIDE + first + rows) * SIDE)
    reads = tuple(Piece(1 + number, 0, CHUNK) for number in numbers)
    start = slab * BLOCK_SLICES * SLICE
    size = rows * BLOCK_ROWS * ROW
    if rows == SIDE:
        writes: tuple[Piece, ...] = (Piece(0, start, BLOCK_SLICES * SLICE),)
    else:
        begin = start + first * BLOCK_ROWS * ROW
        writes = tuple(Piece(0, begin + n * SLICE, size) for n in range(BLOCK_SLICES))
    return Load(reads, writes, len(reads) * BLOCK_ROWS * BLOCK_SLICES)


def multiple(memory: int) -> Iterator[Load]:
    """Yield the loads of whole slices, composed of parts of 25 or 50 blocks.

    >>> [len(load.reads) for load in multiple(MEMORY[16])]
    [50, 50, 50, 50, 25]
    """
    most = memory // SLICE
    for first in range(0, SLICES, most):
        last = min(first + most, SLICES)
        reads: list[Piece] = []
        for slab in range(first // BLOCK_SLICES, (last - 1) // BLOCK_SLICES + 1):
            begin = max(first, slab * BLOCK_SLICES) - slab * BLOCK_SLICES
            end = min(last, (slab + 1) * BLOCK_SLICES) - slab * BLOCK_SLICES
            reads += (
                Piece(1 + number, begin * BLOCK_SLICE, (end - begin) * BLOCK_SLICE)
                for number in range(slab * SIDE**2, (slab + 1) * SIDE**2)
            )
        size = (last - first) * SLICE
        yield Load(tuple(reads), (Piece(0, first * SLICE, size),), size // (ROW // SIDE))


WAYS: Mapping[str, Callable[[int], Iterator[Load]]] = {
    NAIVE: slabs,
    BUFFERED: slabs,
    CLUSTERED: clustered,
    MULTIPLE: multiple,
}
CELLS: tuple[tuple[str, int], ...] = (
    (NAIVE, 0),
    *((BUFFERED, size) for size in MEMORY),
    *((CLUSTERED, size) for size in MEMORY if size != 3),
    *((MULTIPLE, size) for size in MEMORY),
)
"""Each method with its memory, in GB; none: naive."""


def loads(way: str, memory: int) -> tuple[Load, ...]:
    """Return the loads of a method; ``memory`` by its name in GB."""
    return tuple(WAYS[way](MEMORY.get(memory, 0)))


def held(way: str, of: tuple[Load, ...]) -> int:
    """Return the bytes held by the program: a load, and a copy of a slab being written."""
    return max(load.size for load in of) + (CHUNK if way in (NAIVE, BUFFERED) else 0)


# -- calls --------------------------------------------------------------------------------------


def merged(way: str, memory: int) -> Traced:
    """Return the calls of a merge: each load is read, fragment by fragment, and then written."""
    return _traced(
        f"merge {way} {memory}", [(one.reads, one.writes, one) for one in loads(way, memory)]
    )


def split(way: str, memory: int) -> Traced:
    """Return the calls of a split: those of a merge in the opposite direction."""
    return _traced(
        f"split {way} {memory}", [(one.writes, one.reads, one) for one in loads(way, memory)]
    )


_Steps = list[tuple[tuple[Piece, ...], tuple[Piece, ...], Load]]


def _traced(name: str, steps: _Steps) -> Traced:
    table = CallTable()
    written = {piece.file for _, writes, _ in steps for piece in writes}
    for reads, writes, load in steps:
        if load.rows:
            each = READ_ROW_NS * load.rows / load.size, WRITE_ROW_NS * load.rows / load.size
        else:
            each = (1e9 / COPY_RATE,) * 2
        _add(table, "read", reads, each[0])
        _add(table, "write", writes, each[1])
    files = tuple(
        TracedFile(f"chunk{number}" if number else "image", 0 if number in written else size, size)
        for number, size in enumerate((IMAGE, *((CHUNK,) * CHUNKS)))
    )
    client = TracedClient("merge", 0, -1, 0, len(table), 0)
    return Traced(name, table, (client,), files, hashlib.sha256(name.encode()).hexdigest())


def _add(table: CallTable, do: str, pieces: tuple[Piece, ...], ns_per_byte: float) -> None:
    """Add calls for some fragments, each after the program's processing of its bytes."""
    for piece in pieces:
        for start in range(0, piece.size, CALL):
            size = min(CALL, piece.size - start)
            gap = round(size * ns_per_byte)
            table.add(CODES[do], piece.file, piece.offset + start, size, gap=gap)
