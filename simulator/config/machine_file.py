"""A machine file, ``machine/2``: groups of nodes, parts, stores, and file systems as tiers.

Sizes are bytes, times nanoseconds, rates bytes per second, percentages fractions of 1.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union

from simulator.config.caches import BufferCache, Store
from simulator.config.errors import Fault
from simulator.config.events import Event, alone_faults, event_faults
from simulator.config.filesystems import FileSystem, Tiers
from simulator.config.lowering.paths import Paths, known_paths, paths_of
from simulator.config.lowering.tables import Structure, Tables, structure_of, tables_of
from simulator.config.machine_names import core_faults, name_faults, part_faults, store_faults
from simulator.config.part import CPU, Part, has_cpu
from simulator.config.quantities import Cores, Count, Name, Size
from simulator.config.queue import BatchQueue
from simulator.config.runtime import MpiIo, Runtime
from simulator.config.section import FULL, Called, Section, UnionOf, default, tags_of
from simulator.config.services import Service, Site, service_faults
from simulator.config.sources import SINGLE, Document
from simulator.kinds import classes_of, kind_class

if TYPE_CHECKING:
    from simulator.config.workload_file import Calls, File


def sections() -> Iterator[type[Part]]:
    """Return the sections of all kinds, one after the other."""
    found: Iterator[type[Part]] = classes_of("parts", "section", Part)
    return (one for one in found if tags_of(one, "kind"))


@functools.cache
def usual_cpu() -> Part:
    """Return the cpu of a machine whose file has none."""
    cpu: type[Part] = kind_class("parts", CPU, "section", Part)
    return cpu(kind=CPU)


if TYPE_CHECKING:
    AnyPart = Part
    AnyService = Service
else:
    AnyPart = Annotated[Union[tuple(sections())], UnionOf("kind")]  # noqa: UP007
    """A part of any kind; ``kind`` tells which."""
    _SERVICES = tuple(classes_of("services", "section", Service))
    AnyService = Annotated[Union[_SERVICES], UnionOf("kind")]  # noqa: UP007
    """A service of any kind; ``kind`` tells which."""


AService = TypeVar("AService", bound=Service)


class Larger(Section):
    """The nodes of a group that have more memory than the others."""

    synonyms = {"nodes": "count"}

    count: Count
    """How many of the group's nodes."""
    memory: Size
    """Memory of one of them."""


class Group(Section):
    """A group of equal nodes; a plain number is its count."""

    shorthand = {"text": "count"}
    synonyms = {"in": "per", "of": "per", "nodes": "count"}
    naming = {"per": "group"}
    later = frozenset(("queue",))

    count: Count = default(1, SINGLE)
    """Nodes; of a group inside another, in each node of that."""
    per: Name | None = None
    """The group whose nodes they are inside of."""
    memory: Size | None = None
    """Memory of one node; programs' buffers have to fit in it."""
    cores: Cores | None = None
    """Processors of one node: what its processes compute and copy shares them; none: no limit."""
    larger: Larger | None = None
    """Some of the nodes with more memory: the places of jobs with larger buffers."""
    queue: BatchQueue | None = None
    """The batch queue in which jobs wait for these nodes; jobs have the nodes that they name, and
    share them, if left out."""

    def fits(self, buffer: int, nodes: int) -> bool:
        """Return whether so many nodes have the memory for a buffer each; bytes."""
        if self.memory is None or buffer <= self.memory:
            return True
        more = self.larger
        return more is not None and buffer <= more.memory and nodes <= more.count


class Machine(Document):
    """A whole machine."""

    later = frozenset(("events",))

    format: Annotated[Literal["machine/2"], Called("machine-format", sourced=False)]
    nodes: Annotated[dict[str, Group], FULL] = {"node": Group()}
    """Groups of equal nodes, by name; programs run on the first unless they say otherwise."""
    parts: dict[str, AnyPart] = {}
    """Resources by name; without a cpu there is one named so, with its defaults."""
    stores: dict[str, Store] = {}
    """Caches and memory tiers, by name."""
    buffer_caches: dict[str, BufferCache] = {}
    """Caches of I/O nodes in front of their RAID units, by name."""
    filesystems: dict[str, FileSystem] = {}
    """The file systems, by name; the first is that of files that name none."""
    messages: Tiers | None = None
    """The way of messages between nodes; by the first network if left out."""
    sites: dict[str, Site] = {}
    """Places with networks of ``link`` parts, by name: what calls of numerical servers cross."""
    services: dict[str, AnyService] = {}
    """Message servers, process servers, numerical servers and their clients, by name."""
    runtime: Runtime = Runtime()
    """How programs do their I/O."""
    events: tuple[Event, ...] = ()
    """What happens to parts: failures with their repair, other rates for a while."""

    @classmethod
    def _completed(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Add the cpu, and the MPI-IO library of a machine with I/O nodes, if they are left out."""
        parts = values.get("parts", {})
        if isinstance(parts, dict) and CPU not in parts and not has_cpu(parts):
            values = {**values, "parts": {CPU: usual_cpu(), **parts}}
        runtime = values.get("runtime", Runtime())
        if values.get("buffer_caches") and isinstance(runtime, Runtime) and not runtime.mpi_io:
            values = {**values, "runtime": runtime.with_value("mpi_io", MpiIo())}
        return values

    @cached_property
    def structure(self) -> Structure:
        """Return what its paths depend on."""
        return structure_of(self)

    @property
    def mpi_io(self) -> MpiIo:
        """The MPI-IO library."""
        return self.runtime.mpi_io or MpiIo()

    def services_of(self, kind: type[AService]) -> dict[str, AService]:
        """Return its services of a kind, by name."""
        return {name: one for name, one in self.services.items() if isinstance(one, kind)}

    def system(self, name: str | None) -> str:
        """Return the file system of files that name one, or none; ``""`` if there is none."""
        return name or next(iter(self.filesystems), "")

    def path(self, system: str, *wanted: str | None) -> str:
        """Return the path to files of a file system: the first that is wanted, or else its own."""
        return next(filter(None, wanted), None) or self.filesystems[system].usual

    def way(self, file: File | Calls, *wanted: str | None) -> tuple[str, str]:
        """Return the file system of a file, and its path: the first wanted, or else its own."""
        system = self.system(file.filesystem)
        return system, self.path(system, *wanted, file.path)

    def group(self, name: str | None) -> int:
        """Return the row of a group of nodes: the first if it has no name."""
        return 0 if name is None else self.tables.group_of[name]

    @cached_property
    def tables(self) -> Tables:
        """Its groups, parts and stores as rows of a plan."""
        return tables_of(self)

    @cached_property
    def ways(self) -> Paths:
        """Its paths as tiers of a plan, each made when it is first asked for."""
        return paths_of(self.tables)

    def faults(self) -> Iterator[Fault]:
        """Find what no single value shows: wrong names, and paths that no request could take."""
        ways = known_paths(self)
        if ways is not None:  # Those of a machine of the same structure, whose names are right.
            named = [*core_faults(self), *part_faults(self), *store_faults(self)]
        else:
            named = [*name_faults(self)]
        named += [*service_faults(self), *alone_faults(self.events)]
        yield from named
        if ways is None and not named:
            ways = self.ways
        if ways is not None:
            found = ways.faults()
            yield from found
            yield from ways.unit_faults(self)
            yield from () if found else event_faults(self.events, self)
