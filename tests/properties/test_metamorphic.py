"""Relations between runs that need no theory: scaled, renamed, joined, and repeated.

M1, M2, ... number the relations that were collected for this project. M9, M11 and M12 are about
single queues (tests/engines/test_queues.py), M7 about caches (tests/engines/test_caches.py).
Which engine carries a plan out is drawn: both are to keep them.
"""

from __future__ import annotations

import subprocess
import sys
from array import array
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.inputfile import Text
from simulator.native.run import run_native
from simulator.plan.codes import (
    CLOSE,
    DIRECT,
    END,
    LISTED,
    PAUSE,
    READ,
    RENAME,
    REQUEST,
    STAGE,
    STRIPE,
    WRITE,
)
from simulator.plan.codes import plain as plain_kind
from simulator.plan.jobs import ProcessPlan
from simulator.plan.parts import BuffersPlan, PartPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.run import load_plan
from simulator.units import parse_rate, parse_size, parse_time
from tests.draws.plans.changes import alone, exact_plan, slower
from tests.draws.plans.draw import draw_plan
from tests.draws.plans.names import without_names
from tests.engines.compare import plain
from tests.engines.hand import Hand
from tests.properties.relations import Engine, drawn, engines, rngs, run, seen, times_of
from tests.twins.plans.references import numbered, with_columns

# -- M1: everything slower by a factor ----------------------------------------------------------


@drawn(150)
@given(rngs, st.sampled_from((2, 4, 16)), engines)
@pytest.mark.slow
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
    """Without streams, whose record lengths do not scale, and without pieces, which are rounded.

    Nor with named phases, with which all processes of a job would have to begin.
    """
    plan = without_names(alone(plan))
    tiers = tuple(
        replace(tier, pieces=0, width=1, slot=0) if tier.kind == STAGE else tier
        for tier in plan.tiers
    )
    processes = tuple(
        replace(one, nodes=1, exchange=-1, phases=tuple(p for p in one.phases if p.kind == LISTED))
        for one in plan.processes
    )
    return replace(plan, tiers=tiers, processes=processes)


UNSCALED = (PAUSE, CLOSE, RENAME)
"""Operations whose size is a time, or says what was done to the file before."""


def bigger(plan: Plan, k: int) -> Plan:
    """Multiply all sizes, all rates and all addresses by ``k``."""

    def part(one: PartPlan) -> PartPlan:
        service = replace(one.service, rate=one.service.rate * k)
        writes = one.writes and replace(one.writes, rate=one.writes.rate * k)
        grown = (
            ("rate", "capacity", "bus_rate", "cache", "sustained", "erase")
            if one.kind != "cpu"
            else ()
        )
        grown += ("unit", "step", "rebuild") if one.kind == "array" else ()
        grown += ("merge", "budget", "inner_rate") if one.kind in ("disk", "scheduled") else ()
        known = {name: getattr(one.spec, name, None) for name in grown}
        changes = {name: value * k for name, value in known.items() if value is not None}
        spec = replace(one.spec, **changes) if changes else one.spec
        return replace(one, service=service, writes=writes, spec=spec)

    def process(one: ProcessPlan) -> ProcessPlan:
        phases = tuple(
            replace(
                phase,
                draw=replace(draw, base=draw.base * k, step=draw.step * k, end=draw.end * k),
            )
            if (draw := phase.draw) and draw.step
            else phase
            for phase in one.phases
        )
        return replace(one, phases=phases, memory=one.memory * k)

    def buffers(one: BuffersPlan) -> BuffersPlan:
        return replace(one, block=one.block * k, copy=replace(one.copy, rate=one.copy.rate * k))

    table = plan.operations
    sizes = [
        array(
            "q",
            (one * (1 if kind in UNSCALED else k) for one, kind in zip(c, table.kind, strict=True)),
        )
        for c in (table.offset, table.size)
    ]
    return replace(
        plan,
        parts=tuple(map(part, plan.parts)),
        processes=tuple(map(process, plan.processes)),
        stores=tuple(replace(one, block=one.block * k) for one in plan.stores),
        buffers=tuple(map(buffers, plan.buffers)),
        tiers=tuple(
            replace(tier, size=tier.size * k, header=tier.header * k) for tier in plan.tiers
        ),
        files=tuple(
            replace(
                one,
                length=one.length * k,
                size=one.size * k,
                base=one.base * k,
                room=one.room * k,
            )
            for one in plan.files
        ),
        operations=with_columns(table, offset=sizes[0], size=sizes[1]),
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


# -- M8: more never hurts a single reader -------------------------------------------------------


def serial(plan: Plan) -> Plan:
    """One process whose requests follow each other: it reads, and nothing happens beside it."""
    plan = alone(plan)
    tiers = tuple(
        replace(tier, window=1)
        if tier.kind == REQUEST
        else replace(tier, width=1, data=0, parity=0, down=())
        if tier.kind == STRIPE
        else replace(tier, pieces=0, width=1, slot=0)
        if tier.kind == STAGE
        else tier
        for tier in plan.tiers
    )
    first = replace(plan.processes[0], nodes=1, exchange=-1)
    reads = {"write": False, "synchronous": False}
    first = replace(first, phases=tuple(replace(one, **reads) for one in first.phases))
    table = plan.operations
    kinds = type(table.kind)(
        "b", (READ | kind & DIRECT if plain_kind(kind) == WRITE else kind for kind in table.kind)
    )
    stores = tuple(replace(one, ahead=0) for one in plan.stores)
    files = tuple(replace(one, length=max(one.length, one.size)) for one in plan.files)
    return numbered(
        replace(
            plan,
            tiers=tiers,
            stores=stores,
            files=files,
            processes=(first,),
            operations=replace(table, kind=kinds),
        )
    )


@drawn(150)
@given(rngs, st.integers(0, 12), engines)
def test_M8_a_faster_part_never_lengthens_a_single_reader(
    rng: Random, row: int, engine: Engine
) -> None:
    plan = exact_plan(rng)
    assume(not plan.buffers)  # Without stripes, a member has no room for a whole file.
    plan = serial(plan)
    chosen = plan.parts[row % len(plan.parts)]
    better = {"rate": 2, "seek_ns": 0, "copy_rate": 2}
    known = {name: (getattr(chosen.spec, name, None), by) for name, by in better.items()}
    changes = {name: value * by for name, (value, by) in known.items() if value is not None}
    spec = replace(chosen.spec, **changes) if changes else chosen.spec
    service = replace(chosen.service, rate=2 * chosen.service.rate)
    faster = replace(chosen, spec=spec, service=service)
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
from simulator.plan.errors import SimulationError
from tests.engines.compare import plain
from tests.draws.plans.draw import plan_of
for seed in range(12):
    try:
        print(plain(run_reference(plan_of(seed))))
    except SimulationError as error:
        print(error)
"""


@pytest.mark.slow
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
