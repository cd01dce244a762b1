"""Jobs of the SS-ken report from its printed counts: calls, their bytes, and files.

``experiments/ssken/jobs.yaml`` has the counts with their tables. Of millions of equal calls one in
``one_in`` is simulated, on a correspondingly shorter file; times are scaled up. Not modelled: the
order of calls on different files, which no table has.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.runtime.listed import KINDS, CallTable
from simulator.shipped import shipped_root
from simulator.study.studies import read_own
from simulator.units import parse_size
from simulator.workload.traced import Traced, TracedClient, TracedFile

CODES = {name: code for code, name in KINDS.items()}
MOVING = ("read", "write")
"""Calls with bytes."""
SEPARATOR = "#"
"""Separates the name of a file in the tables and the number of one of several."""


@dataclass(frozen=True, slots=True)
class Row:
    """Calls of a table: a repeated cycle of steps."""

    steps: tuple[str, ...]
    file: str
    files: int
    """Number of files of that name, which the cycles use in turn."""
    count: int
    """Number of cycles, as printed."""
    made: int
    """Number of simulated cycles."""
    moves: int
    """Number of calls that move bytes in all simulated cycles, for each moving step."""
    size: float
    """Mean bytes of each of them."""
    stride: float
    """Bytes from the begin of a cycle to that of the next."""
    gap_ns: float
    """Computing before each call."""

    @property
    def scale(self) -> float:
        """Number of calls that each simulated one represents."""
        return self.count / self.made


@dataclass(frozen=True, slots=True)
class Part:
    """Some calls of a job on one file system."""

    filesystem: str
    prestage: bool
    lengths: dict[str, int]
    """Bytes of existing files, as many as the simulated calls need."""
    clients: int
    """Number of identical processes, each on files of its own."""
    rows: tuple[Row, ...]

    def scales(self) -> dict[tuple[str, str], float]:
        """Number of calls that a simulated one represents, by call and file."""
        return {(step, row.file): row.scale for row in self.rows for step in row.steps}


@dataclass(frozen=True, slots=True)
class PrintedJob:
    """A program of the report as described by its tables."""

    name: str
    ref: str
    machine: str
    """Name of the machine's file in the study's folder."""
    one_in: int
    settings: tuple[tuple[str, str], ...]
    parts: tuple[Part, ...]
    fitted: tuple[str, ...] = ()
    """Printed numbers to which values in its settings and gaps were fitted."""
    alike: str = ""
    """A job of which it is another run, or another node."""
    before: str = ""
    """The run of the same work in the previous year."""


def load_jobs() -> dict[str, PrintedJob]:
    """Return the jobs of the study's file, cached."""
    return dict(_shipped())


@functools.cache
def _shipped() -> Mapping[str, PrintedJob]:
    path = shipped_root("experiments") / "ssken" / "jobs.yaml"
    raw = read_own(path.read_text(encoding="utf-8"))
    return {name: job_of(name, one) for name, one in raw["jobs"].items()}


@functools.cache
def calls_of(name: str, number: int) -> Traced:
    """Return the calls of one part of a shipped job, cached."""
    return traced(name, _shipped()[name].parts[number])


def job_of(name: str, raw: Mapping[str, Any]) -> PrintedJob:
    """Return a job from its description in the file."""
    one_in = int(raw.get("one_in", 1))
    parts = [_part(one, one_in) for one in raw["parts"]]
    settings = tuple((path, str(value)) for path, value in raw.get("set", {}).items())
    fitted = tuple(raw.get("fitted", ()))
    others = (raw.get("alike", ""), raw.get("before", ""))
    return PrintedJob(
        name, raw["ref"], raw["machine"], one_in, settings, tuple(parts), fitted, *others
    )


