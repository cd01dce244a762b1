"""Services in the one simulator: by hand, beside storage, and what every run must keep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.experiments.orion.divided import DividedMesh
from simulator.experiments.orion.poisson import undivided
from simulator.plan.errors import SimulationError
from simulator.plan.plan import Plan
from simulator.plan.services import needs_reference
from simulator.reference.run import run_reference
from simulator.result.record import record_of
from simulator.result.result import Result
from simulator.run import EngineError, run_plan
from simulator.verification.identities import broken_identities
from tests.engines.serving import MS, SERVERS, STATIONS, US, S, planned, run, workload
from tests.twins.plans.faults import faults

BLOCK = "files: {block: {size: 1 MB}, other: {size: 2 MB}}"
MIXED = workload(
    """
  - name: solver
    processes: 4
    launched: true
    repeat: 3
    phases:
      - {do: mesh, rows: 20, columns: 24, loops: 4, order: colours}
      - {do: write, file: block, record: 100 kB}
      - {do: message, to: next, size: 1 kB}
      - {do: barrier}
""",
    BLOCK,
)
"""A job that computes, exchanges edges and messages, and writes files."""


def process(result: Result, name: str) -> tuple[int, int]:
    (one,) = (one for one in result.processes if one.name == name)
    return one.started_ns, one.elapsed_ns


# -- processors and message servers -----------------------------------------------------------


def test_a_mesh_on_one_node_then_a_file_takes_the_sum() -> None:
    work = workload(
        "  - {name: one, phases: [{do: mesh, rows: 100, columns: 50, loops: 3},"
        " {do: write, file: block, record: 1 MB}]}",
        BLOCK,
    )
    result = run(STATIONS, work)
    # 3 loops of 5,000 points of 1 us; 1 MB over the LAN, then to the disk.
    assert process(result, "one") == (0, 15 * MS + 2 * S)
    assert result.processes[0].compute_ns == 15 * MS
    assert result.meshes[0].loop_ends_ns == (5 * MS, 10 * MS, 15 * MS)
    assert result.meshes[0].nodes[0].counted_ns == 10 * MS


def test_polls_stop_what_computes() -> None:
    polling = STATIONS.replace("poll: 0 s", "poll: 2 ms")
    result = run(polling, workload("  - {name: one, phases: [{do: compute, time: 40 ms}]}"))
    # Polls at 0, 10, 20, 30 and 40 ms before it is done, 2 ms each: 40 ms need 50 ms.
    assert process(result, "one") == (0, 50 * MS)
    assert result.processes[0].compute_ns == 40 * MS
    assert result.processes[0].spent["processor"] == (10 * MS, 0)
    assert result.services["messages0"].counts["polls"] == 5
    assert result.end_ns == 50 * MS


def test_a_message_waits_for_a_poll() -> None:
    jobs = "  - {name: pair, processes: 2, phases: [{do: message, to: 1, size: 900 B}]}"
    result = run(STATIONS, workload(jobs))
    # Looking up costs nothing at node 0; 1 ms to send; 1 ms on the LAN with its header. Node 1
    # polls at 5, 15, ... ms, finds it at 5 ms, and delivers it by 7 ms.
    assert process(result, "pair.0") == (0, 1 * MS)
    assert process(result, "pair.1") == (0, 7 * MS)
    counts = result.services["messages1"].counts
    assert (counts["found"], counts["unfound_ns"]) == (1, 3 * MS)
    assert result.services["messages0"].counts["network_bytes"] == 1000
    assert result.latencies["send"].max_ns == 1 * MS
    assert result.latencies["receive"].max_ns == 7 * MS


def test_processes_are_made_by_process_servers() -> None:
    phases = "[{do: compute, time: 1 ms}]"
    jobs = f"  - {{name: a, launched: true, start: 5 ms, phases: {phases}}}"
    result = run(STATIONS, workload(jobs))
    # Asked at 5 ms, sent by 6, found at 10, delivered by 12, made by 62. The poll at 20 ms waits
    # for the process server: the next are at 62, 72 and 82. Registration and report, sent by 63 and
    # 64, are delivered by 74 and 76. The word to start, sent by 77, is delivered by 84.
    assert process(result, "a") == (84 * MS, 1 * MS)
    assert result.services["processes0"].counts == {"created": 1}
    counts = result.services["messages0"].counts
    assert counts["posted"] == counts["found"] == counts["delivered"] == 4


def test_pages_that_do_not_fit_are_brought_in_by_each_loop() -> None:
    paging = STATIONS.replace(
        "update: 1 us",
        "update: 1 us, page: 1000 B, resident: 3 kB, paging: {rate: 1 MB/s, seek: 2 ms}",
    )
    # 8 x 8 points and their ring are 800 B: one page. 48 x 48 and the ring are 20,000 B: 20 pages.
    for side, pages in ((8, 0), (48, 20)):
        phase = f"{{do: mesh, rows: {side}, columns: {side}, loops: 1}}"
        result = run(paging, workload(f"  - {{name: a, phases: [{phase}]}}"))
        faults_ns = pages * 2 * (2 * MS + 1 * MS)
        assert process(result, "a")[1] == side * side * US + faults_ns
        spent = result.processes[0].spent.get("processor.paging", (0, 0))
        assert spent == (0, faults_ns)


@pytest.mark.parametrize("poll", ["0 s", "1 ms", "9999 us"])
def test_processes_that_wait_for_ever_end_a_run_though_servers_poll(poll: str) -> None:
    """Also where one server's poll begins before another's ends, again and again."""
    jobs = "  - {name: pair, processes: 2, phases: [{do: message, to: next, size: 1 B}]}"
    plan = planned(STATIONS.replace("poll: 0 s", f"poll: {poll}"), workload(jobs))
    table = plan.operations
    row = next(i for i in range(len(table)) if table.kind[i] == 13)
    table.kind[row] = 7  # `pause` instead of `send`
    with pytest.raises(SimulationError, match=r"pair\.1 waits for a message of pair\.0"):
        run_reference(plan)


# -- beside each other ------------------------------------------------------------------------


def test_a_job_computes_sends_messages_and_writes() -> None:
    result = run(STATIONS, MIXED, seed=3, noisy=True)
    assert len(result.meshes[0].loop_ends_ns) == 12
    assert {one.write.bytes for one in result.processes} == {3_000_000}
    assert result.latencies["write"].count == 4 * 3 * 10
    assert result.latencies["receive"].count == 12
    assert {"messages.awaiting", "messages.sending", "lan", "disk", "barriers"} <= set(
        result.processes[0].spent
    )
    again = run(STATIONS, MIXED, seed=3, noisy=True)
    assert record_of(again) == record_of(result)
    assert record_of(result)["meshes"][0]["job"] == "solver"


def test_files_of_others_slow_a_mesh_down_and_the_other_way_round() -> None:
    mesh = "  - {name: mesh, processes: 2, phases: [{do: mesh, rows: 64, columns: 64, loops: 9}]}\n"
    copier = "  - {name: copy, on: server, phases: [{do: write, file: other, record: 50 kB}]}\n"
    shared = STATIONS.replace("kind: queue", "kind: shared").replace("10 ms", "100 us")
    alone = [run(shared, workload(one, BLOCK)) for one in (mesh, copier)]
    both = run(shared, workload(mesh + copier, BLOCK))
    for name, one in (("mesh.0", alone[0]), ("copy", alone[1])):
        assert process(both, name)[1] > process(one, name)[1]


@pytest.mark.parametrize("order", ["blocks", "edges-first", "colours"])
def test_the_mesh_of_a_mixed_job_is_really_computed(order: str) -> None:
    work = MIXED.replace("order: colours", f"order: {order}")
    plan = planned(STATIONS, work)
    (row,) = plan.services.meshes
    mesh = DividedMesh(row)
    run_reference(plan, followers={0: mesh})
    assert mesh.untaken == 0
    wanted = undivided(row.rows, row.columns, row.blocks, order, 12)
    assert np.array_equal(mesh.whole(), wanted)


# -- numerical servers ------------------------------------------------------------------------


def call_ns(n: int, *, speed: float) -> int:
    """One call without others: bytes at 1 MB/s on the net and at the server, 2 MB/s here."""
    bytes_in, bytes_out = 8 * n * n + 8 * n, 12 * n
    operations = (2 * n**3 + 6 * n**2 + 1) // 3
    moved = (bytes_in + bytes_out) * (1000 + 1000 + 500)
    return 3 * MS + 3 * MS + moved + round(operations * 1e9 / speed)


def test_a_client_solves_then_writes_a_file() -> None:
    solve = "{do: solve, problem: linpack, n: 10, server: big, count: 2}"
    phases = f"[{solve}, {{do: write, file: block, record: 1 MB}}]"
    result = run(SERVERS, workload(f"  - {{name: a, on: client, phases: {phases}}}", BLOCK))
    one = call_ns(10, speed=1e6)
    assert process(result, "a") == (0, 2 * one + 1 * S)
    assert result.latencies["call"].count == 2
    assert result.numerical is not None
    assert [call.elapsed_ns for call in result.numerical.calls] == [one, one]
    assert result.processes[0].write.bytes == 1_000_000
    assert record_of(result)["numerical"]["jobs"]["a"]["calls"] == 2


def test_a_metaserver_takes_the_faster_one() -> None:
    phases = "[{do: solve, problem: linpack, n: 10, choose: compute, count: 3}]"
    result = run(SERVERS, workload(f"  - {{name: a, on: client, phases: {phases}}}"))
    assert result.numerical is not None
    assert [call.server for call in result.numerical.calls] == ["big"] * 3


def test_calls_that_go_on_end_with_the_phase() -> None:
    phase = (
        "{do: calls, problem: linpack, n: 10, server: small, every: 1 ms, continues: true,"
        " duration: 5 ms}"
    )
    result = run(
        SERVERS,
        workload(f"  - {{name: a, on: client, phases: [{phase}, {{do: compute, time: 1 s}}]}}"),
    )
    assert result.numerical is not None
    calls = result.numerical.calls
    assert [call.submitted_ns for call in calls] == [n * MS for n in range(6)]
    last = max(call.ended_ns for call in calls)
    assert process(result, "a") == (0, last + 1 * S)
    assert result.processes[0].idle_ns == last
    assert result.numerical.stock_ns == 5 * MS
    assert sum(map(sum, result.numerical.beside.values())) == sum(one.elapsed_ns for one in calls)


def test_each_time_through_calls_draws_anew() -> None:
    trials = "every: 50 ms, chance: 50 %, duration: 1 s"
    phase = f"{{do: calls, problem: linpack, n: 1, server: big, {trials}}}"
    result = run(SERVERS, workload(f"  - {{name: a, on: client, repeat: 2, phases: [{phase}]}}"))
    assert result.numerical is not None
    times = [call.submitted_ns for call in result.numerical.calls]
    second = max(time for time in times if time <= S)
    first = [time for time in times if time <= second]
    again = [time - result.numerical.calls[len(first) - 1].ended_ns for time in times[len(first) :]]
    assert first
    assert again
    assert first != again


# -- messages over a part of the whole machine -------------------------------------------------

ETHERNET = """
format: machine/2
name: ethernet
nodes: {node: 3}
parts:
  lan: {kind: queue, rate: 1 MB/s}
  disk: {kind: disk, rate: 1 MB/s}
