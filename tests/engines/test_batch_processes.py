"""Processes of batch queues by hand, on both engines: their nodes, and runs that end too soon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from simulator.native.run import run_native
from simulator.plan.errors import MOST, BlockedError
from simulator.plan.jobs import ChannelPlan, PhasePlan
from simulator.plan.plan import Plan
from simulator.plan.queues import BatchPlan, PoolPlan, QueuePlan
from simulator.reference.run import run_reference
from simulator.result.queues import QueueResult
from simulator.result.result import Result
from tests.engines.batches import Batch
from tests.engines.hand import Hand
from tests.reference.runs import both

# -- processes ------------------------------------------------------------------------------------


def test_a_job_ends_with_its_last_process() -> None:
    batch = Batch()
    batch.job(0, 4, 10, 100, 30)
    batch.job(0, 1, 5)
    result = batch.run()
    assert result.queues[0].end.tolist() == [100, 105]
    assert [one.started_ns for one in result.processes] == [0, 0, 0, 100]


def test_processes_have_the_nodes_of_their_job() -> None:
    """Each writes 100 B through its node's disk at 1 ns for a byte, on nodes 1 and 3."""
    hand = Hand(node=4)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 1000)
    usual = {"queued": True}
    for name in "abc":
        hand.process(name, PhasePlan(compute_ns=50 if name == "b" else 500), **usual)
    for rank in range(2):
        row = ("write", "f", 100 * rank, 100)
        hand.process(f"d{rank}", hand.listed(row), node=rank, **usual)
    jobs = [
        BatchPlan(name=name, submit_ns=0, nodes=1, requested_ns=500, first=row, count=1)
        for row, name in enumerate("abc")
    ]
    last = BatchPlan(name="d", submit_ns=60, nodes=2, requested_ns=500, first=3, count=2)
    pool = PoolPlan(first=0, count=4)
    queue = QueuePlan(name="batch", group=0, pools=(pool,), jobs=(*jobs, last))
    result = both(hand.plan(queues=(queue,)))
    assert result.queues[0].nodes_of(3).tolist() == [1, 3]
    assert result.queues[0].end[3] == 160
    assert [(span.part, span.start_ns) for span in result.spans if "cpu" not in span.part] == [
        ("node1.disk", 60),
        ("node3.disk", 60),
    ]


def in_the_middle(hand: Hand, first: int, count: int, nodes_of_it: int) -> Result:
    """Run a job on nodes 0, 2, ... of the group: 1 is another's."""
    before = [
        hand.process(f"before{number}", PhasePlan(compute_ns=(5, 900)[number]), queued=True)
        for number in range(2)
    ]
    jobs = [
        BatchPlan(name=f"b{row}", submit_ns=0, nodes=1, requested_ns=900, first=row, count=1)
        for row in before
    ]
    one = BatchPlan(
        name="it", submit_ns=10, nodes=nodes_of_it, requested_ns=900, first=first, count=count
    )
    pool = PoolPlan(first=0, count=hand.groups[0].count)
    queue = QueuePlan(name="batch", group=0, pools=(pool,), jobs=(*jobs, one))
    return both(hand.plan(queues=(queue,)))


def cards(count: int) -> Hand:
    """Nodes with a card for sending and one for receiving each, of 1 ns for a byte."""
    hand = Hand(node=count)
    for name in ("out", "in", "disk"):
        hand.part(name, "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 1000)
    return hand


def way_of(hand: Hand) -> int:
    out, into = hand.stage("out", "in").down
    return hand.chain([replace(hand.stage(), down=(out, replace(into, slot=1)))])


def test_members_share_data_on_the_nodes_of_their_job() -> None:
    """Of 100 bytes member 1, on node 2, sends 50 to member 0; nobody has an account for it."""
    hand = cards(3)
    stream = hand.stream("f", 100, 1, write=True)
    number = hand.process("p", stream, nodes=2, exchange=way_of(hand), queued=True)
    result = in_the_middle(hand, number, 1, 2)
    used = [(span.part, span.start_ns, span.service_ns) for span in result.spans]
    assert sorted(one for one in used if "cpu" not in one[0]) == [
        ("node0.disk", 60, 100),
        ("node0.in", 10, 50),
        ("node2.out", 10, 50),
    ]
    assert [one.name for one in result.processes] == ["p", "before0", "before1"]
    assert result.processes[0].spent == {"out": (0, 50), "disk": (0, 100)}


def test_messages_go_between_the_nodes_of_a_job() -> None:
    hand = cards(3)
    hand.channels.append(ChannelPlan(source=0, target=1, top=way_of(hand)))
    hand.process("p", hand.listed(("send", 0, 0, 100)), queued=True)
    hand.process("q", hand.listed(("receive", 0)), node=1, queued=True)
    result = in_the_middle(hand, 0, 2, 2)
    assert [name for name in result.parts if "cpu" not in name] == ["node0.out", "node2.in"]
    assert result.queues[0].end.tolist()[2] == 110


def test_a_copy_follows_a_process_from_its_node() -> None:
    hand = cards(3)
    drain = hand.chain([hand.stage("disk")])
    hand.path("spool", [], drain=drain)
    hand.file("g", "spool", 1000)
    number = hand.process("p", hand.listed(("write", "g", 0, 70)), node=1, queued=True)
    result = in_the_middle(hand, number, 1, 2)
    assert result.queues[0].end[2] == 10
    copied = [(span.part, span.start_ns) for span in result.spans if "disk" in span.part]
    assert copied == [("node2.disk", 10)]


def test_the_memory_of_a_process_is_that_of_its_nodes() -> None:
    """A cache of four blocks keeps one where a process on member 2 holds three."""
    hand = cards(3)
    hand.store("pages", "node", workers=0, elastic=True)
    hand.path("cached", [hand.kept("pages"), hand.stage("disk")])
    hand.file("g", "cached", 1000, length=1000)
    reads = [("read", "g", 0, 100), ("read", "g", 100, 100), ("read", "g", 0, 100)]
    number = hand.process("p", hand.listed(*reads), node=1, memory=300, queued=True)
    result = in_the_middle(hand, number, 1, 2)
    assert result.stores["node2.pages"].counts["misses"] == 3


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
    result = both(hand.plan(queues=(queue,)))
    assert [one.spent["disk"] for one in result.processes] == [
        (0, 10 + number) for number in range(200)
    ]


# -- blocked runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [run_reference, run_native])
def test_a_run_that_ends_while_jobs_wait_names_them(run: Callable[[Plan], Result]) -> None:
    batch = Batch(pools=(PoolPlan(first=0, count=4, off=((50, MOST),)),), ahead=1)
    batch.job(0, 4, 40)
    batch.job(10, 4, 20, take=(5,))
    batch.job(11, 4, 20, bring=(5,))
    with pytest.raises(BlockedError) as error:
        run(batch.plan())
    assert error.value.blocked == {
        "job1.0": "its job to start (queue batch)",
        "job1.out.0": "the end of its job",
        "job2.0": "its job to start (queue batch)",
        "job2.in.0": "its queue to bring its data",
    }


def test_a_queue_without_jobs() -> None:
    result = Batch().run()
    assert (result.events, result.queues) == (
        0,
        [QueueResult("batch", first=result.queues[0].first)],
    )
