"""Checks of both engines before a run: zero sizes, and limits on the values of a plan.

Times and sizes that arise in a run are checked during the run; docs/model.md. Other faults of a
generated plan are found by the tests (tests/twins/plans/faults.py), in time proportional to its
operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from simulator.errors import RefusedError
from simulator.kinds.traits import PartSpec
from simulator.plan.codes import STREAM
from simulator.plan.errors import MOST
from simulator.plan.tiers import traits_of_tier
from simulator.runtime.records import LARGEST_FILE

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan
    from simulator.plan.plan import Plan

MOST_OF_EACH = (1 << 31) - 1
"""Maximum of processes, files, operations, members of a group; and of bytes of a block, or of a
header."""
MOST_SPEED = 1 << 32
"""Maximum speed of concurrent transfers together, in 2**-20 of that of one: 4,096 times as much."""


class PlanError(ValueError):
    """A plan that no engine can run; one line for each fault."""


def check_divisors(plan: Plan) -> None:
    """Raise :class:`PlanError` for zero divisors: stores without blocks, cuts at 0 bytes."""
    found = [*_stores(plan), *_tiers(plan)]
    if found:
        raise PlanError("\n".join(found))


def _stores(plan: Plan) -> Iterator[str]:
    for store in plan.stores:
        if min(store.slots, store.block, store.extent) < 1:
            what = f"{store.slots} slots of {store.block} B, moved by {store.extent}"
            yield f"store {store.name}: {what}"
    for row in plan.buffers:
        if row.block < 1:
            yield f"buffers {row.name}: {row.slots} slots of {row.block} B"


def _tiers(plan: Plan) -> Iterator[str]:
    for number, tier in enumerate(plan.tiers):
        if traits_of_tier(tier.kind).units and min(tier.size, tier.width) < 1:
            yield f"tier {number}: units of {tier.size} B over {tier.width} members"


def check_reach(plan: Plan, passed: Plan | None = None) -> None:
    """Raise :class:`~simulator.errors.RefusedError` naming each value that exceeds a limit.

    Objects shared with a plan that has ``passed`` are not checked again.
    """
    for where, wrong in _beyond(plan, passed):
        raise RefusedError(f"{where} {wrong}; that exceeds the limits of a run (docs/model.md)")


def _of_parts(parts: Sequence[PartPlan], passed: Sequence[PartPlan]) -> Iterator[tuple[str, str]]:
    for part, old in zip_longest(parts, passed[: len(parts)]):
        if part is not old:
            yield from _of_part(part)


def _beyond(plan: Plan, passed: Plan | None) -> Iterator[tuple[str, str]]:
    """Yield each value that exceeds a limit, and the limit."""
    counts = {"processes": len(plan.processes), "files": len(plan.files)}
    counts |= {"operations": len(plan.operations), "instances of parts": plan.instances}
    for what, count in counts.items():
        if count > MOST_OF_EACH:
            yield "the workload", f"has {count:,} {what}, more than 2**31 - 1"
    yield from _of_parts(plan.parts, () if passed is None else passed.parts)
    if passed is not None and all(getattr(plan, one) is getattr(passed, one) for one in _REACHING):
        return
    for tier in plan.tiers:
        cuts = traits_of_tier(tier.kind).cuts
        if cuts and tier.size * tier.width > MOST:
            yield f"a {cuts}", f"has {tier.width} units of {tier.size:,} bytes, 2**62 or more"
        if tier.header > MOST_OF_EACH:
            yield "a message", f"has a header of {tier.header:,} bytes, 2**31 or more"
    for one in plan.buffers:
        if one.block > MOST_OF_EACH:
            yield one.name, f"has blocks of {one.block:,} bytes, 2**31 or more"
    yield from _of_files(plan)


def _of_files(plan: Plan) -> Iterator[tuple[str, str]]:
    for number, file in enumerate(plan.files):
        end = file.base + max(file.length, file.size, file.room)
        if end > MOST:
            yield f"file {file.name}", f"ends at byte {end:,} of its device, past 2**62"
        if file.size > LARGEST_FILE and _is_of_records(plan, number):
            yield f"file {file.name}", f"has {file.size:,} bytes of records, more than 2**61"


_REACHING = ("processes", "files", "tiers", "buffers")
"""Fields of a plan that are checked, besides its resources."""


def _is_of_records(plan: Plan, file: int) -> bool:
    phases = (phase for process in plan.processes for phase in process.phases)
    return any(phase.kind == STREAM and phase.file == file for phase in phases)


def _of_part(part: PartPlan) -> Iterator[tuple[str, str]]:
    times = [part.latency_ns]
    for service in (*part.service.depths, *part.service_of(writes=True).depths):
        times += [service.overhead_ns, *(point.time_ns for point in service.points)]
    if isinstance(part.spec, PartSpec):
        times += part.spec.times_ns()
        for name, value in part.spec.whole_numbers():
            if value >= 1 << 63:
                yield part.label, f"has {name} {value:,}, 2**63 or more"
    if max(times) > MOST:
        yield part.label, f"takes {max(times):,} ns for a request, 2**62 or more"
    fastest = max((*part.speeds, *part.write_speeds), default=0)
    if fastest > MOST_SPEED:
        yield part.label, f"is {fastest >> 20:,} times faster for many than for one, over 4,096"
