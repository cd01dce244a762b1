"""Files read from slow devices that a fast store could have held when the job started.

Found: files that existed before, on a path with a store that is not the page cache of a process's
own node. Cured by prestaging. The time that it takes is before the job, and is not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import READS
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "no-prestage"


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    store = program.way.stages
    if not store or program.prestaged or program.placed:
        return []
    columns = program.columns
    old = [number for number, one in enumerate(program.traced.files) if one.length > 0]
    which = np.isin(columns.kind, READS) & (columns.size > 0) & np.isin(columns.file, old)
    rows = np.flatnonzero(which)
    if not len(rows):
        return []
    used = np.unique(columns.file[rows])
    length = sum(program.traced.files[one].length for one in used.tolist())
    files = program.files(rows)
    return [
        Finding(
            pattern=NAME,
            found=f"{counted(len(files), 'file')} ({brief_size(length)}) that existed before the"
            f" job are read from behind {store}.",
            cures=(
                Cure(
                    how=f"Bring the files into {store} before the job starts (stage in).",
                    change=Change(prestage=True),
                    presumes="the time that it takes is not the job's; it is not counted here.",
                ),
            ),
            files=files,
            calls=len(rows),
            example=program.example(int(rows[0])),
        )
    ]
