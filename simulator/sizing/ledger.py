"""Pieces that are bought, compared with the devices of the machine of a combination.

- Disks of an array: with its level, its number of disks and their capacity. A choice buys those of
  an array if it sets something of it, or of the nodes that it is at, or is ``per`` a choice that
  does; or if files lie nowhere else. Of several that do so the one that says most counts: what it
  sets itself, before what those set that it is per.
- Other hardware that a choice sets and buys: a piece for each of them in the machine, or as many as
  a piece ``serves``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from simulator.answers.levers import level_of
from simulator.config.amounts import Redundancy
from simulator.config.errors import Path
from simulator.config.rates import ByGroup
from simulator.kinds.parts.array.section import Array
from simulator.kinds.parts.array.spec import PARITIES
from simulator.sizing.media import codes_of, under
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part
    from simulator.sizing.configurations import Configuration, Level, Offer

APART = 0.1
"""By which part sizes may differ: formatted and raw ones, or TB and TiB."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A contradiction, and where in the requirement it is written."""

    at: Path
    about: str
    """Both sides of it, in words."""
    cure: str
    """The text to write instead."""
    blames: Literal["any", "own", "all"] = "any"
    """True if it is a mistake of any value beside which it always is, of the choice at its place
    only, or of no single one: only if it is so in all combinations."""


def path_of(offer: Offer, index: int, level: Level) -> Path:
    """Return where a value or a way of a choice is written."""
    name = offer.names[index]
    if offer.requirement.choices[name].options:
        return "choices", name, "options", level.text
    return "choices", name, "values"


# -- disks of arrays ------------------------------------------------------------------------------


def of_array(
    offer: Offer, machine: Machine, levels: tuple[Level, ...], index: int
) -> Iterator[Contradiction]:
    """Yield what contradicts the array that a choice buys disks for, if it does; else nothing."""
    catalogue = offer.requirement.catalogue
    level = levels[index]
    path = path_of(offer, index, level)
    disks = [(item, each) for item, each in level.buys if catalogue[item].size]
    if not disks or (level.redundancy is None and len(disks) > 1):
        return
    codes = codes_of(machine)
    for name in media_of(offer, machine, levels, index):
        part, code = machine.parts[name], codes.get(name, Redundancy(1, 0))
        if not isinstance(part, Array) and name not in codes:
            continue
        about = [_of(name, part)] if isinstance(part, Array) else [name]
        about += [f"under a code of {code}"] if code.parity else []
        wanted = redundancy_of(part, code)
        yield from _redundancy(offer, (name, ", ".join(about)), wanted, level, index, path)
        if isinstance(part, Array):
            for item, _ in disks:
                yield from _size(name, part, item, catalogue[item].size or 0)


def redundancy_of(part: Part, code: Redundancy) -> Redundancy:
    """Return how many pieces of a group hold data, and how many more there are to lose.

    They are the disks of an array, if the part is one, on each member of an erasure code.
    """
    own = Redundancy(1, 0)
    if isinstance(part, Array):
        parities = PARITIES[part.level]
        own = Redundancy(part.disks - parities, parities) if parities else Redundancy(1, 1)
    return under(own, code)


def _redundancy(
    offer: Offer, of: tuple[str, str], wanted: Redundancy, level: Level, index: int, path: Path
) -> Iterator[Contradiction]:
    """Compare what a level says with what a part has; ``of``: its name, and what it is."""
    if level.redundancy == wanted:
        return
    choice = offer.requirement.choices[offer.names[index]]
    option = choice.options.get(level.text)
    own = option is not None and option.redundancy is not None
    at = (*path, "redundancy") if own else ("choices", offer.names[index], "redundancy")
    if level.redundancy is None:
        at = path if option is not None else ("choices", offer.names[index])
    given = "none" if level.redundancy is None else str(level.redundancy)
    about = f"a redundancy of {given}, of {of[1]}"
    cure = f"write 'redundancy: {wanted}'"
    parity = 0 if level.redundancy is None else level.redundancy.parity
    if level.redundancy is not None and parity == wanted.parity and "disks" in of[1]:
        cure += f", or 'set: {{{of[0]}.disks: {level.redundancy.group}}}' too"
    yield Contradiction(at, about, cure)


