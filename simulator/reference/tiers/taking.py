"""How requests take parts: several parts at once, several pieces at once, or by joining one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.reference.part import Load, Part, Station

if TYPE_CHECKING:
    from simulator.reference.actor import Actor, Steps


class StageError(ValueError):
    """Parts that cannot be held at once."""


Asked = Sequence[tuple[Part, Load]]
"""Parts that are held at once, each with what it serves."""


def take(actor: Actor, pieces: Sequence[Asked]) -> Steps:
    """Queue all pieces now, each for all of its parts at once; done when the last has ended.

    The time is charged to the piece that ends last: waiting to its part that was free last, service
    to its slowest; the first of several.
    """
    part, load = pieces[0][0]
    if part.joins and len(pieces[0]) == len(pieces) == 1:
        yield part.join(actor, load)
        return
    now = end = actor.now
    charges: list[tuple[Part, int, int]] = []
    for asked in pieces:
        held, slowest, start, done = _hold([(station(part), load) for part, load in asked], now)
        if done > end:
            end = done
            charges = [(held, start - now, 0), (slowest, 0, done - start)]
    for part, wait, service in charges:
        actor.charge(part.column, wait, service)
    yield actor.until(end)


def _hold(asked: Sequence[tuple[Station, Load]], now: int) -> tuple[Station, Station, int, int]:
    """Serve one piece; return which part was free last, which is slowest, start and end."""
    held, start = asked[0][0], now
    for one, _ in asked:
        if one.free_ns() > start:
            held, start = one, one.free_ns()
    slowest, end = asked[0][0], start
    for one, load in asked:
        done = one.serve(load, start)
        if done > end:
            slowest, end = one, done
    return held, slowest, start, end


def station(part: Part) -> Station:
    """Return a part whose times are known beforehand; any other cannot stand with others."""
    if not isinstance(part, Station):
        raise StageError(f"{part.name} ({part.plan.kind}) cannot be held together with others")
    return part
