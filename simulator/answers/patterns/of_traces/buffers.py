"""Buffers that are missing - small calls past the page cache - or larger than what is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import READS, Numbers
from simulator.answers.filerewrites import (
    DIRECTS,
    larger_direct,
    not_direct,
    read_less,
    scattered,
)
from simulator.answers.rewrites import buffered
from simulator.answers.words import how_to
from simulator.plan.codes import WRITE
from simulator.units import format_size
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

_LEAST_CALLS = 16
"""Of a stream."""
_SMALL = 65_536
"""Bytes of a direct call, on average."""
_SIZES = (131_072, 1_048_576, 8_388_608)
_BUFFER = 131_072
_MUCH = 2.0
"""Times that writing through the page cache has to save what larger direct calls do."""
_RISK_CACHED = (
    "what a write has said to be done is in memory alone for some 30 seconds, if no fsync follows."
)


def direct_io(program: Program) -> list[Finding]:
    """Small calls with O_DIRECT, each of which waits for the device.

    Found: streams of many of them. Cured by larger ones; or by the page cache, also with a buffer.
    """
    calls = program.columns.streams(DIRECTS, moving=True)
    moved = calls.sums(calls.sizes)
    good = (calls.counts >= _LEAST_CALLS) & (moved < _SMALL * calls.counts)
    rows = calls.rows[good[calls.number]]
    if not len(rows):
        return []
    pairs = calls.pairs[good]
    told = f"{counted(len(rows), 'call')} with O_DIRECT, of {program.mean_size(rows)} on average:"
    told += " each waits for the device."
    language = program.language(rows)
    cures = [
        Cure(how_to("larger direct", language, size), rewriting(larger_direct, pairs, size))
        for size in _SIZES
        if program.holds(pairs, size)
    ]
    writes = bool((program.columns.kind[rows] & WRITE == WRITE).any())
    cached = "Open the file without O_DIRECT: the page cache reads ahead and writes later."
    more = f" Give it a buffer: {how_to('buffer', language, _BUFFER)}"
    plain = rewriting(not_direct, pairs)
    buffer = rewriting(buffered, pairs, _BUFFER)
    cures += [
        Cure(
            how,
            change,
            "its data need not stay out of the memory of the node.",
            _RISK_CACHED if writes else "",
            kind="page cache",
            beside=_MUCH if writes else 0.0,
        )
        for how, change in ((cached, plain), (cached + more, plain + buffer))
    ]
    return [program.finding("direct-io", told, rows, cures)]


_LEAST_BUFFER = 8_192
_LEAST_READS = 16
_MOST_SEQUENTIAL = 0.5
"""Share of a stream's reads that go on where the one before ended."""
_LEAST_KNOWN = 8
"""The smallest common divisor of all places that is taken for the length of a record."""
_LEAST_RECORD = 512
_MOST_USED = 0.25
"""Share of a buffer that a record is."""


def oversized_read(program: Program) -> list[Finding]:
    """A whole buffer read for each record, where the next one is somewhere else.

    Found: streams of reads that are as large as a buffer, all over the file, at multiples of a
    record's length that is much less. Cured by a buffer of that length, or none.
    """
    pairs, most, record = oversized(program)
    if not len(pairs):
        return []
    columns = program.columns
    size = max(_LEAST_RECORD, int(record.max()))
    rows = scattered(columns, pairs)
    told = f"{counted(len(rows), 'read')} of {brief_size(int(most.max()))}, all over the"
    told += f" file, at multiples of {brief_size(int(record.max()))}: a whole buffer for each"
    told += " record."
    language = program.language(rows)
    cure = Cure(
        how_to("read less", language, size),
        rewriting(read_less, pairs, size),
        f"what it wants at each place is one record of {format_size(size)} at most.",
        level="setting" if language == "Fortran" else "program",
    )
    return [program.finding("oversized-read", told, rows, [cure])]


def oversized(program: Program) -> tuple[Numbers, Numbers, Numbers]:
    """Return streams that read a whole buffer for each record, its bytes, and the record's."""
    reads = program.columns.streams(READS, moving=True)
    follows = reads.sums(reads.sequential())
    most = reads.most(reads.sizes)
    alike = reads.sums(reads.sizes == most[reads.number])
    good = (reads.counts >= _LEAST_READS) & (follows < _MOST_SEQUENTIAL * reads.counts)
    # One byte less is read by a runtime of C++.
    good &= (most >= _LEAST_BUFFER) & (-(-most // 2) * 2 % 4096 == 0)
    good &= alike >= reads.counts // 2
    record = np.gcd.reduceat(reads.offsets, reads.first) if len(reads) else most
    length = np.maximum(record, _LEAST_RECORD)
    good &= (record >= _LEAST_KNOWN) & (length <= _MOST_USED * most)
    return reads.pairs[good], most[good], record[good]
