"""An SSU with its channels, its disks and a port for each client, used without a plan."""

from __future__ import annotations

from collections.abc import Sequence

import simpy

from simulator.machine.actor import Actor, Steps
from simulator.machine.crossbar import Port
from simulator.machine.disk import Disk, DiskSpec
from simulator.machine.ssu import CachedFile, Ssu, SsuSpec
from simulator.machine.station import ServiceSpec, Station
from simulator.machine.volumes import Backing, VolumeFile
from simulator.paths.scfs import Scfs
from tests.actors import Life
from tests.plans import DISK, PATH, PORT, READ_CHANNEL, UNIT, WRITE_CHANNEL

HIT = 20 + 3 * UNIT
"""Reading a whole resident unit: the read channel is the slowest of the route."""
PUT = 30 + 4 * UNIT
"""Writing a whole unit into the SSU."""
ON_PATH = 40 + 6 * UNIT
SEQUENTIAL = 50 + 8 * UNIT
ON_DISK = 1000 + SEQUENTIAL
"""A unit on the disk, positioning included."""
BACK = ON_PATH + ON_DISK
"""Writing a unit back, or fetching it."""


class SsuRig:
    """Files are given as (bytes that exist, bytes they may have)."""

    def __init__(
        self,
        spec: SsuSpec,
        *files: tuple[int, int],
        port: ServiceSpec = PORT,
        read: ServiceSpec = READ_CHANNEL,
        write: ServiceSpec = WRITE_CHANNEL,
        path: ServiceSpec = PATH,
        disk: DiskSpec = DISK,
        apart: int = 10_000,
        disks: int = 1,
        stripes: int = 1,
    ) -> None:
        self.env = simpy.Environment()
        self.port_spec = port
        wheres = [VolumeFile(0, stripes, base=i * apart, first=0) for i in range(len(files))]
        self.disks = [Disk(f"d{i}", disk) for i in range(disks)]
        self.paths = Station("paths", path, servers=max(1, stripes))
        backing = Backing(self.paths, [self.disks], wheres)
        self.files: list[CachedFile] = []
        block = 0
        for i, (length, size) in enumerate(files):
            self.files.append(CachedFile(i, block, i, length=length, size=size))
            block += -(-max(size, length) // spec.unit)
        self.ssu = Ssu(spec, backing, self.files)
        self.read_channel = Station("read", read)
        self.write_channel = Station("write", write)
        self.scfs = Scfs(
            self.ssu,
            self.port("ssu"),
            read_channel=self.read_channel,
            write_channel=self.write_channel,
        )

    def port(self, name: str) -> Port:
        return Port(Station(f"{name}.in", self.port_spec), Station(f"{name}.out", self.port_spec))

    @property
    def disk(self) -> Disk:
        return self.disks[0]

    def prestage(self, file: int = 0) -> int:
        return self.ssu.prestage(self.files[file])

    def client(self, *moves: tuple[object, ...], at: int = 0) -> Life:
        """A client that reads, writes and closes: ("read", file, offset, size), ("close", file).

        ("wait", time) lets it go on at that time.
        """
        port = self.port("pe")

        def life(actor: Actor) -> Steps:
            yield actor.until(at)
            for what, *where in moves:
                if what == "wait":
                    yield actor.until(int(str(where[0])))
                    continue
                number, *span = (int(str(one)) for one in where)
                file = self.files[number]
                if what == "close":
                    yield from self.scfs.close(actor, file)
                elif what == "read":
                    yield from self.scfs.read(actor, port, file, *span)
                else:
                    yield from self.scfs.write(actor, port, file, *span)

        return life

    def run(self, *lives: Life) -> list[Actor]:
        """Let the clients live, with the SSU's workers after them; returns the clients."""
        count = len(lives)
        actors = [Actor(self.env, number, f"client{number}") for number in range(count)]
        workers = [Actor(self.env, count + i, f"w{i}") for i in range(self.ssu.spec.workers)]
        for life, actor in zip(lives, actors, strict=True):
            self.env.process(life(actor))
        for worker in workers:
            self.env.process(self.ssu.work(worker))
        self.env.run()
        return actors

    def resident(self, file: int = 0) -> list[int]:
        """The units of a file that are in the SSU."""
        one = self.files[file]
        count = -(-max(one.size, one.length) // self.ssu.spec.unit)
        return [i for i in range(count) if self.ssu.cache.find(one.first_block + i) >= 0]


def unit(index: int, count: int = 1) -> tuple[int, int]:
    """(offset, size) of some units."""
    return index * UNIT, count * UNIT


def counted(rig: SsuRig, *names: str) -> Sequence[int]:
    return [getattr(rig.ssu.counts, name) for name in names]
