"""The same bytes read again: because their file is opened for each of its parts, or not kept.

A file that is opened for each part is an archive, a database, a chunked array. Each time the
program reads the same directory, index or header, makes something of it, and reads a part. A
*round* is from an open to the next close. What recurs in many rounds is what the library needs
before it finds the part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import MOVES, OPENS, READS, WRITES, Columns, Numbers, Streams, remade
from simulator.answers.patterns.of_traces.buffers import oversized
from simulator.answers.program import LEAST_ROUNDS
from simulator.answers.repeats import after, first_pass, is_made
from simulator.answers.rewrites import keep_in_memory, made_of, news
from simulator.answers.words import how_to
from simulator.plan.codes import CLOSE, SEEK, STAT
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced

_LEAST_REPEATED = 0.5
"""Of a stream's reads that find nothing new."""
_LEAST_CALLS = 8
_MUCH = 10.0
"""Times that keeping what is made has to save what keeping the bytes does, to be told first."""
_MADE = " at least, and what is computed after each of these reads is made of it alone."


def reopened(program: Program) -> list[Finding]:
    """The same file opened for each of its parts, where it could stay open.

    Found: streams with many rounds that each read again what other rounds have read; without
    writes. Cured by opening the file once, and keeping what recurs.
    """
    columns = program.columns
    opens = columns.streams(OPENS)
    pairs = opens.pairs[opens.counts > LEAST_ROUNDS]
    pairs = pairs[~program.written_by_others(pairs) & ~program.replaced(pairs)]
    pairs = pairs[~np.isin(pairs, program.polled)]
    rounds = Rounds(columns, pairs)
    rows = rounds.rows[rounds.again]
    if not len(rows):
        return []
    pairs = np.unique(columns.pair[rows])
    parts = program.counts(rows, open=OPENS, close=(CLOSE,), read=READS)
    told = (
        f"{parts[0]} and {parts[1]} of {counted(len(program.files(rows)), 'file')} after the first,"
        f" with {parts[2]} of what others of them read as well."
    )
    gone, language = ~columns.all_but(rows), program.language(rows)
    ns = int(columns.gap[after(columns, gone)].sum())
    made = is_made(ns, int(columns.size[rows].sum()), program.interprets(rows))
    presumes = (
        "the file does not change in between, and what is computed of what it reads again (a"
        " directory, an index, a header) is the same each time."
    )
    change = rewriting(open_once, pairs, made=made)
    cure = Cure(how_to("open once", language), change, presumes, doubt_ns=ns if made else 0)
    return [program.finding("reopened", told, rows, [cure])]


class Rounds:
    """The rows of streams by rounds, and what of them recurs."""

    def __init__(self, columns: Columns, pairs: Numbers) -> None:
        """Take the streams of ``pairs`` whose rounds follow each other, without writes."""
        used = Streams(columns, np.flatnonzero(np.isin(columns.pair, pairs)))
        kind = columns.kind[used.rows]
        opens, closes = np.isin(kind, OPENS), kind == CLOSE
        # Of a stream: a round at a time, each begun and ended.
        level = np.cumsum(opens.astype(np.int64) - closes)
        bad = (level < 0) | (level > 1) | np.isin(kind, WRITES)
        good = (used.sums(bad) == 0)[used.number] if len(used) else bad
        self.rows, stream = used.rows[good], used.number[good]
        kind, opens = kind[good], opens[good]
        self.number = np.cumsum(opens)
        """Of each row its round; what comes before an open is of the one before."""
        first = np.diff(stream, prepend=-1) != 0
        begin = np.maximum.accumulate(np.where(first, self.number + ~opens, 0))
        reads = np.isin(kind, READS) & (columns.size[self.rows] > 0)
        self.recurs = self._recurring(columns, reads, stream)
        later = self.number > begin
        seen = np.bincount(stream, self.recurs & later) if len(stream) else first
        worth = (seen >= LEAST_ROUNDS)[stream]
        of_round = opens | (kind == CLOSE) | np.isin(kind, (STAT, SEEK)) | self.recurs
        self.again = worth & later & of_round
        """Rows that go if the file stays open, and what recurs is kept."""

    def _recurring(self, columns: Columns, reads: Numbers, stream: Numbers) -> Numbers:
        """Return which reads are made in many rounds of their stream: of the same bytes."""
        found = np.zeros(len(reads), bool)
        at = np.flatnonzero(reads)
        if not len(at):
            return found
        rows = self.rows[at]
        extents = np.stack([stream[at], columns.offset[rows], columns.size[rows]], axis=1)
        each, which = np.unique(extents, axis=0, return_inverse=True)
        which = which.reshape(-1)
        rounds = np.unique(np.stack([which, self.number[at]], axis=1), axis=0)
        many = np.bincount(rounds[:, 0], minlength=len(each))
        found[at] = many[which] > LEAST_ROUNDS
        return found


