"""What ``nwtsim trace record`` writes beside a log: the run without strace, and strace's own cost.

``LOG.record.json`` belongs to the log whose first line it has; of another one it is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.traces.errors import TraceError

FORMAT = "trace-record/1"
BESIDE = ".record.json"
"""What the name of a log's record has behind the log's."""
PACKED = (".gz", ".bz2", ".xz", ".zst")
"""Endings of a log that was compressed after it was recorded."""
CACHES = ("as-is", "warm", "drop")
KINDS = ("plain", "data", "path", "struct")
"""Calls that cost strace differently: numbers only; a buffer; a name; a record that it prints."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What strace adds to a call of one kind, in ns, and what the call takes without it."""

    inside: float
    """To the time that strace says of the call (-T)."""
    outside: float
    """To the time between the call and the next one."""
    untraced: float
    """What such a call that does nothing takes by itself."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A run of the command."""

    elapsed_ns: int
    user_ns: int
    system_ns: int
    """Processor time of it and of all processes that it waited for."""
    waiting_ns: int
    """Its first process was ready and had no processor: the machine was busy."""
    read_bytes: int
    """Read from devices."""
    status: int
    """Its exit status; a signal's number below 0."""
    faults: int = 0
    """Pages that it touched first, without reading them (0 in older records)."""


@dataclass(frozen=True, slots=True)
class Record:
    """How a log was made, and what the same command does without strace."""

    command: tuple[str, ...]
    cwd: str
    cache: str
    """How the page cache was prepared: one of :data:`CACHES`."""
    host: str
    kernel: str
    filesystem: str
    """Type of the file system of ``cwd``."""
    strace: str
    date: str
    first_line: str
    """Of the log."""
    traced: Ended
    untraced: Ended | None
    """None: the command was run once only, under strace."""
    costs: Mapping[str, Cost]
    """One for each of :data:`KINDS`."""
    child_ns: float
    """What strace adds to the making of a process."""
    fault_ns: float = 0.0
    """What a program's first touch of a page of memory takes (0 in older records)."""
    far_ns: float = 0.0
    """What reading a page of memory takes that no cache of a processor has (0 in older records)."""
    counted_ns: float = 0.0
    """What the system counts as the program's own time of each call (0 in older records)."""
    start_ns: float = 0.0
    """What starting a program takes that does nothing, until it has ended (0 in older records)."""
    runs: int = 1
    """How often the command ran without strace: ``untraced`` is the run of the middle time, with
    the user time's part of the processor time in all of them."""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {
            "format": FORMAT,
            "command": list(self.command),
            "cwd": self.cwd,
            "cache": self.cache,
            "host": self.host,
            "kernel": self.kernel,
            "filesystem": self.filesystem,
            "strace": self.strace,
            "date": self.date,
            "first_line": self.first_line,
            "untraced": None if self.untraced is None else _ended_record(self.untraced),
            "traced": _ended_record(self.traced),
            "call": {
                kind: {
                    "inside_ns": cost.inside,
                    "outside_ns": cost.outside,
                    "untraced_ns": cost.untraced,
                }
                for kind, cost in self.costs.items()
            },
            "child_ns": self.child_ns,
            "fault_ns": self.fault_ns,
            "far_ns": self.far_ns,
            "counted_ns": self.counted_ns,
            "start_ns": self.start_ns,
            "runs": self.runs,
        }

    def to_json(self) -> str:
        """Write the file."""
        return json.dumps(self.to_record(), indent=1, ensure_ascii=False) + "\n"


def _ended_record(one: Ended) -> dict[str, int]:
    return {
        "elapsed_ns": one.elapsed_ns,
        "user_ns": one.user_ns,
        "system_ns": one.system_ns,
        "waiting_ns": one.waiting_ns,
        "read_bytes": one.read_bytes,
        "status": one.status,
        "faults": one.faults,
    }


def beside(log: Path) -> Path:
    """Return the name of a log's record.

    >>> beside(Path("job.strace")).name
    'job.strace.record.json'
    """
    return log.with_name(log.name + BESIDE)


