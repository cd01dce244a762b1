"""Processes of queues: their nodes, data, memory and accounts."""

from __future__ import annotations

from typing import Any

from simulator.native.run import run_native
from simulator.plan.codes import COMPUTE
from simulator.plan.jobs import PhasePlan
from simulator.plan.queues import BatchPlan, PoolPlan, QueuePlan
from tests.engines.hand import Hand


def test_members_run_on_nodes_that_are_apart() -> None:
    """j1 gets nodes 0 and 2: a share of 50 of 100 B is packed there, and crosses from there."""
    hand = Hand(node=3)
    hand.part("link", "node", rate=1e9)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.path("between", [hand.stage("link")])
    hand.file("f", "fs", 100)
    hand.process("j0", PhasePlan(kind=COMPUTE, compute_ns=1000), queued=True, job="j0")
    hand.process("k0", PhasePlan(kind=COMPUTE, compute_ns=10), queued=True, job="k0")
    exchange = hand.paths[1].top
    hand.process(
        "j1",
        hand.stream("f", 100, 1, write=True),
        queued=True,
        job="j1",
        nodes=2,
        exchange=exchange,
    )
    jobs = tuple(
        BatchPlan(name=name, submit_ns=at, nodes=nodes, requested_ns=1000, first=first, count=1)
        for name, at, nodes, first in (("k0", 0, 1, 1), ("j0", 1, 1, 0), ("j1", 20, 2, 2))
    )
    queue = QueuePlan(name="batch", group=0, pools=(PoolPlan(first=0, count=3),), jobs=jobs)
    result = run_native(hand.plan(queues=(queue,)), debug=True)
    assert result.queues[0].nodes_of(2).tolist() == [0, 2]
    assert {name: one.bytes for name, one in result.parts.items() if "link" in name} == {
        "node2.link": 50
    }
    assert result.parts["node0.disk"].bytes == 100
    assert [one.name for one in result.processes] == ["j0", "k0", "j1"]


def two_jobs(hand: Hand, *processes: int) -> QueuePlan:
    """A job that keeps node 0 for 1,000 ns, and one on the two nodes behind it, from 20 on."""
    first = hand.process(
        "keeps", PhasePlan(kind=COMPUTE, compute_ns=1000), queued=True, job="keeps"
    )
    usual: dict[str, Any] = {"requested_ns": 1000}
    jobs = (
        BatchPlan(name="keeps", submit_ns=0, nodes=1, first=first, count=1, **usual),
        BatchPlan(
            name="job", submit_ns=20, nodes=2, first=processes[0], count=len(processes), **usual
        ),
    )
    count = hand.groups[0].count
    return QueuePlan(name="batch", group=0, pools=(PoolPlan(first=0, count=count),), jobs=jobs)


def test_processes_run_on_the_nodes_of_their_job() -> None:
    """p0 and p1 on the job's node 0, p2 on its node 1; what they write is drained from there.

    A write of 100 B at 1 GB/s takes 100 ns, on p0 and p1's node one after the other.
    """
    hand = Hand(node=3)
    hand.part("memory", "node", rate=1e9)
    hand.part("link", "node", rate=1e8)
    hand.path("fs", [hand.stage("memory")], drain=hand.chain([hand.stage("link")]))
    for name in ("a", "b", "c"):
        hand.file(name, "fs", 100)
    made = [
        hand.process(f"p{i}", hand.listed(("write", name, 0, 100)), queued=True, node=node)
        for i, (name, node) in enumerate((("a", 0), ("b", 0), ("c", 1)))
    ]
    result = run_native(hand.plan(queues=(two_jobs(hand, *made),)), debug=True)
    assert result.queues[0].nodes_of(1).tolist() == [1, 2]
    ended = {one.name: (one.started_ns, one.ended_ns) for one in result.processes}
    assert [ended[f"p{i}"] for i in range(3)] == [(20, 120), (20, 220), (20, 120)]
    moved = {name: (one.requests, one.bytes) for name, one in result.parts.items()}
    assert {name: one for name, one in moved.items() if "cpu" not in name} == {
        name: moved[name] for name in ("node1.memory", "node2.memory", "node1.link", "node2.link")
    }
    assert moved["node1.link"][1] == 2 * moved["node2.link"][1] == 200


def test_memory_is_held_on_the_nodes_of_a_job() -> None:
    """300 of 400 B for the members on nodes 1 and 2: one block is left for the pages of each."""
    hand = Hand(node=4)
    hand.part("disk", "node", rate=1e9)
    hand.store("pages", "node", elastic=True)
    hand.path("fs", [hand.kept("pages"), hand.stage("disk")])
    hand.file("f", "fs", 400, length=400)
    held = hand.process(
        "p", hand.listed(("read", "f", 0, 400)), queued=True, nodes=2, memory=300, exchange=-1
    )
    result = run_native(hand.plan(queues=(two_jobs(hand, held),)), debug=True)
    assert result.queues[0].nodes_of(1).tolist() == [1, 2]
    counts = result.stores["node1.pages"].counts
    assert (counts["misses"], counts["evicted"], counts["resident"]) == (4, 3, 1)


def test_the_accounts_of_ended_processes_are_kept() -> None:
    """200 jobs of a node use the same few actors; each has waited for a disk, and been served."""
    hand = Hand(node=2)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 10_000, length=10_000)
    jobs = []
    for number in range(200):
        first = hand.process(
            f"p{number}", hand.listed(("read", "f", 0, 10 + number)), queued=True, job=f"{number}"
        )
        jobs.append(
            BatchPlan(
                name=f"{number}", submit_ns=0, nodes=1, requested_ns=1000, first=first, count=1
            )
        )
    pool = PoolPlan(first=0, count=2)
    queue = QueuePlan(name="batch", group=0, pools=(pool,), jobs=tuple(jobs))
    result = run_native(hand.plan(queues=(queue,)), debug=True)
    assert [one.spent["disk"] for one in result.processes] == [
        (0, 10 + number) for number in range(200)
    ]
