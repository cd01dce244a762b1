"""Traits of tiers for estimates: the resources that a request uses, and the requests below.

Estimates and checks of a plan (its cost, bounds on its run, bytes through its resources) use these
traits, so that a kind of tier is known to the engines and to this module alone. A kind of a user's
own may have an ``estimate.py`` in its folder, with a ``TRAITS`` of this class.
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
"""Directions of requests; ``EMPTY``: without data: syncs, metadata and requests for locks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierTraits:
    """The traits of a kind of tier; by default it passes requests on unchanged."""

    uses: Callable[[TierPlan, int], Sequence[Hold]] = lambda tier, _: (*tier.down, *tier.up)
    """The resources that a request of a direction uses."""
    carries: Callable[[TierPlan, int], Sequence[Hold]] = lambda *_: ()
    """The resources that all bytes pass exactly once; for bounds."""
    pieces: Callable[[TierPlan, float], float] = lambda *_: 1.0
    """Mean number of requests below for one of a size."""
    visits: Callable[[TierPlan, float], float] = lambda *_: 1.0
    """Mean number of requests that an engine simulates here for one of a size."""
    cuts: str = ""
    """The key of its size in machine files if it cuts requests into pieces of that size."""
    units: bool = False
    """Requests are counted in units of its size, so that neither size nor width is 0."""
    stores: bool = False
    """It is a store: ``row`` is that of the plan's stores."""
    merges: bool = False
    """It merges requests of several processes and reads ahead: those below are unknown."""
    alone: bool = True
    """The process that made a request continues with it below, by itself."""
    keeps: bool = True
    """Requests below are those above: neither cut nor redirected."""
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
        uses=lambda tier, way: tier.down if way == WRITES else (),
        pieces=lambda tier, size: min(tier.width, _pieces(tier, size) + tier.parity),
        cuts="stripe",
        units=True,
        alone=False,
        keeps=False,
    ),
    codes.STORE: TierTraits(stores=True, alone=False),
    codes.LOCKS: TierTraits(visits=lambda tier, size: 1 + size / tier.size, units=True),
    codes.BUFFERS: TierTraits(merges=True),
    codes.BEFORE: TierTraits(visits=lambda *_: 2.0, keeps=False),
    **dict.fromkeys((codes.FORWARD, codes.EXPORT), TierTraits(keeps=False)),
    **dict.fromkeys((codes.WORK, codes.HOLD), TierTraits()),
}


def knows_bytes(tier: TierPlan) -> bool:
    """Return whether the bytes below a tier are those above it: no code adds to them."""
    return traits_of_tier(tier.kind).known and not tier.parity


@functools.cache
def traits_of_tier(kind: str) -> TierTraits:
    """Return the traits of a kind of tier."""
    if kind not in _OF and kind in names("tiers", "estimate"):
        traits: TierTraits = part_module("tiers", kind, "estimate").TRAITS
        return traits
    return _OF.get(kind, _UNKNOWN)
