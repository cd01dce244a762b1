"""The same bytes read again and again by the same process, where memory could keep them.

Found: streams that read each byte twice or more on average, of files that no other process writes
to. Cured by keeping in memory what has been read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import READS, WRITES
from simulator.answers.language import keep_in_memory
from simulator.answers.rewrites.reading import KeepInMemory, again
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.calls import Streams
    from simulator.answers.program import Program

    Numbers = np.ndarray[Any, Any]

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
    return [
        Finding(
            pattern=NAME,
            found=f"{counted(len(rows), 'read')} ({brief_size(int(size[rows].sum()))}) of bytes"
            f" that their process has read or written before; {brief_size(kept)} are new.",
            cures=(
                Cure(
                    how=keep_in_memory(program.language),
                    change=Change(rewrites=(KeepInMemory(used.pairs[good]),)),
                    presumes=f"memory for {brief_size(kept)}.",
                ),
            ),
            files=program.files(rows),
            calls=len(rows),
            example=program.example(int(rows[len(rows) // 2])),
        )
    ]


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
