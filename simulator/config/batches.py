"""Checks of jobs that wait in a queue, or move the data of such jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Fault, Path, unknown_name
from simulator.config.phase import phases_in
from simulator.errors import InputError
from simulator.plan.errors import MOST
from simulator.plan.queues import DAY
from simulator.units import format_size, format_time, shown
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.machine_file import Group, Machine
    from simulator.config.queue import BatchQueue
    from simulator.config.workload_file import Job, Submit, Workload
    from simulator.workload.joblog import JobLog

ONLY_QUEUED = (
    *("submit", "log", "requested", "user", "priority", "stage_in", "stage_out", "hold"),
)
"""Keys of jobs of queues."""
_NOT_QUEUED = {
    "first_node": "jobs of a queue get the nodes that are free; leave it out",
    "arrivals": "jobs of a queue are submitted; write 'submit' instead",
    "calls": "listed calls have their own times, and are not for a queue; write phases",
    "launched": "a queue starts its jobs; leave it out",
    "until": "jobs of a queue end by themselves; write 'repeat'",
    "skew": "jobs of a queue start together; leave it out",
}
"""Keys that jobs of a queue cannot have, and why."""


def queue_of(machine: Machine, job: Job) -> BatchQueue | None:
    """Return the queue in which a job waits, if its nodes have one."""
    group = machine.nodes.get(job.on or next(iter(machine.nodes)))
    return group.queue if group is not None else None


def is_stage(workload: Workload, job: Job) -> bool:
    """Return whether a job moves the data of others, and is not carried out by itself."""
    return any(job.name in (one.stage_in, one.stage_out) for one in workload.jobs)


def nodes_of_one(job: Job) -> int:
    """Return the nodes that a job without a log needs."""
    return -(-job.processes // (job.per_node or 1)) * job.nodes


def read_log(workload: Workload, index: int) -> JobLog:
    """Read the log of a job. ConfigError or JobLogError says what is wrong."""
    from pathlib import Path as FilePath

    from simulator.workload.joblog import read_job_log

    job = workload.jobs[index]
    assert job.log is not None
    path = FilePath(workload.origin.file).parent / job.log.file
    try:
        return read_job_log(path)
    except OSError as error:
        about = f"{path}: {error.strerror}; write the name of a log in the Standard Workload Format"
        raise workload.refused(("jobs", index, "log", "file"), about) from None


def nodes_in(job: Job, log: JobLog, row: int) -> int:
    """Return the nodes that a job of a log needs."""
    assert job.log is not None
    return -(-log.processors[row] // job.log.processors)


def memory_in(job: Job, log: JobLog, row: int) -> int:
    """Return the memory that a job of a log needs on each node."""
    assert job.log is not None
    return max(memory_of(job), log.memory[row] * job.log.processors if job.log.memory else 0)


def rows_of(job: Job, log: JobLog) -> list[int]:
    """Return the rows of a log that a job takes."""
    wanted = job.log
    assert wanted is not None

    def fits(row: int) -> bool:
        nodes = nodes_in(job, log, row)
        return (
            (wanted.queues is None or log.queue[row] in wanted.queues)
            and (wanted.users is None or log.user[row] in wanted.users)
            and wanted.least_nodes <= nodes <= (wanted.most_nodes or nodes)
        )

    return log.rows(fits)[: wanted.most]


# -- checks of a workload alone ------------------------------------------------------------------


def submit_faults(workload: Workload, index: int) -> Iterator[Fault]:
    """Find what a job of a queue says of its submission that makes no sense; places in the job."""
    job = workload.jobs[index]
    if job.submit is not None:
        yield from (((("submit", *at)), about) for at, about in _submit(job, job.submit))
    if job.log is not None:
        for key in ("submit", "requested", "processes", "per_node", "nodes", "user"):
            if key in job.given:
                yield (key,), "has no effect beside a log, which says it; leave it out"
        if job.log.most_nodes is not None and job.log.most_nodes < job.log.least_nodes:
            about = f"{job.log.most_nodes} is less than least_nodes ({job.log.least_nodes})"
            yield ("log", "most_nodes"), f"{about}; write more"
    if job.requested == 0:
        yield ("requested",), "0 s is no run time; write it like '2 h'"
    if "hold" in job.given and job.stage_in is None:
        yield ("hold",), "has no effect without stage_in; leave it out"
    others = {one.name: one for one in workload.jobs}
    for key in ("stage_in", "stage_out"):
        name = getattr(job, key)
        if name is None:
            continue
        if name not in others:
            yield (key,), unknown_name(name, "a job of this workload", others)
        elif name == job.name or others[name].stage_in or others[name].stage_out:
            yield (key,), f"{shown(name)} is a job of a queue itself; name one that moves its data"
        else:
            yield from ((at, about) for at, about in _stage(job, key, others[name]))


def _submit(job: Job, submit: Submit) -> Iterator[Fault]:
    if submit.at is not None:
        for key in ("every", "distribution", "count", "day", "week"):
            if key in submit.given:
                yield (key,), "has no effect beside 'at: [...]'; leave one of them out"
    else:
        for key, example in (("every", "10 min"), ("count", "1000")):
            if key not in submit.given:
                yield (), f"{key} is missing; write it like '{key}: {example}', or 'at:'"
    if submit.day is not None and (len(submit.day) != 2 or not 0 <= submit.day[0] < DAY):
        yield ("day",), "is no part of a day; write two times, like '[8 h, 18 h]'"
    elif submit.day is not None and not submit.day[0] < submit.day[1] <= DAY:
        yield ("day",), "is no part of a day; write its begin and its end, like '[8 h, 18 h]'"
    if submit.every is not None and submit.count is not None:
        day = submit.day if submit.day is not None and len(submit.day) == 2 else (0, DAY)
        share = (day[1] - day[0]) * min(submit.week or 7, 7) / (7 * DAY)
        if submit.every * submit.count > MOST * share > 0:
            about = "more than 146 years until the last one, the limit of a run"
            yield ("count",), f"{about}; write fewer, or less time between them"
    if submit.week is not None and submit.week > 7:
        yield ("week",), f"{submit.week} is more than the 7 days of a week; write 7 or less"
    if job.start and (submit.day is not None or submit.week is not None):
        yield ("day" if submit.day else "week",), "counts from time 0; leave 'start' of the job out"


def _stage(job: Job, key: str, stage: Job) -> Iterator[Fault]:
    for one in (*ONLY_QUEUED, *_NOT_QUEUED, "start", "nodes"):
        if one in stage.given and one != "first_node":
            about = f"{shown(stage.name)} has {one}, but begins when the queue says so"
            yield (key,), f"{about}; leave it out there"
            return
    if stage.processes not in (1, job.processes):
        about = f"{shown(stage.name)} has {stage.processes} processes, and {job.name} has"
        yield (key,), f"{about} {job.processes}; write as many, or one for the first one's files"


# -- checks with a machine -----------------------------------------------------------------------


def queue_faults(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find jobs that cannot wait in a queue, and keys of such jobs on nodes without one."""
    for index, job in enumerate(workload.jobs):
        at: Path = ("jobs", index)
        queue = queue_of(machine, job)
        if is_stage(workload, job):
            if queue is not None:
                about = "moves data of jobs of a queue, and cannot wait in one itself"
                yield (*at, "on"), f"{about}; write 'on:' with other nodes"
        elif queue is None:
            for key in ONLY_QUEUED:
                if key in job.given:
                    on = job.on or next(iter(machine.nodes))
                    about = (
                        f"{on} of {machine.name} has no queue; write 'queue: fcfs' in nodes.{on}"
                    )
                    yield (*at, key), f"{about}, or leave this out"
                    break
        else:
            yield from (
                ((*at, *inner), about) for inner, about in _queued(machine, workload, index)
            )


