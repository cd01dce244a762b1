"""The engine of message-passing machines: a run by hand, laws of conservation, determinism."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import messages
from simulator.engine.mesh_plan import MeshPlan
from simulator.engine.mesh_result import MeshResult
from simulator.engine.messages import check_mesh, run_mesh
from simulator.machine.message_server import Adapter
from simulator.machine.ports import Message
from simulator.result.errors import SimulationError
from simulator.result.identities import IdentityError
from simulator.workload.follower import Follower, Part
from simulator.workload.split import split
from tests.examples import examples
from tests.meshes import MS, US, plans, small_plan

NO_SERVERS: dict[str, Any] = {
    "message_server__interval": "1 us",
    "message_server__poll": "0 s",
    "message_server__send": "0 s",
    "message_server__deliver": "0 s",
    "message_server__lookup": "0 s",
    "message_server__copy_rate": "1 TB/s",
}


# -- by hand ------------------------------------------------------------------------------------


def test_one_node_computes_and_polls() -> None:
    result = run_mesh(small_plan(nodes=1, rows=30, columns=30), debug=True)
    # 900 updates of 1 us; a loop is 0.9 ms, and of every 10 ms one poll takes 1.
    (node,) = result.nodes
    assert node.parts["computing"][1] == 3 * 900 * US
    assert node.parts["computing"][0] in {0, MS}
    assert (node.points, node.communication_ns) == (900, 0)


def test_two_nodes_that_pay_for_the_network_only() -> None:
    result = run_mesh(small_plan(**NO_SERVERS), debug=True)
    # An edge of 10 points and its header are 180 bytes: 1.18 ms on the LAN. Each node computes
    # its 100 us while the other's edge crosses, so the one LAN is never idle.
    assert result.loop_ns == pytest.approx(2 * (180 * US + MS), abs=2 * US)
    assert result.counts["over_the_network"] == 6 + 2 * 4 + 2 * result.counts["queries"] - 2


def test_a_fair_network_carries_both_at_once() -> None:
    fair = run_mesh(small_plan(**NO_SERVERS, lan__sharing="fair"), debug=True)
    fifo = run_mesh(small_plan(**NO_SERVERS), debug=True)
    assert fair.loop_ns == pytest.approx(fifo.loop_ns, rel=0.5)
    assert fair.counts["network_bytes"] == fifo.counts["network_bytes"]


def test_messages_cost_what_their_servers_take() -> None:
    """Compute, send, cross, deliver; and the other's edge is delivered while one computes."""
    slow = {**NO_SERVERS, "message_server__send": "2 ms", "message_server__deliver": "3 ms"}
    slow |= {"message_server__interval": "20 us", "cpu__update": "1 ms"}
    result = run_mesh(small_plan(**slow, loops=9), debug=True)
    # One of both is always 4.18 ms ahead: its edge comes to a busy processor.
    loop = (100 + 3 + 2 + 1 + 3) * MS + 180 * US
    assert result.loop_ns == pytest.approx(loop, abs=40 * US)
    for node in result.nodes:
        assert node.parts["sending"] == (0, 8 * 2 * MS)
        assert node.parts["computing"] == (4 * 3 * MS, 8 * 100 * MS)


