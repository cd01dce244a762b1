"""The best interval between the checkpoints of a job, by formulas and by simulated failures.

The costs of a checkpoint and of a restart are measured in runs of the job. Then the job does the
same work with checkpoints at several intervals, each with the same failures (common random
numbers): in whole runs on the machine, or with the measured costs where these would take long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError, did_you_mean
from simulator.plan.codes import COMPUTE
from simulator.plan.restarts import FailureTimes, key_of
from simulator.study.intervals import Costs, Optimum, daly, expected, optimum_of, young
from simulator.study.replications import CONFIDENCE, Replicated, seed_of
from simulator.units import format_time, shown
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.workload_file import Job, Workload
    from simulator.inputs import Inputs
    from simulator.plan.plan import Plan
    from simulator.plan.restarts import RestartPlan
    from simulator.run import EngineName

REPLICATIONS = 16
WORK = 10
"""Work of a job, in mean times between its failures."""
STEPS = 3
"""Intervals on each side of Daly's, down to a half of it and up to twice it."""
LEAST_INTERVALS = 4
ROUNDS = 2
"""Checkpoints whose mean cost is measured."""
MOST_EVENTS = 100_000_000
"""Events of all whole runs; more take more than a minute or so."""


class CheckpointError(InputError):
    """A job without checkpoints, or whose failures leave no interval."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about a job."""

    mtbf: str | None = None
    """Of a node, instead of what the workload says."""
    job: str | None = None
    seed: int = 1
    replications: int = REPLICATIONS
    """0: only costs and formulas."""
    work_ns: int | None = None
    """Computing of the job; as WORK says if left out."""
    whole: bool | None = None
    """Whole runs, or the measured costs; None: whole runs unless they take long."""
    engine: EngineName = "auto"


@dataclass(frozen=True, slots=True)
class Tried:
    """An interval, with the times of all replications."""

    interval_ns: int
    rounds: int
    times: Replicated
    """Seconds of the job."""

    @property
    def work_ns(self) -> int:
        """Computing of the job."""
        return self.interval_ns * self.rounds


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The answer."""

    machine: str
    workload: str
    digest: str
    job: str
    nodes: int
    mean_ns: int
    """Mean time between failures of the job."""
    own_ns: int
    """The interval that the workload has."""
    costs: Costs
    seed: int
    whole: bool
    tried: tuple[Tried, ...] = ()
    optimum: Optimum | None = None

    @property
    def young_ns(self) -> float:
        """Young's interval."""
        return young(self.costs.checkpoint_ns, self.mean_ns)

    @property
    def daly_ns(self) -> float:
        """Daly's interval."""
        return daly(self.costs.checkpoint_ns, self.mean_ns)

    def efficiency(self, interval_ns: float) -> float:
        """Return the expected part of the time that computes and is not lost, by Daly's model."""
        costs = self.costs
        time = expected(interval_ns, costs.checkpoint_ns, costs.restart_ns, self.mean_ns)
        return interval_ns / time

    @property
    def best(self) -> int | None:
        """The number of the tried interval with the least mean time."""
        means = [one.times.mean for one in self.tried]
        return means.index(min(means)) if means else None


