"""From what happens to instances of parts, and to disks of arrays, to tables of the engine."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.engine import Arrays, Calendars
from simulator.plan.events import (
    ALWAYS,
    Cause,
    EventPlan,
    disk_calendars_of,
    disk_events_of,
    edges,
    events_of,
    key_of,
)

if TYPE_CHECKING:
    from simulator.native.engine import Parts
    from simulator.plan.plan import Plan


def calendars_of(plan: Plan) -> Calendars:
    """Return the calendars of a plan's instances, at the begin of its run."""
    return _calendars(plan, events_of(plan), plan.instances)


def _calendars(plan: Plan, events: Mapping[int, Sequence[EventPlan]], count: int) -> Calendars:
    """Return the calendars of so many instances, or disks, by their numbers."""
    if not any(events.values()):
        return Calendars(array("q", [0]), array("q", [0]), array("q", [0]))
    first, rows = array("q", [0]), array("q")
    for number in range(count + 1):
        for one in events.get(number, ()):
            rows.extend(_row(plan, one))
        first.append(len(rows))
    return Calendars(first, rows, array("q", edges()))


def _row(plan: Plan, event: EventPlan) -> array[int]:
    key = key_of(plan, event)
    cause = Cause(event, key)
    row = array("q", bytes(8 * c.EV_ROWS))
    row[c.EV_BEGIN], row[c.EV_END], row[c.EV_NUMBER] = cause.begin, cause.end, 1
    row[c.EV_MEAN], row[c.EV_LASTS], row[c.EV_SPEED] = event.mean_ns, event.lasts_ns, event.speed
    row[c.EV_KEY] = key - (1 << 64) * (key >> 63)
    return row


def arrays_of(plan: Plan, parts: Parts) -> Arrays:
    """Return the arrays of disks of a plan, at the begin of its run."""
    rows, disks = array("q"), array("q")
    happens, calendars = disk_events_of(plan), disk_calendars_of(plan)
    failing: dict[int, list[EventPlan]] = {}
    slow: dict[int, list[EventPlan]] = {}
    for part in plan.parts:
        for instance in part.instances if part.kind == "array" else ():
            row = array("q", bytes(8 * c.AR_ROWS))
            row[c.AR_DISK] = len(disks)
            row[c.AR_TARGET] = row[c.AR_DEGRADED] = row[c.AR_FIRST_LOSS] = -1
            rows.extend(row)
            for number in range(part.spec.disks):
                here = len(disks) // c.DK_ROWS
                events = happens.get(instance, {}).get(number, [])
                failing[here] = [one for one in events if not one.speed]
                slow[here] = [one for one in events if one.speed]
                calendar, _ = calendars.get(instance, {}).get(number, (None, None))
                disk = array("q", bytes(8 * c.DK_ROWS))
                disk[c.DK_HEAD], disk[c.DK_VALID] = -1, ALWAYS
                disk[c.DK_FAILS] = ALWAYS if calendar is None else calendar.next(0, down=True)
                disks.extend(disk)
    count = len(disks) // c.DK_ROWS
    return Arrays(
        parts,
        rows or array("q", [0]),
        disks or array("q", [0]),
        _calendars(plan, failing, count),
        _calendars(plan, slow, count),
    )
