"""Points of an assumption sweep that are done, kept in a file: a line of JSON for each.

A line is written as soon as its point is done; one that was torn is as if it had not been.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from simulator.errors import InputError
from simulator.output import OutputError

FORMAT = "assumption-points/1"


class KeptPointsError(InputError):
    """A file that has the points of another sweep, or none at all."""


class KeptPoints:
    """The points in a file, open for more; OutputError if it cannot be written to."""

    def __init__(self, path: Path, identity: dict[str, Any]) -> None:
        self.path = path
        self.identity = {"format": FORMAT, **identity}
        self.rows: dict[int, dict[str, Any]] = {}
        """By their numbers."""
        self._file: IO[str] | None = None

    def __enter__(self) -> KeptPoints:
        try:
            there = self.path.is_file() and self.path.stat().st_size > 0
            if there:
                self._read()
            self._file = self.path.open("a" if there else "w", encoding="utf-8")
        except (OSError, ValueError) as error:
            raise OutputError(self.path, error) from error
        if not there:
            self._write(self.identity)
        elif not self._ends_well:
            self._file.write("\n")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with suppress(OSError):  # It could not be written, and that has been told.
                self._file.close()

    def add(self, row: dict[str, Any]) -> None:
        """Keep a point."""
        self._write(row)
        self.rows[row["point"]] = row

    def _write(self, record: dict[str, Any]) -> None:
        assert self._file is not None
        try:
            self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise OutputError(self.path, error) from error

    def _read(self) -> None:
        text = self.path.read_text(encoding="utf-8", errors="replace")
        self._ends_well = text.endswith("\n")
        first, *lines = text.splitlines()
        found = _record(first)
        if found != self.identity:
            raise KeptPointsError(
                f"{self.path} {_stranger(found, self.identity)}; name another file"
            )
        for line in lines:
            row = _record(line)
            if row is not None and "verdicts" in row:
                self.rows[row["point"]] = row


def _record(line: str) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _stranger(found: dict[str, Any] | None, mine: dict[str, Any]) -> str:
    if found is None or found.get("format") != FORMAT:
        return "has no points of an assumption sweep"
    other = next(key for key in mine if found.get(key) != mine[key])
    return f"has the points of another sweep ({other} differs)"
