"""The files of ``strace -ff -o LOG`` (LOG.PID, ...) as one log, put together by their times.

A file is opened when its first line is due, and read in pieces; the pid from its name is written
before each line, as ``strace -f`` does. Lines of the same time stand in the order of the pids.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from simulator.traces.errors import WRONG, DamagedTraceError, TraceError
from simulator.traces.sources import BLOCK, Block, Source

NAME = re.compile(r"(?P<stem>.+)\.(?P<pid>\d+)(\.gz|\.bz2|\.xz|\.zst)?")
STAMP = re.compile(rb"\s*(?:(\d\d):(\d\d):(\d\d)|(\d{9,11}))(?:\.(\d{1,9}))?\s")
STEP = re.compile(rb"\s*\d{1,8}\.\d+\s")
HAS_PID = re.compile(rb"\s*(\[pid\s+\d+|\d+(<.*?>)?\s+(\d|[a-z_]+\(|<\.\.\.|\+\+\+|---))")
WHOLE = (b")", b">", b"?", b"+++")
HALF_DAY = 12 * 3600 * 10**9


def families(paths: Sequence[Path]) -> list[list[Path]]:
    """Put the files of one ``strace -ff`` together; every other log is alone.

    They are named LOG.PID, are of one folder, and have no pids in their lines.
    """
    found: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        match = NAME.fullmatch(path.name)
        key = (path.parent, match["stem"] + "." if match else path.name)
        found.setdefault(key, []).append(path)
    worlds: list[list[Path]] = []
    for family in found.values():
        named = len(family) > 1 and all(NAME.fullmatch(path.name) for path in family)
        if named and not any(HAS_PID.match(_first_line(path)) for path in family):
            worlds.append(sorted(family, key=pid_of))
        else:
            worlds.extend([path] for path in family)
    return worlds


def pid_of(path: Path) -> int:
    """Return the pid in a file's name."""
    match = NAME.fullmatch(path.name)
    return int(match["pid"]) if match else 0


def _first_line(path: Path) -> bytes:
    source = Source(path, lenient=True, block=1 << 12)
    try:
        for block in source.blocks():
            return bytes(block.data[: block.data.find(b"\n")])
    finally:
        source.close()
    return b""


@dataclass(slots=True)
class MergedBlock(Block):
    """A block whose lines are of several files."""

    origins: list[tuple[Path, int]] = field(default_factory=list)
    """For each line its file, and its number in that."""


class MergedSource:
    """The files of one ``strace -ff`` together; what :class:`Source` has."""

    compression: str | None = None

    def __init__(self, paths: Sequence[Path], *, lenient: bool) -> None:
        self.paths = paths
        self.path = paths[0].with_name(NAME.fullmatch(paths[0].name)["stem"] + ".*")  # type: ignore[index]
        self.lenient = lenient
        self.skipped = 0
        self.size = sum(path.stat().st_size for path in paths)
        self._read = 0
        self._piece = max(1 << 12, min(BLOCK, (64 << 20) // len(paths)))

    def position(self) -> int:
        """Return how many bytes of the files have been read."""
        return self._read

    def close(self) -> None:
        """Do nothing: each file is closed at its end."""

    def give_back(self, block: Block) -> None:
        """Do nothing: blocks are made of copied lines."""

    def blocks(self) -> Iterator[Block]:
        """Yield the lines of all files by their times."""
        begins = [(self._first_time(path), k) for k, path in enumerate(self.paths)]
        self._unroll(begins)
        lines: list[bytes] = []
        origins: list[tuple[Path, int]] = []
        size = 0
        for _, _, line, origin in _merged(begins, self._lines):
            lines.append(line)
            origins.append(origin)
            size += len(line)
            if size > BLOCK:
                yield self._block(lines, origins)
                lines, origins, size = [], [], 0
        if lines:
            yield self._block(lines, origins)

    @staticmethod
    def _block(lines: list[bytes], origins: list[tuple[Path, int]]) -> MergedBlock:
        data = bytearray(b"".join(lines))
        return MergedBlock(data, len(data), origins=origins)

    def _first_time(self, path: Path) -> int:
        first = _first_line(path)
        time = _time(first)
        if time is None:
            what = "only steps (-r)" if STEP.match(first) else "no time"
            raise TraceError(
                f"{path}:1: {what} in its lines: the files of strace -ff cannot be put in order;"
                " trace with -ttt as well, or import each file for itself"
            )
        return time

    def _unroll(self, begins: list[tuple[int, int]]) -> None:
        """Move files that begin after midnight behind those before it, by times of the day."""
        if begins and max(begins)[0] < 2 * HALF_DAY and max(begins)[0] - min(begins)[0] > HALF_DAY:
            begins[:] = [
                (time + 2 * HALF_DAY if time < HALF_DAY else time, k) for time, k in begins
            ]

    def _lines(self, k: int, begin: int) -> Iterator[tuple[int, int, bytes, tuple[Path, int]]]:
        """Yield the lines of a file: its time, its file's number, itself, and where it is from."""
        path = self.paths[k]
        prefix = b"%d " % pid_of(path)
        source = Source(path, lenient=self.lenient, block=self._piece)
        number = 0
        last = begin
        try:
            for block in source.blocks():
                texts = bytes(block.data[: block.stop]).split(b"\n")
                texts.pop()
                for n, text in enumerate(texts):
                    number += 1
                    time = _time(text)
                    if time is not None:
                        last = _later(time, last)
                    if block.cut and n == len(texts) - 1 and not text.endswith(WHOLE):
                        self._cut(path, number, text)
                        continue
                    whole = text if time is None else prefix + text
                    yield last, k, whole + b"\n", (path, number)
                self._read += block.stop
        finally:
            self.skipped += source.skipped
            source.close()

    def _cut(self, path: Path, number: int, text: bytes) -> None:
        if not self.lenient:
            raise DamagedTraceError(path, number, WRONG["CUT_OFF"], text)
        self.skipped += 1


def _merged(
    begins: list[tuple[int, int]], lines: object
) -> Iterator[tuple[int, int, bytes, tuple[Path, int]]]:
    """Merge what ``lines`` gives of each file, which is asked for when its first time has come."""
    waiting = sorted(begins)
    waiting.reverse()
    heap: list[tuple[int, int, bytes, tuple[Path, int], Iterator[object]]] = []
    while heap or waiting:
        while waiting and (not heap or waiting[-1] <= heap[0][:2]):
            time, k = waiting.pop()
            rest = lines(k, time)  # type: ignore[operator]
            first = next(rest, None)
            if first is not None:
                heapq.heappush(heap, (*first, rest))
        if not heap:
            continue
        time, k, line, origin, rest = heap[0]
        yield time, k, line, origin
        following = next(rest, None)
        if following is None:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (*following, rest))  # type: ignore[misc]


def _later(time: int, last: int) -> int:
    """Unroll a time of the day: a step back of more than half a day is the next midnight."""
    if time < 2 * HALF_DAY:
        time += last // (2 * HALF_DAY) * (2 * HALF_DAY)
        if last - time > HALF_DAY:
            time += 2 * HALF_DAY
    return time


def _time(line: bytes) -> int | None:
    match = STAMP.match(line)
    if not match:
        return None
    hour, minute, second, epoch, fraction = match.groups()
    seconds = int(epoch) if epoch else (int(hour) * 60 + int(minute)) * 60 + int(second)
    return seconds * 10**9 + int((fraction or b"").ljust(9, b"0"))
