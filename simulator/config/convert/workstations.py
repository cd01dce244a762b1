"""The old formats ``workstations/1`` and ``mesh/1``: machines that pass messages, and a mesh.

Times are nanoseconds, sizes bytes, rates bytes per second, percentages fractions of 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import ValidationInfo, field_validator

from simulator.config.checks import Fault, Plain
from simulator.config.document import Document
from simulator.config.load import Kind
from simulator.config.quantities import Count, FileName, Flag, Percent, Rate, Size, Text, Time, word
from simulator.config.section import Section
from simulator.units import Bytes, Nanoseconds, format_size, format_time, parse_size

MeshOrder = Annotated[
    Literal["blocks", "edges-first", "colours"], word("order", "blocks", "edges-first", "colours")
]


class DataCache(Section):
    """The processor's data cache: direct-mapped, with physical addresses."""

    size: Size
    """Its size; whole pages of memory."""
    line: Size
    """What is brought in at a time."""
    line_time: Time
    """Time to write an old line back and to bring a new one in."""


class Cpu(Section):
    """The processor of a workstation."""

    update: Time
    """Time for one point of a mesh (the mean of its four neighbours) with the data in the cache."""
    cache: DataCache | None = None
    """None: a point always takes the same time."""
    variation: Percent = 0.0
    """Standard deviation of the processor time of one loop, when a seed is given."""


class Memory(Section):
    """The memory that an application has, and its pages."""

    resident: Size
    """Data of an application that stay in memory; at least one page."""
    page: Size
    """One page."""

    @field_validator("page")
    @classmethod
    def _fits(cls, page: Bytes, info: ValidationInfo) -> Bytes:
        resident = info.data.get("resident")
        if resident is not None and page > resident:
            raise ValueError(f"no page fits; write {format_size(resident)} or less")
        return page


class PagingDisk(Section):
    """The disk for pages that do not fit into memory."""

    rate: Rate
    """Sustained rate."""
    seek: Time
    """Average seek, paid for every page in or out."""
    turn: Time
    """Time of one rotation; half of it is paid for every page."""
    overhead: Time = Nanoseconds(0)
    """Time of one request beside these."""


class MessageServerSection(Section):
    """The message server of each node; times are of the node's processor."""

    interval: Time
    """From one poll for messages to the next; more than a poll takes."""
    poll: Time
    """One poll, whether it finds anything or not."""
    send: Time
    """Taking one message from a process and handing it to the network."""
    deliver: Time
    """Handing one message that was found to its process."""
    lookup: Time
    """Looking up one port in the directory."""
    copy_rate: Rate
    """Rate at which a message is copied, at either end."""
    header: Size
    """Bytes of a message beside its data."""
    location_cache: Flag
    """A server remembers where the ports are that it has asked for."""

    @field_validator("poll")
    @classmethod
    def _leaves_time(cls, poll: Nanoseconds, info: ValidationInfo) -> Nanoseconds:
        interval = info.data.get("interval")
        if interval is not None and poll >= interval:
            raise ValueError(
                f"polls of {format_time(poll)} every {format_time(interval)} leave no time for"
                " anything else; write less than the interval"
            )
        return poll


class ProcessServerSection(Section):
    """The process server of each node."""

    create: Time
    """Making one process; not part of a loop."""


class Lan(Section):
    """The network between the workstations."""

    rate: Rate
    """Its rate."""
    latency: Time
    """Time one message takes beside its transfer."""
    sharing: Annotated[Literal["fifo", "fair"], word("sharing", "fifo", "fair")]
    """Whether messages queue, or share the rate."""


class Workstations(Document):
    """Workstations on a network, with the servers of a distributed operating system."""

    format: Annotated[Literal["workstations/1"], word("ws-format", "workstations/1", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
    count: Count
    """Workstations there are."""
    cpu: Cpu
    memory: Memory
    paging: PagingDisk
    message_server: MessageServerSection
    process_server: ProcessServerSection
    lan: Lan


class Mesh(Document):
    """A mesh of points on which Poisson's equation is solved by sweeps, divided over nodes."""

    format: Annotated[Literal["mesh/1"], word("mesh-format", "mesh/1", sourced=False)]
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""
    rows: Count
    """Rows of the mesh."""
    columns: Count
    """Columns of the mesh."""
    point: Size
    """Data of one point."""
    nodes: Count
    """Nodes that the mesh is divided over, in equal blocks."""
    loops: Count
    """Loops; the first, in which ports are located, is not counted, so at least 2."""
    order: MeshOrder = "blocks"
    """Blocks: each node from its first point to its last, then edges are sent. Edges-first: edges
    are computed and sent first, the rest while they are on their way. Colours: all red points, an
    exchange, all black points, an exchange."""

    @field_validator("loops")
    @classmethod
    def _more_than_the_first(cls, loops: int) -> int:
        if loops < 2:
            raise ValueError("1 loop leaves none to count after the first; write 2 or more")
        return loops


def _cache_faults(machine: Plain) -> Iterator[Fault]:
    """Find a cache that does not hold whole pages, and lines that are longer than a page."""
    page, resident = (_size_at(machine, "memory", key) for key in ("page", "resident"))
    if page and resident is not None and page > resident:
        return  # The page is the mistake.
    size, line = (_size_at(machine, "cpu", "cache", key) for key in ("size", "line"))
    if page and size is not None and size % page:
        fits = format_size(max(page, size // page * page))
        about = f"{format_size(size)} is not a whole number of pages of {format_size(page)}"
        yield ("cpu", "cache", "size"), f"{about}; write {fits}"
    if page and line is not None and line > page:
        about = f"{format_size(line)} is more than a page; write {format_size(page)} or less"
        yield ("cpu", "cache", "line"), about


def _size_at(plain: Any, *path: str) -> int | None:
    """The size at a path; None if it cannot be read."""
    for key in path:
        plain = plain.get(key) if isinstance(plain, dict) else None
    try:
        return parse_size(plain) if isinstance(plain, str) else None
    except ValueError:
        return None


def _no_faults(mesh: Plain) -> Iterator[Fault]:
    """Nothing more than single values can be wrong with a mesh by itself."""
    del mesh
    return iter(())


KINDS = (
    Kind("machine", Workstations, _cache_faults, "workstations"),
    Kind("workload", Mesh, _no_faults, "mesh"),
)
"""Machine and workload."""
