"""Durability of the arrays that files lie on, by closed forms: no run is needed for it.

A disk fails after a time that is exponential with a mean of M, is replaced after the time of its
repair, and has all its data after that of its rebuild: R together. As long as n R is small against
M (Patterson, Gibson, Katz, A Case for Redundant Arrays of Inexpensive Disks, SIGMOD 1988, with R
the same each time), an array of n disks loses data after

- M^2 / (n R): two twins of a mirror are away at once,
- M^2 / (n (n - 1) R): two disks of RAID 5,
- M^3 / (n (n - 1) (n - 2) R^2 / 2): three of RAID 6;
- M^(m + 1) / (s (m + 1) R^m): m + 1 of an erasure code of k+m, which are in s sets together. Files
  begin at each of its n members in turn, so that s is n C(k + m - 1, m), at most C(n, m + 1). R is
  the time of the repair, with the rebuild, which the traffic of a network decides.

Longer ones of R make these shorter than they are: more is told to be lost than is. Several arrays
lose data as often as all of them together; the odds of a year are 1 - exp(-year / mean time). The
part of the time in which all disks of all arrays are whole is the product of M / (M + R).

Not modelled: sectors that cannot be read while a disk is rebuilt, failures of several disks by one
cause, of what disks are connected to, and mistakes of people; rebuilds that loads make longer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.config.amounts import Redundancy
from simulator.config.events import ALL
from simulator.config.ownership import HOURS
from simulator.kinds.parts.array.section import Array
from simulator.kinds.parts.array.spec import PARITIES
from simulator.sizing.ledger import media_of, sized
from simulator.sizing.media import codes_of, on_which

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.sizing.configurations import Level, Offer

HOUR_NS = 3_600 * 10**9


class UnstatedError(Exception):
    """Something is not stated from which the durability follows: what, and what to write."""


@dataclass(frozen=True, slots=True)
class Arrays:
    """Equal arrays whose disks fail equally often; times in hours."""

    count: int
    disks: int
    level: str | Redundancy
    """That of an array; or an erasure code, whose members count as disks."""
    mtbf: float
    repair: float
    """From a failure until the rebuild begins."""
    rebuild: float

    @property
    def away(self) -> float:
        """The time in which the data of a failed disk are missing."""
        return self.repair + self.rebuild

    @property
    def mttdl(self) -> float:
        """The mean time until one of them loses data.

        >>> levels = {"mirror": 2, "raid5": 5, "raid6": 5}
        >>> [round(Arrays(1, n, one, 1000.0, 4.0, 1.0).mttdl) for one, n in levels.items()]
        [100000, 10000, 1333333]
        """
        parities, sets = self._sets
        losses = sets * (parities + 1) * (self.away / self.mtbf) ** parities / self.mtbf
        return 1 / losses / self.count

    @property
    def _sets(self) -> tuple[int, float]:
        """How many may be away, and how many sets of one more lose data together."""
        n, level = self.disks, self.level
        if isinstance(level, Redundancy):
            of_files = n * math.comb(level.group - 1, level.parity)
            return level.parity, min(of_files, math.comb(n, level.parity + 1))
        parities = PARITIES[level]
        return (parities, math.comb(n, parities + 1)) if parities else (1, n / 2)


@dataclass(frozen=True, slots=True)
class Durability:
    """How all arrays of a machine keep their data."""

    arrays: tuple[Arrays, ...]

    def figure(self, name: str) -> float:
        """Return the figure of a target: ns, years, or a part of 1."""
        mttdl = 1 / sum(1 / one.mttdl for one in self.arrays)
        whole = math.prod(
            (one.mtbf / (one.mtbf + one.away)) ** (one.count * one.disks) for one in self.arrays
        )
        return {
            "mttdl": mttdl / HOURS,
            "loss_per_year": -math.expm1(-HOURS / mttdl),
            "rebuild": max(one.rebuild for one in self.arrays) * HOUR_NS,
            "degraded": (1 - whole) * HOURS * HOUR_NS,
        }[name]


def rebuild_ns(part: Array) -> int:
    """Return the time of a rebuild while nothing else is done, without its first seek.

    Step after step: all sources are read together, then the disk is written; a step lasts at least
    as long as its bytes do at the rate of ``rebuild``.
    """
    spec = part.row()["spec"]

    def step_ns(size: int) -> int:
        return max(2 * spec.access_ns(0, size), spec.pace_ns(size)) if size else 0

    steps, rest = divmod(spec.capacity, spec.step)
    return int(steps * step_ns(spec.step) + step_ns(rest))


def durability_of(offer: Offer, machine: Machine, levels: tuple[Level, ...]) -> Durability:
    """Return the durability of a machine; UnstatedError if it lacks what that takes."""
    found = []
    codes = codes_of(machine)
    for name in sorted(on_which(machine)):
        part = machine.parts[name]
        if name in codes and isinstance(part, Array):
            about = f"files lie on {name}, arrays under a code of {codes[name]}"
            raise UnstatedError(about, "leave this target out, or one of both")
        if name in codes:
            mtbf, away = _failing(offer, machine, levels, name)
            members = machine.tables.devices(name)
            found.append(Arrays(1, members, codes[name], mtbf, 0.0, away))
            continue
        if not isinstance(part, Array):
            about = f"files lie on {name}, of kind {part.kind}, of which no redundancy is known"
            raise UnstatedError(about, "write it with 'kind: array', or leave this target out")
        mtbf, repair = _failing(offer, machine, levels, name)
        count = machine.tables.devices(name)
        rebuild = rebuild_ns(part) / HOUR_NS
        found.append(Arrays(count, part.disks, part.level, mtbf, repair, rebuild))
    return Durability(tuple(found))


def _failing(
    offer: Offer, machine: Machine, levels: tuple[Level, ...], name: str
) -> tuple[float, float]:
    """Return how often the disks of an array fail and how soon they are replaced, in hours.

    That of what is bought for it, the worst of several things; else that of the machine's events.
    """
    items = dict.fromkeys(_bought(offer, machine, levels, name))
    pieces = [offer.requirement.catalogue[item] for item in items]
    stated = [(one.hours, (one.repair or 0) / HOUR_NS) for one in pieces if one.hours]
    if stated and len(stated) == len(pieces):
        return min(hours for hours, _ in stated), max(repair for _, repair in stated)
    events = [
        (one.mtbf / HOUR_NS, one.lasts_ns / HOUR_NS)
        for one in machine.events
        if one.part == name
        and one.member == ALL
        and one.disk in (ALL, None)
        and one.group is None
        and one.mtbf is not None
        and one.fails
    ]
    if len(events) == 1 and not stated:
        return events[0]
    item = next((item for item, one in zip(items, pieces, strict=True) if not one.hours), "")
    where = f"of {item} in the catalogue" if item else "of what is bought for it"
    disk = "disk: all, " if isinstance(machine.parts[name], Array) else ""
    event = f"{{part: {name}, {disk}mtbf: 1000000 h, repair: 24 h}}"
    cure = f"write 'afr: 0.9 %' and 'repair: 24 h' {where}, or one event {event} in the machine"
    raise UnstatedError(f"nothing states how often disks of {name} fail", cure)


def _bought(offer: Offer, machine: Machine, levels: tuple[Level, ...], name: str) -> Iterator[str]:
    """Yield what is bought as disks of an array."""
    for index, level in enumerate(levels):
        if name in media_of(offer, machine, levels, index):
            yield from sized(offer, level)
