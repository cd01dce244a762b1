"""A run that repeats is carried on by arithmetic, and its result is as without; decisions/0054."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import simulator.native.run as native
from simulator.errors import RefusedError
from simulator.native.run import run_native
from simulator.plan.codes import FIXED, LOOP, POISSON
from simulator.plan.errors import LimitError, SimulationError
from simulator.plan.events import EventPlan
from simulator.plan.jobs import ArrivalsPlan, DrawPlan, PhasePlan, ProcessPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.run import load_plan
from tests.draws.plans.draw import plan_of
from tests.engines.hand import Hand

DRAWN = 120
WORKLOAD = """format: workload/2
name: again
files: {{output: {{size: {size}}}}}
jobs:
  - name: rank
    repeat: {repeat}
    processes: {processes}
    record: 1 MB
    policy: posix
    phases:
      - {{do: compute, time: 3600 s}}
      - {{do: write, file: output}}
"""


MOST_EVENTS = 30_000
"""Of a drawn plan that is looked at."""


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at every turn, whatever that costs."""
    monkeypatch.setattr(native, "SHARE", 0)


def checked(plan: Plan) -> Any:
    """The result of a plan, which is the same event by event; or what was wrong."""
    one, other = outcome(plan, fast_forward=True), outcome(plan, fast_forward=False)
    assert one == other
    return one


def outcome(plan: Plan, *, fast_forward: bool) -> Any:
    """A result, or what was wrong."""
    try:
        return run_native(plan, debug=True, fast_forward=fast_forward)
    except (SimulationError, RefusedError, LimitError) as error:
        return f"{type(error).__name__}: {error}"


def repeated(plan: Plan, times: int) -> Plan:
    """A plan whose processes do what they do many times more, and without noise."""
    processes = [
        replace(one, repeat=one.repeat * times) if one.arrivals < 0 and one.until < 0 else one
        for one in plan.processes
    ]
    parts = [replace(part, noise=replace(part.noise, exponential=False)) for part in plan.parts]
    return replace(plan, noisy=False, processes=tuple(processes), parts=tuple(parts))


def hand(repeat: int = 50, *, processes: int = 2, loops: int = 0, store: int = 4) -> Plan:
    """Processes that write five blocks of 100 B of a file each, into a store before a disk."""
    made = Hand(client=processes, server=1)
    made.part("link", "server", rate=1e9, overhead_ns=300)
    made.part("disk", "server", rate=1e8, overhead_ns=1000)
    made.store("cache", "server", slots=store, triggers=("eager",))
    made.path("fs", [made.stage("link"), made.kept("cache"), made.stage("disk")])
    for number in range(processes):
        made.file(f"f{number}", "fs", size=1000)
    for number in range(processes):
        name = f"f{number}"
        phases = [made.listed(("write", name, 100 * i, 100, 700)) for i in range(5)]
        if loops:
            phases.append(PhasePlan(kind=LOOP, first=1, loops=loops))
        made.process(f"p{number}", *phases, node=number, repeat=repeat)
    return made.plan()


# -- equal, and worth it ------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("store", [4, 100])
@pytest.mark.parametrize("loops", [0, 700])
def test_rounds_and_loops_go_by_arithmetic(store: int, loops: int) -> None:
    """Of many rounds few are carried out; all engines give the same result."""
    plan = hand(repeat=3 if loops else 2000, loops=loops, store=store)
    result = checked(plan)
    assert result.repeats.events > 0.6 * result.events
    assert result == replace(run_reference(plan), engine="native")


@pytest.mark.parametrize(
    ("repeat", "loops", "calls"), [(2000, 0, 5 * 2000), (3, 700, 3 * (1 + 4 * 700))]
)
def test_latencies_of_each_job_go_by_arithmetic(repeat: int, loops: int, calls: int) -> None:
    """Calls of each job are counted, also those that are skipped."""
    plan = hand(repeat=repeat, loops=loops, store=4)
    first, second = plan.processes
    result = checked(replace(plan, processes=(first, replace(second, job="other"))))
    assert result.repeats.events > 0.6 * result.events
    counts = {job: one["write"].count for job, one in result.job_latencies.items()}
    assert counts == {"job": calls, "other": calls}


