"""Many files, or one again and again: what a traced program does with files as wholes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import NEVER, Cure, Finding, rewriting
from simulator.answers.calls import (
    OPENS,
    READS,
    SYNCED_WRITES,
    WRITES,
    Numbers,
    Streams,
)
from simulator.answers.filerewrites import no_sync, one_file, sync_all
from simulator.answers.transactions import Transacted, one_transaction, transacted, write_ahead
from simulator.answers.words import how_to
from simulator.plan.codes import CLOSE, CREATE, RENAME, SYNC, UNLINK
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

LEAST_SYNCS = 4
"""Syncs of a stream from which on it is synced again and again."""
_LEAST_FILES = 8
"""Files of a place that are synced, each less often."""
_RISK_LATE = (
    "after a crash before that call any of the files written since the start may be missing, empty"
    " or cut off: begin again then."
)
_RISK_NEVER = (
    "for some 30 seconds after its end a crash may leave any of the files missing, empty or cut"
    " off, though the program had said that it was done."
)


def sync_per_file(program: Program) -> list[Finding]:
    """Each file synced by itself, as when an archive is unpacked: each sync is a commit.

    Found: places with syncs of many files. Cured by one ``syncfs`` at the end; or by none, where
    the files could be written again.
    """
    pairs = synced_apart(program)
    if not len(pairs):
        return []
    columns = program.columns
    durable = np.isin(columns.kind, (SYNC, *SYNCED_WRITES)) & np.isin(columns.pair, pairs)
    rows = np.flatnonzero(durable)
    writes = np.isin(columns.kind, WRITES) & np.isin(columns.pair, pairs)
    moved = int(columns.size[writes].sum())
    synced = np.unique(columns.pair[rows])
    files = max(len(np.unique(columns.file[rows])), int(program.made(synced).sum()))
    told = f"{counted(len(rows), 'sync')} of {counted(files, 'file')}, a few of each, for"
    told += f" {brief_size(moved)} in all: each waits for a commit."
    language = program.language(rows)
    none = "Do without fsync; what must not be lost can be written again."
    cures = (
        Cure(how_to("sync all", language), rewriting(sync_all, pairs), risk=_RISK_LATE),
        Cure(none, rewriting(no_sync, pairs), risk=_RISK_NEVER, kind="none", beside=NEVER),
    )
    return [program.finding("sync-per-file", told, rows, cures)]


def synced_apart(program: Program) -> Numbers:
    """Return the streams of files that are synced one after the other, each a few times.

    Files that clients of several places use are none of them: who syncs last is not known.
    """
    columns = program.columns
    syncs = columns.streams((SYNC, *SYNCED_WRITES))
    if not len(syncs):
        return syncs.rows
    place = _places(program)[syncs.pairs >> 32]
    apart = ~np.isin(syncs.files, shared_files(program))
    apart &= ~np.isin(syncs.pairs, in_transactions(program))
    made = program.made(syncs.pairs)
    few = apart & (syncs.counts < LEAST_SYNCS * made)
    many = np.unique(place)
    many = many[np.bincount(place[few], made[few], int(many.max()) + 1)[many] >= _LEAST_FILES]
    # Folders are synced as well, once for each of the files.
    wrote = np.isin(syncs.files, np.unique(columns.file[np.isin(columns.kind, WRITES)]))
    found: Numbers = syncs.pairs[(few | (apart & ~wrote)) & np.isin(place, many)]
    return found


def _places(program: Program) -> Numbers:
    return np.array([one.place for one in program.traced.clients], np.int64)


def shared_files(program: Program) -> Numbers:
    """Return the files that clients of several places use."""
    pairs = np.unique(program.columns.pair[program.columns.pair >= 0])
    both = np.unique(_places(program)[pairs >> 32] << 32 | pairs & 0xFFFFFFFF) & 0xFFFFFFFF
    files, count = np.unique(both, return_counts=True)
    found: Numbers = files[count > 1]
    return found


_LEAST_MADE = 32
"""Files that are made at a place."""
_SMALL = 65_536
"""Bytes of a file, on average."""


def many_files(program: Program) -> list[Finding]:
    """Many small files made, each of which costs an open, a close and what the server does.

    Found: places that make many files and write little to each, where making or closing takes time.
    Cured by one file that has all of them.
    """
    if program.costs.isdisjoint((*OPENS, CLOSE)):
        return []
    columns = program.columns
    made = columns.streams((CREATE,))
    old = np.array([one.length > 0 for one in program.traced.files], bool)
    good = (made.counts == 1) & ~np.isin(made.files, shared_files(program))
    good &= ~np.isin(made.files, _gone(program, made))
    good &= ~old[made.files]
    files = made.files[good]
    place = _places(program)[made.pairs[good] >> 32]
    written = np.zeros(len(program.traced.files), np.int64)
    writes = np.isin(columns.kind, WRITES)
    np.add.at(written, columns.file[writes], columns.size[writes])
    kept: list[int] = []
    for one in np.unique(place).tolist():
        mine = files[place == one]
        if len(mine) >= _LEAST_MADE and written[mine].sum() < _SMALL * len(mine):
            kept += mine.tolist()
    if not kept:
        return []
    rows = np.flatnonzero(np.isin(columns.file, kept))
    pairs = np.unique(columns.pair[rows])
    told = f"{counted(len(kept), 'file')} made, with {brief_size(written[kept].sum() / len(kept))}"
    told += " each on average."
    how = how_to("one file", program.language(rows))
    presumes = "what reads the files can find them in one; no other program needs each by its name."
    cure = Cure(how, rewriting(one_file, pairs), presumes, wider=True)
    return [program.finding("many-files", told, rows, [cure])]


_LEAST_READ = 256
"""Files that are read, each once."""
CODE = re.compile(r"\.(py[cdio]?|p[lmh]|so(\.[0-9.]+)?|jar|class|rb|[mc]?[jt]s|h(pp|h)?|mod)$")
"""Names of files of a program that compilers and interpreters read."""


def many_small(program: Program) -> list[Finding]:
    """Many small files read, each of which costs an open, a close and its first read.

    Found: programs that one can change which open many files once each, and read little of each.
    Cured by one file that has all of them.
    """
    columns = program.columns
    used = columns.streams(OPENS)
    if program.costs.isdisjoint(OPENS) or not len(used):
        return []
    reads = np.isin(columns.kind, READS)
    moved = np.zeros(len(program.traced.files), np.int64)
    np.add.at(moved, columns.file[reads], columns.size[reads])
    code = np.array([bool(CODE.search(one.name)) for one in program.traced.files], bool)
    good = (used.counts == 1) & (moved[used.files] > 0) & ~code[used.files]
    good &= ~program.written(used.files) & ~np.isin(used.files, shared_files(program))
    commands = [client for client, one in enumerate(program.languages) if one == "shell"]
    good &= ~np.isin(used.pairs >> 32, commands)
    files, pairs = used.files[good], used.pairs[good]
    if len(files) < _LEAST_READ or moved[files].sum() >= _SMALL * len(files):
        return []
    rows = np.flatnonzero(np.isin(columns.pair, pairs))
    told = f"{counted(len(files), 'file')} read once, {brief_size(moved[files].sum() / len(files))}"
    told += " each on average."
    how = how_to("one file to read", program.language(rows))
    presumes = "what makes the files can put them into one, and nobody needs each by its name."
    cure = Cure(how, rewriting(one_file, pairs), presumes, wider=True)
    return [program.finding("many-small", told, rows, [cure])]


def _gone(program: Program, made: Streams) -> Numbers:
    """Return the files that are removed or renamed, but for what was there before it was made.

    Rows tell what was before of one client only, the times of a log of all.
    """
    columns = program.columns
    rows = np.flatnonzero(np.isin(columns.kind, (UNLINK, RENAME)) & (columns.file >= 0))
    when = np.arange(len(columns)) if program.began is None else program.began
    first = np.full(len(program.traced.files), -1)
    creates = made.rows[made.first]
    first[made.files] = when[creates]
    before = when[rows] < first[columns.file[rows]]
    if program.began is None:
        before &= np.isin(columns.pair[rows], made.pairs)
    found: Numbers = columns.file[rows[~before]]
    return found


_LEAST_TRANSACTIONS = 8
_RISK_ONE = (
    "a crash before the COMMIT undoes all statements, not the last alone; others wait for the"
    " database until then (COMMIT every few thousand rows)."
)
_RISK_LAZY = (
    "after a power failure the last transactions may be gone; the database itself stays whole."
)


def transaction_per_row(program: Program) -> list[Finding]:
    """SQLite's transactions, one for each row: a journal, and two or three syncs, for a page.

    Found: databases with many of them. Cured by BEGIN and COMMIT around all rows; or by a
    write-ahead log, with or without a sync for each transaction.
    """
    found = []
    for one in transacted(program.traced, _LEAST_TRANSACTIONS):
        columns = program.columns
        rows = np.flatnonzero(np.isin(columns.pair, one.pairs))
        name = program.traced.files[one.database].name
        told = f"{counted(one.transactions, 'transaction')} of SQLite on {name}, with"
        told += f" {counted(one.syncs, 'sync')}"
        told += f", by {len(one.clients)} processes." if len(one.clients) > 1 else "."
        found.append(program.finding("transaction-per-row", told, rows, _of_sqlite(one)))
    return found


def _of_sqlite(one: Transacted) -> list[Cure]:
    alone = len(one.clients) == 1
    how = "Put all statements" if alone else "Give all statements to one sqlite3,"
    cures = [
        Cure(
            f"{how} between BEGIN and COMMIT (Python: with connection: ... around the loop, and"
            " executemany).",
            rewriting(one_transaction, one),
            risk=_RISK_ONE,
        )
    ]
    if alone and not one.logged:
        how = "PRAGMA journal_mode = WAL"
        cures += [
            Cure(
                f"{how};",
                rewriting(write_ahead, one),
                level="setting",
                kind="log",
                beside=NEVER,
            ),
            Cure(
                f"{how}; PRAGMA synchronous = NORMAL;",
                rewriting(write_ahead, one, lazy=True),
                risk=_RISK_LAZY,
                level="setting",
                kind="lazy log",
                beside=NEVER,
            ),
        ]
    return cures


def in_transactions(program: Program) -> Numbers:
    """Return the streams that SQLite's transactions are made of."""
    pairs = [one.pairs for one in transacted(program.traced, _LEAST_TRANSACTIONS)]
    return np.concatenate(pairs) if pairs else np.zeros(0, np.int64)
