"""Groups of pieces: how many disks a RAID has that is bought by its level, and what is written.

``redundancy: raid6`` is n-2 pieces of data and two to lose: of an array with n disks that a choice
buys disks for, on each member of an erasure code if it is one; without an array, of all pieces that
a unit buys.

An array writes its parity, and an erasure code its own. Of a resource of another kind the
redundancy is in the price and the capacity alone: runs write the data, at the rate that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.amounts import Raid, Redundancy
from simulator.config.errors import ConfigError
from simulator.kinds.parts.array.section import Array
from simulator.sizing.configurations import Offer
from simulator.sizing.ledger import media_of, path_of, sized
from simulator.sizing.media import codes_of, under

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.requirement_file import Requirement
    from simulator.sizing.configurations import Configuration, Full, Level
    from simulator.sizing.ready import Ready


class NoGroupError(Exception):
    """Nothing says how many pieces are one RAID: what there is, and what to write."""


def offer_of(requirement: Requirement, full: Full, load: Ready) -> Offer:
    """Return the offer of a requirement, each RAID with its pieces.

    ConfigError where nothing says how many, or for values that cannot be counted.
    """
    offer, problems = Offer(requirement, full), []
    for index, levels in enumerate(offer.levels):
        for place, level in enumerate(levels):
            if not isinstance(level.bought_as, Raid):
                continue
            try:
                group = _group(offer, load, level.bought_as, index, place)
            except NoGroupError as error:
                about, cure = error.args
                at = path_of(offer, index, level)
                problems.append(requirement.origin.problem(at, f"{about}; {cure}"))
                continue
            levels[place] = replace(level, redundancy=group)
    if problems:
        raise ConfigError(problems)
    return offer


def _group(offer: Offer, load: Ready, raid: Raid, index: int, place: int) -> Redundancy | None:
    """Return the pieces of a RAID; None of a machine that is refused, which is told elsewhere."""
    beside = offer.rules.beside({index: place})
    if beside is None:
        return None
    one = offer.configuration(offer.lattice.number(beside))
    try:
        machine = load.prepared.load(one.settings)[0]
    except ConfigError:
        return None
    levels = offer.levels_of(one.number)
    arrays = {
        name: part
        for name in media_of(offer, machine, levels, index)
        if isinstance(part := machine.parts[name], Array)
    }
    pieces = _of_arrays(offer, arrays, index) if arrays else _of_a_unit(offer, levels[index])
    least = raid.parity + 2
    if pieces < least:
        about = f"{raid} takes {least} disks or more, and these are {pieces}"
        raise NoGroupError(about, f"buy so many, or write data and parity, like '8+{raid.parity}'")
    return under(Redundancy(pieces - raid.parity, raid.parity), _code_over(arrays, machine))


def _code_over(arrays: Iterable[str], machine: Machine) -> Redundancy:
    """Return the erasure code whose members some arrays are; ``1+0`` without one."""
    codes = codes_of(machine)
    found = {codes.get(name, Redundancy(1, 0)) for name in arrays} or {Redundancy(1, 0)}
    if len(found) > 1:
        about = f"{' and '.join(arrays)} are not members of the same erasure code"
        raise NoGroupError(about, "write a choice for each, or all data and parity, like '12+12'")
    return found.pop()


def _of_arrays(offer: Offer, arrays: dict[str, Array], index: int) -> int:
    """Return the disks of some arrays that a choice buys disks for; they decide alone."""
    counts = {part.disks for part in arrays.values()}
    paths = {f"machine.parts.{name}.disks" for name in arrays}
    for other, levels in enumerate(offer.levels):
        if other != index and any(path in paths for level in levels for path, _ in level.settings):
            about = f"{offer.names[other]} says how many disks there are in {' and '.join(arrays)}"
            raise NoGroupError(about, "set and buy them in one choice, or write '8+2'")
    if len(counts) > 1:
        about = f"{' and '.join(arrays)} have {' and '.join(map(str, sorted(counts)))} disks"
        raise NoGroupError(about, "write a choice for each, or '8+2'")
    return counts.pop()


def _of_a_unit(offer: Offer, level: Level) -> int:
    """Return the pieces that a unit buys of what keeps data."""
    counts = {count for item, count in level.buys if item in sized(offer, level)}
    if len(counts) == 1:
        return counts.pop()
    about = "nothing that is bought has a 'size'" if not counts else "pieces of several sizes"
    raise NoGroupError(f"{about}: no RAID has them", "write data and parity, like '8+2'")


def unwritten(
    offer: Offer, machine: Machine, one: Configuration
) -> Iterator[tuple[Redundancy, Sequence[str]]]:
    """Yield redundancy that is bought and that runs do not write, and the parts it is bought for.

    No parts: nothing says which.
    """
    codes, levels = codes_of(machine), offer.levels_of(one.number)
    for index, level in enumerate(levels):
        if level.redundancy is None or not offer.pieces(index, levels, sized(offer, level)):
            continue
        media = media_of(offer, machine, levels, index)
        plain = [
            name
            for name in media
            if name not in codes and not isinstance(machine.parts[name], Array)
        ]
        if (plain or not media) and level.redundancy.parity:
            yield level.redundancy, plain
