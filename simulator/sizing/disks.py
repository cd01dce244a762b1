"""Disks that are bought for an array, compared with the array of the machine.

A choice buys the disks of an array if it sets something of it, or of the nodes that it is at, or is
``per`` a choice that does; or if files lie nowhere else. Of several that do so the one that says
most counts: what it sets itself, before what those set that it is per.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.amounts import Redundancy
from simulator.config.errors import Path
from simulator.kinds.parts.array.section import Array
from simulator.kinds.parts.array.spec import PARITIES
from simulator.plan.codes import BUFFERS, END, STAGE
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.sizing.configurations import Level, Offer
APART = 0.1
"""By which part sizes may differ: formatted and raw ones, or TB and TiB."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What is wrong, and where in the requirement it is written."""

    at: Path
    about: str
    """What was read, on both sides."""
    cure: str
    """What to write instead."""
    short: bool = False
    """Whether fewer are bought than run: somebody gets the others for nothing."""


def of_array(
    offer: Offer,
    machine: Machine,
    before: Machine | None,
    levels: tuple[Level, ...],
    index: int,
    path: Path,
) -> Iterator[Contradiction]:
    """Yield what contradicts the array that a choice buys disks for, if it does; else nothing.

    ``before``: the machine where the choice buys none; None if it always does.
    """
    catalogue = offer.requirement.catalogue
    level = levels[index]
    disks = [
        (item, each)
        for item, each in level.buys
        if catalogue[item].size and each and keeps_files(offer, machine, level, item)
    ]
    if not disks or (level.redundancy is None and len(disks) > 1):
        return
    for name in _arrays(offer, machine, levels, index):
        part = machine.parts[name]
        assert isinstance(part, Array)
        wrong = [*_redundancy(offer, name, part, level, index, path)]
        yield from wrong
        pieces = sum([math.ceil(each * offer.units(index, levels)) for _, each in disks])
        old = 0 if before is None else _disks_in(before, name)
        for one in _number(machine, name, level, (pieces, old), (path, disks[0][0])):
            if not (wrong and one.short and one.at == path):  # Too few of another group.
                yield one
        for item, _ in disks:
            yield from _size(name, part, item, catalogue[item].size or 0)


def redundancy_of(part: Array) -> Redundancy:
    """Return how many disks of an array hold data, and how many more there are to lose."""
    parities = PARITIES[part.level]
    return Redundancy(part.disks - parities, parities) if parities else Redundancy(1, 1)


def _redundancy(
    offer: Offer, name: str, part: Array, level: Level, index: int, path: Path
) -> Iterator[Contradiction]:
    wanted = redundancy_of(part)
    if level.redundancy == wanted:
        return
    choice = offer.requirement.choices[offer.names[index]]
    option = choice.options.get(level.text)
    own = option is not None and option.redundancy is not None
    at = (*path, "redundancy") if own else ("choices", offer.names[index], "redundancy")
    if level.redundancy is None:
        at = path if option is not None else ("choices", offer.names[index])
    given = "none" if level.redundancy is None else str(level.redundancy)
    about = f"a redundancy of {given}, of {_of(name, part)}"
    cure = f"write 'redundancy: {wanted}'"
    if level.redundancy is not None and level.redundancy.parity == wanted.parity:
        cure += f", or 'set: {{{name}.disks: {level.redundancy.group}}}' too"
    yield Contradiction(at, about, cure)


def _of(name: str, part: Array) -> str:
    level = {"raid5": "RAID 5", "raid6": "RAID 6", "mirror": "mirrors"}[part.level]
    return f"{name}, which is {level} of {part.disks} disks"


