"""Which ranks made how many calls of a shared record, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simulator.traces.sampled.counts import Numbers

Random = np.random.Generator
Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Share:
    """What a rank did of a record: its part of the bytes and of the time."""

    rank: int
    bytes: float
    time: float


def shares_of(
    rank: int, processes: int, counts: Counts, seconds: Mapping[str, float], random: Random
) -> list[Share]:
    """Return the ranks that moved bytes, in order; their parts add up to 1.

    A shared record (rank -1) names the fastest and the slowest rank with their bytes and times;
    the others have what is left, a number of them evenly, as the variance over ranks says.
    """
    if rank >= 0:
        return [Share(rank, 1.0, 1.0)]
    whole = counts.get("BYTES_READ", 0) + counts.get("BYTES_WRITTEN", 0)
    many = counts.get("READS", 0) + counts.get("WRITES", 0)
    fast, slow = counts.get("FASTEST_RANK", 0), counts.get("SLOWEST_RANK", 0)
    named = {
        fast: counts.get("FASTEST_RANK_BYTES", 0),
        slow: counts.get("SLOWEST_RANK_BYTES", 0),
    }
    others = [one for one in range(processes) if one not in named]
    left = max(0, whole - sum(named.values()))
    active = _active(left, len(others), named, whole, seconds.get("F_VARIANCE_RANK_BYTES", 0.0))
    active = min(active, max(0, many - sum(1 for some in named.values() if some)))
    chosen = sorted(random.choice(others, active, replace=False).tolist()) if active else []
    moved = {one: float(some) for one, some in named.items() if some}
    moved |= dict.fromkeys(chosen, left / active if active else 0.0)
    total = sum(moved.values())
    if not total:  # Calls that moved nothing.
        moved, total = {slow: 1.0}, 1.0
    times = _times(moved, fast, slow, seconds)
    return [Share(one, moved[one] / total, times[one]) for one in sorted(moved)]


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


def _times(
    moved: Mapping[int, float], fast: int, slow: int, seconds: Mapping[str, float]
) -> dict[int, float]:
    """Return each rank's part of the time in calls: of the named ones as counted, else evenly."""
    whole = sum(seconds.get(name, 0.0) for name in ("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME"))
    known = {
        fast: seconds.get("F_FASTEST_RANK_TIME", 0.0),
        slow: seconds.get("F_SLOWEST_RANK_TIME", 0.0),
    }
    known = {one: some for one, some in known.items() if one in moved and some > 0}
    others = len(moved) - len(known)
    if len(moved) == 1 and known and 0 < sum(known.values()) <= whole:
        return {one: some / whole for one, some in known.items()}  # Others have syncs and opens.
    if whole <= 0 or sum(known.values()) > whole or (not others and not known):
        return dict.fromkeys(moved, 1 / len(moved))
    even = (whole - sum(known.values())) / others if others else 0.0
    times = {one: known.get(one, even) for one in moved}
    total = sum(times.values())
    if not total:
        return dict.fromkeys(moved, 1 / len(moved))
    return {one: some / total for one, some in times.items()}


def dealt(sizes: Numbers, shares: list[Share], random: Random) -> list[Numbers]:
    """Deal calls of given sizes to ranks: of each size as many to each as its share says.

    What does not come out even goes to the first of them, or to any, by a draw for each size.
    """
    if len(shares) == 1:
        return [sizes]
    weights = np.array([one.bytes for one in shares])
    dealt_to: list[list[Numbers]] = [[] for _ in shares]
    kinds, counts = np.unique(sizes, return_counts=True)
    if len(kinds) > len(sizes) // 2 and len(sizes) > len(shares):  # Hardly two of a size.
        owner = random.choice(len(shares), len(sizes), p=weights)
        return [sizes[owner == one] for one in range(len(shares))]
    for kind, many in zip(kinds.tolist(), counts.tolist(), strict=True):
        exact = weights * many
        parts = np.floor(exact + 1e-9).astype(np.int64)
        lacks = many - int(parts.sum())
        if lacks >= len(shares) // 2 or many >= len(shares):
            order = np.argsort(-(exact - parts), kind="stable")
            parts[order[:lacks]] += 1
        elif random.random() < 0.5:
            parts[0] += lacks
        else:
            np.add.at(parts, random.choice(len(shares), lacks, p=weights), 1)
        for one, some in zip(dealt_to, parts.tolist(), strict=True):
            if some:
                one.append(np.full(some, kind, np.int64))
    found = []
    for some in dealt_to:
        mine = np.concatenate(some) if some else np.zeros(0, np.int64)
        random.shuffle(mine)
        found.append(mine)
    return found