def test_paging_makes_each_loop_wait_for_the_disk() -> None:
    plan = small_plan(nodes=1, rows=400, columns=400, loops=2)
    pages = -(-402 * 402 * 8 // 4096)
    fault = 2 * (10 * MS + 8 * MS + 2048 * US)
    result = run_mesh(plan, debug=True)
    assert result.nodes[0].parts["paging"] == (0, pages * fault)
    assert (
        run_mesh(small_plan(nodes=2, rows=400, columns=400, loops=2)).nodes[0].spent("paging") == 0
    )


def test_edges_that_go_first_cross_while_the_rest_is_computed() -> None:
    values = {**NO_SERVERS, "rows": 60, "columns": 60}
    after = run_mesh(small_plan(**values), debug=True)
    before = run_mesh(small_plan(**values, order="edges-first"), debug=True)
    # 30 x 60 points of 1 us for each node; an edge of 580 bytes takes 1.58 ms on the LAN.
    work, crossing = 30 * 60 * US, 580 * US + MS
    assert after.loop_ns == pytest.approx(work + crossing, abs=3 * US)
    # Computing hides behind the LAN, which now carries one edge after the other.
    (*_, third, last) = before.loop_ends_ns
    assert last - third == pytest.approx(2 * crossing, abs=3 * US)


def test_colours_send_the_same_edges_in_two_messages_each() -> None:
    one = run_mesh(small_plan(), debug=True)
    two = run_mesh(small_plan(order="colours"), debug=True)
    edges, header = 2 * 4, 100
    assert two.counts["posted"] - one.counts["posted"] == edges
    assert two.counts["network_bytes"] - one.counts["network_bytes"] == edges * header
    work = [run.nodes[0].parts["computing"][1] for run in (one, two)]
    assert work[0] == work[1]


# -- laws ---------------------------------------------------------------------------------------


@given(plans())
@settings(max_examples=examples(60))
def test_no_message_and_no_nanosecond_is_lost(plan: MeshPlan) -> None:
    result = run_mesh(plan, debug=True)
    counts = result.counts
    assert counts["posted"] == counts["found"] == counts["delivered"]
    for node in result.nodes:
        assert node.elapsed_ns == node.computation_ns + node.communication_ns
        assert node.server_ns >= node.polls * plan.messages.poll_ns - plan.messages.poll_ns
        assert all(wait >= 0 and work >= 0 for wait, work in node.parts.values())
    assert list(result.loop_ends_ns) == sorted(result.loop_ends_ns)
    assert len(result.loop_ends_ns) == plan.loops
    assert result.link_busy_ns <= result.loop_ends_ns[-1] or plan.fair


@given(plans())
@settings(max_examples=examples(20))
def test_the_same_plan_gives_the_same_result(plan: MeshPlan) -> None:
    assert run_mesh(plan).to_json() == run_mesh(plan).to_json()


@given(plans(), st.integers(2, 5))
@settings(max_examples=examples(30))
def test_a_world_that_is_slower_all_over_is_as_much_slower(plan: MeshPlan, times: int) -> None:
    """All times and the inverse of all rates by a whole factor: so is the result (M1)."""
    plan = replace(plan, noisy=False)
    messages, station, disk = plan.messages, plan.station, plan.station.memory.disk
    slower = replace(
        plan,
        messages=replace(
            messages,
            interval_ns=messages.interval_ns * times,
            poll_ns=messages.poll_ns * times,
            send_ns=messages.send_ns * times,
            deliver_ns=messages.deliver_ns * times,
            lookup_ns=messages.lookup_ns * times,
            copy_rate=messages.copy_rate / times,
        ),
        processes=replace(plan.processes, create_ns=plan.processes.create_ns * times),
        station=replace(
            station,
            update_ns=station.update_ns * times,
            memory=replace(
                station.memory,
                disk=replace(
                    disk,
                    rate=disk.rate / times,
                    seek_ns=disk.seek_ns * times,
                    turn_ns=disk.turn_ns * times,
                ),
            ),
        ),
        link=replace(
            plan.link, rate=plan.link.rate / times, overhead_ns=plan.link.overhead_ns * times
        ),
    )
    if plan.nodes > 1 and (plan.blocks[-1].rank * messages.interval_ns) % plan.nodes:
        return  # The first polls are not at whole multiples.
    one, other = run_mesh(plan), run_mesh(slower)
    assert other.loop_ends_ns[-1] == pytest.approx(times * one.loop_ends_ns[-1], rel=1e-4)


@given(plans())
@settings(max_examples=examples(30))
def test_a_loop_takes_at_least_its_work_and_one_message(plan: MeshPlan) -> None:
    plan = replace(plan, noisy=False)
    result = run_mesh(plan)
    work = max(b.points for b in plan.blocks) * plan.station.update_ns
    assert result.loop_ns >= work
    if plan.nodes > 1:
        least = plan.messages.send_ns + plan.messages.deliver_ns + plan.link.overhead_ns
        assert result.loop_ns * (plan.loops - 1) >= (work + least) * (plan.loops - 1) - work


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5, 7, 8, 12, 16, 25])
def test_any_number_of_nodes_works(nodes: int) -> None:
    plan = small_plan(nodes=nodes, rows=37, columns=41)
    result = run_mesh(plan, debug=True)
    assert sum(node.points for node in result.nodes) == 37 * 41
    edges = sum(len(block.neighbours) for block in split(37, 41, nodes))
    assert result.counts["posted"] == 4 * nodes + 4 * edges + 2 * result.counts["queries"]


def test_runs_of_a_seed_differ_and_repeat() -> None:
    plan = small_plan(seed=7, cpu__variation="5 %")
    results = [run_mesh(plan.with_run(run)).loop_ends_ns for run in (0, 1, 0)]
    assert results[0] == results[2] != results[1]
    assert run_mesh(small_plan(seed=8, cpu__variation="5 %")).loop_ends_ns != results[0]


