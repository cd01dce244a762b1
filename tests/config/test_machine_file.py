"""The format machine/2: what can be written, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.config import ConfigError
from simulator.config.identity import values_of
from simulator.config.machine_file import Machine
from simulator.config.quantities import Leaf
from simulator.config.section import (
    Choice,
    Items,
    Named,
    Section,
    Shape,
    fields_of,
    keys_in,
)
from simulator.config.sources import provenance
from simulator.kinds.tiers.route.section import Route
from simulator.kinds.tiers.stage.section import Stage
from simulator.kinds.tiers.use.section import Use
from simulator.run import load_inputs
from tests.config.machine_texts import CLUSTER, TEN_LINES, cluster, faults, machine


def test_a_first_machine_has_a_node_and_a_cpu_of_its_own() -> None:
    read = machine()
    assert list(read.nodes) == ["node"]
    assert list(read.parts) == ["cpu", "disk"]
    assert read.filesystems["home"].tiers == (Use(use="disk"),)


def test_a_default_says_where_it_comes_from() -> None:
    stated = {one.path: one for one in provenance(machine())}
    rate = stated["parts.cpu.copy_rate"]
    assert (rate.value, rate.kind) == ("5 GB/s", "default")
    assert rate.note.startswith("assumed: ")
    assert stated["runtime.buffer"].note.startswith("GNU Fortran manual")


def sections(shape: Shape, seen: set[type[Section]]) -> set[type[Section]]:
    if isinstance(shape, Named | Items):
        sections(shape.item, seen)
    elif isinstance(shape, Choice):
        for one in shape.options.values():
            sections(one, seen)
    elif isinstance(shape, type) and shape not in seen:
        seen.add(shape)
        for inner in fields_of(shape).values():
            sections(inner, seen)
    return seen


def test_every_default_of_a_machine_says_where_it_comes_from() -> None:
    lacking = []
    for section in sections(Machine, set()):
        for one in keys_in(section):
            sourced = isinstance(one.shape, Leaf) and one.shape.sourced
            left_out = sourced and not one.required and one.default is not None
            if left_out and not section.reasons.get(one.name):
                lacking.append(f"{section.__name__}.{one.name}")
    assert lacking == []


def test_a_number_is_a_group_and_a_list_is_a_file_system() -> None:
    read = cluster("home: [pages, [nic], {hold: threads}, disk]")
    assert read.nodes["client"].count == 4
    first, second, *_ = read.filesystems["home"].tiers or ()
    assert isinstance(first, Use)
    assert isinstance(second, Stage)
    assert second.stage[0].part == "nic"


def test_a_shorthand_takes_a_source() -> None:
    text = TEN_LINES + "nodes: {pc: {value: 3, source: assumed}}\n"
    read = machine(text)
    assert read.nodes["pc"].count == 3
    assert read.sources["nodes.pc.count"].kind == "assumed"


def test_a_route_takes_names_and_lists_as_stages() -> None:
    read = cluster("home: [{route: [nic, [rpc]], request: 1 MB, server: threads}, disk]")
    (route, _) = read.filesystems["home"].tiers or ()
    assert isinstance(route, Route)
    assert [[item.part for item in one.stage] for one in route.route] == [["nic"], ["rpc"]]


def test_settings_go_through_shorthands() -> None:
    text = CLUSTER + "  home: [[nic], {request: 1 MB}, disk]\n"
    settings = [
        ("machine.nodes.client.count", "7"),
        ("machine.filesystems.home.tiers.1.request", "2 MB"),
        ("machine.filesystems.home.tiers.0.stage.0.part", "nic"),
    ]
    read = machine(text, *settings)
    assert read.nodes["client"].count == 7
    (_, request, _) = read.filesystems["home"].tiers or ()
    assert values_of(request)["request"] == 2_000_000


MISTAKES = {
    "home: [page, [nic], disk]": "tiers.0.use: 'page' is not a part or a store; did you mean",
    "home: [[nik], disk]": "tiers.0.stage.0.part: 'nik' is not a part; did you mean 'nic'?",
    "home: [[pages], [nic], disk]": "stage.0.part: pages is a store, which a tier names alone",
    "home: [disk]": "tiers.0.use: disk is at server, and the request is still at client",
    "home: [[nic], pages, disk]": "disk is at server, and the request is still at client",
    "home: [[nic], {hold: threads}, pages, disk]": "pages is at client, which the request has left",
    "home: [[nic, link], disk]": "tiers.0.stage.1: link is shared, and cannot be held together",
    "home: [[nic], {work: threads}, disk]": "tiers.1.work: threads is a pool, which does no work",
    "home: [[nic], {hold: rpc}, disk]": "tiers.1.hold: rpc is a queue, of which nothing can be",
    "home: [[nic], threads, disk]": "tiers.1.use: threads is a pool, which no data pass",
    "home: [cpu, [nic], disk]": "tiers.0.use: cpu is a cpu, which belongs to processes",
    "home: [[nic], {hold: threads}, {hold: threads}, disk]": "threads is on this path twice",
    "home: [pages, pages, [nic], disk]": "pages is on this path twice: a block cannot be in it",
    "home: [[nic]]": "home.tiers.0: ends without a device",
    "home: [[nic], cache]": "home.tiers.1: ends without a device",
    "home: [{stripe: 1 MB, over: 3, of: server}, [nic], disk]": "0.over: 3 is more than the 2",
    "home: [{stripe: 1 MB, of: serv}, [nic], disk]": "'serv' is not a group of nodes or a part",
    "home: [{stripe: 1 MB, of: server}, link]": "no network leads to server after this",
    "home: [{stripe: 1 MB, of: disk}, [nic], cache, disk]": "cache comes after stripes over disk",
    "home: [[{part: nic, to: disk}], disk]": "stage.0.to: 'disk' is not a group of nodes",
    "home: [[nic], [{part: rpc, to: server}], disk]": "to: rpc is no network: it leads nowhere",
    "home: [{route: [nic], server: nic}, disk]": "tiers.0.server: nic is a network, which does no",
    "home: [{strpe: 1 MB, of: server}]": "tiers.0.strpe: unknown key; did you mean 'stripe'?",
    "home: [{of: server}]": "tiers.0: has none of the keys use, stage, route",
    "home: [{request: 1 MB, size: 3}]": "tiers.0.size: unknown key",
    "home: [{route: [nic], header: 1 B, size: 1 MB}, disk]": "size: unknown key; write 'request'",
    "home: {tiers: [[nic], disk], paths: {a: [[nic], disk]}}": "home: has both tiers and paths",
    "home: {close: flush}": "home: has neither tiers nor paths",
    "home: 3": "home: '3' was read; write a list, or its keys (tiers, paths, metadata, close,",
    "home: [[nic], {request: 1}, disk]": "tiers.1.request: '1' has no unit",
    "home: {tiers: [[nic], disk], metadata: [rpc]}": "metadata.0.use: rpc is at server, and the",
    "home: [[nic, nic], disk]": "stage.1: nic is in this stage twice; leave one out",
    "home: [[nic], {pieces: 4, over: disk}, [rpc, disk]]": "pieces cannot be dealt out to 2 parts",
    "home: {tiers: [[nic], disk], metadata: [{request: 1 MB}]}": "'request' has no effect on meta",
    "home: {tiers: [[nic], disk], metadata: [pages]}": "a store has no effect on metadata",
    "home: [[nic], {work: rpc, costs: {create: 1 ms}}, disk]": "tiers.1.costs: only metadata opera",
    "home: {tiers: [[nic], disk], metadata: [[nic], {work: rpc, costs: {craete: 1 ms}}]}": (
        "metadata.1.costs.craete: unknown key; did you mean 'create'?"
    ),
    "home: {tiers: [[nic], disk], metadata: [[nic], {work: rpc, costs: {stat: 4}}]}": (
        "metadata.1.costs.stat: '4' has no unit"
    ),
    "home: {tiers: [[nic], disk], metadata: [[nic], {work: rpc, costs: 1 ms}]}": "metadata.1.costs",
    "home: {tiers: [[nic], disk], attributes: kept}": "attributes: nothing is asked without 'met",
    "home: {tiers: [[nic], disk], close_to_open: true}": "to_open: nothing is asked without 'met",
    "home: {tiers: [[nic], disk], metadata: [[nic], {work: rpc}], attributes: {min: 2 min}}": (
        "attributes.max: 60.0 s is less than 'min', 120 s; write as much"
    ),
    "home: {tiers: [[nic], disk], metadata: [[nic], {work: rpc}], attributes: {mni: 2 s}}": (
        "attributes.mni: unknown key; did you mean 'min'?"
    ),
    "home: {tiers: [[nic], disk], metadata: [[nic], {work: rpc}], close_to_open: yes}": (
        "home.close_to_open: 'yes'"
    ),
    "home: {tiers: [[nic], disk], close: wait}": "home.close: 'wait' is unknown; write queue",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_wrong_path_is_one_error(line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        cluster(line)
    (about,) = faults(raised.value)
    assert MISTAKES[line] in about
    assert raised.value.problems[0].line == CLUSTER.count("\n") + 1


def test_two_paths_do_not_wait_for_each_other() -> None:
    more = "more: {kind: pool, at: server, servers: 4}"
    text = CLUSTER.replace("  rpc:", f"  {more}\n  rpc:")
    text += "  one: [[nic], {hold: threads}, {hold: more}, disk]\n"
    text += "  two: {paths: {p: [[nic], {hold: more}, {hold: threads}, disk]}}\n"
    with pytest.raises(ConfigError) as raised:
        machine(text)
    (about,) = faults(raised.value)
    assert about.startswith("filesystems.two.paths.p: keeps more before threads, and another path")


RACKS = """\
format: machine/2
name: racks
nodes: {client: 4, gate: 2, rack: 2, server: {count: 3, per: rack}}
parts:
  nic: {kind: network, at: [client, gate, rack], rate: 1 GB/s}
  san: {kind: network, at: [gate, server], rate: 1 GB/s}
  bus: {kind: network, at: [rack, server], rate: 1 GB/s}
  shelf: {kind: queue, at: rack, overhead: 1 us}
  disk: {kind: disk, at: server, rate: 100 MB/s}
  twin: {kind: disk, at: [gate, server], rate: 100 MB/s}
  link: {kind: shared, rate: 1 GB/s}
