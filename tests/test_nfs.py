"""NFS by hand: request after request, over the crossbar, the LAN and the server, to disk."""

from __future__ import annotations

import simpy

from simulator.machine.actor import Actor, Steps
from simulator.machine.crossbar import Port
from simulator.machine.disk import Disk
from simulator.machine.fair import FairStation
from simulator.machine.lan import Lan
from simulator.machine.station import Station
from simulator.machine.volumes import Backing, VolumeFile
from simulator.paths.nfs import Nfs
from tests.actors import Life, act
from tests.plans import DISK, LINK, PATH, PORT, SERVER

RPC = 60
SERVED = 400


def crossbar(size: int) -> int:
    return 5 + 2 * size


def lan(size: int) -> int:
    return 200 + 10 * size


def path(size: int) -> int:
    return 40 + 6 * size


def disk(size: int) -> int:
    """Continuing the request before."""
    return 50 + 8 * size


POSITIONING = 1000


class Rig:
    def __init__(self, *, fair: bool = False, clients: int = 1) -> None:
        self.env = simpy.Environment()
        self.link = (
            FairStation(self.env, clients + 1, "lan", LINK) if fair else Station("lan", LINK)
        )
        self.server = Station("server", SERVER)
        self.disk = Disk("d0", DISK)
        wheres = [VolumeFile(0, 1, base=1000 * i, first=0) for i in range(clients)]
        backing = Backing(Station("paths", PATH, servers=clients), [[self.disk]], wheres)
        self.port = self.a_port("cp")
        self.nfs = Nfs(self.port, Lan(self.link), self.server, backing, rpc_size=RPC)

    def a_port(self, name: str) -> Port:
        return Port(Station(f"{name}.in", PORT), Station(f"{name}.out", PORT))

    def client(self, op: str, size: int, *, file: int = 0, offset: int = 0) -> Life:
        port = self.a_port("pe")

        def life(actor: Actor) -> Steps:
            move = self.nfs.read if op == "read" else self.nfs.write
            yield from move(actor, port, file, offset, size)

        return life

    def run(self, *lives: Life) -> list[Actor]:
        return act(*lives, env=self.env)


def test_a_small_write_is_one_request_that_ends_on_disk() -> None:
    rig = Rig()
    (client,) = rig.run(rig.client("write", 50))
    steps = {
        "pe.out": crossbar(50),
        "lan": lan(50),
        "server": SERVED,
        "paths": path(50),
        "d0": POSITIONING + disk(50),
    }
    assert client.spent == {part: [0, service] for part, service in steps.items()}
    assert client.now == sum(steps.values())
    assert rig.port.inward.bytes == 50


def test_a_small_read_comes_back_the_other_way() -> None:
    rig = Rig()
    (client,) = rig.run(rig.client("read", 50))
    assert list(client.spent) == ["server", "d0", "paths", "lan", "cp.out"]
    assert client.now == SERVED + POSITIONING + disk(50) + path(50) + lan(50) + crossbar(50)
    assert rig.port.outward.bytes == 50


def test_a_call_is_divided_into_requests_one_after_the_other() -> None:
    for op in ("read", "write"):
        rig = Rig()
        (client,) = rig.run(rig.client(op, 100))
        pieces = [crossbar(n) + lan(n) + SERVED + path(n) + disk(n) for n in (RPC, 40)]
        assert client.now == POSITIONING + sum(pieces)
        assert rig.server.requests == 2


def test_requests_begin_at_the_offset_of_the_call() -> None:
    """A second call that goes on where the first ended does not move the arm."""
    rig = Rig()

    def life(actor: Actor) -> Steps:
        yield from rig.client("write", 30)(actor)
        yield from rig.client("write", 30, offset=30)(actor)

    (client,) = rig.run(life)
    assert client.spent["d0"] == [0, POSITIONING + 2 * disk(30)]


def test_a_call_of_nothing_takes_no_time() -> None:
    rig = Rig()
    assert rig.run(rig.client("read", 0))[0].now == 0


def test_clients_queue_for_a_lan_that_serves_one_after_the_other() -> None:
    rig = Rig(clients=2)
    first, second = rig.run(*(rig.client("write", 50, file=i) for i in range(2)))
    assert first.spent["lan"] == [0, lan(50)]
    # Both cross at the same time: the control processor's port takes one after the other.
    assert second.spent["cp.in"] == [crossbar(50), 0]
    assert second.spent["lan"] == [lan(50) - crossbar(50), lan(50)]


def test_clients_share_a_fair_lan() -> None:
    rig = Rig(fair=True, clients=2)
    first, second = rig.run(*(rig.client("write", 50, file=i) for i in range(2)))
    gap = crossbar(50)
    # The first is alone for a gap, and so is the second; in between each has half.
    assert first.spent["lan"] == [lan(50) - gap, lan(50)]
    assert second.spent["lan"] == [lan(50) - gap, lan(50)]
