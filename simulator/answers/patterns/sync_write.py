"""A file synced again and again, after each record, where once at the end may do.

Found: streams with several syncs after writes. Cured by one sync at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import SYNCED_WRITES, WRITES, Numbers
from simulator.answers.language import how_to
from simulator.answers.rewrites.buffer import Buffer
from simulator.answers.rewrites.drop import OneSync
from simulator.plan.codes import SYNC
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.advise import Rewrite
    from simulator.answers.program import Program

NAME = "sync-write"
BUFFER = 131_072
PRESUMES = (
    "after a crash the program may begin again: what it wrote since its start, or its last sync,"
    " may be lost."
)
LEAST = 4
"""Syncs of a stream."""


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    columns = program.columns
    syncs = columns.streams((SYNC, *SYNCED_WRITES))
    good = syncs.counts >= LEAST
    rows = syncs.rows[good[syncs.number]]
    if not len(rows):
        return []
    pairs = syncs.pairs[good]
    writes = np.isin(columns.kind, WRITES) & np.isin(columns.pair, pairs)
    moved = int(columns.size[writes].sum())
    told = f"{counted(len(rows), 'sync')} (fsync, or a write with O_SYNC), each for"
    told += f" {brief_size(moved // len(rows))} written on average."
    ways = _ways(program, pairs)
    cures = [Cure(how, Change(rewrites=rewrites), PRESUMES) for how, rewrites in ways]
    return [program.finding(NAME, told, rows, cures)]


def _ways(program: Program, pairs: Numbers) -> list[tuple[str, tuple[Rewrite, ...]]]:
    """Return what to do and the rewrites: one sync, and a buffer as well."""
    once, how = OneSync(pairs), how_to("sync once", program.language)
    files = np.unique(pairs & 0xFFFFFFFF).tolist()
    buffered = f"{how} Give the file a buffer: {how_to('buffer', program.language, BUFFER)}"
    return [(how, (once,)), (buffered, (once, Buffer(dict.fromkeys(files, BUFFER))))]
