"""The record lengths of one transfer."""

from __future__ import annotations

from array import array

from simulator.config.record import LognormalRecord, Record, UniformRecord
from simulator.plan.noise import stream_key
from simulator.runtime.lengths import CycledLengths, Lengths, UniformLengths, fixed, lognormal
from simulator.runtime.records import MARK

_SUBRECORD = 2**31
"""Longer records are divided, with two more lengths each time."""


def record_lengths(record: Record, size: int, seed: int, stream: str) -> Lengths:
    """Return the records of ``size`` bytes; ``stream`` names the random stream of drawn ones."""
    if isinstance(record, int):
        return fixed(record, size)
    if isinstance(record, tuple):
        return CycledLengths(record, size)
    key = stream_key(seed, 0, stream)
    if isinstance(record, UniformRecord):
        return UniformLengths(key, size, record.from_, record.to)
    assert isinstance(record, LognormalRecord)
    return lognormal(key, size, record.median, record.spread, record.largest)


def interleaved_records(
    record: int, rank: int, ranks: int, *, size: int, own: int | None
) -> tuple[array[int], array[int]]:
    """Return the offsets and sizes (bytes) of the records of one of ``ranks`` processes in turn.

    Together they are the whole file of ``size`` bytes, whose last record may be shorter; or of
    each process its ``own`` bytes, so that in the last turn all records are equally shorter.

    >>> [list(interleaved_records(4, rank, 2, size=14, own=None)[1]) for rank in (0, 1)]
    [[4, 4], [4, 2]]
    >>> [list(interleaved_records(4, rank, 2, size=14, own=7)[0]) for rank in (0, 1)]
    [[0, 8], [4, 11]]
    """
    turn = record * ranks
    turns, left = divmod(size if own is None else own * ranks, turn)
    offsets = array("q", range(rank * record, turns * turn, turn))
    sizes = array("q", [record]) * turns
    each = record if own is None else left // ranks
    last = min(left - rank * each, each)
    if last > 0:
        offsets.append(turns * turn + rank * each)
        sizes.append(last)
    return offsets, sizes


def extent_of(policy: str, lengths: Lengths, size: int) -> int:
    """Return the bytes that records of ``size`` bytes take in a file, their lengths included."""
    marks = 0 if policy == "posix" else lengths.count + size // _SUBRECORD
    return size + 2 * MARK * marks
