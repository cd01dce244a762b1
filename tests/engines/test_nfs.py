"""NFS by hand, on both engines: unstable writes and a commit, a client's slots, a server's threads.

A WRITE or READ of 100 B takes 1,000 ns at the server's processor, a commit 5,000.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent

RPC, COMMIT = 1000, 5000


def client(*, slots: int = 0, writers: int = 1, window: int = 1, **nodes: int) -> Hand:
    """Clients with a page cache, and a server that keeps what it is sent in its own."""
    hand = Hand(**{"client": 1, "server": 1, **nodes})
    hand.part("rpc", "server", "delay", overhead_ns=RPC)
    hand.part("slots", "client", servers=max(1, slots))
    hand.part("disk", "server", rate=1e12)
    hand.part("log", "server", "journal", overhead_ns=COMMIT)
    hand.store("pages", "client", slots=50, workers=writers, extent=1)
    hand.store("kept", "server", slots=50, workers=1)
    above = [hand.kept("pages"), hand.request(100, window), *([hand.hold("slots")] * (slots > 0))]
    below = [hand.work("rpc"), hand.kept("kept"), hand.commit("log"), hand.stage("disk")]
    hand.path("nfs", [*above, *below])
    return hand


@pytest.mark.parametrize(("writers", "rounds"), [(1, 8), (2, 4), (3, 3), (8, 1), (20, 1)])
def test_unstable_writes_are_pipelined_and_committed_once(writers: int, rounds: int) -> None:
    """Eight WRITEs, so many at one time, then the server writes 800 B to its disk and commits."""
    hand = client(writers=writers)
    hand.file("f", "nfs", 800)
    hand.process("p", hand.listed(*[("write", "f", 100 * n, 100) for n in range(8)], ("sync", "f")))
    ran = run(hand)
    # The first worker's COMMIT comes behind: syncs pass the server's processor too.
    assert ends(ran)[0] == pytest.approx(rounds * RPC + RPC + COMMIT, abs=20)
    assert ran.parts["server.log"].busy_ns == COMMIT
    assert ran.parts["server.rpc"].requests == 8 + 1


def test_stable_writes_wait_for_a_commit_each() -> None:
    hand = client(writers=8)
    hand.file("f", "nfs", 800)
    hand.process("p", hand.listed(*[("write-sync", "f", 100 * n, 100) for n in range(8)]))
    ran = run(hand)
    assert ends(ran)[0] == pytest.approx(8 * (2 * RPC + COMMIT), abs=20)
    assert ran.parts["server.log"].busy_ns == 8 * COMMIT


@pytest.mark.parametrize(("slots", "rounds"), [(1, 8), (2, 4), (3, 3), (8, 1), (16, 1)])
def test_a_clients_slots_bound_what_all_its_processes_have_under_way(
    slots: int, rounds: int
) -> None:
    """Two processes read four pieces each at once, eight in all; two nodes have slots of each."""
    for nodes, wait in ((1, rounds), (2, -(-4 // slots))):
        hand = client(slots=slots, window=4, client=nodes)
        for number in range(2):
            hand.file(f"f{number}", "nfs", 400, length=400)
            calls = hand.listed(("read-direct", f"f{number}", 0, 400))
            hand.process(f"p{number}", calls, node=number % nodes)
        ran = run(hand)
        assert max(ends(ran)) == pytest.approx(wait * RPC, abs=20)


@pytest.mark.parametrize(("threads", "expected"), [(1, 2 * (300 + 700)), (2, 300 + 2 * 700)])
def test_work_of_a_server_overlaps_as_its_threads_do(threads: int, expected: int) -> None:
    """Two requests of 300 ns at one part and 700 at another: one thread does all of one first."""
    hand = Hand(client=2, server=1)
    hand.part("nfsd", "server", servers=threads)
    hand.part("copy", "server", overhead_ns=300)
    hand.part("disk", "server", rate=100 / 700 * 1e9)
    hand.path("nfs", [hand.hold("nfsd"), hand.work("copy"), hand.stage("disk")])
    fields: dict[str, Any] = {"length": 100}
    for number in range(2):
        hand.file(f"f{number}", "nfs", 100, **fields)
        hand.process(f"p{number}", hand.listed(("read", f"f{number}", 0, 100)), node=number)
    ran = run(hand)
    assert max(ends(ran)) == expected
    waits = {1: {"nfsd": (1000, 0), "copy": (0, 300), "disk": (0, 700)}}
    assert spent(ran, 1) == waits.get(threads, {"copy": (300, 300), "disk": (400, 700)})
