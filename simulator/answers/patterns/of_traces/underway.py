"""Reads that a program makes one at a time, of a device that could serve several together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import READS, Columns, Numbers, added, remade, with_columns
from simulator.answers.words import how_to
from simulator.plan.codes import DIRECT, PASS, READ, WAIT
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced, TracedClient

_LEAST, _MOST = 32, 1_000_000
_MOST_SEQUENTIAL = 0.5
_DEPTHS = (4, 16, 64)


def one_at_a_time(program: Program) -> list[Finding]:
    """Reads of which each begins when the one before has ended, where nothing reads ahead.

    Found: streams of scattered reads, or of reads with O_DIRECT, of files that nobody writes. Cured
    by having 4, 16 or 64 of them under way, in the order of the program, which still computes what
    it did between them; if the places of later reads are in the data of earlier ones, it cannot.
    """
    columns = program.columns
    reads = columns.streams(READS, moving=True)
    direct = reads.sums(columns.kind[reads.rows] == READ | DIRECT)
    good = (reads.counts >= _LEAST) & ~program.written(reads.files)
    good &= (reads.sums(reads.goes_on()) < _MOST_SEQUENTIAL * reads.counts) | (
        direct == reads.counts
    )
    good &= ~np.isin(reads.pairs, program.polled)
    rows, pairs = reads.rows[good[reads.number]], reads.pairs[good]
    language = program.language(rows)
    if not len(rows) or len(rows) > _MOST or language == "SQLite":  # It follows an index.
        return []
    told = f"{counted(len(rows), 'read')} of {program.mean_size(rows)} on average, one at a time."
    cures = [
        Cure(
            how_to("keep under way", language, depth),
            rewriting(under_way, pairs, depth),
            f"the program knows its next {depth} places before it has the data of the first (not if"
            " each read says where the next one is).",
            kind="under way",
        )
        for depth in _DEPTHS
    ]
    return [program.finding("one-at-a-time", told, rows, cures)]


def under_way(traced: Traced, pairs: Numbers, depth: int) -> Traced:
    """Have so many of the next reads of each of some streams under way; the program waits for one.

    Clients beside the program's make the reads, each every ``depth``-th one. It begins when the
    program has got what is ``depth`` places before; the first ones when it comes to the first.
    """
    columns = Columns(traced)
    reads = columns.streams(READS, moving=True)
    which = np.isin(reads.of, pairs)
    rows, begins = reads.rows[which], reads.begins[which]
    count, marks = len(rows), traced.table.marks
    if not count:
        return traced
    first = np.flatnonzero(begins)
    started = marks + 2 * count + np.arange(len(first))
    ended, got = marks + np.arange(count), marks + count + np.arange(count)
    table = replace(traced.table, marks=marks + 2 * count + len(first))
    columns.traced = replace(traced, table=table)
    kind, offset = columns.kind.copy(), columns.offset.copy()
    file, size = columns.file.copy(), columns.size.copy()
    kind[rows], file[rows], size[rows], offset[rows] = WAIT, -1, 0, ended
    kind[rows[first]], offset[rows[first]] = PASS, started
    made = remade(columns, kind=kind, file=file, offset=offset, size=size)
    after = np.concatenate([rows[first], rows])
    more = {
        "kind": np.repeat([WAIT, PASS], [len(first), count]),
        "offset": np.concatenate([ended[first], got]),
    }
    order = np.lexsort((more["kind"] == PASS, after))
    none = np.zeros(len(after), np.int64)
    cells = {name: one[order] for name, one in more.items()} | {"file": none - 1, "size": none}
    made = added(made, after[order], cells)
    return _with_helpers(made, Columns(traced), rows, first, depth, marks)


def _with_helpers(
    made: Traced, old: Columns, rows: Numbers, first: Numbers, depth: int, marks: int
) -> Traced:
    """Add the clients that make the reads, ``rows`` of a program whose streams begin at ``first``.

    Read n passes mark ``marks + n``, and waits for mark ``marks + count + n - depth``.
    """
    count, table = len(rows), Columns(made)
    parts: list[dict[str, Numbers]] = []
    clients: list[TracedClient] = [*made.clients]
    end = len(table)
    for stream, (low, high) in enumerate(zip(first, [*first[1:], count], strict=True)):
        owner = made.clients[int(old.client[rows[low]])]
        for turn in range(min(depth, high - low)):
            mine = np.arange(low + turn, high, depth)
            kind = np.tile([WAIT, READ, PASS], len(mine))
            offset = np.stack([marks + count + mine - depth, old.offset[rows[mine]], marks + mine])
            cells = {
                "kind": kind,
                "file": np.where(kind == READ, old.file[rows[low]], -1),
                "offset": offset.T.ravel(),
                "size": np.where(kind == READ, np.repeat(old.size[rows[mine]], 3), 0),
            }
            kind[1::3] = old.kind[rows[mine]]
            parts.append({name: one[1:] for name, one in cells.items()})
            born = marks + 2 * count + stream
            name = f"{owner.name}+reads{stream}.{turn}"
            calls = 3 * len(mine) - 1
            clients.append(replace(owner, name=name, born=born, first=end, calls=calls, start_ns=0))
            end += calls
    columns = {
        name: np.concatenate([getattr(table, name), *(one[name] for one in parts)])
        for name in ("kind", "file", "offset", "size")
    }
    columns["gap"] = np.concatenate([table.gap, np.zeros(end - len(table), np.int64)])
    return with_columns(made, columns, clients)
