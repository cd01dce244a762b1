"""Relations between runs: what is named, ordered or joined otherwise changes nothing else.

See tests/properties/test_metamorphic.py for the numbers of the relations.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import add, sub
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.plan.codes import FORWARD
from simulator.plan.cores import crowded_groups
from simulator.plan.jobs import ProcessPlan
from simulator.plan.plan import Plan
from tests.draws.plans.changes import alone, exact_plan, side_by_side
from tests.draws.plans.draw import draw_plan
from tests.draws.plans.names import without_names
from tests.engines.compare import plain
from tests.properties.relations import Engine, drawn, drawn_until, engines, rngs, run, seeds, seen
from tests.twins.plans.references import numbered, turned

# -- M4: other names and other places -----------------------------------------------------------


@drawn(60)
@given(seeds, st.integers(1, 4), engines)
def test_M4_other_nodes_change_nothing_but_their_names(
    seed: int, turn: int, engine: Engine
) -> None:
    """All processes some nodes further on: each instance there does what one did here.

    Workers on the nodes are numbered by these, which decides who is first in one nanosecond.
    """
    plan = drawn_until(
        seed,
        lambda plan: (
            plan.groups[0].count > 1
            and all(store.group != 0 or not store.workers for store in plan.stores)
            and all(tier.kind != FORWARD for tier in plan.tiers)
            and all(one.group != 0 for one in plan.buffers)  # its own node is nearer
            and all(group.parent != 0 for group in plan.groups)
        ),
    )
    count = plan.groups[0].count
    # Who shares the data of another is on the node after it; prestaged blocks are on node 0.
    processes = tuple(replace(one, nodes=1, exchange=-1) for one in plan.processes)
    files = tuple(replace(one, prestaged=False) for one in plan.files)
    stores = tuple(replace(one, ahead=0) for one in plan.stores)
    # What happens to a part happens to it on its node.
    plan = replace(plan, processes=processes, files=files, stores=stores, events=())
    moved = replace(
        plan,
        processes=tuple(replace(one, node=(one.node + turn) % count) for one in processes),
    )
    here, there = run(engine, plan), run(engine, moved)
    assert seen(here.processes) == seen(there.processes)
    names = {
        f"{plan.groups[0].member(i)}.": f"{plan.groups[0].member((i + turn) % count)}."
        for i in range(count)
    }
    for old, new in ((here.parts, there.parts), (here.stores, there.stores)):
        assert {renamed(name, names): one for name, one in old.items()} == new
    assert (here.end_ns, here.events) == (there.end_ns, there.events)


def renamed(name: str, names: dict[str, str]) -> str:
    head, dot, tail = name.partition(".")
    return names.get(head + dot, head + dot) + tail


TABLES = ("files", "paths", "columns", "channels", "barriers", "arrivals")


@drawn(120)
@given(rngs, engines)
def test_M4_other_numbers_of_rows_change_nothing(rng: Random, engine: Engine) -> None:
    plan = draw_plan(rng, 6)
    stores = tuple(replace(one, ahead=0) for one in plan.stores)  # readers have files' numbers
    files = tuple(replace(one, prestaged=False) for one in plan.files)
    plan = replace(plan, files=files, stores=stores)
    turns = {table: partial(sub, len(getattr(plan, table)) - 1) for table in TABLES}
    there = turned(plan, turns | {"marks": partial(add, 1), "locks": partial(add, 1)})
    there = replace(there, marks=plan.marks + 1, locks=plan.locks + 1)
    there = replace(there, **{table: getattr(there, table)[::-1] for table in TABLES})
    assert plain(run(engine, there)) == plain(run(engine, plan))


@drawn(60)
@given(rngs, rngs, engines)
def test_M4_the_order_of_processes_that_do_not_meet_does_not_matter(
    rng: Random, other: Random, engine: Engine
) -> None:
    """Where they meet in one nanosecond, the first of the plan is first: a written rule."""
    plan = alone(exact_plan(rng))
    apart = [replace(one, start_ns=10**9 * i) for i, one in enumerate(plan.processes)]
    shuffled = list(apart)
    other.shuffle(shuffled)
    here = run(engine, replace(plan, processes=tuple(apart)))
    there = run(engine, replace(plan, processes=tuple(shuffled)))
    assume(max((one.elapsed_ns for one in here.processes), default=0) < 5 * 10**8)
    found = {one.name: one for one in there.processes}
    assert [found[one.name] for one in here.processes] == here.processes
    assert (here.parts, here.stores, here.end_ns) == (there.parts, there.stores, there.end_ns)


# -- M5: two halves that have nothing to do with each other -------------------------------------


def is_sure(plan: Plan) -> bool:
    """Whether nothing asks I/O nodes, no job fails, and no event is drawn with the run's seed."""
    return not (plan.asked or plan.restarts) and not any(
        one.mean_ns or one.member < 0 for one in plan.events
    )


