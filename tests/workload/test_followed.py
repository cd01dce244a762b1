"""The mesh really computed along simulated runs: bit for bit that of the undivided computation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from simulator.experiments.orion.divided import DividedMesh
from simulator.experiments.orion.poisson import Mesh, problem, solution, sweep, undivided, update
from simulator.experiments.orion.tables import loops_of, loops_until, solve
from simulator.kinds.services.message_server.ports import Message
from simulator.kinds.services.message_server.servers import MessageServer
from simulator.plan.plan import Plan
from simulator.reference.actor import Clock
from simulator.result.record import record_of
from simulator.run import EngineError, run_plan
from simulator.workload.follower import Follower, Part
from tests.engines.meshes import mesh_of, plans, small_plan
from tests.examples import examples


def reference(plan: Plan) -> Mesh:
    mesh = mesh_of(plan)
    return undivided(mesh.rows, mesh.columns, mesh.blocks, mesh.order, loops_of(plan))


@given(plans())
@settings(max_examples=examples(60))
def test_any_division_computes_the_undivided_mesh(plan: Plan) -> None:
    mesh = DividedMesh(mesh_of(plan))
    result = run_plan(plan, followers={0: mesh}, debug=True)
    assert np.array_equal(mesh.whole(), reference(plan))
    assert mesh.untaken == 0
    assert record_of(result) == record_of(run_plan(plan))  # Who follows does not disturb.


class Journal(Follower):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[object, ...]] = []

    def compute(self, rank: int, part: Part) -> None:
        self.lines.append(("compute", rank, part))

    def send(self, rank: int, neighbour: int, exchange: int) -> None:
        self.lines.append(("send", rank, neighbour, exchange))

    def take(self, rank: int, neighbour: int, exchange: int) -> None:
        self.lines.append(("take", rank, neighbour, exchange))


@given(plans())
@settings(max_examples=examples(20))
def test_an_edge_is_taken_after_it_was_sent_and_before_the_next_loop(plan: Plan) -> None:
    journal, mesh = Journal(), mesh_of(plan)
    run_plan(plan, followers={0: journal})
    at = {line: number for number, line in enumerate(journal.lines)}
    for what, rank, neighbour, *exchange in (one for one in journal.lines if len(one) == 4):
        if what == "take":
            assert at["send", neighbour, rank, *exchange] < at["take", rank, neighbour, *exchange]
    for rank in range(mesh.nodes):
        mine = [line[0] for line in journal.lines if line[1] == rank]
        edges = len(mesh.blocks[rank].neighbours)
        computes = 2 if mesh.order == "edges-first" else 1
        once = ["compute"] + ["send"] * edges + ["compute"] * (computes - 1) + ["take"] * edges
        assert mine == once * mesh.exchanges * loops_of(plan)


def test_a_follower_of_no_mesh_is_refused() -> None:
    plan = small_plan()
    with pytest.raises(ValueError, match="the plan has no mesh 1 to follow"):
        run_plan(plan, followers={1: Follower()})
    with pytest.raises(EngineError, match="message servers messages"):
        run_plan(plan, followers={0: Follower()}, engine="native")


@settings(max_examples=examples(20))
@given(plans())
def test_polls_that_are_booked_together_change_nothing(plan: Plan) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Clock, "peek", lambda _: -1)  # Something is always about to happen.
        stepwise = run_plan(plan, debug=True)
    assert record_of(run_plan(plan, debug=True)) == record_of(stepwise)


def test_polls_cost_no_event_while_nothing_else_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run of one process polls 100,000 times and rings an alarm for hardly any of them."""
    rings = 0
    ring = Clock.ring

    def counting(self: Clock, *given: Any) -> None:
        nonlocal rings
        rings += 1
        ring(self, *given)

    monkeypatch.setattr(Clock, "ring", counting)
    plan = small_plan(rows=1000, columns=1000, nodes=1, update="500 us", loops=2)
    result = run_plan(plan)
    assert result.services["messages0"].counts["polls"] > 100_000
    assert result.events > 200_000
    assert rings < 100


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5, 8, 16])
def test_with_colours_the_division_does_not_show_at_all(nodes: int) -> None:
    """Red and black points need only each other: plain Gauss-Seidel in another order."""
    plan = small_plan(rows=20, columns=33, nodes=nodes, order="colours", loops=12)
    whole = small_plan(rows=20, columns=33, nodes=1, order="colours", loops=12)
    assert np.array_equal(solve(plan), solve(whole))


