"""The file operations of a Fortran runtime, written one by one: a list may be longer than memory.

The columns are the operation as the system calls it, the offset where a write lands, a read
begins or an lseek goes to, and the bytes that it moves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO

from simulator.runtime.fortran import READ, SEEK, WRITE

if TYPE_CHECKING:
    from simulator.runtime.fortran import RecordStream

_NAMES = {SEEK: "lseek", READ: "read", WRITE: "write"}


class Operation(NamedTuple):
    """One call, as strace shows it."""

    op: str
    offset: int
    size: int


def operations(stream: RecordStream) -> Iterator[Operation]:
    """Yield the calls of a stream in their order."""
    while stream.step():
        yield Operation(_NAMES[stream.op], stream.offset, stream.size)


def write_operations(
    calls: Iterable[Operation], form: Literal["csv", "json", "table"], file: TextIO
) -> None:
    """Write calls as a table for people, as CSV, or as a JSON list of objects."""
    if form == "json":
        separator = "[\n"
        for call in calls:
            file.write(f"{separator}  {json.dumps(call._asdict())}")
            separator = ",\n"
        file.write("[]\n" if separator == "[\n" else "\n]\n")
    elif form == "csv":
        file.write("op,offset,size\n")
        file.writelines(f"{op},{offset},{size}\n" for op, offset, size in calls)
    else:
        file.write(f"{'op':<6}{'offset (B)':>20}{'size (B)':>16}\n")
        file.writelines(f"{op:<6}{offset:>20,}{size:>16,}\n" for op, offset, size in calls)
