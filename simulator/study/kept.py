"""The points of a sweep that are already done: kept in its folder, one line each.

A point is written down as soon as it is done, so that an interrupt, or a sudden death, costs only
the points under way. The first line of the log says which sweep it is of; each other one begins
with its checksum. A last line that was torn in the middle is as if it had not been written, a line
that is not as it was written is told, and its point is run again. The log goes when the finished
files are there. In memory there is only where the line of each point begins.
"""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from simulator.config.errors import Problem
from simulator.errors import InputError
from simulator.held import held
from simulator.output import OutputError
from simulator.study.point import record_of

LOG = "points.jsonl.part"
LOCK = "sweep.lock"
"""Which command writes to the folder, while one does."""
MANIFEST = "sweep.json"
POINTS = "points.json"
PARQUET = "points.parquet"
FILES = (MANIFEST, POINTS, "points.csv", PARQUET, "plot.png", "plot.svg")
"""What a finished sweep leaves in its folder."""

Identity = dict[str, Any]
"""What makes a sweep this one: its points, and the programs that run them."""

Found = tuple[int, int, dict[str, Any]]
"""The number of a point, where its line begins, and its record."""


CHECKED = b'{"check": "'
"""What a line of the log begins with; eight digits follow, of the CRC-32 of what is behind them."""
_BEHIND = len(CHECKED) + 8 + len('", ')


class FolderError(InputError):
    """A folder that results cannot go to: of another sweep, or not writable."""


class Kept:
    """The finished points of a sweep, or of a part of it, in its folder; open for more.

    FolderError if the folder has another sweep in it; with ``force`` that is thrown away.
    """

    def __init__(
        self, folder: Path, identity: Identity, part: range, *, force: bool = False
    ) -> None:
        self.folder = folder
        self.identity = identity
        self.part = part
        self.file = folder / LOG
        """What the offsets are in: the log, or the points of a finished sweep."""
        self.offsets = array("q", [-1]) * len(part)
        """Where the line of each point begins, in bytes; -1 if the point is not done."""
        self.count = 0
        """How many points are done."""
        self.damaged: list[Problem] = []
        """Lines of the log that are not as they were written."""
        self._log: BinaryIO | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            stranger = self._stranger()
            if stranger and not force:
                raise FolderError(
                    f"{folder} {stranger}; name another folder, or replace it with --force"
                )
            for name in (LOG, *FILES) if stranger else ():
                (folder / name).unlink(missing_ok=True)
            if not self._is_finished():
                self._open_log()
        except OSError as error:
            raise _no_folder(folder, error) from error

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        if self._log is not None:
            with suppress(OSError):  # It could not be written, and that has been told.
                self._log.close()

    def __contains__(self, number: int) -> bool:
        return self.offsets[self.part.index(number)] >= 0

    def add(self, records: Iterable[tuple[int, str]]) -> None:
        """Write points down, at once: their numbers, and lines that :func:`line_of` made."""
        assert self._log is not None  # Of a finished sweep nothing is missing.
        end = self._log.tell()
        try:
            for number, record in records:
                self._place(number, end)
                end += self._log.write(record.encode("ascii") + b"\n")
            self._log.flush()
        except OSError as error:
            raise OutputError(self.file, error) from error

    def repeat(self, number: int, other: int) -> None:
        """Set a point's record to that of another one that is equal, if that is done."""
        offset = self.offsets[self.part.index(other)]
        if offset >= 0:
            self._place(number, offset)

    def _place(self, number: int, offset: int) -> None:
        index = self.part.index(number)
        self.count += self.offsets[index] < 0
        self.offsets[index] = offset

    # -- reading --------------------------------------------------------------------------

    def _stranger(self) -> str:
        """Say what else than this sweep is in the folder; empty if nothing is."""
        found = identities(self.folder)
        for other in found:
            if other != self.identity:
                return f"has the results of another sweep, {difference(self.identity, other)}"
        there = [name for name in FILES if (self.folder / name).exists()]
        return f"has a {there[0]} that no sweep.json belongs to" if there and not found else ""

    def _is_finished(self) -> bool:
        """Find the points of a finished sweep; false if there is none, or not all of it."""
        if not (self.folder / MANIFEST).exists():
            return False
        found = list(finished_points(self.folder, self.part))
        if len(found) != len(self.part):
            return False
        self.file = self.folder / POINTS
        for number, offset, _ in found:
            self._place(number, offset)
        return True

    def _open_log(self) -> None:
        """Find the points in the log; see to it that it has its first line, and ends with one."""
        log = self.folder / LOG
        if not any(_documents(log)):
            log.write_text(json.dumps({"identity": self.identity}) + "\n", encoding="utf-8")
        elif not log.read_bytes().endswith(b"\n"):
            with log.open("ab") as torn:
                torn.write(b"\n")
        for number, offset, _ in logged_points(self.folder, self.part, self.damaged):
            self._place(number, offset)
        self._log = log.open("ab")
        self._log.seek(0, 2)


