"""What a Fortran runtime asks of the operating system for a file of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Call(NamedTuple):
    """A call of the operating system."""

    name: str
    """``lseek``, ``read`` or ``write``."""
    offset: int
    """Where it begins, or goes to, in bytes of the file."""
    size: int
    """Bytes that it moves; 0 for a seek."""


def fortran_calls(
    policy: str,
    records: Sequence[int] | int,
    count: int | None = None,
    *,
    buffer: str | int | None = None,
    write: bool = True,
) -> list[Call]:
    """Return the calls that write (or read) records of these lengths, in bytes.

    ``policy`` is a runtime: ``nwt``, ``nwt-predicted``, ``gfortran``, ``flang``, ``posix``, or a
    library of your own. ``records``: a length, or several that follow each other in turn, ``count``
    in all (by default each once). ``buffer``: bytes, or a text such as ``"600 kB"``; by default
    that of the runtime. ValueError for an unknown runtime or impossible lengths.

    >>> import nwtsim
    >>> [call.name for call in nwtsim.fortran_calls("gfortran", 400_000, 1)]
    ['write', 'write', 'lseek', 'write', 'lseek', 'write']
    """
    from simulator.runtime.fortran import ListedLengths, record_stream
    from simulator.runtime.operations import READ, SEEK, WRITE
    from simulator.units import parse_size

    names = {SEEK: "lseek", READ: "read", WRITE: "write"}
    lengths = (records,) if isinstance(records, int) else tuple(records)
    room = int(parse_size(buffer)) if isinstance(buffer, str) else buffer
    listed = ListedLengths(lengths, count)
    stream = record_stream(policy, write=write, buffer=room, lengths=listed)
    made = []
    while stream.step():
        made.append(Call(names[stream.op], stream.offset, stream.size))
    return made
