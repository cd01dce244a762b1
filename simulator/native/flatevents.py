"""From what happens to instances of parts to the tables of their calendars."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.engine import Calendars
from simulator.plan.events import Cause, edges, events_of, key_of

if TYPE_CHECKING:
    from simulator.plan.plan import Plan


def calendars_of(plan: Plan) -> Calendars:
    """Return the calendars of a plan's instances, at the begin of its run."""
    if not plan.events:
        return Calendars(array("q", [0]), array("q", [0]), array("q", [0]))
    events, first, rows = events_of(plan), array("q", [0]), array("q")
    for instance in range(plan.instances + 1):
        for one in events.get(instance, ()):
            key = key_of(plan, one)
            cause = Cause(one, key)
            row = array("q", bytes(8 * c.EV_ROWS))
            row[c.EV_BEGIN], row[c.EV_END], row[c.EV_NUMBER] = cause.begin, cause.end, 1
            row[c.EV_MEAN], row[c.EV_LASTS], row[c.EV_SPEED] = one.mean_ns, one.lasts_ns, one.speed
            row[c.EV_KEY] = key - (1 << 64) * (key >> 63)
            rows.extend(row)
        first.append(len(rows))
    return Calendars(first, rows, array("q", edges()))
