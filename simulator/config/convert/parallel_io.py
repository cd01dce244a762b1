"""The old formats ``parallel-io/1`` (a machine of I/O nodes) and ``array-io/1`` (an array).

They are read to be converted, and for nothing else.

Sizes are bytes, times nanoseconds, rates bytes per second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.config.checks import Fault, Plain
from simulator.config.document import Document
from simulator.config.errors import Path
from simulator.config.load import Kind
from simulator.config.quantities import (
    Count,
    CountOrNone,
    FileName,
    Flag,
    Rate,
    Size,
    Text,
    Time,
    word,
)
from simulator.config.section import Section
from simulator.units import Bytes, Nanoseconds, format_size, parse_count, parse_size

Operation = Annotated[Literal["read", "write"], word("operation", "read", "write")]
Interface = Annotated[
    Literal["unix", "view", "collective"], word("interface", "unix", "view", "collective")
]
"""UNIX type, file view, file view with collective calls."""

_METHODS = (
    "auto",
    "unix",
    "offsets",
    "list",
    "stride",
    "sieving",
    "disk-directed",
    "server-directed",
    "two-phase",
)
Method = Annotated[
    Literal[
        "auto",
        "unix",
        "offsets",
        "list",
        "stride",
        "sieving",
        "disk-directed",
        "server-directed",
        "two-phase",
    ],
    word("method", *_METHODS),
]

LARGEST_COUNT = 1 << 20
"""Pieces of one array, so that a mistake in a size is not hours of work."""
MOST_NODES = 1024


class Ports(Section):
    """The crossbar between the nodes; a port serves first come, first served."""

    port_rate: Rate
    """Rate of one port, each way."""
    latency: Time
    """Time of one message beside its transfer."""
    header: Size
    """Bytes of a message beside its data."""


class Library(Section):
    """MPI-IO and the system on the node of a process."""

    call_overhead: Time
    """One system call: the library, the UNIX server of the node, finding the sub-files."""
    item_overhead: Time
    """Putting one piece on a list."""
    item_size: Size
    """Bytes of a piece on a list."""
    stride_size: Size
    """Bytes of the four numbers of a stride."""
    copy_rate: Rate
    """Copying in the library: data sieving, two-phase."""
    transfer_buffer: Size
    """Bytes of one call that are under way at one time."""
    sieve_buffer: Size
    """Bytes that data sieving reads at one time."""
    exchange_buffer: Size
    """Bytes that a process of two-phase reads or writes at one time."""
    lock_overhead: Time
    """Asking for the lock of a file, and giving it back."""
    barrier_overhead: Time
    """Telling the others that one has come to a collective call."""


class Features(Section):
    """What the system offers to the library."""

    stride_io: Flag = True
    """One call for pieces at equal distances."""
    list_io: Flag = True
    """One call for a list of pieces."""
    collective: Flag = True
    """Collective calls, merged by the I/O nodes."""
    file_lock: Flag = True
    """An independent write of several pieces holds the file's lock."""


class IoNodes(Section):
    """The part of a node that serves input and output."""

    request_overhead: Time
    """Its processor's time for one request,"""
    piece_overhead: Time
    """and for each piece of it."""
    copy_rate: Rate
    """Copying between buffer cache and transfer buffer."""
    servers: Count = 1
    """Requests that it works on at one time."""
    buffer_cache: Size
    """Its memory for blocks."""
    block: Size
    """Bytes of a block."""
    prefetch: CountOrNone
    """Blocks that are read ahead."""


class Raid(Section):
    """The RAID unit of an I/O node."""

    rate: Rate
    """Of its disks together."""
    overhead: Time
    """Paid by a request that does not follow the one before at once."""
    seek: Time
    """Paid by a request that does not continue the one before."""
    turn: Time
    """One turn; half of it is lost after a seek or a pause."""
    cache: Size
    """Its own cache."""
    bus_rate: Rate
    """Of the bus between it and the node."""
    bus_overhead: Time
    """Paid by every request on the bus."""


class Striping(Section):
    """How a file is dealt out to sub-files."""

    block: Size
    """Bytes in one piece."""
    subfiles: Count | None = None
    """On how many I/O nodes, from node 0 on; or write their order."""
    order: Annotated[tuple[CountOrNone, ...], Field(min_length=1)] | None = None
    """The I/O nodes in the order in which they get pieces."""


class RegionStriping(Striping):
    """Striping of a part of a file."""

    size: Size
    """Bytes of this part; the last one goes to the end of the file."""


class ParallelIo(Document):
    """Nodes on a crossbar that compute, and serve input and output too."""

    format: Annotated[
        Literal["parallel-io/1"], word("parallel-io-format", "parallel-io/1", sourced=False)
    ]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
    nodes: Count
    """Each computes, and has a RAID unit."""
    crossbar: Ports
    library: Library
    features: Features = Features()
    ionode: IoNodes
    raid: Raid
    striping: Striping
    """Of files that do not say otherwise."""


class Array(Section):
    """An array in a file, divided by columns: each row has a piece for each process."""

    size: Size
    """All pieces together."""
    piece: Size
    """What one process has of a row."""
    gap: Size | None = None
    """Bytes between two rows that nobody wants."""
    exists: Flag = True
    """The file is on disk before a write; what is read always is."""


