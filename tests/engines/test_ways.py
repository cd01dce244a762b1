"""Whole ways by hand on both engines: NFS request by request, printing with a copy, shared data."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.paths import Hold
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent

DISK = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=600)
POSITIONING = 1000
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


def machine(*, fair: bool = False, clients: int = 1) -> Hand:
    """PEs on a crossbar with a control processor, a LAN, and a server with a disk."""
    hand = Hand(pe=clients, cp=1, server=1)
    for group, prefix in (("pe", ""), ("cp", "cp-")):
        for way in ("in", "out"):
            hand.part(prefix + way, group, rate=1e9 / 2, overhead_ns=5)
    hand.part("lan", "cp", "shared" if fair else "queue", rate=1e8, overhead_ns=200)
    hand.part("nfsd", "server", overhead_ns=SERVED)
    hand.part("path", "server", rate=1e9 / 6, overhead_ns=40, servers=clients)
    hand.part("disk", "server", "disk", spec=DISK)
    return hand


def nfs(*moves: tuple[str, int, int], **fields: Any) -> Result:
    """Clients with a file each, which read or write (offset, size) at time 0."""
    hand = machine(clients=len(moves), **fields)
    over = replace(hand.stage("out", "cp-in"), up=hand.stage("cp-out", "in").down)
    hand.path(
        "nfs",
        [
            replace(hand.request(RPC), aligned=False),
            over,
            hand.stage("lan"),
            hand.work("nfsd"),
            hand.stage("path"),
            hand.stage("disk"),
        ],
    )
    for number, (kind, offset, size) in enumerate(moves):
        hand.file(f"f{number}", "nfs", 1000, base=1000 * number)
        rows = hand.listed((kind, f"f{number}", offset, size))
        hand.process(f"p{number}", rows, node=number)
    return run(hand)


# -- NFS ----------------------------------------------------------------------------------------


def test_a_small_write_is_one_request_that_ends_on_disk() -> None:
    result = nfs(("write", 0, 50))
    steps = {
        "out": crossbar(50),
        "lan": lan(50),
        "nfsd": SERVED,
        "path": path(50),
        "disk": POSITIONING + disk(50),
    }
    assert spent(result) == {part: (0, service) for part, service in steps.items()}
    assert ends(result) == [sum(steps.values())]
    assert result.parts["cp.cp-in"].bytes == 50


def test_a_small_read_comes_back_the_other_way() -> None:
    result = nfs(("read", 0, 50))
    assert set(spent(result)) == {"nfsd", "disk", "path", "lan", "cp-out"}
    whole = SERVED + POSITIONING + disk(50) + path(50) + lan(50) + crossbar(50)
    assert ends(result) == [whole]
    assert result.parts["cp.cp-out"].bytes == 50


@pytest.mark.parametrize("kind", ["read", "write"])
def test_a_call_is_divided_into_requests_one_after_the_other(kind: str) -> None:
    """They begin at the call, wherever that is; the arm moves once."""
    result = nfs((kind, 7, 100))
    pieces = [crossbar(n) + lan(n) + SERVED + path(n) + disk(n) for n in (RPC, 40)]
    assert ends(result) == [POSITIONING + sum(pieces)]
    assert result.parts["server.nfsd"].requests == 2


def test_two_requests_cost_one_overhead_more_at_each_part() -> None:
    """M9: a call that fits a request, and two of half its size."""
    (whole,) = ends(nfs(("write", 0, 60)))
    hand_of_half = [ends(nfs(("write", 0, 30)))[0] - POSITIONING for _ in range(2)]
    assert sum(hand_of_half) + POSITIONING - whole == 5 + 200 + SERVED + 40 + 50


def test_clients_queue_for_a_lan_that_serves_one_after_the_other() -> None:
    """Both cross at the same time: the control processor's port takes one after the other."""
    result = nfs(("write", 0, 50), ("write", 0, 50))
    assert spent(result)["lan"] == (0, lan(50))
    assert spent(result, 1)["cp-in"] == (crossbar(50), 0)
    assert spent(result, 1)["lan"] == (lan(50) - crossbar(50), lan(50))


def test_clients_share_a_fair_lan() -> None:
    """The first is alone for a gap, and so is the second; in between each has half."""
    result = nfs(("write", 0, 50), ("write", 0, 50), fair=True)
    gap = crossbar(50)
    assert [spent(result, client)["lan"] for client in (0, 1)] == [(lan(50) - gap, lan(50))] * 2


# -- printing -----------------------------------------------------------------------------------


def printing(*rows: tuple[str, str, int, int], repeat: int = 1, start_ns: int = 0) -> Result:
    """Print into memory; what was printed is copied to disk, in pieces of 60, after the job."""
    hand = machine()
    hand.part("memory", "cp", rate=1e9 / 4, overhead_ns=30)
    behind = [hand.stage("lan"), hand.stage("path"), hand.stage("disk")]
    drain = hand.chain([replace(hand.request(RPC), aligned=False), *behind])
    hand.path("print", [hand.stage("memory")], drain=drain)
    for number, name in enumerate("fg"):
        hand.file(name, "print", 1000, base=5000 * number)
    hand.process("p", hand.listed(*rows), repeat=repeat, start_ns=start_ns)
    return run(hand)


