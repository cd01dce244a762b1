"""The ledger: pieces that are bought, beside what the machine has of them, and what keeps files.

An item of the catalogue stands for what its ``one_of`` names, a part, a store or a group of nodes;
without it for the group of nodes of its own name, if there is one; else for nothing that could be
counted, such as a kit of memory or a share of a switch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from simulator.config.errors import Path, did_you_mean
from simulator.config.rates import ByGroup
from simulator.config.section import fields_of
from simulator.sizing.disks import Contradiction, number_of
from simulator.wording import brief_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part
    from simulator.config.requirement_file import Requirement
    from simulator.config.workload_file import Workload
    from simulator.plan.plan import Plan
    from simulator.sizing.configurations import Configuration, Offer

Base = Callable[[str], "Machine | None"]
"""The machine of a configuration where no choice buys an item; None if one always does."""


def stands_for(requirement: Requirement, machine: Machine, item: str) -> str | None:
    """Return of which part, store or group of nodes an item is one; None if that is not said."""
    return requirement.catalogue[item].one_of or (item if item in machine.nodes else None)


def unknown_names(requirement: Requirement, machine: Machine) -> Iterator[tuple[Path, str]]:
    """Yield the items that are one of what the machine does not have: where, and what is wrong."""
    known = [*machine.nodes, *machine.parts, *machine.stores]
    for item, one in requirement.catalogue.items():
        if one.one_of is not None and one.one_of not in known:
            about = f"the machine has no part, store or nodes {one.one_of!r}"
            yield ("catalogue", item, "one_of"), f"{about}; {did_you_mean(one.one_of, known)}"


def of_items(
    offer: Offer, machine: Machine, before: Base, one: Configuration, paths: dict[str, Path]
) -> Iterator[Contradiction]:
    """Find items of which other numbers are bought than there are, or than are new or changed.

    ``paths``: where the choice that buys an item is written.
    """
    for item, pieces in one.pieces.items():
        name = stands_for(offer.requirement, machine, item)
        if name is None or item not in paths:
            continue
        there, old = number_of(machine, name), before(item)
        news = (
            set() if old is None else {there - number_of(old, name), _changed(machine, old, name)}
        )
        if pieces == there or pieces in news:
            continue
        also = sorted(news - {0, there})
        whole = f"{there:,} of {name}" + (f", {also[-1]:,} of them new" if also else "")
        about = f"{pieces:,} {item}, and the machine has {whole}"
        cure = f"buy as many, or leave 'one_of' out where one {item} is for several"
        if offer.requirement.catalogue[item].one_of is None:
            cure = f"buy as many, or give the item another name than that of the nodes {name}"
        yield Contradiction(paths[item], about, cure, pieces < there)


def _changed(machine: Machine, old: Machine, name: str) -> int:
    """Return how many of a part are not what they were, by the nodes that have them."""
    if name not in machine.parts or type(machine.parts[name]) is not type(old.parts[name]):
        return 0
    now, then, tables = machine.parts[name], old.parts[name], machine.tables
    groups = (tables.groups[row] for row in tables.groups_of(name))
    return sum(group.count for group in groups if _differ(now, then, group.name))


def _differ(now: Part, then: Part, group: str) -> bool:
    def at(value: Any) -> Any:
        return value.at(group) if isinstance(value, ByGroup) else value

    keys = fields_of(type(now))
    return any(at(getattr(now, key)) != at(getattr(then, key)) for key in keys)


def too_large(one: Configuration, files: Iterable[tuple[str, int]]) -> str | None:
    """Return the first load whose files are larger than what is usable, in words; else None."""
    for load, size in files:
        if size > one.usable:
            return f"files of {brief_size(size)} ({load}), and {brief_size(one.usable)} usable"
    return None


def size_of_files(plan: Plan, workload: Workload) -> int:
    """Return the bytes that files have at one time: at the end, or before where some are removed.

    A list of calls may remove any.
    """
    phases = [phase for job in workload.jobs for _, phase in job.every_phase()]
    removed = any(getattr(phase, "do", "") in ("unlink", "rename") for phase in phases)
    removed = removed or any(calls for job in workload.jobs for calls in job.lists())
    return sum(one.length if removed else max(one.length, one.size) for one in plan.files)
