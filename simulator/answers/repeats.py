"""Computing that a program does again: what it makes of bytes that it has read, or for a text.

A log has the time between two calls, and not what it is for. That it is repeated is told by what is
around it: it follows a read of bytes that were read before, it is between the open and the close of
one file, or it grows with the bytes that are written. What a first pass takes is never counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import (
    MOVES,
    OPENS,
    READS,
    WRITES,
    Columns,
    Numbers,
    Streams,
    with_columns,
)
from simulator.plan.codes import PASS, PAUSE, SEEK, WAIT

if TYPE_CHECKING:
    from simulator.workload.traced import Traced

_MADE_NS, _INTERPRETED_NS = 50, 500
"""For each byte that is read, what takes more makes more of it than what it says."""
_LEAST_GREW = 2
"""Times that the longer texts are as long as the shorter ones, if they show what a byte takes."""
_LEAST_TEXTS = 16
_ALIKE = 2
"""Of the longer and the shorter times of repeats, if they do the same."""


def is_made(ns: int, size: int, interpreted: bool) -> bool:
    """Return whether a program may have made so much of so many bytes, and of nothing else.

    >>> is_made(400, 1, True), is_made(400, 1, False)
    (True, False)
    """
    return ns <= (_INTERPRETED_NS if interpreted else _MADE_NS) * size


def is_alike(times: Numbers) -> bool:
    """Return whether what follows each repeat takes about as long each time.

    >>> is_alike(np.array([90, 100, 100, 120])), is_alike(np.array([0, 0, 0, 120]))
    (True, False)
    """
    if not len(times):
        return False
    less, more = np.percentile(times, (25, 75))
    return bool(less > 0 and more <= _ALIKE * less)


def after(columns: Columns, gone: Numbers) -> Numbers:
    """Return the rows before which only calls that go were made, since the last that did something.

    ``gone``: which rows go. Looks for names and their status, seeks and closes do nothing.
    """
    before = _before(columns)
    found: Numbers = (before >= 0) & gone[before]
    return found


def _before(columns: Columns) -> Numbers:
    """Return of each row the last row of its client before it that did something; -1: none."""
    does = np.isin(columns.kind, (*OPENS, PASS, WAIT)) | columns.moving((*MOVES, PAUSE))
    last = np.maximum.accumulate(np.where(does, np.arange(len(columns)), -1))
    before = np.append(-1, last[:-1])
    same = columns.client[before] == columns.client
    return np.where((before >= 0) & same, before, -1)


def read_again(columns: Columns, again: Numbers) -> Numbers:
    """Return the rows before which what was read ``again`` (which rows) has been gone through.

    With them go opens that lead to such a read, and what a library sets up there.
    """
    before, gone = _before(columns), again.copy()
    opens = (before >= 0) & again & np.isin(columns.kind[before], OPENS)
    opens &= columns.pair[before] == columns.pair
    gone[before[opens]] = True
    return after(columns, gone)


def of_found(columns: Columns, within: Numbers) -> Numbers:
    """Return gaps of which those at the ends of stretches have only what is of the bytes read.

    ``within``: rows whose gap goes; those that are at such an end are taken out of it. A stretch is
    of reads that follow each other, and what is computed at its end, before the file is read
    somewhere else, is also made of what was looked for: of each stays by how much the median is
    longer than that of other reads.
    """
    gap, rows = columns.gap.copy(), np.flatnonzero(within)
    before = _before(columns)[rows]
    goes_on = columns.offset[rows] == columns.offset[before] + columns.size[before]
    jumps = (columns.pair[rows] == columns.pair[before]) & ~goes_on
    jumps &= np.isin(columns.kind[rows], (*READS, SEEK)) & (before == rows - 1)
    if 2 * jumps.sum() < len(rows):
        ends = rows[jumps]
        more = int(np.median(gap[ends]) - np.median(gap[rows[~jumps]])) if len(ends) else 0
        gap[ends] = np.minimum(gap[ends], max(more, 0))
        within[ends] = False
    return gap


def first_pass(columns: Columns, within: Numbers, again: Numbers, first: Numbers) -> Numbers:
    """Return gaps of which the first pass has as much as each repeat takes on average, at least.

    ``within``: rows whose gap goes; ``again`` and ``first``: which rows are read again, and which
    are opened and read for the first time. A log whose tracer took long may have it elsewhere.
    """
    client, gap = columns.client, columns.gap.copy()
    reads = columns.moving(READS)

    def sums(which: Numbers, values: Numbers) -> Numbers:
        return np.bincount(client[which], values[which], len(columns.traced.clients))

    fresh, more = (sums(one & reads, columns.size) for one in (first, again))
    mean = sums(within, gap) / np.maximum(more / np.maximum(fresh, 1), 1)
    lacks = np.maximum(mean - sums(after(columns, first) & ~within, gap), 0).astype(np.int64)
    rows = np.flatnonzero(first & reads & ~within)
    clients, place = np.unique(client[rows], return_index=True)
    gap[rows[place]] += lacks[clients]
    return gap


def text_once(traced: Traced, pairs: Numbers) -> Traced:
    """Make what is written to files, which are opened anew each time, for the last time only.

    That is what is computed between an open and a close; and before an open what grows with the
    bytes that are written then.
    """
    columns = Columns(traced)
    gap = columns.gap.copy()
    before, used = _before(columns), Streams(columns, np.flatnonzero(np.isin(columns.pair, pairs)))
    for rows in np.split(used.rows, used.first[1:]):
        opens = np.isin(columns.kind[rows], OPENS)
        if not opens.any():
            continue
        last = int(np.flatnonzero(opens)[-1])
        inside = rows[:last][~opens[:last]]
        own = columns.pair[before[inside]] == columns.pair[inside]
        inside = inside[own & (before[inside] >= 0)]
        gap[inside] = 0
        first = rows[:last][opens[:last]]
        wrote = np.where(np.isin(columns.kind[rows], WRITES), columns.size[rows], 0)
        size = np.bincount(np.cumsum(opens), wrote)[1 : len(first) + 1]
        gap[first] -= _growing(gap[first], size)
    cells = {name: getattr(columns, name) for name in ("kind", "file", "offset", "size")}
    return with_columns(traced, {**cells, "gap": gap}, traced.clients)


def _growing(took: Numbers, size: Numbers) -> Numbers:
    """Return what of some times is for the bytes: so much for each as longer texts take longer.

    >>> size = np.arange(1000, 33000, 1000)
    >>> _growing(5 * size + 700, size)[:3], _growing(0 * size + 700, size)[:3]
    (array([ 5000, 10000, 15000]), array([0, 0, 0]))
    """
    none = np.zeros(len(took), np.int64)
    if len(took) < _LEAST_TEXTS:
        return none
    longer = size > np.median(size)
    if not longer.any():
        return none
    small, large = (float(np.median(size[some])) for some in (~longer, longer))
    less, more = (float(np.median(took[some])) for some in (~longer, longer))
    if large < _LEAST_GREW * small or more <= less:
        return none
    found: Numbers = np.minimum(np.rint((more - less) / (large - small) * size), took)
    return found.astype(np.int64)
