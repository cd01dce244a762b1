"""Capacity: pieces that count as usable are on a file system, and hold the loads' files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.codes import END
from simulator.sizing.ledger import Contradiction, path_of, sized
from simulator.sizing.media import ends, on_which
from simulator.units import format_size
from simulator.wording import brief_size

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.sizing.configurations import Configuration, Level, Offer
    from simulator.sizing.ready import Ready


def of_capacity(
    offer: Offer, machine: Machine, one: Configuration, files: Sequence[StoredFile]
) -> Iterator[Contradiction]:
    """Yield what is counted as usable and keeps no files; and files that it does not hold."""
    levels = offer.levels_of(one.number)
    lies, buying = on_which(machine), _buying(offer, levels)
    targets = {index: _targets(offer, machine, levels, index) for index in buying}
    said = {name for found in targets.values() for name in found} & lies
    for index, items in buying.items():
        found = targets[index]
        if (found and not found & lies) or (not found and len(lies) == 1 and said):
            pieces = offer.pieces(index, levels, items)
            about = f"{pieces:,} {' and '.join(items)} of {_bytes(offer, items)} count as usable"
            where = f"on {' or '.join(sorted(found))}" if found else "on what this choice buys"
            cure = f"leave 'size' of {items[0]} out, or set the part of a file system that it is"
            at = path_of(offer, index, levels[index])
            yield Contradiction(at, f"{about}, and no file is {where}", cure)
            return
    total = stored_of(offer, machine, one, files)
    if buying and total > one.usable:
        names = " and ".join(dict.fromkeys(file.load for file in files))
        years = offer.requirement.years
        when = f" in year {years:g}" if years else ""
        about = f"files of {names} have {brief_size(total)}{when}, of which"
        about = f"{about} {brief_size(one.usable)} can be kept"
        at = path_of(offer, max(buying), levels[max(buying)])
        yield Contradiction(at, about, "write more or larger ones, or smaller files", "all")


def stored_of(
    offer: Offer, machine: Machine, one: Configuration, files: Sequence[StoredFile]
) -> int:
    """Return the bytes of files that lie on what a combination buys."""
    levels = offer.levels_of(one.number)
    targets = [_targets(offer, machine, levels, index) for index in _buying(offer, levels)]
    bought = {name for found in targets for name in found}
    return stored_bytes(files, bought if all(targets) else bought | on_which(machine))


def _buying(offer: Offer, levels: tuple[Level, ...]) -> dict[int, Sequence[str]]:
    """Return the choices that buy what keeps data, each with its pieces."""
    buying = {index: sized(offer, level) for index, level in enumerate(levels)}
    return {index: items for index, items in buying.items() if offer.pieces(index, levels, items)}


def _bytes(offer: Offer, items: Sequence[str]) -> str:
    sizes = (offer.requirement.catalogue[item].size or 0 for item in items)
    return " and ".join(map(format_size, sizes))


def _targets(offer: Offer, machine: Machine, levels: tuple[Level, ...], index: int) -> set[str]:
    """Return the parts and stores that a choice buys pieces for; none if nothing says so."""
    paths = [path.split(".") for path, _ in levels[index].settings]
    own = {steps[2] for steps in paths if steps[1] in ("parts", "stores")}
    own |= {item for item, _ in levels[index].buys if item in machine.parts}
    if own:
        return own
    above = [path.split(".") for one in offer.all_above(index) for path, _ in levels[one].settings]
    lies = on_which(machine)
    near = {steps[2] for steps in paths + above if steps[1] == "nodes"}
    own = {steps[2] for steps in above if steps[1] == "parts"} & lies
    return own or {name for name in lies if near & {*(machine.parts[name].at or ())}}


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a load, as it has grown."""

    load: str
    name: str
    size: int
    exists: bool
    """True if it is there before the load comes."""
    on: Collection[str]
    """The parts that it lies on."""


def files_of(loads: Iterable[Ready], settings: Iterable[Setting]) -> Iterator[StoredFile]:
    """Yield the files of some loads on a machine of these settings."""
    for load in loads:
        plan, lies = load.plan(settings), dict[int, set[str]]()
        for file in plan.files:
            if file.path not in lies:
                top = plan.paths[file.path].top
                rows = range(top, len(plan.tiers))
                last = next(row for row in rows if plan.tiers[row].kind == END)
                lies[file.path] = ends(plan.tiers[top:last], plan.parts)
            size = max(file.length, file.size)
            yield StoredFile(load.name, file.name, size, bool(file.length), lies[file.path])


def stored_bytes(files: Sequence[StoredFile], on: Collection[str]) -> int:
    """Return the bytes of files on some parts: all that exist, and those that one load writes.

    Loads that name one file alike have it together.
    """
    there: dict[str, int] = {}
    made: dict[str, int] = {}
    for file in files:
        if file.on and set(file.on) <= set(on):
            if file.exists:
                there[file.name] = max(there.get(file.name, 0), file.size)
            else:
                made[file.load] = made.get(file.load, 0) + file.size
    return sum(there.values()) + max(made.values(), default=0)
