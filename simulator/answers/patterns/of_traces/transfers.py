"""Reads and writes of a traced program: too small, out of step, or out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import LAZY_WRITES, READS, Numbers, Streams
from simulator.answers.filerewrites import write_whole
from simulator.answers.patterns.of_traces.rounds import LEAST_OVER
from simulator.answers.patterns.of_traces.updates import (
    LARGEST_WHOLE,
    LEAST_SEEKS,
    MOST_SEQUENTIAL,
    SMALL_READ,
    changed_in_order,
    updates,
)
from simulator.answers.rewrites import (
    align,
    buffered,
    go_on,
    in_order,
    news,
    read_whole,
)
from simulator.answers.words import how_to, runtime_buffer
from simulator.plan.codes import READ, SEEK, WRITE
from simulator.units import format_size
from simulator.wording import brief_size, counted
from simulator.workload.languages import OWN_BUFFER

if TYPE_CHECKING:
    from simulator.answers.program import Program


_MARKER = 8
"""Bytes of the length of a record, at most."""
_LEAST_BACK = 4
"""Steps back of a stream."""
_LARGEST_BUFFER = 2**28
"""Bytes of a buffer."""
_OTHERS = (8_388_608, 67_108_864)


def _steps_back(writes: Streams) -> Numbers:
    """Return which writes put a length in front of what was written after it.

    The next write goes on where the last one before the step ended.
    """
    offset, size, begins = writes.offsets, writes.sizes, writes.begins
    ends = offset + size
    before = np.roll(ends, 1)
    after, ends_stream = np.roll(offset, -1), np.roll(begins, -1)
    back = ~begins & (size <= _MARKER) & (ends < before)
    found: Numbers = back & (ends_stream | (after >= before))
    return found


def _with_steps(program: Program) -> tuple[Streams, Numbers, Numbers]:
    """Return the streams of writes, which rows step back, and which streams have it."""
    writes = program.columns.streams((WRITE,), moving=True)
    back = _steps_back(writes)
    return writes, back, writes.sums(back) >= _LEAST_BACK


def record_length_rewrite(program: Program) -> list[Finding]:
    """A Fortran runtime that goes back to write the length of each record.

    A record that does not fit in the runtime's buffer is written in pieces of the buffer's size.
    Its length, 4 bytes in front of it, is known at its end: seek back, write, seek forward. Found:
    streams of writes with such steps back. Cured by a buffer that holds a whole record.
    """
    writes, back, good = _with_steps(program)
    if not good.any():
        return []
    columns = program.columns
    back &= good[writes.number]
    rows = writes.rows[good[writes.number]]
    files = np.unique(writes.files[good])
    seeks = np.flatnonzero((columns.kind == SEEK) & np.isin(columns.file, files))
    record = _longest(writes, back)
    pairs = writes.pairs[good]
    sizes = sorted({min(_LARGEST_BUFFER, _power(record + 2 * _MARKER)), *_OTHERS})
    sizes = [size for size in sizes if program.holds(pairs, size)]
    lengths, moves = counted(int(back.sum()), "length"), counted(len(seeks), "seek")
    return [
        Finding(
            pattern="record-length-rewrite",
            found=f"{lengths} of records written afterwards, with {moves}, in"
            f" {counted(len(rows), 'write')}: records of up to {brief_size(record)} do not fit in"
            " the buffer of the Fortran runtime.",
            cures=tuple(
                Cure(
                    how=runtime_buffer(size),
                    change=rewriting(buffered, pairs, size),
                    level="setting",
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


_SMALL = 65_536
_LEAST_SMALL = 16
"""Of a stream."""
_LEAST_SEQUENTIAL = 0.8
"""Share of a stream's calls that go on where the one before ended."""
_MUCH_BACK = 0.5
"""Share of a stream's reads that go back into the one before, if it gives back what it reads."""
_PRESUMES_FULL = "nobody else has to see the bytes before the buffer is full."
_RISK_LATE = "what is in the buffer when the program crashes is lost."
_BUFFERS = (131_072, 1_048_576, 8_388_608)


