"""Processes of one program that read, or write anew, what those before them have read or written.

A *group* is the processes of one program, in their order. One process that does the work of all
reads each byte once, keeps the files open, and writes what it changes for the last time only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.answers.calls import MOVES, OPENS, READS, WRITES, Columns, Numbers, Streams, remade
from simulator.answers.repeats import after, is_made
from simulator.answers.rewrites import Covered, asked_again, news
from simulator.plan.codes import CLOSE, CREATE, LOOKUP, READDIR, RENAME, SEEK, SETATTR, STAT, UNLINK

if TYPE_CHECKING:
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced

_CHANGES = (*WRITES, CREATE, UNLINK, RENAME, SETATTR)


class Succession(NamedTuple):
    """The groups of some clients, and the files that are theirs."""

    group: Numbers
    """Of each client; -1: of none."""
    read: Numbers
    """Group and file, as streams have client and file, of files that nobody else changes;"""
    alone: Numbers
    """and of those that nobody else uses."""
    own: Numbers
    """Which files are neither the system's nor code; and none."""


class Repeated(NamedTuple):
    """What of a succession one process would not do again."""

    gone: Numbers
    """Which rows go;"""
    within: Numbers
    """and which come right after rows that go."""
    reads: int
    """How many of them are reads,"""
    bytes: int
    """of how many bytes,"""
    computing_ns: int
    """and what is computed right after them."""


def succession(program: Program, group: Numbers, own: Numbers) -> Succession:
    """Return what groups do with files; ``own``: which are neither the system's nor code."""
    columns = program.columns
    used = np.flatnonzero((columns.file >= 0) & (group[columns.client] >= 0))
    pairs = np.unique(_pair(columns, group)[used])

    def theirs(which: Numbers) -> Numbers:
        """Return the pairs of files on which others than the group make none of these calls."""
        rows = np.flatnonzero(which & (columns.file >= 0))
        both = np.unique(_pair(columns, group)[rows])
        files, many = np.unique(both & 0xFFFFFFFF, return_counts=True)
        one = np.isin(pairs, both) | ~np.isin(pairs & 0xFFFFFFFF, files)
        return pairs[one & ~np.isin(pairs & 0xFFFFFFFF, files[many > 1])]

    inside = _inside(program, group)
    changes = np.isin(columns.kind, _CHANGES)
    return Succession(group, theirs(inside & changes), theirs(inside & own[columns.file]), own)


def _inside(program: Program, group: Numbers) -> Numbers:
    """Return which rows are a group's, or not before a group has used their file."""
    columns = program.columns
    mine = (group[columns.client] >= 0) & (columns.file >= 0)
    if program.began is None:
        return np.ones(len(columns), bool)
    first = np.full(len(program.traced.files) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, columns.file[mine], program.began[mine])
    return mine | (program.began >= first[columns.file])


def _pair(columns: Columns, group: Numbers) -> Numbers:
    """Return group and file of each row as one number, below 0 of rows without a group."""
    return group[columns.client] << 32 | np.maximum(columns.file, 0)


def repeated(columns: Columns, them: Succession) -> Repeated:
    """Return what one process in the place of each group would not do again."""
    pair = np.where(columns.file >= 0, _pair(columns, them.group), -1)
    joined = Columns(columns.traced)
    joined.pair = pair  # As if all of a group were one client.
    used = joined.streams(MOVES, moving=True)
    kind, client = columns.kind, columns.client
    last, first = (one[client] for one in _ends(them.group))
    further = (them.group[client] >= 0) & ~first
    again = np.isin(kind[used.rows], READS) & np.isin(used.of, them.read)
    gone = np.zeros(len(columns), bool)
    gone[used.rows[again & (news(used, them.read) == 0)]] = True
    gone &= further
    newer, older = _replaced(columns, them)
    gone |= newer
    reads = gone.copy()
    gone[_written_over(used, them.alone, client)] = True
    gone |= older | (np.isin(columns.pair, scratch(columns)) & further)
    # What is kept is read, or written, by what the first has opened.
    opened = np.unique(pair[gone])
    mine = np.isin(pair, np.intersect1d(opened, them.read))
    aside = mine & further & np.isin(kind, (SEEK, STAT, *OPENS))
    aside |= mine & np.isin(kind, READS) & (columns.size == 0) & further
    aside |= mine & ~last & np.isin(kind, (CLOSE, SETATTR))
    aside |= ~columns.all_but(asked_again(columns, pair, (LOOKUP, STAT))) & further
    lists = np.unique(pair[(kind == READDIR) & (pair >= 0)])
    aside |= np.isin(pair, lists) & further & np.isin(kind, (*OPENS, READDIR, CLOSE))
    within = after(columns, gone & them.own[columns.file])
    gap = int(columns.gap[within].sum())
    reads &= them.own[columns.file]
    moved = int(columns.size[reads].sum())
    return Repeated(gone | aside, within, int(reads.sum()), moved, gap)


