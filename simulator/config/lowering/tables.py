"""The rows of a plan that follow from a machine alone: groups, parts and stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import is_, itemgetter
from typing import TYPE_CHECKING, Any

from simulator.config.errors import Fault
from simulator.config.part import BOTH, CPU
from simulator.config.section import Section, cached, fields_of
from simulator.config.services import service_columns
from simulator.kinds.traits import traits_of
from simulator.plan.parts import GroupPlan, PartPlan, StorePlan

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part

Structure = tuple[Any, ...]

_NUMBERS = ("parts", "stores")


def structure_of(machine: Machine) -> Structure:
    """Return what paths depend on; who keeps it keeps the sections that it identifies."""
    return (
        tuple((name, group.count, group.per) for name, group in machine.nodes.items()),
        tuple((name, *one.structure) for name, one in machine.parts.items()),
        tuple((name, *one.structure) for name, one in machine.stores.items()),
        tuple((name, one.at) for name, one in machine.buffer_caches.items()),
        tuple((name, id(one)) for name, one in machine.filesystems.items()),
        tuple(map(id, machine.messages or ())),
    )


def only_numbers_differ(machine: Machine, other: Machine) -> bool:
    """Return whether two machines are the same but for numbers of their parts and stores.

    No job depends on these, but with services, I/O nodes and events, which are planned with the
    numbers of their parts: with them it is False.
    """
    if machine is other:
        return True
    if machine.services or machine.buffer_caches or machine.structure != other.structure:
        return False
    if machine.events or other.events:  # Rates in them are compared with those of parts.
        return False
    mine, others = map(_beside_numbers(type(machine)), (vars(machine), vars(other)))
    return all(map(is_, mine, others)) or all(map(_is_same, mine, others))


@cached
def _beside_numbers(machine: type[Section]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """Return what takes the values of a machine but for its parts and stores."""
    return itemgetter(*(key for key in fields_of(machine) if key not in _NUMBERS))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are the same; sections that are not shared count as different."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return [*one] == [*other] and all(map(_is_same, one.values(), other.values()))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return isinstance(one, str | int | float) and bool(one == other)


OTHERS, BARRIERS, LOCKS = "other.processes", "barriers", "locks"
"""Columns of accounts for waiting that no part causes."""
MPI_CALLS, MPI_COPIES, MERGING = "mpi-io.calls", "mpi-io.copies", "mpi-io.merging"
"""Columns of accounts of MPI-IO: calls and copies of the library, and waiting at an I/O node for
the requests of other processes that are merged with one's own."""


def column_of_locks(filesystem: str) -> str:
    """Return the name of the column for waiting for locks of a file system."""
    return f"{filesystem}.locks"


Rows = dict[str, int]
"""The row of a part for each of its ways."""


