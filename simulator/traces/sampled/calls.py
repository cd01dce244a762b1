"""Calls that are drawn, as columns of numbers, and their names in a store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.traces.sampled.counts import Numbers

CALLS = ("read", "write", "open", "stat", "fsync", "barrier", "close")
READ, WRITE, OPEN, STAT, SYNC, BARRIER, CLOSE = range(len(CALLS))
FLAGS = ("O_RDONLY", "O_RDWR", "O_RDWR|O_CREAT|O_EXCL")
"""Of opens to read, to write, and of the first one of a file that is new."""
COLUMNS = ("rank", "call", "file", "offset", "size", "begin", "took", "flags")


@dataclass(slots=True)
class Rows:
    """Rows as columns of numbers, in parts of a rank and a file each."""

    parts: dict[str, list[Numbers]] = field(default_factory=lambda: {name: [] for name in COLUMNS})
    files: list[str] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)
    """Files of which an open is among the rows."""
    barriers: list[int] = field(default_factory=list)
    """How many ranks wait for each other at each barrier."""
    records: int = 0
    wrong: int = 0
    """Records of which a counter of the calls is not that of the log."""

    def add(self, rank: int, call: Any, file: int, **columns: Any) -> None:
        """Add the calls of a rank on a file; times are in ns from the begin of the job."""
        count = len(columns["begin"])
        columns = {"rank": rank, "call": call, "file": file, "flags": 0, **columns}
        for name, values in columns.items():
            whole = isinstance(values, np.ndarray)  # numpy's broadcast_to is slow for few calls.
            self.parts[name].append(values if whole else np.full(count, values, np.int64))
