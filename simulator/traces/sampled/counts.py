"""Darshan's counters of a stream of calls: what a log would say of them.

As darshan-posix.c counts: per rank and file, reads and writes apart. A call is *consecutive* if it
begins where the last one of its kind ended, *sequential* if it begins behind the last byte of it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[np.int64]]

BINS = (
    *("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M"),
    *("1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"),
)
"""Names of the bins of sizes."""
TOPS = (100, 1 << 10, 10 << 10, 100 << 10, 1 << 20, 4 << 20, 10 << 20, 100 << 20, 1 << 30)
"""The largest size of each bin but the last, in bytes."""
WAYS = ("READ", "WRITE")
LARGEST = 1 << 40
"""The largest size that is drawn for the last bin, in bytes."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The reads and writes of one record, rank by rank; those of each in their order."""

    rank: Numbers
    writes: np.ndarray[Any, np.dtype[np.bool_]]
    """Whether each is a write."""
    offset: Numbers
    size: Numbers

    @property
    def first(self) -> Numbers:
        """The place of each rank's first call."""
        return first_of(self.rank)


def first_of(groups: Numbers) -> Numbers:
    """Return where each run of equal numbers, from 0 on, begins.

    >>> first_of(np.array([0, 0, 3, 3, 5])).tolist()
    [0, 2, 4]
    """
    new = np.ones(len(groups), bool)  # numpy's diff is slow for few numbers.
    np.not_equal(groups[1:], groups[:-1], out=new[1:])
    return np.flatnonzero(new)


def many_of(first: Numbers, many: int) -> Numbers:
    """Return how many of ``many`` calls each group has, of which these are the first ones."""
    found = np.empty(len(first), np.int64)
    found[:-1] = first[1:]
    found[-1:] = many
    return found - first


def within(first: Numbers, many: int) -> Numbers:
    """Return the number of each of ``many`` calls in its group, of which these are the first ones.

    >>> within(np.array([0, 2, 3]), 5).tolist()
    [0, 1, 0, 0, 1]
    """
    return np.arange(many) - np.repeat(first, many_of(first, many))


def counters_of(streams: Streams, alignment: int = 0) -> dict[str, int]:
    """Return the counters of the streams of one record; those that are 0 are left out.

    ``alignment``: that of the file system in bytes, as FILE_ALIGNMENT says; 0: not known.
    """
    found: Counter[str] = Counter()
    for number, way in enumerate(WAYS):
        mine = streams.writes == bool(number)
        if mine.any():
            columns = (streams.rank[mine], streams.offset[mine], streams.size[mine])
            found.update(_of_one_way(way, *columns, alignment))
    same = np.diff(streams.rank) == 0
    found["RW_SWITCHES"] = int(np.count_nonzero(same & np.diff(streams.writes)))
    return {name: value for name, value in found.items() if value}


def _past(way: str) -> str:
    return "READ" if way == "READ" else "WRITTEN"


def _of_one_way(
    way: str, rank: Numbers, offset: Numbers, size: Numbers, alignment: int
) -> dict[str, int]:
    last = np.concatenate([np.zeros(1, np.int64), (offset + size - 1)[:-1]])
    last[first_of(rank)] = 0
    counts = {
        f"{way}S": len(offset),
        f"BYTES_{_past(way)}": int(size.sum()),
        f"MAX_BYTE_{_past(way)}": int((offset + size).max()) - 1,
        f"SEQ_{way}S": int(np.count_nonzero(offset > last)),
        f"CONSEC_{way}S": int(np.count_nonzero(offset == last + 1)),
    }
    if alignment:
        counts["FILE_NOT_ALIGNED"] = int(np.count_nonzero(offset % alignment))
    bins = np.bincount(bins_of(size), minlength=len(BINS)).tolist()
    return counts | {
        f"SIZE_{way}_{name}": many for name, many in zip(BINS, bins, strict=True) if many
    }


def bins_of(size: Numbers) -> Numbers:
    """Return the number of each size's bin.

    >>> bins_of(np.array([0, 100, 101, 1 << 20, 1 << 31])).tolist()
    [0, 0, 1, 4, 9]
    """
    found: Numbers = np.searchsorted(np.array(TOPS), size, side="left")
    return found
