"""The same bytes read again and again by the same process, where memory could keep them.

Found: streams that read each byte twice or more on average, of files that no other process writes
to. Cured by keeping in memory what has been read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure
from simulator.answers.calls import READS, WRITES, Numbers, Streams
from simulator.answers.language import how_to
from simulator.answers.rewrites.reading import KeepInMemory, again
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.advise import Finding
    from simulator.answers.program import Program

NAME = "re-read"
LEAST_CALLS = 8
LEAST_SHARE = 0.5
"""Of a stream's reads that find nothing new."""


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    used = program.columns.streams((*READS, *WRITES), moving=True)
    if not len(used):
        return []
    reads = np.isin(program.columns.kind[used.rows], READS)
    counts = used.sums(reads)
    good = (counts >= LEAST_CALLS) & ~program.written_by_others(used.pairs)
    good &= ~program.replaced(used.pairs) & _dense(used, reads)
    repeated = again(used, used.pairs[good])
    good &= used.sums(repeated) >= LEAST_SHARE * np.maximum(counts, 1)
    repeated &= good[used.number]
    if not repeated.any():
        return []
    rows = used.rows[repeated]
    size = program.columns.size
    mine = reads & good[used.number]
    kept = int(size[used.rows[mine]].sum() - size[rows].sum())
    told = f"{counted(len(rows), 'read')} ({brief_size(int(size[rows].sum()))}) of bytes"
    told += f" that their process has read or written before; {brief_size(kept)} are new."
    cure = Cure(
        how=how_to("keep in memory", program.language),
        change=Change(rewrites=(KeepInMemory(used.pairs[good]),)),
        presumes=f"memory for {brief_size(kept)}.",
    )
    return [program.finding(NAME, told, rows, [cure])]


def _dense(used: Streams, reads: Numbers) -> Numbers:
    """Return which streams may read bytes twice: more bytes than they reach over, or a repeat.

    A quick look, so that only few streams are gone through call by call.
    """
    begins, ends = used.offsets, used.offsets + used.sizes
    span = np.maximum.reduceat(ends, used.first) - np.minimum.reduceat(begins, used.first)
    moved = used.sums(np.where(reads, used.sizes, 0))
    order = np.lexsort((used.sizes, begins, used.number))
    same = np.zeros(len(order), bool)
    same[1:] = (
        (np.diff(used.number[order]) == 0)
        & (np.diff(begins[order]) == 0)
        & (np.diff(used.sizes[order]) == 0)
    )
    repeats = np.bincount(used.number[order], same, len(used))
    found: Numbers = (moved > span) | (repeats >= LEAST_SHARE * used.counts / 2)
    return found