@dataclass
class Tables:
    """The groups, parts and stores of a machine, and what their names stand for."""

    machine: Machine
    groups: list[GroupPlan] = field(default_factory=list)
    parts: list[PartPlan] = field(default_factory=list)
    stores: list[StorePlan] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    group_of: dict[str, int] = field(default_factory=dict)
    """Groups of nodes by name."""
    homes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The groups that have a part or store."""
    rows: dict[tuple[str, int], Rows] = field(default_factory=dict)
    """The rows of a part in a group."""
    store_of: dict[tuple[str, int], int] = field(default_factory=dict)
    """The row of a store in a group."""
    single: set[int] = field(default_factory=set)
    """Groups that are made for a part or store without ``at``: reached from everywhere."""
    of_kind: dict[str, dict[int, int]] = field(default_factory=dict)
    """By kinds of parts: the row of the part of that kind in each group that has one."""

    def __post_init__(self) -> None:
        for name in self.machine.nodes:
            self._group(name)
        for name, part in self.machine.parts.items():
            self._part(name, part)
        first = 0
        for name, store in self.machine.stores.items():
            groups = [self.group_of[one] for one in store.groups] or [self._single(name, 1)]
            column = len(self.columns)
            self.columns += [f"{name}.cache", f"{name}.writeback"]
            self.homes[name] = tuple(groups)
            for group in groups:
                count = self.groups[group].count
                self.store_of[name, group] = len(self.stores)
                self.stores.append(store.plan(name, group, first, count, column))
                first += count
        systems = self.machine.filesystems.items()
        for name, cache in self.machine.buffer_caches.items():
            self.homes[name] = (self.group_of[cache.at],)
        self.columns += [OTHERS, BARRIERS, LOCKS, *service_columns(self.machine)]
        self.columns += [column_of_locks(name) for name, one in systems if one.has_locks]
        if self.machine.buffer_caches:
            self.columns += [MPI_CALLS, MPI_COPIES, MERGING]

    def of_group(self, kind: str, group: int) -> int:
        """Return the row of the part of a kind that each node of a group has; -1 without one."""
        return self.of_kind.get(kind, {}).get(group, -1)

    def processor(self, group: int) -> int:
        """Return the row of the part on which a process computes beside services; -1 without."""
        rows = (self.of_group(kind, group) for kind in self.of_kind if _is_processor(kind))
        return next((row for row in rows if row >= 0), -1)

    def column(self, name: str) -> int:
        """Return the number of a column of accounts."""
        return self.columns.index(name)

    def ancestors(self, group: int) -> Iterator[int]:
        """Yield a group and those around it, from the inside out."""
        while group >= 0:
            yield group
            group = self.groups[group].parent

    def groups_of(self, name: str) -> tuple[int, ...]:
        """Return the groups that a part, store or group of nodes stands for."""
        return self.homes[name] if name in self.homes else (self.group_of[name],)

    def devices(self, name: str) -> int:
        """Return how many of a part, store or group of nodes the whole machine has."""
        return sum(self.groups[row].count for row in self.groups_of(name))

    @property
    def instances(self) -> int:
        """Instances of all parts and stores."""
        return sum(part.count for part in self.parts) + sum(one.count for one in self.stores)

    # -- building -----------------------------------------------------------------------------

    def _group(self, name: str) -> int:
        if name in self.group_of:
            return self.group_of[name]
        section = self.machine.nodes[name]
        parent, count = -1, section.count
        if section.per is not None:
            parent = self._group(section.per)
            count *= self.groups[parent].count
        return self._add_group(name, count, parent, section.count if parent >= 0 else 1)

    def _add_group(self, name: str, count: int, parent: int, each: int) -> int:
        self.groups.append(GroupPlan(name=name, count=count, parent=parent, each=each))
        number = len(self.groups) - 1
        if name in self.machine.nodes:
            self.group_of[name] = number
        return number

    def _single(self, name: str, count: int) -> int:
        """Return the group of a part or store that the machine has one of."""
        number = self._add_group(name, count, -1, 1)
        self.single.add(number)
        return number

    def _part(self, name: str, part: Part) -> None:
        groups = list(self._places(name, part))
        self.homes[name] = tuple(groups)
        for group in groups:
            rows: Rows = {}
            column = self._column(name, group, len(groups))
            for way in part.ways:
                rows[way] = len(self.parts)
                self.parts.append(self._plan(name, part, way, group, self._first(), column))
            self.rows[name, group] = rows
            self.of_kind.setdefault(part.kind, {})[group] = rows.get(BOTH, -1)

    def _plan(
        self, name: str, part: Part, way: str, group: int, first: int, column: int
    ) -> PartPlan:
        name_of = self.groups[group].name
        nodes = self.machine.nodes.get(name_of)
        cores = nodes.cores if part.kind == CPU and nodes is not None else None
        return PartPlan(
            name=name,
            kind=part.served_as,
            way=way,
            group=group,
            first=first,
            count=self.groups[group].count,
            noise=part.variation.plan(way),
            column=column,
            stream=self._stream(part.variation.stream, group, way),
            cores=cores or 0,
            **part.row_at(way, name_of),
        )

    def of_variant(self, machine: Machine) -> Tables:
        """Return the tables of a machine that differs in numbers of its parts and stores alone."""
        tables = object.__new__(Tables)
        vars(tables).update(vars(self))
        tables.machine = machine
        before, now = self.machine.stores, machine.stores
        tables.stores = [
            old
            if now[old.name] is before[old.name]
            else now[old.name].plan(old.name, old.group, old.first, old.count, old.cache_column)
            for old in self.stores
        ]
        tables.parts = [*self.parts]
        for name, part in machine.parts.items():
            if part is self.machine.parts[name]:
                continue
            for group in self.homes[name]:
                for way, number in self.rows[name, group].items():
                    old = self.parts[number]
                    tables.parts[number] = self._plan(name, part, way, group, old.first, old.column)
        return tables

    def _first(self) -> int:
        if not self.parts:
            return 0
        last = self.parts[-1]
        return last.first + last.count

    def _column(self, name: str, group: int, groups: int) -> int:
        group_name = self.groups[group].name
        label = name if groups == 1 or group_name == name else f"{group_name}.{name}"
        self.columns.append(label)
        return len(self.columns) - 1

    def _stream(self, pattern: str | None, group: int, way: str) -> str:
        """Return the name of the random stream of an instance, with ``{i}`` for its number."""
        plan = self.groups[group]
        node = f"{plan.name}{{i}}" if plan.count > 1 else plan.name
        return "" if pattern is None else pattern.replace("{node}", node).replace("{way}", way)

    def _places(self, name: str, part: Part) -> Iterator[int]:
        """Yield the groups that a part has instances in; makes those of its devices."""
        if part.kind == CPU and part.at is None:
            others = (one.at for one in self.machine.parts.values() if one.kind == CPU)
            taken = {group for at in others if at is not None for group in at}
            yield from (self.group_of[group] for group in self.machine.nodes if group not in taken)
        elif part.at is None:
            yield self._single(name, part.devices)
        elif part.devices > 1:
            (parent,) = (self.group_of[group] for group in part.at)
            count = self.groups[parent].count * part.devices
            yield self._add_group(name, count, parent, part.devices)
        else:
            yield from (self.group_of[group] for group in part.at)


_MOST = 64
_kept: dict[Structure, Tables] = {}
"""The tables of one machine of each structure."""


def tables_of(machine: Machine) -> Tables:
    """Return the tables of a machine, made from those of one that is alike if there is one."""
    known = _kept.get(machine.structure)
    if known is not None and only_numbers_differ(machine, known.machine):
        return known.of_variant(machine)
    if len(_kept) >= _MOST:
        _kept.clear()
    made = _kept[machine.structure] = Tables(machine)
    return made


MOST_INSTANCES = 1_000_000


def size_faults(machine: Machine) -> Iterator[Fault]:
    """Find machines that are too large to be simulated."""
    counts: dict[str, int] = {}
    for name, group in machine.nodes.items():
        count, around = group.count, group.per
        while around is not None:
            count *= machine.nodes[around].count
            around = machine.nodes[around].per
        counts[name] = count
    used = 0
    kinds = ("parts", machine.parts), ("stores", machine.stores)
    for kind, sections in (*kinds, ("buffer_caches", machine.buffer_caches)):
        for name, section in sections.items():
            at = section.at if section.at is not None else ()
            groups = (at,) if isinstance(at, str) else at
            each = getattr(section, "devices", 1)
            before, used = used, used + each * (sum(counts[one] for one in groups) or 1)
            if before <= MOST_INSTANCES < used:
                about = f"the machine has {used:,} parts and stores with this"
                yield (kind, name), f"{about}; write smaller counts: at most {MOST_INSTANCES:,}"
    for name, count in counts.items():
        if count > MOST_INSTANCES and used <= MOST_INSTANCES:
            about = f"{count:,} nodes; write smaller counts: at most {MOST_INSTANCES:,}"
            yield ("nodes", name), about


def _is_processor(kind: str) -> bool:
    return traits_of(kind).computing == "process"
