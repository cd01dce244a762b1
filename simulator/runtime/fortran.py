"""Fortran record buffers: which calls a runtime library makes for sequential records.

A program writes and reads records; the operating system sees what the runtime's buffer makes
of them. Four runtimes are modelled, each in a module of its own:

``nwt``            the library of the Numerical Wind Tunnel, which rewrites every length
``nwt-predicted``  the same with the cure of the paper: the length is predicted
``gfortran``       GNU Fortran, call for call
``flang``          LLVM Fortran, call for call

>>> stream = record_stream("nwt", write=True, buffer=50, lengths=FixedLengths(52, 1))
>>> while stream.step():
...     print(("seek", "read", "write")[stream.op], stream.offset, stream.size)
write 0 50
seek 0 0
write 0 4
seek 50 0
write 50 10
"""

from __future__ import annotations

from simulator.runtime import gfortran, nwt
from simulator.runtime.flang import FlangRead, FlangWrite
from simulator.runtime.gfortran import GfortranRead, GfortranWrite
from simulator.runtime.nwt import NwtRead, NwtWrite
from simulator.runtime.records import (
    NO_LIMIT,
    READ,
    SEEK,
    WRITE,
    FixedLengths,
    Lengths,
    ListedLengths,
    RecordStream,
)

__all__ = [
    "POLICIES",
    "READ",
    "SEEK",
    "WRITE",
    "FixedLengths",
    "Lengths",
    "ListedLengths",
    "RecordStream",
    "record_stream",
]

POLICIES = ("nwt", "nwt-predicted", "gfortran", "flang")


def record_stream(
    policy: str,
    *,
    write: bool,
    buffer: int | None,
    lengths: Lengths,
    request: int | None = None,
) -> RecordStream:
    """The calls with which the runtime ``policy`` writes or reads records of ``lengths``.

    ``buffer`` is the size of the runtime's buffer in bytes; None is the runtime's own default.
    flang does not let one choose, so there it changes nothing. ``request`` is for gfortran alone:
    the bytes that a program hands over at a time where that is not a whole record, such as one
    column of an array of two dimensions.
    """
    if buffer is not None and buffer < 1:
        raise ValueError(f"the buffer has {buffer} bytes; give 1 or more, or None for the default")
    if request is not None and request < 1:
        raise ValueError(f"a request has {request} bytes; give 1 or more, or None for a record")
    if policy in ("nwt", "nwt-predicted"):
        size = nwt.DEFAULT_BUFFER if buffer is None else buffer
        if write:
            return NwtWrite(lengths, buffer=size, predicted=policy == "nwt-predicted")
        return NwtRead(lengths, buffer=size)
    if policy == "gfortran":
        size = gfortran.DEFAULT_BUFFER if buffer is None else buffer
        most = NO_LIMIT if request is None else request
        if write:
            return GfortranWrite(lengths, buffer=size, request=most)
        return GfortranRead(lengths, buffer=size, request=most)
    if policy == "flang":
        return FlangWrite(lengths) if write else FlangRead(lengths)
    raise ValueError(f"there is no runtime {policy!r}; give one of {', '.join(POLICIES)}")
