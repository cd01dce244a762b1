"""How a message passes the parts of a stage as packets: one after the other, cut-through.

Each part is a queue of its own: the message joins it when its first byte is there, not before, and
keeps it for its own service only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.reference.tiers.taking import station
from simulator.result.errors import within

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps
    from simulator.reference.part import Load, Part


def cross(actor: Actor, asked: Sequence[tuple[Part, Load]]) -> Steps:
    """Queue at each part when the first byte is there; done when the last byte has passed all.

    Waiting is charged to the part that it was for, as is the latency of a network. What is left
    when the last part has begun is charged to the part that the last byte comes from latest, the
    first of several.
    """
    parts = [part for part, _ in asked]
    slowest, last_ns = parts[0], -1
    latencies = latencies_ns(parts)
    for number, ((part, load), latency) in enumerate(zip(asked, latencies, strict=True), 1):
        server = station(part)
        now = actor.now
        start = max(now, server.free_ns())
        end = server.serve(load, start)
        if end > last_ns:
            slowest, last_ns = part, end
        last_ns = within(last_ns + latency, part.plan.label)
        actor.charge(part.column, start - now, 0)
        if number < len(asked):
            actor.charge(part.column, 0, latency)
            yield actor.until(start + latency)
    actor.charge(slowest.column, 0, last_ns - start)
    yield actor.until(last_ns)


def cross_alone_ns(parts: Sequence[Part], services: Sequence[int]) -> int:
    """Return when the last byte has passed all parts, whose services are these, if none is busy."""
    first_ns = last_ns = 0
    for service, latency in zip(services, latencies_ns(parts), strict=True):
        last_ns = max(last_ns, first_ns + service) + latency
        first_ns += latency
    return last_ns


def latencies_ns(parts: Sequence[Part]) -> list[int]:
    """Return how long the first byte is under way behind each part.

    A message pays the latency of a network once, at the first of its ports that it passes.
    """
    names = [part.plan.name for part in parts]
    return [
        0 if part.plan.name in names[:index] else part.plan.latency_ns
        for index, part in enumerate(parts)
    ]
