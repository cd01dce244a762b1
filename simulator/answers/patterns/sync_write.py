"""A file synced again and again, after each record, where once at the end may do.

Found: streams with several syncs after writes. Cured by one sync at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.language import one_sync
from simulator.answers.rewrites.drop import OneSync
from simulator.plan.codes import SYNC, WRITE
from simulator.wording import about_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "sync-write"
LEAST = 4
"""Syncs of a stream."""


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    columns = program.columns
    syncs = columns.streams((SYNC,))
    good = syncs.counts >= LEAST
    rows = syncs.rows[good[syncs.number]]
    if not len(rows):
        return []
    pairs = syncs.pairs[good]
    writes = (columns.kind == WRITE) & np.isin(columns.pair, pairs)
    moved = int(columns.size[writes].sum())
    return [
        Finding(
            pattern=NAME,
            found=f"{counted(len(rows), 'sync')}, each after {about_size(moved // len(rows))}"
            " written on average.",
            cures=(
                Cure(
                    how=one_sync(program.language),
                    change=Change(rewrites=(OneSync(pairs),)),
                    presumes="after a crash the program may begin again: what it wrote since its"
                    " start, or its last sync, may be lost.",
                ),
            ),
            files=program.files(rows),
            calls=len(rows),
            example=program.example(int(rows[len(rows) // 2])),
        )
    ]
