"""Plans made from other plans: without rounding, without meetings, slower, side by side."""

from __future__ import annotations

from array import array
from dataclasses import fields, replace
from functools import partial
from operator import add
from random import Random
from typing import Any
from unittest import mock

from simulator.config.filesystems import FOR_EVER_NS
from simulator.config.lowering.failing import MEETINGS
from simulator.kinds.dice import Dice
from simulator.kinds.parts.array.spec import ArraySpec
from simulator.kinds.parts.raid.spec import RaidSpec
from simulator.plan.codes import FIXED, PAUSE, POISSON
from simulator.plan.jobs import Operations, PhasePlan
from simulator.plan.parts import NoisePlan
from simulator.plan.plan import Plan
from tests.draws.plans import draw, magnitudes
from tests.draws.plans.restarts import without_restarts
from tests.twins.plans.references import numbered, turned

LIVES = ("attributes_min_ns", "attributes_max_ns")


class ExactDice(Dice):
    """Nothing is ever rounded."""

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self.exact = True


def exact_plan(rng: Random, most: int = 6) -> Plan:
    """Draw a plan in which nothing is rounded: no noise, no shared part, no job that fails."""
    with mock.patch.object(draw, "Dice", ExactDice):
        plan = without_restarts(draw.draw_plan(rng, most))
    parts = tuple(
        replace(
            part,
            kind="queue" if part.kind in ("shared", "core") else part.kind,
            cores=0,
            speeds=(),
            noise=NoisePlan(),
            spec=_WHOLE.get(part.kind, _as_it_is)(part.spec),
        )
        for part in plan.parts
    )
    arrivals = tuple(
        replace(row, kind=FIXED if row.kind == POISSON else row.kind) for row in plan.arrivals
    )
    events = tuple(replace(one, mean_ns=0, speed=0) for one in plan.events)
    return replace(plan, parts=parts, arrivals=arrivals, events=events, noisy=False)


def whole_raid(spec: RaidSpec) -> RaidSpec:
    """Let a unit take whole ns for a byte, and half a turn too."""
    rates = {name: 1e9 / max(1, round(1e9 / getattr(spec, name))) for name in ("rate", "bus_rate")}
    return replace(spec, turn_ns=spec.turn_ns // 2 * 2, **rates)


def whole_array(spec: ArraySpec) -> ArraySpec:
    """The same of the disks of an array, which are rebuilt as fast as they can."""
    rate = 1e9 / max(1, round(1e9 / spec.rate))
    return replace(spec, turn_ns=spec.turn_ns // 2 * 2, rate=rate, rebuild=1 << 58)


def _as_it_is(spec: Any) -> Any:
    return spec


_WHOLE: dict[str, Any] = {"raid": whole_raid, "array": whole_array}
"""What makes numbers of a kind of part such that nothing is rounded."""


def alone(plan: Plan) -> Plan:
    """Let processes meet nowhere but at parts and in stores."""
    table = plan.operations
    kinds = array("b", (PAUSE if kind in MEETINGS else kind for kind in table.kind))
    quiet = replace(table, kind=kinds)
    nothing = {"born": -1, "sleeps": False, "arrivals": -1, "until": -1}

    def quietly(phase: PhasePlan) -> PhasePlan:
        """Leave out draws of operations that are none now."""
        gone = phase.draw is not None and table.kind[phase.draw.first] in MEETINGS
        return replace(phase, draw=None) if gone else phase

    processes = tuple(
        replace(one, phases=tuple(map(quietly, one.phases)), **nothing) for one in plan.processes
    )
    return replace(plan, operations=quiet, processes=processes, channels=(), arrivals=())


# -- slower -------------------------------------------------------------------------------------


def slower(plan: Plan, k: int) -> Plan:
    """Divide every rate by ``k``, and multiply every time by it, but for what is known for ever."""
    made = magnitudes.slower(plan, k)
    paths = tuple(
        replace(new, **{name: FOR_EVER_NS for name in LIVES if getattr(old, name) >= FOR_EVER_NS})
        for old, new in zip(plan.paths, made.paths, strict=True)
    )
    return replace(made, paths=paths)


# -- side by side -------------------------------------------------------------------------------

JOINED = (
    *("groups", "parts", "stores", "tiers", "paths", "files", "processes", "arrivals", "channels"),
    *("barriers", "columns", "events"),
)


def side_by_side(left: Plan, right: Plan) -> Plan:
    """Put two plans that meet nowhere into one; the names of the second begin with ``b-``.

    Neither has named phases.
    """
    assert not left.named
    assert not right.named
    counts = {table: len(getattr(left, table)) for table in (*JOINED, "operations")}
    counts |= {"marks": left.marks, "locks": left.locks}
    right = turned(right, {table: partial(add, count) for table, count in counts.items()})
    tables: dict[str, Any] = {
        table: (*getattr(left, table), *map(_called_b, getattr(right, table))) for table in JOINED
    }
    tables |= {name: getattr(left, name) + getattr(right, name) for name in ("marks", "locks")}
    columns = {one.name: getattr(left.operations, one.name) for one in fields(left.operations)}
    both = {name: one + getattr(right.operations, name) for name, one in columns.items()}
    return numbered(replace(left, **tables, operations=Operations(**both)))


def _called_b(row: Any) -> Any:
    """Let names of a row begin with ``b-``."""
    if isinstance(row, str):
        return f"b-{row}"
    named = {name: f"b-{getattr(row, name)}" for name in ("name", "job") if hasattr(row, name)}
    return replace(row, **named) if named else row
