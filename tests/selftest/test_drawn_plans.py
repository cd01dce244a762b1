"""Plans drawn at random: they can be carried out, are of every kind, shrink, and print."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.kinds import names
from simulator.plan.codes import READ, WRITE, plain
from simulator.plan.cores import crowded_groups
from simulator.plan.plan import Plan
from tests.draws.plans.changes import side_by_side
from tests.draws.plans.draw import draw_plan, plan_of
from tests.draws.plans.names import without_names
from tests.draws.plans.shrink import MOVES, shrunk, without_unused
from tests.draws.plans.source import plan_from, source
from tests.draws.registry import MADE_OF, drawn_parts, kinds_of, registered, values_of
from tests.examples import examples
from tests.twins.plans.faults import faults


@settings(max_examples=examples(500))
@given(st.randoms(use_true_random=False))
@pytest.mark.slow
def test_a_drawn_plan_can_be_carried_out(rng: Random) -> None:
    assert faults(draw_plan(rng)) == []


PLANS = 400
SERVICES = {
    *(("part", kind) for kind in ("link", "processor", "timeshare")),
    *(("phase", kind) for kind in ("mesh", "calls")),
    *(("operation", kind) for kind in ("job", "call")),  # counted, but no operation of a process
}
"""Kinds of the reference engine alone, which are drawn as machine files."""
NEVER = {
    "Plan.services",
    *(
        "Plan.queues",
        "Plan.drawn",
        "ProcessPlan.queued",
    ),  # in tests/draws/queues.py
    *("ChannelPlan.service", "ProcessPlan.launched", "ProcessPlan.processor"),
    "PhasePlan.row",  # as above
    "RestartPlan.barriers",  # teams that are drawn meet at none; tests/engines/test_restarts.py
    *("LibraryWork.calls", "LibraryWork.server_calls", "LibraryWork.copied"),
    "LibraryWork.memory",  # what libraries count; no engine reads it
    "TierPlan.spec",  # of a user's own kinds
    *("Plan.machine", "Plan.workload", "Plan.digest"),  # titles
    *("ProcessPlan.cpu", "ProcessPlan.group", "TierPlan.by"),  # there is one group of clients
}
"""Fields that have one value in all drawn plans, each with the reason."""


@pytest.fixture(scope="module")
def drawn() -> list[Plan]:
    return [plan_of(seed) for seed in range(PLANS)]


@pytest.mark.slow
def test_plans_of_every_kind_are_drawn(drawn: list[Plan]) -> None:
    """Each kind of thing that is registered, however it got there, is in one of 400 plans."""
    wanted = {(of, name) for of, kinds in registered().items() for name in kinds}
    assert wanted - SERVICES - {kind for plan in drawn for kind in kinds_of(plan)} == set()


@pytest.mark.slow
def test_nodes_with_too_few_cores_are_drawn(drawn: list[Plan]) -> None:
    assert {group for plan in drawn for group in crowded_groups(plan)} == {0, 1}


@pytest.mark.slow
def test_every_field_of_a_plan_is_drawn(drawn: list[Plan]) -> None:
    """A field that always has its first value is not drawn, and nothing compares what it does."""
    values: dict[str, set[str]] = {}
    for plan in drawn:
        for name, value in values_of(plan):
            if len(found := values.setdefault(name, set())) < 2:
                found.add(repr(value))
    one = {name for name, found in values.items() if len(found) < 2}
    made_of = {name for name in one if values[name] == {repr(MADE_OF)}}
    services = {name for name in one if name.startswith("ServicesPlan.")}
    assert one - made_of - services - NEVER == set()


def test_every_kind_of_part_has_a_draw() -> None:
    kinds = set(names("parts", "reference"))
    without = {kind for kind in kinds if kind not in drawn_parts()}
    assert without == {kind for of, kind in SERVICES if of == "part"}


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_prints_as_the_python_that_makes_it(seed: int) -> None:
    plan = plan_of(seed)
    assert source(plan_from(source(plan))) == source(plan)


def test_a_seed_gives_one_plan() -> None:
    assert source(plan_of(17)) == source(plan_of(17)) != source(plan_of(18))


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(8))
def test_what_shrinking_tries_is_mostly_a_plan(seed: int) -> None:
    plan = plan_of(seed)
    tried: Counter[bool] = Counter()
    for moves in MOVES:
        tried.update(not faults(smaller) for smaller in moves(plan))
    assert tried[True] > tried[False]


@pytest.mark.slow
def test_without_rows_that_nothing_names_a_plan_is_one(drawn: list[Plan]) -> None:
    """The same of two plans side by side, if nothing is asked for: all that is named moves."""
    plans = drawn[::4]
    joined = [
        side_by_side(without_names(left), without_names(right))
        for left, right in pairwise(plan for plan in plans if not (plan.asked or plan.restarts))
    ]
    smaller = [one for plan in plans for one in without_unused(plan)]
    assert [found for plan in (*joined, *smaller) if (found := faults(plan))] == []


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
