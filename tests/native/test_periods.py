"""A run that repeats is carried on by arithmetic, and its result is as without; decisions/0054."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import simulator.native.run as run_module
from simulator.errors import RefusedError
from simulator.native import codes as c
from simulator.native import native_build, periods
from simulator.native.again import cells_of
from simulator.native.change import Change
from simulator.native.engine import run_for
from simulator.native.flatten import Flat
from simulator.native.moments import DiffersError, Moment, Tables
from simulator.native.run import run_native
from simulator.native.statekinds import ALIASES, CONSTANT, RULES
from simulator.plan.codes import FIXED, LOOP, POISSON
from simulator.plan.jobs import ArrivalsPlan, DrawPlan, PhasePlan, ProcessPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.errors import LimitError, SimulationError
from simulator.run import load_plan
from tests.draws.plans.draw import plan_of
from tests.engines.hand import Hand

DRAWN = 60 if native_build() == "compiled" else 20
STRETCHES = 4000
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
    monkeypatch.setattr(periods, "SHARE", 0)


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


@pytest.mark.parametrize("store", [4, 100])
@pytest.mark.parametrize("loops", [0, 700])
def test_rounds_and_loops_go_by_arithmetic(store: int, loops: int) -> None:
    """Of many rounds few are carried out; all engines give the same result."""
    plan = hand(repeat=3 if loops else 2000, loops=loops, store=store)
    result = checked(plan)
    assert result.repeats.events > 0.6 * result.events
    assert result == replace(run_reference(plan), engine="native")


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


@pytest.mark.parametrize(
    "machine",
    [
        "workstation",
        pytest.param("nfs-lab", marks=pytest.mark.compiled),
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


@pytest.mark.parametrize("seeds", [range(0, DRAWN, 2), range(1, DRAWN, 2)])
def test_drawn_plans(seeds: range) -> None:
    """Whatever is drawn, the result is the same; a share of plans goes by arithmetic."""
    carried = 0
    for seed in seeds:
        result = checked(repeated(plan_of(seed), Random(seed).choice([7, 20, 40])))
        carried += not isinstance(result, str) and result.repeats.periods > 0
    assert carried >= len(seeds) // 30


@pytest.mark.slow
def test_many_drawn_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of others; those are left out that have no end, or none soon."""
    run_for, seen = run_module.run_for, 0

    def few(engine: Any, events: int) -> bool:
        ended = run_for(engine, events)
        if engine.clock.alarms + engine.sharing.rings > MOST_EVENTS:
            raise KeyboardInterrupt
        return ended

    for seed in range(DRAWN, 4 * DRAWN):
        plan = repeated(plan_of(seed), 20)
        monkeypatch.setattr(run_module, "run_for", few)
        monkeypatch.setattr(run_module, "STRETCH", MOST_EVENTS)
        try:
            outcome(plan, fast_forward=False)
        except KeyboardInterrupt:
            continue
        finally:
            monkeypatch.setattr(run_module, "run_for", run_for)
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


