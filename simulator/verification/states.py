"""Identities of failures and speed changes: a failed instance serves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from typing import TYPE_CHECKING

from simulator.plan.events import NOMINAL_SPEED, SPEED_BITS, calendars_of
from simulator.result.instances import rows_of_instances

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


def broken_states(plan: Plan, result: Result) -> Iterator[str]:
    """Yield a sentence for each impossible state, and each service during a failure."""
    for name, one in result.states.items():
        counted = (one.failures, one.down_ns, one.slow_ns, one.delayed, one.lost_ns)
        if min(counted) < 0 or one.down_ns + one.slow_ns > result.end_ns:
            states = f"failed for {one.down_ns} ns, slow for {one.slow_ns} ns"
            yield f"{name}: {states}, in {result.end_ns} ns"
        if (one.down_ns > 0) != (one.failures > 0) or (one.lost_ns > 0) != (one.delayed > 0):
            lost = f"{one.delayed} requests waited for {one.lost_ns} ns"
            yield f"{name}: {one.failures} failures of {one.down_ns} ns, {lost}"
        served = result.parts.get(name)
        if one.delayed > (served.requests if served is not None else 0):
            yield f"{name}: {one.delayed} requests waited for it, more than it served"
    yield from _failures(result)
    yield from _arrays(plan, result)
    if result.spans and plan.events:
        yield from _spans(plan, result)


def _failures(result: Result) -> Iterator[str]:
    """Check that calls fail if, and only if, their requests have timed out."""
    calls = sum(one.failed.count for one in result.processes)
    requests = result.given_up
    if calls > requests or (calls > 0) != (requests > 0):
        yield f"{calls} calls have failed, and {requests} requests have given up"
    for one in result.processes:
        failed, size = one.failed, one.read.failed_bytes + one.write.failed_bytes
        if failed.count and not one.started_ns <= failed.first_ns <= failed.last_ns <= one.ended_ns:
            yield f"{one.name}: calls failed from {failed.first_ns} to {failed.last_ns} ns"
        if size < 0 or (size and not failed.count):
            yield f"{one.name}: {size} B failed in {failed.count} calls"


def _arrays(plan: Plan, result: Result) -> Iterator[str]:
    """Check that arrays rebuild failed disks, from the required bytes of others."""
    rows = rows_of_instances(plan)
    for name, one in result.arrays.items():
        spec = plan.parts[rows[name]].spec
        counted = astuple(one)[1:-1]
        if min(counted) < 0 or one.degraded_ns > result.end_ns:
            yield f"{name}: counted {counted} in {result.end_ns} ns"
        if max(one.rebuilds, one.losses) > one.failures or (one.degraded_ns and not one.failures):
            after = f"{one.rebuilds} rebuilds, {one.losses} losses"
            yield f"{name}: {after} after {one.failures} failures"
        whole, most = one.rebuilds * spec.capacity, one.failures * spec.capacity
        if not whole <= one.rebuilt_bytes <= most:
            yield f"{name}: {one.rebuilt_bytes} B rebuilt, in {one.rebuilds} whole rebuilds"
        sources = spec.columns if spec.parities else 1
        under_way = one.rebuild_read_bytes - sources * one.rebuilt_bytes
        if not 0 <= under_way <= sources * spec.step * one.failures:
            yield f"{name}: {one.rebuild_read_bytes} B read to rebuild {one.rebuilt_bytes} B"
        if one.failures:
            continue
        served = result.parts[name].bytes if name in result.parts else 0
        if not spec.parities and 2 * one.read_bytes + one.written_bytes != 2 * served:
            moved = f"{one.read_bytes} B read and {one.written_bytes} B written by mirrors"
            yield f"{name}: {moved} for {served} B"
        if one.reconstructed_bytes:
            yield f"{name}: {one.reconstructed_bytes} B reconstructed though nothing has failed"


def _spans(plan: Plan, result: Result) -> Iterator[str]:
    calendars = calendars_of(plan)
    named = {
        plan.instance_name(part, number - part.first): calendars[number]
        for part in plan.parts
        for number in part.instances
        if number in calendars and part.traits.order != "shared"
    }
    for span in result.spans:
        if span.part in named and named[span.part].times(span.start_ns, span.end_ns)[1]:
            yield f"{span.part}: a service of {span.service_ns} ns at {span.start_ns} ns, failed"


def available_ns(plan: Plan, part: PartPlan, name: str, result: Result) -> int:
    """Return the time that an instance could work in a run, in ns at its usual speed or less.

    A shared instance serves several transfers at a time, faster if an event raises its speed.
    """
    state = result.states.get(name)
    if state is None:
        return result.end_ns
    if part.traits.order == "shared":
        fastest = max(one.speed for one in plan.events if plan.parts[one.part] is part)
        return result.end_ns * max(NOMINAL_SPEED, fastest) >> SPEED_BITS
    return result.end_ns - state.down_ns
