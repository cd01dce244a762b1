"""Quantities of claims and errors: times of merges and splits, simulated or by formulas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean
from typing import TypeAlias

from .merges import BUFFERED, CELLS, CLUSTERED, MEMORY, MULTIPLE, NAIVE
from .runs import ALL, HDD, MERGE, SPLIT, SSD, Cell, measured

Figures: TypeAlias = dict[str, float]
Seconds: TypeAlias = Callable[[Cell], float]
"""Time of a merge or split; s."""
DISKS = (HDD, SSD)
LARGE = tuple(memory for memory in MEMORY if memory != 3)
"""GB with which every method is simulated."""


def cells(what: str, disk: str) -> list[Cell]:
    """Return the merges, or splits, on a disk."""
    return [cell for cell in ALL if cell[:2] == (what, disk)]


def mean_error_percent(seconds: Seconds, of: Iterable[Cell]) -> float:
    """Return the mean of |time - measured| / measured, in %."""
    return 100 * fmean(abs(seconds(cell) / measured(cell).whole - 1) for cell in of)


def of_all_merges(seconds: Seconds) -> Figures:
    """Return the mean error of all merges."""
    return {"merges_percent": mean_error_percent(seconds, (one for one in ALL if one[0] == MERGE))}


def of_buffering(seconds: Seconds) -> Figures:
    """Return the speedup of buffered slabs over naive ones."""
    return {
        f"speedup_{disk}_{memory}": seconds((MERGE, disk, NAIVE, 0))
        / seconds((MERGE, disk, BUFFERED, memory))
        for disk in DISKS
        for memory in MEMORY
    }


def of_multiple(seconds: Seconds) -> Figures:
    """Return the time of multiple reads over that of clustered ones, with 6 to 16 GB."""
    return {
        f"of_clustered_{disk}": sum(seconds((MERGE, disk, MULTIPLE, memory)) for memory in LARGE)
        / sum(seconds((MERGE, disk, CLUSTERED, memory)) for memory in LARGE)
        for disk in DISKS
    }


def of_much_memory(seconds: Seconds) -> Figures:
    """Return the longest time over the shortest with 16 GB."""
    found = {}
    for disk in DISKS:
        times = [seconds((MERGE, disk, way, memory)) for way, memory in CELLS if memory == 16]
        found[f"longest_of_shortest_{disk}"] = max(times) / min(times)
    return found


def of_splits(seconds: Seconds) -> Figures:
    """Return the time of clustered writes over that of multiple ones, on the hard disk."""
    return {
        f"clustered_of_multiple_{memory}": seconds((SPLIT, HDD, CLUSTERED, memory))
        / seconds((SPLIT, HDD, MULTIPLE, memory))
        for memory in LARGE
    }


BY_TIMES: dict[str, Callable[[Seconds], Figures]] = {
    "merge-c1": of_all_merges,
    "merge-c3": of_buffering,
    "merge-c4": of_multiple,
    "merge-c5": of_much_memory,
    "merge-c6": of_splits,
}
"""Claims that follow from times, simulated or by formulas."""
