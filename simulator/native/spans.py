"""Timeline of services, from a run of the kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from simulator.plan.events import calendars_of
from simulator.result.result import Span

if TYPE_CHECKING:
    from simulator.native.outcome import Table
    from simulator.plan.plan import Plan

TRACK_BITS = 40
"""Position in a row of the timeline above which the queue's number stands, from 1; 0: the instance
itself."""


def spans_of(plan: Plan, table: Table) -> list[Span]:
    """Return the services of all resources, in the order of booking."""
    names = [plan.instance_name(part, index) for part in plan.parts for index in range(part.count)]
    queues = [part.traits.queues for part in plan.parts for _ in range(part.count)]
    found = []
    rows: Iterable[tuple[int, ...]]
    rows = zip(table.instance, table.start, table.service, table.size, strict=True)
    for track, start, service, size in rows:
        instance = track & ((1 << TRACK_BITS) - 1)
        if instance < len(names):
            own, number, queue = queues[instance], (track >> TRACK_BITS) - 1, ""
            if number >= 0:
                queue = own[number] if own else f"disk {number}"
            found.append(Span(names[instance], start, service, size, queue))
    return _interrupted(plan, names, found) if plan.events else found


def _interrupted(plan: Plan, names: list[str], spans: list[Span]) -> list[Span]:
    """Divide services at times when the instance had failed; the first part has all bytes."""
    calendars = calendars_of(plan)
    alone = {i for part in plan.parts if part.traits.order != "shared" for i in part.instances}
    broken = {names[one]: calendar for one, calendar in calendars.items() if one in alone}
    found = []
    for span in spans:
        if span.part not in broken:
            found.append(span)
            continue
        size = span.bytes
        for begin, length in broken[span.part].served_intervals(span.start_ns, span.end_ns):
            found.append(Span(span.part, begin, length, size))
            size = 0
    return found