@drawn(60)
@given(seeds, seeds, engines)
def test_M5_two_machines_in_one_run_are_two_runs(seed: int, other: int, engine: Engine) -> None:
    left, right = (without_names(drawn_until(one, is_sure)) for one in (seed, other))
    both = run(engine, side_by_side(left, right))
    for plan, prefix in ((left, ""), (right, "b-")):
        half = run(engine, plan)
        mine = [one for one in both.processes if one.name.startswith("b-") == bool(prefix)]
        assert without(prefix, seen(mine)) == seen(half.processes)
        for kept in ("parts", "stores"):
            of_both = {
                name: plain(one)
                for name, one in getattr(both, kept).items()
                if name.startswith("b-") == bool(prefix)
            }
            assert without(prefix, of_both) == plain(getattr(half, kept))


def without(prefix: str, value: Any) -> Any:
    """Return a value with a prefix of its names left out."""
    if isinstance(value, str):
        return value.replace(prefix, "") if prefix else value
    if isinstance(value, dict):
        return {without(prefix, key): without(prefix, one) for key, one in value.items()}
    if isinstance(value, list):
        return [without(prefix, one) for one in value]
    if isinstance(value, tuple):
        return tuple(without(prefix, one) for one in value)
    return value


# -- M6: what comes later, and what does nothing ------------------------------------------------


@drawn(60)
@given(rngs, engines)
def test_M6_a_later_process_changes_nothing_for_earlier_ones(rng: Random, engine: Engine) -> None:
    """They have ended when it starts; write-back and copies may be under way.

    Not where it makes a group crowded, in which anyone may have to wait for a core: a process there
    lets the clock catch up at each call, which decides who is first in one nanosecond.
    """
    plan = alone(draw_plan(rng, 6))
    before = run(engine, plan)
    late = replace(plan.processes[0], name="late", start_ns=before.elapsed_ns + 1, repeat=1)
    late = replace(late, restart=-1)  # A team has the processes that it began with.
    longer = with_process(plan, late)
    assume(crowded_groups(longer) == crowded_groups(plan))
    after = run(engine, longer)
    earlier = [one for one in after.processes if one.name.partition("/")[0] != "late"]
    assert seen(earlier) == seen(before.processes)


@drawn(60)
@given(rngs, st.integers(0, 10_000), engines)
def test_M6_a_process_of_nothing_changes_nothing(rng: Random, start: int, engine: Engine) -> None:
    plan = draw_plan(rng, 6)
    # It has to end as well before those go that go on until others end.
    bound = tuple(replace(one, until=-1) for one in plan.processes)
    plan = replace(plan, processes=bound)
    nothing = replace(
        plan.processes[0],
        name="nothing",
        start_ns=start,
        nodes=1,
        exchange=-1,
        repeat=1,
        phases=(),
        born=-1,
        sleeps=False,
        arrivals=-1,
        restart=-1,
        reading=0,
    )
    before, after = run(engine, plan), run(engine, with_process(plan, nothing))
    others = [one for one in after.processes if one.name != "nothing"]
    assert seen(others) == seen(before.processes)
    assert (after.parts, after.stores) == (before.parts, before.stores)


def with_process(plan: Plan, more: ProcessPlan) -> Plan:
    """Add a process; workers come after it."""
    return numbered(replace(plan, processes=(*plan.processes, more)))
