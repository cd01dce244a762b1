"""The old formats ``parallel-io/1`` (a machine of I/O nodes) and ``array-io/1`` (an array).

They are read to be converted, and for nothing else.

Sizes are bytes, times nanoseconds, rates bytes per second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.checks import Fault
from simulator.config.document import Document
from simulator.config.errors import Path
from simulator.config.load import Kind
from simulator.config.quantities import (
    Count,
    CountOrNone,
    Flag,
    Rate,
    Size,
    Time,
    word,
)
from simulator.config.section import FULL, Called, Section
from simulator.units import Nanoseconds, format_size

Operation = Annotated[Literal["read", "write"], Called("operation")]
Interface = Annotated[Literal["unix", "view", "collective"], Called("interface")]
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
Method = Annotated[str, word("method", *_METHODS)]

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

    format: Annotated[Literal["parallel-io/1"], Called("parallel-io-format", sourced=False)]
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

    format: Annotated[Literal["array-io/1"], Called("array-io-format", sourced=False)]
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


def parallel_faults(machine: ParallelIo) -> Iterator[Fault]:
    """Find striping over nodes that are not there, and caches too small for a block."""
    if machine.nodes > MOST_NODES:
        about = f"{machine.nodes} is more than this model is for; write {MOST_NODES} or less"
        yield ("nodes",), about
    yield from _striping_faults(machine.striping, machine.nodes, ("striping",))
    block = machine.ionode.block
    caches = {("ionode", "buffer_cache"): machine.ionode.buffer_cache}
    for path, size in {**caches, ("raid", "cache"): machine.raid.cache}.items():
        if size < block:
            about = f"{format_size(size)} does not hold a block of {format_size(block)}"
            yield path, f"{about}; write {format_size(block)} or more"


_KINDS_OF = {
    "unix": ("auto", "unix", "offsets"),
    "view": ("auto", "unix", "offsets", "list", "stride", "sieving"),
    "collective": ("auto", "disk-directed", "server-directed", "two-phase"),
}


def array_faults(work: ArrayIo) -> Iterator[Fault]:
    """Find arrays that are not whole rows, methods of another interface, doubtful striping."""
    size, piece = work.array.size, work.array.piece
    row = piece * work.processes
    if size % row:
        whole = max(1, size // row) * row
        about = f"{format_size(size)} is not a whole number of rows of {format_size(row)}"
        yield ("array", "size"), f"{about}; write it like '{format_size(whole)}'"
    elif size // piece > LARGEST_COUNT:
        about = f"gives {size // piece} pieces, more than {LARGEST_COUNT}; write a larger one"
        yield ("array", "piece"), about
    offered = _KINDS_OF[work.interface]
    if work.method not in offered:
        about = f"{work.method!r} is not a method of {work.interface}; write {', '.join(offered)}"
        yield ("method",), about
    if work.striping and work.regions:
        yield ("regions",), "is instead of striping; leave one of them out"
    if work.striping:
        yield from _striping_faults(work.striping, None, ("striping",))
    for index, one in enumerate(work.regions or ()):
        yield from _striping_faults(one, None, ("regions", index))


def _striping_faults(one: Striping, nodes: int | None, at: Path) -> Iterator[Fault]:
    if one.subfiles and one.order:
        yield (*at, "order"), "is instead of subfiles; leave one of them out"
        return
    if not one.subfiles and not one.order:
        yield (*at, "subfiles"), "is missing; write it like 'subfiles: 8', or an order"
    for index, node in enumerate(one.order or ()):
        if node in (one.order or ())[:index]:
            yield (*at, "order", index), f"{node} is in the order twice; write it once"
        if nodes is not None and node >= nodes:
            about = f"there is no node {node}; write a number from 0 to {nodes - 1}"
            yield (*at, "order", index), about
    if nodes is not None and one.subfiles and one.subfiles > nodes:
        about = f"{one.subfiles} sub-files, but only {nodes} nodes; write {nodes} or less"
        yield (*at, "subfiles"), about


def file_size(work: ArrayIo) -> int:
    """Bytes from the first piece to the last, gaps between rows included."""
    rows = work.array.size // (work.processes * work.array.piece)
    return work.array.size + (rows - 1) * (work.array.gap or 0)


PARALLEL = Kind("machine", ParallelIo, name="parallel-io", checks=parallel_faults)
ARRAY = Kind("workload", ArrayIo, name="array-io", checks=array_faults)
