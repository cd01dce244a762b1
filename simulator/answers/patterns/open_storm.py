"""The same file opened and closed again and again by a process.

Found: streams with many opens, on machines where an open or a close takes time. Those whose closes
wait for what was written are :mod:`~simulator.answers.patterns.close_flush`. Cured by keeping the
file open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import OPENS, Numbers
from simulator.answers.language import how_to
from simulator.answers.rewrites.buffer import Buffer
from simulator.answers.rewrites.drop import KeepOpen
from simulator.plan.codes import CLOSE
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.advise import Rewrite
    from simulator.answers.program import Program

NAME = "open-storm"
BUFFER = 131_072
PRESUMES = "no other program has to find the file closed in between."
LEAST = 8
"""Opens, or closes, of a stream."""


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    if program.costs.isdisjoint((*OPENS, CLOSE)):
        return []
    opens = program.columns.streams(OPENS)
    good = (opens.counts >= LEAST) & ~np.isin(opens.pairs, flushed(program))
    good &= ~program.written_by_others(opens.pairs)
    pairs = opens.pairs[good]
    pairs = pairs[~program.replaced(pairs)]
    return found(program, NAME, pairs, "open the same file again and again")


def flushed(program: Program) -> Numbers:
    """Return the streams whose closes, many of them, have to empty a buffer."""
    closes = program.columns.streams((CLOSE,))
    if not program.way.close_flushes or not len(closes):
        return np.zeros(0, np.int64)
    pairs: Numbers = closes.pairs[closes.sums(closes.sizes > 0) >= LEAST]
    return pairs


def _ways(program: Program, pairs: Numbers) -> list[tuple[str, tuple[Rewrite, ...]]]:
    """Return what to do and the rewrites: keep the file open, and give it a buffer as well."""
    keep, how = KeepOpen(pairs), how_to("keep open", program.language)
    files = np.unique(pairs & 0xFFFFFFFF).tolist()
    buffered = f"{how} Give it a buffer: {how_to('buffer', program.language, BUFFER)}"
    return [(how, (keep,)), (buffered, (keep, Buffer(dict.fromkeys(files, BUFFER))))]


def found(program: Program, name: str, pairs: Numbers, what: str) -> list[Finding]:
    """Return the finding that these streams had better keep their files open."""
    columns = program.columns
    some = np.isin(columns.kind, (*OPENS, CLOSE)) & np.isin(columns.pair, pairs)
    rows = np.flatnonzero(some)
    if not len(rows):
        return []
    opens = int(np.isin(columns.kind[rows], OPENS).sum())
    closes = len(rows) - opens
    told = f"{counted(opens, 'open')} and {counted(closes, 'close')} of"
    told += f" {counted(len(program.files(rows)), 'file')} {what}."
    ways = _ways(program, pairs)
    cures = [Cure(how, Change(rewrites=rewrites), PRESUMES) for how, rewrites in ways]
    return [program.finding(name, told, rows, cures)]