@pytest.mark.compiled
def test_little_is_looked_at_where_nothing_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing costs a fiftieth of the work that is done, and foreseen, at most."""
    monkeypatch.setattr(periods, "SHARE", 50)

    def never(*_: object) -> None:
        raise DiffersError("nothing")

    monkeypatch.setattr(periods, "Change", never)
    flat = Flat(hand(repeat=20_000))
    flat.start()
    watch = periods.Periods(flat)
    while not run_for(flat.engine, 1 << 20):
        watch.look()
        flat.make_room()
    assert 0 < watch._spent * 50 <= 2 * watch._work()


# -- what is state ------------------------------------------------------------------------------


def stopped(plan: Plan) -> tuple[Flat, Moment, Tables]:
    """An engine at the end of a period, and its moment one period before."""
    flat = Flat(plan)
    flat.start()
    watch = periods.Periods(flat)
    tables, kept = Tables(flat), None
    for _ in range(STRETCHES):
        assert not run_for(flat.engine, 1 << 20)
        flat.make_room()
        if kept is not None:
            try:
                Change(kept, tables)
            except DiffersError:
                pass
            else:
                assert watch is not None
                return flat, kept, tables
        kept = Moment(tables, whole=True)
    raise AssertionError("no state came again")


def test_every_number_and_table_is_known() -> None:
    """A table that is not classified keeps all runs from going by arithmetic."""
    flat = Flat(plan_of(1))
    cells = list(cells_of(flat))
    names = {f"{type(owner).__name__}.{name}" for owner, name, _ in cells}
    assert Tables(flat).unknown == []
    assert set(RULES) <= names, "a rule of something that is no more"
    canonical = {
        id(value): full
        for full in RULES
        for owner, name, value in cells
        if f"{type(owner).__name__}.{name}" == full
    }
    assert canonical
    by_name = {f"{type(owner).__name__}.{name}": value for owner, name, value in cells}
    for owner, name, value in cells:
        full = f"{type(owner).__name__}.{name}"
        if full not in RULES:
            assert bytes(memoryview(value)) == bytes(memoryview(by_name[ALIASES[name]])), full


def test_a_new_table_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody has classified is named, and the run is carried out."""
    monkeypatch.delitem(RULES, "Tiers.needless")
    result = checked(hand())
    assert not result.repeats.periods
    assert "Tiers.needless" in result.repeats.reason()


@pytest.mark.parametrize("seed", range(12))
def test_what_is_called_constant_is(seed: int) -> None:
    """No event changes a table that is not compared."""
    flat = Flat(plan_of(seed))
    flat.start()

    def constants() -> dict[str, object]:
        return {
            full: value if isinstance(value, int | float) else bytes(memoryview(value))
            for owner, name, value in cells_of(flat)
            if RULES.get(full := f"{type(owner).__name__}.{name}") == CONSTANT
        }

    before = constants()
    for _ in range(STRETCHES):
        if run_for(flat.engine, 1 << 12):
            break
        flat.make_room()
    assert constants() == before


BROKEN = {
    "a process's place": lambda flat: _change(flat.clients.process, c.X_PLACE, 1),
    "when a call began": lambda flat: _change(flat.clients.process, c.X_CALLED, 1),
    "the end of the last request": lambda flat: _change(flat.clients.process, c.X_LAST_END, 1),
    "when a disk is free": lambda flat: _change(
        flat.parts.state, 4 * flat.plan.parts[2].first + c.FREE, int(flat.clock.now) + 10**9
    ),
    "how many blocks are used": lambda flat: _change(flat.blocks.inst, c.I_USED, 1),
    "what is dirty of a block": lambda flat: _change(flat.blocks.block, c.B_FLAGS, 1 << 12),
    "which block it is": lambda flat: _change(flat.blocks.block, c.B_INDEX, 1),
    "how much there is of a file": lambda flat: _change(flat.back.exists, 0, 1),
    "who comes next": lambda flat: _change(flat.clock.alarm, c.ALARM * _set(flat), 1),
    "when a round began": lambda flat: _change(flat.clients.process, c.X_ROUND_BEGAN, 10**15),
    "a mark": lambda flat: _change(flat.clients.passed, 0, 1),
    "a stream": lambda flat: _change(flat.clients.streams.cells, 3, 1),
    "a request": lambda flat: _change(flat.clients.process, flat.stride + c.X_PENDING, 1),
    "a phase": lambda flat: _change(flat.clients.phase, c.H_COMPUTE, 1),
}


def _change(cells: Any, number: int, by: int) -> None:
    cells[number] += by


def _set(flat: Flat) -> int:
    """A slot with an alarm."""
    before = memoryview(flat.clock.alarm)[c.ALARM_BEFORE :: c.ALARM].tolist()
    return next(slot for slot, one in enumerate(before) if one != -2)


@pytest.mark.parametrize("what", BROKEN)
def test_a_state_that_differs_in_one_cell_is_seen(what: str) -> None:
    """Two states are the same; then one cell is another, and they are not."""
    flat, kept, tables = stopped(hand())
    Change(kept, tables)
    BROKEN[what](flat)
    with pytest.raises(DiffersError):
        Change(kept, tables)
