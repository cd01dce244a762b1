"""``queue`` of a group of nodes: jobs wait there for nodes, which they then have alone.

What a file says of it stands in its sections; which nodes are on when follows from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from simulator.config.errors import Fault
from simulator.config.quantities import Count, CountOrNone, Name, Time, word
from simulator.config.section import Section, default
from simulator.kinds import names
from simulator.plan.errors import MOST
from simulator.plan.queues import PoolPlan
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.machine_file import Group

_BACKFILLS = names("backfills", "reference")
_OF_BACKFILLS = {one: f"a backfill; write 'backfill: {one}' in the queue" for one in _BACKFILLS}
Order = Annotated[str, word("order", *names("orders", "reference"), instead=_OF_BACKFILLS)]
Backfill = Annotated[str, word("backfill", *_BACKFILLS)]
EACH = ("user", "class")
Each = Annotated[str, word("each", *EACH)]

MOST_CLOSURES = 100_000
"""Times at which nodes go off, at most."""
_KEYS = {"aging": "priority", "half_life": "fair-share"}
"""Keys that only one order has."""


class Off(Section):
    """A time at which nodes are off: a night, a weekend, maintenance; or before they are there."""

    synonyms = {
        "start": "at",
        "from": "at",
        "for": "lasts",
        "duration": "lasts",
        "period": "every",
        "end": "until",
        "on": "nodes",
    }
    asked_for = frozenset(("every", "until"))

    at: Time
    """When they go off."""
    lasts: Time
    """For how long; no job begins that would not have ended before, by the time it asks for."""
    every: Time | None = None
    """Again and again, so long after each other."""
    until: Time | None = None
    """Not from this time on; needed with every."""
    nodes: CountOrNone = default(0, "neutral: all of them")
    """How many stay on meanwhile: the first ones of the group."""

    def faults(self) -> Iterator[Fault]:
        """Find what is missing, or makes no sense."""
        if self.lasts == 0:
            yield ("lasts",), "0 s is no time; write it like '12 h'"
        if self.every is None and self.until is not None:
            about = "has no effect without 'every'; leave it out, or write 'every: 1 d'"
            yield ("until",), about
        elif self.every is not None and self.until is None:
            yield (), "until is missing; write when it is the last time, like 'until: 365 d'"
        elif self.every is not None and self.every <= self.lasts:
            about = f"{format_time(self.every)} is not longer than it lasts"
            yield ("every",), f"{about} ({format_time(self.lasts)}); write more"
        elif self.times > MOST_CLOSURES:
            yield ("every",), f"{self.times:,} times; write a longer one: at most {MOST_CLOSURES:,}"
        elif not self.times and self.until is not None:
            about = f"{format_time(self.until)} is not later than 'at' ({format_time(self.at)})"
            yield ("until",), f"{about}, so that they never go off; write a later one"

    @property
    def times(self) -> int:
        """Return how often it happens."""
        if self.every is None or self.until is None:
            return 1
        return max(0, -(-(self.until - self.at) // self.every))

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end of each time."""
        for number in range(self.times):
            begin = self.at + number * (self.every or 0)
            yield begin, min(begin + self.lasts, MOST)


class Limit(Section):
    """What some jobs may have at one time."""

    synonyms = {"for": "each", "per": "each", "running": "jobs", "of": "name", "class": "name"}
    asked_for = frozenset(("each", "user", "name", "jobs", "nodes"))

    each: Each | None = None
    """It holds for each user, or each class of jobs (those of one item of a workload), alone;"""
    user: Name | None = None
    """or for the jobs of this user;"""
    name: Name | None = None
    """or for the jobs of this class."""
    jobs: Count | None = None
    """How many may run."""
    nodes: Count | None = None
    """How many nodes they may have."""

    def faults(self) -> Iterator[Fault]:
        """Find limits of nothing, or for nobody."""
        named = [key for key in ("each", "user", "name") if getattr(self, key) is not None]
        if not named:
            yield (), "does not say for whom; write 'each: user', 'user: NAME' or 'name: CLASS'"
        elif len(named) > 1:
            yield (named[1],), f"has no effect beside {named[0]}; leave one of them out"
        elif self.jobs is None and self.nodes is None:
            yield (), "limits nothing; write 'jobs: 4', or 'nodes: 64'"


class BatchQueue(Section):
    """A batch queue of a group of nodes; a plain word is its order."""

    shorthand = {"text": "order"}
    synonyms = {
        "policy": "order",
        "scheduler": "order",
        "closed": "off",
        "maintenance": "off",
        "calendar": "off",
        "lookahead": "ahead",
        "halflife": "half_life",
    }

    order: Order = default("fcfs", "neutral: first come, first served")
    """Which waiting job is first: fcfs, shortest (it asks for least time), priority, fair-share (of
    users, by what they used)."""
    backfill: Backfill = default("none", "neutral: nobody passes another")
    """Which jobs may pass others: none; easy: those that do not delay the first that waits;
    conservative: those that delay nobody before them."""
    aging: Time | None = None
    """Of priority: the waiting time that is worth one point; waiting is worth nothing if left
    out."""
    half_life: Time | None = None
    """Of fair-share: what was used counts half after this time, and half of that after it again;
    in full for ever if left out."""
    ahead: Count | None = None
    """Data are staged in for so many jobs, the first ones that wait; for all if left out."""
    off: tuple[Off, ...] = ()
    """When nodes are off; all are on at any other time."""
    limits: tuple[Limit, ...] = ()
    """What users, or classes of jobs, may have at one time."""

    def faults(self, group: Group) -> Iterator[Fault]:
        """Find keys of another order, and wrong times and limits; ``group``: its nodes."""
        for key, order in _KEYS.items():
            if getattr(self, key) is not None and self.order != order:
                about = f"has no effect with order {self.order}; write 'order: {order}'"
                yield (key,), f"{about}, or leave it out"
            elif getattr(self, key) == 0:
                yield (key,), "0 s is no time; write it like '12 h'"
        for key in ("off", "limits"):
            for index, one in enumerate(getattr(self, key)):
                yield from (((key, index, *at), about) for at, about in one.faults())
        for index, one in enumerate(self.off):
            if one.nodes >= group.count:
                about = f"{one.nodes} of {counted(group.count, 'node')} stay on, and none goes off"
                yield ("off", index, "nodes"), f"{about}; write fewer"

    def pools(self, group: Group) -> tuple[PoolPlan, ...]:
        """Return the nodes of its group, those with less memory first.

        Nodes with more memory are the first ones of the group.
        """
        larger = group.larger.count if group.larger is not None else 0
        cuts = {0, larger, group.count, *(one.nodes for one in self.off if one.nodes < group.count)}
        edges = sorted(cuts)
        pools = [
            PoolPlan(
                first=first,
                count=end - first,
                memory=group.larger.memory
                if group.larger is not None and first < larger
                else group.memory or 0,
                off=self._off(first),
            )
            for first, end in pairwise(edges)
        ]
        return tuple(sorted(pools, key=lambda pool: (pool.memory, pool.first)))

    def _off(self, node: int) -> tuple[tuple[int, int], ...]:
        """Return when a node is off, times that touch as one."""
        spans = sorted(span for one in self.off if node >= one.nodes for span in one.spans())
        found: list[tuple[int, int]] = []
        for begin, end in spans:
            if found and begin <= found[-1][1]:
                found[-1] = found[-1][0], max(found[-1][1], end)
            else:
                found.append((begin, end))
        return tuple(found)
