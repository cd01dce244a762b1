"""Failures in the runs of a state: what failed, how far arrays were rebuilt, and what is left.

A unit less is a machine without it: runs place their files on what is left. What lay on the missing
unit is not in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.config.requirement_file import NORMAL
from simulator.kinds.parts.array.spec import ArraySpec
from simulator.result.instances import busiest_instance

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.loads import Loads

BUSIEST, HAPPENED = "busiest", "happened"
"""The keys of the busiest instance, and of what failed, in a row of figures."""


def happened(plan: Plan, result: Result) -> dict[str, Any]:
    """Return what failed in a run, as plain values: times in ns, sizes in bytes."""
    capacity = {
        part.label: part.spec.capacity for part in plan.parts if isinstance(part.spec, ArraySpec)
    }
    return {
        "end_ns": result.end_ns,
        "parts": {
            name: {
                "failures": one.failures,
                "failed_ns": one.down_ns,
                "slow_ns": one.slow_ns,
                "delayed": one.delayed,
            }
            for name, one in result.states.items()
            if one.failures or one.slow_ns
        },
        "arrays": {
            name: {
                "disks_failed": one.failures,
                "rebuilt": one.rebuilds,
                "degraded_ns": one.degraded_ns,
                "rebuilt_bytes": one.rebuilt_bytes,
                "to_rebuild_bytes": one.failures * capacity[one.part],
                "losses": one.losses,
            }
            for name, one in result.arrays.items()
            if one.failures
        },
    }


def left_of(loads: Loads, one: Configuration, state: str) -> dict[str, Any]:
    """Return what a state takes from a configuration: units, pieces, and what these can keep.

    ``redundancy``: of a unit that is a group of its own, of which not all may have failed.
    """
    offer = loads.offer
    rest = offer.without(one, state)
    return {
        "less": {
            name: {"missing": count, "of": int(one.levels[offer.names.index(name)])}
            for name, count in offer.requirement.states[state].less.items()
        },
        "missing_pieces": {
            item: count - rest.pieces.get(item, 0)
            for item, count in one.pieces.items()
            if count != rest.pieces.get(item, 0)
        },
        "usable_bytes": rest.usable,
        "redundancy": [
            str(redundancy)
            for name in offer.requirement.states[state].less
            if (redundancy := offer.requirement.choices[name].redundancy)
        ],
    }


def is_in_vain(loads: Loads, one: Configuration, state: str) -> bool:
    """Return whether a state is the same as none, under all loads."""
    usual, failed = (loads.offer.settings_in(one, which) for which in (NORMAL, state))
    return all(load.plan(usual).digest == load.plan(failed).digest for load in loads.loads)


def busiest_in(result: Result) -> str:
    """Name the busiest instance of a run, and say how busy it was; empty if there is none."""
    name = busiest_instance(result)
    if not name:
        return ""
    return f"{name} ({100 * result.parts[name].utilisation(result.end_ns):.0f} % busy)"
