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
    reads, again = scanned(program)
    rows = reads.rows[again]
    if not len(rows):
        return []
    pairs = np.unique(reads.of[again])
    used = np.isin(reads.of, pairs)
    many = int((used & _looks(reads)).sum())
    told = f"{counted(many, 'statement')} read {int(used.sum()) // many - 1:,} pages each on"
    told += f" average, mostly one behind the other; {counted(len(rows), 'read')}"
    told += f" ({brief_size(int(program.columns.size[rows].sum()))}) are of pages read before."
    change = rewriting(keep_in_memory, pairs, made=True)
    doubt_ns = int(program.columns.gap[made_of(program.columns, pairs)].sum())
    presumes = "each looks for few rows of a table, and what is computed right after a page is the"
    how = how_to("index", program.language(rows))
    cure = Cure(how, change, f"{presumes} search in it.", doubt_ns=doubt_ns)
    return [program.finding("table-scan", told, rows, [cure])]


def scanned(program: Program) -> tuple[Streams, Numbers]:
    """Return all reads, and which of them are of a table's pages that were read before."""
    reads = program.columns.streams(READS, moving=True)
    looks = _looks(reads)
    statements = reads.sums(looks)
    pages = reads.counts - statements
    good = (statements >= LEAST_STATEMENTS) & (pages >= LEAST_PAGES * statements)
    good &= reads.sums(reads.sequential()) >= SEQUENTIAL * reads.counts
    good &= ~program.written_by_others(reads.pairs) & ~program.replaced(reads.pairs)
    again = good[reads.number] & (news(reads, reads.pairs[good]) == 0) & ~looks
    good &= reads.sums(again) >= REPEATED * pages
    return reads, again & good[reads.number]


def _looks(reads: Streams) -> Numbers:
    """Return which reads are of SQLite's change counter."""
    found: Numbers = (reads.offsets == COUNTER[0]) & (reads.sizes == COUNTER[1])
    return found
