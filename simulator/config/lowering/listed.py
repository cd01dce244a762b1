"""Listed calls, as a trace has them, as processes of a plan."""

from __future__ import annotations

import functools
from array import array
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError
from simulator.plan.codes import BARRIER, LISTED, LOCK, PASS, RECEIVE, SEND, UNLOCK, WAIT
from simulator.plan.jobs import PhasePlan, ProcessPlan
from simulator.workload.callfile import read_calls
from simulator.workload.traced import Meetings, Traced, with_buffer

if TYPE_CHECKING:
    from simulator.config.jobs import Calls, Job
    from simulator.config.lowering.nodes import Placed
    from simulator.config.lowering.plan import Lowering
    from simulator.config.workload_file import Workload


def read_listed(workload: Workload, number: int) -> Traced:
    """Read the calls that a job names; ConfigError or CallFileError tells what is wrong."""
    calls = workload.jobs[number].calls
    assert calls is not None
    path = Path(workload.origin.file).parent / calls.file
    try:
        status = path.stat()
        traced = _read(path, workload.jobs[number].name, status.st_mtime_ns, status.st_size)
    except OSError as error:
        key = f"jobs.{number}.calls.file"
        place = workload.origin.place(("jobs", number, "calls", "file"))
        about = f"{path}: {error.strerror}; write the name of the CSV file with the calls"
        raise ConfigError([place.problem(key, about)]) from None
    traced = traced.thinking(Fraction(calls.think).limit_denominator(10**9))
    return traced if calls.buffer is None else with_buffer(traced, calls.buffer)[0]


@functools.lru_cache(maxsize=2)
def _read(path: Path, name: str, _changed: int, _size: int) -> Traced:
    """Read a file once for many variants."""
    return read_calls(path, name)


def add_listed(whole: Lowering, job: Job, place: Placed) -> None:
    """Add the processes of a job of listed calls."""
    traced = read_listed(whole.workload, whole.workload.jobs.index(job))
    assert job.calls is not None
    whole.digests.append(traced.digest)
    add_traced(whole, job, place, traced, files_of(whole, job.calls, traced, place.group))


def add_traced(whole: Lowering, job: Job, place: Placed, traced: Traced, files: list[int]) -> None:
    """Add the clients of a traced job as processes; ``files`` are their numbers in the plan."""
    table, into = traced.table, whole.operations
    first, marks = len(into), whole.marks
    whole.marks += table.marks
    into.kind.extend(table.kind)
    into.file.extend(array("i", [files[file] if file >= 0 else -1 for file in table.file]))
    numbers = _meeting(whole, traced, place.group)
    if marks or traced.meetings != Meetings():
        numbers |= dict.fromkeys((PASS, WAIT), range(marks, whole.marks))
        moved = (
            numbers[kind][offset] if kind in numbers else offset
            for kind, offset in zip(table.kind, table.offset, strict=True)
        )
        into.offset.extend(array("q", moved))
    else:
        into.offset.extend(table.offset)
    into.size.extend(table.size)
    into.gap.extend(table.gap)
    into.column.extend(array("h", [-1]) * len(table))
    count = whole.machine.tables.groups[place.group].count
    alone = len(whole.workload.jobs) == 1
    for client in traced.clients:
        phase = PhasePlan(kind=LISTED, first=first + client.first, count=client.calls)
        whole.processes.append(
            ProcessPlan(
                name=client.name if alone else f"{job.name}.{client.name}",
                job=job.name,
                group=place.group,
                node=((job.first_node or 0) + client.place) % count,
                cpu=whole.machine.tables.cpus.get(place.group, -1),
                start_ns=job.start + client.start_ns,
                born=client.born + marks if client.born >= 0 else -1,
                phases=(phase,),
            )
        )


def _meeting(whole: Lowering, traced: Traced, group: int) -> dict[int, Sequence[int]]:
    """Return the numbers in the plan of the locks, barriers and channels of a traced job."""
    there, first = traced.meetings, len(whole.processes)
    names = [f"{traced.name}:{number}" for number in range(there.locks)]
    locks = [whole.locks.setdefault(name, len(whole.locks)) for name in names]
    barriers = range(len(whole.barriers), len(whole.barriers) + len(there.barriers))
    whole.barriers += there.barriers
    channels = [
        whole.channel(first + source, first + target, group) for source, target in there.channels
    ]
    return {LOCK: locks, UNLOCK: locks, BARRIER: barriers, SEND: channels, RECEIVE: channels}


def files_of(whole: Lowering, calls: Calls, traced: Traced, group: int) -> list[int]:
    """Return the number in the plan of each file of a traced job."""
    filesystem = whole.machine.system(calls.filesystem)
    path = whole.machine.path(filesystem, calls.path)
    return [
        whole.files.place(
            file.name,
            (filesystem, path, group),
            length=file.length,
            size=max(file.size, file.length),
            most=0,
            prestaged=calls.prestage and file.length > 0,
        )
        for file in traced.files
    ]
