"""Batch queues in machine files, and jobs for them: what is read, and each mistake that is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, parse_machine, parse_workload
from simulator.config.identity import digest_of
from simulator.inputfile import Text
from simulator.plan.errors import MOST
from simulator.plan.queues import PoolPlan
from simulator.run import load_plan, run_plan
from tests.config.queue_texts import PHASES, machine, plan_of, row, workload, wrong

HOUR = 3600 * 10**9
HUGE = str(2**61)
JOB = f"name: a, {PHASES}"


def off(text: str, nodes: int = 4) -> str:
    return machine(f"{{off: [{{{text}}}]}}", f"count: {nodes}")


# -- mistakes in a machine ------------------------------------------------------------------------

QUEUES = [
    ("easy", "order: 'easy' is a backfill; write 'backfill: easy' in the queue"),
    ("{order: none}", "order: 'none' is a backfill; write 'backfill: none' in the queue"),
    ("eager", "order: 'eager' is unknown; write fair-share, fcfs, priority or shortest"),
    ("{backfill: eazy}", "backfill: 'eazy' is unknown; write conservative, easy or none; did"),
    ("{aging: 1 h}", "aging: has no effect with order fcfs; write 'order: priority', or leave"),
    ("{aging: 0 s}", "aging: has no effect with order fcfs; write 'order: priority', or leave"),
    ("{order: priority, aging: 0 s}", "aging: 0 s is no time; write it like '12 h'"),
    ("{order: priority, aging: -1 s}", "aging: '-1 s' has a minus sign; write it without"),
    ("{half_life: 1 d}", "half_life: has no effect with order fcfs; write 'order: fair-share'"),
    (f"{{order: fair-share, half_life: {HUGE} s}}", f"half_life: '{HUGE} s' is too large"),
    (f"{{order: fair-share, half_life: {HUGE}}}", f"half_life: '{HUGE}' has no unit"),
    ("{ahead: 0}", "ahead: '0' is out of range; write 1 to 1000000"),
    (f"{{ahead: {HUGE}}}", f"ahead: '{HUGE}' is out of range"),
    ("{limit: []}", "limit: unknown key; did you mean 'limits'?"),
    ("{policy: fcfs}", "policy: unknown key; write 'order'"),
    ("null", "order: has no value; write one like 'fair-share'"),
    ("[fcfs]", " a list was read; write its keys (order, backfill, aging, half_life"),
    ("{limits: {each: user, jobs: 1}}", "limits: a mapping with keys was read; begin each item"),
    ("{limits: [{jobs: 4}]}", "limits.0: does not say for whom; write 'each: user', 'user: NAME'"),
    ("{limits: [{}]}", "limits.0: does not say for whom; write 'each: user', 'user: NAME'"),
    ("{limits: [{each: user}]}", "limits.0: limits nothing; write 'jobs: 4', or 'nodes: 64'"),
    ("{limits: [{each: user, user: b, jobs: 2}]}", "limits.0.user: has no effect beside each"),
    ("{limits: [{each: user, name: b}]}", "limits.0.name: has no effect beside each; leave one"),
    ("{limits: [{each: group, jobs: 2}]}", "limits.0.each: 'group' is unknown; write user or"),
    ("{limits: [{user: b, jobs: 0}]}", "limits.0.jobs: '0' is out of range; write 1 to 1000000"),
]
CLOSURES = [
    ("at: 1 h", "lasts: is missing; write it like 'lasts: 2.5 ms'"),
    ("at: 1 h, lasts: 0 s", "lasts: 0 s is no time; write it like '12 h'"),
    ("at: 1 h, lasts: 1 h, until: 3 h", "until: has no effect without 'every'; leave it out"),
    ("at: 1 h, lasts: 1 h, every: 2 h", " until is missing; write when it is the last time"),
    ("at: 1 h, lasts: 1 h, every: 1 h, until: 5 h", "every: 60.0 min is not longer than it lasts"),
    ("at: 1 h, lasts: 1 h, every: 0 s, until: 5 h", "every: 0 s is not longer than it lasts"),
    ("at: 9 h, lasts: 1 h, every: 3 h, until: 5 h", "until: 300 min is not later than 'at'"),
    ("at: 5 h, lasts: 1 h, every: 3 h, until: 5 h", "until: 300 min is not later than 'at'"),
    ("at: 0 s, lasts: 1 ns, every: 2 ns, until: 1 d", "every: 43,200,000,000,000 times; write a"),
    (f"at: {HUGE} s, lasts: 9 h", f"at: '{HUGE} s' is too large; write a time below 2**62"),
    ("at: 1 h, lasts: 1 h, nodes: 4", "nodes: 4 of 4 nodes stay on, and none goes off; write"),
    ("at: 1 h, lasts: 1 h, nodes: -1", "nodes: '-1' has a minus sign; write it without"),
]


@pytest.mark.parametrize(("queue", "told"), QUEUES, ids=[one for one, _ in QUEUES])
def test_mistakes_of_queues_are_one_error_each(queue: str, told: str) -> None:
    (found,) = wrong(machine(queue), JOB)
    key, _, about = told.partition(": ")
    at = f"nodes.node.queue.{key}: {about}" if about else f"nodes.node.queue:{told}"
    assert found.startswith(at)


@pytest.mark.parametrize(("text", "told"), CLOSURES, ids=[one for one, _ in CLOSURES])
def test_mistakes_of_closures_are_one_error_each(text: str, told: str) -> None:
    (found,) = wrong(off(text), JOB)
    at = "nodes.node.queue.off.0"
    assert found.startswith(f"{at}:{told}" if told[0] == " " else f"{at}.{told}")


def test_an_error_says_where_it_stands() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_machine(machine("{order: fcfs, backfill: eazy}"), "centre.yaml")
    assert str(caught.value).startswith("centre.yaml:4:51: nodes.node.queue.backfill: 'eazy'")


# -- mistakes in jobs -----------------------------------------------------------------------------

SUBMITS = [
    ("{every: 1 h}", ": count is missing; write it like 'count: 1000', or 'at:'"),
    ("{count: 3}", ": every is missing; write it like 'every: 10 min', or 'at:'"),
    ("{every: 1 h, count: 0}", ".count: '0' is out of range; write 1 to 1000000"),
    (f"{{every: 1 h, count: {HUGE}}}", f".count: '{HUGE}' is out of range"),
    ("{every: 2305843009 s, count: 9}", ".count: more than 146 years until the last one, the"),
    ("{every: 1 s, count: 9, day: [0 s, 1 ns]}", ".count: more than 146 years until the last"),
    ("{at: []}", ".at: the list is empty; write times, like '[0 s, 10 s]'"),
    ("{at: [1 h, 0 s]}", ".at: the times are not in order; write the earliest first"),
    (f"{{at: [{HUGE} s]}}", f".at.0: '{HUGE} s' is too large; write a time below 2**62"),
    ("{at: [1 h], every: 1 h}", ".every: has no effect beside 'at: [...]'; leave one of them"),
    ("{every: 1 h, count: 3, day: [8 h]}", ".day: is no part of a day; write two times, like"),
    ("{every: 1 h, count: 3, day: [1 h, 2 h, 3 h]}", ".day: is no part of a day; write two"),
    ("{every: 1 h, count: 3, day: 8 h}", ".day: '8 h' was read; write it like '[0 s, 10 s]'"),
    ("{every: 1 h, count: 3, day: [18 h, 8 h]}", ".day: the times are not in order; write the"),
    ("{every: 1 h, count: 3, day: [8 h, 25 h]}", ".day: is no part of a day; write its begin"),
    ("{every: 1 h, count: 3, day: [8 h, 8 h]}", ".day: is no part of a day; write its begin"),
    ("{every: 1 h, count: 3, day: [24 h, 25 h]}", ".day: is no part of a day; write two times"),
    ("{every: 1 h, count: 3, week: 9}", ".week: 9 is more than the 7 days of a week; write 7"),
    ("{every: 1 h, count: 3, week: 0}", ".week: '0' is out of range; write 1 to 1000000"),
    ("{every: 1 h, count: 3, distribution: even}", ".distribution: 'even' is unknown; write"),
    ("1 h", ": '1 h' was read; write its keys (every, distribution, count, at, ...)"),
]
STAGE = "name: s, on: fe, record: 1 MB, phases: [{do: read, file: f}]"
TOLD = [
    ("requested: 0 s", "requested: 0 s is no run time; write it like '2 h'"),
    (f"requested: {HUGE} s", f"requested: '{HUGE} s' is too large; write a time below 2**62"),
    ("priority: -1", "priority: '-1' has a minus sign; write it without, like '4'"),
    ("priority: 1.5", "priority: '1.5' is not a whole number; write it like '4'"),
    ("user: ''", "user: '' is no name; write letters, digits, '-', '_', '.' or '/'"),
    ("hold: false", "hold: has no effect without stage_in; leave it out"),
    ("stage_in: a", "stage_in: 'a' is a job of a queue itself; name one that moves its data"),
    ("stage_in: fetsh", "stage_in: 'fetsh' is not a job of this workload; there are a"),
    ("start: 1 h, submit: {every: 1 h, count: 3, week: 5}", "submit.week: counts from time 0;"),
    ("processes: 5", "processes: needs 5 nodes, and there are 4 node; write fewer"),
    ("nodes: 5", "nodes: needs 5 nodes, and there are 4 node; write fewer"),
    ("processes: 3, nodes: 2", "processes: needs 6 nodes, and there are 4 node; write fewer"),
    ("processes: 9, per_node: 2", "processes: needs 5 nodes, and there are 4 node; write fewer"),
    ("memory: 9 GB", "memory: 9 GB is more than the memory of any node of node; write less"),
    ("processes: 4, per_node: 2, memory: 5 GB", "memory: 10 GB for 2 processes is more than the"),
    ("arrivals: {every: 1 s, count: 3}", "arrivals: jobs of a queue are submitted; write"),
    ("launched: true", "launched: a queue starts its jobs; leave it out"),
    ("first_node: 0", "first_node: jobs of a queue get the nodes that are free; leave it out"),
    ("skew: 1 s", "skew: jobs of a queue start together; leave it out"),
]


@pytest.mark.parametrize(("submit", "told"), SUBMITS, ids=[one for one, _ in SUBMITS])
def test_mistakes_of_submissions_are_one_error_each(submit: str, told: str) -> None:
    (found,) = wrong(machine(), f"name: a, submit: {submit}, {PHASES}")
    assert found.startswith(f"jobs.0.submit{told}")


@pytest.mark.parametrize(("keys", "told"), TOLD, ids=[one for one, _ in TOLD])
def test_mistakes_of_jobs_are_one_error_each(keys: str, told: str) -> None:
    (found,) = wrong(machine("priority", "count: 4, memory: 8 GB"), f"name: a, {keys}, {PHASES}")
    assert found.startswith(f"jobs.0.{told}")


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        ("{do: compute}", ".time: is missing; write it like 'time: 2.5 ms'"),
        ("{do: compute, time: 1 h, of_run: 9 %}", ": has both time and of_run; write one of them"),
        ("{do: compute, of_run: 9 %}", ".of_run: is for jobs with a log; write 'time: 10 s'"),
        ("{do: compute, time: 1 h, spread: 101 %}", ".spread: '101 %' is more than 100 %; write"),
        ("{do: compute, time: 1 h, spread: -1 %}", ".spread: '-1 %' has a minus sign; write it"),
        ("{do: compute, time: 1 h, spread: 0.5}", ".spread: '0.5' has no unit; write '50 %'"),
        ("{do: compute, time: 1 h, spread: exponental}", ".spread: 'exponental' is unknown; did"),
    ],
)
def test_mistakes_of_phases_are_one_error_each(phase: str, told: str) -> None:
    (found,) = wrong(machine(), f"name: a, record: 1 MB, phases: [{phase}]")
    assert found.startswith(f"jobs.0.phases.0{told}")


@pytest.mark.parametrize("keys", ["until: others end", "nonblocking"])
def test_what_needs_others_is_not_for_jobs_of_a_queue(keys: str) -> None:
    call = "[{do: mpi-write, file: f, block: 10 kB, nonblocking: true}, {do: wait}]"
    job = f"name: a, {keys}, {PHASES}" if "until" in keys else f"name: a, phases: {call}"
    (found,) = wrong(machine(), job, f"name: b, {PHASES}")
    assert found in (
        "jobs.0.until: jobs of a queue end by themselves; write 'repeat'",
        "jobs.0.phases.0.do: mpi-write is not for jobs of a queue; leave it out",
    )


@pytest.mark.parametrize(
    ("of_stage", "told"),
    [
        ("submit: {at: [0 s]}", "stage_in: 's' has submit, but begins when the queue says so"),
        ("start: 1 s", "stage_in: 's' has start, but begins when the queue says so"),
        ("processes: 2", "stage_in: 's' has 2 processes, and a has 3; write as many, or one"),
        ("on: node", "on: moves data of jobs of a queue, and cannot wait in one itself"),
        ("stage_in: a", "stage_in: 's' is a job of a queue itself; name one that moves its data"),
    ],
)
def test_a_stage_is_no_job_of_the_queue(of_stage: str, told: str) -> None:
    stage = STAGE.replace("on: fe", of_stage if "on:" in of_stage else f"on: fe, {of_stage}")
    found = wrong(machine(), f"name: a, processes: 3, stage_in: s, {PHASES}", stage)
    assert found[0].partition(".")[2].partition(".")[2].startswith(told)


@pytest.mark.parametrize("key", ["submit: {at: [1 s]}", "user: b", "priority: 3", "requested: 1 h"])
def test_keys_of_queues_on_nodes_without_one(key: str) -> None:
    (found,) = wrong(machine(), f"name: a, on: fe, {key}, {PHASES}")
    name = key.partition(":")[0]
    about = "fe of m has no queue; write 'queue: fcfs' in nodes.fe, or leave this out"
    assert found == f"jobs.0.{name}: {about}"


def test_of_several_keys_on_nodes_without_a_queue_one_is_told() -> None:
    keys = "submit: {at: [1 s]}, user: b, priority: 2"
    assert len(wrong(machine(""), f"name: a, {keys}, {PHASES}")) == 1


@pytest.mark.parametrize("who", ["each: user", "each: class", "user: ann", "name: a"])
def test_a_job_that_never_starts_under_a_limit_is_told(who: str) -> None:
    queue = f"{{limits: [{{user: ben, nodes: 1}}, {{{who}, nodes: 2}}]}}"
    job = f"name: a, user: ann, processes: 3, {PHASES}"
    about = "needs 3 nodes, and limits.1 of nodes.node.queue allows 2, so that it never starts"
    assert wrong(machine(queue), job) == [f"jobs.0.processes: {about}; write fewer here"]
    assert wrong(machine(queue), job.replace("ann", "cas")) == [] or who != "user: ann"


def test_nodes_inside_of_others_have_no_queue() -> None:
    text = machine().replace("  fe: 2", "  fe: {count: 2, per: node, queue: fcfs}")
    (found,) = wrong(text, f"name: a, on: fe, {PHASES}")
    assert "are nodes inside of others, for which nobody waits" in found


# -- logs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("log: {file: none.swf}", "log.file: none.swf: No such file or directory; write the name"),
        ("log: /tmp", "log: /tmp: this is a folder; name a file"),
        ("log: /dev/zero", "log: /dev/zero: this is a device or a pipe; name a file"),
        ("log: {processors: 2}", "log.file: is missing; write it like 'file: NAME'"),
        ("log: {file: LOG, processors: 1}", "log: a job of x.swf needs 8 nodes, and there are 4"),
        ("log: {file: LOG, most_nodes: 1, least_nodes: 2}", "log.most_nodes: 1 is less than least"),
        ("log: {file: LOG, queues: [77]}", "log: no job of x.swf is like this; it has 2 jobs"),
        ("log: {file: LOG, users: [0]}", "log: no job of x.swf is like this; it has 2 jobs"),
        ("log: {file: LOG, processors: 2}, submit: {at: [0 s]}", "submit: has no effect beside a"),
        ("log: {file: LOG, processors: 2}, per_node: 2", "per_node: has no effect beside a log"),
        ("log: {file: LOG, processors: 2}, memory: 9 GB", "memory: a job of x.swf needs 1 node"),
    ],
)
def test_mistakes_of_logs_are_one_error_each(tmp_path: Path, keys: str, told: str) -> None:
    (tmp_path / "x.swf").write_text(row(0, 10) + row(5, 20, 8), "ascii")
    job = f"name: a, {keys}, phases: [{{do: compute, of_run: 100 %}}]"
    text = job.replace("LOG", str(tmp_path / "x.swf"))
    (found,) = wrong(machine(nodes="count: 4, memory: 8 GB"), text)
    assert found.startswith(f"jobs.0.{told}")


# -- what is read ---------------------------------------------------------------------------------


def pools(queue: str, nodes: str) -> tuple[PoolPlan, ...]:
    group = parse_machine(machine(queue, nodes)).nodes["node"]
    assert group.queue is not None
    return group.queue.pools(group)


def test_nodes_with_more_memory_are_the_last_ones_taken() -> None:
    small, large = pools("fcfs", "count: 6, memory: 1 GB, larger: {count: 2, memory: 4 GB}")
    assert (small.first, small.count, small.memory) == (2, 4, 10**9)
    assert (large.first, large.count, large.memory) == (0, 2, 4 * 10**9)


def test_nodes_that_stay_on_are_the_first_ones() -> None:
    on, rest = pools("{off: [{at: 1 h, lasts: 2 h, nodes: 1}]}", "count: 3")
    assert (on, rest) == (
        PoolPlan(first=0, count=1),
        PoolPlan(first=1, count=2, off=((HOUR, 3 * HOUR),)),
    )


def test_closures_that_overlap_or_touch_are_one() -> None:
    times = ("at: 1 h, lasts: 9 h", "at: 2 h, lasts: 20 h", "at: 22 h, lasts: 1 h")
    queue = f"{{off: [{', '.join(f'{{{one}}}' for one in times)}]}}"
    (pool,) = pools(queue, "count: 3")
    assert pool.off == ((HOUR, 23 * HOUR),)


def test_a_closure_again_and_again_ends_before_its_until() -> None:
    (pool,) = pools("{off: [{at: 1 h, lasts: 1 h, every: 3 h, until: 7 h}]}", "count: 3")
    assert pool.off == ((HOUR, 2 * HOUR), (4 * HOUR, 5 * HOUR))
    (pool,) = pools("{off: [{at: 1 h, lasts: 4611686018 s}]}", "count: 3")
    assert pool.off == ((HOUR, MOST),)


def test_a_hundred_thousand_closures_are_read_and_used() -> None:
    text = off("at: 1 s, lasts: 1 s, every: 2 s, until: 200001 s")
    made = run_plan(plan_of(text, "name: a, phases: [{do: compute, time: 2 s}]")).queues[0]
    assert made.start.tolist() == [200_000 * 10**9]


def test_a_plain_word_is_the_order() -> None:
    (queue,) = plan_of(machine("shortest"), JOB).queues
    assert (queue.order, queue.backfill) == ("shortest", "none")


# -- settings, identity ---------------------------------------------------------------------------


def test_a_setting_makes_a_queue_where_there_is_none() -> None:
    """As any optional section does that a setting names."""
    source, jobs = Text(machine(""), "m"), Text(workload(JOB), "w")
    plan = load_plan(source, jobs, settings=[("machine.nodes.node.queue.backfill", "easy")])
    assert [(one.order, one.backfill) for one in plan.queues] == [("fcfs", "easy")]


def test_keys_of_queues_change_no_digest_of_files_without_them() -> None:
    """The digests that stores of results know; of what has a queue they are others."""
    plain, work = parse_machine(machine("")), parse_workload(workload(JOB))
    assert digest_of(plain, work) == DIGEST
    assert digest_of(parse_machine(machine()), work) != DIGEST
    more = parse_workload(workload(f"name: a, priority: 1, {PHASES}"))
    assert digest_of(plain, more) != DIGEST
    same = parse_workload(workload(f"name: a, priority: 0, {PHASES}"))
    assert digest_of(plain, same) == DIGEST


DIGEST = "d60357724decd95d97522185c2fc79eae3b6e51727273176f4b6026e46057d97"
"""Computed before there were queues."""


@pytest.mark.parametrize("name", [*MACHINE.shipped()])
def test_check_reads_each_shipped_machine_with_queues(name: str) -> None:
    text = MACHINE.shipped()[name].read_text("utf-8")
    read = parse_machine(text, name)
    assert all(one.queue is None or one.queue.pools(one) for one in read.nodes.values())


def test_schemas_have_the_keys(capsys: pytest.CaptureFixture[str]) -> None:
    for what, keys in (
        ("machine", ("queue", "backfill", "half_life", "limits", "lasts")),
        ("workload", ("submit", "stage_in", "stage_out", "requested", "of_run", "least_nodes")),
    ):
        assert main(["schema", what]) == 0
        text = capsys.readouterr().out
        assert all(f'"{key}"' in text for key in keys)


@pytest.mark.parametrize(("time", "warns"), [("20 h", False), ("21 h", True)])
def test_a_job_that_waits_for_nodes_to_stay_on_is_a_doubt(time: str, *, warns: bool) -> None:
    off = "[{at: 20 h, lasts: 8 h, every: 1 d, until: 30 d}]"
    nodes = f"nodes: {{node: {{count: 4, queue: {{off: {off}}}}}}}"
    made = parse_machine(f"format: machine/2\nname: m\n{nodes}\n")
    jobs = f"jobs: [{{name: a, phases: [{{do: compute, time: {time}}}]}}]"
    found = fit(made, parse_workload(f"format: workload/2\nname: w\n{jobs}"))
    assert ["for 1,200 min at a time" in one.message for one in found] == [True] * warns
