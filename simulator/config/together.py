"""What a machine and a workload must agree on: checked when both are known.

Errors are what cannot be simulated; warnings what can be, but will hardly be meant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from simulator.config.checks import Fault
from simulator.config.errors import ConfigError, Path, Problem, did_you_mean, dotted, in_order
from simulator.config.machine import Machine
from simulator.config.precedence import effective, filesystem_of
from simulator.config.stores import Tape
from simulator.config.workload import Job, Transfer, Workload
from simulator.units import format_size

LOCKSTEP = (
    "identical clients move in lockstep when service times do not vary: the order in a queue is"
    " then always the same, which is a property of the model, not of the machine; start them"
    " at different times, or give the machine noise"
)


_NEEDS = {"scfs": ("ssu",), "nfs": ("lan", "nfs"), "svio": ("ssu", "lan", "nfs")}
"""The parts that each path goes through."""


def check_together(machine: Machine, workload: Workload, *, noisy: bool = True) -> list[Problem]:
    """List what does not fit, with the places in the workload file: errors, then warnings.

    ``noisy`` says whether the run will use the machine's noise.
    """
    errors = [
        *_files(machine, workload),
        *_pes(machine, workload),
        *_transfers(machine, workload),
        *_traced(machine, workload),
    ]
    warnings = [*_idle_prestaging(machine, workload), *_room(machine, workload)]
    if machine.noise.is_none or not noisy:
        warnings += _lockstep(workload)
    made = [_problem(workload, path, about) for path, about in errors]
    doubts = [_problem(workload, path, about) for path, about in warnings]
    return in_order(made) + in_order(replace(one, severity="warning") for one in doubts)


def raise_errors(problems: Iterable[Problem]) -> list[Problem]:
    """Raise ConfigError if there is an error among the problems; else give the warnings back."""
    listed = list(problems)
    errors = [one for one in listed if one.severity == "error"]
    if errors:
        raise ConfigError(errors)
    return listed


def _problem(workload: Workload, path: Path, about: str) -> Problem:
    return workload.origin.place(path).problem(dotted(path), about)


def _files(machine: Machine, workload: Workload) -> Iterator[Fault]:
    for name, file in workload.files.items():
        wanted = file.filesystem
        if wanted is not None and wanted not in machine.filesystems:
            known = did_you_mean(wanted, machine.filesystems)
            about = f"{wanted!r} is not a file system of {machine.name}; {known}"
            yield ("files", name, "filesystem"), about
        if file.prestage and machine.ssu is None:
            about = f"{machine.name} has no SSU to hold it; write 'prestage: false'"
            yield ("files", name, "prestage"), about


def _traced(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find listed calls on a path or a file system that the machine lacks."""
    traced = workload.traced
    if traced is None:
        return
    parts = {"ssu": machine.ssu, "lan": machine.lan, "nfs": machine.nfs}
    lacking = [part for part in _NEEDS[traced.path] if parts[part] is None]
    if lacking:
        about = f"{traced.path} needs {' and '.join(lacking)}, which {machine.name} does not have"
        yield ("traced", "path"), about
    wanted = traced.filesystem
    if wanted is not None and wanted not in machine.filesystems:
        known = did_you_mean(wanted, machine.filesystems)
        about = f"{wanted!r} is not a file system of {machine.name}; {known}"
        yield ("traced", "filesystem"), about
    if traced.prestage and traced.path != "scfs":
        yield ("traced", "prestage"), "only the path scfs goes over the SSU; write false"


