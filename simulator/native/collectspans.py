"""The spans of a timeline and the calls of a trace, from an engine that has run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.plan.events import calendars_of
from simulator.result.result import (
    CallLog,
    Span,
)

if TYPE_CHECKING:
    from simulator.native.flatten import Flat


def spans_of(flat: Flat) -> list[Span]:
    """Return the services of all parts, as a timeline has them."""
    plan, spans = flat.plan, memoryview(flat.parts.spans)
    names = [plan.instance_name(part, index) for part in plan.parts for index in range(part.count)]
    queues = [part.traits.queues for part in plan.parts for _ in range(part.count)]
    found = []
    for at in range(0, 4 * flat.parts.span_count, 4):
        instance = spans[at] & ((1 << c.TRACK_BITS) - 1)
        if instance < len(names):
            own, number, queue = queues[instance], (spans[at] >> c.TRACK_BITS) - 1, ""
            if number >= 0:
                queue = own[number] if own else f"disk {number}"
            start, service, size = spans[at + 1 : at + 4].tolist()
            found.append(Span(names[instance], start, service, size, queue))
    return _interrupted(flat, names, found) if plan.events else found


def _interrupted(flat: Flat, names: list[str], spans: list[Span]) -> list[Span]:
    """Divide services at instances that were not there all the time; the first has all bytes."""
    plan, calendars = flat.plan, calendars_of(flat.plan)
    alone = {i for part in plan.parts if part.traits.order != "shared" for i in part.instances}
    broken = {names[one]: calendar for one, calendar in calendars.items() if one in alone}
    found = []
    for span in spans:
        if span.part not in broken:
            found.append(span)
            continue
        size = span.bytes
        for begin, length in broken[span.part].there(span.start_ns, span.end_ns):
            found.append(Span(span.part, begin, length, size))
            size = 0
    return found


def calls_of(flat: Flat) -> CallLog:
    """The log of calls, those of a process together."""
    rows = memoryview(flat.clients.log)[: flat.clients.log_count * c.Y_ROWS]
    processes = rows[c.Y_PROCESS :: c.Y_ROWS].tolist()
    counts, first = Counter(processes), 0
    log = CallLog([], [])
    for number in range(len(flat.plan.processes)):
        log.first.append(first)
        log.count.append(counts[number])
        first += counts[number]
    order = sorted(range(len(processes)), key=processes.__getitem__)  # stable: as they were made
    fields = (c.Y_KIND, c.Y_FILE, c.Y_OFFSET, c.Y_SIZE, c.Y_BEGIN, c.Y_END)
    for column, field in zip(log.columns(), fields, strict=True):
        values = rows[field :: c.Y_ROWS].tolist()
        column.extend(map(values.__getitem__, order))
    return log