def _of(name: str, part: Array) -> str:
    level = {"raid5": "RAID 5", "raid6": "RAID 6", "mirror": "mirrors"}[part.level]
    return f"{name}, which is {level} of {part.disks} disks"


def of_numbers(
    offer: Offer, machine: Machine, levels: tuple[Level, ...]
) -> Iterator[Contradiction]:
    """Yield arrays for which more or fewer disks are bought than they have, by all choices."""
    buying: list[tuple[set[str], list[int]]] = []
    """Arrays, and the choices that buy disks for them."""
    for index, level in enumerate(levels):
        arrays = set(arrays_of(offer, machine, levels, index)) if sized(offer, level) else set()
        if not arrays or (level.redundancy is None and len(sized(offer, level)) > 1):
            continue
        mine = [index]
        for group in [one for one in buying if one[0] & arrays]:
            buying.remove(group)
            arrays, mine = arrays | group[0], [*group[1], *mine]
        buying.append((arrays, mine))
    for arrays, mine in buying:
        bought = {index: offer.pieces(index, levels, sized(offer, levels[index])) for index in mine}
        if any(bought.values()):
            yield from _number(offer, machine, sorted(arrays), levels, bought)


def sized(offer: Offer, level: Level) -> list[str]:
    """Return what a level buys that keeps data."""
    return [item for item, each in level.buys if each and offer.requirement.catalogue[item].size]


def _number(
    offer: Offer,
    machine: Machine,
    arrays: Sequence[str],
    levels: tuple[Level, ...],
    bought: Mapping[int, int],
) -> Iterator[Contradiction]:
    """Find that the disks which some choices buy together are not those of their arrays."""
    disks = {name: getattr(machine.parts[name], "disks", 1) for name in arrays}
    counts = {name: machine.tables.devices(name) for name in arrays}
    there = sum(counts[name] * disks[name] for name in arrays)
    pieces = sum(bought.values())
    if pieces == there:
        return
    index = max(index for index, count in bought.items() if count)
    item = " and ".join(dict.fromkeys(one for i in bought for one in sized(offer, levels[i])))
    name = arrays[0]
    each = " and ".join(f"{counts[one]:,} x {disks[one]} disks" for one in arrays)
    have = "has" if len(arrays) == 1 else "have"
    about = f"{pieces:,} {item}, and {' and '.join(arrays)} {have} {there:,}: {each}"
    cure = f"buy {disks[name]} for each of them, or set how many there are ({name}.count)"
    if there % pieces == 0 and (per := _counting(offer, machine, name, levels, index)):
        cure = f"write 'per: {per}', or buy {disks[name]} for each of them"
    path = path_of(offer, index, levels[index])
    keys = {f"machine.parts.{name}.{key}" for name in arrays for key in ("count", "disks")}
    says = path[-1] == "values" and keys & {setting for setting, _ in levels[index].settings}
    at = (*path[:2], "buys") if says else path
    yield Contradiction(at, about, cure, "own" if pieces > there else "any")


def _counting(
    offer: Offer, machine: Machine, name: str, levels: tuple[Level, ...], index: int
) -> str | None:
    """Return a choice of numbers that counts an array or its nodes, and that one is not per."""
    near = {*(machine.parts[name].at or ())}
    counts = {f"machine.parts.{name}.count"} | {f"machine.nodes.{one}.count" for one in near}
    for other, level in enumerate(levels):
        known = other == index or other in offer.all_above(index)
        choice = offer.names[other]
        counted = counts & {path for path, _ in level.settings}
        if counted and not known and offer.requirement.choices[choice].values:
            return choice
    return None


