"""The order in which a stage names its parts: held at once, or passed one after the other.

A message passes packets' parts where they are: those of the sender's node, its port, what stands
between the nodes (a switch), the receiver's port, those of the receiver's node. Parts of one place
are passed as they are written on the way down, and backwards on the way up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.plan.paths import Hold

Holds = tuple[Hold, ...]


@dataclass(frozen=True, slots=True)
class Hop:
    """The ports of one network that a stage crosses; none where a node has none."""

    out: Holds
    """That by which a request leaves, on the way down,"""
    into: Holds
    """and that by which it arrives."""
    back: Holds
    """That by which its answer leaves, on the way up,"""
    home: Holds
    """and that by which it arrives."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A part in a stage that is no network."""

    down: Hold
    up: Hold


Way = tuple[Holds, Holds]
"""What is passed on the way down, and on the way up."""


def at_once(hops: Sequence[Hop], others: Sequence[Beside]) -> Way:
    """Return the parts of a stage that are held at once."""
    down = [hold for hop in hops for hold in (*hop.out, *hop.into)]
    up = [hold for hop in hops for hold in (*hop.back, *hop.home)]
    return (*down, *(one.down for one in others)), (*up, *(one.up for one in others))


def one_by_one(
    hops: Sequence[Hop], near: Sequence[Beside], between: Sequence[Beside], far: Sequence[Beside]
) -> Way:
    """Return the parts of a stage of packets: ``near`` are at the node that the request leaves."""
    first, *rest = hops
    down = [*(one.down for one in near), *first.out, *(one.down for one in between), *first.into]
    up = [*(one.up for one in near), *first.home, *(one.up for one in between), *first.back]
    for hop in rest:
        down += [*hop.out, *hop.into]
        up += [*hop.home, *hop.back]
    down += [one.down for one in far]
    up += [one.up for one in far]
    return tuple(down), tuple(reversed(up))