def test_a_long_run_costs_a_short_one() -> None:
    """A billion rounds are those before the state repeats, and a number."""
    result = run_native(hand(repeat=10**9))
    assert result.repeats.events > 0.999999 * result.events
    few = run_native(hand(repeat=1000))
    assert result.processes[0].write.bytes == 10**6 * few.processes[0].write.bytes


def test_loops_in_rounds_both_go_by_arithmetic() -> None:
    """A loop is carried on to its last pass, and rounds with such a loop are carried on, too."""
    result = checked(hand(repeat=40, loops=700, store=100, processes=1))
    assert result.repeats.events > 0.97 * result.events
    long = run_native(hand(repeat=10**6, loops=10**6, store=100, processes=1))
    assert result.events * 10**7 < long.events


def test_fixed_arrivals_go_by_arithmetic() -> None:
    """Jobs that come at equal distances repeat; those of a list, or at random, do not."""
    plan = hand(repeat=1, processes=1)
    serving = replace(plan.processes[0], arrivals=0)
    for kind, carried in ((FIXED, True), (POISSON, False)):
        row = ArrivalsPlan(kind=kind, count=300, gap_ns=10**7, first_ns=5, stream="a")
        done = checked(replace(plan, arrivals=(row,), processes=(serving,)))
        assert (done.repeats.periods > 0) == carried


