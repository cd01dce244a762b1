"""Read one log with both readers, and tell where they differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from simulator.errors import InputError
from simulator.traces.columns import COLUMNS
from simulator.traces.reader import read
from tests.traces import slow_reader


@dataclass
class Answer:
    """Rows and what is unknown, or why the log is refused."""

    rows: list[dict[str, object]]
    unknown: dict[str, dict[str, int]]
    refused: str | None = None


def fast(path: Path, *, cwd: str | None = None, lenient: bool = False) -> Answer:
    """Ask the reader of simulator/traces."""
    rows: list[dict[str, object]] = []
    try:
        trace = read([path], cwd=cwd, lenient=lenient)
        for batch in trace.batches():
            rows += batch.to_pylist()
    except InputError as refusal:
        return Answer([], {}, str(refusal))
    return Answer(rows, trace.unknown)


def slow(path: Path, *, lenient: bool = False) -> Answer:
    """Ask its naive twin, which knows what lines say, and no more."""
    return slow_by(slow_reader.read, path, lenient=lenient)


def slow_by(
    reader: Callable[..., slow_reader.Reading], path: Path, *, lenient: bool = False
) -> Answer:
    """Ask a naive reader."""
    try:
        reading = reader(path, lenient=lenient)
    except slow_reader.RefusedError as refusal:
        return Answer([], {}, str(refusal))
    return Answer([asdict(row) for row in reading.rows], reading.unknown)


def by_first_row(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Number the processes by their first rows; some appear in a log without a call."""
    numbers: dict[object, int] = {}
    return [{**row, "process": numbers.setdefault(row["process"], len(numbers))} for row in rows]


def differences(one: Answer, other: Answer, *, most: int = 10) -> list[str]:
    """The first few differences, in words; empty if there are none."""
    if (one.refused is None) != (other.refused is None):
        return [f"refused: {one.refused!r} and {other.refused!r}"]
    found = []
    if len(one.rows) != len(other.rows):
        found.append(f"rows: {len(one.rows)} and {len(other.rows)}")
    pairs = zip(by_first_row(one.rows), by_first_row(other.rows), strict=False)
    for at, (left, right) in enumerate(pairs):
        both = [name for name in COLUMNS if name in left and name in right]
        unequal = {name: (left[name], right[name]) for name in both if left[name] != right[name]}
        if unequal:
            found.append(f"row {at} ({left['call']}, {right['call']}): {unequal}")
    found += [
        f"{what}: {counts} and {other.unknown[what]}"
        for what, counts in one.unknown.items()
        if what in other.unknown and counts != other.unknown[what]
    ]
    return found[:most]


def same(path: Path, *, cwd: str | None = None, lenient: bool = False) -> Answer:
    """Both readers' answer, which must be one."""
    quick = fast(path, cwd=cwd, lenient=lenient)
    found = differences(quick, slow(path, lenient=lenient))
    assert not found, "fast and slow differ:\n" + "\n".join(found)
    return quick
