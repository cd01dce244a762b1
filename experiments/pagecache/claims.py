"""The figures of the claims of the page-cache study, from simulated runs and printed times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import TypeAlias

from .compared import EXPERIMENTS, mean_errors, mean_errors_of_wrench
from .runs import OURS, PEERS, SIZES, PagecacheRuns

Figures: TypeAlias = dict[str, float]

MEMORY_RATE = 2.764
"""Measured rate of writing to memory; GB/s."""


def _peers(runs: PagecacheRuns) -> Figures:
    return {f"{name}_percent": runs.mean_error_percent(name) for name in PEERS}


def _all(runs: PagecacheRuns) -> Figures:
    return {"ours_percent": runs.mean_error_percent(OURS), **_peers(runs)}


def _each(runs: PagecacheRuns) -> Figures:
    """Return our error over that of the best peer, at each size."""
    figures = {}
    for size in SIZES:
        best = min(runs.mean_error_percent(name, (size,)) for name in PEERS)
        figures[f"of_the_best_peer_at_{size}"] = runs.mean_error_percent(OURS, (size,)) / best
    return figures


def _again(runs: PagecacheRuns) -> Figures:
    figures = {}
    for size in SIZES:
        times = runs.tasks(size).phases
        figures[f"of_the_first_at_{size}"] = max(times["read2"], times["read3"]) / times["read1"]
    return figures


def write_share(times: Mapping[str, float], size: int) -> float:
    """Return the mean rate of the three writes over the memory's.

    >>> write_share({"write1": 10.0, "write2": 10.0, "write3": 10.0}, 20) == 2 / MEMORY_RATE
    True
    """
    return size / fmean(times[f"write{number}"] for number in (1, 2, 3)) / MEMORY_RATE


def _slowed(runs: PagecacheRuns) -> Figures:
    return {f"rate_at_{size}": write_share(runs.tasks(size).phases, size) for size in SIZES}


def _held_out(runs: PagecacheRuns) -> Figures:
    """Return our error over WRENCH's, for the held-out experiments."""
    pairs = zip(mean_errors(runs), mean_errors_of_wrench(runs), strict=True)
    names = (name.replace(": ", "_") for name in EXPERIMENTS)
    found = {
        f"of_wrench_in_{name}": ours / peer for name, (ours, peer) in zip(names, pairs, strict=True)
    }
    del found["of_wrench_in_1"]
    return found


CLAIMS: Mapping[str, Callable[[PagecacheRuns], Figures]] = {
    "pagecache-c1": _peers,
    "pagecache-c2": _all,
    "pagecache-c3": _each,
    "pagecache-c4": _again,
    "pagecache-c5": _slowed,
    "pagecache-c6": _held_out,
}