def record_of_log(log: Path) -> Record | None:
    """Return the record beside a log; None if there is none. TraceError if it is not of this log.

    A log that was compressed afterwards keeps its record.
    """
    plain = log.with_suffix("") if log.suffix in PACKED else log
    path = next((one for one in (beside(log), beside(plain)) if one.is_file()), None)
    if path is None or not log.is_file():
        return None
    found = read_record(path)
    if _first_line(log) != found.first_line:
        raise TraceError(
            f"{path}: is of another log than {log}; remove it, or record the program again with"
            " 'nwtsim trace record'"
        )
    return found


def first_line_of(start: bytes) -> str:
    """Return the first line of a log that begins so, as records keep it."""
    return start.partition(b"\n")[0].decode("utf-8", "replace")


def _first_line(log: Path) -> str:
    from simulator.traces.sources import Source

    source = Source(log, lenient=True)
    try:
        block = next(source.blocks(), None)
        return first_line_of(bytes(block.data[: block.stop])) if block is not None else ""
    finally:
        source.close()


def read_record(path: Path) -> Record:
    """Read a record; TraceError with a line for each mistake in it."""
    from simulator.inputfile import open_input

    try:
        with open_input(path) as file:
            raw = json.loads(file.readall())
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{path}: not JSON ({error}); record the program again") from None
    return checked(raw, str(path))


def checked(raw: Any, name: str) -> Record:
    """Return the record of what a file or a store called ``name`` holds; TraceError if it cannot.

    Every mistake is a line: the key, what was read, and what is expected.
    """
    fields = _Fields(raw)
    if fields.get("format") != FORMAT:
        raise TraceError(
            f"{name}: format: {fields.get('format')!r}; this nwtsim reads {FORMAT!r}: record the"
            " program again"
        )
    texts = {
        key: fields.text(key)
        for key in ("cwd", "host", "kernel", "filesystem", "strace", "date", "first_line")
    }
    command = fields.get("command")
    if not (isinstance(command, list) and command and all(isinstance(w, str) for w in command)):
        fields.wrong("command", "a list of words")
        command = ()
    cache = fields.text("cache")
    if cache not in CACHES:
        fields.wrong("cache", ", ".join(CACHES))
    untraced = None if fields.get("untraced") is None else fields.ended("untraced")
    found = Record(
        command=tuple(command),
        cache=cache,
        traced=fields.ended("traced"),
        untraced=untraced,
        costs={kind: fields.cost(f"call.{kind}") for kind in KINDS},
        child_ns=fields.number("child_ns"),
        fault_ns=fields.number("fault_ns", absent=0.0),
        far_ns=fields.number("far_ns", absent=0.0),
        counted_ns=fields.number("counted_ns", absent=0.0),
        start_ns=fields.number("start_ns", absent=0.0),
        runs=max(1, int(fields.number("runs", absent=1.0))),
        **texts,
    )
    if fields.mistakes:
        raise TraceError("\n".join(f"{name}: {one}" for one in fields.mistakes))
    return found


class _Fields:
    """Values of a JSON record by ``key.key``, with what is wrong with them."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.mistakes: list[str] = []

    def get(self, path: str) -> Any:
        value = self._raw
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def wrong(self, path: str, expected: str) -> None:
        read = "missing" if self.get(path) is None else repr(self.get(path))
        self.mistakes.append(f"{path}: {read}; it is {expected}: record the program again")

    def text(self, path: str) -> str:
        value = self.get(path)
        if not isinstance(value, str):
            self.wrong(path, "a text")
        return str(value)

    def number(self, path: str, absent: float | None = None) -> float:
        value = self.get(path)
        if value is None and absent is not None:
            return absent
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not math.isfinite(value) or value < 0 or value >= 2**62:
            self.wrong(path, "a number from 0 on")
            return 0.0
        return float(value)

    def whole(self, path: str) -> int:
        value = self.get(path)
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 2**62:
            self.wrong(path, "a whole number")
            return 0
        return value

    def ended(self, path: str) -> Ended:
        times = {
            key: int(self.number(f"{path}.{key}"))
            for key in ("elapsed_ns", "user_ns", "system_ns", "waiting_ns", "read_bytes")
        }
        faults = int(self.number(f"{path}.faults", absent=0.0))
        return Ended(**times, status=self.whole(f"{path}.status"), faults=faults)

    def cost(self, path: str) -> Cost:
        inside, outside, untraced = (
            self.number(f"{path}.{key}") for key in ("inside_ns", "outside_ns", "untraced_ns")
        )
        return Cost(inside, outside, untraced)
