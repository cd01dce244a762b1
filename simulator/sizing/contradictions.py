"""Contradictions between what is bought and the machine that is simulated.

Compared, for each combination of the choices that matter:

- what is bought with what there is (:mod:`simulator.sizing.ledger`): disks of arrays, other
  hardware, what keeps files, and the files;
- the stores of a node, if they are in its memory, with that memory.

And once: a choice that decides how many there are in each node, of nodes whose number another one
decides, is ``per`` that one.

A value or a way that contradicts the machine whatever else is chosen is a mistake of the file. What
contradicts it beside some values of other choices only is a combination that cannot be bought.

Not compared: how many disks a device of another kind than ``array`` has (one of kind ``disk`` may
stand for any volume), and what is set without anything being bought.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Path
from simulator.config.requirement_durability import DURABILITY
from simulator.kinds.parts.array.section import Array
from simulator.plan.codes import STAGE, STORE
from simulator.sizing.capacity import files_of, of_capacity, stored_of
from simulator.sizing.checks import MOST, Check, combinations, places_with, size_of
from simulator.sizing.durability import UnstatedError, durability_of
from simulator.sizing.ledger import (
    Contradiction,
    for_sale,
    is_coded,
    of_array,
    of_hardware,
    of_numbers,
    of_ports,
    path_of,
    served_at,
    sized,
    units_in,
)
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.requirement_file import Requirement
    from simulator.plan.paths import TierPlan
    from simulator.sizing.configurations import Configuration, Level, Offer
    from simulator.sizing.ready import Ready

COUNT = "count"
UNSOLD = ("filesystems", "events")
"""Sections that decide where files lie and what fails, and are not bought."""


class Contradictions:
    """Compares what is bought with the machine."""

    def __init__(self, offer: Offer, loads: Sequence[Ready], right: Configuration) -> None:
        """``right``: a combination that the machine does not refuse."""
        self._offer = offer
        self._load = loads[0]
        self._right = offer.places_of(right.number)
        self._machine = self._load.prepared.load(right.settings)[0]
        self._kept = set(kept_on_devices(self._machine))
        """Stores that are on a device, and in no memory."""
        self._matter = [n for n, name in enumerate(offer.names) if self._matters(n, name)]
        self._checks = [Check(offer, self._matter, self._compared)] if self._matter else []
        self._checks += self._of_hardware()
        if any(catalogued.size for catalogued in offer.requirement.catalogue.values()):
            self._files = [*files_of(loads, right.settings)]
            self._checks.append(self._of_capacity())
        for index, target in enumerate(offer.requirement.targets):
            if target.figure in DURABILITY:
                self._checks.append(self._of_durability(("targets", index, target.figure)))

    def why(self, one: Configuration) -> str | None:
        """Return why a combination is not the machine that it is bought for; None if it is."""
        places = self._offer.places_of(one.number)
        return next((wrong.about for check in self._checks for wrong in check.of(places)), None)

    def stored(self, one: Configuration) -> int:
        """Return the bytes of the files that lie on what a combination buys."""
        return stored_of(self._offer, self._load.prepared.load(one.settings)[0], one, self._files)

    def mistakes(self) -> Iterator[Contradiction]:
        """Yield one for each place that is wrong whatever else is chosen."""
        lacking = [*_lacking_per(self._offer.requirement, self._offer, self._machine)]
        yield from lacking
        wrong = {str(one.at[1]) for one in lacking}
        numberless = {
            ("choices", name)
            for name in self._offer.names
            if wrong & {name, *self._offer.requirement.above(name)}
        }
        """Choices of whose numbers nothing can be said before that is mended."""
        told = set[Path]()
        for check in self._checks:
            for one in check.mistakes():
                if one.at not in told and one.at[:2] not in numberless:
                    told.add(one.at)
                    yield one

    def impossible(self) -> Counter[str]:
        """Count the combinations that contradict the machine, by why: the first reason of each.

        Nothing is counted where there are too many to look at all; nor what breaks a rule.
        """
        counts, rules = Counter[str](), self._offer.rules
        matter = sorted({*rules.matter, *(index for one in self._checks for index in one.matter)})
        size = size_of(self._offer, matter)
        if not self._offer.countable or size > MOST:
            return counts
        for key in combinations(self._offer, matter):
            places = places_with(self._offer, matter, key)
            if rules.broken(places) is not None:
                continue
            wrong = next((one for check in self._checks for one in check.of(places)), None)
            if wrong is not None:
                counts[wrong.about] += self._offer.size // size
        return counts

    def _compared(self, places: Sequence[int]) -> Iterator[Contradiction]:
        """Compare disks of arrays, and memories."""
        offer = self._offer
        one, machine = self._loaded(places)
        if machine is None:
            return
        levels = offer.levels_of(one.number)
        wrong = [each for index in self._matter for each in of_array(offer, machine, levels, index)]
        yield from wrong
        if all(each.at[0] == "catalogue" for each in wrong):  # The number follows redundancy.
            yield from of_numbers(offer, machine, levels)
        yield from self._memory(machine, levels)

    def _loaded(self, places: Sequence[int]) -> tuple[Configuration, Machine | None]:
        """Return a combination and its machine; None if that is refused: it is told elsewhere."""
        one = self._offer.configuration(self._offer.lattice.number(places))
        try:
            return one, self._load.prepared.load(one.settings)[0]
        except ConfigError:
            return one, None

    def _of_hardware(self) -> Iterator[Check]:
        """Yield a comparison for each choice that buys hardware that it sets."""
        offer = self._offer
        for index, levels in enumerate(offer.levels):
            paths = [path for level in levels if level.buys for path, _ in level.settings]
            paths = [path for path in paths if for_sale(self._machine, path)]
            if not paths:
                continue

            def compare(places: Sequence[int], index: int = index) -> Iterator[Contradiction]:
                one, machine = self._loaded(places)
                if machine is not None:
                    yield from of_hardware(offer, self._before, machine, one, index)
                    yield from of_ports(offer, self._before, machine, one, index)

            matter = {index, *self._counting(paths), *self._serving(paths)}
            matter |= {above for one in matter for above in offer.all_above(one)}
            yield Check(offer, matter, compare)

    def _serving(self, paths: Iterable[str]) -> Iterator[int]:
        """Yield the choices that buy what counts as bought for what some settings are of."""
        machine, catalogue = self._machine, self._offer.requirement.catalogue
        owners = {name for path in paths for name in served_at(self._offer, machine, path)}
        owners |= {_owner(path)[1] for path in paths}
        media = any(name in owners and part.medium for name, part in machine.parts.items())
        counts = {
            item
            for item, one in catalogue.items()
            if owners & {*one.serves} or (media and one.size)
        }
        for index, levels in enumerate(self._offer.levels):
            if any(item in counts for level in levels for item, _ in level.buys):
                yield index

    @cached_property
    def _before(self) -> Machine:
        """The machine without any choice."""
        try:
            return self._load.prepared.load(())[0]
        except ConfigError:
            return self._machine

    def _counting(self, paths: Iterable[str]) -> list[int]:
        """Return the choices that say how many there are of what some settings are of."""
        counts = set[str]()
        for path in paths:
            _, section, owner, key, *_ = [*path.split("."), COUNT]
            around = _around(self._machine, section, owner, key)
            counts |= {f"machine.nodes.{group}.count" for group in around}
            counts.add(f"machine.{section}.{owner}.count")
        return [
            index
            for index, levels in enumerate(self._offer.levels)
            if any(path in counts for level in levels for path, _ in level.settings)
        ]

    def _of_capacity(self) -> Check:
        """Return the comparison of what is usable with what is used, and with the files."""
        offer = self._offer
        catalogue = offer.requirement.catalogue
        buying = [
            index
            for index, levels in enumerate(offer.levels)
            if any(catalogue[item].size for level in levels for item, _ in level.buys)
        ]
        systems = [
            index
            for index, levels in enumerate(offer.levels)
            if any(_owner(path)[0] == "filesystems" for one in levels for path, _ in one.settings)
        ]

        def compare(places: Sequence[int]) -> Iterable[Contradiction]:
            right = list(self._right)
            for index in systems:
                right[index] = places[index]
            machine = self._loaded(right)[1]
            one = offer.configuration(offer.lattice.number(places))
            return () if machine is None else of_capacity(offer, machine, one, self._files)

        above = [one for index in buying for one in offer.all_above(index)]
        return Check(offer, [*buying, *above, *systems], compare)

    def _of_durability(self, at: Path) -> Check:
        """Return the comparison with what a target of durability has to know."""
        offer = self._offer

        def look(places: Sequence[int]) -> Iterator[Contradiction]:
            one, machine = self._loaded(places)
            try:
                if machine is not None:
                    durability_of(offer, machine, offer.levels_of(one.number))
            except UnstatedError as error:
                yield Contradiction(at, *error.args)

        matter = [
            index
            for index, levels in enumerate(offer.levels)
            if any(sized(offer, level) for level in levels)
            or any(_owner(path)[0] in UNSOLD for level in levels for path, _ in level.settings)
        ]
        above = [one for index in matter for one in offer.all_above(index)]
        return Check(offer, [*matter, *above], look)

    # -- what matters ---------------------------------------------------------------------------

    def _matters(self, index: int, name: str) -> bool:
        """True if a choice buys what is compared, or sets it, or is what others are per."""
        levels, machine = self._offer.levels[index], self._machine
        arrays = any(isinstance(part, Array) for part in machine.parts.values())
        arrays |= (coded := is_coded(self._offer, machine))
        catalogue = self._offer.requirement.catalogue
        buys = any(catalogue[item].size for level in levels for item, _ in level.buys)
        set_ = {_owner(path) for level in levels for path, _ in level.settings}
        groups = set(machine.nodes)
        stores = {
            key for key, store in machine.stores.items() if store.at and key not in self._kept
        }
        sets = {("nodes", one) for one in groups} | {("stores", one) for one in stores}
        sets |= {("parts", key) for key, part in machine.parts.items() if isinstance(part, Array)}
        sets |= {("filesystems", name) for name in machine.filesystems if coded}
        above = any(name in (one.per or ()) for one in self._offer.requirement.choices.values())
        return bool(sets & set_) or (arrays and (buys or above))

    # -- memory -----------------------------------------------------------------------------------

    def _memory(self, machine: Machine, levels: tuple[Level, ...]) -> Iterator[Contradiction]:
        """Find nodes whose stores are more than their memory, where a choice decides on either."""
        in_memory = set(used_stores(machine)) - set(kept_on_devices(machine))
        for group, node in machine.nodes.items():
            held = {
                name: sum(units_in(machine, at, group) for at in store.groups) * store.capacity
                for name, store in machine.stores.items()
                if name in in_memory
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
            yield Contradiction(path_of(self._offer, index, levels[index]), about, cure)

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


def _owner(path: str) -> tuple[str, str]:
    """Return what a setting is of: ``("parts", "raid")``."""
    _, section, name, *_ = [*path.split("."), "", ""]
    return section, name


def kept_on_devices(machine: Machine) -> Iterator[str]:
    """Yield the stores that have the same part before and behind them: they are kept on it."""
    names = [store.name for store in machine.tables.stores]
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
    names = [store.name for store in machine.tables.stores]
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
        groups = [*machine.stores[owner].groups]
    elif key == COUNT:
        groups = [machine.nodes[owner].per or ""]
    found = set[str]()
    while groups:
        group = groups.pop()
        if group in machine.nodes and group not in found:
            found.add(group)
            groups += [per for per in (machine.nodes[group].per,) if per]
    return found
