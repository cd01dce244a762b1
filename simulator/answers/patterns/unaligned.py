"""Writes that begin and end within a block, a stripe or a request of the file system.

Found: streams of writes one after the other, most of which do not begin at a multiple of a unit of
the machine's file system, in calls that are not small. Cured by writing whole
units: what a write leaves of its last unit is written with the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.calls import LAZY_WRITES
from simulator.answers.language import how_to
from simulator.answers.patterns.small_io import SMALL
from simulator.answers.rewrites.align import Align
from simulator.units import format_size
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "unaligned"
LEAST_CALLS = 8
LEAST_SEQUENTIAL = 0.8
LEAST_UNALIGNED = 0.5


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    writes = program.columns.streams(LAZY_WRITES, moving=True)
    counts, follows = writes.counts, writes.sums(writes.sequential())
    moved = writes.sums(writes.sizes)
    even = (counts >= LEAST_CALLS) & (follows >= LEAST_SEQUENTIAL * (counts - 1))
    cures, rows, units = [], np.zeros(0, np.int64), []
    for unit in program.way.units:
        off = writes.sums(writes.offsets % unit != 0)
        good = even & (off >= LEAST_UNALIGNED * counts)
        good &= moved >= min(unit, SMALL) * counts
        if good.any():
            cures.append(
                Cure(
                    how=f"Write in whole units of {format_size(unit)}:"
                    f" {how_to('align', program.language, unit)}",
                    change=Change(rewrites=(Align(writes.pairs[good], unit),)),
                )
            )
            units.append(unit)
            rows = np.union1d(rows, writes.rows[good[writes.number]])
    if not cures:
        return []
    mean = int(program.columns.size[rows].sum()) // len(rows)
    all_units = " or ".join(brief_size(unit) for unit in units)
    told = f"{counted(len(rows), 'write')} of {brief_size(mean)} on average, most of which"
    told += f" do not begin at a multiple of {all_units}, a unit of the file system."
    return [program.finding(NAME, told, rows, cures)]
