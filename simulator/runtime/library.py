"""Runtimes, and libraries written in Python: the calls that they make for records.

The calls of the latter are listed before a run, 40 bytes for each, so that engines are independent
of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from simulator.errors import InputError
from simulator.runtime.operations import READ, SEEK, WRITE
from simulator.runtime.records import LARGEST_FILE, MARK, NO_LIMIT

END = -1
CELLS = 5
"""Numbers of one step in a list: the fields of :class:`Step`."""
MOST_STEPS = 1 << 24
"""The longest list of one file: 671 MB of memory."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call of the operating system, and the program's work since the previous call."""

    op: int
    """SEEK, READ or WRITE; END after the last call, for the program's work after it."""
    offset: int = 0
    """Target of a write, start of a read, or destination of a seek, in bytes of the file."""
    size: int = 0
    """Bytes that the call moves; 0 for a seek."""
    copied: int = 0
    """Bytes of user data that passed the library's buffer, or were handed to it."""
    records: int = 0
    """Records completed."""


class Runtime:
    """Properties of a runtime for callers that are independent of it; each has a default."""

    default_buffer: ClassVar[int] = 8192
    """Bytes of its buffer if neither the machine nor the workload sets them."""
    unbuffered: ClassVar[str] = ""
    """Reason for which it has no buffer of adjustable size; empty if it has one."""
    how_buffer: ClassVar[str] = "give the runtime a buffer of {size} for the file"
    """Instruction to users for setting the size, which is ``{size}``, or ``{bytes}`` in bytes."""
    longest: ClassVar[int] = NO_LIMIT
    """Bytes of the longest record."""
    marked: ClassVar[bool] = True
    """True if the length of each record precedes and follows it in the file."""
    goes_back: ClassVar[bool] = False
    """True if it seeks back to write a length after the record."""


class Library(Runtime, ABC):
    """A runtime library. A file has at most two lengths of 4 bytes in addition to each record."""

    @abstractmethod
    def write(self, lengths: Sequence[int], buffer: int) -> Iterator[Step]:
        """Return the steps that write records of these lengths (in bytes)."""

    @abstractmethod
    def read(self, lengths: Sequence[int], buffer: int) -> Iterator[Step]:
        """Return the steps that read them."""


def check_count(name: str, records: int) -> None:
    """Raise InputError if the steps of so many records could not be listed."""
    if records > MOST_STEPS:
        raise InputError(f"runtime library {name}: {records} records are over {MOST_STEPS}")


def listed(library: Library, lengths: Sequence[int], buffer: int, *, write: bool) -> array[int]:
    """Return the steps of a file as one list, CELLS numbers each; the last is END.

    InputError if there are more than MOST_STEPS, or if a step is wrong.
    """
    found = array("q")
    steps = library.write(lengths, buffer) if write else library.read(lengths, buffer)
    end = sum(lengths) + 2 * MARK * len(lengths)
    for number, step in enumerate(steps, start=1):
        wrong = _wrong(step, end, MOST_STEPS - number)
        if found and found[-CELLS] == END:
            wrong = "comes after END"
        if wrong:
            name = type(library).__name__
            raise InputError(f"runtime library {name}: step {number} {wrong}: {step}")
        found.extend((step.op, step.offset, step.size, step.copied, step.records))
    if not found or found[-CELLS] != END:
        found.extend((END, 0, 0, 0, 0))
    return found


def _wrong(step: Step, end: int, left: int) -> str:
    if left < 0:
        return f"is over the most of {MOST_STEPS} of one file"
    if step.op not in (SEEK, READ, WRITE, END):
        return "has an unknown op"
    if min(step.offset, step.size, step.copied, step.records) < 0:
        return "has a number below 0"
    if step.offset + step.size > min(end, LARGEST_FILE):
        return f"goes beyond byte {end}, the records with two lengths each"
    return ""
