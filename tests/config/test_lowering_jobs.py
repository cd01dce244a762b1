"""From workload/2 to a plan: files of jobs, phases, processes and what they call."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.formats import load_machine, load_workload, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.native.run import run_native
from simulator.plan import codes
from simulator.plan.jobs import ArrivalsPlan, ChannelPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from tests.config.machine_texts import cluster, job, machine, workload
from tests.config.test_lowering import plan_of


def test_a_job_of_phases_of_all_kinds() -> None:
    plan = plan_of(
        cluster("home: [pages, [nic], disk]"),
        "processes: 2",
        "repeat: 3",
        "start: 1 s",
        "phases:",
        "  - {do: open, file: a, count: 2}",
        "  - {do: compute, time: 5 ms}",
        "  - {do: lock, name: l}",
        "  - {do: write, file: a}",
        "  - {do: unlock, name: l}",
        "  - {do: sync, file: a}",
        "  - {do: barrier}",
        "  - {do: stat, file: b}",
        "  - {do: message, to: next, size: 1 kB}",
    )
    first, second = plan.processes
    assert [one.kind for one in first.phases] == [
        codes.LISTED,
        codes.COMPUTE,
        codes.LISTED,
        codes.STREAM,
        codes.LISTED,
    ]
    assert (first.repeat, first.start_ns, first.node, second.node) == (3, 10**9, 0, 1)
    assert [(one.first, one.count) for one in first.phases if one.kind == codes.LISTED] == [
        (0, 2),
        (2, 1),
        (3, 6),
    ]
    table = plan.operations
    a, b = 0, 1
    assert list(zip(table.kind, table.file, table.offset, table.size, strict=True))[:9] == [
        (codes.OPEN, a, 0, 0),
        (codes.OPEN, a, 0, 0),
        (codes.LOCK, -1, 0, 0),
        (codes.UNLOCK, -1, 0, 0),
        (codes.SYNC, a, 0, 0),
        (codes.BARRIER, -1, 0, 0),
        (codes.STAT, b, 0, 0),
        (codes.SEND, -1, 0, 1000),
        (codes.RECEIVE, -1, 1, 1000),
    ]
    assert plan.barriers == (2,)
    assert plan.locks == 1
    top = plan.channels[0].top
    assert plan.channels == (
        ChannelPlan(source=0, target=1, top=top),
        ChannelPlan(source=1, target=0, top=top),
    )
    message = plan.tiers[top]
    assert message.remote_only
    assert [hold.slot for hold in message.down] == [0, 1]
    assert set(table.column) == {-1}


def test_messages_without_a_network_cost_no_time() -> None:
    lines = ("processes: 2", "phases: [{do: message, to: 0, size: 1 kB}]")
    plan = plan_of(machine(), *lines)
    assert plan.channels == (ChannelPlan(source=1, target=0, top=-1),)
    assert list(plan.operations.kind) == [codes.RECEIVE, codes.SEND]


def sent(plan: Plan) -> set[tuple[int, int]]:
    return {(one.source, one.target) for one in plan.channels}


def test_neighbours_of_a_mesh() -> None:
    phase = "phases: [{do: exchange, pattern: mesh, rows: 2, columns: 3, size: 1 kB}]"
    plan = plan_of(machine(), "processes: 6", phase)
    near = {(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)}
    assert sent(plan) == near | {(b, a) for a, b in near}
    sends = [kind for kind in plan.operations.kind if kind == codes.SEND]
    assert len(sends) == len(near) * 2


@pytest.mark.parametrize(("pattern", "count"), [("ring", 8), ("all", 12)])
def test_neighbours_of_a_ring_and_of_all(pattern: str, count: int) -> None:
    phase = f"phases: [{{do: exchange, pattern: {pattern}, size: 1 kB, count: 2}}]"
    plan = plan_of(machine(), "processes: 4", phase)
    assert len(plan.channels) == count
    assert list(plan.operations.kind).count(codes.RECEIVE) == 2 * count


def placed(plan: Plan) -> list[list[int]]:
    """The offsets of each process's transfers."""
    table = plan.operations
    rows = []
    for process in plan.processes:
        (phase,) = process.phases
        span = range(phase.first, phase.first + phase.count)
        rows.append([table.offset[i] for i in span if table.kind[i] in (codes.READ, codes.WRITE)])
    return rows


def test_each_rank_has_its_part_of_a_shared_file() -> None:
    plan = plan_of(machine(), "processes: 3", "phases: [{do: read, file: b, offset: rank}]")
    ends = [0, 3_333_333, 6_666_666, 10_000_000]
    assert [row[0] for row in placed(plan)] == ends[:3]
    table = plan.operations
    moved = [size for kind, size in zip(table.kind, table.size, strict=True) if kind == codes.READ]
    assert sum(moved) == 10_000_000
    assert list(table.kind[:6]) == [
        codes.OPEN,
        codes.READ,
        codes.READ,
        codes.READ,
        codes.READ,
        codes.CLOSE,
    ]
    assert list(table.size[:6]) == [0, 1_000_000, 1_000_000, 1_000_000, 333_333, 0]


