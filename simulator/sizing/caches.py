"""Caches that hold the files of a load as it is set, and not as its workload states them.

A load that was made smaller for the search may be served from a memory that the whole one is too
large for. It is told where both are certain: together the files that are set have room in a store
that they pass, a shared file on each node that has one; and those that are stated have none, each
counted once. Not known, so not told: whether a run reads or writes anything twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from simulator.config.errors import ConfigError
from simulator.plan.codes import END, STORE
from simulator.prepared import Prepared, divided

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.loads import Loads


class Held(NamedTuple):
    """A store that holds the files of a load as it is set."""

    load: str
    store: str
    room: int
    """Bytes of all its instances."""
    given: int
    """Bytes of the files as they are set,"""
    stated: int
    """and as the workload states them."""


def held(loads: Loads, one: Configuration) -> Iterator[Held]:
    """Yield the stores of a configuration that hold a load only as it is set."""
    requirement = loads.requirement
    for load in loads.loads:
        of_machine, of_workload = divided(load.settings)
        if not of_workload or not load.counts:
            continue
        file = requirement.beside(requirement.workloads[load.load].workload)
        try:
            whole = Prepared(loads.machine_file, file, of_machine).plan(one.settings)
        except ConfigError:  # As it is stated it does not go with this machine.
            continue
        plan = load.plan(one.settings)
        workload = load.prepared.load(one.settings)[1]
        shared = {name for name, each in workload.files.items() if each.shared}
        for store in plan.stores:
            room = store.count * store.slots * store.block
            given = _bytes(plan, store.name, dict.fromkeys(shared, store.count))
            if 0 < given <= room < (stated := _bytes(whole, store.name, {})):
                yield Held(load.load, store.name, room, given, stated)


def _bytes(plan: Plan, store: str, copies: Mapping[str, int]) -> int:
    """Return the bytes of the files that pass a store, some of them so many times."""
    return sum(
        max(file.length, file.size) * copies.get(file.name, 1)
        for file in plan.files
        if store in _stores(plan, file.path)
    )


def _stores(plan: Plan, path: int) -> set[str]:
    """Return the names of the stores on a path."""
    tiers = takewhile(lambda tier: tier.kind != END, plan.tiers[plan.paths[path].top :])
    return {plan.stores[tier.row].name for tier in tiers if tier.kind == STORE}
