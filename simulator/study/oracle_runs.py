"""Runs of single parts under loads that theory has an answer for.

Each function drives the real station, disk, cache or link with a few actors and returns
what happened; what should have happened is in :mod:`simulator.study.oracles`. Random gaps
and sizes come in as arrays; a size of 1 byte takes 1 ns at the stations used here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import simpy
from numpy.typing import NDArray

from simulator.machine.actor import Actor, Steps
from simulator.machine.cache import UnitCache
from simulator.machine.crossbar import Port
from simulator.machine.disk import Disk, DiskSpec
from simulator.machine.fair import FairStation
from simulator.machine.ssu import CachedFile, Ssu, SsuSpec
from simulator.machine.station import ServiceSpec, Station, take_all
from simulator.machine.volumes import Backing, VolumeFile
from simulator.paths.scfs import Scfs

Times: TypeAlias = NDArray[np.int64]
"""Nanoseconds, or sizes that take as many."""

NS = ServiceSpec(1e9)
"""A service of 1 ns for each byte."""


def station(name: str = "station", servers: int = 1) -> Station:
    """A station at which a size is a service time in ns."""
    return Station(name, NS, servers=servers)


def _run(env: simpy.Environment, *processes: Steps) -> None:
    for process in processes:
        env.process(process)
    env.run()


def open_waits(at: Station, gaps: Times, sizes: Times) -> Times:
    """Wait of each request that arrives after its gap, whatever became of those before."""
    env = simpy.Environment()
    source = Actor(env, 0, "source")
    waits = []

    def arrive() -> Steps:
        for gap, size in zip(gaps.tolist(), sizes.tolist(), strict=True):
            yield source.until(source.now + gap)
            waits.append(at.take(source, size) - source.now - size)

    _run(env, arrive())
    return np.array(waits)


def losses(servers: int, room: int, gaps: Times, sizes: Times) -> Times:
    """1 for each request that found ``room`` others in the system and went away, else 0."""
    env = simpy.Environment()
    source = Actor(env, 0, "source")
    at = station(servers=servers)
    present: list[int] = []
    lost = []

    def arrive() -> Steps:
        nonlocal present
        for gap, size in zip(gaps.tolist(), sizes.tolist(), strict=True):
            yield source.until(source.now + gap)
            present = [end for end in present if end > source.now]
            lost.append(int(len(present) >= room))
            if not lost[-1]:
                present.append(at.take(source, size))

    _run(env, arrive())
    return np.array(lost)


def disk_waits(gaps: Times, jumps: Iterable[bool], spec: DiskSpec, size: int) -> Times:
    """Wait of each request at a disk; one that jumps does not continue the one before."""
    env = simpy.Environment()
    source = Actor(env, 0, "source")
    disk = Disk("disk", spec)
    waits = []

    def arrive() -> Steps:
        at = 0
        disk.request(source, 0, (at, at + size), size)
        for gap, jump in zip(gaps.tolist(), jumps, strict=True):
            yield source.until(source.now + gap)
            at += 2 * size if jump else size
            waits.append(disk.request(source, 0, (at, at + size), size)[0])

    _run(env, arrive())
    return np.array(waits)


def closed_cycles(
    at: Sequence[Station], thinks: Sequence[Times], sizes: Sequence[Sequence[Times]]
) -> tuple[Times, Times]:
    """Clients that think and then visit each station: when each cycle ended, and its response.

    ``thinks`` has an array for each client, ``sizes`` an array for each client and station.
    """
    env = simpy.Environment()
    cycles: list[tuple[int, int]] = []

    def live(client: Actor, think: Times, visits: Sequence[Times]) -> Steps:
        for pause, *needs in zip(think.tolist(), *(v.tolist() for v in visits), strict=True):
            yield client.until(client.now + pause)
            began = client.now
            for one, size in zip(at, needs, strict=True):
                yield client.until(one.take(client, size))
            cycles.append((client.now, client.now - began))

    actors = [Actor(env, number, f"client{number}") for number in range(len(thinks))]
    _run(env, *(live(*client) for client in zip(actors, thinks, sizes, strict=True)))
    # As soon as a client has no more cycles the others meet less traffic than they should.
    least = min(actor.now for actor in actors)
    ends, responses = np.array(cycles).T
    return ends[ends <= least], responses[ends <= least]


def tandem_sojourns(gaps: Times, first: Times, second: Times) -> Times:
    """Time that each request spends at two stations one after the other."""
    env = simpy.Environment()
    source, carrier = Actor(env, 0, "source"), Actor(env, 1, "carrier")
    here, there = station("first"), station("second")
    between: deque[tuple[int, int]] = deque()
    sojourns = []

    def arrive() -> Steps:
        for gap, size in zip(gaps.tolist(), first.tolist(), strict=True):
            yield source.until(source.now + gap)
            between.append((source.now, here.take(source, size)))
            if len(between) == 1:
                carrier.wake()

    def carry() -> Steps:
        for size in second.tolist():
            if not between:
                yield carrier.blocked()
            began, departure = between[0]
            yield carrier.until(departure)
            between.popleft()
            sojourns.append(there.take(carrier, size) - began)

    _run(env, carry(), arrive())
    return np.array(sojourns)


def fair_sojourns(gaps: Times, sizes: Times) -> Times:
    """Time that each transfer spends on a link that is shared fairly."""
    env = simpy.Environment()
    count = len(gaps)
    source, link = Actor(env, 0, "source"), FairStation(env, count + 1, "link", NS)
    sojourns = np.zeros(count, dtype=np.int64)

    def send(number: int, size: int) -> Steps:
        sender = Actor(env, number + 1, "sender")
        yield link.take(sender, size)
        sojourns[number] = sum(sender.spent["link"])

    def arrive() -> Steps:
        for number, (gap, size) in enumerate(zip(gaps.tolist(), sizes.tolist(), strict=True)):
            yield source.until(source.now + gap)
            env.process(send(number, size))

    _run(env, arrive())
    return sojourns


def joins(sizes: NDArray[np.int64]) -> Times:
    """How long each row of requests takes when they go to as many idle stations at once."""
    env = simpy.Environment()
    client = Actor(env, 0, "client")
    stations = [station(f"station{i}") for i in range(sizes.shape[1])]
    times = []

    def fork() -> Steps:
        for row in sizes.tolist():
            began = client.now
            yield client.until(take_all(client, list(zip(stations, row, strict=True))))
            times.append(client.now - began)

    _run(env, fork())
    return np.array(times)


def pipeline_ns(chunks: int, size: int, rates: Sequence[float]) -> int:
    """When the last of ``chunks`` has gone through stations of these rates, one by one."""
    env = simpy.Environment()
    stations = [Station(f"stage{i}", ServiceSpec(rate)) for i, rate in enumerate(rates)]

    def go(chunk: Actor) -> Steps:
        for stage in stations:
            yield chunk.until(stage.take(chunk, size))

    _run(env, *(go(Actor(env, number, f"chunk{number}")) for number in range(chunks)))
    return int(env.now)


def cache_hits(slots: int, pages: Sequence[int]) -> Times:
    """1 for each read of a page that the cache holds, else 0."""
    cache = UnitCache(slots=slots, unit=1, share=1, files=1)
    hits = []
    for page in pages:
        slot = cache.find(page)
        hits.append(int(slot >= 0))
        if slot < 0:
            slot = cache.admit(page, 0, write=False)
            cache.settle(slot)
        cache.touch(slot)
    return np.array(hits)


def disk_services(spec: DiskSpec, places: Sequence[int]) -> Times:
    """Service of a request of no bytes at each of these addresses, one after the other."""
    env = simpy.Environment()
    client = Actor(env, 0, "client")
    disk = Disk("disk", spec)
    services = []

    def visit() -> Steps:
        for place in places:
            _, done = disk.request(client, 0, (place, place), 0)
            services.append(done - client.now)
            yield client.until(done)

    _run(env, visit())
    return np.array(services)


def write_behind_ns(spec: SsuSpec, size: int, *, rate_in: float, rate_out: float) -> int:
    """When a burst of ``size`` bytes is in the SSU, which writes it back meanwhile."""
    env = simpy.Environment()
    free = ServiceSpec(float("inf"))
    disk = Disk("disk", DiskSpec(rate=rate_out))
    where = VolumeFile(volumes=0, stripes=1, base=0, first=0)
    backing = Backing(Station("paths", free), [[disk]], [where])
    file = CachedFile(0, 0, 0, length=0, size=size)
    ssu = Ssu(spec, backing, [file])
    ports = [Port(Station("in", free), Station("out", free)) for _ in range(2)]
    channels = [Station(name, ServiceSpec(rate_in)) for name in ("read", "write")]
    scfs = Scfs(ssu, ports[0], read_channel=channels[0], write_channel=channels[1])
    client, worker = Actor(env, 0, "client"), Actor(env, 1, "worker")
    _run(env, scfs.write(client, ports[1], file, 0, size), ssu.work(worker))
    return client.now