filesystems:
"""

WAYS = {
    "home: [{stripe: 1 MB, of: twin}, [nic], twin]": (
        "tiers.0.of: twin is in several groups of nodes; write the name of one of these"
    ),
    "home: [[nic], link]": (
        "tiers.0.stage: nic leads to gate, rack, and what comes after it does not tell which; "
        "write it like '[{part: nic, to: gate}]'"
    ),
    "home: [[nic], shelf, [{part: nic, to: gate}], {stripe: 1 MB, of: server}, [san], disk]": (
        "tiers.3.of: server is in each rack, where the request has been already; "
        "write the stripes before the network to it"
    ),
}


@pytest.mark.parametrize("line", WAYS)
def test_a_way_that_leads_to_several_places_is_one_error(line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        machine(f"{RACKS}  {line}\n")
    assert faults(raised.value) == [f"filesystems.home.{WAYS[line]}"]


@pytest.mark.parametrize(
    "line",
    [
        "home: [[{part: nic, to: gate}], link, [san], disk]",
        "home: [[nic], shelf, {stripe: 1 MB, of: server}, [bus], disk]",
        "home: [{stripe: 1 MB, of: server}, [{part: nic, to: rack}], [bus], disk]",
        "home: [{stripe: 1 MB, of: server}, [{part: nic, to: gate}], [san], disk]",
    ],
)
def test_the_same_way_where_it_is_told_is_none(line: str) -> None:
    assert machine(f"{RACKS}  {line}\n").filesystems.keys() == {"home"}


AT_ONE_END = {
    "[client]; [[nic], disk]": (
        "tiers.0.stage: nic leads from client to server, and server has no port of it; "
        "write 'at: [client, server]' in nic, 'rate: {client: .., server: ..}' if they differ"
    ),
    "[server]; [[nic], disk]": "tiers.0.stage: nic leads from client to server, and client has",
    "[server]; [{route: [nic], server: look}, disk]": "tiers.0.route.0.stage: nic leads",
    "[client]; [{stripe: 1 MB, of: disk}, [nic], disk]": "tiers.1.stage: nic leads from client",
    "[client]; {tiers: [[wan], disk], metadata: [[nic], {work: look}]}": "metadata.0.stage: nic",
    "[client]; [[{part: lan, to: gate}], [nic], disk]": "tiers.1.stage: nic leads from gate to c",
    "[server]; [[{part: lan, to: gate}], [nic], disk]": (
        "tiers.1.stage: nic leads from gate to server, and gate has no port of it; "
        "write 'at: [server, gate]' in nic, 'rate: {gate: .., server: ..}' if they differ"
    ),
    "[server]; [{locks: [[nic], {work: look}], unit: 1 MB}, [wan], disk]": "tiers.0.locks.0.stage",
}


@pytest.mark.parametrize("line", AT_ONE_END)
def test_a_network_with_a_port_at_one_end_is_an_error(line: str) -> None:
    """What crossed it cost nothing: the first and the last port of the way were one."""
    at, _, tiers = line.partition("; ")
    with pytest.raises(ConfigError) as raised:
        machine(f"""\
