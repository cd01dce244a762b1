"""From machine/2 and workload/2 to a plan: small plans, field by field."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.formats import load_machine, load_workload, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.native.run import run_native
from simulator.plan import codes
from simulator.plan.jobs import ArrivalsPlan, ChannelPlan
from simulator.plan.parts import GroupPlan, NoisePlan, PartPlan
from simulator.plan.paths import FilePlan, PathPlan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.runtime.lengths import FixedLengths
from simulator.service import ServiceSpec
from tests.config.machine_texts import CLUSTER, TEN_LINES, cluster, job, machine, workload


def plan_of(read, *lines: str) -> Plan:
    """A plan of a job with these keys."""
    return make_plan(read, job(*(lines or ("phases: [{do: write, file: a}]",))), seed=7)


def tiers_of(plan: Plan, path: int = 0) -> list[tuple]:
    """The tiers of a path, each with what counts: parts by label and place."""
    rows = []
    for tier in plan.tiers[plan.paths[path].top :]:
        down = [(plan.parts[hold.part].label, hold.slot) for hold in tier.down]
        rows.append((tier.kind, down))
        if tier.kind == codes.END:
            break
    return rows


def test_the_smallest_machine() -> None:
    plan = plan_of(machine())
    assert plan.groups == (
        GroupPlan(name="node", count=1),
        GroupPlan(name="disk", count=1),
    )
    cpu, disk = plan.parts
    assert (cpu.name, cpu.kind, cpu.group, cpu.first, cpu.count) == ("cpu", "cpu", 0, 0, 1)
    assert cpu.spec is not None
    assert cpu.spec.call_overhead_ns == 2000
    spec = DiskSpec(rate=1e8, seek_ns=8_000_000)
    assert disk == PartPlan(
        name="disk",
        kind="disk",
        group=1,
        first=1,
        count=1,
        spec=spec,
        service=spec.transfer(),
        column=1,
    )
    assert plan.columns == ("cpu", "disk", "other.processes", "barriers", "locks")
    assert (plan.others_column, plan.barrier_column, plan.lock_column) == (2, 3, 4)
    assert tiers_of(plan) == [(codes.STAGE, [("disk", 1)]), (codes.END, [])]
    assert plan.paths == (PathPlan(name="home", top=0, places=(0, 1)),)
    assert plan.files == (FilePlan(name="one/a", path=0, size=10_000_000),)
    (process,) = plan.processes
    assert (process.name, process.job, process.group, process.node) == ("one", "one", 0, 0)
    assert (process.cpu, process.exchange, process.arrivals) == (0, -1, -1)
    (phase,) = process.phases
    assert (phase.kind, phase.write, phase.file, phase.path) == (codes.STREAM, True, 0, 0)
    assert (phase.policy, phase.buffer) == ("posix", 131_072)
    assert isinstance(phase.lengths, FixedLengths)
    assert (phase.lengths.count, phase.lengths.length(9)) == (10, 1_000_000)


def test_devices_and_networks_have_rows_and_instances() -> None:
    read = cluster("home: [[nic], disk]")
    groups = read.tables.groups
    assert [(one.name, one.count, one.parent, one.each) for one in groups] == [
        ("client", 4, -1, 1),
        ("server", 2, -1, 1),
        ("disk", 6, 1, 3),
        ("link", 1, -1, 1),
    ]
    rows = [(one.label, one.group, one.first, one.count) for one in read.tables.parts]
    assert rows == [
        ("cpu", 0, 0, 4),
        ("cpu", 1, 4, 2),
        ("nic.in", 0, 6, 4),
        ("nic.out", 0, 10, 4),
        ("nic.in", 1, 14, 2),
        ("nic.out", 1, 16, 2),
        ("disk", 2, 18, 6),
        ("link", 3, 24, 1),
        ("threads", 1, 25, 2),
        ("rpc", 1, 27, 2),
    ]
    columns = [read.tables.columns[one.column] for one in read.tables.parts]
    assert columns[2:6] == ["client.nic", "client.nic", "server.nic", "server.nic"]


BESIDE = "  bus: {kind: queue, at: client}\n  switch: {kind: queue}\n  rpc: {"


def test_packets_pass_the_parts_of_a_stage_where_they_are() -> None:
    """Those of the sender's node, its port, what is between, the other port, those behind it."""
    text = CLUSTER.replace("  rpc: {", BESIDE)
    plan = plan_of(machine(text + "  home: [[rpc, switch, bus, nic], disk]\n"))
    way = [("bus", 0), ("nic.out", 0), ("switch", 2), ("nic.in", 1), ("rpc", 1)]
    assert tiers_of(plan)[0] == (codes.STAGE, way)
    up = [("rpc", 1), ("nic.out", 1), ("switch", 2), ("nic.in", 0), ("bus", 0)]
    assert [(plan.parts[hold.part].label, hold.slot) for hold in plan.tiers[0].up] == up
    assert plan.tiers[0].packets


