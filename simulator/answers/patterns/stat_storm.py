"""Attributes asked for file by file: trees walked with a stat for each entry.

Found: many stats on machines where they take time, apart from those right after an open. Cured by
taking the kind of an entry from the listing of its folder, where there are listings, or by asking
for each file once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.rewrites.drop import AskOnce, asked, asked_again
from simulator.plan.codes import READDIR, STAT
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "stat-storm"
LEAST = 32


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    if STAT not in program.costs:
        return []
    columns = program.columns
    rows = asked(columns)
    if len(rows) < LEAST:
        return []
    again = asked_again(columns)
    listings = int(np.count_nonzero(columns.kind == READDIR))
    cures = []
    if len(again):
        how = "Ask for the attributes of each file once, and remember them."
        cures.append(Cure(how, Change(rewrites=(AskOnce(),)), "nobody else changes the files."))
    if listings:
        how = "Take the kind of each entry from the listing: d_type of readdir, os.scandir, find."
        presumes = "the kind is all that is needed, and the file system tells it."
        cures.append(Cure(how, Change(rewrites=(AskOnce(never=True),)), presumes))
    if not cures:
        return []
    files = program.files(rows)
    return [
        Finding(
            pattern=NAME,
            found=f"{counted(len(rows), 'stat')} of {counted(len(files), 'file')}, and"
            f" {counted(listings, 'listing')} of folders; {len(again):,} of the stats had been made"
            " before by the same process.",
            cures=tuple(cures),
            files=files,
            calls=len(rows),
            example=program.example(int(rows[len(rows) // 2])),
        )
    ]
