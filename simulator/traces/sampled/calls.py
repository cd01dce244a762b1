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
KINDS = {
    "rank": np.int32,
    "call": np.int8,
    "file": np.int32,
    "offset": np.int64,
    "size": np.int64,
    "begin": np.int64,
    "took": np.int64,
    "flags": np.int8,
}
"""Columns, and what their numbers are kept as."""


@dataclass(slots=True)
class Rows:
    """Rows as columns of numbers, in parts of a record each."""

    parts: dict[str, list[Numbers]] = field(default_factory=lambda: {name: [] for name in KINDS})
    files: list[str] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)
    """Files of which an open is among the rows."""
    barriers: list[int] = field(default_factory=list)
    """How many ranks wait for each other at each barrier."""
    records: int = 0
    wrong: int = 0
    """Records of which a counter of the calls is not that of the log."""

    def add(self, rank: Any, call: Any, file: Any, **columns: Any) -> None:
        """Add calls on a file; times are in ns from the begin of the job."""
        count = len(columns["begin"])
        columns = {"rank": rank, "call": call, "file": file, "flags": 0, **columns}
        for name, values in columns.items():
            if isinstance(values, np.ndarray):  # numpy's broadcast_to is slow for few calls.
                self.parts[name].append(values.astype(KINDS[name], copy=False))
                continue
            made = np.empty(count, KINDS[name])
            made[:] = values
            self.parts[name].append(made)

    def whole(self, name: str) -> Numbers:
        """Return a column."""
        parts = self.parts[name]
        if len(parts) != 1:
            self.parts[name] = [np.concatenate([np.zeros(0, KINDS[name]), *parts])]
        return self.parts[name][0]

    def replace(self, name: str, values: Numbers) -> None:
        """Put other values into a column."""
        self.parts[name] = [values]
