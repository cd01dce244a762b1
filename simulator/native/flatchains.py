"""A plan's runs of tiers, each with the groups of the places that they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.codes import END, LOCKS

if TYPE_CHECKING:
    from simulator.plan.jobs import ChannelPlan, ProcessPlan
    from simulator.plan.plan import Plan


@dataclass(slots=True)
class Chain:
    """Tiers from one on down to ``end``, and the groups of the places that they name."""

    top: int
    rows: range
    places: tuple[int, ...]
    path: int


def places_of_channel(plan: Plan, channel: ChannelPlan) -> tuple[int, ...]:
    """Return the groups of the places that a channel's messages have."""
    ends = (channel.source, channel.target)
    return channel.places or tuple(plan.processes[one].group for one in ends)


def places_of_exchange(process: ProcessPlan) -> tuple[int, ...]:
    """Return the groups of the places on the way between members that share a process's data."""
    return process.exchange_places or (process.group, process.group)


def chains_of(plan: Plan) -> Iterator[Chain]:
    """Yield all runs of tiers, those of paths first, each once."""
    ends = ends_of(plan)
    seen = set()

    def chain(top: int, places: tuple[int, ...], path: int) -> Iterator[Chain]:
        if top >= 0 and (top, places) not in seen:
            seen.add((top, places))
            yield Chain(top, range(top, min(ends[top] + 1, len(plan.tiers))), places, path)

    for number, path in enumerate(plan.paths):
        for top in (path.top, path.metadata, path.drain):
            yield from chain(top, path.places, number)
        for row in range(path.top, ends[path.top]):
            if plan.tiers[row].kind == LOCKS:
                yield from chain(row + plan.tiers[row].ask, path.places, number)
    for channel in plan.channels:
        yield from chain(channel.top, places_of_channel(plan, channel), -1)
    for process in plan.processes:
        if process.exchange >= 0:
            yield from chain(process.exchange, places_of_exchange(process), -1)


def ends_of(plan: Plan) -> list[int]:
    """Return the row of the ``end`` of each tier's run."""
    ends = [0] * len(plan.tiers)
    end = len(plan.tiers)
    for row in range(len(plan.tiers) - 1, -1, -1):
        end = row if plan.tiers[row].kind == END else end
        ends[row] = end
    return ends
