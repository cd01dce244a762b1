"""A rewrite of listed calls: each client has a file of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.calls import READS, WRITES, Columns, Numbers, remade
from simulator.workload.traced import TracedFile

if TYPE_CHECKING:
    from simulator.workload.traced import Traced


@dataclass(frozen=True, slots=True, eq=False)
class OwnFiles:
    """Each client has a file of its own instead of some shared ones, without holes in it.

    The first client of a file keeps its name.
    """

    files: Numbers
    """Their numbers."""

    def __call__(self, traced: Traced) -> Traced:
        """Return the program with files of its processes' own."""
        columns = Columns(traced)
        file, offset = columns.file.copy(), columns.offset.copy()
        mine = np.flatnonzero(np.isin(file, self.files))
        if not len(mine):
            return traced
        moved = np.where(np.isin(columns.kind, (*READS, *WRITES)), columns.size, 0)
        order = np.argsort(columns.pair[mine], kind="stable")
        pairs, first = np.unique(columns.pair[mine][order], return_index=True)
        files = list(traced.files)
        seen: set[int] = set()
        for pair, rows in zip(pairs.tolist(), np.split(mine[order], first[1:]), strict=True):
            old = pair & 0xFFFFFFFF
            offset[rows], size = _packed(offset[rows], moved[rows])
            number, name = len(files), files[old].name
            if old not in seen:
                seen.add(old)
                number = old
                files[old] = TracedFile(name, 0, size)
            else:
                files.append(TracedFile(f"{name}.{traced.clients[pair >> 32].name}", 0, size))
            file[rows] = number
        kept = remade(columns, np.ones(len(columns), bool), file=file, offset=offset)
        return replace(kept, files=tuple(files))


def _packed(offset: Numbers, size: Numbers) -> tuple[Numbers, int]:
    """Return offsets without the holes between what calls touch, and where the last one ends.

    >>> _packed(np.array([100, 300, 110]), np.array([20, 10, 20]))
    (array([ 0, 30, 10]), 40)
    """
    order = np.lexsort((size, offset))
    begin = offset[order]
    reach = np.maximum.accumulate(begin + size[order])
    holes = np.cumsum(np.maximum(begin - np.append(0, reach[:-1]), 0))
    packed = np.empty_like(offset)
    packed[order] = begin - holes
    return packed, int((packed + size).max())
