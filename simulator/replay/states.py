"""States in which calls find a name: the usual one, or another one that costs otherwise.

A machine may say both (``others`` beside ``costs``), and a trace shows which it was: a lookup of an
absent name that was looked for before; an open or a stat of a file after thousands of others, which
no cache of a processor has kept; creates that take longer than usual, as where files were just
removed. How much longer follows from how many were: as many creates are in the other state as make
the time of the one in the middle. That is of the traced run; where the one without the tracer took
more or less of the processors, by more than half of what tells the two states apart, creates were
slower or quicker there: what was removed before a run is no part of it. A call that frees blocks
of the device (it empties or removes a file, or renames one to its name) waits for that: those are
in the other state whose time in the log is nearer to that, by its logarithm. Rows in the other
state have the size 1.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.kinds.tiers.work.section import Work
from simulator.plan.codes import (
    CLOSE,
    CREATE,
    LOOKUP,
    METADATA,
    OPEN,
    RENAME,
    SETATTR,
    STAT,
    SYNC,
    UNLINK,
)

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.replay.arrays import Numbers


FREEING = (SETATTR, RENAME, UNLINK)
"""Calls that may free blocks of a file which the device has."""
FAR = 4096
"""Other files that were called with since; an inode and its name have a kilobyte or more."""


class Pair(NamedTuple):
    """The times of an operation in both states, in ns."""

    usual: int
    other: int


States = Mapping[int, Pair]
"""By kind of operation; those that a machine has no other state of are left out."""


def mark(rows: dict[str, Numbers], states: States, took: Numbers, more: float = 0.0) -> None:
    """Mark rows that are in their other state by the size 1; ``took``: times of calls, in ns.

    ``more``: how much longer processors were busy in the run without the tracer; ns.
    """
    size = rows["size"]
    if LOOKUP in states:
        size[_again(rows)] = 1
    named = [kind for kind in (OPEN, STAT) if kind in states]
    if named:
        size[_far(rows, named)] = 1
    if CREATE in states:
        made = np.flatnonzero((rows["kind"] == CREATE) & (took > 0))
        size[_slow(made, states[CREATE], took, more)] = 1
    for kind in states.keys() & set(FREEING):
        _mark_freeing(rows, kind, states[kind], took)


def _mark_freeing(rows: dict[str, Numbers], kind: int, pair: Pair, took: Numbers) -> None:
    """Mark the calls of a kind that took so long that they waited for blocks to be freed.

    A change of attributes frees none, nor of a length but to 0. An open that empties its file has
    the time of both its rows.
    """
    found = np.flatnonzero((rows["kind"] == kind) & ((kind != SETATTR) | (rows["offset"] != 0)))
    of_open = (kind == SETATTR) & (rows["order"][found] % 2 == 1)
    time = took[found - of_open]
    found, time = found[time > 0], time[time > 0].astype(float)
    rows["size"][found] = time * time > float(pair.usual) * pair.other


def _again(rows: dict[str, Numbers]) -> Numbers:
    """Return the rows that look for a name which was found absent before."""
    looks = np.flatnonzero(rows["kind"] == LOOKUP)
    name = np.stack([rows["file"][looks].astype(np.int64), rows["offset"][looks]])
    first = np.unique(name, axis=1, return_index=True)[1]
    again = np.ones(len(looks), bool)
    again[first] = False
    return np.asarray(looks[again])


def _slow(made: Numbers, pair: Pair, took: Numbers, more: float) -> Numbers:
    """Return as many of some calls, spread evenly, as the time of the one in the middle says."""
    apart = pair.other - pair.usual
    if not len(made) or not apart:
        return made[:0]
    each = more / len(made)
    middle = float(np.median(took[made])) + (each if abs(each) > abs(apart) / 2 else 0.0)
    share = (middle - pair.usual) / apart
    steps = np.floor(np.arange(len(made) + 1) * min(max(share, 0.0), 1.0) + 0.5)
    return np.asarray(made[np.diff(steps) > 0])


def _far(rows: dict[str, Numbers], kinds: list[int]) -> Numbers:
    """Return the calls of some kinds on a file that none of the last ones was about."""
    calls = np.flatnonzero(np.isin(rows["kind"], METADATA) & (rows["kind"] != CLOSE))
    files = rows["file"][calls]
    if len(np.unique(files)) < FAR:
        return calls[:0]
    last: OrderedDict[int, None] = OrderedDict()
    far = np.zeros(len(calls), bool)
    for place, file in enumerate(files.tolist()):
        if file in last:
            last.move_to_end(file)
            continue
        far[place] = True
        last[file] = None
        if len(last) > FAR:
            last.popitem(last=False)
    return np.asarray(calls[far & np.isin(rows["kind"][calls], kinds)])


# -- the machine ----------------------------------------------------------------------------------


def costs_in(machine: Machine, filesystem: str | None, about: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the calls beside reads, writes and seeks that a machine has a cost for.

    ``filesystem``: that of all files; without it, files of a real trace are on the first one, those
    of a simulated run on any.
    """
    known = machine.filesystems
    if not about.get("simulated"):
        filesystem = machine.system(filesystem)
    systems = [known[filesystem]] if filesystem in known else [*known.values()]
    metadata = any(system.metadata is not None for system in systems)
    closing = metadata or any(system.close == "flush" for system in systems)
    return (SYNC, *(METADATA if metadata else (CLOSE,) if closing else ()))


def states_in(machine: Machine, filesystem: str | None) -> States:
    """Return what operations cost in both states, where files are on a machine's file system."""
    system = machine.filesystems.get(machine.system(filesystem))
    found: dict[int, Pair] = {}
    for tier in (system.metadata or ()) if system is not None else ():
        if isinstance(tier, Work) and tier.costs is not None and tier.others is not None:
            pairs = zip(METADATA, tier.costs.by_kind, tier.others.by_kind, strict=True)
            found |= {kind: Pair(usual, other) for kind, usual, other in pairs if other >= 0}
    return found