def _number(
    machine: Machine, name: str, level: Level, count: tuple[int, int], where: tuple[Path, str]
) -> Iterator[Contradiction]:
    """Find a number of disks that is neither that of all there are, nor of those that are new.

    ``count``: those that are bought, and those that are there without.
    """
    (pieces, old), (path, item) = count, where
    part = machine.parts[name]
    assert isinstance(part, Array)
    there = _disks_in(machine, name)
    if pieces == there or (old and pieces == there - old):
        return
    counts = {f"machine.parts.{name}.{key}" for key in ("count", "disks")}
    says = path[-1] == "values" and counts & {setting for setting, _ in level.settings}
    arrays = there // part.disks
    about = f"{pieces:,} {item}, and {name} has {there:,}: {arrays:,} x {part.disks} disks"
    each = f"{part.disks} for each of them"
    if pieces < there:
        each += " ('per: ' the choice that says how many there are)"
    cure = f"buy {each}, or set how many there are ({name}.count)"
    yield Contradiction((*path[:2], "buys") if says else path, about, cure, pieces < there)


def _disks_in(machine: Machine, name: str) -> int:
    part = machine.parts[name]
    return number_of(machine, name) * part.disks if isinstance(part, Array) else 0


def number_of(machine: Machine, name: str) -> int:
    """Return how many there are of a part, a store or a group of nodes in the whole machine."""
    tables = machine.tables
    return sum(tables.groups[row].count for row in tables.groups_of(name))


def _size(name: str, part: Array, item: str, size: int) -> Iterator[Contradiction]:
    if abs(size - part.capacity) > APART * max(size, part.capacity):
        whole = format_size(part.capacity)
        about = f"{item} of {format_size(size)}, and a disk of {name} has a capacity of {whole}"
        cure = f"write the same, or 'set: {{{name}.capacity: {format_size(size)}}}' in the choice"
        yield Contradiction(("catalogue", item, "size"), about, cure)


def _arrays(offer: Offer, machine: Machine, levels: tuple[Level, ...], index: int) -> list[str]:
    """Return the arrays that a choice buys disks for."""
    media = [name for name, part in machine.parts.items() if part.medium]
    arrays = [name for name in media if isinstance(machine.parts[name], Array)]
    for sets in (levels[index : index + 1], [levels[one] for one in offer.all_above(index)]):
        paths = [path.split(".") for level in sets for path, _ in level.settings]
        own = [name for name in media if any(steps[1:3] == ["parts", name] for steps in paths)]
        nodes = {steps[2] for steps in paths if steps[1] == "nodes"}
        near = [name for name in media if nodes & {*(machine.parts[name].at or ())}]
        if found := own or near:
            return [name for name in arrays if name in found]
    return arrays if len(media) == 1 else []


# -- what keeps files -----------------------------------------------------------------------------


def last_parts(machine: Machine, filesystems: Iterable[str] | None = None) -> set[str]:
    """Return the parts at the end of the ways of file systems, all or some: files lie on them.

    Behind the buffers of I/O nodes any part may be the last.
    """
    names = {row: name for (name, _), rows in machine.tables.rows.items() for row in rows.values()}
    found = set()
    for system in machine.filesystems if filesystems is None else filesystems:
        for path in machine.filesystems[system].ways():
            tiers = machine.ways.block(system, path, 0).tiers
            if any(tier.kind == BUFFERS for tier in tiers):
                return {*machine.parts}
            data = itertools.takewhile(lambda tier: tier.kind != END, tiers)
            stages = [tier for tier in data if tier.kind == STAGE and tier.down]
            found |= {names[hold.part] for hold in stages[-1].down} if stages else set()
    return found


def keeps_files(offer: Offer, machine: Machine, level: Level, item: str) -> bool:
    """Return whether files lie on an item that a level buys.

    They do not if it is one of something else than what files lie on, or if its choice sets parts
    and stores none of which is that.
    """
    last = last_parts(machine)
    name = offer.requirement.catalogue[item].one_of
    if name is None and item in {*machine.parts, *machine.stores}:
        name = item
    if name is not None and name not in machine.nodes:
        return name in last
    owners = {
        path.split(".")[2]
        for path, _ in level.settings
        if path.split(".")[1] in ("parts", "stores")
    }
    return not owners or bool(owners & last)
