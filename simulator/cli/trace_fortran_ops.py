"""``nwtsim trace fortran-ops``: what a Fortran runtime asks of the operating system.

List, in order, the file operations with which a Fortran runtime writes or reads sequential
unformatted records. gfortran and flang are modelled call for call, as strace shows them; nwt is the
runtime of the Numerical Wind Tunnel, which seeks back to rewrite the length of a record, and
nwt-predicted is its improved version. The command runs no program and touches no file.

Examples:
  nwtsim trace fortran-ops --policy gfortran --record 100000 --count 3 --buffer 8192
  nwtsim trace fortran-ops --policy nwt --record '64 kB,8 B' --count 10 --format table
  nwtsim trace fortran-ops --policy nwt --record '1 MB' --count 4 --read --format json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, TextIO

from simulator.cli import options
from simulator.cli.shared import Table
from simulator.runtime.operations import READ, SEEK, WRITE
from simulator.units import LARGEST

if TYPE_CHECKING:
    from simulator.runtime.fortran import RecordStream


def table() -> Table:
    """Return the options."""
    from simulator.runtime.fortran import POLICIES

    return {
        f"--policy {'|'.join(POLICIES)}!": "the runtime library",
        "--record BYTES[,BYTES...] lengths!": "user data of a record, like 800 or '64 kB'; several"
        " lengths alternate",
        f"--count N 0..{LARGEST}!": "number of records",
        "--buffer BYTES buffer": "the runtime's buffer, like 8192 or '600 kB' (default: that of the"
        " runtime; flang's is fixed)",
        "--read": "read the records (default: write)",
        "format:csv:json:table": "",
    }


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.runtime.fortran import record_stream
    from simulator.runtime.lengths import ListedLengths

    stream = record_stream(
        arguments.policy,
        write=not arguments.read,
        buffer=arguments.buffer,
        lengths=ListedLengths(arguments.record, arguments.count),
    )
    write_operations(operations(stream), arguments.format, sys.stdout)
    return 0


def lengths(text: str) -> tuple[int, ...]:
    """Read the lengths of records."""
    return tuple(_bytes(one, 0) for one in text.split(","))


def buffer(text: str) -> int:
    """Read the size of a buffer."""
    return _bytes(text, 1)


def _bytes(text: str, least: int) -> int:
    """Read a size: plain bytes, or with a unit."""
    plain = text if text.strip().isdecimal() else str(options.size(text))
    return options.whole(plain, least, LARGEST)


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
