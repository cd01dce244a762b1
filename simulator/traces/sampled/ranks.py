"""Which ranks made how many calls of a shared record, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.traces.sampled.counts import Numbers

Random = np.random.Generator
Counts = Mapping[str, int]
Parts = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Shares:
    """What ranks did of a record, in their order: each one's part of the bytes and of the time."""

    rank: Numbers
    bytes: Parts
    time: Parts


def shares_of(
    rank: int, processes: int, counts: Counts, seconds: Mapping[str, float], random: Random
) -> Shares:
    """Return the ranks that moved bytes; their parts add up to 1.

    A shared record (rank -1) names the fastest and the slowest rank with their bytes and times;
    the others have what is left, a number of them evenly, as the variance over ranks says.
    """
    if rank >= 0:
        return Shares(np.array([rank]), np.ones(1), np.ones(1))
    whole = counts.get("BYTES_READ", 0) + counts.get("BYTES_WRITTEN", 0)
    many = counts.get("READS", 0) + counts.get("WRITES", 0)
    fast, slow = counts.get("FASTEST_RANK", 0), counts.get("SLOWEST_RANK", 0)
    named = {
        fast: counts.get("FASTEST_RANK_BYTES", 0),
        slow: counts.get("SLOWEST_RANK_BYTES", 0),
    }
    others = np.setdiff1d(np.arange(processes), [*named])
    left = max(0, whole - sum(named.values()))
    active = _active(left, len(others), named, whole, seconds.get("F_VARIANCE_RANK_BYTES", 0.0))
    active = min(active, max(0, many - sum(1 for some in named.values() if some)))
    moved = np.zeros(max(processes, *(one + 1 for one in named)))
    if active:
        moved[random.choice(others, active, replace=False)] = left / active
    for one, some in named.items():
        moved[one] = some
    if not moved.any():  # Calls that moved nothing.
        moved[slow] = 1.0
    ranks = np.flatnonzero(moved)
    parts = moved[ranks] / moved[ranks].sum()
    return Shares(ranks, parts, _times(ranks, fast, slow, seconds))


def _active(left: int, others: int, named: Mapping[int, int], whole: int, variance: float) -> int:
    """Return among how many of the other ranks the bytes that are left are spread evenly.

    With k of them the variance over all ranks is (sum of squares) / n - mean^2, which falls with k.
    """
    if not left or not others:
        return 0
    n = others + len(named)
    squares = (variance + (whole / n) ** 2) * n - sum(some**2 for some in named.values())
    if squares <= 0:
        return others
    return max(1, min(others, round(left**2 / squares)))


def _times(ranks: Numbers, fast: int, slow: int, seconds: Mapping[str, float]) -> Parts:
    """Return each rank's part of the time in calls: of the named ones as counted, else evenly."""
    whole = sum(seconds.get(name, 0.0) for name in ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"))
    known = {
        fast: seconds.get("F_FASTEST_RANK_TIME", 0.0),
        slow: seconds.get("F_SLOWEST_RANK_TIME", 0.0),
    }
    known = {one: some for one, some in known.items() if some > 0 and one in ranks}
    others, named = len(ranks) - len(known), sum(known.values())
    if len(ranks) == 1 and known and 0 < named <= whole:
        return np.array([named / whole])  # Others have syncs and opens.
    even = np.full(len(ranks), 1 / len(ranks))
    if whole <= 0 or named > whole or (not others and not known):
        return even
    times = np.full(len(ranks), (whole - named) / others if others else 0.0)
    for one, some in known.items():
        times[ranks == one] = some
    total = times.sum()
    return np.asarray(times / total) if total else even


def dealt(
    sizes: Numbers, shares: Shares, random: Random, *, grouped: bool
) -> tuple[Numbers, Numbers]:
    """Deal calls of given sizes to ranks: of each size as many to each as its share says.

    What does not come out even goes to the first of them, or to any, by a draw for each size.
    Return which of the shares each call is of, in their order, and its size. ``grouped``: calls of
    one size of a rank stand together.
    """
    ranks = len(shares.rank)
    if ranks == 1 and not grouped:
        return np.zeros(len(sizes), np.int64), sizes
    kinds, which, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    if ranks == 1 or (len(kinds) > len(sizes) // 2 and len(sizes) > ranks):  # Hardly two of a size.
        owner = random.choice(ranks, len(sizes), p=shares.bytes) if ranks > 1 else which * 0
    else:
        owner = np.empty(len(sizes), np.int64)
        each = [_divided(many, shares.bytes, random) for many in counts.tolist()]
        owners = [np.repeat(np.arange(ranks), parts) for parts in each]
        owner[np.argsort(which, kind="stable")] = np.concatenate([owner[:0], *owners])
    key = random.random(len(sizes))
    if grouped:
        pairs = np.unique(owner * max(1, len(kinds)) + which, return_inverse=True)[1]
        key = key[pairs]
    order = np.lexsort((key, owner))
    return owner[order], sizes[order]


def _divided(many: int, weights: Parts, random: Random) -> Numbers:
    """Divide a number of calls among ranks."""
    exact = weights * many
    parts = np.floor(exact + 1e-9).astype(np.int64)
    lacks = many - int(parts.sum())
    if lacks >= len(weights) // 2 or many >= len(weights):
        order = np.argsort(-(exact - parts), kind="stable")
        parts[order[:lacks]] += 1
    elif random.random() < 0.5:
        parts[0] += lacks
    else:
        np.add.at(parts, random.choice(len(weights), lacks, p=weights), 1)
    return parts