def test_records_of_ranks_in_turn() -> None:
    phase = "phases: [{do: write, file: b, offset: interleaved, size: 2 MB}]"
    plan = plan_of(machine(), "processes: 3", phase)
    assert placed(plan) == [[0, 3_000_000], [1_000_000, 4_000_000], [2_000_000, 5_000_000]]
    closes = [i for i, kind in enumerate(plan.operations.kind) if kind == codes.CLOSE]
    assert [plan.operations.size[i] for i in closes] == [1, 1, 1]


@pytest.mark.parametrize("order", ["sequential", "random"])
@pytest.mark.parametrize(("keys", "bytes_"), [("", 10_000_000), ("size: 3333 kB", 9_999_000)])
def test_records_of_ranks_in_turn_do_not_go_beyond_the_file(
    keys: str, bytes_: int, order: str
) -> None:
    """There are not as many records for each, and the last is shorter: all bytes are there once."""
    phase = f"{{do: write, file: b, offset: interleaved, record: 700 kB, order: {order}, {keys}}}"
    plan = plan_of(machine(), "processes: 3", f"phases: [{phase}]")
    table = plan.operations
    calls = [i for i, kind in enumerate(table.kind) if kind == codes.WRITE]
    ends = [table.offset[i] + table.size[i] for i in calls]
    assert max(ends) <= bytes_
    if order == "sequential":
        assert sum(table.size[i] for i in calls) == max(ends) == bytes_
        starts = sorted(table.offset[i] for i in calls)
        assert starts == [0, *sorted(ends)[:-1]]


@pytest.mark.parametrize("name", ["test", "sr8000"])
def test_a_process_without_a_record_opens_and_closes(name: str) -> None:
    """A file of fewer records than there are processes, with a layout of its own too."""
    layout = "layout: [{stripe: 4 KiB}], " if name == "sr8000" else ""
    text = f"""\
format: workload/2
name: few
files: {{few: {{size: 10 kB, shared: true, exists: true, {layout}}}}}
jobs:
  - name: job
    processes: 3
    record: 8 kB
    policy: posix
    phases:
      - {{do: read, file: few, offset: interleaved}}
      - {{do: write, file: few, offset: interleaved}}
"""
    there = machine() if name == "test" else load_machine(name)
    plan = make_plan(there, parse_workload(text))
    for run in (run_reference, run_native):
        result = run(plan, debug=True)
        assert [one.read.bytes for one in result.processes] == [8000, 2000, 0]
        assert [one.write.bytes for one in result.processes] == [8000, 2000, 0]


def test_a_transfer_from_an_offset_with_drawn_records() -> None:
    phase = "phases: [{do: read, file: b, offset: 4 MB, size: 3 MB, record: [1 MB, 500 kB]}]"
    assert placed(plan_of(machine(), phase)) == [[4_000_000, 5_000_000, 5_500_000, 6_500_000]]


def test_random_places_follow_the_seed() -> None:
    lines = ("record: 1 kB", "phases: [{do: read, file: b, order: random, size: 100 kB}]")
    read = machine()
    text = job(*lines[1:])
    first, again = (placed(make_plan(read, text, seed=1)) for _ in range(2))
    assert first == again
    many = job("phases: [{do: read, file: b, record: 1 kB, order: random}]")
    one, other = (placed(make_plan(read, many, seed=seed))[0] for seed in (1, 2))
    assert one != other
    assert set(one) <= set(range(0, 10_000_000, 1000))
    assert len(set(one)) > 5000