def _queued(machine: Machine, workload: Workload, index: int) -> Iterator[Fault]:
    job = workload.jobs[index]
    for key, about in _NOT_QUEUED.items():
        if key in job.given:
            yield (key,), about
    name = job.on or next(iter(machine.nodes))
    for place, phase in job.every_phase():
        if phase.helpers or phase.served or phase.prepared:
            yield (*place, "do"), f"{phase.do} is not for jobs of a queue; leave it out"
    if machine.services:
        yield ("on",), f"{machine.name} has services, beside which queues are not simulated"
    if machine.nodes[name].per is not None:
        yield ("on",), f"{name} are nodes inside of others, for which nobody waits"
    elif job.log is not None:
        yield from _log(machine.nodes[name], name, workload, index)
    else:
        need, nodes = memory_of(job) * (job.per_node or 1), nodes_of_one(job)
        wrong = [*_too_large(machine.nodes[name], name, job, nodes, need)]
        queue = machine.nodes[name].queue
        assert queue is not None
        yield from wrong or _limited(queue, name, job, job.user or job.name, nodes)


def memory_of(job: Job) -> int:
    """Return the memory that a process of a job holds at most."""
    held = [one.memory or 0 for _, one in phases_in(job.phases or ())]
    return max([job.memory or 0, job.buffer or 0, *held])


