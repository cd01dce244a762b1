"""Which kinds have a draw, which kinds there are, and which of these a plan has."""

from __future__ import annotations

import dataclasses
import functools
from array import array
from collections.abc import Iterator
from typing import Any

from simulator.kinds import names
from simulator.kinds.traits import PartTraits, traits_of
from simulator.plan import codes
from simulator.plan.codes import OPERATIONS, PHASES, TIERS, plain
from simulator.plan.plan import Plan
from simulator.runtime.policies import all_names
from tests.twins.plans.faults import RELEASES, TRIGGERS

# -- which kinds have a draw ----------------------------------------------------------------------


@functools.cache
def drawn_parts() -> dict[str, type[PartTraits]]:
    """Return the kinds of parts that machines of plans are drawn of, with their traits."""
    kinds = {kind: traits_of(kind) for kind in names("parts", "reference")}
    return {kind: one for kind, one in kinds.items() if one.roles}


@functools.cache
def kinds_for(role: str) -> tuple[str, ...]:
    """Return the kinds of parts that may have a role, each as often as its weight says."""
    weights = {kind: one.roles.get(role, 0) for kind, one in drawn_parts().items()}
    return tuple(kind for kind, weight in weights.items() for _ in range(weight))


# -- which kinds there are ------------------------------------------------------------------------


def _words(prefix: str) -> dict[int, str]:
    """Return the codes that begin with a word, by their numbers: CLOSE_FREE, CLOSE_QUEUE, ..."""
    return {number: name for name, number in vars(codes).items() if name.startswith(prefix)}


ARRIVALS = {getattr(codes, name): name for name in ("FIXED", "POISSON", "AT_TIMES")}


def registered() -> dict[str, set[str]]:
    """Return all kinds of things of which plans are made, by what they are kinds of."""
    return {
        "part": set(names("parts", "reference")),
        "policy": set(names("policies", "reference")),
        "runtime": set(all_names()),
        "tier": set(TIERS),
        "phase": set(PHASES),
        "operation": set(OPERATIONS),
        "release": set(RELEASES),
        "trigger": set(TRIGGERS),
        "close": set(_words("CLOSE_").values()),
        "opening": set(_words("OPEN_").values()),
        "arrivals": set(ARRIVALS.values()),
    }


MADE_OF = "made of others"
"""What stands for the value of a field that is made of fields of its own."""


# -- which of them a plan has ---------------------------------------------------------------------


def kinds_of(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the kinds of things that a plan has, as in :func:`registered`."""
    phases = [phase for process in plan.processes for phase in process.phases]
    yield from (("part", one.kind) for one in plan.parts)
    yield from (("policy", one.policy) for one in plan.stores)
    yield from (("release", one.release) for one in plan.stores)
    yield from (("trigger", trigger) for one in plan.stores for trigger in one.triggers)
    yield from (("tier", one.kind) for one in plan.tiers)
    yield from (("phase", PHASES[one.kind]) for one in phases)
    yield from (("runtime", one.policy) for one in phases if one.kind == codes.STREAM)
    yield from (("operation", OPERATIONS[plain(kind)]) for kind in plan.operations.kind)
    yield from (("close", _words("CLOSE_")[one.close]) for one in plan.paths)
    yield from (("opening", _words("OPEN_")[one.opening]) for one in plan.paths)
    yield from (("arrivals", ARRIVALS[one.kind]) for one in plan.arrivals)


def values_of(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each field of a plan, with its values in all rows: ``TierPlan.window`` and 3."""
    if dataclasses.is_dataclass(value):
        if name:
            yield name, MADE_OF
        for field in dataclasses.fields(value):
            yield from values_of(getattr(value, field.name), f"{type(value).__name__}.{field.name}")
    elif isinstance(value, tuple) and any(dataclasses.is_dataclass(one) for one in value):
        for one in value:
            yield from values_of(one, name)
    elif isinstance(value, array):
        yield from ((name, one) for one in value)
    else:
        yield name, value