def test_on_one_node_it_is_gauss_seidel_as_in_the_book() -> None:
    plan = small_plan(rows=9, columns=13, nodes=1, loops=7)
    u, source = problem(9, 13)
    for _ in range(7):
        for i in range(1, 10):
            for j in range(1, 14):
                around = u[i - 1, j] + u[i, j - 1] + u[i, j + 1] + u[i + 1, j]
                u[i, j] = around * 0.25 - source[i, j]
    assert np.array_equal(solve(plan), u)


@pytest.mark.slow
def test_blocks_in_their_own_order_are_not_plain_gauss_seidel_but_come_to_the_same() -> None:
    values = {"rows": 16, "columns": 16}
    divided, whole = (small_plan(**values, nodes=n, loops=8) for n in (4, 1))
    assert not np.array_equal(solve(divided), solve(whole))
    late = small_plan(**values, nodes=4, loops=900)
    assert solve(late) == pytest.approx(solution(16, 16), abs=1e-9)


def test_a_division_costs_some_loops_more() -> None:
    loops = [
        loops_until(small_plan(rows=16, columns=16, nodes=n, loops=400), 0.001) for n in (1, 4)
    ]
    assert loops[0] < loops[1] < 1.3 * loops[0]
    with pytest.raises(ValueError, match=r"4 loops are too few to come as close as 0\.001"):
        loops_until(small_plan(rows=16, columns=16), 0.001)


def test_the_solution_is_that_of_the_equation() -> None:
    """Every point is the mean of its neighbours less its source."""
    u, (_, source) = solution(12, 17), problem(12, 17)
    mean = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    assert u[1:-1, 1:-1] == pytest.approx(mean - source[1:-1, 1:-1], abs=1e-11)


def test_diagonals_are_points_one_by_one() -> None:
    one, source = problem(7, 11)
    other = one.copy()
    for box in (
        (0, 7, 0, 11),
        (2, 5, 1, 9),
        (3, 4, 0, 11),
        (1, 7, 5, 6),
        (4, 4, 0, 5),
        (0, 0, 0, 2),
    ):
        sweep(one, source, *box)
        top, bottom, left, right = box
        update(other, source, ((i, j) for i in range(top, bottom) for j in range(left, right)))
        assert np.array_equal(one, other)


# -- it would show ------------------------------------------------------------------------------


def test_an_edge_that_comes_a_loop_late_shows_in_the_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = small_plan(loops=6)
    take = DividedMesh.take
    held: list[tuple[int, int, int]] = []

    def late(self: DividedMesh, rank: int, neighbour: int, exchange: int) -> None:
        if (rank, exchange) == (0, 2):
            held.append((rank, neighbour, exchange))
            return
        take(self, rank, neighbour, exchange)

    monkeypatch.setattr(DividedMesh, "take", late)
    mesh = solve(plan)
    assert held
    assert not np.array_equal(mesh, reference(plan))


def test_an_edge_of_another_sender_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that swaps the senders of messages: the wrong ring is filled."""
    arrive = MessageServer.arrive

    def swapped(self: MessageServer, message: Message) -> None:
        if message.purpose == "data" and message.exchange == 1:
            message.rank = (message.rank + 1) % 3
        arrive(self, message)

    monkeypatch.setattr(MessageServer, "arrive", swapped)
    with pytest.raises(KeyError):
        solve(small_plan(nodes=3, rows=3, columns=30))
