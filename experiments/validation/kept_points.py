"""Points of an assumption sweep that are done, kept in a file: a line of JSON for each.

A line is written as soon as its point is done, with its checksum; one that was torn is as if it had
not been, and one that is not as it was written is told. One command at a time has the file.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from simulator.config.errors import Problem
from simulator.errors import InputError
from simulator.held import held
from simulator.output import OutputError
from simulator.study.kept import damage, is_as_written, with_check

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
        self.damaged: list[Problem] = []
        """Lines that are not as they were written; their points are run again."""
        self._file: IO[str] | None = None
        self._held = ExitStack()

    def __enter__(self) -> KeptPoints:
        self._held.enter_context(held(self.path, self.path.with_name(f"{self.path.name}.lock")))
        try:
            self._open()
        except BaseException:
            self._held.close()
            raise
        return self

    def _open(self) -> None:
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

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with suppress(OSError):  # It could not be written, and that has been told.
                self._file.close()
        self._held.close()

    def add(self, row: dict[str, Any]) -> None:
        """Keep a point."""
        self._write(row)
        self.rows[row["point"]] = row

    def _write(self, record: dict[str, Any]) -> None:
        assert self._file is not None
        try:
            self._file.write(with_check(json.dumps(record, ensure_ascii=False)) + "\n")
            self._file.flush()
        except OSError as error:
            raise OutputError(self.path, error) from error

    def _read(self) -> None:
        content = self.path.read_bytes()
        self._ends_well = content.endswith(b"\n")
        first, *lines = content.splitlines()
        found = _record(first)
        if found != self.identity:
            raise KeptPointsError(
                f"{self.path} {_stranger(found, self.identity)}; name another file"
            )
        for place, line in enumerate(lines, 2):
            if is_as_written(line):
                row = _record(line)
                if row is not None and "verdicts" in row:
                    self.rows[row["point"]] = row
            elif line.endswith(b"}"):  # Nor is it torn.
                self.damaged.append(damage(self.path, place, line))


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    record.pop("check", None)
    return record


def _stranger(found: dict[str, Any] | None, mine: dict[str, Any]) -> str:
    if found is None or found.get("format") != FORMAT:
        return "has no points of an assumption sweep"
    other = next(key for key in mine if found.get(key) != mine[key])
    return f"has the points of another sweep ({other} differs)"