def _too_large(group: Group, name: str, job: Job, nodes: int, need: int) -> Iterator[Fault]:
    assert group.queue is not None
    there = sum(pool.count for pool in group.queue.pools(group) if not need > pool.memory > 0)
    if not there:
        each = job.per_node or 1
        has = f"{format_size(need)}{f' for {each} processes' if each > 1 else ''}"
        about = f"{has} is more than the memory of any node of {name}; write less"
        yield ("memory" if job.memory else "buffer" if job.buffer else "phases",), about
    elif nodes > there:
        key = "processes" if "processes" in job.given else "nodes"
        has = f" of {format_size(need)}" if there < group.count else ""
        about = f"needs {counted(nodes, 'node')}{has}, and there are {there} {name}; write fewer"
        yield (key,), about


def queue_doubts(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find jobs that wait until their nodes do not go off any more."""
    for index, job in enumerate(workload.jobs):
        queue = queue_of(machine, job)
        if queue is None or not queue.off or job.log is not None or is_stage(workload, job):
            continue
        asked = job.requested or sum(
            (getattr(phase, "time", None) or 0) * job.times(at) * job.repeat
            for at, phase in job.every_phase()
        )
        group = machine.nodes[job.on or next(iter(machine.nodes))]
        off = [pool.off for pool in queue.pools(group)]
        longest = max((begin - end for one in off for end, begin in _between(one)), default=0)
        if all(off) and asked > longest:
            last = min(one[-1][1] for one in off)
            about = f"asks for {format_time(asked)}, and its nodes are on for"
            about += f" {format_time(longest)} at a time: it waits until they stay on"
            yield ("jobs", index), f"{about} ({format_time(last)})"


def _between(off: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield begin and end of the times before and between those at which nodes are off."""
    begins, ends = (begin for begin, _ in off), (0, *(end for _, end in off))
    yield from zip(ends, begins, strict=False)


def _limited(queue: BatchQueue, name: str, job: Job, user: str, nodes: int) -> Iterator[Fault]:
    """Find a limit under which a job never starts."""
    for number, one in enumerate(queue.limits):
        counts = one.each is not None or user == one.user or job.name == one.name
        if counts and one.nodes is not None and one.nodes < nodes:
            key = "log" if job.log is not None else "processes"
            key = key if key in job.given else "nodes"
            about = f"needs {counted(nodes, 'node')}, and limits.{number} of nodes.{name}.queue"
            yield (key,), f"{about} allows {one.nodes}, so that it never starts; write fewer here"
            return


def _log(group: Group, name: str, workload: Workload, index: int) -> Iterator[Fault]:
    job, at = workload.jobs[index], ("log",)
    assert job.log is not None
    try:
        log = read_log(workload, index)
    except InputError as error:
        yield at, str(error)
        return
    except ConfigError as error:
        yield from (((*at, "file"), one.message) for one in error.problems)
        return
    rows = rows_of(job, log)
    if not rows:
        yield at, f"no job of {log.name} is like this; it has {counted(len(log), 'job')}"
        return
    most = max(nodes_in(job, log, row) for row in rows)
    if most > group.count:
        about = f"a job of {log.name} needs {most} nodes, and there are {group.count} {name}"
        yield at, f"{about}; write 'processors: N' of a node, or 'most_nodes: {group.count}'"
        return
    assert group.queue is not None
    pools = group.queue.pools(group)
    for row in rows:
        need = memory_in(job, log, row)
        nodes = nodes_in(job, log, row)
        if nodes > sum(pool.count for pool in pools if not need > pool.memory > 0):
            about = f"a job of {log.name} needs {counted(nodes, 'node')} of {format_size(need)}"
            key = at if need > memory_of(job) else ()
            yield (*key, "memory"), f"{about}, which {name} has not; leave 'memory' out"
            return
        if wrong := [*_limited(group.queue, name, job, f"user{log.user[row]}", nodes)]:
            yield from wrong
            return
