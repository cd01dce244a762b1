"""The record lengths of one transfer."""

from __future__ import annotations

from simulator.config.record import LognormalRecord, Record, UniformRecord
from simulator.plan.noise import stream_key
from simulator.runtime.lengths import Lengths
from simulator.runtime.records import MARK
from simulator.workload.lengths import CycledLengths, UniformLengths, fixed, lognormal

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


def extent_of(policy: str, lengths: Lengths, size: int) -> int:
    """Return the bytes that records of ``size`` bytes take in a file, their lengths included."""
    marks = 0 if policy == "posix" else lengths.count + size // _SUBRECORD
    return size + 2 * MARK * marks