def test_random_places_are_anywhere_in_the_file_however_little_is_read() -> None:
    def places(keys: str) -> list[int]:
        phases = f"phases: [{{do: read, file: b, record: 4 kB, order: random, {keys}}}]"
        drawn = [one for rows in placed(plan_of(machine(), "processes: 8", phases)) for one in rows]
        assert all(place % 4000 == 0 for place in drawn)
        return drawn

    few = places("size: 4 kB")
    assert len(few) == len(set(few)) == 8
    assert max(few) > 2_000_000
    later = places("size: 400 kB, offset: 8 MB")
    assert len(later) == 800
    assert min(later) >= 8_000_000
    assert max(later) <= 10_000_000 - 4000
    own = placed(
        plan_of(
            machine(),
            "processes: 2",
            "phases: [{do: read, file: b, record: 4 kB, order: random, offset: rank, size: 40 kB}]",
        )
    )
    assert [min(rows) // 40_000 for rows in own] == [max(rows) // 40_000 for rows in own] == [0, 1]


def test_arrivals() -> None:
    def arrivals(line: str) -> tuple[ArrivalsPlan, int]:
        plan = plan_of(machine(), "start: 1 s", line, "phases: [{do: read, file: b}]")
        assert {one.arrivals for one in plan.processes} == {0}
        return plan.arrivals[0], len(plan.processes)

    line = "arrivals: {every: 10 ms, count: 5, out: 2}"
    assert arrivals(line) == (
        ArrivalsPlan(
            kind=codes.POISSON, count=5, gap_ns=10**7, first_ns=10**9, stream="one.arrivals"
        ),
        2,
    )
    fixed = arrivals("arrivals: {every: 10 ms, distribution: fixed, count: 5}")
    assert (fixed[0].kind, fixed[1]) == (codes.FIXED, 64)
    times = arrivals("arrivals: {at: [0 s, 3 s], out: 3}")
    assert times == (ArrivalsPlan(kind=codes.AT_TIMES, count=2, times=(10**9, 4 * 10**9)), 3)


def test_processes_follow_each_other_on_nodes() -> None:
    text = """\
format: workload/2
name: w
jobs:
  - {name: a, processes: 3, phases: [{do: compute, time: 1 s}]}
  - {name: b, processes: 2, phases: [{do: compute, time: 1 s}]}
  - {name: c, on: server, processes: 4, per_node: 2, phases: [{do: compute, time: 1 s}]}
  - {name: d, first_node: 3, phases: [{do: compute, time: 1 s}]}
"""
    plan = make_plan(cluster("home: [[nic], disk]"), workload(text))
    assert [(one.group, one.node) for one in plan.processes] == [
        *((0, 0), (0, 1), (0, 2)),
        *((0, 3), (0, 0)),
        *((1, 0), (1, 0), (1, 1), (1, 1)),
        (0, 3),
    ]
    assert [one.cpu for one in plan.processes] == [0] * 5 + [1] * 4 + [0]


def test_nodes_that_share_the_data_of_a_process() -> None:
    read = cluster("home: [[nic], disk]")
    plan = plan_of(read, "processes: 2", "nodes: 2", "phases: [{do: read, file: b}]")
    assert [(one.node, one.nodes) for one in plan.processes] == [(0, 2), (2, 2)]
    exchange = plan.tiers[plan.processes[0].exchange]
    assert [plan.parts[hold.part].label for hold in exchange.down] == ["nic.out", "nic.in"]


def test_programs_of_other_groups_have_paths_of_their_own() -> None:
    text = """\
format: workload/2
name: w
files: {a: {size: 1 MB, shared: true}}
jobs:
  - {name: far, record: 1 MB, phases: [{do: write, file: a}]}
  - {name: near, on: server, record: 1 MB, phases: [{do: write, file: a}]}
"""
    read = cluster("home: [{stripe: 1 MB, of: server}, [nic], disk]")
    plan = make_plan(read, workload(text))
    assert [one.places for one in plan.paths] == [(0, 1, 2), (1, 1, 2)]
    assert [one.phases[0].path for one in plan.processes] == [0, 1]
    assert plan.tiers[plan.paths[1].top + 1].remote_only


CALLS = """\
client,do,file,offset,size,gap_ns
p,start,,,,5
p,open,f,,,
p,write,f,0,100,1000
p,fork,q,,,
p,wait,q,,,
q,read,g,50,100,
"""


def test_listed_calls_are_processes(tmp_path) -> None:
    (tmp_path / "calls.csv").write_text(CALLS)
    path = tmp_path / "w.yaml"
    path.write_text("""\
format: workload/2
name: w
jobs:
  - {name: first, calls: calls.csv}
  - {name: second, start: 1 s, calls: {file: calls.csv, think: 50 %}}
""")
    plan = make_plan(cluster("home: [[nic], disk]"), load_workload(path))
    names = [(one.name, one.job, one.start_ns, one.born) for one in plan.processes]
    assert names == [
        ("first.p", "first", 5, -1),
        ("first.q", "first", 0, 0),
        ("second.p", "second", 1_000_000_002, -1),
        ("second.q", "second", 1_000_000_000, 2),
    ]
    assert plan.marks == 4
    table = plan.operations
    assert table.gap[1] == 1000
    assert table.gap[len(table) // 2 + 1] == 500
    assert [(one.name, one.length) for one in plan.files] == [("f", 0), ("g", 150)]


def test_a_missing_file_of_calls_is_an_error(tmp_path) -> None:
    path = tmp_path / "w.yaml"
    path.write_text("format: workload/2\nname: w\njobs: [{name: j, calls: no.csv}]\n")
    with pytest.raises(ConfigError, match=r"w.yaml:3:25: jobs.0.calls.file: .*No such file"):
        make_plan(cluster("home: [[nic], disk]"), load_workload(path))
