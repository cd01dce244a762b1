"""Tables of a database that are read as a whole for each statement: an index is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import READS
from simulator.answers.rewrites import keep_in_memory, made_of, news
from simulator.answers.words import how_to
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.calls import Numbers, Streams
    from simulator.answers.program import Program

COUNTER = (24, 16)
"""Place and length of the read by which SQLite sees, before each statement, whether another process
has changed the database: of its file change counter (sqlite.org/fileformat.html, 1.3.7)."""
LEAST_STATEMENTS, LEAST_PAGES = 8, 16
SEQUENTIAL, REPEATED = 0.5, 0.5
"""Shares of a stream's reads: one behind the other, and of bytes read before."""


def table_scan(program: Program) -> list[Finding]:
    """The pages of a database read again from first to last for each statement.

    Found: streams with 8 reads or more of SQLite's change counter and 16 pages or more behind each
    on average, of which half have been read before. Cured by an index: what is read again, and the
    search in it, goes.
    """
    reads, again, many, most = _scanned(program)
    rows = reads.rows[again]
    if not len(rows):
        return []
    told = f"{counted(many, 'statement')} read {most // many:,} pages each on average, mostly one"
    told += f" behind the other; {counted(len(rows), 'read')}"
    told += f" ({brief_size(int(program.columns.size[rows].sum()))}) are of pages read before."
    pairs = np.unique(program.columns.pair[rows])
    change = rewriting(keep_in_memory, pairs, made=True)
    doubt_ns = int(program.columns.gap[made_of(program.columns, pairs)].sum())
    presumes = "each looks for few rows of a table, and what is computed right after a page is the"
    how = how_to("index", program.language(rows))
    cure = Cure(how, change, f"{presumes} search in it.", doubt_ns=doubt_ns)
    return [program.finding("table-scan", told, rows, [cure])]


def scanned(program: Program) -> Numbers:
    """Return the streams in which tables are read again and again."""
    reads, again, _, _ = _scanned(program)
    return np.unique(reads.of[again])


def _scanned(program: Program) -> tuple[Streams, Numbers, int, int]:
    """Return all reads, which are of pages read before, and how many statements read how many."""
    reads = program.columns.streams(READS, moving=True)
    looks = (reads.offsets == COUNTER[0]) & (reads.sizes == COUNTER[1])
    statements = reads.sums(looks)
    pages = reads.counts - statements
    good = (statements >= LEAST_STATEMENTS) & (pages >= LEAST_PAGES * statements)
    good &= reads.sums(reads.sequential()) >= SEQUENTIAL * reads.counts
    good &= ~program.written_by_others(reads.pairs) & ~program.replaced(reads.pairs)
    new = news(reads, reads.pairs[good])
    again = good[reads.number] & (new == 0) & ~looks
    good &= reads.sums(again) >= REPEATED * pages
    again &= good[reads.number]
    return reads, again, int(statements[good].sum()), int(pages[good].sum())