def small_io(program: Program) -> list[Finding]:
    """Many small calls one after the other in a file, where few large ones would do.

    Found: streams of reads or of writes that mostly go on where the one before ended, in calls of
    less than ``SMALL`` on average. Cured by a buffer, in a few sizes.
    """
    parts = []
    _, _, goes_back = _with_steps(program)
    for kind in (READ, WRITE):
        streams = program.columns.streams((kind,), moving=True)
        counts, moved = streams.counts, streams.sums(streams.sizes)
        follows = streams.sums(streams.goes_on())
        good = (counts >= _LEAST_SMALL) & (moved < _SMALL * counts)
        good &= follows >= _LEAST_SEQUENTIAL * (counts - 1)
        if kind == WRITE:  # Those that go back for the lengths of records have their own pattern.
            good &= ~goes_back
        parts.append(streams.rows[good[streams.number]])
    flushed = _flushed(program, parts[1])
    parts[1] = np.setdiff1d(parts[1], flushed)
    parts[0], back = _that_go_back(program, parts[0])
    both = zip(parts, ("read", "write"), strict=True)
    what = " and ".join(counted(len(part), noun) for part, noun in both if len(part))
    return [
        *_gathered(program, np.concatenate(parts), what),
        *_gathered(program, flushed, counted(len(flushed), "write"), flushed=True),
        *back,
        *changed_in_order(program),
    ]


def _that_go_back(program: Program, rows: Numbers) -> tuple[Numbers, list[Finding]]:
    """Return the reads that do not go back into the one before, and the finding about others."""
    reads = Streams(program.columns, rows)
    back = reads.sums(reads.goes_on() & ~reads.sequential()) >= _MUCH_BACK * reads.counts
    pairs, gone = reads.pairs[back], reads.rows[back[reads.number]]
    if not len(gone):
        return rows, []
    told = f"{counted(len(gone), 'read')} of {program.mean_size(gone)} on average, most of which go"
    told += " back to where the one before was not used any more, by seeks."
    change = rewriting(go_on, pairs) + rewriting(buffered, pairs, _BUFFERS[0])
    cure = Cure(how_to("read lines", program.language(gone)), change)
    return np.setdiff1d(rows, gone), [program.finding("small-io", told, gone, [cure])]


def _flushed(program: Program, rows: Numbers) -> Numbers:
    """Return which of these writes are of streams that never fill the buffer that they have.

    A runtime writes to a file when its buffer is full, at the end, or when it is flushed: many
    writes, each of which has less, have been flushed, and a larger buffer would be as well.
    """
    writes = Streams(program.columns, rows)
    if not len(rows):
        return rows
    own = np.array(
        [OWN_BUFFER.get(program.language(np.array([row])), 0) for row in writes.rows[writes.first]]
    )
    found: Numbers = writes.rows[(writes.most(writes.sizes) < own)[writes.number]]
    return found


def _gathered(
    program: Program, rows: Numbers, what: str, *, flushed: bool = False
) -> list[Finding]:
    """Return the finding that some calls could be gathered, by a buffer or by no flushing."""
    if not len(rows):
        return []
    language = program.language(rows)
    pairs = np.unique(program.columns.pair[rows])
    told = f"{what}, one after the other, move {program.mean_size(rows)} each on average."
    if flushed:
        own = OWN_BUFFER[language]
        told += f" Each is less than the buffer that {language} has for a file: that is flushed, or"
        told += " not used."
        change = rewriting(buffered, pairs, own)
        cure = Cure(how_to("flush less", language, own), change, _PRESUMES_FULL, _RISK_LATE)
        return [program.finding("small-io", told, rows, [cure])]
    cures = [
        Cure(
            how="Gather the calls in a buffer of"
            f" {format_size(size)}. {how_to('buffer', language, size)}",
            change=rewriting(buffered, pairs, size),
            presumes=_PRESUMES_FULL,
            level="setting" if language == "Fortran" else "program",
        )
        for size in _BUFFERS
        if program.holds(pairs, size)
    ]
    return [program.finding("small-io", told, rows, cures)]


_LEAST_CALLS = 8
_LEAST_UNALIGNED = 0.5


def unaligned(program: Program) -> list[Finding]:
    """Writes that begin and end within a block, a stripe or a request of the file system.

    Found: streams of writes one after the other, most of which do not begin at a multiple of a unit
    of the machine's file system, in calls that are not small. Cured by writing whole units: what a
    write leaves of its last unit is written with the next one.
    """
    writes = program.columns.streams(LAZY_WRITES, moving=True)
    counts, follows = writes.counts, writes.sums(writes.sequential())
    moved = writes.sums(writes.sizes)
    even = (counts >= _LEAST_CALLS) & (follows >= _LEAST_SEQUENTIAL * (counts - 1))
    cures, rows, units = [], np.zeros(0, np.int64), []
    for unit in program.path.units:
        off = writes.sums(writes.offsets % unit != 0)
        good = even & (off >= _LEAST_UNALIGNED * counts)
        good &= moved >= min(unit, _SMALL) * counts
        if good.any():
            own = writes.rows[good[writes.number]]
            cures.append(
                Cure(
                    how=f"Write in whole units of {format_size(unit)}:"
                    f" {how_to('align', program.language(own), unit)}",
                    change=rewriting(align, writes.pairs[good], unit),
                )
            )
            units.append(unit)
            rows = np.union1d(rows, own)
    if not cures:
        return []
    all_units = " or ".join(brief_size(unit) for unit in units)
    told = f"{counted(len(rows), 'write')} of {program.mean_size(rows)} on average, most of"
    told += f" which do not begin at a multiple of {all_units}, a unit of the file system."
    return [program.finding("unaligned", told, rows, cures)]


