"""``restart`` of a job: its nodes fail, and it goes on from its last checkpoint.

A round of the job ends with a checkpoint; what that is follows from its phases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, unknown_name
from simulator.config.events import SECOND
from simulator.config.phase import Phase
from simulator.config.quantities import Name, Time
from simulator.config.section import Section, default
from simulator.config.times import Times
from simulator.units import Nanoseconds, format_time, shown

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.phase import JobNodes
    from simulator.config.workload_file import Job, Workload

YEAR = 365 * 24 * 3600 * SECOND
OFTEN = 5
"""Mean times between failures that a round may take; then a job fails 150 times in each."""
_ALONE = {
    "arrivals": "processes that serve arrivals do not go through rounds together",
    "until": "how many rounds it makes is not known; write 'repeat'",
    "calls": "listed calls have no rounds; write phases",
    "launched": "process servers start no job again",
    "submit": "a job of a queue is not started again",
    "log": "a job of a queue is not started again",
}
"""Keys that a job with ``restart`` cannot have, and why."""


class Restart(Section):
    """Failures of a job's nodes, after each of which it goes on from its last checkpoint."""

    synonyms = {
        "mttf": "mtbf",
        "checkpoint": "file",
        "read": "file",
        "wait": "delay",
        "times": "at",
    }
    asked_for = frozenset(("mtbf", "at"))

    mtbf: Time | None = None
    """The mean time until a node fails, exponential; a job of n nodes fails n times as often."""
    at: Times | None = None
    """Instead: when the job fails; times since the run began."""
    delay: Time = default(Nanoseconds(0), "neutral: it goes on at once")
    """How long after a failure it goes on: until that is noticed and there are nodes again."""
    file: Name | None = None
    """The checkpoint, by its name in ``files``: a file that each round writes. It is read back
    when the job goes on. The one that it writes, if left out."""

    def faults(self) -> Iterator[Fault]:
        """Find times that are missing, or cannot be."""
        if (self.at is None) == (self.mtbf is None):
            about = "has both mtbf and at" if self.at is not None else "has neither mtbf nor at"
            yield (), f"{about}; write 'mtbf: 1000 h' of a node, or when the job fails: 'at: [1 h]'"
        if self.mtbf is not None and self.mtbf < SECOND:
            about = f"{format_time(self.mtbf)} is less than a second, as no failure is"
            yield ("mtbf",), f"{about}; write it like '1000 h'"
        if self.delay > YEAR:
            yield (
                ("delay",),
                f"{format_time(self.delay)} is more than a year; write it like '5 min'",
            )


def written(job: Job) -> dict[str, list[Phase]]:
    """Return the files that a round of a job writes, and the phases that do."""
    found: dict[str, list[Phase]] = {}
    for _, phase in job.every_phase():
        if phase.moves and getattr(phase, "writes", False) and phase.uses is not None:
            found.setdefault(phase.uses, []).append(phase)
    return found


def checkpoint_of(job: Job) -> str:
    """Return the file with the checkpoint of a job with ``restart``."""
    assert job.restart is not None
    return job.restart.file or next(iter(written(job)))


def read_back(job: Job) -> tuple[Phase, ...]:
    """Return the phases that read the checkpoint back as it is written."""
    return tuple(
        phase.with_value("do", "read")
        .with_value("order", "sequential")
        .with_value("draw", None)
        .with_value("synchronous", value=False)
        .with_value("truncate", None)
        for phase in written(job)[checkpoint_of(job)]
    )


def nodes_of(place: JobNodes) -> int:
    """Return the number of nodes on which a job runs."""
    return len({*place.members})


def restart_faults(workload: Workload, index: int) -> Iterator[Fault]:
    """Find jobs that cannot go on from a checkpoint; places in the job."""
    job = workload.jobs[index]
    restart = job.restart
    if restart is None:
        return
    yield from (((("restart", *at)), about) for at, about in restart.faults())
    for key, why in _ALONE.items():
        if key in job.given:
            yield ("restart",), f"has no effect beside {key}: {why}; leave one of them out"
            return
    if job.nodes > 1:
        about = "is not for processes whose data are on several nodes; write 'nodes: 1' in the job"
        yield ("restart",), about
    if restart.at is not None and restart.at[0] < job.start:
        about = f"{format_time(restart.at[0])} is before the job starts ({format_time(job.start)})"
        yield ("restart", "at"), f"{about}; write later times"
    for at, phase in job.every_phase():
        if not phase.restarts:
            about = f"{phase.do} cannot be begun again after a failure; leave it out, or 'restart'"
            yield (*at, "do"), about
        elif phase.uses in workload.files and workload.files[phase.uses].layout is not None:
            about = f"files.{phase.uses} has a layout, and is not for a job that is started again"
            yield (*at, "file"), f"{about}; leave the layout out, or 'restart'"
    yield from _no_checkpoint(job, restart)


def _no_checkpoint(job: Job, restart: Restart) -> Iterator[Fault]:
    """Find a checkpoint that is not written, or cannot be read back."""
    files = written(job)
    if restart.file is not None and restart.file not in files:
        about = unknown_name(restart.file, "a file that the job writes", files)
        yield ("restart", "file"), about
    elif not files:
        about = "has no checkpoint, since no phase writes; add {do: write, file: ...} to the phases"
        yield ("restart",), about
    elif restart.file is None and len(files) > 1:
        names = ", ".join(files)
        about = f"does not say which file is the checkpoint: the job writes {names}"
        yield ("restart",), f"{about}; write one, like 'file: {next(iter(files))}'"
    else:
        name = restart.file or next(iter(files))
        if any(getattr(one, "order", "") == "onward" for one in files[name]):
            about = f"is {shown(name)}, which each round writes at another place"
            yield ("restart",), f"{about}; leave 'order: onward' of that phase out"


def restart_misfits(machine: Machine, job: Job) -> Iterator[Fault]:
    """Find machines on which no job is started again; places in the job."""
    if job.restart is not None and machine.services:
        about = f"is not for {machine.name}, which has services; leave it out"
        yield ("restart",), about
    if job.restart is not None and machine.nodes[job.on or next(iter(machine.nodes))].queue:
        about = "is not for jobs of a queue, which are not started again; leave it out"
        yield ("restart",), about


def restart_doubts(job: Job, place: JobNodes) -> Iterator[Fault]:
    """Find jobs that fail so often that they hardly end; places in the job."""
    if job.restart is None or job.restart.mtbf is None:
        return
    computing = sum(job.times(at) * (getattr(phase, "time", 0) or 0) for at, phase in _timed(job))
    mean = job.restart.mtbf // nodes_of(place)
    if computing > OFTEN * mean:
        about = f"a round computes {format_time(computing)}, and the job fails every"
        about = f"{about} {format_time(mean)} ({nodes_of(place)} nodes), so that it hardly ends"
        yield ("restart", "mtbf"), f"{about}; write shorter rounds"


def _timed(job: Job) -> Iterator[tuple[tuple[str | int, ...], Phase]]:
    return ((at, phase) for at, phase in job.every_phase() if phase.computes)
