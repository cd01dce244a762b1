"""Plans drawn at random: they can be carried out, are of every kind, shrink, and print."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.plan.codes import (
    CALL,
    CALLS,
    JOB,
    MESH,
    OPERATIONS,
    PHASES,
    READ,
    TIERS,
    WRITE,
    plain,
)
from simulator.plan.faults import faults
from simulator.plan.plan import Plan
from tests.composed.draw import draw_plan, plan_of
from tests.composed.shrink import MOVES, shrunk
from tests.composed.source import plan_from, source
from tests.examples import examples


@settings(max_examples=examples(500))
@given(st.randoms(use_true_random=False))
@pytest.mark.slow
def test_a_drawn_plan_can_be_carried_out(rng: Random) -> None:
    assert faults(draw_plan(rng)) == []


def test_plans_of_every_kind_are_drawn() -> None:
    """Nothing that a plan can say is missing from 300 plans."""
    seen: Counter[str] = Counter()
    for seed in range(300):
        plan = plan_of(seed)
        seen.update(TIERS[tier.kind] for tier in plan.tiers)
        seen.update(OPERATIONS[plain(kind)] for kind in plan.operations.kind)
        seen.update(f"bits {kind - plain(kind)}" for kind in plan.operations.kind)
        seen.update(PHASES[one.kind] for process in plan.processes for one in process.phases)
        seen.update(part.kind for part in plan.parts)
        seen.update(f"{len(plan.stores)} stores" for _ in (0,))
        for store in plan.stores:
            seen.update([store.policy, f"back {store.back}", store.release, *store.triggers])
            limits = {"quota": store.quota, "limit": store.dirty_limit, "ahead": store.ahead - 1}
            seen.update(name for name, value in limits.items() if value >= 0)
        for process in plan.processes:
            seen.update({"born": process.born >= 0, "sleeps": process.sleeps})
            seen.update({"serves": process.arrivals >= 0, "shares": process.nodes > 1})
            seen.update(repeats=process.repeat > 1, until=process.until >= 0)
            draws = [one.draw for one in process.phases if one.draw is not None]
            seen.update(
                steps=sum(one.step > 0 for one in draws), tables=sum(not one.step for one in draws)
            )
            seen.update({"calls of several operations": sum(one.each > 1 for one in draws)})
            seen.update(stream_synchronous=sum(one.synchronous for one in process.phases))
            seen.update(stream_direct=sum(one.direct for one in process.phases))
        for path in plan.paths:
            seen.update({"metadata": path.metadata >= 0, "drain": path.drain >= 0})
            seen.update([f"close {path.close}", f"opening {path.opening}"])
            seen.update(attributes=path.attributes_min_ns > 0)
        seen.update(f"arrive {row.kind}" for row in plan.arrivals)
        if plan.asked is not None:
            seen.update(merged=len(plan.asked.groups.members), stored=len(plan.buffers[0].stored))
            seen.update({"read ahead of buffers": plan.buffers[0].ahead > 0})
        seen.update(prestaged=sum(file.prestaged for file in plan.files), noisy=plan.noisy)
    never = {OPERATIONS[kind] for kind in (JOB, CALL)}
    never |= {PHASES[kind] for kind in (MESH, CALLS)}  # services have tests of their own
    wanted = {*TIERS, *OPERATIONS, *PHASES} - never
    wanted |= {"cpu", "queue", "delay", "disk", "shared", "metadata", "drain", "noisy"}
    wanted |= {"lru", "fifo", "arc", "back True", "back False", "none", "whole", "full"}
    wanted |= {"mark", "eager", "close", "rewrite", "quota", "limit", "ahead", "prestaged"}
    wanted |= {"born", "sleeps", "serves", "shares", "repeats", "until", "steps", "tables"}
    wanted |= {"calls of several operations"}
    wanted |= {"stream_synchronous", "stream_direct", "bits 32", "bits 64", "bits 96", "journal"}
    wanted |= {"raid", "merged", "stored", "read ahead of buffers"}
    wanted |= {f"{n} stores" for n in range(4)} | {f"close {n}" for n in range(3)}
    wanted |= {f"arrive {n}" for n in range(3)} | {f"opening {n}" for n in range(3)}
    wanted |= {"attributes"}
    assert wanted <= {name for name, times in seen.items() if times}


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_prints_as_the_python_that_makes_it(seed: int) -> None:
    plan = plan_of(seed)
    assert source(plan_from(source(plan))) == source(plan)


def test_a_seed_gives_one_plan() -> None:
    assert source(plan_of(17)) == source(plan_of(17)) != source(plan_of(18))


@pytest.mark.parametrize("seed", range(8))
def test_what_shrinking_tries_is_mostly_a_plan(seed: int) -> None:
    plan = plan_of(seed)
    tried: Counter[bool] = Counter()
    for moves in MOVES:
        tried.update(not faults(smaller) for smaller in moves(plan))
    assert tried[True] > tried[False]


def _moves_much(plan: Plan) -> bool:
    table = plan.operations
    rows = zip(map(plain, table.kind), table.size, strict=True)
    return any(kind in (READ, WRITE) and size > 100 for kind, size in rows)


def test_a_plan_shrinks_to_what_fails() -> None:
    """The smallest plan with a large operation has one process with that operation alone."""
    plan = next(plan for plan in map(plan_of, range(100)) if _moves_much(plan))
    small = shrunk(plan, _moves_much)
    assert len(small.operations) == 1
    assert len(small.processes) <= 1
    assert len(source(small)) < len(source(plan)) / 2
