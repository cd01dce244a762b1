"""The reference engine's machine: every part of a plan, built and plugged together."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from simulator.engine.identities import Books
from simulator.engine.result import PartResult, Span
from simulator.machine.crossbar import Port
from simulator.machine.disk import Disk
from simulator.machine.fair import FairStation
from simulator.machine.lan import Lan
from simulator.machine.pe import Pe
from simulator.machine.ssu import CACHE_PART, WRITEBACK_PART, CacheCounts, CachedFile, Ssu
from simulator.machine.station import ServiceSpec, Station
from simulator.machine.volumes import Backing
from simulator.paths.nfs import Nfs
from simulator.paths.scfs import Scfs
from simulator.paths.svio import Svio

if TYPE_CHECKING:
    import simpy

    from simulator.engine.plan import MachinePlan, Plan
    from simulator.machine.noise import Noise

AnyPart = Station | FairStation | Pe


class LoggedStation(Station):
    """A station that writes down every service, for the timeline."""

    __slots__ = ("log",)

    log: list[Span]

    def occupy(self, server: int, start_ns: int, service_ns: int, size: int) -> int:
        """As a station does, and remember it."""
        self.log.append(Span(self.name, start_ns, service_ns, size))
        return super().occupy(server, start_ns, service_ns, size)


class LoggedDisk(Disk):
    """A disk that writes down every service, for the timeline."""

    __slots__ = ("log",)

    log: list[Span]

    def occupy(self, server: int, start_ns: int, service_ns: int, size: int) -> int:
        """As a disk does, and remember it."""
        self.log.append(Span(self.name, start_ns, service_ns, size))
        return super().occupy(server, start_ns, service_ns, size)


class LoggedFairStation(FairStation):
    """A fair link that writes down every transfer, for the timeline."""

    log: list[Span]

    def note(self, start_ns: int, duration_ns: int, size: int) -> None:
        """Remember a transfer that has ended."""
        self.log.append(Span(self.name, start_ns, duration_ns, size))


class Parts:
    """All parts of one run. Only PEs that the plan's jobs use are built."""

    def __init__(
        self,
        env: simpy.Environment,
        plan: Plan,
        lan_number: int,
        *,
        log: bool,
        recorded: bool = False,
    ) -> None:
        self.recorded = recorded
        """Whether clients write down their calls."""
        self.env = env
        self.plan = plan
        self.log: list[Span] | None = [] if log else None
        self.all: list[AnyPart] = []
        machine = plan.machine
        self.pes = [self._pe(machine, i) for i in range(plan.pes)]
        self.ports = [self._port(f"pe{i}", machine.port) for i in range(plan.pes)]
        self.paths = self._station("frontend.paths", machine.path, "frontend", machine.paths)
        self.groups = [
            [self._disk(f"{group.name}{i}", plan, g) for i in range(group.count)]
            for g, group in enumerate(machine.volumes)
        ]
        self.backing = Backing(self.paths, self.groups, [f.where for f in plan.files])
        self.cached: dict[int, CachedFile] = {}
        self.ssu: Ssu | None = None
        self.scfs: Scfs | None = None
        self.svio: Svio | None = None
        self.nfs: Nfs | None = None
        self._build_ssu(machine)
        self._build_lan(machine, lan_number)

    # -- building ---------------------------------------------------------------------

    def _noise(self, kind: str, name: str) -> Noise:
        return self.plan.noise(kind, name)

    def _station(self, name: str, spec: ServiceSpec, kind: str, servers: int = 1) -> Station:
        noise = self._noise(kind, name)
        if self.log is None:
            station = Station(name, spec, servers=servers, noise=noise)
        else:
            station = LoggedStation(name, spec, servers=servers, noise=noise)
            station.log = self.log
        self.all.append(station)
        return station

    def _disk(self, name: str, plan: Plan, group: int) -> Disk:
        spec = plan.machine.volumes[group].spec
        noise = self._noise("storage", name)
        disk = Disk(name, spec, noise=noise)
        if self.log is not None:
            disk = LoggedDisk(name, spec, noise=noise)
            disk.log = self.log
        self.all.append(disk)
        return disk

    def _pe(self, machine: MachinePlan, number: int) -> Pe:
        pe = Pe(f"pe{number}", machine.pe, noise=self._noise("pe", f"pe{number}"))
        self.all.append(pe)
        return pe

    def _port(self, name: str, spec: ServiceSpec, ports: int = 1) -> Port:
        return Port(
            self._station(f"{name}.in", spec, "crossbar", ports),
            self._station(f"{name}.out", spec, "crossbar", ports),
        )

    def _build_ssu(self, machine: MachinePlan) -> None:
        if machine.ssu is None or machine.channels is None:
            return
        block = 0
        for number, file in enumerate(self.plan.files):
            if file.cached:
                cached = CachedFile(len(self.cached), block, number, file.length, file.size)
                self.cached[number] = cached
                block += -(-max(file.size, file.length) // machine.ssu.unit)
        channels = machine.channels
        port = self._port("ssu", machine.port, channels.ports)
        read = self._station("ssu.read", channels.read, "crossbar", channels.count)
        write = self._station("ssu.write", channels.write, "ssu", channels.count)
        self.ssu = Ssu(machine.ssu, self.backing, list(self.cached.values()))
        self.scfs = Scfs(self.ssu, port, read_channel=read, write_channel=write)

    def _build_lan(self, machine: MachinePlan, number: int) -> None:
        plan = machine.lan
        if plan is None:
            return
        link: Station | FairStation
        if plan.fair:
            noise = self._noise("lan", "lan")
            if self.log is None:
                link = FairStation(self.env, number, "lan", plan.link, noise=noise)
            else:
                link = LoggedFairStation(self.env, number, "lan", plan.link, noise=noise)
                link.log = self.log
            self.all.append(link)
        else:
            link = self._station("lan", plan.link, "lan")
        lan = Lan(link)
        server = self._station("nfs.server", plan.server, "frontend")
        port = self._port("cp0", machine.port)
        self.nfs = Nfs(port, lan, server, self.backing, rpc_size=plan.rpc_size)
        if self.scfs is not None:
            self.svio = Svio(
                self.scfs.port, self.scfs.write_channel, lan, self.backing, piece_size=plan.rpc_size
            )

    # -- what they did ------------------------------------------------------------------

    def results(self) -> dict[str, PartResult]:
        """What each part that was used did, by name."""
        done = {
            part.name: PartResult(part.requests, part.bytes, part.busy_ns, part.servers)
            for part in self.all
            if part.requests
        }
        if self.ssu is not None:
            counts = self.ssu.counts
            lookups = counts.hits + counts.misses
            if lookups:
                done[CACHE_PART] = PartResult(lookups, 0, 0)
            if counts.written_back:
                done[WRITEBACK_PART] = PartResult(
                    counts.written_back, counts.written_back_bytes, 0, self.ssu.spec.workers
                )
        return dict(sorted(done.items()))

    def cache_counts(self) -> dict[str, int]:
        """The counters of the cache; all zero without one."""
        if self.ssu is None:
            return asdict(CacheCounts())
        self.ssu.counts.evicted = self.ssu.cache.evicted
        return asdict(self.ssu.counts)

    def books(self) -> Books:
        """The counters that the sample-path identities need."""
        ports = list(self.ports)
        if self.scfs is not None:
            ports.append(self.scfs.port)
        if self.nfs is not None:
            ports.append(self.nfs.port)
        return Books(
            sent=sum(port.outward.bytes for port in ports),
            received=sum(port.inward.bytes for port in ports),
            on_paths=self.paths.bytes,
            on_disks=sum(disk.bytes for group in self.groups for disk in group),
            counts=self.cache_counts(),
            cache=self.ssu.cache if self.ssu is not None else None,
            only_cache=self.nfs is None,
        )
