"""``events`` of a machine and a workload -> what happens to single instances of parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from simulator.config.events import ALL, ANY
from simulator.plan.events import ANY_DISK, NO_DISK, EventPlan

if TYPE_CHECKING:
    from simulator.config.events import Event
    from simulator.config.lowering.tables import Tables
    from simulator.config.machine_file import Machine
    from simulator.config.workload_file import Workload


def events_of(machine: Machine, workload: Workload) -> tuple[EventPlan, ...]:
    """Return what happens to instances, first by the machine's events, then by the workload's."""
    alike: Counter[str] = Counter()
    both: tuple[Sequence[Event], ...] = (machine.events, workload.events)
    return tuple(
        one for events in both for event in events for one in _planned(event, machine.tables, alike)
    )


def _planned(event: Event, tables: Tables, alike: Counter[str]) -> Iterator[EventPlan]:
    """Yield an event for each instance; both directions of one fail at the same time.

    The stream of an instance is named for it, and for what happens: other events do not change it.
    """
    kind = "fails" if event.fails else "slows"
    for group in event.groups_in(tables):
        plan = tables.groups[group]
        if event.member == ALL:
            members = range(plan.count)
        else:
            members = range(event.member, event.member + (event.member < plan.count))
        rows = tables.rows[event.part, group].values()
        for member, (disk, inside) in product(members, _disks(event, tables, [*rows])):
            name = f"any {plan.name}" if member == ANY else plan.member(member)
            stream = f"{name}.{event.part}{inside} {kind}"
            alike[stream] += 1
            for row in rows:
                yield EventPlan(
                    part=row,
                    member=member,
                    disk=disk,
                    at_ns=event.at or 0,
                    mean_ns=event.mtbf or 0,
                    lasts_ns=event.lasts_ns,
                    speed=event.speed(tables.parts[row].service.rate),
                    stream=f"{stream} {alike[stream]}",
                )


def _disks(event: Event, tables: Tables, rows: list[int]) -> list[tuple[int, str]]:
    """Return the disks of an array that it happens to, each with its name in streams."""
    if event.disk is None:
        return [(NO_DISK, "")]
    if event.disk == ANY:
        return [(ANY_DISK, ".any disk")]
    disks = range(tables.parts[rows[0]].spec.disks) if event.disk == ALL else [event.disk]
    return [(disk, f".disk{disk}") for disk in disks]
