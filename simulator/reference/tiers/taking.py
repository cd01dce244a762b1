"""How requests take parts: several parts at once, several pieces at once, or by joining one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.reference.part import Load, Part, Station

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps


class StageError(ValueError):
    """Parts that cannot be held at once."""


def take(actor: Actor, pieces: Sequence[tuple[Sequence[Part], Load]]) -> Steps:
    """Queue all pieces now, each for all of its parts at once; done when the last has ended.

    The time is charged to the piece that ends last: waiting to its part that was free last, service
    to its slowest; the first of several.
    """
    parts, load = pieces[0]
    if parts[0].joins and len(parts) == len(pieces) == 1:
        yield parts[0].join(actor, load)
        return
    now = end = actor.now
    charges: list[tuple[Part, int, int]] = []
    for parts, load in pieces:
        held, slowest, start, done = _hold([station(part) for part in parts], load, now)
        if done > end:
            end = done
            charges = [(held, start - now, 0), (slowest, 0, done - start)]
    for part, wait, service in charges:
        actor.charge(part.column, wait, service)
    yield actor.until(end)


def _hold(stations: Sequence[Station], load: Load, now: int) -> tuple[Station, Station, int, int]:
    """Serve one piece; return which part was free last, which is slowest, start and end."""
    held, start = stations[0], now
    for station in stations:
        if station.free_ns() > start:
            held, start = station, station.free_ns()
    slowest, end = stations[0], start
    for station in stations:
        done = station.serve(load, start)
        if done > end:
            slowest, end = station, done
    return held, slowest, start, end


def station(part: Part) -> Station:
    """Return a part whose times are known beforehand; any other cannot stand with others."""
    if not isinstance(part, Station):
        raise StageError(f"{part.name} ({part.plan.kind}) cannot be held together with others")
    return part
