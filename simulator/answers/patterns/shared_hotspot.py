"""Many processes on one file at a time, which is on one server, or behind one lock.

Found: files that several processes write to or read from. Cured by files of their own, where they
only write, or by more stripes, where the machine stripes files over some of its servers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import READS, WRITES
from simulator.answers.levers import levers_of
from simulator.answers.rewrites.own_files import OwnFiles
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "shared-hotspot"
LEAST_CLIENTS = 4
LEAST_CALLS = 8


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    columns = program.columns
    used = columns.streams((*READS, *WRITES), moving=True)
    many = len(program.traced.files)
    clients = np.bincount(used.files, minlength=many)
    calls = np.bincount(used.files, used.counts, many)
    hot = np.flatnonzero((clients >= LEAST_CLIENTS) & (calls >= LEAST_CALLS))
    if not len(hot):
        return []
    rows = used.rows[np.isin(used.of & 0xFFFFFFFF, hot)]
    read = np.unique(columns.file[rows][np.isin(columns.kind[rows], READS)])
    own = np.setdiff1d(hot, read)
    cures = []
    if len(own) and not program.placed:
        cures.append(
            Cure(
                how=f"Let each process write a file of its own ({counted(len(own), 'file')}), for"
                " example with its rank in the name, and join them afterwards if need be.",
                change=Change(rewrites=(OwnFiles(own),)),
                presumes="what reads the file later can read several.",
            )
        )
    cures += _stripes(program)
    if not cures:
        return []
    moved = int(columns.size[rows].sum())
    told = f"{counted(len(hot), 'file')} used by up to {int(clients[hot].max()):,} processes"
    told += f" each: {counted(len(rows), 'call')}, {brief_size(moved)}."
    return [program.finding(NAME, told, rows, cures)]


def _stripes(program: Program) -> list[Cure]:
    """Return cures by which a file is striped over more servers."""
    cures = []
    for lever in levers_of(program.machine):
        if lever.where == "tier" and lever.what.startswith("over"):
            if lever.owner != program.filesystem:
                continue
            for over in (lever.settings("twice"), ((lever.values[0].path, "all"),)):
                if over:
                    how = f"Stripe the file over more servers: {over[0][1]} instead of"
                    how += f" {lever.values[0].text} (Lustre: lfs setstripe -c, before it is made)."
                    cures.append(Cure(how, Change(settings=over)))
    return cures
