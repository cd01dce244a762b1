"""A Fortran runtime that goes back to write the length of each record.

A record that does not fit in the runtime's buffer is written in pieces of the buffer's size. Its
length, 4 bytes in front of it, is known at its end: seek back, write, seek forward. Found: streams
of writes with such steps back. Cured by a buffer that holds a whole record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.language import runtime_buffer
from simulator.answers.rewrites.buffer import Buffer
from simulator.plan.codes import SEEK, WRITE
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.calls import Numbers, Streams
    from simulator.answers.program import Program

NAME = "record-length-rewrite"
MARKER = 8
"""Bytes of the length of a record, at most."""
LEAST = 4
"""Steps back of a stream."""
LARGEST = 2**28
"""Bytes of a buffer."""
OTHERS = (8_388_608, 67_108_864)


def steps_back(writes: Streams) -> Numbers:
    """Return which writes put a length in front of what was written after it.

    The next write goes on where the last one before the step ended.
    """
    offset, size, begins = writes.offsets, writes.sizes, writes.begins
    ends = offset + size
    before = np.roll(ends, 1)
    after, ends_stream = np.roll(offset, -1), np.roll(begins, -1)
    back = ~begins & (size <= MARKER) & (ends < before)
    found: Numbers = back & (ends_stream | (after >= before))
    return found


def with_steps(program: Program) -> tuple[Streams, Numbers, Numbers]:
    """Return the streams of writes, which rows step back, and which streams have it."""
    writes = program.columns.streams((WRITE,), moving=True)
    back = steps_back(writes)
    return writes, back, writes.sums(back) >= LEAST


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    writes, back, good = with_steps(program)
    if not good.any():
        return []
    columns = program.columns
    back &= good[writes.number]
    rows = writes.rows[good[writes.number]]
    files = np.unique(writes.files[good])
    seeks = np.flatnonzero((columns.kind == SEEK) & np.isin(columns.file, files))
    record = _longest(writes, back)
    sizes = sorted({min(LARGEST, _power(record + 2 * MARKER)), *OTHERS})
    lengths, moves = counted(int(back.sum()), "length"), counted(len(seeks), "seek")
    return [
        Finding(
            pattern=NAME,
            found=f"{lengths} of records written afterwards, with {moves}, in"
            f" {counted(len(rows), 'write')}: records of up to {brief_size(record)} do not fit in"
            " the buffer of the Fortran runtime.",
            cures=tuple(
                Cure(
                    how=runtime_buffer(size),
                    change=Change(rewrites=(Buffer(dict.fromkeys(files.tolist(), size)),)),
                )
                for size in sizes
            ),
            files=program.files(rows),
            calls=len(rows) + len(seeks),
            example=program.example(int(writes.rows[back][int(back.sum()) // 2])),
        )
    ]


def _longest(writes: Streams, back: Numbers) -> int:
    """Return the bytes of the longest record: from a length to where its writes had come."""
    places = np.flatnonzero(back)
    return int((writes.offsets[places - 1] + writes.sizes[places - 1] - writes.offsets[back]).max())


def _power(size: int) -> int:
    return 1 << (size - 1).bit_length()
