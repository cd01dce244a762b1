"""Where what is bought is not the machine that is simulated: its price or capacity is then false.

Compared, for each combination of the choices that matter:

- redundancy and number of the disks that are bought for an array with its level and its disks,
  and what one of them keeps with the array's ``capacity``;
- the stores of a node, if they are in its memory, with that memory.

And once: a choice that decides how many there are in each node, of nodes whose number another one
decides, is ``per`` that one.

A value or a way that contradicts the machine whatever else is chosen is a mistake of the file. What
contradicts it beside some values of other choices only is a combination that cannot be bought.

Not compared: disks of other kinds than ``array`` (a device of kind ``disk`` may stand for any
volume), and machines of which nothing is bought.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Path
from simulator.kinds.parts.array.section import Array
from simulator.plan.codes import STAGE, STORE
from simulator.sizing.disks import Contradiction, of_array
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.requirement_file import Requirement
    from simulator.plan.paths import TierPlan
    from simulator.sizing.configurations import Configuration, Level, Offer
    from simulator.sizing.loads import Ready

COUNT = "count"
MOST = 5_000
"""Combinations of the choices that matter which are all compared; of more so many are drawn."""


class Contradictions:
    """Compares what is bought with the machine, once for all combinations that agree in that."""

    def __init__(self, offer: Offer, load: Ready, right: Configuration) -> None:
        """``right``: a combination that the machine does not refuse."""
        self._offer = offer
        self._load = load
        self._machine = load.prepared.load(right.settings)[0]
        self._kept = set(kept_on_devices(self._machine))
        """Stores that are on a device, and in no memory."""
        self._matter = [
            index for index, name in enumerate(offer.names) if self._matters(index, name)
        ]
        self._known: dict[tuple[int, ...], tuple[Contradiction, ...]] = {}

    def why(self, one: Configuration) -> str | None:
        """Return why a combination is not the machine that it is bought for; None if it is."""
        if not self._matter:
            return None
        places = self._offer.places_of(one.number)
        wrong = self._of(tuple(places[index] for index in self._matter))
        return wrong[0].about if wrong else None

    def mistakes(self) -> Iterator[Contradiction]:
        """Yield one for each place that is wrong whatever else is chosen."""
        yield from _lacking_per(self._offer.requirement, self._offer, self._machine)
        told = set[Path]()
        found = {key: self._of(key) for key in self._keys()}
        for index in range(len(self._matter)):
            for place in sorted({key[index] for key in found}):
                mine = [wrong for key, wrong in found.items() if key[index] == place]
                if not all(mine):
                    continue
                for one in _always(mine, self._path(index, place)):
                    if one.at not in told:
                        told.add(one.at)
                        yield one

    def impossible(self) -> Counter[str]:
        """Count the combinations that contradict the machine, by why: the first reason of each.

        Nothing is counted where there are too many to look at all.
        """
        counts = Counter[str]()
        if not self._offer.countable or self._size > MOST:
            return counts
        each = self._offer.size // self._size
        for key in self._keys():
            if wrong := self._of(key):
                counts[wrong[0].about] += each
        return counts

    @property
    def _size(self) -> int:
        """How many combinations there are of the choices that matter."""
        return math.prod(len(self._offer.levels[index]) for index in self._matter)

    def _keys(self) -> list[tuple[int, ...]]:
        """Return which level each choice that matters has in all combinations, or in a sample."""
        lengths = [len(self._offer.levels[index]) for index in self._matter]
        if not lengths:
            return []
        if self._size <= MOST:
            return list(itertools.product(*map(range, lengths)))
        drawn = random.Random(0)
        return [tuple(map(drawn.randrange, lengths)) for _ in range(MOST)]

    def _path(self, index: int, place: int) -> Path:
        return _path_of(self._offer, self._matter[index], place)

    def _of(self, key: tuple[int, ...]) -> tuple[Contradiction, ...]:
        if key not in self._known:
            places = [0] * len(self._offer.names)
            for index, place in zip(self._matter, key, strict=True):
                places[index] = place
            self._known[key] = tuple(self._compared(places))
        return self._known[key]

    def _compared(self, places: Sequence[int]) -> Iterator[Contradiction]:
        offer = self._offer
        one = offer.configuration(offer.number_of(places))
        try:
            machine = self._load.prepared.load(one.settings)[0]
        except ConfigError:
            return  # It is told of the value that is wrong.
        levels = offer.levels_of(one.number)
        for index, place in enumerate(places):
            if index in self._matter:
                path = _path_of(offer, index, place)
                yield from of_array(offer, machine, levels, index, path)
        yield from self._memory(machine, levels, places)

    # -- what matters ---------------------------------------------------------------------------

    def _matters(self, index: int, name: str) -> bool:
        """Whether a choice buys what is compared, or sets it, or is what others are per."""
        levels, machine = self._offer.levels[index], self._machine
        arrays = any(isinstance(part, Array) for part in machine.parts.values())
        catalogue = self._offer.requirement.catalogue
        buys = any(catalogue[item].size for level in levels for item, _ in level.buys)
        set_ = {_owner(path) for level in levels for path, _ in level.settings}
        groups = set(machine.nodes)
        stores = {
            key for key, store in machine.stores.items() if store.at and key not in self._kept
        }
        sets = {("nodes", one) for one in groups} | {("stores", one) for one in stores}
        sets |= {("parts", key) for key, part in machine.parts.items() if isinstance(part, Array)}
        above = any(
            name in (choice.per or ()) for choice in self._offer.requirement.choices.values()
        )
        return bool(sets & set_) or (arrays and (buys or above))

    # -- memory -----------------------------------------------------------------------------------

    def _memory(
        self, machine: Machine, levels: tuple[Level, ...], places: Sequence[int]
    ) -> Iterator[Contradiction]:
        """Find nodes whose stores are more than their memory, where a choice decides on either."""
        in_memory = set(used_stores(machine)) - set(kept_on_devices(machine))
        for group, node in machine.nodes.items():
            held = {
                name: units_in(machine, store.at, group) * store.capacity
                for name, store in machine.stores.items()
                if store.at is not None and name in in_memory
            }
            held = {name: size for name, size in held.items() if size}
            total = sum(held.values())
            if node.memory is None or total <= node.memory:
                continue
            index = self._decides(levels, held, group)
            if index is None:
                continue
            have = "has" if len(held) == 1 else "have"
            about = f"{' and '.join(held)} {have} {format_size(total)} of a {group}"
            about = f"{about}, whose memory is {format_size(node.memory)}"
            both = f"set: [{next(iter(held))}.capacity, {group}.memory]"
            cure = f"write less, or decide on the memory too ('{both}')"
            yield Contradiction(_path_of(self._offer, index, places[index]), about, cure)

    def _decides(self, levels: Sequence[Level], held: Iterable[str], group: str) -> int | None:
        """Return which choice decides what is held in a memory: how large it is, or how often."""
        nodes = self._machine.nodes
        inner = [one for one in nodes if one != group and units_in(self._machine, one, group)]
        for watched in (
            {f"machine.stores.{name}.capacity" for name in held},
            {f"machine.nodes.{group}.memory"},
            {f"machine.nodes.{one}{key}" for one in inner for key in ("", ".count")},
        ):
            for index in self._matter:
                if watched & {path for path, _ in levels[index].settings}:
                    return index
        return None


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


def _owner(path: str) -> tuple[str, str]:
    """Return what a setting is of: ``("parts", "raid")``."""
    _, section, name, *_ = [*path.split("."), "", ""]
    return section, name


def _path_of(offer: Offer, index: int, place: int) -> Path:
    """Return where a value or a way of a choice is written."""
    name = offer.names[index]
    if offer.requirement.choices[name].options:
        return "choices", name, "options", offer.levels[index][place].text
    return "choices", name, "values"


def _always(found: Sequence[tuple[Contradiction, ...]], path: Path) -> list[Contradiction]:
    """Return what is wrong with a value in all combinations with it, or else in the first.

    ``path`` is where it is written: what is wrong there tells more.
    """
    common = set.intersection(*({one.at for one in wrong} for wrong in found))
    there = {one.at: one for one in found[0]}
    mine = [one for at, one in there.items() if at[: len(path)] == path]
    return [there[at] for at in there if at in common] or mine[:1] or [*found[0][:1]]


def kept_on_devices(machine: Machine) -> Iterator[str]:
    """Yield the stores that have the same part before and behind them: they are kept on it."""
    names = list(machine.stores)
    for name, system in machine.filesystems.items():
        for path in system.ways():
            tiers = machine.ways.block(name, path, 0).tiers
            for number, tier in enumerate(tiers):
                if tier.kind == STORE:
                    before, behind = tiers[:number][::-1], tiers[number + 1 :]
                    if _stages(before) & _stages(behind):
                        yield names[tier.row]


def used_stores(machine: Machine) -> Iterator[str]:
    """Yield the stores that a file system has; others hold nothing."""
    names = list(machine.stores)
    for name, system in machine.filesystems.items():
        for path in system.ways():
            for tier in machine.ways.block(name, path, 0).tiers:
                if tier.kind == STORE:
                    yield names[tier.row]


def _stages(tiers: Sequence[TierPlan]) -> set[int]:
    """Return the parts of the stages that a list begins with."""
    stages = itertools.takewhile(lambda tier: tier.kind == STAGE, tiers)
    return {hold.part for tier in stages for hold in tier.down}


def _lacking_per(
    requirement: Requirement, offer: Offer, machine: Machine
) -> Iterator[Contradiction]:
    """Find what is in each node of a group that another choice counts: it is per that one."""
    counts = {
        name: {
            owner
            for section, owner, key in map(_in_each, offer.paths_of(name))
            if section == "nodes" and key == COUNT
        }
        for name in requirement.choices
    }
    lacking: dict[tuple[str, str], str] = {}
    """By choice and what it is not per: what it decides on, and where."""
    for name, choice in requirement.choices.items():
        owners = {one for one in map(_in_each, offer.paths_of(name)) if one[2]}
        for section, owner, key in sorted(owners) if choice.buys else ():
            around = _around(machine, section, owner, key)
            for other, counted in counts.items():
                if other != name and counted & around and other not in requirement.above(name):
                    lacking[name, other] = f"{owner} is in each {min(counted & around)}"
    for (name, other), where in lacking.items():
        others = [one for which, one in lacking if which == name]
        follows = any((one, other) in lacking for one in requirement.above(name))
        if not follows and not any(other in requirement.above(one) for one in others):
            about = f"{where}, and {other} decides how many there are"
            yield Contradiction(("choices", name, "per"), about, f"write 'per: {other}'")


def _in_each(path: str) -> tuple[str, str, str]:
    """Return of what a setting is, if it is a number or a size that each node has; else no key."""
    _, section, owner, key, *_ = [*path.split("."), COUNT, ""]
    is_count = key == COUNT and section in ("parts", "nodes")
    if is_count or (section, key) in (("stores", "capacity"), ("nodes", "memory")):
        return section, owner, key
    return section, owner, ""


def _around(machine: Machine, section: str, owner: str, key: str) -> set[str]:
    """Return the groups of nodes of which each has so much or so many, and those around these."""
    groups = [owner] if key == "memory" else []
    if section == "parts":
        groups = [*(machine.parts[owner].at or ())]
    elif section == "stores":
        groups = [machine.stores[owner].at or ""]
    elif key == COUNT:
        groups = [machine.nodes[owner].per or ""]
    found = set[str]()
    while groups:
        group = groups.pop()
        if group in machine.nodes and group not in found:
            found.add(group)
            groups += [per for per in (machine.nodes[group].per,) if per]
    return found