def _pes(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find jobs that together ask for more PEs than there are: each has its own to the end."""
    there = machine.pe.small + machine.pe.large
    asked = 0
    for index, job in enumerate(workload.jobs):
        before, asked = asked, asked + job.count * job.pes
        if before <= there < asked:
            others = f" and {before} of other jobs" if before else ""
            wanted = f"{job.count} x {job.pes} = {job.count * job.pes} PEs{others}"
            key = "count" if job.count > 1 else "pes"
            yield ("jobs", index, key), f"{wanted}; {machine.name} has {there}: write fewer"


def _transfers(machine: Machine, workload: Workload) -> Iterator[Fault]:
    for index, job in enumerate(workload.jobs):
        for number, phase in enumerate(job.phases):
            if isinstance(phase, Transfer):
                at: Path = ("jobs", index, "phases", number)
                yield from _path(machine, phase.path or job.path, phase, at)
                yield from _buffer(machine, workload, job, phase, at)


def _path(machine: Machine, path: str, phase: Transfer, at: Path) -> Iterator[Fault]:
    """Find paths over parts that the machine lacks."""
    parts = {"ssu": machine.ssu, "lan": machine.lan, "nfs": machine.nfs}
    lacking = [part for part in _NEEDS[path] if parts[part] is None]
    where = (*at, "path") if phase.path is not None else (*at[:2], "path")
    if lacking:
        usable = [one for one, needs in _NEEDS.items() if all(parts[part] for part in needs)]
        about = f"{path} needs {' and '.join(lacking)}, which {machine.name} does not have"
        yield where, f"{about}; write {' or '.join(usable) or 'phases that compute'}"
    if path == "svio" and phase.do == "read":
        yield where, "svio is for printed output, which is only written; write scfs or nfs"


def _buffer(
    machine: Machine, workload: Workload, job: Job, phase: Transfer, at: Path
) -> Iterator[Fault]:
    """Find buffers larger than the memory of the PEs that the job can have."""
    size, pe = effective(machine, workload, job, phase).buffer, machine.pe
    fits_large = pe.large_memory is not None and size <= pe.large_memory
    wanted = job.count * job.pes
    if size <= pe.small_memory or (fits_large and wanted <= pe.large):
        return
    where = (*at, "buffer") if phase.buffer is not None else (*at[:2], "buffer")
    by_machine = phase.buffer is None and job.buffer is None
    about = f"{format_size(size)}{' (what the machine says)' if by_machine else ''} is more than"
    about = f"{about} the memory of a PE; write {format_size(pe.small_memory)} or less"
    yield where, f"{about}, or ask for at most {pe.large} PEs" if fits_large else about


def _lockstep(workload: Workload) -> Iterator[Fault]:
    """Find clients that do the same from the same moment on."""
    first: dict[str, int] = {}
    for index, job in enumerate(workload.jobs):
        if not any(isinstance(phase, Transfer) for phase in job.phases):
            continue
        if job.count > 1:
            yield ("jobs", index, "count"), LOCKSTEP
        elif first.setdefault(_likeness(job, workload), index) != index:
            yield ("jobs", index, "name"), LOCKSTEP


def _likeness(job: Job, workload: Workload) -> str:
    """Describe what a job does, with files by their size and place instead of their name."""
    plain = job.model_dump(mode="json", exclude={"name", "count"})
    for phase in plain["phases"]:
        if "file" in phase:
            phase["file"] = workload.files[phase["file"]].model_dump(mode="json")
    return repr(plain)


def _idle_prestaging(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find files that are brought into the SSU though nobody reads them through it."""
    through = {
        phase.file
        for job in workload.jobs
        for phase in job.phases
        if isinstance(phase, Transfer) and (phase.path or job.path) == "scfs"
    }
    for name, file in workload.files.items():
        if file.prestage and machine.ssu is not None and name not in through:
            about = "has no effect: no phase reaches this file through the SSU (path scfs)"
            yield ("files", name, "prestage"), about


def _room(machine: Machine, workload: Workload) -> Iterator[Fault]:
    """Find files that do not fit on the storage under their file system."""
    used: Counter[str] = Counter()
    for name, file in workload.files.items():
        filesystem = machine.filesystems.get(filesystem_of(machine, file))
        storage = machine.storage.get(filesystem.storage) if filesystem else None
        if filesystem is None or storage is None or isinstance(storage, Tape):
            continue
        copies = 1 if file.shared else max(1, _users(name, workload))
        room, before = storage.count * storage.capacity, used[filesystem.storage]
        used[filesystem.storage] += copies * file.size
        if before <= room < used[filesystem.storage]:
            there = f"the {format_size(room)} of {filesystem.storage}"
            yield ("files", name, "size"), f"all files together do not fit on {there}; write less"


def _users(name: str, workload: Workload) -> int:
    """Count the jobs that use a file."""
    return sum(
        job.count
        for job in workload.jobs
        if any(isinstance(phase, Transfer) and phase.file == name for phase in job.phases)
    )