def _ends(group: Numbers) -> tuple[Numbers, Numbers]:
    """Return which clients are the last of their group, and which the first."""
    first, last = np.zeros(len(group), bool), np.zeros(len(group), bool)
    for one in np.unique(group[group >= 0]).tolist():
        members = np.flatnonzero(group == one)
        first[members[0]] = last[members[-1]] = True
    return last, first


def _written_over(used: Streams, pairs: Numbers, client: Numbers) -> Numbers:
    """Return the writes of streams of which a later client of the group writes all bytes again."""
    found = []
    bounds = np.append(used.first, len(used.rows))
    for number in np.flatnonzero(np.isin(used.pairs, pairs)).tolist():
        seen = Covered()
        waiting: list[int] = []
        rows = used.rows[bounds[number] : bounds[number + 1]]
        rows = rows[np.isin(used.columns.kind[rows], WRITES)][::-1]
        for row in rows.tolist():
            if waiting and client[row] != client[waiting[0]]:
                for one in waiting:
                    seen.add(*_extent(used.columns, one))
                waiting = []
            begin, end = _extent(used.columns, row)
            if seen.has(begin, end):
                found.append(row)
            waiting.append(row)
    return np.array(found, np.int64)


def _extent(columns: Columns, row: int) -> tuple[int, int]:
    begin = int(columns.offset[row])
    return begin, begin + int(columns.size[row])


def _replaced(columns: Columns, them: Succession) -> tuple[Numbers, Numbers]:
    """Return the rows that read a new version of a file, and the rows that make an older one.

    A client makes a version that reads one file of its group, and renames what it has made to a
    name that is there. That name is not in a row: it is taken to be that file, if several
    read it.
    """
    pair = _pair(columns, them.group)
    renames = (columns.kind == RENAME) & (columns.size > 0) & np.isin(pair, them.alone)
    reads = columns.moving(READS) & np.isin(pair, them.read)
    reads &= np.isin(columns.client, columns.client[renames])
    streams = np.unique(np.stack([pair[reads], columns.client[reads]], axis=1), axis=0)
    _, at, many = np.unique(streams[:, 1], return_inverse=True, return_counts=True)
    streams = streams[many[at.reshape(-1)] == 1]  # By client and by file; in order.
    same = streams[1:, 0] == streams[:-1, 0]
    newer, older = streams[1:][same], streams[:-1][same][:, 1]
    again = reads & np.isin(columns.client, newer[:, 1]) & np.isin(pair, newer[:, 0])
    gone = columns.pair[renames & np.isin(columns.client, older)]
    return again, (columns.pair >= 0) & np.isin(columns.pair, gone)


def scratch(columns: Columns) -> Numbers:
    """Return the streams of files that their client makes and removes, and nobody else uses."""
    made, gone = (columns.streams((kind,)) for kind in (CREATE, UNLINK))
    users = np.unique(columns.pair[columns.pair >= 0]) & 0xFFFFFFFF
    count = np.bincount(users, minlength=len(columns.traced.files))
    both = np.intersect1d(made.pairs, gone.pairs)
    found: Numbers = both[count[both & 0xFFFFFFFF] == 1]
    return found


def as_one(traced: Traced, them: Succession, *, made: bool) -> Traced:
    """Leave out what one process would not do again; ``made``: and what is computed after it."""
    columns = Columns(traced)
    found = repeated(columns, them)
    within = np.flatnonzero(found.within) if made else None
    return remade(columns, ~found.gone, within=within)


def is_worked(program: Program, found: Repeated, rows: Numbers) -> bool:
    """Return whether what is computed after what is read again may be made of it."""
    return is_made(found.computing_ns, found.bytes, program.interprets(rows))
