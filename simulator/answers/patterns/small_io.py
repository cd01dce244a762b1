"""Many small calls one after the other in a file, where few large ones would do.

Found: streams of reads or of writes that mostly go on where the one before ended, in calls of less
than ``SMALL`` on average. Cured by a buffer, in a few sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding
from simulator.answers.language import how_to
from simulator.answers.patterns.record_length_rewrite import with_steps
from simulator.answers.rewrites.buffer import Buffer
from simulator.plan.codes import READ, WRITE
from simulator.units import format_size
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

NAME = "small-io"
SMALL = 65_536
LEAST_CALLS = 16
"""Of a stream."""
LEAST_SEQUENTIAL = 0.8
"""Share of a stream's calls that go on where the one before ended."""
BUFFERS = (131_072, 1_048_576, 8_388_608)


def in_trace(program: Program) -> list[Finding]:
    """Return the finding, if there is one."""
    parts = []
    _, _, goes_back = with_steps(program)
    for kind in (READ, WRITE):
        streams = program.columns.streams((kind,), moving=True)
        counts, moved = streams.counts, streams.sums(streams.sizes)
        follows = streams.sums(streams.sequential())
        good = (counts >= LEAST_CALLS) & (moved < SMALL * counts)
        good &= follows >= LEAST_SEQUENTIAL * (counts - 1)
        if kind == WRITE:  # Those that go back for the lengths of records have their own pattern.
            good &= ~goes_back
        parts.append(streams.rows[good[streams.number]])
    rows = np.concatenate(parts)
    if not len(rows):
        return []
    columns = program.columns
    mean = int(columns.size[rows].sum()) // len(rows)
    both = zip(parts, ("read", "write"), strict=True)
    what = " and ".join(counted(len(part), noun) for part, noun in both if len(part))
    files = np.unique(columns.file[rows]).tolist()
    told = f"{what}, one after the other, move {brief_size(mean)} each on average."
    cures = [
        Cure(
            how="Gather the calls in a buffer of"
            f" {format_size(size)}. {how_to('buffer', program.language, size)}",
            change=Change(rewrites=(Buffer(dict.fromkeys(files, size)),)),
            presumes="nobody else has to see the bytes before the buffer is full.",
        )
        for size in BUFFERS
    ]
    return [program.finding(NAME, told, rows, cures)]