format: machine/2
name: one-end
nodes: {{client: 4, gate: 1, server: 2}}
parts:
  lan: {{kind: network, at: [client, gate], rate: 1 GB/s}}
  nic: {{kind: network, at: {at}, rate: 10 MB/s, latency: 1 s}}
  wan: {{kind: network, at: [client, server], rate: 1 GB/s}}
  look: {{kind: queue, at: server, overhead: 1 us}}
  disk: {{kind: disk, at: server, count: 2, rate: 100 MB/s}}
filesystems:
  home: {tiers}
""")
    (about,) = faults(raised.value)
    assert about.startswith(f"filesystems.home.{AT_ONE_END[line]}")


LINES = {
    "nodes: {a: {count: 2, per: b}}": "nodes.a.per: 'b' is not a group of nodes",
    "nodes: {a: {per: b}, b: {per: a}}": "nodes.a.per: a in b in a: a group cannot be inside",
    "nodes: {a: 3, a1: 2}": "nodes.a1: 'a1' is what reports call a node of a",
    "nodes: {a: {in: b}, b: 1}": "nodes.a.in: unknown key; write 'per'",
    "nodes: {a.b: 1}": "nodes.a.b: 'a.b' is no name here",
    "nodes: {disk: 1}": "parts.disk: 'disk' is the name of a group of nodes too",
    "nodes: {a: 1000000, b: {count: 2, per: a}}": "nodes.b: 2,000,000 nodes; write smaller",
    "stores: {s: {capacity: 1 MB, block: 2 MB}}": "s.block: 2 MB is more than the capacity",
    "stores: {s: {capacity: 1 kB}}": "s.capacity: 1 kB is less than one block of 4 KiB; write",
    "buffer_caches: {s: {at: node, capacity: 1 kB}}": "s.capacity: 1 kB is less than one block",
    "stores: {s: {capacity: 1 MB, low: 15 %}}": "s.low: 15 % is above the high watermark",
    "stores: {s: {capacity: 1 MB, release: full}}": "s.release: has no effect without a quota",
    "stores: {s: {capacity: 1 MB, background: 5 %}}": "s.background: unknown key; write 'high'",
    "stores: {disk: {capacity: 1 MB}}": "stores.disk: 'disk' is the name of a part too",
    "stores: {s: {at: nowhere, capacity: 1 MB}}": "s.at: 'nowhere' is not a group of nodes",
    "messages: [[nic]]": "messages.0.stage.0.part: 'nic' is not a part",
}


@pytest.mark.parametrize("line", LINES)
def test_a_wrong_section_is_one_error(line: str) -> None:
    with pytest.raises(ConfigError) as raised:
        machine(f"{TEN_LINES}{line}\n")
    (about,) = faults(raised.value)
    assert LINES[line] in about


def test_a_capacity_below_one_block_is_an_error_wherever_it_is_set(tmp_path: Path) -> None:
    """An engine divides by the blocks of a store: none of them was a crash."""
    stored = TEN_LINES.replace("[disk]", "[pages, disk]") + "stores: {pages: {capacity: 1 MB}}\n"
    job = "{name: j, record: 1 MB, phases: [{do: write, file: f}]}"
    jobs = f"files: {{f: {{size: 1 MB}}}}\njobs: [{job}]\n"
    paths = str(tmp_path / "m.yaml"), str(tmp_path / "w.yaml")
    for path, text in zip(paths, (stored, f"format: workload/2\nname: j\n{jobs}"), strict=True):
        Path(path).write_text(text, encoding="utf-8")
    load_inputs(*paths)
    with pytest.raises(ConfigError) as raised:
        load_inputs(*paths, [("pages.capacity", "4 kB")])
    told = "4 kB is less than one block of 4 KiB; write 4 KiB or more, or a smaller 'block'"
    assert str(raised.value) == f"--set machine.stores.pages.capacity=4 kB: {told}"


PARTS = {
    "{kind: dsk}": "parts.x.kind: 'dsk' was read; did you mean 'disk'?",
    "{kind: queue, latency: 1 ms}": "parts.x.latency: unknown key; write 'overhead'",
    "{kind: queue, rate: {read: 1 MB/s}}": "parts.x.rate: write is missing",
    "{kind: shared, rate: {0: 1 MB/s}}": "parts.x.rate.0: '0' is not a number of transfers",
    "{kind: shared, rate: {1: 1 MB}}": "parts.x.rate.1: '1 MB' is a size, not a rate",
    "{kind: network, rate: 1 MB/s}": "parts.x.at: is missing",
    "{kind: network, at: [node, node], rate: 1 MB/s}": "x.at: 'node' is in the list twice",
    "{kind: disk, at: nod, rate: 1 MB/s}": "parts.x.at: 'nod' is not a group of nodes; did you",
    "{kind: disk, rate: 1 MB/s, track_seek: 1 ms, full_seek: 9 ms}": "needs the capacity",
    "{kind: cpu, at: node}\n  y: {kind: cpu, at: node}": "parts.y.at: node has the cpu 'x' already",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_wrong_part_is_one_error(part: str) -> None:
    with pytest.raises(ConfigError) as raised:
        machine(TEN_LINES.replace("parts:\n", f"parts:\n  x: {part}\n"))
    (about,) = faults(raised.value)
    assert PARTS[part] in about


def test_one_reading_reports_every_mistake() -> None:
    text = """\
