"""Disks that are bought for an array, compared with the array of the machine.

A choice buys the disks of an array if it sets something of it, or of the nodes that it is at, or is
``per`` a choice that does; or if files lie nowhere else. Of several that do so the one that says
most counts: what it sets itself, before what those set that it is per.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.amounts import Redundancy
from simulator.config.errors import Path
from simulator.kinds.parts.array.section import Array
from simulator.kinds.parts.array.spec import PARITIES
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


def of_array(
    offer: Offer, machine: Machine, levels: tuple[Level, ...], index: int, path: Path
) -> Iterator[Contradiction]:
    """Yield what contradicts the array that a choice buys disks for, if it does; else nothing."""
    catalogue = offer.requirement.catalogue
    level = levels[index]
    disks = [(item, each) for item, each in level.buys if catalogue[item].size]
    if not disks or (level.redundancy is None and len(disks) > 1):
        return
    for name in _arrays(offer, machine, levels, index):
        part = machine.parts[name]
        assert isinstance(part, Array)
        yield from _redundancy(offer, name, part, level, index, path)
        pieces = sum([math.ceil(each * offer.units(index, levels)) for _, each in disks])
        yield from _number(machine, name, part, level, (pieces, path, disks[0][0]))
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
    machine: Machine, name: str, part: Array, level: Level, bought: tuple[int, Path, str]
) -> Iterator[Contradiction]:
    """Find more disks than there are; or fewer, if it is the choice that says how many there are.

    Fewer than there are may be those that are new.
    """
    pieces, path, item = bought
    arrays = sum(machine.tables.groups[row].count for row in machine.tables.homes[name])
    there = arrays * part.disks
    counts = {f"machine.parts.{name}.{key}" for key in ("count", "disks")}
    says = path[-1] == "values" and counts & {setting for setting, _ in level.settings}
    if pieces > there or (says and pieces != there):
        about = f"{pieces:,} {item}, and {name} has {there:,}: {arrays:,} x {part.disks} disks"
        cure = f"buy {part.disks} for each of them, or set how many there are ({name}.count)"
        yield Contradiction((*path[:2], "buys") if says else path, about, cure)


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
