"""Checks across the sections of a workload file: files, jobs, ranks, and needs of phases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.batches import submit_faults
from simulator.config.errors import Fault, label_of, unknown_name
from simulator.config.events import alone_faults
from simulator.config.phase import Spot, phases
from simulator.config.restart import restart_faults
from simulator.config.workload_file import layout_faults
from simulator.errors import nearest
from simulator.units import shown

if TYPE_CHECKING:
    from simulator.config.workload_file import Arrivals, Job, Workload

MOST_PROCESSES = 100_000
MOST_SUBMITTED = 1_000_000
"""Processes of all jobs that are submitted to queues."""


def workload_faults(workload: Workload) -> Iterator[Fault]:
    """Find jobs that cannot be done: of one name, with unknown files, without a record size."""
    for name, file in workload.files.items():
        if file.prestage and not file.exists:
            yield ("files", name, "prestage"), "needs a file that exists; write 'exists: true' too"
        for path, about in layout_faults(file.layout or ()):
            yield ("files", name, "layout", *path), about
    yield from alone_faults(workload.events)
    seen: dict[str, int] = {}
    processes = batches = 0
    for index, job in enumerate(workload.jobs):
        if seen.setdefault(job.name, index) != index:
            about = f"{shown(job.name)} is the name of item {seen[job.name]} too; write another"
            yield ("jobs", index, "name"), about
        for path, about in _job(workload, index, job):
            yield ("jobs", index, *path), about
        before, processes = processes, processes + job.ranks
        if before <= MOST_PROCESSES < processes:
            about = f"{processes:,} processes; write fewer: at most {MOST_PROCESSES:,}"
            yield ("jobs", index, "processes"), about
        batches += job.processes * (job.submit.jobs if job.submit is not None else 0)
        if batches > MOST_SUBMITTED:
            about = f"{batches:,} processes; submit fewer jobs: at most {MOST_SUBMITTED:,}"
            yield ("jobs", index, "submit"), f"{about} processes of all of them"
            break


def _job(workload: Workload, index: int, job: Job) -> Iterator[Fault]:
    if (job.phases is None) == (job.calls is None):
        wrong = "both phases and calls" if job.calls else "neither phases nor calls"
        yield (), f"has {wrong}; write one of them"
    if job.skew and (beside := _own_times(job)):
        about = f"has no effect beside {beside}, which say when processes start; leave it out"
        yield ("skew",), about
    if job.arrivals is not None:
        yield from _arrivals(job, job.arrivals)
    yield from submit_faults(workload, index)
    yield from restart_faults(workload, index)
    moves = [(at, phase) for at, phase in job.every_phase() if phase.moves]
    lacking = [one for one in moves if getattr(one[1], "record", None) is None]
    if job.record is None and lacking:
        at, phase = lacking[0]
        about = f"is missing though phase {label_of(at)} does {phase.do}; write 'record: 64 kB'"
        yield ("record",), about
    meant = _meant_files(workload)
    for at, phase in job.every_phase():
        if phase.uses is not None and phase.uses not in workload.files:
            yield (*at, "file"), unknown_name(phase.uses, "in files", workload.files)
        else:
            found = phase.faults(Spot(workload, index, at))
            follows = ("file",) if phase.uses in meant else None
            yield from (((*at, *path), about) for path, about in found if path != follows)
            if job.nodes > 1 and phase.uses and workload.files[phase.uses].layout is not None:
                about = f"files.{phase.uses} has a layout, and is not for processes whose data are"
                yield (*at, "file"), f"{about} on several nodes; write 'nodes: 1' in the job"
        if job.nodes > 1 and not phase.whole:
            about = f"{phase.do} is not for processes whose data are on several nodes"
            yield (*at, "do"), f"{about}; write 'nodes: 1' in the job, or leave the phase out"
    for kind in phases():
        yield from kind.faults_of(job)
    yield from _until(workload, job)
    yield from _on_error(job)
    if job.launched and job.arrivals is not None:
        about = "has no effect beside arrivals, whose processes are there; leave one of them out"
        yield ("launched",), about


def _meant_files(workload: Workload) -> set[str | None]:
    """Return the files that phases name misspelt: these may be what writes them."""
    used = (phase.uses for job in workload.jobs for _, phase in job.every_phase())
    return {nearest(one, workload.files) for one in used if one and one not in workload.files}


def _own_times(job: Job) -> str:
    """Return what says when the processes of a job start, if its start does not."""
    if job.launched:
        return "process servers"
    return "arrivals" if job.arrivals is not None else "listed calls" if job.calls else ""


def _arrivals(job: Job, arrivals: Arrivals) -> Iterator[Fault]:
    given = arrivals.given
    if arrivals.at is not None:
        for key in ("every", "distribution", "count"):
            if key in given:
                yield ("arrivals", key), "has no effect beside 'at: [...]'; leave one of them out"
    else:
        for key, example in (("every", "10 ms"), ("count", "1000")):
            if key not in given:
                yield ("arrivals",), f"{key} is missing; write it like '{key}: {example}', or 'at:'"
    if "processes" in job.given:
        about = "has no effect beside arrivals, whose 'out' is the number of processes"
        yield ("processes",), f"{about}; leave it out"
    for _, phase in job.every_phase():
        if phase.meets:
            about = f"processes that serve arrivals do not meet, so they cannot do {phase.do}"
            yield ("arrivals",), f"{about}; leave the phase or the arrivals out"
            return
    if job.calls is not None:
        yield ("arrivals",), "listed calls have their own times; leave it out"


def _on_error(job: Job) -> Iterator[Fault]:
    if job.calls is not None and "on_error" in job.given:
        yield ("on_error",), "listed calls are all made, as they were recorded; leave it out"


def _until(workload: Workload, job: Job) -> Iterator[Fault]:
    """Find jobs that go on as long as others, and cannot."""
    if job.until is None:
        return
    if job is workload.jobs[0] and all(one.until is not None for one in workload.jobs):
        yield ("until",), "no job is without it, so that none would end; leave it out in one"
    for key, with_it in (("repeat", job.repeat > 1), ("arrivals", job.arrivals is not None)):
        if with_it:
            yield (key,), "has no effect beside 'until: others end'; leave one of them out"
    if job.calls is not None:
        yield ("until",), "listed calls have their own times; leave it out"
