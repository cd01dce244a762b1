"""What a sync takes beside its data, and how several processes share it.

A write past the page cache waits for its data alone; a write and fsync for its data and a commit of
the file system with a flush of the device. The difference is the commit. Of the parts that nwtsim
has, the one is taken whose closed form is nearest to the syncs of several processes:

    queue      one commit after the other             1 / commit
    journal    two groups of processes in turn        n / (2 commit), where writing takes less
    delay      as if each process were alone          n / (writing + commit)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.measure.found import SMALL, Found, Number

if TYPE_CHECKING:
    from simulator.measure.fitting import Line

LEAST_SHARE = 0.05
"""A commit that takes less of a sync than this cannot be told apart from noise."""
KINDS = ("journal", "queue", "delay")


def committing(found: Found, cached: Line) -> tuple[Number | None, str]:
    """Return the seconds of a commit and the kind of part; None where it takes no time."""
    if not found.has("direct-write"):
        return None, ""
    synced, direct = found.one("sync-write", SMALL).median, found.one("direct-write", SMALL).median
    # Beside the direct write's call there are the fsync's, and a copy.
    writing = direct + cached.at(SMALL)
    commit = synced - writing
    if commit < LEAST_SHARE * synced:
        return None, ""
    rates = found.rates("sync-write", SMALL)
    kind = kind_of(rates, commit)
    most = max(rates)
    about = (
        f"write and fsync, less a write past the page cache; {found.spread('sync-write', SMALL)}"
    )
    if most > 1:
        gain = rates[most] / rates[1]
        about += f"; {most} processes make {gain:.3g} times the syncs of one"
    return Number(commit, about), kind


def kind_of(rates: dict[int, float], commit: float) -> str:
    """Return the kind of part whose syncs per second of n processes are nearest to ``rates``.

    >>> kind_of({1: 99.0, 8: 400.0}, 0.01), kind_of({1: 99.0, 8: 101.0}, 0.01)
    ('journal', 'queue')
    >>> kind_of({1: 99.0, 2: 195.0}, 0.01), kind_of({1: 99.0}, 0.01)
    ('delay', 'journal')
    """
    several = {many: rate for many, rate in rates.items() if many > 1}
    return min(KINDS, key=lambda kind: _error(kind, several, 1 / rates[1], commit))


def _error(kind: str, several: dict[int, float], alone: float, commit: float) -> float:
    """Return how far the closed form is from what was seen."""
    total = 0.0
    for many, rate in several.items():
        cycle = max(2 * commit, alone + commit / 2)
        expected = {
            "queue": min(many / alone, 1 / commit),
            "journal": max(1 / alone, many / cycle) if many > 1 else 1 / alone,
            "delay": many / alone,
        }[kind]
        total += math.log(expected / rate) ** 2
    return total
