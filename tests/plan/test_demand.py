"""Requests of processes, counted exactly and in the mean; kinds of tiers as estimates see them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.kinds import PLUGINS, names
from simulator.plan.codes import CLOSE_FLUSH, LISTED
from simulator.plan.demand import Amount, Demand, Demands, Entry
from simulator.plan.jobs import DrawPlan, PhasePlan
from simulator.plan.paths import Hold, TierPlan
from simulator.plan.plan import Plan
from simulator.plan.tiers import EMPTY, READS, WRITES, traits_of_tier
from simulator.plan.work import Work
from tests.draws.plans.draw import plan_of
from tests.engines.hand import Hand


def _hand() -> Hand:
    hand = Hand(node=1)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.request(64), hand.stage("disk")], close=CLOSE_FLUSH)
    hand.file("f", "fs", 1000, length=1000)
    hand.file("g", "fs", 1000)
    return hand


def _demand(plan: Plan, *, exact: bool) -> Demand:
    return Demands(plan, exact=exact).of(0, 0)


CALLS = (
    ("open", "f"),
    ("read", "f", 0, 100),
    ("read", "f", 100, 0),
    ("write-sync", "g", 30, 50),
    ("write-direct", "g", 0, 10),
    ("sync", "g"),
    ("close", "g", 0, 1),
)


@pytest.mark.parametrize("exact", [True, False])
def test_listed_calls_are_added_up_by_their_way(exact: bool) -> None:
    hand = _hand()
    hand.process("p", hand.listed(*CALLS), repeat=3)
    demand = _demand(hand.plan(), exact=exact)
    f, g = (-1, -1) if exact else (0, 1)
    top = hand.paths[0].top
    assert demand.entries == {
        Entry(top, READS, f): Amount(3, 300),
        Entry(top, WRITES, g): Amount(3, 150),
        Entry(top, WRITES, g, direct=True): Amount(3, 30),
        Entry(top, EMPTY): Amount(3 * 3),
    }
    assert (demand.read, demand.write, demand.steps) == (300, 180, 21)
    assert demand.calls == {"open": 3, "read": 6, "write": 6, "sync": 3, "close": 3}
    assert demand.ends == {(0, 1): 80}


@pytest.mark.parametrize("exact", [True, False])
def test_records_without_a_library_are_calls(exact: bool) -> None:
    hand = _hand()
    hand.process("p", hand.stream("g", 30, 10, write=True))
    demand = _demand(hand.plan(), exact=exact)
    moved = {entry.way: amount for entry, amount in demand.entries.items() if amount.count}
    assert moved == {WRITES: Amount(10, 300), EMPTY: Amount(1)}
    assert (demand.write, demand.steps) == (300, 12)


def test_every_place_is_drawn_only_if_that_is_asked_for() -> None:
    hand = _hand()
    rows = hand.listed(("read", "f", 0, 0), ("read", "f", 0, 10), ("read", "f", 0, 30))
    draw = DrawPlan(key=5, first=rows.first, count=1, places=2, base=rows.first + 1)
    phase = PhasePlan(kind=LISTED, first=rows.first, count=1, draw=draw)
    hand.process("p", phase, repeat=100)
    plan = hand.plan()
    drawn = [draw.range_of(plan.operations, rows.first, number)[1] for number in range(100)]
    assert {*drawn} == {10, 30}
    assert _demand(plan, exact=True).read == sum(drawn)
    assert _demand(plan, exact=False).read == 100 * drawn[0]


def test_of_very_long_lists_some_operations_stand_for_all() -> None:
    hand = _hand()
    hand.process("p", hand.listed(*[("read", "f", 0, 10), ("stat", "f")] * 2000))
    ((_, demand, times),) = Demands(hand.plan(), exact=False, most_rows=1000).phases(0)
    assert demand.steps < 1100
    assert demand.steps * times == pytest.approx(4000)
    assert demand.calls["read"] == pytest.approx(demand.steps / 2, abs=1)


@pytest.mark.parametrize("seed", range(0, 200, 10))
def test_both_counts_have_the_same_user_data(seed: int) -> None:
    plan = plan_of(seed)
    for number, process in enumerate(plan.processes):
        if all(phase.draw is None for phase in process.phases):
            one, other = (Demands(plan, exact=exact).of(number, 1) for exact in (True, False))
            assert (one.read, one.write) == (other.read, other.write)


# -- tiers ----------------------------------------------------------------------------------------


def test_all_kinds_of_tiers_that_engines_know_are_known() -> None:
    assert all(traits_of_tier(kind).known for kind in names("tiers", "reference"))


def test_a_message_with_a_header_goes_both_ways() -> None:
    down, up = (Hold(1, 0),), (Hold(2, 0), Hold(3, 0))
    tier, uses = TierPlan(kind="stage", down=down, up=up), traits_of_tier("stage").uses
    assert [uses(tier, way) for way in (READS, WRITES, EMPTY)] == [up, down, ()]
    headed = TierPlan(kind="stage", down=down, up=up, header=8)
    assert {uses(headed, way) for way in (READS, WRITES, EMPTY)} == {(*down, *up)}


def test_data_pass_the_parts_of_a_stage_one_way_where_all_of_them_do() -> None:
    down, up = (Hold(1, 0),), (Hold(2, 0), Hold(3, 0))
    carries = traits_of_tier("stage").carries
    stage = TierPlan(kind="stage", down=down, up=up, header=8)
    assert [carries(stage, way) for way in (READS, WRITES)] == [up, down]
    for some in (replace(stage, remote_only=True), replace(stage, pieces=4)):
        assert not carries(some, READS)


def test_kinds_say_what_they_do_with_requests() -> None:
    traits = {kind: traits_of_tier(kind) for kind in names("tiers", "reference")}
    assert {kind: one.cuts for kind, one in traits.items() if one.cuts} == {
        "request": "request",
        "stripe": "stripe",
    }
    assert {kind for kind, one in traits.items() if one.units} == {"request", "stripe", "locks"}
    assert [kind for kind, one in traits.items() if one.stores] == ["store"]
    assert [kind for kind, one in traits.items() if one.merges] == ["buffers"]


def test_cuts_make_requests() -> None:
    hand = _hand()
    hand.process("p", hand.listed(("read", "f", 0, 640)))
    work = Work(hand.plan())
    assert (work.requests[0], work.made[0], work.passes[1]) == (1, 10, 10)


def test_a_kind_of_a_users_own_may_say_what_passes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tiers" / "halves"
    folder.mkdir(parents=True)
    text = (
        "from simulator.plan.tiers import TierTraits\nTRAITS = TierTraits(pieces=lambda *_: 2.0)\n"
    )
    (folder / "estimate.py").write_text(text)
    monkeypatch.setenv(PLUGINS, str(tmp_path))
    import simulator.kinds.tiers

    monkeypatch.setattr(
        simulator.kinds.tiers, "__path__", [*simulator.kinds.tiers.__path__, str(folder.parent)]
    )
    names.cache_clear()
    try:
        assert traits_of_tier("halves").pieces(TierPlan(kind="halves"), 10) == 2
        assert not traits_of_tier("thirds").known
    finally:
        names.cache_clear()
        traits_of_tier.cache_clear()
