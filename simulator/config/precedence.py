"""What holds in the end where a phase, its job and the machine may each say something."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.config.machine import Machine, Policy
from simulator.config.record import Record
from simulator.config.workload import AccessPath, File, Job, Transfer, Workload
from simulator.units import Bytes


@dataclass(frozen=True, slots=True)
class Effective:
    """How one phase reads or writes its file."""

    size: Bytes
    record: Record
    buffer: Bytes
    policy: Policy
    path: AccessPath


def filesystem_of(machine: Machine, file: File) -> str:
    """Name the file system of a file: its own, or the machine's first."""
    return file.filesystem if file.filesystem is not None else next(iter(machine.filesystems))


def effective(machine: Machine, workload: Workload, job: Job, phase: Transfer) -> Effective:
    """Say how ``phase`` of ``job`` goes: its own word first, then the job's, then the machine's.

    ValueError if nobody gives a record size, which a loaded workload always does.
    """
    record = phase.record if phase.record is not None else job.record
    if record is None:
        raise ValueError(f"job {job.name!r} has no size of its records")
    fortran = machine.fortran
    return Effective(
        size=phase.size or workload.files[phase.file].size,
        record=record,
        buffer=phase.buffer or job.buffer or fortran.buffer,
        policy=phase.policy or job.policy or fortran.policy,
        path=phase.path or job.path,
    )