def test_no_pieces_are_dealt_out_over_a_network() -> None:
    text = CLUSTER.replace("  rpc: {", "  array: {kind: disk, rate: 1 GB/s, count: 4}\n  rpc: {")
    with pytest.raises(ConfigError, match="nic is a network, over which no pieces are dealt out"):
        machine(text + "  home: [{pieces: 4, over: array}, [nic], array]\n")


def test_parts_of_a_stage_of_circuits_follow_the_network_whatever_their_order() -> None:
    text = CLUSTER.replace("  rpc: {", BESIDE).replace(
        "kind: network,", "kind: network, switching: circuit,"
    )
    plan = plan_of(machine(text + "  home: [[bus, rpc, nic], disk]\n"))
    assert tiers_of(plan)[0] == (
        codes.STAGE,
        [("nic.out", 0), ("nic.in", 1), ("bus", 0), ("rpc", 1)],
    )
    assert not plan.tiers[0].packets


def test_a_route_is_requests_stages_and_work() -> None:
    line = "home: [pages, {route: [nic], request: 1 MB, window: 4, header: 128 B, server: threads},"
    plan = plan_of(cluster(f"{line} {{work: rpc}}, cache, disk]"))
    assert tiers_of(plan) == [
        (codes.STORE, []),
        (codes.REQUEST, []),
        (codes.STAGE, [("nic.out", 0), ("nic.in", 1)]),
        (codes.HOLD, [("threads", 1)]),
        (codes.WORK, [("rpc", 1)]),
        (codes.STORE, []),
        (codes.STAGE, [("disk", 2)]),
        (codes.END, []),
    ]
    store, request, stage, _, _, cache, *_ = plan.tiers
    assert (store.row, store.slot) == (0, 0)
    assert (cache.row, cache.slot) == (1, 1)
    assert (request.size, request.window, request.aligned) == (1_000_000, 4, True)
    assert stage.header == 128
    assert plan.paths[0].first_store == 0


def test_a_store_behind_stripes_is_the_first() -> None:
    plan = plan_of(cluster("home: [{request: 1 MB}, [nic], cache, disk]"))
    assert plan.paths[0].first_store == 2
    plan = plan_of(cluster("home: [{stripe: 1 MB, of: server}, [nic], cache, disk]"))
    assert plan.paths[0].first_store == 2


def test_stripes_decide_the_server_that_the_network_leads_to() -> None:
    plan = plan_of(cluster("home: [{stripe: 1 MiB, over: all, of: server}, [nic], cache, disk]"))
    stripe = plan.tiers[0]
    assert (stripe.kind, stripe.size, stripe.width, stripe.slot) == (codes.STRIPE, 1 << 20, 2, 1)
    assert tiers_of(plan)[1] == (codes.STAGE, [("nic.out", 0), ("nic.in", 1)])
    assert plan.paths[0].places == (0, 1, 2)


def test_stripes_over_devices_go_by_way_of_their_node() -> None:
    plan = plan_of(cluster("home: [{stripe: 1 MiB, over: 4, of: disk}, [nic], rpc, disk]"))
    stripe, forward, nic, rpc, disk, _ = plan.tiers
    assert (stripe.width, stripe.slot) == (4, 1)
    assert (forward.kind, forward.slot, forward.by) == (codes.FORWARD, 2, 1)
    assert [hold.slot for hold in nic.down] == [0, 2]
    assert [hold.slot for hold in (*rpc.down, *disk.down)] == [2, 1]
    assert plan.paths[0].places == (0, 2, 1)


def test_stripes_within_a_server_stay_there() -> None:
    plan = plan_of(cluster("home: [[nic], {stripe: 1 MiB, of: disk}, disk]"))
    _, stripe, disk, _ = plan.tiers
    assert (stripe.width, stripe.slot, disk.down[0].slot) == (3, 2, 2)


def test_pieces_are_dealt_out_until_the_next_tier_that_is_no_stage() -> None:
    plan = plan_of(cluster("home: [[nic], {pieces: 32, over: disk}, rpc, disk]"))
    nic, rpc, disk, _ = plan.tiers
    assert nic.pieces == 0
    assert [(one.pieces, one.slot, one.width) for one in (rpc, disk)] == [(32, 2, 3)] * 2


