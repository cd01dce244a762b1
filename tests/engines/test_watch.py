"""What every run keeps that its result does not show, on random plans."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from simulator.plan.codes import HOLD
from simulator.plan.errors import SimulationError
from simulator.plan.plan import Plan
from simulator.reference.stores.store import Store
from simulator.result.result import Result, Span
from tests.draws.plans.changes import alone
from tests.draws.plans.draw import draw_plan, plan_of
from tests.engines.watch import run_watched
from tests.examples import examples


def watched(plan: Plan) -> Result:
    try:
        return run_watched(plan)
    except SimulationError:  # a plan without one of the operations that others wait for
        assume(False)
        raise


@settings(max_examples=examples(60), phases=[Phase.generate])
@given(st.randoms(use_true_random=False))
def test_no_actor_waits_for_what_is_there(rng: Random) -> None:
    """No lost wake-up at any time, and nothing under way at the end."""
    watched(alone(draw_plan(rng, 8)))


@settings(max_examples=examples(40), phases=[Phase.generate])
@given(st.randoms(use_true_random=False))
def test_a_timeline_adds_up_to_what_the_parts_did(rng: Random) -> None:
    """Services never overlap on more servers than there are, and add up to the busy time."""
    plan = draw_plan(rng, 6)
    pools = {hold.part for tier in plan.tiers if tier.kind == HOLD for hold in tier.down}
    kept = {part.name for row, part in enumerate(plan.parts) if row in pools}
    merging = {part.name for part in plan.parts if getattr(part.spec, "merge", 0)}
    result = watched(plan)
    spans: dict[str, list[Span]] = {}
    for span in result.spans:
        spans.setdefault(span.part, []).append(span)
    for name, part in result.parts.items():
        mine = spans.get(name, [])
        inner = part.kind in ("cpu", "raid", "processor", "array")
        if inner or part.part in kept or name.count(".io"):
            continue  # their time is written down in the pieces that pass in one event
        # What is broken off by a failure goes on as another piece, which moves nothing more.
        together = part.kind == "journal" or part.part in merging  # Commits; merged requests.
        assert len(mine) >= part.requests or (together and mine), name
        assert len(mine) <= part.requests or plan.events, name
        assert sum(span.bytes for span in mine) == part.bytes
        if part.kind in ("queue", "disk"):  # transfers on a link that is shared do overlap
            assert sum(span.service_ns for span in mine) == part.busy_ns
            assert _most_at_once(mine) <= part.servers


def _most_at_once(spans: list[Span]) -> int:
    changes = []
    for span in spans:
        if span.service_ns:
            changes += [(span.start_ns, 1), (span.start_ns + span.service_ns, -1)]
    present = most = 0
    for _, change in sorted(changes):  # at the same time, ends come before beginnings
        present += change
        most = max(most, present)
    return most


def test_an_actor_that_is_not_woken_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room is not offered where a fetch ends: a plan that waits for it shows this at once."""
    monkeypatch.setattr(Store, "offer_room", lambda *_: None)
    said = set()
    for seed in range(25):
        try:
            run_watched(alone(plan_of(seed)))
        except AssertionError as error:
            said.add(str(error).partition("\n")[0])
        except SimulationError:
            pass
    assert "a block could go, and an actor waits for room" in said
