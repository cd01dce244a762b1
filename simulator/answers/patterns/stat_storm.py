"""Files asked for their status one by one: each entry of a folder, or the same file again.

Found: many stats, on machines where they take time. Cured by asking for each file once; or, of the
entries of a folder that the process has listed, not at all: the list says what is a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import Numbers
from simulator.answers.language import how_to
from simulator.answers.rewrites.drop import StatLess
from simulator.plan.codes import READDIR, STAT
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "stat-storm"
LEAST = 16


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    if STAT not in program.costs:
        return []
    stats = program.columns.streams((STAT,))
    again = stats.rows[~stats.begins]
    listed = stats.rows[np.isin(stats.of, _listed(program, stats.pairs))]
    cures = []
    if len(again) >= LEAST:
        change = Change(rewrites=(StatLess(stats.pairs[stats.counts > 1]),))
        cures.append(Cure(_ONCE, change, "it does not wait for a file to change."))
    if len(listed) >= LEAST:
        pairs = np.unique(program.columns.pair[listed])
        how = how_to("list with types", program.language)
        change = Change(rewrites=(StatLess(pairs, never=True),))
        cures.append(Cure(how, change, "it needs names and types only, not sizes or times."))
    if not cures:
        return []
    rows = np.union1d(again, listed)
    told = f"{counted(len(again), 'stat')} of files that the same process had asked for"
    told += f" before, and {counted(len(listed), 'stat')} of entries of folders that it listed."
    return [program.finding(NAME, told, rows, cures)]


_ONCE = "Ask for the status of each file once, and keep what it says."


def _listed(program: Program, pairs: Numbers) -> Numbers:
    """Return the streams whose file is in a folder that its process has listed."""
    columns, files = program.columns, program.traced.files
    lists = np.unique(columns.pair[columns.kind == READDIR]).tolist()
    folders = {(pair >> 32, files[pair & 0xFFFFFFFF].name.rstrip("/")) for pair in lists}
    if not folders:
        return np.zeros(0, np.int64)
    mine = [
        pair
        for pair in pairs.tolist()
        if (pair >> 32, files[pair & 0xFFFFFFFF].name.rpartition("/")[0]) in folders
    ]
    return np.array(mine, np.int64)
