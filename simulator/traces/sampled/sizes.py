"""Sizes of the calls of a record, drawn from its histogram, common accesses and bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.traces.sampled.counts import BINS, LARGEST, TOPS, WAYS, Numbers, bins_of

Counts = Mapping[str, int]
Random = np.random.Generator
TRIES = 64
"""Times that common sizes are divided anew between reads and writes, until bytes can be right."""
LOWEST = (0, *(top + 1 for top in TOPS))
HIGHEST = (*TOPS, LARGEST)


def sizes_of(counts: Counts, random: Random) -> dict[str, Numbers]:
    """Return the sizes of the reads and of the writes of a record, in random order.

    The histogram and the bytes are met exactly where that is possible at all; the common sizes
    where these leave it open (Darshan keeps four, which it merges over ranks by guess).
    """
    histogram = {way: _histogram(counts, way) for way in WAYS}
    common = _common(counts)
    best: dict[str, Any] | None = None
    for _ in range(TRIES):
        divided = _divide(common, histogram, random)
        wrong = sum(_beyond(divided[way], histogram[way], _bytes(counts, way)) for way in WAYS)
        if best is None or wrong < best["wrong"]:
            best = {"wrong": wrong, "divided": divided}
        if not wrong:
            break
    assert best is not None
    divided = best["divided"] if not best["wrong"] else {way: {} for way in WAYS}
    return {way: _drawn(divided[way], histogram[way], _bytes(counts, way), random) for way in WAYS}


def _histogram(counts: Counts, way: str) -> list[int]:
    """Return how many calls there are in each bin; what the bins lack is in that of the mean."""
    found = [counts.get(f"SIZE_{way}_{name}", 0) for name in BINS]
    lacks = counts.get(f"{way}S", 0) - sum(found)
    if lacks > 0:
        mean = _bytes(counts, way) // counts[f"{way}S"]
        found[int(bins_of(np.array([mean]))[0])] += lacks
    return found


def _bytes(counts: Counts, way: str) -> int:
    return counts.get("BYTES_READ" if way == "READ" else "BYTES_WRITTEN", 0)


def _common(counts: Counts) -> dict[int, int]:
    """Return the common sizes and how many calls had them, reads and writes together."""
    found: dict[int, int] = {}
    for number in (1, 2, 3, 4):
        many = counts.get(f"ACCESS{number}_COUNT", 0)
        if many:
            size = counts.get(f"ACCESS{number}_ACCESS", 0)
            found[size] = found.get(size, 0) + many
    return found


def _divide(
    common: dict[int, int], histogram: dict[str, list[int]], random: Random
) -> dict[str, dict[int, int]]:
    """Divide the calls of each common size at random among the reads and writes of its bin."""
    left = {way: list(some) for way, some in histogram.items()}
    divided: dict[str, dict[int, int]] = {way: {} for way in WAYS}
    for size, many in common.items():
        one = int(bins_of(np.array([size]))[0])
        reads, writes = (left[way][one] for way in WAYS)
        whole = min(many, reads + writes)
        mine = int(random.hypergeometric(reads, writes, whole)) if reads and writes else 0
        mine = mine if writes else whole
        for way, some in zip(WAYS, (mine, whole - mine), strict=True):
            if some:
                divided[way][size] = some
                left[way][one] -= some
    return divided


def _rest(divided: dict[int, int], histogram: list[int]) -> list[int]:
    rest = list(histogram)
    for size, many in divided.items():
        rest[int(bins_of(np.array([size]))[0])] -= many
    return rest


def _beyond(divided: dict[int, int], histogram: list[int], moved: int) -> int:
    """Return by how many bytes the calls that are left cannot move what is left."""
    rest = _rest(divided, histogram)
    left = moved - sum(size * many for size, many in divided.items())
    low = sum(many * least for many, least in zip(rest, LOWEST, strict=True))
    high = sum(many * most for many, most in zip(rest, HIGHEST, strict=True))
    return max(low - left, left - high, 0)


def _drawn(divided: dict[int, int], histogram: list[int], moved: int, random: Random) -> Numbers:
    """Return the common sizes, and others from their bins so that the bytes are right."""
    rest = _rest(divided, histogram)
    left = moved - sum(size * many for size, many in divided.items())
    low, high = (np.repeat(np.array(edge, np.int64), rest) for edge in (LOWEST, HIGHEST))
    drawn = _with_sum(low, high, left, random)
    known = np.repeat(np.array(list(divided), np.int64), np.array(list(divided.values()), np.int64))
    sizes = np.concatenate([known, drawn])
    random.shuffle(sizes)
    return sizes


def _with_sum(low: Numbers, high: Numbers, total: int, random: Random) -> Numbers:
    """Return random numbers between two limits each whose sum is given, as far as they can be."""
    if not len(low):
        return low
    top = np.minimum(high, low + max(0, total))  # Of the last bin nothing is larger than all.
    found = low + (random.random(len(low)) * (np.minimum(top, 4 * low + 64) - low)).astype(np.int64)
    for _ in range(TRIES):
        over = int(found.sum()) - total
        if not over:
            break
        room = (found - low) if over > 0 else (top - found)
        whole = int(room.sum())
        if not whole:
            break
        step = np.minimum(room, (room * (min(abs(over), whole) / whole)).astype(np.int64))
        lacks = min(abs(over), whole) - int(step.sum())
        if lacks > 0:  # What rounding left, one by one where there is room.
            where = np.flatnonzero(room - step > 0)[:lacks]
            step[where] += 1
        found = found - step if over > 0 else found + step
    return found
