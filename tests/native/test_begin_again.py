"""An engine that is kept and put back is one made anew: in its state, and in what it then does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import simulator.native
from simulator.errors import RefusedError
from simulator.native import native_build
from simulator.native.again import MOST_BYTES, cells_of
from simulator.native.engine import run_for
from simulator.native.flatten import Flat, Known
from simulator.native.run import run_native
from simulator.plan.parts import PartPlan
from simulator.plan.plan import Plan
from simulator.result.errors import SimulationError
from tests.draws.plans.draw import plan_of
from tests.engines.hand import Hand

COMPILED = native_build() == "compiled"
DRAWN = 150 if COMPILED else 30
HIDDEN = {"RecordStreams", "StreamTable", "LengthTable"}
"""Classes that do not show all they have: of streams all that is state is in their cells, which
they show; lengths no run changes."""


def faster(part: PartPlan, rng: Random) -> PartPlan:
    """A part that serves in another time."""
    service = replace(part.service, rate=part.service.rate * rng.choice([0.5, 1.5]))
    latency_ns = part.latency_ns * rng.choice([1, 2])
    speeds = tuple(speed * 3 // 4 for speed in part.speeds)
    return replace(part, service=service, latency_ns=latency_ns, speeds=speeds)


def other_numbers(plan: Plan, rng: Random) -> Plan:
    """The same, some of whose parts serve in another time."""
    parts = [faster(part, rng) if rng.random() < 0.5 else part for part in plan.parts]
    return replace(plan, parts=tuple(parts), digest=f"{rng.random()}")


def outcome(plan: Plan, known: Known | None = None) -> Any:
    """A result, or what was wrong."""
    try:
        return run_native(plan, known=known)
    except (SimulationError, RefusedError) as error:
        return f"{type(error).__name__}: {error}"


def state_of(flat: Flat) -> list[tuple[str, str, Any]]:
    """Every number and table of an engine, by its owner's class and its name."""
    cells = [*cells_of(flat), (flat.clients.streams, "cells", flat.clients.streams.cells)]
    return [
        (
            type(owner).__name__,
            name,
            value if isinstance(value, int | float) else bytes(memoryview(value)),
        )
        for owner, name, value in cells
        if (type(owner), name) != (Flat, "grown")
    ]


def begun(plan: Plan) -> Flat:
    """An engine made for a plan, as it begins."""
    flat = Flat(plan)
    flat.start()
    return flat


def begin_again(plans: list[Plan], known: Known) -> Flat | None:
    """The engine that is kept after runs of some plans, begun again for the last."""
    for plan in plans[:-1]:
        outcome(plan, known)
    return known.again(plans[-1])


def test_drawn_plans_begin_as_new_ones_and_end_alike() -> None:
    again = 0
    for seed in range(DRAWN):
        plan, rng = plan_of(seed), Random(seed)
        plans = [plan, *[other_numbers(plan, rng) for _ in range(3)]]
        flat = begin_again(plans, Known())
        if flat is not None:
            again += 1
            assert state_of(flat) == state_of(begun(plans[-1])), seed
        known = Known()
        for one in plans:
            assert outcome(one, known) == outcome(one), seed
    assert again > DRAWN / 4


def small(**service: Any) -> Plan:
    """A process that reads thousands of blocks: its tables grow while it runs."""
    hand = Hand(node=1)
    hand.part("disk", "node", **service)
    hand.store("pages", "node", slots=5000)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    for number in range(40):
        hand.file(f"f{number}", "fs", 500, length=500)
    rows = [("read", f"f{number}", 0, 500) for number in range(40)]
    hand.process("p", hand.listed(*rows))
    return hand.plan()


def test_tables_that_grew_are_put_back() -> None:
    first = small(rate=1e9)
    parts = [small(rate=rate).parts for rate in (2e9, 3e9, 4e9)]
    plans = [first, *[replace(first, parts=one) for one in parts]]
    known = Known()
    flat = begin_again(plans, known)
    assert flat is not None
    assert state_of(flat) == state_of(begun(plans[-1]))
    assert outcome(plans[-1], known) == outcome(plans[-1])


def test_a_run_that_was_given_up_leaves_nothing() -> None:
    first = small(rate=1e9)
    plans = [replace(first, parts=small(rate=rate).parts) for rate in (1e9, 2e9, 3e9, 4e9)]
    known = Known()
    for plan in plans[:3]:
        outcome(plan, known)
    flat = known.again(plans[3])
    assert flat is not None
    run_for(flat.engine, 50)
    assert outcome(plans[2], known) == outcome(plans[2])


def test_what_differs_in_more_is_made_anew() -> None:
    first = small(rate=1e9)
    others = [replace(first, parts=small(rate=rate).parts) for rate in (2e9, 3e9)]
    stores = tuple(replace(one, slots=one.slots - 1) for one in first.stores)
    known = Known()
    assert known.again(first) is None
    assert begin_again([first, *others], known) is not None
    assert known.again(replace(first, stores=stores)) is None
    assert known.again(replace(first, processes=first.processes * 2)) is None


def test_a_large_engine_is_not_kept() -> None:
    hand = Hand(node=40_000)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 500, length=500)
    hand.process("p", hand.listed(("read", "f", 0, 500)))
    plan, known = hand.plan(), Known()
    flat = begin_again([plan, plan, plan], known)
    assert MOST_BYTES < 32 * 40_000
    assert flat is None


@pytest.mark.skipif(not COMPILED, reason="the interpreted engine hides nothing")
def test_nothing_of_the_engine_is_hidden_from_what_is_kept() -> None:
    folder = Path(simulator.native.__file__).parent
    hidden = []
    for file in sorted(folder.parent.rglob("*.pxd")):
        for name, body in re.findall(
            r"(?m)^cdef class (\w+).*\n((?:(?:    .*)?\n)+)", file.read_text()
        ):
            fields = re.findall(r"(?m)^    cdef (?!public )(?!readonly )[\w:\[\] ]+ \w+$", body)
            if fields and name not in HIDDEN:
                hidden.append((file.name, name, fields))
    assert hidden == []
