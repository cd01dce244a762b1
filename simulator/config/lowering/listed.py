"""Listed calls, as a trace has them, as processes of a plan."""

from __future__ import annotations

import functools
import stat
from array import array
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from simulator.config.errors import Path, label_of
from simulator.config.part import CPU
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan, ProcessPlan
from simulator.workload.callfile import read_calls
from simulator.workload.traced import Meetings, Traced, with_buffer

if TYPE_CHECKING:
    from simulator.config.lowering.plan import Lowering
    from simulator.config.lowering.process import ProcessBuilder
    from simulator.config.phase import JobNodes
    from simulator.config.workload_file import Calls, Job, Workload


def read_listed(workload: Workload, at: Path, calls: Calls) -> Traced:
    """Read the calls at a place of a workload; ConfigError or CallFileError tells what is wrong.

    ``at`` begins with ``"jobs"`` and the number of the job.
    """
    path = FilePath(workload.origin.file).parent / calls.file
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            about = f"{path}: this is a device or a pipe; name a file"
            raise workload.refused((*at, "file"), about)
        name = workload.jobs[int(at[1])].name
        traced = _read(path, name, status.st_mtime_ns, status.st_size)
    except OSError as error:
        about = f"{path}: {error.strerror}; write the name of the CSV file with the calls"
        raise workload.refused((*at, "file"), about) from None
    traced = traced.thinking(Fraction(calls.think).limit_denominator(10**9))
    return traced if calls.buffer is None else with_buffer(traced, calls.buffer)[0]


@functools.lru_cache(maxsize=2)
def _read(path: FilePath, name: str, _changed: int, _size: int) -> Traced:
    """Read a file once for many variants."""
    return read_calls(path, name)


def add_listed(whole: Lowering, job: Job, place: JobNodes) -> None:
    """Add the processes of a job of listed calls."""
    assert job.calls is not None
    at = ("jobs", whole.workload.jobs.index(job), "calls")
    traced = read_listed(whole.workload, at, job.calls)
    whole.digests.append(traced.digest)
    add_traced(whole, job, place, traced, files_of(whole, job.calls, traced, place.group))


def add_traced(
    whole: Lowering, job: Job, place: JobNodes, traced: Traced, files: list[tuple[int, int]]
) -> None:
    """Add the clients of a traced job as processes; ``files``: their numbers and paths."""
    table, into = traced.table, whole.operations
    first, marks = len(into), whole.marks
    whole.marks += table.marks
    into.kind.extend(table.kind)
    into.file.extend(array("i", [files[file][0] if file >= 0 else -1 for file in table.file]))
    numbers = _meeting(whole, traced, place.group)
    if marks or traced.meetings != Meetings():
        numbers |= dict.fromkeys((codes.PASS, codes.WAIT), range(marks, whole.marks))
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
    into.path.extend(array("i", [files[file][1] if file >= 0 else -1 for file in table.file]))
    count = whole.machine.tables.groups[place.group].count
    nodes = [((job.first_node or 0) + one.place) % count for one in traced.clients]
    rows = [(one.first, one.calls) for one in traced.clients]
    if not traced.meetings.locks and any(map(whole.files.write_lock_ns, {one for one, _ in files})):
        from simulator.config.lowering.turns import take_turns

        rows = take_turns(whole, first, rows, nodes)
    alone = len(whole.workload.jobs) == 1
    for client, node, (begin, calls) in zip(traced.clients, nodes, rows, strict=True):
        phase = PhasePlan(kind=codes.LISTED, first=first + begin, count=calls)
        whole.processes.append(
            ProcessPlan(
                name=client.name if alone else f"{job.name}.{client.name}",
                job=job.name,
                group=place.group,
                node=node,
                cpu=whole.machine.tables.of_group(CPU, place.group),
                start_ns=job.start + client.start_ns,
                born=client.born + marks if client.born >= 0 else -1,
                phases=(phase,),
            )
        )


def add_client(process: ProcessBuilder, calls: Calls, phase: Path) -> None:
    """Add the calls of one client of a list to a process, as a phase of its job.

    With n clients process k does what client k mod n does. ConfigError if some would do nothing
    that others wait for, or if there are marks that would be passed already the next time.
    """
    whole, job = process.whole, process.job
    at: Path = ("jobs", whole.workload.jobs.index(job), *phase, "calls")
    traced = read_listed(whole.workload, at, calls)
    table, clients = traced.table, traced.clients
    if job.ranks % len(clients):
        about = f"{calls.file} has {len(clients)} clients, and the job {job.ranks} processes"
        about = f"{about}; write 'processes: {len(clients)}', or a multiple"
        raise whole.workload.refused(at, about)
    if traced.meetings.counters:
        about = f"{calls.file} has 'post' and 'take', which only a job of its own can have"
        raise whole.workload.refused(at, f"{about}; write it as 'calls' of the job")
    if table.marks and (job.rounds or job.times(phase) > 1):
        about = f"clients of {calls.file} wait for each other, which they can do only once"
        raise whole.workload.refused(
            at, f"{about}; leave out 'repeat', 'arrivals', 'until' and loops"
        )
    if process.rank == 0:
        whole.digests.append(traced.digest)
    marks = whole.list_marks(job, f"{process.instance}/{label_of(phase)}", table.marks)
    files = files_of(whole, calls, traced, process.group)
    client = clients[process.rank % len(clients)]
    whole.check_room(client.calls, job)
    into = whole.operations
    if client.born >= 0:
        into.add(codes.WAIT, offset=marks + client.born)
    if client.start_ns:
        into.add(codes.PAUSE, size=client.start_ns)
    for row in range(client.first, client.first + client.calls):
        kind, file, offset = table.kind[row], table.file[row], table.offset[row]
        offset += marks if kind in (codes.PASS, codes.WAIT) else 0
        number, path = files[file] if file >= 0 else (-1, -1)
        into.add(kind, number, offset, table.size[row], gap=table.gap[row], path=path)


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
    channels += [whole.counter(first + target) for target in there.counters]
    return {
        codes.LOCK: locks,
        codes.UNLOCK: locks,
        codes.BARRIER: barriers,
        codes.SEND: channels,
        codes.RECEIVE: channels,
    }


def files_of(whole: Lowering, calls: Calls, traced: Traced, group: int) -> list[tuple[int, int]]:
    """Return the number in the plan of each file of a traced job, and the path to it."""
    way = (*whole.machine.way(calls), group)
    numbers = [
        whole.files.place(
            file.name,
            way,
            length=file.length,
            size=max(file.size, file.length),
            most=0,
            prestaged=calls.prestage and file.length > 0,
            stripes=file.stripes,
        )
        for file in traced.files
    ]
    return [(number, whole.files.path_to(number, way)) for number in numbers]
