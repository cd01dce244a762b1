"""The record beside a log: the run without strace, and strace's own cost; ``nwtsim trace record``.

``LOG.record.json`` belongs to the log whose first line it has; of another one it is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from simulator.traces.errors import TraceError

FORMAT = "trace-record/1"
BESIDE = ".record.json"
"""What the name of a log's record has behind the log's."""
PACKED = (".gz", ".bz2", ".xz", ".zst")
"""Endings of a log that was compressed after it was recorded."""
CACHES = ("as-is", "warm", "drop")
_KEYS = {"costs": "call"}
"""Keys of the file that are not the names of their fields; those of a cost end in ``_ns``."""
KINDS = ("plain", "data", "path", "struct")
"""Calls that cost strace differently: numbers only; a buffer; a name; a record that it prints."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Costs of a call of one kind under strace, and without it; ns."""

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
    """The making of a log, and a run of the same command without strace."""

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
    untraced: Ended | None
    """None: the command was run once only, under strace."""
    traced: Ended
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
        values = {"format": FORMAT, **asdict(self), "command": list(self.command)}
        values["costs"] = {
            kind: {f"{name}_ns": ns for name, ns in cost.items()}
            for kind, cost in values["costs"].items()
        }
        return {_KEYS.get(name, name): value for name, value in values.items()}

    def to_json(self) -> str:
        """Write the file."""
        return json.dumps(self.to_record(), indent=1, ensure_ascii=False) + "\n"


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
    reading = _Reading(raw)
    if reading.get("format") != FORMAT:
        raise TraceError(
            f"{name}: format: {reading.get('format')!r}; this nwtsim reads {FORMAT!r}: record the"
            " program again"
        )
    found: Record = reading.of(Record)
    if found.cache not in CACHES:
        reading.wrong("cache", ", ".join(CACHES))
    if reading.mistakes:
        raise TraceError("\n".join(f"{name}: {one}" for one in reading.mistakes))
    return replace(found, runs=max(1, found.runs))


class _Reading:
    """Dataclasses made of a JSON record, with what is wrong with its values."""

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

    def of(self, kind: Any, within: str = "") -> Any:
        """Return a dataclass of what stands below a path; what is absent has its default."""
        made = {}
        for one in fields(kind):
            key = f"{one.name}_ns" if kind is Cost else _KEYS.get(one.name, one.name)
            absent = self.get(within + key) is None and one.default is not MISSING
            made[one.name] = one.default if absent else self._value(within + key, str(one.type))
        return kind(**made)

    def _value(self, path: str, form: str) -> Any:
        """Return the value at a path, as the type of its field has it."""
        value = self.get(path)
        if form.startswith("Ended"):
            return None if value is None and "None" in form else self.of(Ended, f"{path}.")
        if form == "Mapping[str, Cost]":
            return {kind: self.of(Cost, f"{path}.{kind}.") for kind in KINDS}
        good, expected = _FORMS[form if not path.endswith("status") else "status"]
        if not good(value):
            self.wrong(path, expected)
            return "" if form == "str" else () if form.startswith("tuple") else 0
        return {"int": int, "float": float, "str": str}.get(form, tuple)(value)


def _is_number(value: Any) -> bool:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and math.isfinite(value) and 0 <= value < 2**62


_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "str": (lambda value: isinstance(value, str), "a text"),
    "int": (_is_number, "a number from 0 on"),
    "float": (_is_number, "a number from 0 on"),
    "status": (lambda value: type(value) is int and abs(value) < 2**62, "a whole number"),
    "tuple[str, ...]": (
        lambda value: (
            isinstance(value, list) and bool(value) and all(isinstance(word, str) for word in value)
        ),
        "a list of words",
    ),
}
"""Of each type of a field what its values are, in a test and in words."""