filesystems: {home: [[lan], [disk]]}
messages: [[lan]]
"""


def test_messages_queue_for_an_ethernet() -> None:
    jobs = "  - {name: a, processes: 3, phases: [{do: message, to: next, size: 1 MB}]}"
    result = run(ETHERNET, workload(jobs))
    assert result.elapsed_ns == 3 * S
    plan = planned(ETHERNET, workload(jobs))
    assert run_plan(plan, debug=True).elapsed_ns == 3 * S
    assert run_plan(plan).engine == "native"


# -- what needs the reference engine ------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "jobs", "name"),
    [
        (STATIONS, "{name: a, phases: [{do: compute, time: 1 s}]}", "message servers messages"),
        (
            SERVERS,
            "{name: a, on: client, phases: [{do: solve, problem: linpack, n: 9, server: big}]}",
            "numerical server big",
        ),
    ],
)
def test_the_native_engine_refuses_before_it_runs(machine: str, jobs: str, name: str) -> None:
    plan = planned(machine, workload(f"  - {jobs}"))
    assert name in needs_reference(plan)
    with pytest.raises(EngineError, match=name):
        run_plan(plan, engine="native")
    result = run_plan(plan, debug=True)
    assert result.engine == "reference"
    assert name in result.why


# -- faults and identities ------------------------------------------------------------------------


def mixed() -> Plan:
    return planned(STATIONS, MIXED)


def calling() -> Plan:
    phase = "{do: solve, problem: linpack, n: 9, server: big}"
    return planned(SERVERS, workload(f"  - {{name: a, on: client, phases: [{phase}]}}"))


def with_services(plan: Plan, **changes: object) -> Plan:
    return replace(plan, services=replace(plan.services, **changes))  # type: ignore[arg-type]


def test_faults_of_services_are_found() -> None:
    plan = mixed()
    (messages,), (mesh,), (launch,) = (
        plan.services.messages,
        plan.services.meshes,
        plan.services.launches,
    )
    wrong = {
        "its first server is actor 99": with_services(
            plan, messages=(replace(messages, first=99),)
        ),
        "is no processor for servers": with_services(
            plan, messages=(replace(messages, processor=0),)
        ),
        "has no process servers": with_services(
            plan, messages=(replace(messages, process_server=""),)
        ),
        "waits to be launched": with_services(plan, launches=()),
        "processes 3 to 6": with_services(plan, launches=(replace(launch, first=3),)),
        "20 x 23 points": with_services(plan, meshes=(replace(mesh, columns=23),)),
        "which has no block for it": with_services(plan, meshes=(replace(mesh, first=-1),)),
        "computes mesh 0 of 0": with_services(plan, meshes=()),
        "through service 0": with_services(plan, messages=()),
    }
    for about, one in wrong.items():
        assert about in "\n".join(faults(one)), about
    processes = tuple(replace(one, node=0) for one in plan.processes)
    assert "shares its processor" in "\n".join(faults(replace(plan, processes=processes)))


def test_faults_of_callers_are_found() -> None:
    plan = calling()
    (caller,) = plan.services.callers
    (target,) = caller.targets
    wrong = {
        "calls no server": replace(caller, targets=()),
        "calls server 7 of 2": replace(caller, targets=(replace(target, server=7),)),
        "is no link": replace(caller, targets=(replace(target, route=((0, 0),)),)),
        "unknown choice any": replace(caller, choice="any"),  # type: ignore[arg-type]
        "a trial every 5 ns": replace(caller, every_ns=5),
    }
    assert not faults(plan)
    for about, one in wrong.items():
        assert about in "\n".join(faults(with_services(plan, callers=(one,)))), about


def test_what_is_lost_is_found() -> None:
    plan = mixed()
    result = run_reference(plan)
    assert not list(broken_identities(plan, result))
    result.services["messages1"].counts["posted"] -= 1
    result.meshes[0].nodes[2].counted_ns += 1
    about = "; ".join(broken_identities(plan, result))
    assert "messages sent" in about
    assert "solver.2" in about
    plan = calling()
    result = run_reference(plan)
    assert result.numerical is not None
    result.numerical.calls[0].ended_ns -= 1
    result.numerical.calls[0].bytes += 1
    about = "; ".join(broken_identities(plan, result))
    assert "ns of numerical calls accounted for" in about
    assert "calls moved" in about
