"""Fortran record buffers: the calls of a runtime library for sequential records.

A program writes and reads records; the operating system sees the calls of the runtime's buffer.
Four runtimes are modelled, each in a module of ``simulator/kinds/runtimes``:

``nwt``            the library of the Numerical Wind Tunnel, which rewrites every length
``nwt-predicted``  the same with the cure of the paper: the length is predicted
``gfortran``       GNU Fortran, call for call
``flang``          LLVM Fortran, call for call

>>> from simulator.runtime.lengths import FixedLengths
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

from simulator.kinds.runtimes.gfortran import MAX_SUBRECORD
from simulator.runtime.lengths import Lengths
from simulator.runtime.lengthtable import LengthTable
from simulator.runtime.policies import all_names, runtime_of
from simulator.runtime.records import NO_LIMIT
from simulator.runtime.streams import RecordStreams

POLICIES = tuple(name for name in all_names() if name != "posix")
"""The policies of Fortran runtimes; a program without one is ``posix``."""


class RecordStream:
    """The calls of a sequential write or read of one file, one at a time.

    Before the first :meth:`step` there is no call yet. After the last one ``step`` returns
    False, and ``copied`` and ``records`` hold the program's work after that call.
    """

    op: int
    """The current call: SEEK, READ or WRITE."""
    offset: int
    """Target of a write, start of a read, or destination of a seek, in bytes of the file."""
    size: int
    """Bytes that the call moves; 0 for a seek; at the end of the file a read is shortened."""
    copied: int
    """Bytes of user data copied between the previous call and this one.

    Data that the runtime writes straight from the program counts at the call that writes it.
    """
    records: int
    """Records completed between the previous call and this one."""

    def __init__(self, streams: RecordStreams) -> None:
        """``streams``: a table whose row 0 has begun."""
        self._streams = streams
        self._show()

    def step(self) -> bool:
        """Advance to the next call; return False when there is none."""
        more = self._streams.step(0)
        self._show()
        return bool(more)

    def add_up(self) -> tuple[int, int, int, int, int]:
        """Consume the remaining calls; return the sums of ``RecordStreams.add_up``."""
        return self._streams.add_up(0)

    def _show(self) -> None:
        streams = self._streams
        self.op = streams.op[0]
        self.offset = streams.offset[0]
        self.size = streams.size[0]
        self.copied = streams.copied[0]
        self.records = streams.records[0]


def record_stream(
    policy: str,
    *,
    write: bool,
    buffer: int | None,
    lengths: Lengths,
    request: int | None = None,
    subrecord: int | None = None,
) -> RecordStream:
    """Return the calls with which the runtime ``policy`` writes or reads records of ``lengths``.

    ``buffer`` is the size of the runtime's buffer in bytes; None is the runtime's own default.
    flang does not let one choose, so there it changes nothing. Two more are for gfortran alone:
    ``request`` is the bytes that a program hands over at a time where that is not a whole record,
    such as one column of an array of two dimensions; ``subrecord`` is the most data in one piece
    of a record, which an option of the compiler sets.
    """
    if policy not in all_names():
        raise ValueError(f"there is no runtime {policy!r}; give one of {', '.join(all_names())}")
    table = LengthTable()
    row = lengths.add_to(table)
    streams = RecordStreams(1, table, MAX_SUBRECORD if subrecord is None else subrecord)
    if buffer is None:
        buffer = runtime_of(policy).default_buffer
    streams.begin(
        0,
        streams.number_of(policy, write, buffer, row),
        write,
        buffer,
        NO_LIMIT if request is None else request,
        row,
    )
    return RecordStream(streams)
