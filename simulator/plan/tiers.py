"""Tiers as estimates see them: the parts that a request uses there, and requests that go on below.

What is estimated or checked from a plan (its cost, the least time of its run, bytes through its
parts) asks here, so that a kind of tier is known to the engines and to this module alone. A kind of
a user's own may have an ``estimate.py`` in its folder, with a ``TRAITS`` of this class.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.kinds import names, part_module
from simulator.plan import codes

if TYPE_CHECKING:
    from simulator.plan.paths import Hold, TierPlan

READS, WRITES, EMPTY = range(3)
"""Ways in which requests move bytes; none: syncs, metadata and requests for locks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierTraits:
    """A kind of tier; by default one that passes on what comes."""

    uses: Callable[[TierPlan, int], Sequence[Hold]] = lambda tier, _: (*tier.down, *tier.up)
    """The parts that a request uses which moves bytes some way."""
    carries: Callable[[TierPlan, int], Sequence[Hold]] = lambda *_: ()
    """The parts that all bytes pass here once, as far as that is known; for bounds."""
    pieces: Callable[[TierPlan, float], float] = lambda *_: 1.0
    """Mean number of requests that go on below for one of so many bytes."""
    visits: Callable[[TierPlan, float], float] = lambda *_: 1.0
    """Mean number of requests that an engine carries out here for one of so many bytes."""
    cuts: str = ""
    """The key of its size in machine files, if it cuts requests into pieces of that."""
    units: bool = False
    """Its size is a unit over a number of members: neither is 0."""
    stores: bool = False
    """It is a store: ``row`` of the plan's stores."""
    merges: bool = False
    """Requests of several processes are merged there, and read ahead: those below are unknown."""
    alone: bool = True
    """The process whose request it is goes on with it below, by itself."""
    keeps: bool = True
    """Requests below are those above: neither cut nor sent elsewhere."""
    known: bool = True
    """Bytes below are those above, but for a store."""


def _messages(tier: TierPlan, way: int) -> Sequence[Hold]:
    if tier.header:
        return (*tier.down, *tier.up)
    return (tier.up, tier.down, ())[way]


def _data(tier: TierPlan, way: int) -> Sequence[Hold]:
    if tier.remote_only or tier.pieces:
        return ()
    return tier.down if way == WRITES else tier.up


def _pieces(tier: TierPlan, size: float) -> float:
    return max(1.0, size / tier.size)


_UNKNOWN = TierTraits(alone=False, keeps=False, known=False)
_OF = {
    codes.STAGE: TierTraits(uses=_messages, carries=_data),
    codes.COMMIT: TierTraits(uses=lambda tier, way: tier.down if way == EMPTY else ()),
    codes.REQUEST: TierTraits(pieces=_pieces, cuts="request", units=True, keeps=False),
    codes.STRIPE: TierTraits(
        pieces=lambda tier, size: min(tier.width, _pieces(tier, size)),
        cuts="stripe",
        units=True,
        alone=False,
        keeps=False,
    ),
    codes.STORE: TierTraits(stores=True, alone=False),
    codes.LOCKS: TierTraits(visits=lambda tier, size: 1 + size / tier.size, units=True),
    codes.BUFFERS: TierTraits(merges=True),
    **dict.fromkeys((codes.FORWARD, codes.EXPORT), TierTraits(keeps=False)),
    **dict.fromkeys((codes.WORK, codes.HOLD), TierTraits()),
}


@functools.cache
def traits_of_tier(kind: str) -> TierTraits:
    """Return what estimates know of a kind of tier."""
    if kind not in _OF and kind in names("tiers", "estimate"):
        traits: TierTraits = part_module("tiers", kind, "estimate").TRAITS
        return traits
    return _OF.get(kind, _UNKNOWN)
