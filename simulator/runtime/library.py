"""Runtimes, and libraries written as plain Python: the calls that they make for records.

The calls of the latter are listed before a run, 40 bytes for each, so that engines need not know
them.
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
"""Numbers of one step in a list: as the fields of :class:`Step`."""
MOST_STEPS = 1 << 24
"""The longest list of one file: 671 MB of memory."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call of the operating system, and what the program did since the call before."""

    op: int
    """SEEK, READ or WRITE; END after the last call, for what the program did after that."""
    offset: int = 0
    """Where a write lands, a read starts, or a seek goes to, in bytes of the file."""
    size: int = 0
    """Bytes that the call moves; 0 for a seek."""
    copied: int = 0
    """Bytes of user data that went through the library's buffer, or were handed to it."""
    records: int = 0
    """Records completed."""


class Runtime:
    """What those ask of a runtime who do not know it; each has a default."""

    default_buffer: ClassVar[int] = 8192
    """Bytes of its buffer where neither the machine nor the workload says them."""
    unbuffered: ClassVar[str] = ""
    """Why it has no buffer whose size one could choose; empty if it has one."""
    how_buffer: ClassVar[str] = "give the runtime a buffer of {size} for the file"
    """How its users choose the size, which is ``{size}``, or ``{bytes}`` in bytes."""
    longest: ClassVar[int] = NO_LIMIT
    """Bytes of the longest record."""
    marked: ClassVar[bool] = True
    """The length of each record stands before it in the file, and after it."""
    goes_back: ClassVar[bool] = False
    """It goes back to write a length when the record has gone by."""


class Library(Runtime, ABC):
    """A runtime library. A file is at most two lengths of 4 bytes longer than each record."""

    @abstractmethod
    def write(self, lengths: Sequence[int], buffer: int) -> Iterator[Step]:
        """Return the steps with which records of these lengths (in bytes) are written."""

    @abstractmethod
    def read(self, lengths: Sequence[int], buffer: int) -> Iterator[Step]:
        """Return the steps with which they are read."""


def check_count(name: str, records: int) -> None:
    """Raise InputError if the steps of so many records could not be listed."""
    if records > MOST_STEPS:
        raise InputError(f"runtime library {name}: {records} records are over {MOST_STEPS}")


def listed(library: Library, lengths: Sequence[int], buffer: int, *, write: bool) -> array[int]:
    """Return the steps of a file in a row, CELLS numbers each; the last is END.

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
