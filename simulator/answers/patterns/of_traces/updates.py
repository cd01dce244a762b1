"""Records that a program reads and writes in place, in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import LAZY_WRITES, MOVES, READS, Numbers, Streams
from simulator.answers.filerewrites import read_less, write_whole
from simulator.answers.patterns.of_traces.files import in_transactions, shared_files
from simulator.answers.patterns.of_traces.rounds import LEAST_OVER, RISK_LATER
from simulator.answers.rewrites import buffered, read_new, read_whole
from simulator.answers.words import how_to
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

LEAST_SEEKS = 32
SMALL_READ = 262_144
MOST_SEQUENTIAL = 0.5
LARGEST_WHOLE = 2**30
"""Bytes that are read as a whole, at most."""
_AGAIN = 2
"""Times that what is reached over is read at least, by buffers around records in its order."""
_FAR = 1 << 62


class _Updated(NamedTuple):
    """Streams that read and write a file in place."""

    used: Streams
    writes: Numbers
    """Which of their rows are writes."""
    scattered: Numbers
    """Which of them are all over the file,"""
    in_order: Numbers
    """and which go through it, and read what is around each record anew."""


def _updated(program: Program) -> _Updated:
    columns = program.columns
    used = columns.streams(MOVES, moving=True)
    reads = np.isin(columns.kind[used.rows], READS)
    writes = np.isin(columns.kind[used.rows], LAZY_WRITES)
    begin, end = used.offsets, used.offsets + used.sizes
    low, high = (used.least(np.where(some, begin, _FAR)) for some in (reads, writes))
    good = (low <= high) & (
        used.most(np.where(reads, end, 0)) >= used.most(np.where(writes, end, 0))
    )
    many, wrote = used.sums(writes), used.sums(np.where(writes, used.sizes, 0))
    reach = used.high - used.low
    good &= (many >= LEAST_SEEKS) & (used.sums(reads) >= LEAST_SEEKS)
    good &= (wrote < SMALL_READ * many) & (wrote < LEAST_OVER * reach) & (reach <= LARGEST_WHOLE)
    good &= used.sums(reads | writes) == used.counts
    good &= ~np.isin(used.files, shared_files(program)) & ~program.replaced(used.pairs)
    good &= ~np.isin(used.pairs, in_transactions(program))
    written = columns.streams(LAZY_WRITES, moving=True)
    follows = np.zeros(len(used.pairs), np.int64)
    follows[np.searchsorted(used.pairs, written.pairs)] = written.sums(written.sequential())
    ordered = follows >= MOST_SEQUENTIAL * many
    again = used.sums(np.where(reads, used.sizes, 0)) >= _AGAIN * reach
    return _Updated(used, writes, good & ~ordered, good & ordered & again)


def updates(program: Program) -> list[Finding]:
    """Return the finding about records that are changed in place, all over a file."""
    used, writes, some, _ = _updated(program)
    pairs, rows = used.pairs[some], used.rows[some[used.number]]
    reach = (used.high - used.low)[some]
    if not len(pairs) or not program.holds(pairs, reach):
        return []
    parts = program.counts(rows, read=READS, write=LAZY_WRITES)
    whole = brief_size(int(reach.sum()))
    told = f"{parts[0]} and {parts[1]} in place, most of them elsewhere than where the one before"
    told += f" ended, within {whole}."
    # What is used of a buffer that is filled at each place is what is written there.
    record = int(used.most(np.where(writes, used.sizes, 0))[some].max())
    change = rewriting(read_less, pairs, record) + rewriting(read_whole, pairs)
    change += rewriting(write_whole, pairs)
    how = how_to("write at the end", program.language(rows))
    memory = f"memory for {whole}, and no other program has to find there what is changed."
    cure = Cure(how, change, memory, RISK_LATER)
    return [program.finding("scattered-write", told, rows, [cure])]


def changed_in_order(program: Program) -> list[Finding]:
    """Return the finding about records that are changed in place, one after the other."""
    used, _, _, some = _updated(program)
    pairs, rows = used.pairs[some], used.rows[some[used.number]]
    if not len(pairs):
        return []
    parts = program.counts(rows, read=READS, write=LAZY_WRITES)
    told = f"{parts[0]} and {parts[1]} of {counted(len(pairs), 'file')} in place, in its order,"
    told += " with what is around each place read anew."
    most = int(used.columns.size[rows].max())
    change = rewriting(read_new, pairs) + rewriting(buffered, pairs, most)
    presumes = "nobody else has to see a record before those after it are changed."
    cure = Cure(how_to("change together", program.language(rows)), change, presumes)
    return [program.finding("small-io", told, rows, [cure])]