class CheckpointedJob:
    """A job whose rounds end with checkpoints, with other intervals and failures."""

    def __init__(self, inputs: Inputs, index: int, asked: Asked) -> None:
        self.inputs, self.index, self.engine = inputs, index, asked.engine
        self.job: Job = inputs.workload.jobs[index]
        self.name = self.job.name
        self.plan = inputs.plan(seed=asked.seed)
        self.row = [one.job for one in self.plan.restarts].index(self.name)
        self.team = [one for one in self.plan.processes if one.restart == self.row]
        self.mean_ns = self.plan.restarts[self.row].mean_ns
        self.own_ns = max(one.computing_ns // one.repeat for one in self.team)
        self.events = 0
        """Events of a round without failures."""
        if not self.own_ns:
            where = f"jobs.{index}.phases of {inputs.workload.name}"
            raise CheckpointError(
                f"{self.name} computes nothing between its checkpoints; add"
                f" {{do: compute, time: 1 h}} to {where}"
            )

    @property
    def nodes(self) -> int:
        """Return the number of nodes of the job."""
        return len({one.node for one in self.team})

    def varied(
        self, plan: Plan, rounds: int, interval_ns: int, times: tuple[int, ...] | None = None
    ) -> Plan:
        """Return a plan with other rounds; ``times``: of given failures instead of drawn ones."""
        made: dict[int, Any] = {}
        processes = list(plan.processes)
        for number, one in enumerate(processes):
            if one.restart != self.row:
                continue
            if id(one.phases) not in made:
                made[id(one.phases)] = tuple(
                    replace(phase, compute_ns=phase.compute_ns * interval_ns // self.own_ns)
                    if phase.kind == COMPUTE
                    else phase
                    for phase in one.phases
                )
            processes[number] = replace(one, repeat=rounds, phases=made[id(one.phases)])
        restarts = plan.restarts
        if times is not None:
            restarts = tuple(
                replace(one, mean_ns=0, times=times) if row == self.row else one
                for row, one in enumerate(restarts)
            )
        return replace(plan, processes=tuple(processes), restarts=restarts)

    def run(self, plan: Plan) -> tuple[int, int, int]:
        """Return the time of the job in a plan, what it lost, and the events."""
        from simulator.run import run_plan

        result = run_plan(plan, engine=self.engine)
        ended = max(one.ended_ns for one in result.processes if one.job == self.name)
        return ended - self.job.start, result.restarts[self.row].lost_ns, result.events

    def measured(self, interval_ns: int) -> Costs:
        """Return what a checkpoint and a restart cost at an interval, in runs of the job.

        A checkpoint: the mean time of a round, but for the first, without computing. A restart:
        what a failure in the middle of the second interval adds to what it loses.
        """
        many = 1 + ROUNDS
        one, all_of = (
            self.run(self.varied(self.plan, rounds, interval_ns, ())) for rounds in (1, many)
        )
        self.events = (all_of[2] - one[2]) // ROUNDS
        fails = self.job.start + one[0] + interval_ns // 2
        time, lost, _ = self.run(self.varied(self.plan, many, interval_ns, (fails,)))
        delay = self.plan.restarts[self.row].delay_ns
        return Costs(
            checkpoint_ns=(all_of[0] - one[0]) // ROUNDS - interval_ns,
            delay_ns=delay,
            reading_ns=max(0, time - all_of[0] - lost - delay),
        )

    def failures(self, plan: Plan) -> FailureTimes:
        """Return the failures of the job in a plan."""
        restart: RestartPlan = plan.restarts[self.row]
        return FailureTimes(restart, key_of(plan, restart))


def checkpoints_of(
    machine: str,
    workload: str,
    settings: Sequence[tuple[str, str]],
    asked: Asked,
    *,
    jobs: int = 1,
    progress: bool | None = None,
) -> Checkpoints:
    """Measure the costs of a job's checkpoints, and find their best interval.

    CheckpointError for a job without checkpoints, or without an
    interval that helps.
    """
    from simulator.inputs import load_inputs

    inputs = load_inputs(machine, workload, settings)
    index = _index_of(inputs.workload, asked)
    if asked.mtbf is not None:
        mtbf = (f"workload.jobs.{index}.restart.mtbf", asked.mtbf)
        inputs = load_inputs(machine, workload, [*settings, mtbf])
    job = CheckpointedJob(inputs, index, asked)
    if not job.mean_ns:
        raise CheckpointError(f"{job.name} fails at given times; add --mtbf, and leave 'at' out")
    costs = _costs_of(job)
    intervals = _intervals(job, costs, asked)
    events = job.events * asked.replications * sum(rounds for _, rounds in intervals)
    whole = asked.whole if asked.whole is not None else events <= MOST_EVENTS
    found = Checkpoints(
        machine=inputs.machine.name,
        workload=inputs.workload.name,
        digest=job.plan.digest,
        job=job.name,
        nodes=job.nodes,
        mean_ns=job.mean_ns,
        own_ns=job.own_ns,
        costs=costs,
        seed=asked.seed,
        whole=whole,
    )
    if not asked.replications:
        return found
    work = _Work(job, intervals, asked.seed, costs=None if whole else costs)
    times = _all_times(work, asked.replications, jobs, progress=progress)
    tried = tuple(
        Tried(interval, rounds, Replicated(tuple(row[number] / 1e9 for row in times)))
        for number, (interval, rounds) in enumerate(intervals)
    )
    optimum = optimum_of([one for one, _ in intervals], times, job.mean_ns, CONFIDENCE)
    return replace(found, tried=tried, optimum=optimum)


def _index_of(workload: Workload, asked: Asked) -> int:
    """Return the number of the job that is asked about; CheckpointError if there is none."""
    names = [job.name for job in workload.jobs]
    if asked.job is not None:
        if asked.job not in names:
            raise CheckpointError(
                f"--job {shown(asked.job)}: no such job; {did_you_mean(asked.job, names)}"
            )
        index = names.index(asked.job)
    else:
        able = [index for index, job in enumerate(workload.jobs) if job.restart is not None]
        if not able and len(names) > 1:
            listed = ", ".join(names)
            raise CheckpointError(f"{workload.name} has several jobs; add --job, one of {listed}")
        if len(able) > 1:
            listed = ", ".join(names[index] for index in able)
            raise CheckpointError(
                f"several jobs of {workload.name} have restart; add --job, one of {listed}"
            )
        index = able[0] if able else 0
    if asked.mtbf is None and workload.jobs[index].restart is None:
        raise CheckpointError(
            f"how often do the nodes of {names[index]} fail? Add --mtbf '1000 h', of one node, or"
            " 'restart: {mtbf: 1000 h}' to the job"
        )
    return index


def _costs_of(job: CheckpointedJob) -> Costs:
    """Return the costs at Young's interval, which those at the job's own give."""
    costs = _checked(job, job.measured(job.own_ns))
    at = max(1, round(young(costs.checkpoint_ns, job.mean_ns)))
    return _checked(job, job.measured(at))


def _checked(job: CheckpointedJob, costs: Costs) -> Costs:
    """Return costs that leave an interval; CheckpointError for others."""
    if costs.checkpoint_ns <= 0:
        raise CheckpointError(
            f"a checkpoint of {job.name} takes no time beside its computing, so that every"
            " interval is as good; is what it writes still in a cache? Add {do: sync, file: ..}"
        )
    if job.mean_ns <= costs.checkpoint_ns:
        raise CheckpointError(
            f"{job.name} fails every {format_time(job.mean_ns)} ({counted(job.nodes, 'node')}), and"
            f" a checkpoint takes {format_time(costs.checkpoint_ns)}: it never gets on; is --mtbf"
            " that of one node?"
        )
    return costs


def _intervals(job: CheckpointedJob, costs: Costs, asked: Asked) -> list[tuple[int, int]]:
    """Return intervals around Daly's, each with how many of them make the work."""
    middle = daly(costs.checkpoint_ns, job.mean_ns)
    work = asked.work_ns or WORK * job.mean_ns
    wanted = (middle * 2 ** (step / STEPS) for step in range(-STEPS, STEPS + 1))
    rounds = dict.fromkeys(max(1, round(work / one)) for one in wanted)
    if len(rounds) < LEAST_INTERVALS:
        least = format_time(8 * middle)
        raise CheckpointError(
            f"--work {format_time(work)} are too few intervals of {format_time(middle)} to compare;"
            f" write {least} or more"
        )
    return [(work // one, one) for one in rounds]


@dataclass(frozen=True)
class _Work:
    """Runs of replications; a process of its own may do it."""

    job: CheckpointedJob
    intervals: list[tuple[int, int]]
    seed: int
    costs: Costs | None
    """Costs instead of whole runs."""

    def __call__(self, task: tuple[int, int]) -> int:
        """Return the time of the job in a replication, at an interval; ns."""
        replication, number = task
        interval, rounds = self.intervals[number]
        plan = self.job.inputs.plan(seed=seed_of(self.seed, replication))
        if self.costs is not None:
            failures = self.job.failures(plan)
            return self.costs.elapsed_ns(failures, rounds, interval, self.job.job.start)
        return self.job.run(self.job.varied(plan, rounds, interval))[0]


def _all_times(
    work: _Work, replications: int, jobs: int, *, progress: bool | None
) -> list[list[int]]:
    """Return the times of each replication at all intervals."""
    from simulator.progress import progress_bar

    numbers = range(len(work.intervals))
    tasks = [(one, number) for number in numbers for one in range(replications)]
    times = [[0] * len(numbers) for _ in range(replications)]
    with progress_bar(len(tasks), unit="run", wanted=progress) as advance:
        for (replication, number), time in _answers(work, tasks, jobs):
            times[replication][number] = time
            advance(1)
    return times


def _answers(
    work: _Work, tasks: list[tuple[int, int]], jobs: int
) -> Iterator[tuple[tuple[int, int], int]]:
    from simulator.study.processes import map_in_processes

    if jobs > 1 and work.costs is None:
        return map_in_processes(work, tasks, min(jobs, len(tasks)))
    return ((task, work(task)) for task in tasks)
