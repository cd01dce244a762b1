"""Runs that share what is known of their plans are those of runs that share nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from simulator.errors import RefusedError
from simulator.kinds.parts.link.spec import LinkSpec
from simulator.native.columns import ColumnCache, columns_of
from simulator.native.run import run_native, totals_native
from simulator.plan.errors import LimitError, SimulationError
from simulator.plan.parts import PartPlan
from simulator.plan.plan import Plan
from simulator.result.totals import totals_of
from tests.draws.plans.draw import plan_of
from tests.engines.hand import Hand
from tests.examples import examples

DRAWN = examples(300)


def faster(part: PartPlan, rng: Random) -> PartPlan:
    """A part that serves in another time."""
    service = replace(part.service, rate=part.service.rate * rng.choice([0.5, 1.5]))
    latency_ns = part.latency_ns * rng.choice([1, 2])
    speeds = tuple(speed * 3 // 4 for speed in part.speeds)
    return replace(part, service=service, latency_ns=latency_ns, speeds=speeds)


def other_numbers(plan: Plan, rng: Random) -> Plan:
    """The same, some of whose parts serve in another time, and whose stores differ."""
    parts = [faster(part, rng) if rng.random() < 0.5 else part for part in plan.parts]
    stores = [
        replace(one, ahead=one.ahead + 1, slots=one.slots + 3) if rng.random() < 0.3 else one
        for one in plan.stores
    ]
    return replace(plan, parts=tuple(parts), stores=tuple(stores), digest=f"{rng.random()}")


def other_rates(plan: Plan, rng: Random) -> Plan:
    """The same, some of whose parts have other rates; some of them now have one for writes."""
    parts = [
        replace(part, service=replace(part.service, overhead_ns=rng.randrange(9)), writes=writes)
        if rng.random() < 0.5
        else part
        for part in plan.parts
        for writes in [rng.choice([part.writes, part.service, None])]
    ]
    return replace(plan, parts=tuple(parts), digest=f"{rng.random()}")


def outcome(plan: Plan, known: ColumnCache | None = None) -> Any:
    """A result, or what was wrong."""
    try:
        return run_native(plan, cache=known)
    except (SimulationError, RefusedError, LimitError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.drawn
def test_drawn_plans_that_differ_in_numbers_have_their_own_results() -> None:
    """Also with other plans between, and in another order."""
    known, kept = ColumnCache(), 0
    for seed in range(DRAWN):
        plan, rng = plan_of(seed), Random(seed)
        plans = [plan, *[other_numbers(plan, rng) for _ in range(2)], plan]
        for one in plans:
            before = known.plan
            assert outcome(one, known) == outcome(one), seed
            kept += before is not None and before is not one and known.plan is one
        if seed % 3 == 0:
            known = ColumnCache()
    assert kept > DRAWN


@pytest.mark.drawn
@pytest.mark.parametrize("changed", [other_numbers, other_rates])
def test_columns_that_are_kept_are_those_made_anew(changed: Callable[[Plan, Random], Plan]) -> None:
    """All of them; and those of the plan before are as they were."""
    only_rates = 0
    for seed in range(DRAWN):
        plan, known = plan_of(seed), ColumnCache()
        before = known.columns(plan)
        for one in (changed(plan, Random(seed)), plan):
            found, wanted = known.columns(one), columns_of(one)
            assert found.keys() == wanted.keys()
            assert [name for name in wanted if list(found[name]) != list(wanted[name])] == [], seed
            only_rates += found["part.first"] is before["part.first"]
    assert changed is other_numbers or only_rates > DRAWN // 2


def small(rate: float = 1e9, slots: int = 40) -> Plan:
    """A process that reads more blocks than a store keeps."""
    hand = Hand(node=1)
    hand.part("disk", "node", rate=rate)
    hand.store("pages", "node", slots=slots)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", 5000, length=5000)
    hand.process("p", hand.listed(("read", "f", 0, 5000), ("read", "f", 0, 5000)))
    return hand.plan()


def test_tiers_are_made_once_for_plans_that_differ_in_numbers() -> None:
    """Of a plan that differs in more, everything is made anew."""
    known, first = ColumnCache(), small()
    columns = known.columns(first)
    slower = replace(first, parts=small(2e9).parts)
    assert known.columns(slower)["hold.part"] is columns["hold.part"]
    other = replace(first, processes=first.processes * 2)
    assert known.columns(other)["hold.part"] is not columns["hold.part"]


def refused(plan: Plan) -> Plan:
    """With a part of a kind that the kernel has not."""
    link = PartPlan(
        name="lan", kind="link", group=0, first=plan.instances, count=1, spec=LinkSpec(1e9)
    )
    return replace(plan, parts=(*plan.parts, link))


def endless(plan: Plan) -> Plan:
    """With a part that takes too long."""
    return replace(
        plan,
        parts=tuple(
            replace(part, service=replace(part.service, overhead_ns=1 << 60)) for part in plan.parts
        ),
    )


@pytest.mark.parametrize("wrong", [refused, endless])
def test_a_plan_that_cannot_be_carried_out_changes_nothing_for_the_next(wrong: Any) -> None:
    plan = small()
    known, wanted = ColumnCache(), outcome(plan)
    for one in (plan, wrong(plan), plan, wrong(plan), wrong(plan), plan):
        assert outcome(one, known) == (wanted if one is plan else outcome(one))
    assert isinstance(outcome(wrong(plan)), str)


def test_a_run_that_was_given_up_changes_nothing_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("simulator.native.run.STRETCH", 10)
    plan, known = small(), ColumnCache()
    asked: list[int] = []

    def soon() -> bool:
        asked.append(0)
        return len(asked) > 3

    with pytest.raises(KeyboardInterrupt):
        run_native(plan, cache=known, stopped=soon)
    assert outcome(plan, known) == outcome(plan)


def test_totals_share_what_results_share() -> None:
    known = ColumnCache()
    for plan in (small(), small(2e9), small(slots=7), small()):
        assert totals_native(plan, known) == totals_of(run_native(plan, cache=known))
