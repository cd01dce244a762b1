"""From typed sections to a plan: names are looked up, records counted, PEs and files placed."""

from __future__ import annotations

from simulator.config.identity import digest
from simulator.config.machine import Machine
from simulator.config.precedence import Effective, effective, filesystem_of
from simulator.config.record import LognormalRecord, Record, UniformRecord
from simulator.config.stores import Array, Disk, Ssu, Tape
from simulator.config.volumes import Volumes
from simulator.config.workload import Compute, Job, Transfer, Workload
from simulator.engine.plan import (
    ChannelPlan,
    FilePlan,
    JobPlan,
    LanPlan,
    MachinePlan,
    NoisePlan,
    PhasePlan,
    Plan,
    VolumeGroup,
)
from simulator.machine.disk import DiskSpec
from simulator.machine.noise import stream_key
from simulator.machine.pe import PeSpec
from simulator.machine.ssu import SsuSpec
from simulator.machine.station import ServiceSpec
from simulator.runtime.lengths import Lengths
from simulator.runtime.records import MARK
from simulator.workload.lengths import CycledLengths, UniformLengths, fixed, lognormal

_UNLIMITED = float("inf")
_SUBRECORD = 2**31
"""Longer records are divided, with two more lengths each time."""


def make_plan(
    machine: Machine,
    workload: Workload,
    *,
    seed: int = 0,
    noisy: bool = False,
    run: int = 0,
    known_digest: str = "",
) -> Plan:
    """Flatten a machine and a workload that fit together (see ``check_together``).

    ``known_digest`` is theirs, if somebody has it already.
    """
    if workload.traced is not None:
        return _traced(machine, workload, seed=seed, noisy=noisy, run=run)
    placed = _Placement(machine, workload, seed)
    jobs = placed.jobs()
    return Plan(
        machine=machine_plan(machine),
        files=tuple(placed.files),
        jobs=jobs,
        seed=seed,
        run=run,
        noisy=noisy,
        digest=known_digest or digest(machine, workload),
        workload=workload.name,
    )


def _traced(machine: Machine, workload: Workload, *, seed: int, noisy: bool, run: int) -> Plan:
    from simulator.config.traced import read_traced, traced_plan

    traced, placing = read_traced(workload)
    plan = traced_plan(machine, traced, placing, seed=seed, noisy=noisy)
    return plan.with_run(run, plan.runs)


# -- the machine ----------------------------------------------------------------------------


def machine_plan(machine: Machine) -> MachinePlan:
    """The parts of a machine, as engines take them."""
    ssu = machine.ssu
    frontend = machine.frontend
    return MachinePlan(
        name=machine.name,
        pes=machine.pe.small + machine.pe.large,
        pe=PeSpec(
            copy_rate=machine.pe.copy_rate,
            record_overhead_ns=machine.pe.record_overhead,
            call_overhead_ns=machine.pe.call_overhead,
            turn_overhead_ns=machine.fortran.turn_overhead,
        ),
        port=ServiceSpec(machine.crossbar.port_rate, machine.crossbar.latency),
        ssu=None if ssu is None else _ssu_spec(ssu),
        channels=None if ssu is None else _channels(ssu),
        lan=_lan_plan(machine),
        paths=frontend.paths,
        path=ServiceSpec(frontend.path_rate, frontend.path_overhead),
        volumes=tuple(
            VolumeGroup(name=name, count=storage.count, spec=_disk_spec(storage))
            for name, storage in machine.storage.items()
        ),
        noise={
            kind: NoisePlan(run_sd=deviation.run, request_sd=deviation.request)
            for kind, deviation in machine.noise
        },
    )


def _ssu_spec(ssu: Ssu) -> SsuSpec:
    return SsuSpec(
        capacity=ssu.capacity,
        unit=ssu.unit,
        share=ssu.capacity if ssu.share is None else ssu.share,
        release=ssu.release,
        triggers=frozenset(ssu.writeback.start),
        workers=ssu.writeback.workers,
        high_mark=ssu.writeback.high_mark,
        low_mark=ssu.writeback.low_mark,
    )


def _channels(ssu: Ssu) -> ChannelPlan:
    return ChannelPlan(
        count=ssu.channels,
        read=ServiceSpec(ssu.read_rate, ssu.request_overhead),
        write=ServiceSpec(ssu.write_rate, ssu.request_overhead),
        ports=ssu.ports,
    )


