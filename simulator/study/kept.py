"""The points of a sweep that are already done: kept in its folder, one line each.

A point is written down as soon as it is done, so that an interrupt, or a sudden death, costs only
the points under way. The first line of the log says which sweep it is of; a line that was torn in
the middle is as if it had not been written. The log goes when the finished files are there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.study.point import COLUMNS, Row

LOG = "points.jsonl.part"
MANIFEST = "sweep.json"
POINTS = "points.json"
FILES = (MANIFEST, POINTS, "points.csv", "plot.png", "plot.svg")
"""What a finished sweep leaves in its folder."""

Identity = dict[str, Any]
"""What makes a sweep this one: its points, and the programs that run them."""


class FolderError(InputError):
    """A folder that results cannot go to: of another sweep, or not writable."""


class Kept:
    """The finished points of one sweep in its folder, by their digests; open for more.

    FolderError if the folder has another sweep in it; with ``force`` that is thrown away.
    """

    def __init__(self, folder: Path, identity: Identity, *, force: bool = False) -> None:
        self.folder = folder
        self.identity = identity
        self.rows: dict[str, Row] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stranger = self._stranger()
            if stranger and not force:
                raise FolderError(
                    f"{folder} {stranger}; name another folder, or replace it with --force"
                )
            for name in (LOG, *FILES) if stranger else ():
                (folder / name).unlink(missing_ok=True)
            self._read()
            self._start_log()
            self._log = (folder / LOG).open("a", encoding="utf-8", newline="\n")
        except OSError as error:
            reason = error.strerror or str(error)
            raise FolderError(f"{folder} is no folder to write to ({reason}); name one") from error

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()

    def add(self, digest: str, row: Row) -> None:
        """Write a point down, at once."""
        self.rows[digest] = row
        self._log.write(json.dumps({"digest": digest, **row}) + "\n")
        self._log.flush()

    # -- reading --------------------------------------------------------------------------

    def _stranger(self) -> str:
        """Say what else than this sweep is in the folder; empty if nothing is."""
        manifest, log = self.folder / MANIFEST, self.folder / LOG
        found = [_document(manifest)] if manifest.exists() else []
        found += list(_lines(log))[:1]
        for one in found:
            other = one.get("identity") if isinstance(one, dict) else None
            if other != self.identity:
                return f"has the results of another sweep, {self._difference(other)}"
        there = [name for name in FILES if (self.folder / name).exists()]
        return f"has a {there[0]} that no sweep.json belongs to" if there and not found else ""

    def _difference(self, other: Any) -> str:
        known = other if isinstance(other, dict) else {}
        differing = [key for key, value in self.identity.items() if known.get(key) != value]
        return f"which differs in its {', '.join(differing)}"

    def _read(self) -> None:
        finished = _document(self.folder / POINTS)
        records = [*(finished if isinstance(finished, list) else ()), *_lines(self.folder / LOG)]
        for record in records:
            if isinstance(record, dict) and {"digest", *COLUMNS} <= record.keys():
                self.rows[record["digest"]] = {column: record[column] for column in COLUMNS}

    def _start_log(self) -> None:
        """See to it that the log has its first line, and that its last line is ended."""
        log = self.folder / LOG
        if not any(_lines(log)):
            log.write_text(json.dumps({"identity": self.identity}) + "\n", encoding="utf-8")
        elif not log.read_bytes().endswith(b"\n"):
            with log.open("ab") as torn:
                torn.write(b"\n")


def _document(path: Path) -> Any:
    """Read a JSON file; None if it is not there, or is none."""
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _lines(path: Path) -> Iterator[Any]:
    """Read the lines of a log; those that were torn are left out."""
    if not path.exists():
        return
    with path.open("rb") as log:
        for line in log:
            try:
                yield json.loads(line)
            except ValueError:
                continue