def line_of(number: int, digest: str, row: str) -> str:
    """Write a point as a line of the log, without its end; ``row`` is JSON already."""
    return with_check(f'{{"point": {number}, "digest": "{digest}", {row[1:]}')


def with_check(record: str) -> str:
    """Return an object of JSON with its checksum as its first value."""
    text = record[1:]
    return f'{CHECKED.decode()}{zlib.crc32(text.encode()):08x}", {text}'


def is_as_written(line: bytes) -> bool:
    """Return whether a line has the checksum of what is in it."""
    check = zlib.crc32(line[_BEHIND:].rstrip(b"\r\n"))
    return line.startswith(CHECKED + b'%08x", ' % check)


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """Hold a folder, made if it is not there; HeldError if another command does.

    What was made and is empty at the end goes again.
    """
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_folder(folder, error) from error
    try:
        with held(folder, folder / LOCK):
            yield
    finally:
        with suppress(OSError):  # It is not empty.
            for one in made:
                one.rmdir()


def _no_folder(folder: Path, error: OSError) -> FolderError:
    reason = error.strerror or str(error)
    return FolderError(f"{folder} is no folder to write to ({reason}); name one")


def difference(identity: Identity, other: Any) -> str:
    """Say in what two sweeps differ."""
    known = other if isinstance(other, dict) else {}
    keys = dict.fromkeys([*identity, *known])
    differing = [key for key in keys if known.get(key) != identity.get(key)]
    return f"which differs in its {', '.join(differing)}"


def identities(folder: Path) -> list[Any]:
    """Read which sweep a folder says its results are of, in its manifest and in its log."""
    manifest = folder / MANIFEST
    found = [document(manifest)] if manifest.exists() else []
    found += [one for _, one in _documents(folder / LOG)][:1]
    return [one.get("identity") if isinstance(one, dict) else None for one in found]


def finished_points(folder: Path, part: range) -> Iterator[Found]:
    """Read the points of a finished sweep, in their order."""
    index = 0
    for offset, line in _lines(folder / POINTS):
        record = record_of(line)
        if record is not None and index < len(part):
            yield part[index], offset, record
            index += 1


def logged_points(
    folder: Path, part: range, damaged: list[Problem] | None = None
) -> Iterator[Found]:
    """Read the points in a log that belong to a part, as they were done.

    ``damaged`` takes note of the lines that are left out since they are not as they were written.
    """
    for place, (offset, line) in enumerate(_lines(folder / LOG), 1):
        if is_as_written(line):
            record = record_of(line)
            if record is not None and record.get("point") in part:
                yield record["point"], offset, record
        elif place > 1 and damaged is not None and line.endswith(b"}\n"):  # Nor is it torn.
            damaged.append(damage(folder / LOG, place, line))


def damage(log: Path, place: int, line: bytes) -> Problem:
    """Say that a line of a log is not as it was written."""
    about = "has no checksum" if not line.startswith(CHECKED) else "is not as it was written"
    read = line[_BEHIND : _BEHIND + 60].decode(errors="backslashreplace")
    return Problem(
        str(log), place, 1, "", f"this point {about} ({read} ...); it is run again", "warning"
    )


def document(path: Path) -> Any:
    """Read a JSON file; None if it is not there, or is none."""
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _documents(path: Path) -> Iterator[tuple[int, Any]]:
    """Read the lines of a log as JSON; those that were torn are left out."""
    for offset, line in _lines(path):
        try:
            yield offset, json.loads(line)
        except ValueError:
            continue


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Read lines, and where each begins."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            yield offset, line
            offset += len(line)