def _part(raw: Mapping[str, Any], one_in: int) -> Part:
    lengths = {
        name: max(1, round(parse_size(size) / one_in))
        for name, size in raw.get("files", {}).items()
    }
    rows = [_row(one, one_in, lengths) for one in raw["calls"]]
    times = int(raw.get("times", 1))
    prestage = bool(raw.get("prestage", False))
    return Part(
        raw["filesystem"], prestage, lengths, int(raw.get("clients", 1)), tuple(rows) * times
    )


def _row(raw: Mapping[str, Any], one_in: int, lengths: Mapping[str, int]) -> Row:
    do, count = raw["do"], int(raw["count"])
    steps = (do,) if isinstance(do, str) else tuple(do)
    made = count if count < one_in else round(count / one_in)
    moving = sum(step in MOVING for step in steps)
    moves = int(raw.get("calls", count)) * made // count
    whole = parse_size(raw["bytes"]) * made / count if "bytes" in raw else 0.0
    size = whole / (moves * moving) if moving else 0.0
    stride = lengths[raw["file"]] / made if raw.get("through") == "once" else size
    files, gap_ns = int(raw.get("files", 1)), float(raw.get("gap_ns", 0))
    return Row(steps, raw["file"], files, count, made, moves, size, stride, gap_ns)


# -- calls --------------------------------------------------------------------------------------


def traced(name: str, part: Part) -> Traced:
    """Return the calls of a part, those of each client one after the other."""
    table = CallTable()
    files: list[TracedFile] = []
    clients: list[TracedClient] = []
    for number in range(part.clients):
        client = _Client(table, part, len(files))
        for row in part.rows:
            client.add(row)
        suffix = "" if part.clients == 1 else f"{SEPARATOR}{number}"
        for file, reach in client.reach.items():
            length = part.lengths.get(file.partition(SEPARATOR)[0], 0)
            files.append(TracedFile(file + suffix, length, max(length, reach)))
        calls = len(table) - client.first
        clients.append(TracedClient(str(number), 0, -1, client.first, calls, 0))
    digest = hashlib.sha256(repr((name, part)).encode()).hexdigest()
    return Traced(name, table, tuple(clients), tuple(files), digest)


class _Client:
    """Appends the calls of one client to a table."""

    def __init__(self, table: CallTable, part: Part, files: int) -> None:
        self.table = table
        self.first = len(table)
        self.reach: dict[str, int] = {}
        """Maximum end of its calls in each file, in the order of the files' numbers."""
        self._part = part
        self._before = files
        self._numbers: dict[str, int] = {}
        self._written: set[str] = set()

    def add(self, row: Row) -> None:
        """Add the calls of a row."""
        moved = 0.0
        for cycle in range(row.made):
            file = row.file
            if row.files > 1:
                file = f"{file}{SEPARATOR}{cycle % row.files}"
            at = 0 if row.files > 1 else int(cycle * row.stride)
            for step in row.steps:
                if step not in MOVING:
                    self._call(row, step, file, at if step == "seek" else 0, 0)
                    continue
                offset = at
                moves = (cycle + 1) * row.moves // row.made - cycle * row.moves // row.made
                for _ in range(moves):
                    moved += row.size
                    size = int(moved + 0.5)
                    moved -= size
                    offset = self._wrapped(row, step, offset, size)
                    self._call(row, step, file, offset, size)
                    offset += size

    def _wrapped(self, row: Row, step: str, offset: int, size: int) -> int:
        """Return an offset at which a read remains within an existing file."""
        length = self._part.lengths.get(row.file, 0)
        if step == "read" and length and offset + size > length:
            return offset % max(1, length - size)
        return offset

    def _call(self, row: Row, step: str, file: str, offset: int, size: int) -> None:
        number = self._numbers.setdefault(file, self._before + len(self._numbers))
        self.reach[file] = max(self.reach.get(file, 0), offset + size)
        if step == "write":
            self._written.add(file)
        elif step == "close":
            size = int(file in self._written)
        calls = len(self.table)
        gap = int(row.gap_ns * (calls + 1)) - int(row.gap_ns * calls)
        self.table.add(CODES[step], number, offset, size, gap=gap)
