"""The old formats ``workstations/1`` and ``mesh/1``: machines that pass messages, and a mesh.

Times are nanoseconds, sizes bytes, rates bytes per second, percentages fractions of 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from simulator.config.checks import Fault, Plain
from simulator.config.document import Document
from simulator.config.load import Kind
from simulator.config.quantities import Count, FileName, Flag, Percent, Rate, Size, Text, Time, word
from simulator.config.section import Earlier, Section, check
from simulator.units import Bytes, Nanoseconds, format_size, format_time, parse_size

MeshOrder = Annotated[
    Literal["blocks", "edges-first", "colours"], word("order", "blocks", "edges-first", "colours")
]


class DataCache(Section):
    """The processor's data cache: direct-mapped, with physical addresses."""

    size: Size
    line: Size
    line_time: Time


class Cpu(Section):
    """The processor of a workstation."""

    update: Time
    cache: DataCache | None = None
    variation: Percent = 0.0


class Memory(Section):
    """The memory that an application has, and its pages."""

    resident: Size
    page: Size

    @check("page")
    @classmethod
    def _fits(cls, page: Bytes, earlier: Earlier) -> Bytes:
        resident = earlier.get("resident")
        if resident is not None and page > resident:
            raise ValueError(f"no page fits; write {format_size(resident)} or less")
        return page


class PagingDisk(Section):
    """The disk for pages that do not fit into memory."""

    rate: Rate
    seek: Time
    turn: Time
    overhead: Time = Nanoseconds(0)


class MessageServerSection(Section):
    """The message server of each node; times are of the node's processor."""

    interval: Time
    poll: Time
    send: Time
    deliver: Time
    lookup: Time
    copy_rate: Rate
    header: Size
    location_cache: Flag

    @check("poll")
    @classmethod
    def _leaves_time(cls, poll: Nanoseconds, earlier: Earlier) -> Nanoseconds:
        interval = earlier.get("interval")
        if interval is not None and poll >= interval:
            raise ValueError(
                f"polls of {format_time(poll)} every {format_time(interval)} leave no time for"
                " anything else; write less than the interval"
            )
        return poll


class ProcessServerSection(Section):
    """The process server of each node."""

    create: Time


class Lan(Section):
    """The network between the workstations."""

    rate: Rate
    latency: Time
    sharing: Annotated[Literal["fifo", "fair"], word("sharing", "fifo", "fair")]


class Workstations(Document):
    """Workstations on a network, with the servers of a distributed operating system."""

    format: Annotated[Literal["workstations/1"], word("ws-format", "workstations/1", sourced=False)]
    name: FileName
    title: Text = ""
    references: dict[str, Text] = {}
    count: Count
    cpu: Cpu
    memory: Memory
    paging: PagingDisk
    message_server: MessageServerSection
    process_server: ProcessServerSection
    lan: Lan


class Mesh(Document):
    """A mesh of points on which Poisson's equation is solved by sweeps, divided over nodes."""

    format: Annotated[Literal["mesh/1"], word("mesh-format", "mesh/1", sourced=False)]
    name: FileName
    title: Text = ""
    references: dict[str, Text] = {}
    rows: Count
    columns: Count
    point: Size
    nodes: Count
    loops: Count
    order: MeshOrder = "blocks"

    @check("loops")
    @classmethod
    def _more_than_the_first(cls, loops: int, _: Earlier) -> int:
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