def test_pieces_over_one_device_are_a_plain_stage() -> None:
    text = (
        CLUSTER.replace("count: 3", "count: 1") + "  home: [[nic], {pieces: 9, over: disk}, disk]"
    )
    assert [tier.pieces for tier in plan_of(machine(text)).tiers] == [0, 0, 0]


def test_io_nodes_that_are_compute_nodes_have_a_place_of_their_own() -> None:
    text = """\
format: machine/2
name: io-nodes
nodes: {node: 8, io: {count: 2}}
parts:
  net: {kind: network, at: [node, io], rate: 1 GB/s}
  disk: {kind: disk, at: node, rate: 1 MB/s}
filesystems:
  io: [{stripe: 1 MB, of: node}, [net], disk]
  by: [{forward: io}, [net], {stripe: 1 MB, of: node}, [net], disk]
"""
    plan = make_plan(machine(text), job("phases: [{do: write, file: a}]"))
    stripe, net, disk, _ = plan.tiers
    assert (stripe.slot, stripe.width, plan.paths[0].places) == (1, 8, (0, 0))
    assert [hold.slot for hold in net.down] == [0, 1]
    assert net.remote_only
    assert disk.down[0].slot == 1
    block = machine(text).ways.block("by", "", 0)
    assert block.plan.places == (0, 1, 0)
    assert [hold.slot for tier in block.tiers for hold in tier.down] == [0, 1, 1, 2, 2]


def test_two_networks_are_told_apart_by_what_comes_next() -> None:
    text = """\
format: machine/2
name: gateways
nodes: {node: 8, gate: 2, oss: 3}
parts:
  fast: {kind: network, at: [node, gate], rate: 1 GB/s}
  slow: {kind: network, at: [gate, oss], rate: 1 GB/s}
  disk: {kind: disk, at: oss, rate: 1 MB/s}
filesystems:
  far: [{forward: gate}, [fast], {stripe: 1 MB, of: oss}, [slow], disk]
  near: [[fast], [slow], disk]
"""
    read = machine(text)
    far = read.ways.block("far", "", 0)
    assert far.plan.places == (0, 1, 2)
    assert [hold.slot for tier in far.tiers for hold in tier.down] == [0, 1, 1, 2, 2]
    assert read.ways.block("near", "", 0).plan.places == (0, 1, 2)


def test_a_part_of_the_whole_machine_leads_everywhere() -> None:
    plan = plan_of(cluster("home: [link, {hold: threads}, disk]"))
    assert tiers_of(plan)[:2] == [(codes.STAGE, [("link", 1)]), (codes.HOLD, [("threads", 2)])]
    assert plan.paths[0].places == (0, 3, 1, 2)


def test_a_part_with_full_duplex_is_two_rows() -> None:
    text = TEN_LINES.replace(
        "  disk:",
        "  bus: {kind: queue, rate: {read: 2 MB/s, write: 1 MB/s}, servers: 3, duplex: full,"
        " noise: {run: {read: 1 %, write: 2 %}}}\n  disk:",
    ).replace("[disk]", "[[bus], disk]")
    plan = plan_of(machine(text))
    read, write = plan.parts[1:3]
    assert [one.label for one in (read, write)] == ["bus.read", "bus.write"]
    assert [one.service for one in (read, write)] == [ServiceSpec(2e6), ServiceSpec(1e6)]
    assert [one.noise for one in (read, write)] == [NoisePlan(run_sd=0.01), NoisePlan(run_sd=0.02)]
    assert read.servers == write.servers == 3
    stage = plan.tiers[0]
    assert (stage.down[0].part, stage.up[0].part) == (2, 1)


def test_noise_streams_and_distributions() -> None:
    noise = "noise: {distribution: exponential, stream: 'port-{node}.{way}-{i}'}"
    text = CLUSTER.replace("latency: 5 us", f"latency: 5 us, {noise}") + "  home: [[nic], disk]\n"
    part = plan_of(machine(text)).parts[2]
    assert part.stream == "port-client{i}.in-{i}"
    assert part.noise == NoisePlan(exponential=True)


STORE_LINE = "  pages: {at: client, capacity: 1 GB}"


