"""The plan: a validated, flattened job for an engine.

A plan holds whole bytes, whole nanoseconds and specifications; no YAML, no names to look
up. Both engines take it. Everything that varies with the seed is derived from the two
numbers ``seed`` and ``run``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from simulator.machine.noise import SILENT, Noise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.machine.disk import DiskSpec
    from simulator.machine.pe import PeSpec
    from simulator.machine.ssu import SsuSpec
    from simulator.machine.station import ServiceSpec
    from simulator.machine.volumes import VolumeFile
    from simulator.runtime.lengths import Lengths
    from simulator.runtime.listed import CallTable

Work = Literal["read", "write", "compute", "calls"]
PathName = Literal["scfs", "nfs", "svio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisePlan:
    """Log-deviations of the service times of one kind of part."""

    run_sd: float = 0.0
    request_sd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelPlan:
    """The SSU's channels: each takes one transfer in and one out at a time."""

    count: int
    read: ServiceSpec
    write: ServiceSpec
    ports: int = 1
    """Ports of the SSU on the crossbar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanPlan:
    """The LAN between the front end and the control processor, and what runs over it."""

    link: ServiceSpec
    fair: bool
    rpc_size: int
    """Bytes of one NFS request, and of one piece of a remote copy."""
    server: ServiceSpec
    """The NFS server's work for one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeGroup:
    """Equal volumes that a file system stripes over."""

    name: str
    count: int
    spec: DiskSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinePlan:
    """The parts of a machine."""

    name: str
    pes: int
    pe: PeSpec
    port: ServiceSpec
    ssu: SsuSpec | None
    channels: ChannelPlan | None
    lan: LanPlan | None
    paths: int
    path: ServiceSpec
    volumes: tuple[VolumeGroup, ...]
    noise: Mapping[str, NoisePlan] = field(default_factory=dict)
    """Kind of part (pe, crossbar, ssu, lan, frontend, storage) -> its deviations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlan:
    """One file: how long it is at the start, how long it gets, and where it lies."""

    name: str
    length: int
    """Bytes that exist before the run."""
    size: int
    """Bytes it has at most, record lengths included."""
    where: VolumeFile
    prestaged: bool = False
    cached: bool = True
    """Whether anybody reaches it through the SSU's cache."""
    path: PathName = "scfs"
    """How listed calls reach it, scfs or nfs; other phases have a path of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePlan:
    """One phase of a job: a sequential read or write of records, computing, or listed calls."""

    work: Work
    file: int = -1
    lengths: Lengths | None = None
    buffer: int = 0
    policy: str = "nwt"
    path: PathName = "scfs"
    compute_ns: int = 0
    first_call: int = 0
    """The first of its calls in the plan's table."""
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlan:
    """One client: a master PE that does the I/O, and the PEs that it shares data with.

    Clients of listed calls may have the same PE.
    """

    name: str
    first_pe: int
    pes: int
    start_ns: int
    repeat: int
    phases: tuple[PhasePlan, ...]
    born: int = -1
    """The mark that somebody passes when the client is to start; ``start_ns`` if it is -1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A machine and what is to run on it."""

    machine: MachinePlan
    files: tuple[FilePlan, ...]
    jobs: tuple[JobPlan, ...]
    seed: int = 0
    run: int = 0
    runs: int = 0
    """How many runs belong together, this one included; 0 if it stands alone. See ``Noise.of``."""
    noisy: bool = False
    """Whether service times vary."""
    digest: str = ""
    """Of the input that the plan was made from."""
    workload: str = ""
    """Name of the workload."""
    calls: CallTable | None = None
    """The calls of phases that list them."""

    @property
    def pes(self) -> int:
        """How many PEs the jobs use, from the first on."""
        return max((job.first_pe + job.pes for job in self.jobs), default=0)

    def noise(self, kind: str, part: str) -> Noise:
        """The noise of one part of a kind, in this run."""
        plan = self.machine.noise.get(kind)
        if not self.noisy or plan is None:
            return SILENT
        return Noise.of(
            self.seed,
            self.run,
            part,
            run_sd=plan.run_sd,
            request_sd=plan.request_sd,
            runs=self.runs,
        )

    def with_run(self, run: int, runs: int) -> Plan:
        """The same plan as repetition ``run`` (from 0) of ``runs``, with draws of its own."""
        return replace(self, run=run, runs=runs)
