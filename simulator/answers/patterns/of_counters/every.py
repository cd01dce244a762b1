"""All that the counters of a log show, what costs most first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.answers.advise import ALIKE, Finding
from simulator.answers.patterns.of_counters import calls, metadata, ranks, sharing
from simulator.answers.patterns.of_counters.job import Counted, CountedJob

PATTERNS = (
    calls.small_io,
    calls.sync_write,
    calls.scattered,
    sharing.independent,
    ranks.one_rank,
    ranks.rank_bytes,
    ranks.rank_time,
    sharing.one_stripe,
    sharing.unaligned,
    calls.again,
    metadata.repeated,
    metadata.many_files,
    metadata.metadata_time,
)
"""Of findings that cost alike those of the first pattern are first."""


def counted_findings(found: Mapping[str, Any]) -> list[Counted]:
    """Return what the counters of a log show; ``found`` is what was read of it.

    Each has the seconds of a rank that it is about, which a cure can save at most.
    """
    if found.get("partial") or not found["files"]:
        return []
    job = CountedJob.of(found)
    every = [one for pattern in PATTERNS for one in pattern(job)]
    return _merged(_ordered(every))


def _ordered(every: list[Counted]) -> list[Counted]:
    """Put what costs most first; of what costs alike, the pattern that comes first."""
    left, made = list(every), []
    while left:
        most = max(one.seconds for one in left)
        alike = [one for one in left if one.seconds >= ALIKE * most]
        made += alike
        left = [one for one in left if one.seconds < ALIKE * most]
    return made


def _merged(every: list[Counted]) -> list[Counted]:
    """Put findings of one pattern about several files together, under the one that costs most."""
    made: dict[str, list[Counted]] = {}
    for one in every:
        made.setdefault(one.finding.pattern, []).append(one)
    return [_together(some) for some in made.values()]


def _together(some: list[Counted]) -> Counted:
    first = some[0]
    if len(some) == 1:
        return first
    files = {file.name: file for one in reversed(some) for file in reversed(one.finding.files)}
    calls = sum(one.finding.calls for one in some)
    told = first.finding
    every = tuple(reversed(files.values()))
    return first._replace(finding=Finding(told.pattern, told.found, told.cures, every, calls))