def test_a_store_in_blocks() -> None:
    line = """\
  pages: {at: client, capacity: 1000 kB, block: 10 kB, extent: 50 kB, policy: arc, dirty: 40 %,
    start: [mark, close], high: 30 %, low: 10 %, writers: 2, read_ahead: 25 kB, quota: 200 kB,
    release: full}"""
    text = CLUSTER.replace(STORE_LINE, line) + "  home: [pages, [nic], cache, disk]\n"
    plan = plan_of(machine(text), "processes: 3", "phases: [{do: write, file: a}]")
    pages, cache = plan.stores
    shown = {key: getattr(pages, key) for key in ("slots", "block", "extent", "policy", "back")}
    assert shown == {"slots": 100, "block": 10_000, "extent": 5, "policy": "arc", "back": True}
    assert (pages.dirty_limit, pages.high, pages.low, pages.quota) == (40, 30, 10, 20)
    assert (pages.release, pages.triggers) == ("full", {"mark", "close"})
    assert (pages.workers, pages.ahead, pages.group, pages.first, pages.count) == (2, 3, 0, 0, 4)
    assert (pages.first_worker, cache.first_worker) == (3, 3 + 4 * 2)
    assert (cache.first, cache.count, cache.workers) == (4, 2, 1)
    names = [plan.columns[pages.cache_column], plan.columns[pages.writeback_column]]
    assert names == ["pages.cache", "pages.writeback"]
    assert plan.paths[0].close == codes.CLOSE_QUEUE


def test_a_store_that_writes_through_has_no_workers() -> None:
    line = "  pages: {at: client, capacity: 1 MB, write: through}"
    plan = plan_of(machine(CLUSTER.replace(STORE_LINE, line) + "  home: [pages, [nic], disk]\n"))
    pages = plan.stores[0]
    assert (pages.back, pages.workers, pages.triggers) == (False, 0, frozenset())
    assert (pages.dirty_limit, pages.first_worker, pages.extent) == (-1, -1, 244)


def test_what_closing_means() -> None:
    assert plan_of(cluster("home: [pages, [nic], disk]")).paths[0].close == codes.CLOSE_FREE
    flush = "home: {tiers: [pages, [nic], disk], close: flush}"
    assert plan_of(cluster(flush)).paths[0].close == codes.CLOSE_FLUSH


def test_metadata_and_drains_follow_the_data() -> None:
    line = (
        "home: {paths: {direct: [[nic], disk], later: {tiers: [[nic], rpc], drain: [disk]}},"
        " metadata: [[nic], {work: rpc}]}"
    )
    plan = plan_of(cluster(line), "path: later", "phases: [{do: write, file: a}]")
    (path,) = plan.paths
    kinds = [tier.kind for tier in plan.tiers]
    assert kinds == [
        codes.STAGE,
        codes.STAGE,
        codes.END,
        codes.STAGE,
        codes.WORK,
        codes.END,
        codes.STAGE,
        codes.END,
    ]
    assert (path.name, path.top, path.metadata, path.drain) == ("home.later", 0, 3, 6)
    assert plan.tiers[6].down[0].part == 6
    assert [plan.tiers[one].header for one in (0, 3)] == [0, 256]
    assert plan.drains


def test_files_lie_behind_each_other_on_their_devices() -> None:
    read = cluster("home: [[nic], disk]", "other: [[nic], rpc, disk]", "link: [link]")
    text = """\
format: workload/2
name: w
files:
  a: {size: 10 MB}
  b: {size: 1 MB, filesystem: other, exists: true, prestage: true}
  c: {size: 2 MB, filesystem: link, shared: true}
jobs:
  - name: j
    processes: 2
    record: 1 MB
    phases: [{do: write, file: a}, {do: read, file: b}, {do: write, file: c}]
"""
    files = make_plan(read, workload(text)).files
    shown = [(one.name, one.path, one.length, one.base, one.lead, one.prestaged) for one in files]
    assert shown == [
        ("j.0/a", 0, 0, 0, 0, False),
        ("j.0/b", 1, 1_000_000, 10_000_000, 1, True),
        ("c", 2, 0, 0, 0, False),
        ("j.1/a", 0, 0, 11_000_000, 2, False),
        ("j.1/b", 1, 1_000_000, 21_000_000, 3, True),
    ]


def test_a_share_of_a_device_is_whole_stripes_of_the_member_that_has_most() -> None:
    """10 MB in stripes of 4 MB are three: one server has two of them."""
    read = cluster("home: [{stripe: 4 MB, of: server}, [nic], disk]")
    plan = make_plan(read, job("processes: 2", "phases: [{do: write, file: a, size: 5 MB}]"))
    assert [(one.base, one.lead) for one in plan.files] == [(0, 0), (8_000_000, 1)]


def test_record_lengths_make_a_file_longer() -> None:
    plan = plan_of(machine(), "policy: nwt", "phases: [{do: write, file: a}]")
    assert plan.files[0].size == 10_000_000 + 10 * 8


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
