"""Relations between runs that need no theory: scaled, renamed, joined, and repeated.

M1, M2, ... number the relations that were collected for this project. M9, M11 and M12 are about
single queues (tests/composed/test_queues.py), M7 about caches (tests/test_composed_theory.py).
Which engine carries a plan out is drawn: both are to keep them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from simulator.native.run import run_native
from simulator.plan.codes import END, FORWARD, LISTED, REQUEST, STAGE, STRIPE
from simulator.plan.faults import faults
from simulator.plan.jobs import Operations, ProcessPlan
from simulator.plan.parts import PartPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.errors import SimulationError
from simulator.result.result import ProcessResult, Result
from simulator.run import Text, load_plan
from simulator.units import parse_rate, parse_size, parse_time
from tests.composed.changes import alone, exact_plan, side_by_side, slower
from tests.composed.compare import plain
from tests.composed.draw import draw_plan
from tests.composed.hand import Hand
from tests.examples import examples

rngs = st.randoms(use_true_random=False)
seeds = st.integers(0, 2**32)
engines = st.sampled_from((run_reference, run_native))
Engine = Any


def drawn(full: int) -> settings:
    """Settings for so many examples; Hypothesis takes minutes to make a plan smaller."""
    return settings(max_examples=examples(full), phases=[Phase.generate])


def run(engine: Engine, plan: Plan) -> Result:
    """Carry a plan out; one that never ends says nothing."""
    assert faults(plan) == []
    try:
        result: Result = engine(plan, debug=True)
    except SimulationError:
        assume(False)
        raise
    return result


def drawn_until(seed: int, good: Callable[[Plan], bool]) -> Plan:
    """Draw exact plans whose processes meet nowhere, until one of them will do."""
    rng = Random(seed)
    while not good(plan := alone(exact_plan(rng))):
        pass
    return plan


def seen(processes: Iterable[ProcessResult]) -> list[Any]:
    """What processes measure, but for their names."""
    return [
        (p.started_ns, p.ended_ns, p.read, p.write, p.compute_ns, p.idle_ns, p.spent)
        for p in processes
    ]


# -- M1: everything slower by a factor ----------------------------------------------------------


def times_of(result: Result, unit: int = 1) -> list[Any]:
    """Every time of a result in units of so many ns, with what was counted beside it."""
    processes = [
        (
            one.started_ns / unit,
            one.ended_ns / unit,
            one.compute_ns / unit,
            one.idle_ns / unit,
            (one.read.bytes, one.read.elapsed_ns / unit),
            (one.write.bytes, one.write.elapsed_ns / unit),
            {name: (wait / unit, service / unit) for name, (wait, service) in one.spent.items()},
        )
        for one in result.processes
    ]
    parts = {
        name: (part.requests, part.bytes, part.busy_ns / unit)
        for name, part in result.parts.items()
    }
    stores = {
        name: {key: count for key, count in store.counts.items() if not key.endswith("_ns")}
        for name, store in result.stores.items()
    }
    latencies = {
        name: (one.count, one.sum_ns / unit, one.max_ns / unit)
        for name, one in result.latencies.items()
    }
    whole = (result.elapsed_ns / unit, result.end_ns / unit, result.prestage_ns / unit)
    return [whole, processes, parts, stores, latencies, result.events]


@drawn(150)
@given(rngs, st.sampled_from((2, 4, 16)), engines)
def test_M1_rates_divided_and_times_multiplied_multiply_all_times(
    rng: Random, k: int, engine: Engine
) -> None:
    plan = exact_plan(rng)
    assert times_of(run(engine, slower(plan, k)), k) == times_of(run(engine, plan))


# -- M2: the same in other units ----------------------------------------------------------------


@given(st.integers(1, 10**9))
def test_M2_a_quantity_is_the_same_in_other_units(count: int) -> None:
    assert parse_time(f"{count} s") == parse_time(f"{count}000 ms") == count * 10**9
    assert parse_time(f"{count} us") == parse_time(f"{count}000 ns")
    assert parse_size(f"{count} MB") == parse_size(f"{count}000 kB") == count * 10**6
    assert parse_size(f"{count} MiB") == parse_size(f"{1024 * count} KiB")
    assert parse_rate(f"{count} GB/s") == parse_rate(f"{count}000 MB/s")


UNITS = """
format: machine/2
name: units
parts: {{disk: {{kind: disk, rate: {rate}, seek: {seek}}}}}
filesystems: {{home: [disk]}}
"""
WORK = """
format: workload/2
name: units
files: {{f: {{size: {size}}}}}
jobs: [{{name: a, record: {size}, start: {seek}, phases: [{{do: write, file: f}}]}}]
"""


def test_M2_a_run_does_not_know_in_which_units_it_was_written() -> None:
    results = []
    for size, seek, rate in (("8 kB", "2 ms", "36 MB/s"), ("0.008 MB", "2000 us", "0.036 GB/s")):
        texts = (text.format(size=size, seek=seek, rate=rate) for text in (UNITS, WORK))
        plan = load_plan(*(Text(text, "units") for text in texts))
        results.append({**plain(run_reference(plan)), "digest": ""})
    assert results[0] == results[1]


# -- M3: sizes and rates scaled together --------------------------------------------------------


def listed_only(plan: Plan) -> Plan:
    """Without streams, whose record lengths do not scale, and without pieces, which are rounded."""
    plan = alone(plan)
    tiers = tuple(
        replace(tier, pieces=0, width=1, slot=0) if tier.kind == STAGE else tier
        for tier in plan.tiers
    )
    processes = tuple(
        replace(one, nodes=1, exchange=-1, phases=tuple(p for p in one.phases if p.kind == LISTED))
        for one in plan.processes
    )
    return replace(plan, tiers=tiers, processes=processes)


def bigger(plan: Plan, k: int) -> Plan:
    """Multiply all sizes, all rates and all addresses by ``k``."""

    def part(one: PartPlan) -> PartPlan:
        service = replace(one.service, rate=one.service.rate * k)
        disk = one.disk and replace(
            one.disk, rate=one.disk.rate * k, capacity=one.disk.capacity * k
        )
        return replace(one, service=service, disk=disk)

    table = plan.operations
    sizes = [type(table.offset)("q", (one * k for one in c)) for c in (table.offset, table.size)]
    return replace(
        plan,
        parts=tuple(map(part, plan.parts)),
        stores=tuple(replace(one, block=one.block * k) for one in plan.stores),
        tiers=tuple(
            replace(tier, size=tier.size * k, header=tier.header * k) for tier in plan.tiers
        ),
        files=tuple(
            replace(one, length=one.length * k, size=one.size * k, base=one.base * k)
            for one in plan.files
        ),
        operations=Operations(table.kind, table.file, *sizes, table.gap, table.column),
    )


@drawn(100)
@given(rngs, st.sampled_from((2, 4, 8)), engines)
def test_M3_sizes_and_rates_scaled_together_change_no_time(
    rng: Random, k: int, engine: Engine
) -> None:
    plan = listed_only(exact_plan(rng))
    here, there = run(engine, plan), run(engine, bigger(plan, k))
    assert (there.end_ns, there.events) == (here.end_ns, here.events)
    for one, other in zip(here.processes, there.processes, strict=True):
        assert (other.ended_ns, other.spent) == (one.ended_ns, one.spent)
    for name, part in here.parts.items():
        assert there.parts[name].bytes == k * part.bytes
        assert there.parts[name].busy_ns == part.busy_ns
    for name, store in here.stores.items():
        for key, count in store.counts.items():
            scaled = count * k if key.endswith("_bytes") else count
            assert there.stores[name].counts[key] == scaled, (name, key)


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
            and all(group.parent != 0 for group in plan.groups)
        ),
    )
    count = plan.groups[0].count
    # Who shares the data of another is on the node after it; prestaged blocks are on node 0.
    processes = tuple(replace(one, nodes=1, exchange=-1) for one in plan.processes)
    files = tuple(replace(one, prestaged=False) for one in plan.files)
    stores = tuple(replace(one, ahead=0) for one in plan.stores)
    plan = replace(plan, processes=processes, files=files, stores=stores)
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


@drawn(60)
@given(rngs, rngs, engines)
def test_M4_other_numbers_of_the_files_change_nothing(
    rng: Random, other: Random, engine: Engine
) -> None:
    plan = alone(draw_plan(rng, 6))
    stores = tuple(replace(one, ahead=0) for one in plan.stores)  # readers have their numbers
    files = tuple(replace(one, prestaged=False) for one in plan.files)
    plan = replace(plan, files=files, stores=stores)
    order = list(range(len(files)))
    other.shuffle(order)

    def moved(one: ProcessPlan) -> ProcessPlan:
        phases = tuple(
            replace(phase, file=order.index(phase.file)) if phase.file >= 0 else phase
            for phase in one.phases
        )
        return replace(one, phases=phases)

    table = plan.operations
    numbers = [order.index(one) if one >= 0 else one for one in table.file]
    operations = replace(table, file=type(table.file)("i", numbers))
    there = replace(
        plan,
        files=tuple(files[number] for number in order),
        processes=tuple(map(moved, plan.processes)),
        operations=operations,
    )
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


@drawn(60)
@given(seeds, seeds, engines)
def test_M5_two_machines_in_one_run_are_two_runs(seed: int, other: int, engine: Engine) -> None:
    left, right = (drawn_until(one, lambda plan: not plan.asked) for one in (seed, other))
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
    """They have ended when it starts; write-back and copies may be under way."""
    plan = alone(draw_plan(rng, 6))
    before = run(engine, plan)
    late = replace(plan.processes[0], name="late", start_ns=before.elapsed_ns + 1, repeat=1)
    after = run(engine, with_process(plan, late))
    earlier = [one for one in after.processes if one.name.partition("/")[0] != "late"]
    assert seen(earlier) == seen(before.processes)


@drawn(60)
@given(rngs, st.integers(0, 10_000), engines)
def test_M6_a_process_of_nothing_changes_nothing(rng: Random, start: int, engine: Engine) -> None:
    plan = draw_plan(rng, 6)
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
    )
    before, after = run(engine, plan), run(engine, with_process(plan, nothing))
    others = [one for one in after.processes if one.name != "nothing"]
    assert seen(others) == seen(before.processes)
    assert (after.parts, after.stores) == (before.parts, before.stores)


def with_process(plan: Plan, more: ProcessPlan) -> Plan:
    """Add a process; workers come after it."""
    stores = tuple(
        replace(one, first_worker=one.first_worker + 1 if one.first_worker >= 0 else -1)
        for one in plan.stores
    )
    return replace(plan, processes=(*plan.processes, more), stores=stores)


# -- M8: more never hurts a single reader -------------------------------------------------------


def serial(plan: Plan) -> Plan:
    """One process whose requests follow each other: it reads, and nothing happens beside it."""
    plan = alone(plan)
    tiers = tuple(
        replace(tier, window=1)
        if tier.kind == REQUEST
        else replace(tier, width=1)
        if tier.kind == STRIPE
        else replace(tier, pieces=0, width=1, slot=0)
        if tier.kind == STAGE
        else tier
        for tier in plan.tiers
    )
    first = replace(plan.processes[0], nodes=1, exchange=-1)
    first = replace(first, phases=tuple(replace(one, write=False) for one in first.phases))
    table = plan.operations
    kinds = type(table.kind)("b", (1 if kind == 2 else kind for kind in table.kind))
    workers = len(plan.processes) - 1
    stores = tuple(
        replace(one, ahead=0, first_worker=one.first_worker - workers if one.workers else -1)
        for one in plan.stores
    )
    files = tuple(replace(one, length=max(one.length, one.size)) for one in plan.files)
    return replace(
        plan,
        tiers=tiers,
        stores=stores,
        files=files,
        processes=(first,),
        operations=replace(table, kind=kinds),
    )


@drawn(150)
@given(rngs, st.integers(0, 12), engines)
def test_M8_a_faster_part_never_lengthens_a_single_reader(
    rng: Random, row: int, engine: Engine
) -> None:
    plan = serial(exact_plan(rng))
    chosen = plan.parts[row % len(plan.parts)]
    disk = chosen.disk and replace(chosen.disk, rate=2 * chosen.disk.rate, seek_ns=0)
    cpu = chosen.cpu and replace(chosen.cpu, copy_rate=2 * chosen.cpu.copy_rate)
    service = replace(chosen.service, rate=2 * chosen.service.rate)
    faster = replace(chosen, disk=disk, cpu=cpu, service=service)
    parts = tuple(faster if part is chosen else part for part in plan.parts)
    assert run(engine, replace(plan, parts=parts)).elapsed_ns <= run(engine, plan).elapsed_ns


# -- M13: the same again ------------------------------------------------------------------------


@drawn(40)
@given(rngs, engines)
def test_M13_the_same_plan_gives_the_same_result_to_the_last_bit(
    rng: Random, engine: Engine
) -> None:
    plan = replace(draw_plan(rng, 8), noisy=True)
    assert plain(run(engine, plan)) == plain(run(engine, plan))


SCRIPT = """
from simulator.reference.run import run_reference
from simulator.result.errors import SimulationError
from tests.composed.compare import plain
from tests.composed.draw import plan_of
for seed in range(12):
    try:
        print(plain(run_reference(plan_of(seed))))
    except SimulationError as error:
        print(error)
