"""``events`` of a machine or a workload: parts fail and come back, slow down, or lose their link.

What a file says of one event stands in its section; what that means for a machine's parts is
checked here, and lowered in :mod:`simulator.config.lowering.events`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from simulator.config.errors import Fault, Path, unknown_name
from simulator.config.quantities import Name, Percent, Rate, Time, counting, word_or
from simulator.config.section import Section
from simulator.kinds import names
from simulator.kinds.traits import traits_of
from simulator.plan.events import NOMINAL_SPEED
from simulator.units import Nanoseconds, format_time, shown

if TYPE_CHECKING:
    from simulator.config.lowering.tables import Tables
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part

ALL, ANY = -2, -1
"""Members of a group: each of them, or one that is drawn."""
SECOND = 10**9
MOST_FASTER = 4096
Member = Annotated[
    int,
    word_or(
        "member",
        counting("", 0),
        {"all": ALL, "any": ANY},
        example="0",
        wrong="is no member; write a number from 0 on, all or any",
        sourced=False,
    ),
]
"""A member of a group by its number, ``all``, or ``any``: one that is drawn."""


class Event(Section):
    """Something that happens to a part: it fails and is repaired, or slows down for a while."""

    naming = {"part": "event", "group": "group"}
    synonyms = {
        "time": "at",
        "start": "at",
        "mttf": "mtbf",
        "mttr": "repair",
        "down": "repair",
        "duration": "lasts",
        "for": "lasts",
        "speed": "factor",
        "of": "part",
        "index": "member",
        "number": "member",
    }

    asked_for = frozenset(("at", "mtbf", "repair", "factor", "rate", "lasts"))

    part: Name
    """The part that it happens to, by its name."""
    group: Name | None = None
    """Those of a group of nodes only, where several groups have the part."""
    member: Member = ALL
    """Which of them, by its number in the group from 0 on; ``all``; or ``any``, one that is drawn.
    """
    disk: Member | None = None
    """Which disk of an array, by its number from 0 on; ``all``; or ``any``."""
    at: Time | None = None
    """When it happens, once."""
    mtbf: Time | None = None
    """Instead: the mean time until it happens, and again after it has ended; exponential, for each
    member by itself."""
    repair: Time | None = None
    """It fails, and is there again after this time. What it was doing goes on then."""
    factor: Percent | None = None
    """Instead: how much of its usual speed is left, overheads included,"""
    rate: Rate | None = None
    """or the rate that it has meanwhile; its other times change alike."""
    lasts: Time | None = None
    """For how long it has that speed."""

    @property
    def fails(self) -> bool:
        """Return whether the part is not there meanwhile."""
        return self.repair is not None

    @property
    def lasts_ns(self) -> Nanoseconds:
        """Return how long it lasts."""
        lasts = self.repair if self.fails else self.lasts
        assert lasts is not None
        return lasts

    def faults(self) -> Iterator[Fault]:
        """Find keys that are missing, or have no effect beside others."""
        if (self.at is None) == (self.mtbf is None):
            about = "has both at and mtbf" if self.at is not None else "has neither at nor mtbf"
            yield (), f"{about}; write when it happens, or how often: 'at: 10 s', 'mtbf: 1000 h'"
        if self.mtbf is not None and self.mtbf < SECOND:
            about = f"{format_time(self.mtbf)} is less than a second, as no failure is"
            yield ("mtbf",), f"{about}; write it like '1000 h'"
        ends = [key for key in ("repair", "factor", "rate") if getattr(self, key) is not None]
        if not ends:
            about = "does not say what happens; write 'repair: 1 h' if it fails, or 'factor: 50 %'"
            yield (), f"{about} and 'lasts: 1 h' if it slows down"
        elif len(ends) > 1:
            yield (ends[1],), f"has no effect beside {ends[0]}; leave one of them out"
        elif self.fails and self.lasts is not None:
            yield ("lasts",), "has no effect beside repair, which says how long; leave it out"
        elif not self.fails and self.lasts is None:
            yield (), f"lasts is missing though {ends[0]} is there; write it like 'lasts: 1 h'"
        for key in ("repair", "lasts"):
            if getattr(self, key) == 0:
                yield (key,), "0 s is no time; write it like '1 h', or leave the event out"
        if self.factor == 0:
            yield ("factor",), "0 % is a failure; write 'repair: 1 h' instead"
        if self.factor == 1:
            about = "100 % is its usual speed, so that nothing happens; write less, like '50 %'"
            yield ("factor",), f"{about}, or leave the event out"

    def groups_in(self, tables: Tables) -> list[int]:
        """Return the groups of a machine whose instances of the part it may happen to."""
        homes = tables.homes[self.part]
        named = [one for one in homes if tables.groups[one].name == self.group]
        return named or [*homes]

    def speed(self, usual: float) -> int:
        """Return the speed meanwhile of a part with a rate (bytes per second), in 2**-20."""
        if self.fails:
            return 0
        share = self.factor if self.factor is not None else (self.rate or 0) / usual
        return max(1, round(share * NOMINAL_SPEED))


def alone_faults(events: Sequence[Event]) -> Iterator[Fault]:
    """Find events that mean nothing on any machine."""
    for index, event in enumerate(events):
        for path, about in event.faults():
            yield ("events", index, *path), about


def event_faults(events: Sequence[Event], machine: Machine) -> Iterator[Fault]:
    """Find events of parts that are not there, or to which none can happen."""
    for index, event in enumerate(events):
        at: Path = ("events", index)
        part = machine.parts.get(event.part)
        if part is None:
            parts = machine.parts
            yield (*at, "part"), unknown_name(event.part, f"a part of {machine.name}", parts)
        elif not part.fails and not part.inner:
            about = f"{event.part} is a {part.kind}, to which no event can happen; write a part of"
            yield (*at, "part"), f"{about} kind {', '.join(failing_kinds())}"
        else:
            for key, wrong in _of_part(event, part, machine):
                yield (*at, key), wrong


def failing_kinds() -> list[str]:
    """Return the kinds of parts to which events can happen."""
    traits = {kind: traits_of(kind) for kind in sorted(names("parts"))}
    return [kind for kind, one in traits.items() if one.fails or one.inner]


def _of_part(event: Event, part: Part, machine: Machine) -> Iterator[tuple[str, str]]:
    """Find a group, a member or a rate that a part does not have."""
    tables = machine.tables
    if event.group is not None and event.group not in (part.at or ()):
        of = ", ".join(part.at) if part.at else "the whole machine, which has one"
        yield "group", f"{shown(event.group)} has no {event.part}; it is at {of}"
        return
    most = max(tables.groups[number].count for number in event.groups_in(tables))
    if event.member >= most:
        about = f"there is no {event.part} {event.member}; write"
        yield "member", f"{about} {f'a number from 0 to {most - 1}' if most > 1 else '0'}, or 'all'"
    yield from _of_disk(event, part)
    if event.rate is not None:
        rows = [row for row in tables.parts if row.name == event.part]
        services = [row.service_of(writes=one) for row in rows for one in (False, True)]
        usual = {one.rate for one in services}
        if usual == {float("inf")}:
            yield "rate", f"{event.part} has no rate; write 'factor: 50 %'"
        elif len(usual) > 1 or any(one.is_table for one in services):
            yield "rate", f"{event.part} has several rates; write 'factor: 50 %'"
        elif event.rate == min(usual):
            about = f"is the usual rate of {event.part}, so that nothing happens; write another"
            yield "rate", f"{about}, or leave the event out"
        elif event.rate > MOST_FASTER * min(usual):
            yield "rate", f"is more than {MOST_FASTER} times the rate of {event.part}"


def _of_disk(event: Event, part: Part) -> Iterator[tuple[str, str]]:
    """Find a disk where there is none, or none where there are some."""
    disks = getattr(part, "disks", 0) if part.inner else 0
    if disks and event.disk is None:
        about = f"of {event.part}, an array, a disk fails; write it as 'disk: 0', any or all"
        yield "part", about
    elif not disks and event.disk is not None:
        yield "disk", f"{event.part} is a {part.kind}, not an array; leave it out"
    elif disks and event.disk is not None and event.disk >= disks:
        about = f"there is no disk {event.disk} in {event.part}; write a number from 0 to"
        yield "disk", f"{about} {disks - 1}, or 'all'"