def test_ports_are_asked_for_once_or_each_time() -> None:
    remember = run_mesh(small_plan(nodes=4, rows=20), debug=True)
    forget = run_mesh(
        small_plan(nodes=4, rows=20, message_server__location_cache="false"), debug=True
    )
    # The directory is on node 0; the three others have two edges each in every loop.
    assert remember.counts["queries"] == 3 * 2
    assert forget.counts["queries"] == 3 * 2 * 4
    assert forget.loop_ns > remember.loop_ns


# -- what goes wrong is seen --------------------------------------------------------------------


def test_a_lost_message_ends_the_run_and_names_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    put, lost = Adapter.put, []

    def careless(self: Adapter, message: Message) -> None:
        if message.purpose == "data" and message.exchange == 2 and not lost:
            lost.append(message)
            self.servers[message.target].delivered += 1  # Nobody knows that it is missing.
            return
        put(self, message)

    monkeypatch.setattr(Adapter, "put", careless)
    with pytest.raises(SimulationError, match=r"processes wait for ever: node0, node1"):
        run_mesh(small_plan())


@pytest.mark.parametrize("count", ["posted", "found", "delivered"])
def test_a_doubled_message_is_noticed(count: str) -> None:
    plan = small_plan()
    result = run_mesh(plan, debug=True)
    counts = {**result.counts, count: result.counts[count] + 1}
    with pytest.raises(IdentityError, match="messages were wanted, each once"):
        check_mesh(plan, replace(result, counts=counts))


def test_lost_time_is_noticed() -> None:
    plan = small_plan()
    result = run_mesh(plan, debug=True)
    node = result.nodes[0]
    wrong = replace(node, elapsed_ns=node.elapsed_ns + 1)
    with pytest.raises(IdentityError, match=r"node0: \d+ ns of \d+ accounted for"):
        check_mesh(plan, replace(result, nodes=(wrong, *result.nodes[1:])))


class Journal(Follower):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []

    def compute(self, rank: int, part: Part) -> None:
        self.lines.append(("compute", rank, part))

    def send(self, rank: int, neighbour: int, exchange: int) -> None:
        self.lines.append(("send", rank, neighbour, exchange))

    def take(self, rank: int, neighbour: int, exchange: int) -> None:
        self.lines.append(("take", rank, neighbour, exchange))


@given(plans())
@settings(max_examples=examples(30))
def test_an_edge_is_taken_after_it_was_sent_and_before_the_next_loop(plan: MeshPlan) -> None:
    journal = Journal()
    run_mesh(plan, follower=journal)
    at = {line: number for number, line in enumerate(journal.lines)}
    for what, rank, neighbour, *exchange in (one for one in journal.lines if len(one) == 4):
        if what == "take":
            assert at["send", neighbour, rank, *exchange] < at["take", rank, neighbour, *exchange]
    for rank in range(plan.nodes):
        mine = [line[0] for line in journal.lines if line[1] == rank]
        edges = len(plan.blocks[rank].neighbours)
        computes = 2 if plan.order == "edges-first" else 1
        once = ["compute"] + ["send"] * edges + ["compute"] * (computes - 1) + ["take"] * edges
        assert mine == once * plan.exchanges * plan.loops


def test_the_mean_of_an_empty_mailbox_is_zero() -> None:
    result = run_mesh(small_plan(nodes=1))
    assert isinstance(result, MeshResult)
    nobody = replace(result, nodes=tuple(replace(node, found=0) for node in result.nodes))
    assert nobody.detection_ns == 0.0


# -- polls in which nothing can happen ----------------------------------------------------------


@settings(max_examples=examples(40))
@given(plans())
def test_a_poll_that_needs_no_event_for_its_end_changes_nothing(plan: MeshPlan) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            simpy.Environment, "peek", lambda _: -1
        )  # something is always about to happen
        stepwise = run_mesh(plan)
    assert run_mesh(plan) == stepwise


def test_the_end_of_such_a_poll_is_no_event() -> None:
    """The events that SimPy carries out, though both runs count the same alarms."""
    steps = 0

    class Counting(simpy.Environment):
        def step(self) -> None:
            nonlocal steps
            steps += 1
            super().step()

    class Stepwise(Counting):
        def peek(self) -> float:
            return -1

    counts, events = [], []
    for environment in (Counting, Stepwise):
        steps = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(messages.simpy, "Environment", environment)
            events.append(run_mesh(small_plan(nodes=4, rows=20, columns=20)).events)
        counts.append(steps)
    assert events[0] == events[1]
    assert counts[0] < counts[1]
