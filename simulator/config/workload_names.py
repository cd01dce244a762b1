"""What the sections of a workload file must agree on: files, jobs, ranks, and what phases need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path, did_you_mean
from simulator.config.library_phases import MpiTransfer, call_faults, mpi_faults, use_faults
from simulator.config.phases import (
    INTERLEAVED,
    Compute,
    Exchange,
    Lock,
    Message,
    Phase,
    Sync,
    Transfer,
)
from simulator.config.workload_file import Loop, label_of, layout_faults, places_of
from simulator.units import format_size, shown

if TYPE_CHECKING:
    from simulator.config.workload_file import Arrivals, Job, Workload

MOST_PROCESSES = 100_000
MEETING = ("barrier", "message", "exchange", "mpi-read", "mpi-write")
"""Phases in which the processes of a job wait for each other."""


def workload_faults(workload: Workload) -> Iterator[Fault]:
    """Find jobs that cannot be done: of one name, with unknown files, without a record size."""
    for name, file in workload.files.items():
        if file.prestage and not file.exists:
            yield ("files", name, "prestage"), "needs a file that exists; write 'exists: true' too"
        for path, about in layout_faults(file.layout or ()):
            yield ("files", name, "layout", *path), about
    seen: dict[str, int] = {}
    processes = 0
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


def _job(workload: Workload, index: int, job: Job) -> Iterator[Fault]:
    if (job.phases is None) == (job.calls is None):
        wrong = "both phases and calls" if job.calls else "neither phases nor calls"
        yield (), f"has {wrong}; write one of them"
    if job.skew and (beside := _own_times(job)):
        about = f"has no effect beside {beside}, which say when processes start; leave it out"
        yield ("skew",), about
    if job.arrivals is not None:
        yield from _arrivals(job, job.arrivals)
    lacking = [(at, phase) for at, phase in job.every_phase() if _lacks_record(job, phase)]
    if lacking:
        at, phase = lacking[0]
        about = f"is missing though phase {label_of(at)} does {phase.do}; write 'record: 64 kB'"
        yield ("record",), about
    for at, phase in job.every_phase():
        if phase.uses is not None and phase.uses not in workload.files:
            about = (
                f"{shown(phase.uses)} is not in files; {did_you_mean(phase.uses, workload.files)}"
            )
            yield (*at, "file"), about
        else:
            for path, about in _phase(workload, index, at, phase):
                yield (*at, *path), about
            if job.nodes > 1 and phase.uses and workload.files[phase.uses].layout is not None:
                about = f"files.{phase.uses} has a layout, and is not for processes whose data are"
                yield (*at, "file"), f"{about} on several nodes; write 'nodes: 1' in the job"
        if job.nodes > 1 and not (isinstance(phase, Compute | Transfer) and not _placed(phase)):
            about = f"{phase.do} is not for processes whose data are on several nodes"
            yield (*at, "do"), f"{about}; write 'nodes: 1' in the job, or leave the phase out"
    yield from _locks(job)
    yield from _until(workload, job)
    yield from call_faults(job)
    yield from use_faults(job)


def _phase(workload: Workload, index: int, at: Path, phase: Phase) -> Iterator[Fault]:
    """Find phases that do not fit their files or their job."""
    job = workload.jobs[index]
    if isinstance(phase, Transfer):
        yield from _transfer(workload, index, at, phase)
        yield from _durable(workload, phase)
    elif isinstance(phase, MpiTransfer):
        file, written = workload.files[phase.file], 1
        if not (phase.writes or file.exists):
            written = _written(workload, index, at, phase.file)
        yield from mpi_faults(job, phase, file, written)
    elif isinstance(phase, Sync) and _written(workload, index, at, phase.file) == 0:
        about = f"{shown(phase.file)} is not written before this; leave it out, or write first"
        yield ("file",), about
    elif isinstance(phase, Message) and isinstance(phase.to, int) and phase.to >= job.ranks:
        about = f"{phase.to} is no rank of {job.ranks} processes; write 0 to {job.ranks - 1}"
        yield ("to",), about
    elif isinstance(phase, Exchange):
        yield from _mesh(phase, job.ranks)


def _lacks_record(job: Job, phase: Phase) -> bool:
    return isinstance(phase, Transfer) and job.record is None and phase.record is None


def _placed(phase: Phase) -> bool:
    return isinstance(phase, Transfer) and phase.placed


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
        if phase.do in MEETING:
            about = f"processes that serve arrivals do not meet, so they cannot do {phase.do}"
            yield ("arrivals",), f"{about}; leave the phase or the arrivals out"
            return
    if job.calls is not None:
        yield ("arrivals",), "listed calls have their own times; leave it out"


def _transfer(workload: Workload, index: int, at: Path, phase: Transfer) -> Iterator[Fault]:
    job, file = workload.jobs[index], workload.files[phase.file]
    if phase.size is not None and phase.size > file.size:
        most = format_size(file.size)
        verb = "reads" if phase.do == "read" else "writes"
        about = f"{verb} {format_size(phase.size)} of a file of {most}; write {most} or less"
        yield ("size",), about
    elif isinstance(phase.offset, int) and phase.offset + (phase.size or 0) > file.size:
        end = format_size(phase.offset + (phase.size or 0))
        yield ("offset",), f"ends at {end} of a file of {format_size(file.size)}; write less"
    elif isinstance(phase.offset, int) and phase.offset == file.size:
        yield ("offset",), "is the end of the file; write less"
    elif isinstance(phase.offset, str) and (phase.size or 0) * job.ranks > file.size:
        whole = format_size((phase.size or 0) * job.ranks)
        about = f"makes {whole} for {job.ranks} processes; the file has {format_size(file.size)}"
        yield ("size",), f"{about}; write less"
    policy = phase.policy or job.policy
    if phase.placed and policy not in (None, "posix"):
        key = "offset" if phase.offset is not None else "order"
        about = f"{policy} transfers whole files from their beginning; write 'policy: posix'"
        yield (key,), about
    if isinstance(phase.offset, str) and not file.shared:
        about = f"{phase.offset} is for a file that all processes share; write 'shared: true'"
        yield ("offset",), f"{about} in files.{phase.file}"
    if "draw" in phase.given and phase.order != "random":
        yield ("draw",), "has no effect without 'order: random'; leave it out, or write that too"
    record = phase.record if phase.record is not None else job.record
    if phase.offset == INTERLEAVED and record is not None and not isinstance(record, int):
        yield ("offset",), "interleaved needs records of one size; write 'record: 64 kB'"
    if phase.do == "read" and not file.exists:
        written = _written(workload, index, at, phase.file)
        if not written:
            about = f"{shown(phase.file)} neither exists nor is written before"
            about = (
                f"{about}; write 'exists: true' in files.{phase.file}, or a phase that writes it"
            )
            yield ("file",), about
        elif not phase.placed and (phase.size or file.size) > written:
            size = format_size(phase.size or file.size)
            about = f"reads {size}, but only {format_size(written)} is written before"
            yield ("size" if phase.size else "file",), f"{about}; write a smaller size here"


def _durable(workload: Workload, phase: Transfer) -> Iterator[Fault]:
    """Find synchronous and direct phases that cannot be so."""
    if phase.synchronous and phase.do == "read":
        yield ("synchronous",), "is for writing: reading waits for its data anyway; leave it out"
    for key in ("synchronous", "direct"):
        if getattr(phase, key) and workload.files[phase.file].layout is not None:
            about = f"is not for a file with a layout, and files.{phase.file} has one"
            yield (key,), f"{about}; leave one of them out"


def _written(workload: Workload, index: int, at: Path, name: str) -> int:
    """Bytes of a file that may be written before a phase: by its job, or if it is shared by all."""
    file = workload.files[name]
    most = 0
    for other, job in enumerate(workload.jobs):
        if other != index and not file.shared:
            continue
        again = job.repeat > 1 or job.until is not None
        for later, phase in job.every_phase():
            if not _writes(phase, name):
                continue
            if other == index and not (again or _before(later, at)):
                continue
            part = isinstance(phase, Transfer) and phase.offset is None and phase.size
            most = max(most, part or file.size)
    return most


def _before(one: Path, other: Path) -> bool:
    """Whether a phase may be carried out before another: it stands before, or in its loop."""
    looped = len(one) > 2 and one[:2] == other[:2]
    return looped or places_of(one) < places_of(other)


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
    for at, phase in job.every_phase():
        file = workload.files.get(phase.file) if isinstance(phase, Transfer) else None
        layout = file is not None and file.layout is not None
        if isinstance(phase, MpiTransfer) or layout:
            about = "what its library does is counted before the run, and so needs a number of"
            yield at, f"{about} rounds; write 'repeat' instead of 'until', or another phase"


def _writes(phase: Phase, name: str) -> bool:
    """Whether a phase writes a file."""
    if isinstance(phase, MpiTransfer):
        return phase.writes and phase.file == name
    return isinstance(phase, Transfer) and phase.do == "write" and phase.file == name


def _mesh(phase: Exchange, ranks: int) -> Iterator[Fault]:
    if phase.pattern == "mesh" and phase.rows * phase.columns != ranks:
        shape = f"{phase.rows} x {phase.columns}"
        about = f"a mesh of {shape} is not {ranks} processes; write 'rows' and 'columns' whose"
        yield ("pattern",), f"{about} product is {ranks}"
    elif phase.pattern != "mesh":
        for key in ("rows", "columns"):
            if key in phase.given:
                yield (key,), f"has no effect with pattern {phase.pattern}; leave it out"


def _locks(job: Job) -> Iterator[Fault]:
    """Find locks taken twice or given back without being taken."""
    held: set[str] = set()
    yield from _locked(job.phases or (), (), held)
    for name in sorted(held):
        yield (), f"{shown(name)} is locked at the end; write '{{do: unlock, name: {name}}}'"


def _locked(phases: Sequence[Phase], at: Path, held: set[str]) -> Iterator[Fault]:
    """Find them in phases one after the other; a loop has to end with the locks it begins with."""
    for number, phase in enumerate(phases):
        where: Path = (*at, "phases", number)
        if isinstance(phase, Loop):
            before = set(held)
            yield from _locked(phase.phases, where, held)
            for name in sorted(held ^ before):
                state = "held at the end of this loop, but not" if name in held else "held"
                about = f"{shown(name)} is {state} at its begin; lock and unlock it in the loop"
                yield where, f"{about}, or both outside"
            held.clear()
            held.update(before)
        elif isinstance(phase, Lock):
            if (phase.do == "lock") == (phase.name in held):
                wrong = "is held already" if phase.do == "lock" else "is not held here"
                yield (*where, "name"), f"{shown(phase.name)} {wrong}; leave this phase out"
            (held.add if phase.do == "lock" else held.discard)(phase.name)
