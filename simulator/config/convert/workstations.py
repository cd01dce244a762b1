"""The old formats ``workstations/1`` and ``mesh/1``: machines that pass messages, and a mesh.

Times are nanoseconds, sizes bytes, rates bytes per second, percentages fractions of 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.checks import Fault
from simulator.config.document import Document
from simulator.config.load import Kind
from simulator.config.parts.serving import DataCache
from simulator.config.quantities import Count, Flag, Percent, Rate, Size, Time
from simulator.config.section import Called, Earlier, Section, check
from simulator.config.service_phases import MeshOrder
from simulator.units import Bytes, Nanoseconds, format_size, format_time


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
    sharing: Annotated[Literal["fifo", "fair"], Called("sharing")]


class Workstations(Document):
    """Workstations on a network, with the servers of a distributed operating system."""

    format: Annotated[Literal["workstations/1"], Called("ws-format", sourced=False)]
    count: Count
    cpu: Cpu
    memory: Memory
    paging: PagingDisk
    message_server: MessageServerSection
    process_server: ProcessServerSection
    lan: Lan


class Mesh(Document):
    """A mesh of points on which Poisson's equation is solved by sweeps, divided over nodes."""

    format: Annotated[Literal["mesh/1"], Called("mesh-format", sourced=False)]
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


def _cache_faults(machine: Workstations) -> Iterator[Fault]:
    """Find a cache that does not hold whole pages, and lines that are longer than a page."""
    page, cache = machine.memory.page, machine.cpu.cache
    if cache is not None and cache.size % page:
        fits = format_size(max(page, cache.size // page * page))
        about = f"{format_size(cache.size)} is not a whole number of pages of {format_size(page)}"
        yield ("cpu", "cache", "size"), f"{about}; write {fits}"
    if cache is not None and cache.line > page:
        about = f"{format_size(cache.line)} is more than a page; write {format_size(page)} or less"
        yield ("cpu", "cache", "line"), about


KINDS = (
    Kind("machine", Workstations, name="workstations", checks=_cache_faults),
    Kind("workload", Mesh, name="mesh"),
)
"""Machine and workload."""