format: machine/2
name: bad
nodes: {client: 4, server: 1}
parts:
  nic: {kind: network, at: [client, servr], bandwidth: 1 GB/s}
  disk: {kind: disk, at: server, rate: 100 MB, seek: 8}
stores:
  pages: {at: clint, capacity: 1 GB}
filesystems:
  home: [[nik], {stripe: 1 MB, of: serv}, {route: [nic, [dsk]], server: nfsd}, disc]
"""
    with pytest.raises(ConfigError) as raised:
        machine(text)
    assert [line.partition(";")[0] for line in faults(raised.value)] == [
        "parts.nic.at: 'servr' is not a group of nodes",
        "parts.nic.bandwidth: unknown key",
        "parts.disk.rate: '100 MB' is a size, not a rate",
        "parts.disk.seek: '8' has no unit",
        "stores.pages.at: 'clint' is not a group of nodes",
        "filesystems.home.tiers.0.stage.0.part: 'nik' is not a part",
        "filesystems.home.tiers.1.of: 'serv' is not a group of nodes or a part",
        "filesystems.home.tiers.2.route.1.stage.0.part: 'dsk' is not a part",
        "filesystems.home.tiers.2.server: 'nfsd' is not a part",
        "filesystems.home.tiers.3.use: 'disc' is not a part or a store",
    ]


def test_an_absurd_machine_is_refused_before_it_is_built() -> None:
    text = CLUSTER.replace("client: 4", "client: 900000") + "  home: [pages, [nic], disk]\n"
    with pytest.raises(ConfigError, match="write smaller counts: at most 1,000,000"):
        machine(text)


def test_ten_thousand_nodes_are_fine() -> None:
    text = CLUSTER.replace("client: 4", "client: 10000") + "  home: [pages, [nic], disk]\n"
    assert machine(text).tables.groups[0].count == 10_000
