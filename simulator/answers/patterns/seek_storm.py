"""Small reads all over a file, each of which costs the device a seek or a request of its own.

Found: streams of small reads that mostly do not go on where the one before ended, of files that
nobody writes. Cured by reading what they reach over as a whole, at the first of them; or by reading
in the order of the file, with a buffer or without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import READS
from simulator.answers.language import how_to
from simulator.answers.rewrites.buffer import Buffer
from simulator.answers.rewrites.reading import InOrder, ReadWhole
from simulator.units import format_size
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "seek-storm"
LEAST_CALLS = 32
SMALL = 262_144
MOST_SEQUENTIAL = 0.5
LARGEST = 2**30
"""Bytes that are read as a whole, at most."""
BUFFER = 1_048_576
_PRESUMES = "the program knows which places it will read before it needs the first."


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    reads = program.columns.streams(READS, moving=True)
    if not len(reads):
        return []
    counts, moved = reads.counts, reads.sums(reads.sizes)
    follows = reads.sums(reads.sequential())
    good = (counts >= LEAST_CALLS) & (moved < SMALL * counts) & ~program.written(reads.files)
    good &= follows < MOST_SEQUENTIAL * counts
    if not good.any():
        return []
    rows = reads.rows[good[reads.number]]
    pairs = reads.pairs[good]
    begin = np.minimum.reduceat(reads.offsets, reads.first)[good]
    end = np.maximum.reduceat(reads.offsets + reads.sizes, reads.first)[good]
    reach = int((end - begin).sum())
    mean = int(moved[good].sum()) // len(rows)
    sort = InOrder(pairs)
    buffer = Buffer(dict.fromkeys(np.unique(reads.files[good]).tolist(), BUFFER))
    cures = [
        Cure("Sort the places, and read them in the order of the file.", Change(rewrites=(sort,))),
        Cure(
            f"Sort the places, and read the file in their order, {format_size(BUFFER)} at a time.",
            Change(rewrites=(sort, buffer)),
        ),
    ]
    cures = [Cure(one.how, one.change, _PRESUMES) for one in cures]
    if int((end - begin).max()) <= LARGEST:
        how = how_to("read as a whole", program.language)
        memory = f"memory for {brief_size(reach)} in all processes together."
        cures.insert(0, Cure(how, Change(rewrites=(ReadWhole(pairs),)), memory))
    told = f"{counted(len(rows), 'read')} of {brief_size(mean)} on average, most of them"
    told += f" elsewhere than where the one before ended, within {brief_size(reach)}."
    return [program.finding(NAME, told, rows, cures)]