class ArrayIo(Document):
    """What processes do with an array in a file."""

    format: Annotated[Literal["array-io/1"], word("array-io-format", "array-io/1", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
    array: Array
    processes: Count
    """One on each node, from node 0 on."""
    operation: Operation
    interface: Interface
    """Unix: a seek and a call for each piece; view: one call; collective: one call of all."""
    method: Method = "auto"
    """How the library does it; auto: the best that the machine offers for the interface."""
    skew: Time = Nanoseconds(0)
    """Within this time the processes make their calls, each at a time drawn from it."""
    asynchronous: Flag = False
    """The call returns at once, and is waited for after computing."""
    compute: Time = Nanoseconds(0)
    """What each process computes after its call."""
    striping: Striping | None = None
    """Of this file; the machine's if left out."""
    regions: Annotated[tuple[RegionStriping, ...], Field(min_length=1)] | None = None
    """Or one for each part of the file."""


# -- what must fit together -------------------------------------------------------------------


def parallel_faults(machine: Plain) -> Iterator[Fault]:
    """Find striping over nodes that are not there, and caches too small for a block."""
    nodes = _count(machine.get("nodes"))
    if nodes is not None and nodes > MOST_NODES:
        yield ("nodes",), f"{nodes} is more than this model is for; write {MOST_NODES} or less"
    yield from _striping_faults(machine.get("striping"), nodes, ("striping",))
    ionode = _section(machine, "ionode")
    block = _size(ionode.get("block"))
    cache, own = _size(ionode.get("buffer_cache")), _size(_section(machine, "raid").get("cache"))
    for path, size in ((("ionode", "buffer_cache"), cache), (("raid", "cache"), own)):
        if block is not None and size is not None and size < block:
            about = f"{format_size(size)} does not hold a block of {format_size(block)}"
            yield path, f"{about}; write {format_size(block)} or more"


_KINDS_OF = {
    "unix": ("auto", "unix", "offsets"),
    "view": ("auto", "unix", "offsets", "list", "stride", "sieving"),
    "collective": ("auto", "disk-directed", "server-directed", "two-phase"),
}


def array_faults(work: Plain) -> Iterator[Fault]:
    """Find arrays that are not whole rows, methods of another interface, doubtful striping."""
    array = _section(work, "array")
    size, piece = _size(array.get("size")), _size(array.get("piece"))
    processes = _count(work.get("processes"))
    if size is not None and piece is not None and processes is not None:
        row = piece * processes
        if size % row:
            whole = max(1, size // row) * row
            about = f"{format_size(size)} is not a whole number of rows of {format_size(row)}"
            yield ("array", "size"), f"{about}; write it like '{format_size(whole)}'"
        elif size // piece > LARGEST_COUNT:
            about = f"gives {size // piece} pieces, more than {LARGEST_COUNT}; write a larger one"
            yield ("array", "piece"), about
    offered = _KINDS_OF.get(str(work.get("interface")))
    method = work.get("method")
    if offered and isinstance(method, str) and method in _METHODS and method not in offered:
        about = f"{method!r} is not a method of {work['interface']}; write {', '.join(offered)}"
        yield ("method",), about
    if "striping" in work and "regions" in work:
        yield ("regions",), "is instead of striping; leave one of them out"
    yield from _striping_faults(work.get("striping"), None, ("striping",))
    for index, one in enumerate(work.get("regions") or []):
        yield from _striping_faults(one, None, ("regions", index))


def _striping_faults(plain: Any, nodes: int | None, at: Path) -> Iterator[Fault]:
    if not isinstance(plain, dict):
        return
    if "subfiles" in plain and "order" in plain:
        yield (*at, "order"), "is instead of subfiles; leave one of them out"
        return
    if "subfiles" not in plain and "order" not in plain:
        yield (*at, "subfiles"), "is missing; write it like 'subfiles: 8', or an order"
    seen: set[int] = set()
    for index, one in enumerate(plain.get("order") or []):
        number = _count(one, least=0)
        if number is None:
            continue
        if number in seen:
            yield (*at, "order", index), f"{number} is in the order twice; write it once"
        seen.add(number)
        if nodes is not None and number >= nodes:
            about = f"there is no node {number}; write a number from 0 to {nodes - 1}"
            yield (*at, "order", index), about
    count = _count(plain.get("subfiles"))
    if nodes is not None and count is not None and count > nodes:
        about = f"{count} sub-files, but only {nodes} nodes; write {nodes} or less"
        yield (*at, "subfiles"), about


def file_size(work: ArrayIo) -> int:
    """Bytes from the first piece to the last, gaps between rows included."""
    rows = work.array.size // (work.processes * work.array.piece)
    return work.array.size + (rows - 1) * (work.array.gap or 0)


def _section(plain: Any, key: str) -> Plain:
    inner = plain.get(key) if isinstance(plain, dict) else None
    return inner if isinstance(inner, dict) else {}


def _size(text: object) -> Bytes | None:
    try:
        return parse_size(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _count(text: object, least: int = 1) -> int | None:
    try:
        return parse_count(str(text), least=least) if isinstance(text, str | int) else None
    except ValueError:
        return None


PARALLEL: Kind[ParallelIo] = Kind("machine", ParallelIo, parallel_faults, "parallel-io")
ARRAY: Kind[ArrayIo] = Kind("workload", ArrayIo, array_faults, "array-io")
