"""Processes that wait for each other, arrive, share data and leave copies: 1 ns for a byte."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulator.kinds.parts.cpu.spec import PeSpec
from simulator.plan.codes import AT_TIMES, CLOSE_FLUSH, FIXED, POISSON
from simulator.plan.errors import SimulationError
from simulator.plan.jobs import ArrivalsPlan, ChannelPlan, PhasePlan
from simulator.plan.noise import Noise
from tests.engines.hand import Hand
from tests.reference.runs import ends, run, spent


def nodes(count: int = 1, cpu: PeSpec | None = None) -> Hand:
    """Nodes with a disk of their own each, and a file on it."""
    hand = Hand(node=count)
    if cpu is not None:
        hand.parts[0] = replace(hand.parts[0], spec=cpu)
    hand.part("disk", "node", rate=1e9)
    hand.path("fs", [hand.stage("disk")])
    hand.file("f", "fs", 1000)
    return hand


def compute(ns: int) -> PhasePlan:
    return PhasePlan(compute_ns=ns)


def test_phases_follow_each_other_and_repeat() -> None:
    hand = nodes(cpu=PeSpec(1e9, call_overhead_ns=5))
    hand.process("p", compute(50), hand.listed(("write", "f", 0, 100, 7)), start_ns=30, repeat=2)
    result = run(hand)
    one = result.processes[0]
    assert (one.started_ns, one.ended_ns, one.compute_ns) == (30, 30 + 2 * 162, 2 * 57)
    assert (one.write.bytes, one.write.calls_ns) == (200, 2 * 105)
    assert spent(result) == {"cpu": (0, 10), "disk": (0, 200)}
    assert result.calls is not None
    assert result.calls.begin.tolist() == [87, 249]


def test_marks_and_births() -> None:
    """One process is born at the mark, one waits for it, one comes when it has been passed."""
    hand = nodes()
    hand.process("p", hand.listed(("pass", 0, 0, 0, 40)))
    hand.process("q", compute(10), born=0)
    for start in (0, 50):
        hand.process(f"r{start}", hand.listed(("wait", 0)), start_ns=start)
    result = run(hand, marks=1)
    assert ends(result) == [40, 50, 40, 50]
    assert result.processes[1].started_ns == 40
    assert (spent(result, 2), spent(result, 3)) == ({"others": (40, 0)}, {})


def test_starting_and_joining() -> None:
    hand = nodes()
    hand.process("p", hand.listed(("start", 1, 0, 0, 30), ("join", 1), ("join", 1)))
    hand.process("q", compute(100), sleeps=True)
    result = run(hand)
    assert ends(result) == [130, 130]
    assert result.processes[1].started_ns == 30
    assert spent(result) == {"others": (100, 0)}


def test_messages_over_a_network() -> None:
    """100 bytes from node 0 to node 1; who comes later finds the message there."""
    hand = Hand(node=2)
    hand.part("card", "node", rate=1e9)
    card = hand.stage("card").down[0]
    way = replace(hand.stage("card"), down=(card, replace(card, slot=1)), up=())
    hand.channels.append(ChannelPlan(source=0, target=1, top=hand.chain([way])))
    hand.process("p", hand.listed(("send", 0, 0, 100), ("send", 0, 0, 50)))
    hand.process("q", hand.listed(("receive", 0), ("receive", 0, 0, 0, 500)), node=1)
    result = run(hand)
    assert ends(result) == [150, 600]
    assert (spent(result), spent(result, 1)) == ({"card": (0, 150)}, {"others": (100, 0)})
    assert result.parts["node1.card"].bytes == 150


def test_messages_without_tiers_take_no_time() -> None:
    hand = nodes()
    hand.channels.append(ChannelPlan(source=1, target=0))
    hand.process("p", hand.listed(("receive", 0)))
    hand.process("q", hand.listed(("send", 0, 0, 100, 20)))
    assert ends(run(hand)) == [20, 20]


def test_metadata_costs_a_call_and_a_request() -> None:
    hand = Hand(node=1, mds=1)
    hand.parts[0] = replace(hand.parts[0], spec=PeSpec(1e9, call_overhead_ns=5))
    hand.part("mds", "mds", overhead_ns=40)
    hand.part("disk", "mds", rate=1e9)
    metadata = hand.chain([hand.work("mds")])
    hand.path("fs", [hand.stage("disk")], metadata=metadata, close=CLOSE_FLUSH)
    hand.file("f", "fs", 1000)
    hand.process("p", hand.stream("f", 100, 1, write=True))
    result = run(hand)
    assert result.latencies["open"].sum_ns == result.latencies["close"].sum_ns == 45
    assert result.processes[0].write.calls_ns == ends(result)[0] == 45 + 105 + 100 + 45


def served(row: ArrivalsPlan, processes: int = 1, ns: int = 100, **fields: int) -> list[int]:
    """Return when each process ended that serves arrivals of so much work."""
    hand = nodes()
    hand.arrivals.append(row)
    for number in range(processes):
        hand.process(f"p{number}", compute(ns), arrivals=0)
    result = run(hand, **fields)
    assert result.latencies["job"].count == row.count
    assert sum(one.compute_ns for one in result.processes) == row.count * ns
    return ends(result)


def test_jobs_arrive_at_an_interval() -> None:
    """At 10, 50, 90: the second begins at 110 and the third at 210."""
    assert served(ArrivalsPlan(kind=FIXED, count=3, gap_ns=40, first_ns=10)) == [310]
    assert served(ArrivalsPlan(kind=FIXED, count=3, gap_ns=140, first_ns=10)) == [390]


def test_processes_take_the_next_job_in_turn() -> None:
    assert served(ArrivalsPlan(kind=AT_TIMES, count=3, times=(5, 6, 7)), 2) == [205, 106]
    assert served(ArrivalsPlan(kind=AT_TIMES, count=1, times=(5,)), 2) == [105, 0]


def test_latencies_and_idle_time_of_jobs() -> None:
    hand = nodes()
    hand.arrivals.append(ArrivalsPlan(kind=AT_TIMES, count=3, times=(10, 50, 500)))
    hand.process("p", compute(100), arrivals=0)
    result = run(hand)
    assert result.latencies["job"].sum_ns == 100 + 160 + 100
    assert result.processes[0].idle_ns == 10 + 290


def test_jobs_arrive_at_random() -> None:
    noise = Noise.exponential(3, 0, "jobs")
    first = noise.stretch(1000, 1)
    second = first + noise.stretch(1000, 2)
    row = ArrivalsPlan(kind=POISSON, count=2, gap_ns=1000, first_ns=20, stream="jobs")
    assert served(row, ns=1, seed=3) == [20 + second + 1]


def test_a_copy_follows_a_process() -> None:
    """The process writes to memory in no time; the copy begins when it has ended."""
    hand = Hand(node=1)
    hand.part("disk", "node", rate=1e9)
    drain = hand.chain([hand.request(100), hand.stage("disk")])
    hand.path("printer", [], drain=drain)
    for name in "fg":
        hand.file(name, "printer", 1000)
    rows = ("write", "g", 0, 50), ("write", "f", 0, 150), ("write", "g", 0, 20)
    hand.process("p", hand.listed(*rows), compute(30))
    result = run(hand)
    assert (ends(result), result.end_ns) == ([30], 230)
    copied = [(span.start_ns, span.bytes) for span in result.spans if span.part == "disk"]
    assert copied == [(30, 50), (80, 100), (180, 50)]


def test_members_that_share_the_data_of_a_process() -> None:
    """Of 100 bytes member 1 has 50: packed, moved, unpacked at 1 ns for a byte, then written."""
    hand = nodes(2, PeSpec(1e9))
    hand.part("card", "node", rate=1e9)
    card = hand.stage("card").down[0]
    way = replace(hand.stage("card"), down=(card, replace(card, slot=1)), up=())
    stream = hand.stream("f", 100, 1, write=True)
    hand.process("p", stream, nodes=2, exchange=hand.chain([way]))
    result = run(hand)
    assert ends(result) == [50 + 50 + 50 + 100 + 100] * 2
    own, other = result.processes
    assert own.spent == {"card": (0, 50), "cpu": (0, 200), "disk": (0, 100)}
    assert (other.name, other.spent, other.idle_ns) == ("p/1", {"cpu": (0, 50)}, 300)


def blocked(hand: Hand, **fields: int) -> str:
    with pytest.raises(SimulationError) as error:
        run(hand, **fields)
    text = str(error.value)
    assert all(f"{name} waits for {what}" in text for name, what in error.value.blocked.items())
    return text


def test_blocked_processes_are_named_with_what_they_wait_for() -> None:
    hand = nodes()
    hand.barriers.append(3)
    hand.channels.append(ChannelPlan(source=1, target=0))
    hand.process("lonely", hand.listed(("receive", 0)))
    hand.process("early", hand.listed(("lock", 0), ("barrier", 0)))
    hand.process("late", hand.listed(("lock", 0)))
    hand.process("done", compute(5))
    assert blocked(hand, locks=1) == (
        "processes are blocked: lonely waits for a message of early (channel 0);"
        " early waits for barrier 0 (1 of 3); late waits for lock 0 (held by early)"
    )


def test_a_blocked_request_names_the_store() -> None:
    """A store without workers cannot make room."""
    hand = nodes()
    hand.store("pages", "node", slots=1, workers=0)
    hand.path("cached", [hand.kept("pages"), hand.stage("disk")])
    hand.file("g", "cached", 1000)
    hand.process("p", hand.listed(("write", "g", 0, 200)))
    assert blocked(hand) == "processes are blocked: p waits for room in pages"
