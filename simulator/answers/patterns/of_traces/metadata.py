"""Opens, closes, syncs, stats and lookups that a traced program makes again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import OPENS, SYNCED_WRITES, WRITES, Numbers
from simulator.answers.patterns.of_traces.files import (
    LEAST_SYNCS,
    in_transactions,
    synced_apart,
)
from simulator.answers.patterns.of_traces.rounds import folders
from simulator.answers.rewrites import (
    buffered,
    keep_open,
    one_sync,
    repeated,
    search_once,
    searches,
    stat_less,
)
from simulator.answers.words import how_to
from simulator.plan.codes import CLOSE, LOOKUP, READDIR, STAT, SYNC
from simulator.units import format_size
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.advise import Change
    from simulator.answers.program import Program


_BUFFER = 131_072
_BLOCK = 1 << 20
_PRESUMES_CLOSED = "no other program has to find the file closed in between."
_LEAST_OPENS = 8
"""Opens, or closes, of a stream."""


def open_storm(program: Program) -> list[Finding]:
    """The same file opened and closed again and again by a process.

    Found: streams with many opens, on machines where an open or a close takes time. Those
    whose closes wait for what was written are :func:`close_flush`. Cured by keeping the file open.
    """
    if program.costs.isdisjoint((*OPENS, CLOSE)):
        return []
    opens = program.columns.streams(OPENS)
    good = (opens.counts >= _LEAST_OPENS) & ~np.isin(opens.pairs, _flushed(program))
    good &= ~program.written_by_others(opens.pairs)
    pairs = opens.pairs[good]
    pairs = pairs[~program.replaced(pairs)]
    # Those are read, or listed, again as well.
    pairs = pairs[~np.isin(pairs, np.concatenate([program.polled, folders(program)]))]
    return _keep_open(program, "open-storm", pairs, "open the same file again and again")


def _flushed(program: Program) -> Numbers:
    """Return the streams whose closes, many of them, have to empty a buffer."""
    closes = program.columns.streams((CLOSE,))
    if not program.path.close_flushes:
        return np.zeros(0, np.int64)
    pairs: Numbers = closes.pairs[closes.sums(closes.sizes > 0) >= _LEAST_OPENS]
    return pairs


def _cures(
    program: Program,
    pairs: Numbers,
    rows: Numbers,
    *,
    what: str,
    change: Change,
    it: str,
    presumes: str = "",
    risk: str = "",
) -> list[Cure]:
    """Return what to do by itself, and with a buffer for the files as well; ``it`` is one."""
    language = program.language(rows)
    how = how_to(what, language)
    cures = [Cure(how, change, presumes, risk)]
    # A shell has no buffer: echo writes each line.
    if language != "shell" and program.holds(pairs, _BUFFER):
        buffer = rewriting(buffered, pairs, _BUFFER)
        more = f"{how} Give {it} a buffer: {how_to('buffer', language, _BUFFER)}"
        cures.append(Cure(more, change + buffer, presumes, risk))
    return cures


def _keep_open(program: Program, name: str, pairs: Numbers, what: str) -> list[Finding]:
    """Return the finding that these streams had better keep their files open."""
    columns = program.columns
    some = np.isin(columns.kind, (*OPENS, CLOSE)) & np.isin(columns.pair, pairs)
    rows = np.flatnonzero(some)
    if not len(rows):
        return []
    opens, closes = program.counts(rows, open=OPENS, close=(CLOSE,))
    told = f"{opens} and {closes} of {counted(len(program.files(rows)), 'file')} {what}."
    cures = _cures(
        program,
        pairs,
        rows,
        what="keep open",
        change=rewriting(keep_open, pairs),
        it="it",
        presumes=_PRESUMES_CLOSED,
    )
    return [program.finding(name, told, rows, cures)]


def close_flush(program: Program) -> list[Finding]:
    """A file closed after each small write, where a close waits until the bytes are on the device.

    Found: streams with many closes after writes, on file systems with ``close: flush`` (NFS). Cured
    by keeping the file open.
    """
    pairs = _flushed(program)
    pairs = pairs[~program.written_by_others(pairs) & ~program.replaced(pairs)]
    pairs = pairs[~np.isin(pairs, program.polled)]
    what = "that write to it: each close waits until what was written is on the device"
    return _keep_open(program, "close-flush", pairs, what)


_RISK_CRASH = (
    "after a crash the program has to begin again: what it wrote since its start, or its last sync,"
    " may be lost."
)


def sync_write(program: Program) -> list[Finding]:
    """A file synced again and again, after each record, where once at the end may do.

    Found: streams with several syncs after writes. Cured by a sync for each block, or one at the
    end.
    """
    columns = program.columns
    syncs = columns.streams((SYNC, *SYNCED_WRITES))
    good = syncs.counts >= LEAST_SYNCS * program.made(syncs.pairs)
    apart = (synced_apart(program), in_transactions(program))
    good &= ~np.isin(syncs.pairs, np.concatenate(apart))
    rows = syncs.rows[good[syncs.number]]
    if not len(rows):
        return []
    pairs = syncs.pairs[good]
    writes = np.isin(columns.kind, WRITES) & np.isin(columns.pair, pairs)
    moved = int(columns.size[writes].sum())
    told = f"{counted(len(rows), 'sync')} (fsync, msync, or a write with O_SYNC), each for"
    told += f" {brief_size(moved // len(rows))} written on average."
    cures = _cures(
        program,
        pairs,
        rows,
        what="sync once",
        change=rewriting(one_sync, pairs),
        it="the file",
        risk=_RISK_CRASH,
    )
    fewer = _synced_blocks(program, pairs, rows, moved)
    return [program.finding("sync-write", told, rows, [*fewer, *cures])]


def _synced_blocks(program: Program, pairs: Numbers, rows: Numbers, moved: int) -> list[Cure]:
    """Return the cure that keeps syncs: one for each block, of which there is one or more."""
    language = program.language(rows)
    few = moved < _BLOCK * len(pairs) or moved > _BLOCK // 2 * len(rows)
    if few or language in ("shell", "SQLite") or not program.holds(pairs, _BLOCK):
        return []
    block = format_size(_BLOCK)
    how = f"Sync after each {block}, not after each record. {how_to('buffer', language, _BLOCK)}"
    change = rewriting(one_sync, pairs, _BLOCK) + rewriting(buffered, pairs, _BLOCK)
    return [Cure(how, change, risk=f"a crash costs up to {block} of each process.")]


_LEAST_ASKED = 16


def failed_lookup(program: Program) -> list[Finding]:
    """Many names looked for that are not there: search paths that begin with the wrong folders.

    Found: many lookups of absent names, on machines where they take time. Cured by remembering what
    was not found, or by searching where the names are.
    """
    if LOOKUP not in program.costs:
        return []
    rows = searches(program.columns)
    if len(rows) < _LEAST_ASKED:
        return []
    again = repeated(program.columns)
    cures = [
        Cure(
            how="Search where the names are: put the right folder first in the search path"
            " (LD_LIBRARY_PATH, PYTHONPATH, PATH, -I), or give full names.",
            change=rewriting(search_once, never=True),
            presumes="each name is found at its first place.",
            level="setting",
        )
    ]
    if len(again):
        cures.insert(
            0,
            Cure(
                how="Search once, and remember what was not found.",
                change=rewriting(search_once),
            ),
        )
    told = (
        f"{counted(len(rows), 'lookup')} of names that are not there, in"
        f" {counted(len(program.files(rows)), 'folder')}; {len(again):,} of them had been looked"
        " for before by the same process."
    )
    return [program.finding("failed-lookup", told, rows, cures)]


def stat_storm(program: Program) -> list[Finding]:
    """Files asked for their status one by one: each entry of a folder, or the same file again.

    Found: many stats, on machines where they take time. Cured by asking for each file once; or, of
    the entries of a folder that the process has listed, not at all: the list says what is a folder.
    Who asks several times for one of them wants more than that, and asks once.
    """
    if STAT not in program.costs:
        return []
    stats = program.columns.streams((STAT,))
    again = stats.rows[~stats.begins & ~np.isin(stats.of, program.polled)]
    listed = stats.rows[np.isin(stats.of, _listed(program, stats.pairs))]
    cures = []
    if len(listed) >= _LEAST_ASKED:
        pairs = np.unique(program.columns.pair[listed])
        several = np.isin(pairs, program.columns.pair[again])
        how = how_to("list with types", program.language(listed))
        less = rewriting(stat_less, pairs[~several], never=True)
        less += rewriting(stat_less, pairs[several])
        presumes = "it needs names and types only, not sizes or times"
        presumes += ", of files that it asks for once." if several.any() else "."
        cures.append(Cure(how, less, presumes))
    if len(again) >= _LEAST_ASKED:
        change = rewriting(stat_less, np.unique(program.columns.pair[again]))
        cures.append(Cure(_ONCE, change, "it does not wait for a file to change."))
    if not cures:
        return []
    rows = np.union1d(again, listed)
    told = f"{counted(len(again), 'stat')} of files that the same process had asked for"
    told += f" before, and {counted(len(listed), 'stat')} of entries of folders that it listed."
    return [program.finding("stat-storm", told, rows, cures)]


_ONCE = "Ask for the status of each file once, and keep what it says."


def _listed(program: Program, pairs: Numbers) -> Numbers:
    """Return the streams whose file is in a folder that its process has listed."""
    columns, files = program.columns, program.traced.files
    lists = np.unique(columns.pair[columns.kind == READDIR]).tolist()
    folders = {(pair >> 32, files[pair & 0xFFFFFFFF].name.rstrip("/")) for pair in lists}
    if not folders:
        return np.zeros(0, np.int64)
    mine = [
        pair
        for pair in pairs.tolist()
        if (pair >> 32, files[pair & 0xFFFFFFFF].name.rpartition("/")[0]) in folders
    ]
    return np.array(mine, np.int64)
