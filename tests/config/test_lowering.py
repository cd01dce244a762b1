"""From machine/2 and workload/2 to a plan: small plans, field by field."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.lowering.plan import make_plan
from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan import codes
from simulator.plan.parts import GroupPlan, NoisePlan, PartPlan
from simulator.plan.paths import FilePlan, PathPlan
from simulator.plan.plan import Plan
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


def test_closing_what_replaces_a_file_needs_a_store_that_writes_back() -> None:
    text = "home: {tiers: [pages, [nic], disk], close: replaced}"
    with pytest.raises(ConfigError, match=r"close: starts no write-back; write 'close' in the"):
        plan_of(cluster(text))
    store = STORE_LINE.replace("{", "{start: [mark, close], ", 1)
    assert store != STORE_LINE
    machine_text = CLUSTER.replace(STORE_LINE, store) + f"  {text}\n"
    assert plan_of(machine(machine_text)).paths[0].close == codes.CLOSE_REPLACED


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
