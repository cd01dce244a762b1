"""A traced job on a machine: its files get places, its clients PEs, and it becomes a plan."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from simulator.config.errors import ConfigError, did_you_mean
from simulator.config.identity import digest_of_machine
from simulator.config.machine import Machine
from simulator.config.plan import machine_plan
from simulator.config.stores import Tape
from simulator.config.volumes import Volumes
from simulator.config.workload import Workload
from simulator.engine.plan import FilePlan, JobPlan, PhasePlan, Plan
from simulator.errors import InputError
from simulator.units import format_size
from simulator.workload.callfile import read_calls
from simulator.workload.traced import Traced, with_buffer

TracedPath = Literal["scfs", "nfs"]


@dataclass(frozen=True, slots=True)
class Placing:
    """What is said of all files of a traced job."""

    path: TracedPath = "scfs"
    filesystem: str | None = None
    """The machine's first if left out."""
    prestage: bool = False
    """Whether files that were there before are in the SSU when the job starts."""


def traced_plan(
    machine: Machine,
    traced: Traced,
    placing: Placing,
    *,
    known: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    noisy: bool = False,
) -> Plan:
    """Make a plan of a traced job; InputError if the machine cannot carry it out.

    ``known`` are files whose place a simulated run has written down: see ``traces/simulated.py``.
    """
    _check_path(machine, placing)
    pes = machine.pe.small + machine.pe.large
    jobs = tuple(
        JobPlan(
            name=client.name,
            first_pe=client.place % pes,
            pes=1,
            start_ns=client.start_ns,
            repeat=1,
            phases=(PhasePlan(work="calls", first_call=client.first, calls=client.calls),),
            born=client.born,
        )
        for client in traced.clients
    )
    text = f"{digest_of_machine(machine)} {traced.digest} {placing}"
    return Plan(
        machine=machine_plan(machine),
        files=_files(machine, traced, placing, known or {}),
        jobs=jobs,
        seed=seed,
        noisy=noisy,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        workload=traced.name,
        calls=traced.table,
    )


def read_traced(workload: Workload) -> tuple[Traced, Placing]:
    """Read the calls that a workload file names; InputError tells what is wrong with them."""
    section = workload.traced
    assert section is not None
    path = Path(workload.origin.file).parent / section.calls
    try:
        status = path.stat()
        traced = _read(path, workload.name, status.st_mtime_ns, status.st_size)
    except OSError as error:
        place = workload.origin.place(("traced", "calls"))
        about = f"{path}: {error.strerror}; write the name of the CSV file with the calls"
        raise ConfigError([place.problem("traced.calls", about)]) from None
    traced = traced.thinking(Fraction(section.think).limit_denominator(10**9))
    if section.buffer is not None:
        traced, _ = with_buffer(traced, section.buffer)
    path_name: TracedPath = "nfs" if section.path == "nfs" else "scfs"
    return traced, Placing(path_name, section.filesystem, section.prestage)


@functools.lru_cache(maxsize=2)
def _read(path: Path, name: str, _changed: int, _size: int) -> Traced:
    """Read a file once for many variants."""
    return read_calls(path, name)


def _check_path(machine: Machine, placing: Placing) -> None:
    if placing.path == "scfs" and machine.ssu is None:
        raise InputError(f"scfs needs an SSU, which {machine.name} does not have; use nfs")
    if placing.path == "nfs" and (machine.lan is None or machine.nfs is None):
        raise InputError(f"nfs needs a LAN and NFS, which {machine.name} does not have; use scfs")
    if placing.prestage and placing.path != "scfs":
        raise InputError("prestaging needs the SSU: use the path scfs, or do not prestage")
    wanted = placing.filesystem
    if wanted is not None and wanted not in machine.filesystems:
        near = did_you_mean(wanted, machine.filesystems)
        raise InputError(f"{wanted!r} is not a file system of {machine.name}; {near}")


def _files(
    machine: Machine, traced: Traced, placing: Placing, known: Mapping[str, Mapping[str, Any]]
) -> tuple[FilePlan, ...]:
    volumes = Volumes(machine)
    filesystem = placing.filesystem or next(iter(machine.filesystems))
    plans = []
    for file in traced.files:
        there = known.get(file.name)
        plan = volumes.as_before(file.name, there) if there is not None else None
        if plan is not None:
            plans.append(plan)
            continue
        size = max(file.size, file.length)
        plans.append(
            FilePlan(
                name=file.name,
                length=file.length,
                size=size,
                where=volumes.place(filesystem, size),
                prestaged=placing.prestage and file.length > 0,
                cached=placing.path == "scfs",
                path=placing.path,
            )
        )
    _check_room(machine, volumes)
    return tuple(plans)


def _check_room(machine: Machine, volumes: Volumes) -> None:
    for name, used in volumes.used.items():
        storage = machine.storage[name]
        if not isinstance(storage, Tape) and used > storage.count * storage.capacity:
            room = format_size(storage.count * storage.capacity)
            raise InputError(
                f"the files of the trace need {format_size(used)} on {name}, which has {room};"
                " name another file system, or give the machine more disks"
            )