def open_once(traced: Traced, pairs: Numbers, *, made: bool = True) -> Traced:
    """Keep files open after their first round, and what recurs; if ``made`` what is made of it."""
    columns = Columns(traced)
    rounds = Rounds(columns, pairs)
    keep = columns.all_but(rounds.rows[rounds.again])
    if not made:
        return remade(columns, keep)
    within, first = after(columns, ~keep), np.zeros(len(columns), bool)
    first[rounds.rows[rounds.recurs | np.isin(columns.kind[rounds.rows], OPENS)]] = True
    columns.gap = first_pass(columns, within, ~keep, first & keep)
    return remade(columns, keep, within=np.flatnonzero(within))


def re_read(program: Program) -> list[Finding]:
    """The same bytes read again and again by the same process, where memory could keep them.

    Found: streams that read each byte twice or more on average, of files that no other process
    writes to. Cured by keeping in memory what has been read.
    """
    used = program.columns.streams(MOVES, moving=True)
    reads = np.isin(program.columns.kind[used.rows], READS)
    counts = used.sums(reads)
    good = (counts >= _LEAST_CALLS) & ~program.written_by_others(used.pairs)
    good &= ~program.replaced(used.pairs) & _dense(used, reads)
    # Those are opened again as well, or find again what a buffer has had beside a record.
    elsewhere = np.concatenate([program.polled, oversized(program)[0]])
    good &= ~np.isin(used.pairs, elsewhere)
    new = news(used, used.pairs[good])
    repeated = reads & (new == 0) & good[used.number]
    good &= used.sums(repeated) >= _LEAST_REPEATED * np.maximum(counts, 1)
    repeated &= good[used.number]
    if not repeated.any():
        return []
    rows = used.rows[repeated]
    size = int(program.columns.size[rows].sum())
    fresh = int(np.where(reads & good[used.number], new, 0).sum())
    told = f"{counted(len(rows), 'read')} ({brief_size(size)}) of bytes that their process has read"
    told += f" or written before; {brief_size(fresh)} are new."
    alone = program.columns.streams(READS, moving=True)
    mine = np.isin(alone.pairs, used.pairs[good])
    kept = alone.sums(news(alone, used.pairs[good]))[mine]
    room, language = f"memory for {brief_size(int(kept.sum()))}", program.language(rows)
    plain = rewriting(keep_in_memory, used.pairs[good])
    cures = [Cure(how_to("keep in memory", language), plain, f"{room}.")]
    # What has been written in between is read for the first time.
    quiet = used.pairs[good & (used.sums(reads) == used.counts)]
    ns = int(program.columns.gap[made_of(program.columns, quiet)].sum())
    if ns and is_made(ns, size, program.interprets(rows)):
        made = rewriting(keep_in_memory, quiet, made=True) + plain
        how = how_to("keep made", language)
        cures.append(Cure(how, made, f"{room}{_MADE}", kind="made", beside=_MUCH, doubt_ns=ns))
    held = program.holds(alone.pairs[mine], kept)
    return [program.finding("re-read", told, rows, cures)] if held else []


def _dense(used: Streams, reads: Numbers) -> Numbers:
    """Return which streams may read bytes twice: more bytes than they reach over, or a repeat.

    A quick look, so that only few streams are gone through call by call.
    """
    begins, moved = used.offsets, used.sums(np.where(reads, used.sizes, 0))
    order = np.lexsort((used.sizes, begins, used.number))
    same = np.zeros(len(order), bool)
    same[1:] = (
        (np.diff(used.number[order]) == 0)
        & (np.diff(begins[order]) == 0)
        & (np.diff(used.sizes[order]) == 0)
    )
    repeats = np.bincount(used.number[order], same, len(used))
    found: Numbers = (moved > used.high - used.low) | (repeats >= _LEAST_REPEATED * used.counts / 2)
    return found