def copy(size: int) -> int:
    pieces = [RPC] * (size // RPC) + [size % RPC] * bool(size % RPC)
    return POSITIONING + sum(lan(n) + path(n) + disk(n) for n in pieces)


def test_nobody_waits_for_the_copy_after_a_job() -> None:
    """It goes piece by piece over the LAN to disk, and begins when the job ends."""
    result = printing(("write", "f", 0, 130), start_ns=7000)
    assert result.elapsed_ns == 7000 + 30 + 4 * 130
    assert result.end_ns == result.elapsed_ns + copy(130)
    assert result.parts["server.disk"].requests == 3
    first = next(span for span in result.spans if span.part == "cp.lan")
    assert first.start_ns == result.elapsed_ns


def test_files_are_copied_one_after_the_other() -> None:
    """Two copies of one job once shared a process's clock, and disturbed each other."""
    result = printing(("write", "g", 0, 40), ("write", "f", 0, 40))
    assert result.end_ns == result.elapsed_ns + 2 * copy(40)
    assert result.parts["server.disk"].bytes == 80


def test_a_file_printed_twice_is_copied_once() -> None:
    result = printing(("write", "f", 0, 40), ("write", "f", 0, 40), repeat=2)
    assert result.parts["cp.memory"].bytes == 160
    assert result.parts["server.disk"].bytes == 40


# -- data of one process on several nodes -------------------------------------------------------

COPY = 10
"""Of a record, beside a nanosecond for each byte."""


def shared(kind: str, size: int, nodes: int, unit: int = 0) -> Result:
    """One record of a process whose data are on some nodes; the master does all calls."""
    hand = machine(clients=3)
    hand.parts[0] = replace(hand.parts[0], spec=PeSpec(1e9, COPY, 100, 1000, unit))
    hand.path("fs", [hand.stage("lan")])
    hand.file("f", "fs", 1000, length=1000)
    out, into = (hand._hold(name) for name in ("out", "in"))
    way = replace(hand.stage("out"), down=(out, Hold(into.part, 1)), up=())
    phase = replace(hand.stream("f", size, 1, write=kind == "write"), policy="nwt", buffer=1000)
    hand.process("p", phase, nodes=nodes, exchange=hand.chain([way]))
    return run(hand)


@pytest.mark.parametrize(("unit", "turns"), [(0, 1), (1000, 1), (100, 1), (99, 2), (7, 15)])
@pytest.mark.parametrize("kind", ["write", "read"])
def test_a_flush_costs_once_or_for_each_unit_that_it_touches(
    kind: str, unit: int, turns: int
) -> None:
    """100 bytes from the begin of the file, lengths included, in one call."""
    once, ran = shared(kind, 92, 1), shared(kind, 92, 1, unit)
    assert ran.elapsed_ns == once.elapsed_ns + (turns - 1) * 1000
    assert spent(ran)["cpu"][1] == spent(once)["cpu"][1] + (turns - 1) * 1000


SHARE = COPY + 31
CROSS = 5 + 2 * 31


def test_members_bring_their_shares_one_after_the_other() -> None:
    """Of 92 bytes on three nodes the master has 30, the others 31 each."""
    alone, three = shared("write", 92, 1), shared("write", 92, 3)
    each = SHARE + CROSS + SHARE
    assert three.elapsed_ns == alone.elapsed_ns + 2 * each
    names = [one.name for one in three.processes]
    assert names == ["p", "p/1", "p/2"]
    for rank in (1, 2):
        assert spent(three, rank) == {"cpu": (0, SHARE)}
        assert three.processes[rank].idle_ns == three.elapsed_ns - SHARE
        assert three.processes[rank].write.bytes == 0
    assert three.parts["pe0.in"].bytes == 62


def test_members_get_their_shares_one_after_the_other() -> None:
    alone, three = shared("read", 92, 1), shared("read", 92, 3)
    assert three.elapsed_ns == alone.elapsed_ns + 2 * (SHARE + CROSS + SHARE)
    assert three.parts["pe0.out"].bytes == 62


def test_a_member_that_gets_nothing_is_left_alone() -> None:
    three = shared("write", 1, 3)
    assert [spent(three, rank) for rank in (1, 2)] == [{}, {"cpu": (0, COPY + 1)}]


# -- what the timeline says ---------------------------------------------------------------------


def test_more_time_than_a_server_has_is_never_booked() -> None:
    """No two services of the timeline overlap at a part with one server."""
    result = nfs(("write", 0, 200), ("read", 0, 150), ("write", 0, 90))
    for part in ("cp.lan", "server.nfsd", "server.disk", "cp.cp-in"):
        spans = sorted(
            (one.start_ns, one.start_ns + one.service_ns)
            for one in result.spans
            if one.part == part
        )
        assert len(spans) >= 5
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
