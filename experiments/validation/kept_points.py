"""Completed points of an assumption sweep, in a store: a row for each.

A row is written as soon as its point is completed; damaged rows are reported. One command at a time
may use the file.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from simulator.config.errors import Problem
from simulator.errors import InputError
from simulator.filelock import locked
from simulator.study.results import Results

FORMAT = "assumption-points/2"
"""Owner of the rows, and key of the row that identifies their sweep."""


class KeptPointsError(InputError):
    """A file with the points of another sweep."""


class KeptPoints:
    """The points in a file that is open for writing; StoreError if it cannot be written."""

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self.identity = identity
        self.rows: dict[int, dict[str, Any]] = {}
        """Rows by their numbers."""
        self.damaged: list[Problem] = []
        """Damaged points, which are run again."""
        self._store = Results(path, owner=FORMAT)
        self._held = ExitStack()

    def __enter__(self) -> KeptPoints:
        self._held.enter_context(locked(self.path, self.path.with_name(f"{self.path.name}.lock")))
        try:
            self._open()
        except BaseException:
            self._held.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def _open(self) -> None:
        found = self._store.get([FORMAT]).get(FORMAT)
        if found is None:
            self._store.put({FORMAT: self.identity})
        elif found != self.identity:
            other = next(key for key in self.identity if found.get(key) != self.identity[key])
            about = f"has the points of another sweep ({other} differs); name another file"
            raise KeptPointsError(f"{self.path} {about}")
        for key, text in self._store.between("0", "9" * 8):
            if text is not None:
                self.rows[int(key)] = json.loads(text)
                continue
            about = f"point {int(key) + 1:,} is not as it was written; it is run again"
            self.damaged.append(Problem(str(self.path), 0, 0, "", about, "warning"))

    def add(self, row: dict[str, Any]) -> None:
        """Store a point."""
        self._store.put({f"{row['point']:08d}": row})
        self.rows[row["point"]] = row