_FAR = np.iinfo(np.int64).max
_BUFFER = 1_048_576
_PRESUMES_PLACES = "the program knows which places it will read before it needs the first."


def seek_storm(program: Program) -> list[Finding]:
    """Small reads all over a file, each of which costs the device a seek or a request of its own.

    Found: streams of small reads that mostly do not go on where the one before ended, of files that
    nobody writes. Cured by reading what they reach over as a whole, at the first of them; or by
    reading in the order of the file, with a buffer or without.
    """
    reads = program.columns.streams(READS, moving=True)
    counts, moved = reads.counts, reads.sums(reads.sizes)
    follows = reads.sums(reads.goes_on())
    good = (counts >= LEAST_SEEKS) & (moved < SMALL_READ * counts) & ~program.written(reads.files)
    good &= (follows < MOST_SEQUENTIAL * counts) & ~np.isin(reads.pairs, program.polled)
    if not good.any():
        return []
    rows = reads.rows[good[reads.number]]
    pairs = reads.pairs[good]
    reach = (reads.high - reads.low)[good]
    whole, sort = brief_size(int(reach.sum())), rewriting(in_order, pairs, _BUFFER)
    buffer = rewriting(buffered, pairs, _BUFFER)
    how = "Sort the places, and read the file in their order"
    cures = [
        Cure(f"{how}, neighbours by one call.", sort, _PRESUMES_PLACES),
        Cure(f"{how}, {format_size(_BUFFER)} at a time.", sort + buffer, _PRESUMES_PLACES),
    ]
    language = program.language(rows)
    if language == "SQLite":  # It looks for one row after the other, whatever is asked for.
        cures.clear()
    if int(reach.max()) <= LARGEST_WHOLE and program.holds(pairs, reach):
        how = how_to("read as a whole", language)
        memory = f"memory for {whole} in all processes together."
        cures.insert(0, Cure(how, rewriting(read_whole, pairs), memory))
    told = f"{counted(len(rows), 'read')} of {program.mean_size(rows)} on average, most of"
    told += f" them elsewhere than where the one before ended, within {whole}."
    if not cures:
        return []
    return [program.finding("seek-storm", told, rows, cures)]


def scattered_write(program: Program) -> list[Finding]:
    """Small writes all over a file, which fill it in the end: an array in another order.

    Found: streams of small writes that mostly do not go on where the one before ended, and leave no
    hole in what they reach over, of files that nobody reads. Cured by keeping all of it in memory,
    and writing it as a whole at the last of them.
    """
    writes = program.columns.streams(LAZY_WRITES, moving=True)
    counts, moved = writes.counts, writes.sums(writes.sizes)
    reach = writes.high - writes.low
    follows = writes.sums(writes.sequential())
    good = (counts >= LEAST_SEEKS) & (moved < SMALL_READ * counts) & (reach <= LARGEST_WHOLE)
    good &= (follows < MOST_SEQUENTIAL * counts) & ~program.read(writes.files)
    # What is written over several times is told as such.
    good &= (reach <= moved) & (moved < LEAST_OVER * reach)
    good &= ~program.written_by_others(writes.pairs) & ~program.replaced(writes.pairs)
    markers = writes.sums(_steps_back(writes))  # A runtime that goes back for lengths of records.
    good &= (markers == 0) | (writes.most(writes.sizes) <= _MARKER)
    good &= writes.sums(news(writes, writes.pairs[good])) == reach
    pairs, rows, reach = writes.pairs[good], writes.rows[good[writes.number]], reach[good]
    if not len(pairs) or not program.holds(pairs, reach):
        return updates(program)
    told = f"{counted(len(rows), 'write')} of {program.mean_size(rows)} on"
    told += " average, most of them elsewhere than where the one before ended; together they fill"
    told += f" {brief_size(int(reach.sum()))}."
    memory = f"memory for {brief_size(int(reach.sum()))} in all processes together."
    how = how_to("write as a whole", program.language(rows))
    cures = [Cure(how, rewriting(write_whole, pairs), memory)]
    return [program.finding("scattered-write", told, rows, cures), *updates(program)]