def _size(name: str, part: Array, item: str, size: int) -> Iterator[Contradiction]:
    if abs(size - part.capacity) > APART * max(size, part.capacity):
        whole = format_size(part.capacity)
        about = f"{item} of {format_size(size)}, and a disk of {name} has a capacity of {whole}"
        cure = f"write the same, or 'set: {{{name}.capacity: {format_size(size)}}}' in the choice"
        yield Contradiction(("catalogue", item, "size"), about, cure)


def arrays_of(offer: Offer, machine: Machine, levels: tuple[Level, ...], index: int) -> list[str]:
    """Return the arrays that a choice buys disks for."""
    media = media_of(offer, machine, levels, index)
    return [name for name in media if isinstance(machine.parts[name], Array)]


def media_of(offer: Offer, machine: Machine, levels: tuple[Level, ...], index: int) -> list[str]:
    """Return what keeps files, and that a choice buys pieces for."""
    codes = codes_of(machine)
    media = [name for name, part in machine.parts.items() if part.medium or name in codes]
    for sets in (levels[index : index + 1], [levels[one] for one in offer.all_above(index)]):
        paths = [path.split(".") for level in sets for path, _ in level.settings]
        own = [name for name in media if any(steps[1:3] == ["parts", name] for steps in paths)]
        nodes = {steps[2] for steps in paths if steps[1] == "nodes"}
        near = [name for name in media if nodes & {*(machine.parts[name].at or ())}]
        if found := own or near:
            return [name for name in media if name in found]
    return media if len(media) == 1 else []


def is_coded(offer: Offer, machine: Machine) -> bool:
    """Return whether there is an erasure code, or a choice decides on one."""
    paths = [path for levels in offer.levels for level in levels for path, _ in level.settings]
    return bool(codes_of(machine)) or any(path.endswith(".redundancy") for path in paths)


# -- other hardware -------------------------------------------------------------------------------


def of_hardware(
    offer: Offer, before: Machine, machine: Machine, one: Configuration, index: int
) -> Iterator[Contradiction]:
    """Yield parts, stores and nodes of which a choice sets more than it buys.

    ``before``: the machine as it is without any choice, of which nothing is bought.
    """
    levels = offer.levels_of(one.number)
    level = levels[index]
    choice = offer.requirement.choices[offer.names[index]]
    if not any(each for _, each in level.buys):
        return
    for path, _ in level.settings:
        _, section, owner, key, *rest = [*path.split("."), "", ""]
        if not for_sale(machine, path):
            continue
        groups = _groups(before, machine, section, owner, key, rest[0])
        units = level.units if choice.values and key not in ("", "count") else Fraction(1)
        counts = {group.name: group.count for group in groups}
        there = math.ceil(sum(counts.values()) * units)
        have, bought = _have(offer, machine, one, index, owner)
        if have < there:
            parts = " + ".join(f"{count:,} x {name}" for name, count in counts.items())
            parts = f" ({parts})" if len(counts) > 1 else ""
            about = f"{bought}, and {owner} has {there:,}{parts}"
            about = about if units == 1 or section == "nodes" else f"{about}, of {level.text} each"
            item = bought.partition(" ")[2]
            cure = f"buy one for each, or write 'serves: {{{owner}: {there}}}' of {item} in the"
            at = path_of(offer, index, level)
            yield Contradiction(at, about, f"{cure} catalogue, if one serves so many")
            return


def for_sale(machine: Machine, path: str) -> bool:
    """Return whether a setting is of devices that are bought by number: not of software."""
    _, section, owner, key, *_ = [*path.split("."), "", ""]
    if section == "parts" and owner in machine.parts and key != "servers":
        return level_of(path) == "hardware" and "stage" in type(machine.parts[owner]).uses
    return (section, key) in (("stores", "capacity"), ("nodes", "count"), ("nodes", "memory"))