def _lan_plan(machine: Machine) -> LanPlan | None:
    if machine.lan is None or machine.nfs is None:
        return None
    return LanPlan(
        link=ServiceSpec(machine.lan.rate, machine.lan.latency),
        fair=machine.lan.sharing == "fair",
        rpc_size=machine.nfs.rpc_size,
        server=ServiceSpec(_UNLIMITED, machine.nfs.server_overhead),
    )


def _disk_spec(storage: Disk | Array | Tape) -> DiskSpec:
    if isinstance(storage, Tape):
        return DiskSpec(rate=storage.rate, overhead_ns=storage.overhead, mount_ns=storage.mount)
    spec = DiskSpec(
        rate=storage.rate,
        overhead_ns=storage.overhead,
        seek_ns=storage.seek,
        turn_ns=storage.turn,
        capacity=storage.capacity,
    )
    if isinstance(storage, Array):
        return spec
    return DiskSpec(
        rate=storage.rate,
        overhead_ns=storage.overhead,
        seek_ns=storage.seek,
        turn_ns=storage.turn,
        capacity=storage.capacity,
        track_seek_ns=storage.track_seek or 0,
        full_seek_ns=storage.full_seek or 0,
        rotation_drawn=storage.rotation == "drawn",
    )


# -- the workload ---------------------------------------------------------------------------


class _Placement:
    """Gives each client its PEs and each of its files a place on the volumes."""

    def __init__(self, machine: Machine, workload: Workload, seed: int) -> None:
        self.machine = machine
        self.workload = workload
        self.seed = seed
        self.files: list[FilePlan] = []
        self._number: dict[str, int] = {}
        self._volumes = Volumes(machine)

    def jobs(self) -> tuple[JobPlan, ...]:
        """Every client of the workload, in its order."""
        plans = []
        first_pe = 0
        for job in self.workload.jobs:
            for i in range(job.count):
                name = job.name if job.count == 1 else f"{job.name}.{i}"
                phases = tuple(self._phase(job, name, number) for number in range(len(job.phases)))
                plans.append(
                    JobPlan(
                        name=name,
                        first_pe=first_pe,
                        pes=job.pes,
                        start_ns=job.start,
                        repeat=job.repeat,
                        phases=phases,
                    )
                )
                first_pe += job.pes
        return tuple(plans)

    def _phase(self, job: Job, client: str, number: int) -> PhasePlan:
        phase = job.phases[number]
        if isinstance(phase, Compute):
            return PhasePlan(work="compute", compute_ns=phase.time)
        how = effective(self.machine, self.workload, job, phase)
        lengths = self._lengths(how, f"{client}/{number}/records")
        return PhasePlan(
            work=phase.do,
            file=self._file(client, phase, how, lengths),
            lengths=lengths,
            buffer=how.buffer,
            policy=how.policy,
            path=how.path,
        )

    def _lengths(self, how: Effective, stream: str) -> Lengths:
        record: Record = how.record
        if isinstance(record, int):
            return fixed(record, how.size)
        if isinstance(record, tuple):
            return CycledLengths(record, how.size)
        key = stream_key(self.seed, 0, stream)
        if isinstance(record, UniformRecord):
            return UniformLengths(key, how.size, record.from_, record.to)
        assert isinstance(record, LognormalRecord)
        return lognormal(key, how.size, record.median, record.spread, record.largest)

    def _file(self, client: str, phase: Transfer, how: Effective, lengths: Lengths) -> int:
        """The number of a client's file; placed when it is first met."""
        file = self.workload.files[phase.file]
        name = phase.file if file.shared else f"{client}/{phase.file}"
        marks = 0 if how.policy == "posix" else lengths.count + how.size // _SUBRECORD
        extent = how.size + 2 * MARK * marks
        number = self._number.get(name)
        if number is not None:
            self._grow(number, extent, how, exists=file.exists)
            return number
        home = filesystem_of(self.machine, file)
        where = self._volumes.place(home, max(extent, file.size))
        plan = FilePlan(
            name=name,
            length=extent if file.exists else 0,
            size=extent,
            where=where,
            prestaged=file.prestage,
            cached=how.path == "scfs",
        )
        self.files.append(plan)
        self._number[name] = len(self.files) - 1
        return len(self.files) - 1

    def _grow(self, number: int, extent: int, how: Effective, *, exists: bool) -> None:
        """Let a file that is met again be as long as its longest transfer."""
        old = self.files[number]
        self.files[number] = FilePlan(
            name=old.name,
            length=max(old.length, extent) if exists else 0,
            size=max(old.size, extent),
            where=old.where,
            prestaged=old.prestaged,
            cached=old.cached or how.path == "scfs",
        )