"""


def test_M13_whatever_the_process_and_the_order_of_its_sets(root: Path) -> None:
    outputs = set()
    for hash_seed in ("0", "1"):
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)},
        )
        outputs.add(ran.stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 12


# -- what the relations would not be worth without -----------------------------------------------


def test_what_is_compared_happens() -> None:
    """Of the exact plans many use stores, write back, and have processes that wait."""
    seen_stores = waits = 0
    for seed in range(30):
        plan = alone(exact_plan(Random(seed)))
        result = run_native(plan)
        seen_stores += bool(result.stores)
        waits += any(wait for one in result.processes for wait, _ in one.spent.values())
    assert min(seen_stores, waits) >= 10


def test_a_relation_that_is_broken_is_seen() -> None:
    """A part whose time is not scaled with the others."""
    hand = Hand(pe=1)
    for name in "ab":
        hand.part(name, "pe", rate=1e9)
    hand.path("fs", [hand.stage("a"), hand.stage("b")])
    hand.file("f", "fs", 100)
    hand.process("p", hand.listed(("write", "f", 0, 100)))
    plan = hand.plan()
    wrong = slower(plan, 2)
    wrong = replace(wrong, parts=(*wrong.parts[:-1], plan.parts[-1]))
    assert times_of(run_native(wrong), 2) != times_of(run_native(plan))
    assert times_of(run_native(slower(plan, 2)), 2) == times_of(run_native(plan))
    assert [tier.kind for tier in plan.tiers].count(END) == 1
    with pytest.raises(AssertionError):
        assert seen(run_native(plan).processes) == seen(run_native(wrong).processes)
