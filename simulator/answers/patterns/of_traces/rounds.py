"""The same done with a file, or a folder, again and again: in rounds that end with a close."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import NEVER, Change, Cure, Finding, rewriting
from simulator.answers.calls import (
    LAZY_WRITES,
    MOVES,
    OPENS,
    READS,
    SYNCED_WRITES,
    WRITES,
    Columns,
    Numbers,
    Streams,
    remade,
)
from simulator.answers.filerewrites import (
    last_round,
    later_lists,
    later_rounds,
    list_once,
    of_rounds,
    read_once,
    write_whole,
)
from simulator.answers.patterns.of_traces.files import LEAST_SYNCS, in_transactions, shared_files
from simulator.answers.patterns.of_traces.scans import scanned
from simulator.answers.patterns.of_traces.successors import scratch
from simulator.answers.repeats import after, is_alike, is_made, text_once
from simulator.answers.rewrites import keep_in_memory, keep_open, news, stat_less
from simulator.answers.words import how_to
from simulator.plan.codes import CLOSE, CREATE, PAUSE, READDIR, RENAME, SYNC, UNLINK
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced


def poll(program: Program) -> list[Finding]:
    """The same file opened, read and closed again and again, with nothing new in it.

    Found: streams that open and read a file many times and find nothing new. Cured by keeping what
    it says, or by keeping it and asking for its time of change. Where the program waits in between,
    it looks whether the file has changed, and has to ask. A table that a database scans is none.
    """
    reads, again = scanned(program)
    pairs = np.setdiff1d(program.polled, reads.of[again])
    if not len(pairs):
        return []
    columns = program.columns
    rows = later_rounds(columns, pairs)
    parts = program.counts(rows, open=OPENS, read=READS, close=(CLOSE,))
    told = f"{parts[0]}, {parts[1]} and {parts[2]}, after the first, of"
    told += f" {counted(len(np.unique(pairs & 0xFFFFFFFF)), 'file')} that had not changed."
    language = program.language(rows)
    every, inside = (
        int(columns.gap[of_rounds(columns, rows, made=made)].sum()) for made in (True, False)
    )
    read = int(columns.size[rows[np.isin(columns.kind[rows], READS)]].sum())
    made = is_made(every, read, program.interprets(rows))
    doubt_ns = every if made else inside
    cures = (
        Cure(
            how_to("ask before", language),
            rewriting(read_once, pairs, ask=True, made=made),
            "what is computed of it is kept as well." if doubt_ns else "",
            doubt_ns=doubt_ns,
        ),
        Cure(
            how_to("keep in memory", language),
            rewriting(read_once, pairs, made=made),
            "the file does not change while the program runs, and what is computed"
            f" {'after it is opened' if made else 'between its open and its close'} is made of it.",
            doubt_ns=doubt_ns,
            kind="never",
            beside=NEVER if _waits_between(program, rows) else 0.0,
        ),
    )
    return [program.finding("poll", told, rows, cures)]


def _waits_between(program: Program, rows: Numbers) -> bool:
    """Return whether the clients of some rounds sleep, or wait for others, in half of them."""
    columns = program.columns
    idle = np.cumsum(columns.moving((PAUSE,)))
    used = Streams(columns, rows)
    waits = (idle[used.rows[used.last]] - idle[used.rows[used.first]]).sum()
    return bool(2 * waits >= np.isin(columns.kind[rows], OPENS).sum())


_LEAST_WRITTEN = 8
"""Writes of a stream that are written over again."""
_LEAST_REMOVED = 16
"""Temporary files that are made and removed again."""
LEAST_OVER = 4
"""Times that each byte is written, on average."""
_LARGEST_KEPT = 2**30
RISK_LATER = (
    "after a crash what was written since the start is lost: write it every few seconds as well,"
    " if it has to last."
)


def rewritten(program: Program) -> list[Finding]:
    """The same bytes of a file written again and again: a counter, a state, an array in a file.

    Found: streams that write each byte several times, without a hole, or a new file each time that
    is renamed; of files that no process at another place uses, and without a sync for each. Cured
    by keeping them in memory: what is there is read once, and written once at the last write. And
    files that a process makes, writes and removes again, one after the other: in memory instead.
    """
    return [*_written_again(program), *_removed_again(program)]


def _removed_again(program: Program) -> list[Finding]:
    """Temporary files, under one name or many, that only their process uses, and does not sync."""
    columns = program.columns
    pairs = scratch(columns)
    for kinds in ((SYNC, *SYNCED_WRITES), (RENAME,)):
        pairs = np.setdiff1d(pairs, columns.pair[np.isin(columns.kind, kinds)])
    pairs = np.setdiff1d(pairs, in_transactions(program))
    writes = columns.streams(LAZY_WRITES, moving=True)
    kept = np.isin(writes.pairs, pairs)
    pairs, reach = writes.pairs[kept], writes.high[kept]
    made = columns.streams((CREATE,))
    many = int(made.counts[np.isin(made.pairs, pairs)].sum())
    if many < _LEAST_REMOVED or not program.holds(pairs, reach):
        return []
    rows = np.flatnonzero(np.isin(columns.pair, pairs))
    parts = program.counts(rows, write=WRITES, read=READS)
    told = f"{counted(many, 'temporary file')} made, and removed by the same process, with"
    told += f" {parts[0]} and {parts[1]}; {brief_size(int(reach.max()))} at most."
    how = how_to("no temporary file", program.language(rows))
    presumes = "what needs a file can do with one in memory."
    cure = Cure(how, rewriting(in_memory, pairs), presumes)
    return [program.finding("rewritten", told, rows, [cure])]


def in_memory(traced: Traced, pairs: Numbers) -> Traced:
    """Leave out all calls on the files of some streams, which are kept in memory instead."""
    columns = Columns(traced)
    return remade(columns, ~np.isin(columns.pair, pairs))


def _written_again(program: Program) -> list[Finding]:
    """Find what is written over, or put in place, again and again."""
    columns = program.columns
    writes = columns.streams(LAZY_WRITES, moving=True)
    reach = writes.high - writes.low
    moved = writes.sums(writes.sizes)
    good = (writes.counts >= _LEAST_WRITTEN) & (moved >= LEAST_OVER * reach)
    good &= (reach <= _LARGEST_KEPT) & ~np.isin(writes.files, shared_files(program))
    syncs = columns.streams((SYNC, *SYNCED_WRITES))
    durable = np.concatenate([syncs.pairs[syncs.counts >= LEAST_SYNCS], in_transactions(program)])
    good &= ~np.isin(writes.pairs, durable)
    renamed = good & np.isin(writes.pairs, _put_in_place(program))
    good &= ~program.replaced(writes.pairs)
    good &= writes.sums(news(writes, writes.pairs[good])) == reach
    all_of = good | renamed
    held = writes.pairs[all_of]
    if not len(held) or not program.holds(held, reach[all_of]):
        return []
    mine = np.isin(columns.pair, held)
    rows = np.flatnonzero(mine & np.isin(columns.kind, (*OPENS, *MOVES, CLOSE, RENAME)))
    parts = program.counts(rows, open=OPENS, read=READS, write=WRITES)
    size = int(reach[all_of].sum())
    told = f"{parts[0]}, {parts[1]} and {parts[2]} of {counted(len(held), 'file')} with"
    told += f" {brief_size(size)}, each byte of which is written"
    told += f" {moved[all_of].sum() / size:.0f} times."
    pairs, last = writes.pairs[good], writes.pairs[renamed]
    change = rewriting(text_once, held)
    change += rewriting(last_round, last) if len(last) else Change()
    if len(pairs):
        change += rewriting(keep_in_memory, pairs) + rewriting(stat_less, pairs)
        change += rewriting(keep_open, pairs) + rewriting(write_whole, pairs)
    less = int(columns.gap.sum()) - sum(text_once(program.traced, held).table.gap)
    presumes = "no other program has to find in the file what it says in between."
    how = how_to("write at the end", program.language(rows))
    cure = Cure(how, change, presumes, RISK_LATER, doubt_ns=less)
    return [program.finding("rewritten", told, rows, [cure])]


def _put_in_place(program: Program) -> Numbers:
    """Return the streams whose file only they make, write and rename, again and again."""
    columns = program.columns
    opens, renames = columns.streams(OPENS), columns.streams((RENAME,))
    gone = columns.file[np.isin(columns.kind, (UNLINK, RENAME)) & (columns.file >= 0)]
    all_gone = np.bincount(gone, minlength=len(program.traced.files))
    good = (renames.counts >= _LEAST_WRITTEN) & (renames.counts == all_gone[renames.files])
    found: Numbers = np.intersect1d(
        renames.pairs[good], opens.pairs[opens.counts >= _LEAST_WRITTEN]
    )
    return found


_LEAST_LISTS = 8
"""Lists of a folder after the first."""
_LISTED = 400
"""Bytes that a call which lists is taken to return: replayed calls have none, and these are few."""


def re_list(program: Program) -> list[Finding]:
    """The same folder listed again and again by a process, where it could keep the list.

    Found: streams that open, list and close a folder many times. Cured by keeping the first list.
    """
    columns = program.columns
    opens = columns.streams(OPENS)
    pairs = opens.pairs[(opens.counts > _LEAST_LISTS) & np.isin(opens.pairs, folders(program))]
    rows = later_lists(columns, pairs)
    if not len(rows):
        return []
    lists, opened = program.counts(rows, call=(READDIR,), open=OPENS)
    told = f"{opened} of {counted(len(pairs), 'folder')} after the first, with {lists} that"
    told += " list what is there."
    how = how_to("list once", program.language(rows))
    gone = ~columns.all_but(rows)
    times = columns.gap[after(columns, gone) & ~gone]
    size = _LISTED * int((columns.kind[rows] == READDIR).sum())
    made = is_alike(times) and is_made(int(times.sum()), size, program.interprets(rows))
    presumes = "no other program makes or removes files there in the meantime."
    inside = columns.gap[of_rounds(columns, rows, made=True)]
    doubt_ns = int(inside.sum()) if made else 0
    cures = [Cure(how, rewriting(list_once, pairs, made=made), presumes, doubt_ns=doubt_ns)]
    return [program.finding("re-list", told, rows, cures)]


def folders(program: Program) -> Numbers:
    """Return the streams that list a folder."""
    columns = program.columns
    return np.unique(columns.pair[(columns.kind == READDIR) & (columns.file >= 0)])
