"""The old formats ``parallel-io/1`` (a machine of I/O nodes) and ``array-io/1`` (an array).

They are read to be converted, and for nothing else.

Sizes are bytes, times nanoseconds, rates bytes per second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

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
from simulator.config.section import FULL, Section
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
    latency: Time
    header: Size


class Library(Section):
    """MPI-IO and the system on the node of a process."""

    call_overhead: Time
    item_overhead: Time
    item_size: Size
    stride_size: Size
    copy_rate: Rate
    transfer_buffer: Size
    sieve_buffer: Size
    exchange_buffer: Size
    lock_overhead: Time
    barrier_overhead: Time


class Features(Section):
    """What the system offers to the library."""

    stride_io: Flag = True
    list_io: Flag = True
    collective: Flag = True
    file_lock: Flag = True


class IoNodes(Section):
    """The part of a node that serves input and output."""

    request_overhead: Time
    piece_overhead: Time
    copy_rate: Rate
    servers: Count = 1
    buffer_cache: Size
    block: Size
    prefetch: CountOrNone


class Raid(Section):
    """The RAID unit of an I/O node."""

    rate: Rate
    overhead: Time
    seek: Time
    turn: Time
    cache: Size
    bus_rate: Rate
    bus_overhead: Time


class Striping(Section):
    """How a file is dealt out to sub-files."""

    block: Size
    subfiles: Count | None = None
    order: Annotated[tuple[CountOrNone, ...], FULL] | None = None


class RegionStriping(Striping):
    """Striping of a part of a file."""

    size: Size


class ParallelIo(Document):
    """Nodes on a crossbar that compute, and serve input and output too."""

    format: Annotated[
        Literal["parallel-io/1"], word("parallel-io-format", "parallel-io/1", sourced=False)
    ]
    name: FileName
    title: Text = ""
    references: dict[str, Text] = {}
    nodes: Count
    crossbar: Ports
    library: Library
    features: Features = Features()
    ionode: IoNodes
    raid: Raid
    striping: Striping


class Array(Section):
    """An array in a file, divided by columns: each row has a piece for each process."""

    size: Size
    piece: Size
    gap: Size | None = None
    exists: Flag = True


class ArrayIo(Document):
    """What processes do with an array in a file."""

    format: Annotated[Literal["array-io/1"], word("array-io-format", "array-io/1", sourced=False)]
    name: FileName
    title: Text = ""
    references: dict[str, Text] = {}
    array: Array
    processes: Count
    operation: Operation
    interface: Interface
    method: Method = "auto"
    skew: Time = Nanoseconds(0)
    asynchronous: Flag = False
    compute: Time = Nanoseconds(0)
    striping: Striping | None = None
    regions: Annotated[tuple[RegionStriping, ...], FULL] | None = None


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
