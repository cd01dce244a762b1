"""Jobs of queues in plans: submissions, requests, draws, users, limits, stages, names."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pstdev

import pytest

from simulator.plan.bounds import Bounds
from simulator.plan.errors import MOST
from simulator.plan.noise import ONE, Noise, factor_table, stream_key
from simulator.plan.plan import Plan
from simulator.plan.queues import BatchPlan
from simulator.run import run_plan
from tests.config.queue_texts import PHASES, machine, plan_of, row

SECOND, HOUR = 10**9, 3600 * 10**9
DAY = 24 * HOUR
MEMORY = (
    "{mem: {kind: core, at: [node, fe], rate: 1 GB/s}, cpu: {kind: cpu, copy_rate: 1000 PB/s,"
    " call_overhead: 0 s, record_overhead: 0 s}}"
)
STAGE = "name: s, on: fe, record: 1 MB, phases: [{do: read, file: f}]"


def jobs_of(*jobs: str, text: str | None = None) -> tuple[BatchPlan, ...]:
    (queue,) = plan_of(text or machine(), *jobs).queues
    return queue.jobs


def submits(submit: str) -> list[float]:
    return [one.submit_ns / HOUR for one in jobs_of(f"name: a, submit: {submit}, {PHASES}")]


# -- submissions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("submit", "hours"),
    [
        ("{at: [0 s, 1 h, 1 h]}", [0, 1, 1]),
        ("{every: 2 h, count: 3, distribution: fixed}", [0, 2, 4]),
        # Six hours a day: 0, 4, 8, 12, 16 hours of work are day 0, 0, 1, 2, 2.
        (
            "{every: 4 h, count: 5, distribution: fixed, day: [9 h, 15 h]}",
            [9, 13, 24 + 11, 48 + 9, 48 + 13],
        ),
        # Two days a week, of 12 hours each.
        (
            "{every: 8 h, count: 5, distribution: fixed, day: [0 h, 12 h], week: 2}",
            [0, 8, 24 + 4, 7 * 24, 7 * 24 + 8],
        ),
        ("{every: 20 h, count: 3, distribution: fixed, week: 1}", [0, 20, 7 * 24 + 16]),
    ],
)
def test_times_by_hand(submit: str, hours: list[float]) -> None:
    assert submits(submit) == hours


def test_a_job_without_times_is_submitted_at_its_start() -> None:
    assert [one.submit_ns for one in jobs_of(f"name: a, start: 5 s, {PHASES}")] == [5 * SECOND]
    later = jobs_of(f"name: a, start: 5 s, submit: {{at: [1 s]}}, {PHASES}")
    assert [one.submit_ns for one in later] == [6 * SECOND]


@pytest.mark.parametrize("seed", [0, 7])
def test_poisson_times_are_sums_of_the_noise(seed: int) -> None:
    """And those of part of a day are the same times of work, moved to it."""
    job = f"name: a, submit: {{every: 1 h, count: 50}}, {PHASES}"
    noise, time, expected = Noise.exponential(seed, 0, "a.submit"), 0, []
    for number in range(1, 51):
        time += noise.stretch(HOUR, number)
        expected.append(time)
    whole = plan_of(machine(), job, seed=seed)
    assert [one.submit_ns for one in whole.queues[0].jobs] == expected
    part = plan_of(machine(), job.replace("50}", "50, day: [8 h, 18 h], week: 5}"), seed=seed)
    moved = [
        time // (50 * HOUR) * 7 * DAY
        + time // (10 * HOUR) % 5 * DAY
        + 8 * HOUR
        + time % (10 * HOUR)
        for time in expected
    ]
    assert [one.submit_ns for one in part.queues[0].jobs] == moved


# -- requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "phases", "hours"),
    [
        ("", "{do: compute, time: 2 h}", 2),
        ("requested: 7 h,", "{do: compute, time: 2 h}", 7),
        ("repeat: 3,", "{do: compute, time: 2 h}, {do: compute, time: 1 h}", 9),
        ("", "{do: compute, time: 1 h}, {do: loop, times: 4, phases: [INNER]}", 9),
        ("repeat: 2,", "{do: loop, times: 2, phases: [{do: loop, times: 3, phases: [INNER]}]}", 24),
        ("processes: 3,", "{do: barrier}, {do: compute, time: 2 h}", 2),
        ("", "{do: barrier}", 1 / HOUR),
    ],
)
def test_what_is_not_requested_is_all_computing(keys: str, phases: str, hours: float) -> None:
    inner = phases.replace("INNER", "{do: compute, time: 2 h}")
    (job,) = jobs_of(f"name: a, {keys} phases: [{inner}]")
    assert job.requested_ns == pytest.approx(hours * HOUR, abs=0.5)


def test_the_longest_of_several_processes_is_requested() -> None:
    keys = "processes: 4, submit: {at: [0 s, 0 s]}"
    plan = plan_of(machine(), f"name: a, {keys}, {PHASES[:-2]}, spread: exponential}}]")
    for job in plan.queues[0].jobs:
        times = [plan.processes[job.first + rank].phases[0].compute_ns for rank in range(4)]
        assert job.requested_ns == max(times)
        assert len(set(times)) == 4


# -- draws ----------------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("spread", "variation"), [("exponential", 1.0), ("100 %", 1.0), ("30 %", 0.3)]
)
def test_means_and_spreads_of_drawn_times(spread: str, variation: float) -> None:
    """Within four standard errors of 20,000 draws."""
    phase = f"{{do: compute, time: 1 h, spread: {spread}}}"
    plan = plan_of(machine(), f"name: a, submit: {{every: 1 h, count: 20000}}, phases: [{phase}]")
    times = [one.phases[0].compute_ns / HOUR for one in plan.processes]
    assert fmean(times) == pytest.approx(1, abs=4 * variation / math.sqrt(20_000))
    assert pstdev(times) / fmean(times) == pytest.approx(variation, rel=0.06)
    gaps = [one.submit_ns for one in plan.queues[0].jobs]
    between = [(b - a) / HOUR for a, b in zip([0, *gaps], gaps, strict=False)]
    assert fmean(between) == pytest.approx(1, abs=4 / math.sqrt(20_000))
    assert pstdev(between) == pytest.approx(1, rel=0.04)


def test_drawn_times_are_those_of_the_noise() -> None:
    phase = "{do: compute, time: 1 h, spread: 50 %}"
    plan = plan_of(machine(), f"name: a, submit: {{every: 0 s, count: 9}}, phases: [{phase}]")
    table = factor_table(math.sqrt(math.log1p(0.25)))
    noise = Noise(stream_key(0, 0, "a/0.time"), ONE, table)
    expected = [noise.stretch(HOUR, number) for number in range(1, 10)]
    assert [one.phases[0].compute_ns for one in plan.processes] == expected


MIX = (
    "name: a, submit: {every: 1 h, count: 20}, stage_in: s, phases: [{do: read, file: f},"
    " {do: compute, time: 1 h, spread: exponential}], record: 1 MB",
    f"name: b, submit: {{every: 2 h, count: 9, distribution: fixed}}, processes: 2, {PHASES}",
    STAGE,
)


def without_draws(plan: Plan) -> Plan:
    """Return a plan without what draws may change."""
    processes = [
        replace(one, phases=tuple(replace(phase, compute_ns=0) for phase in one.phases))
        for one in plan.processes
    ]
    queues = [
        replace(one, jobs=tuple(replace(job, submit_ns=0, requested_ns=0) for job in one.jobs))
        for one in plan.queues
    ]
    return replace(plan, run=0, runs=0, processes=tuple(processes), queues=tuple(queues))


def drawn(plan: Plan) -> list[tuple[int, int]]:
    jobs = plan.queues[0].jobs
    times = [sum(one.compute_ns for one in plan.processes[job.first].phases) for job in jobs]
    return list(zip((job.submit_ns for job in jobs), times, strict=True))


def test_another_run_has_other_draws_and_nothing_else() -> None:
    plan = plan_of(machine(), *MIX)
    second, again = plan.with_run(1, 3), plan.with_run(2, 3).with_run(1, 3)
    assert drawn(second) == drawn(again)
    assert all(a != b for a, b in zip(drawn(plan)[:20], drawn(second)[:20], strict=True))
    assert drawn(plan)[20:] == drawn(second)[20:]
    assert drawn(plan.with_run(0, 3)) == drawn(plan)
    assert without_draws(plan) == without_draws(second)


def test_another_machine_has_the_same_draws() -> None:
    """Common random numbers: what is compared differs in the machine alone."""
    other = machine("{order: priority, backfill: easy, ahead: 2}", "count: 9, memory: 1 GB")
    for run in range(2):
        one, two = (plan_of(text, *MIX).with_run(run, 2) for text in (machine(), other))
        assert drawn(one) == drawn(two)
    assert drawn(plan_of(machine(), *MIX, seed=1)) != drawn(plan_of(machine(), *MIX, seed=2))


def test_times_beyond_a_run_are_its_limit() -> None:
    """The mean is 146 years short of a day; some runs draw more, which no table could hold."""
    plan = plan_of(machine(), f"name: a, submit: {{every: 2305800000 s, count: 2}}, {PHASES}")
    ends = [plan.with_run(run, 20).queues[0].jobs[1].submit_ns for run in range(20)]
    assert max(ends) == MOST
    assert min(ends) < max(ends)


# -- users, limits --------------------------------------------------------------------------------


def test_users_and_the_limits_of_each() -> None:
    limits = (
        "{each: user, jobs: 2}, {each: class, nodes: 3}, {user: ann, jobs: 1}, {name: c, jobs: 4}"
    )
    names = (("a", "ann"), ("b", "ann"), ("c", "ben"))
    jobs = [f"name: {name}, user: {user}, {PHASES}" for name, user in names]
    (queue,) = plan_of(machine(f"{{limits: [{limits}]}}"), *jobs, f"name: d, {PHASES}").queues
    assert queue.users == ("ann", "ben", "d")
    assert [one.user for one in queue.jobs] == [0, 0, 1, 2]
    a, b, c, d = (one.limits for one in queue.jobs)
    both = [(one.jobs, min(one.nodes, 99)) for one in queue.limits]
    large = MOST
    assert [both[one] for one in a] == [(2, 99), (large, 3), (1, 99)]
    assert [both[one] for one in c] == [(2, 99), (large, 3), (4, 99)]
    assert (a[0], a[2]) == (b[0], b[2])
    assert len({a[1], b[1], c[1], d[1]}) == 4
    assert len({a[0], c[0], d[0]}) == 3


def test_jobs_of_a_log(tmp_path: Path) -> None:
    """Three processors on a node; user 7 only, of at most two nodes; the first two of them."""
    lines = [row(10, 50, 4, asked=90, user=7), row(12, 5, 9, user=7), row(11, 5, 1, user=8)]
    lines += [row(20, 60, 1, user=7), row(30, 5, 1, user=7)]
    (tmp_path / "x.swf").write_text("".join(lines), "ascii")
    log = f"{{file: {tmp_path / 'x.swf'}, processors: 3, users: [7], most_nodes: 2, most: 2}}"
    plan = plan_of(machine(), f"name: a, log: {log}, phases: [{{do: compute, of_run: 50 %}}]")
    one, two = plan.queues[0].jobs
    assert (one.submit_ns, one.nodes, one.requested_ns) == (0, 2, 90 * SECOND)
    assert (two.submit_ns, two.nodes, two.requested_ns) == (10 * SECOND, 1, 60 * SECOND)
    assert [one.recorded_ns, two.recorded_ns] == [5 * SECOND] * 2
    assert [one.phases[0].compute_ns / SECOND for one in plan.processes] == [25, 30]
    assert plan.queues[0].users == ("user7",)


# -- processes ------------------------------------------------------------------------------------


def test_names_and_nodes_of_processes() -> None:
    plan = plan_of(
        machine(),
        f"name: a, submit: {{at: [0 s, 0 s]}}, processes: 3, per_node: 2, {PHASES}",
        f"name: b, {PHASES}",
    )
    assert [one.name for one in plan.queues[0].jobs] == ["a.0", "a.1", "b"]
    names = [one.name for one in plan.processes]
    assert names == ["a.0.0", "a.0.1", "a.0.2", "a.1.0", "a.1.1", "a.1.2", "b"]
    assert [one.node for one in plan.processes] == [0, 0, 1, 0, 0, 1, 0]
    assert [one.nodes for one in plan.queues[0].jobs] == [2, 2, 1]


@pytest.mark.parametrize("both", [False, True])
def test_stages_share_the_files_of_their_jobs(both: bool) -> None:
    """Each moves the file of its own job: as many files as jobs."""
    keys = "stage_in: s, stage_out: s" if both else "stage_in: s"
    job = f"submit: {{at: [0 s, 0 s]}}, {keys}, record: 1 MB, phases: [{{do: write, file: o}}]"
    stage = "name: s, on: fe, record: 1 MB, phases: [{do: write, file: o}]"
    plan = plan_of(machine(), f"name: a, {job}", f"name: b, {job}", stage)
    names = [one.name for one in plan.processes]
    assert len(set(names)) == len(names) == (12 if both else 8)
    assert len(plan.files) == 4
    used = {one.name: one.phases[0].file for one in plan.processes}
    for queued in plan.queues[0].jobs:
        rows = [queued.first, queued.stage_in[0], *([queued.stage_out[0]] if both else [])]
        assert len({used[plan.processes[one].name] for one in rows}) == 1
    run_plan(plan, debug=True)


def test_a_stage_of_one_job_alone_has_its_own_name() -> None:
    plan = plan_of(machine(), f"name: a, submit: {{at: [0 s, 0 s]}}, stage_in: s, {PHASES}", STAGE)
    assert [one.name for one in plan.processes] == ["a.0", "s.0", "a.1", "s.1"]


def test_barriers_of_jobs_that_are_alike_are_their_own() -> None:
    """Phase 11 of job .1 is not phase 1 of job .11."""
    phases = ", ".join(["{do: barrier}"] * 13)
    job = f"name: a, submit: {{every: 0 s, count: 12}}, processes: 2, phases: [{phases}]"
    plan = plan_of(machine(), job)
    assert len(plan.barriers) == 12 * 13
    assert set(plan.barriers) == {2}
    run_plan(plan, debug=True)


def test_stages_are_tasks_of_their_nodes() -> None:
    """Four of them copy 1 GB each at 1 GB/s for each core."""
    text = (
        machine()
        .replace("fe: 2", "fe: {count: 1, cores: CORES}")
        .replace(
            "{disk: {kind: disk, rate: 100 MB/s}}",
            MEMORY,
        )
    )
    text = text.replace("fs: [disk]", "fs: [[mem]]")
    job = f"name: a, submit: {{every: 0 s, count: 4, distribution: fixed}}, stage_in: s, {PHASES}"
    stage = "name: s, on: fe, record: 10 MB, phases: [{do: write, file: o}]"
    for cores in (1, 2, 4):
        plan = plan_of(text.replace("CORES", str(cores)), job, stage)
        for engine in ("native", "reference"):
            result = run_plan(plan, engine=engine, debug=True)  # type: ignore[arg-type]
            last = max(result.queues[0].ready) / SECOND
            assert last == pytest.approx(0.04 / cores, rel=0.01)
            assert all(one.utilisation(result.end_ns) <= 1 for one in result.parts.values())


def test_bounds_take_any_node_that_a_queue_may_choose() -> None:
    """Four jobs write 10 MB at 100 MB/s, each to the disk of its own node."""
    text = machine().replace("disk: {", "disk: {at: node, ")
    job = "submit: {at: [0 s, 0 s, 0 s, 0 s]}, record: 1 MB, phases: [{do: write, file: o}]"
    plan = plan_of(text, f"name: a, {job}")
    assert pytest.approx(Bounds(plan).least_ns()) == 0.1 * SECOND
    assert Bounds(plan).least_ns() <= run_plan(plan).elapsed_ns < 0.11 * SECOND