def test_a_process_that_starts_later_is_not_passed_by() -> None:
    """A run is carried on until another process starts, and from then on with that."""
    plan = hand(repeat=4000)
    first, second = plan.processes
    whole = run_native(replace(plan, processes=(first,))).elapsed_ns
    late = replace(second, start_ns=whole // 2, repeat=500)
    result = checked(replace(plan, processes=(first, late)))
    assert result.repeats.periods
    assert result.processes[1].started_ns == whole // 2


@pytest.mark.few(5)
@pytest.mark.parametrize(
    "machine",
    [
        "workstation",
        "nfs-lab",
        "burst-node",
        "beegfs-like",
        "lustre-scratch",
        "nwt",
    ],
)
@pytest.mark.parametrize("processes", [1, 3])
def test_shipped_machines(tmp_path: Path, machine: str, processes: int) -> None:
    """Checkpoints, one an hour, give the same result on each machine."""
    path = tmp_path / "again.yaml"
    path.write_text(WORKLOAD.format(size="20 MB", repeat=40, processes=processes))
    result = checked(load_plan(machine, path))
    assert processes > 1 or result.repeats.periods > 20


@pytest.mark.parametrize(
    "seeds", [range(0, DRAWN, 4), pytest.param(range(1, DRAWN, 2), marks=pytest.mark.slow)]
)
def test_drawn_plans(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is drawn, the result is the same; a share of plans goes by arithmetic."""
    carried = 0
    for seed in seeds:
        plan = repeated(plan_of(seed), Random(seed).choice([7, 20, 40]))
        if ends(plan, monkeypatch):
            result = checked(plan)
            carried += not isinstance(result, str) and result.repeats.periods > 0
    assert carried >= len(seeds) // 30


def ends(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Return whether a plan ends soon: a process that goes on until another one ends may not."""

    def few(run: Any) -> bool:
        ended = run.advance(MOST_EVENTS)
        if run.numbers()[1] > MOST_EVENTS:
            raise KeyboardInterrupt
        return bool(ended)

    with monkeypatch.context() as patch:
        patch.setattr(native, "advance", few)
        try:
            outcome(plan, fast_forward=False)
        except KeyboardInterrupt:
            return False
    return True


@pytest.mark.slow
def test_many_drawn_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of others; those are left out that have no end, or none soon."""
    seen = 0
    for seed in range(DRAWN, 4 * DRAWN):
        plan = repeated(plan_of(seed), 20)
        if ends(plan, monkeypatch):
            seen += 1
            checked(plan)
    assert seen > DRAWN


# -- refused ------------------------------------------------------------------------------------


def test_noise_is_refused_and_said() -> None:
    """A run whose service times vary is carried out, and says why."""
    plan = load_plan("nwt", "test-write", seed=1)
    again = replace(plan, processes=tuple(replace(p, repeat=3) for p in plan.processes))
    result = checked(again)
    assert not result.repeats.periods
    assert "vary" in result.repeats.reason()


def test_places_that_are_drawn_each_time_are_refused() -> None:
    """One of two is often drawn again, so that nothing else differs."""
    made = Hand(client=1)
    made.part("disk", "client", rate=1e9)
    made.path("fs", [made.stage("disk")])
    made.file("f", "fs", 1000, length=1000)
    read = made.listed(("read", "f", 0, 100))
    draw = DrawPlan(key=7, first=read.first, count=1, places=2, step=100)
    made.process("p", replace(read, draw=draw), repeat=300)
    result = checked(made.plan())
    assert not result.repeats.periods
    again = checked(replace(made.plan(), processes=(without_draw(made.plan().processes[0]),)))
    assert again.repeats.periods > 200


def without_draw(process: ProcessPlan) -> ProcessPlan:
    """The same calls at the same places each time."""
    return replace(process, phases=tuple(replace(one, draw=None) for one in process.phases))


def test_calls_that_are_recorded_are_carried_out() -> None:
    """The log of calls has all of them."""
    result = run_native(hand(repeat=100), record=True)
    assert not result.repeats.periods
    assert "recorded" in result.repeats.reason()


def events(plan: Plan) -> Plan:
    disk = plan.parts[-1]
    event = EventPlan(part=len(plan.parts) - 1, member=0, at_ns=10**12, lasts_ns=5)
    assert disk.name == "disk"
    return replace(plan, events=(event,))


def slowing(plan: Plan) -> Plan:
    (store,) = plan.stores
    return replace(plan, stores=(replace(store, slow_ns=5),))


def flushing(plan: Plan) -> Plan:
    (store,) = plan.stores
    return replace(plan, stores=(replace(store, expire_ns=10**9),))


def varying(plan: Plan) -> Plan:
    *others, disk = plan.parts
    disk = replace(disk, noise=replace(disk.noise, exponential=True))
    return replace(plan, parts=(*others, disk))


REASONS = {
    events: "resources fail or change speed at fixed times",
    slowing: "cache throttles writers by their history",
    flushing: "cache writes back expired blocks at fixed times",
    varying: "the service times of disk vary",
}


@pytest.mark.parametrize("changed", REASONS)
def test_what_refuses_a_plan_is_said_of_that_plan(changed: Any) -> None:
    """And nothing is said of the plan without it."""
    plan = hand()
    assert native.refused(plan, recorded=False) == ""
    assert native.refused(changed(plan), recorded=False) == REASONS[changed]


# -- what is said -------------------------------------------------------------------------------


def test_what_differed_last_is_named() -> None:
    """Two processes whose periods have no common multiple within the run."""
    made = Hand(client=2)
    made.part("disk", "client", rate=1e9)
    made.path("fs", [made.stage("disk")])
    for number, gap in enumerate((10_007, 10_009)):
        made.file(f"f{number}", "fs", 100, length=100)
        calls = made.listed(("read", f"f{number}", 0, 100, gap))
        made.process(f"p{number}", calls, node=number, repeat=3000)
    result = checked(made.plan())
    assert not result.repeats.periods
    assert result.repeats.reason().startswith(
        "no state has repeated so far; the last two differed in"
    )
    assert result.repeats.sentence(result.events) == ""


def test_what_went_by_arithmetic_adds_up() -> None:
    """Events, time and periods of a run that repeats, and the sentence of a report."""
    result = run_native(hand(repeat=10_000))
    found = result.repeats
    assert 0 < found.events < result.events
    assert 0 < found.ns < result.elapsed_ns
    assert found.sentence(result.events).startswith(f"{found.periods:,} periods repeated")
    assert run_native(hand(repeat=10_000), fast_forward=False).repeats.to_json() == {
        "periods": 0,
        "events": 0,
        "time_ns": 0,
    }


def test_the_share_changes_what_is_looked_at_and_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where comparing may cost a fiftieth, less goes by arithmetic."""
    plan = hand(repeat=3000)
    eager = run_native(plan)
    monkeypatch.setattr(native, "SHARE", 50)
    usual = run_native(plan)
    assert usual == eager
    assert 0 < usual.repeats.events <= eager.repeats.events