def _groups(
    before: Machine, machine: Machine, section: str, owner: str, key: str, group: str
) -> list[Any]:
    """Return the groups whose devices a setting changes: of rates by groups, some."""
    tables = machine.tables
    found = [tables.groups[row] for row in tables.groups_of(owner)]
    if section != "parts":
        return found
    if group in machine.nodes:
        return [one for one in found if one.name == group]
    old, new = (getattr(one.parts.get(owner), key, None) for one in (before, machine))
    if isinstance(old, ByGroup) and isinstance(new, ByGroup) and (old.groups or new.groups):
        return [one for one in found if old.at(one.name) != new.at(one.name)]
    return found


def _have(
    offer: Offer, machine: Machine, one: Configuration, index: int, owner: str
) -> tuple[int, str]:
    """Return for how many of a part enough is bought, and what that is in words.

    What says that it ``serves`` the part counts alone, also if another choice buys none of it; then
    what has the part's name; then all that the choice buys, and for what keeps data all that does:
    of these what most is bought of.
    """
    if ports := ports_of(offer, one, owner):
        return ports
    levels = [level for other, of in enumerate(offer.levels) if other != index for level in of]
    for item in (item for level in levels for item, _ in level.buys):
        if owner in offer.requirement.catalogue[item].serves:
            return 0, f"0 {item}"
    mine = [item for item, each in offer.levels_of(one.number)[index].buys if each]
    items = [owner] if owner in mine else mine
    part = machine.parts.get(owner)
    if part is not None and part.medium:
        items += [item for item in one.pieces if offer.requirement.catalogue[item].size]
    best = max(items, key=lambda item: one.pieces.get(item, 0))
    return one.pieces.get(best, 0), f"{one.pieces.get(best, 0):,} {best}"


# -- ports ----------------------------------------------------------------------------------------


def ports_of(offer: Offer, one: Configuration, owner: str) -> tuple[int, str] | None:
    """Return how many of a part all that is bought serves, and what that is; None: nothing does."""
    catalogue = offer.requirement.catalogue
    pieces = {item: n for item, n in one.pieces.items() if owner in catalogue[item].serves}
    if not pieces:
        return None
    ports = sum(count * catalogue[item].serves[owner] for item, count in pieces.items())
    return ports, " and ".join(f"{count:,} {item}" for item, count in pieces.items())


def served_at(offer: Offer, machine: Machine, path: str) -> list[str]:
    """Return the parts that pieces can serve, and that are at nodes which a setting counts."""
    _, section, group, key, *_ = [*path.split("."), "count", ""]
    served = {name for item in offer.requirement.catalogue.values() for name in item.serves}
    if (section, key) != ("nodes", "count"):
        return []
    return [
        name
        for name, part in machine.parts.items()
        if name in served and any(units_in(machine, at, group) for at in part.at or ())
    ]


def of_ports(
    offer: Offer, before: Machine, machine: Machine, one: Configuration, index: int
) -> Iterator[Contradiction]:
    """Yield parts of nodes which a choice counts and buys, that too few pieces serve.

    Where no such piece is bought the machine has the ports that it had ``before`` any choice.
    """
    level = offer.levels_of(one.number)[index]
    if not any(each for _, each in level.buys):
        return
    for name in [part for path, _ in level.settings for part in served_at(offer, machine, path)]:
        there = machine.tables.devices(name)
        bought = ports_of(offer, one, name)
        own = before.tables.devices(name) if name in before.parts else 0
        ports, what = bought or (own, "")
        if ports < there:
            have = f"{what} serve {ports:,}" if what else f"the machine as it is has {ports:,}"
            at = path_of(offer, index, level)
            about = f"{name} needs {there:,} ports, but {have}"
            yield Contradiction(at, about, "buy more of what serves it, or write less", "own")


def units_in(machine: Machine, inner: str, group: str | None) -> int:
    """Return how many nodes of a group are in each of another one, or are it; 0: none.

    ``None`` for the other: in the machine.
    """
    count = 1
    name: str | None = inner
    while name is not None and name != group:
        count *= machine.nodes[name].count
        name = machine.nodes[name].per
    return count if name == group else 0
