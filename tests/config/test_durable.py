"""Durable and direct calls in machine and workload files: what is lowered, shown and refused."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.native.run import run_native
from simulator.plan.codes import COMMIT, EXPORT
from simulator.reference.run import run_reference
from simulator.report.blocks import block_diagram
from tests.config.machine_texts import faults
from tests.engines.compare import plain

MACHINE = """\
format: machine/2
name: lab
nodes: {{client: 2, server: 1}}
parts:
  nic: {{kind: network, at: [client, server], rate: 1 GB/s}}
  threads: {{kind: pool, at: server, servers: 2}}
  journal: {journal}
  disk: {{kind: disk, at: server, rate: 100 MB/s, seek: 8 ms}}
stores: {{pages: {{at: client, capacity: 16 MB}}}}
filesystems:
  home: [{tiers}]
"""
USUAL = "{kind: journal, at: server, overhead: 5 ms}"
WORKLOAD = """\
format: workload/2
name: job
files: {{f: {{size: 64 KiB{file}}}}}
jobs:
  - {{name: one, processes: 2, record: 16 KiB, skew: 1 ms, phases: [{phase}]}}
"""


def machine(tiers: str, journal: str = USUAL) -> str:
    return MACHINE.format(tiers=tiers, journal=journal)


def test_the_tiers_are_where_they_stand() -> None:
    made = parse_machine(machine("pages, [nic], {export: async}, {sync: journal}, disk"), "m.yaml")
    block = made.ways.block("home", "", 0)
    assert [tier.kind for tier in block.tiers][2:4] == [EXPORT, COMMIT]
    shown = block_diagram(made)
    assert "  syncs are answered here" in shown
    assert "| journal: for syncs and changes only" in shown


def test_a_synchronous_export_is_none() -> None:
    made = parse_machine(machine("pages, [nic], {export: sync}, {sync: journal}, disk"), "m.yaml")
    assert EXPORT not in [tier.kind for tier in made.ways.block("home", "", 0).tiers]


@pytest.mark.parametrize(
    ("tiers", "about"),
    [
        ("pages, [nic], [journal], disk", "journal, which only syncs use; write '{sync: "),
        ("pages, [nic], {work: journal}, disk", "journal is a journal, which only syncs use"),
        ("pages, [nic], {hold: journal}, disk", "journal is a journal, which only syncs use"),
        ("pages, [nic], {sync: threads}, disk", "threads is a pool, which makes nothing durable;"),
        ("pages, {sync: nic}, [nic], disk", "nic is a network, which makes nothing durable;"),
        ("pages, [nic], {sync: log}, disk", "'log' is not a part"),
        ("pages, [nic], {sync: pages}, disk", "pages is a store, which a tier names alone"),
        ("pages, [nic], {export: maybe}, disk", "'maybe' is unknown; write async or sync"),
        ("pages, {sync: journal}, [nic], disk", "journal is at server, and the request"),
    ],
)  # fmt: skip
def test_what_a_tier_cannot_be_is_one_error(tiers: str, about: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_machine(machine(tiers), "m.yaml")
    (said,) = faults(caught.value)
    assert about in said


def test_a_journal_needs_the_time_of_a_commit_and_takes_no_rate() -> None:
    tiers = "pages, [nic], {sync: journal}, disk"
    with pytest.raises(ConfigError) as caught:
        parse_machine(machine(tiers, "{kind: journal, at: server}"), "m.yaml")
    assert "overhead: is missing" in faults(caught.value)[0]
    wrong = "{kind: journal, at: server, overhead: 5 ms, rate: 1 MB/s}"
    with pytest.raises(ConfigError) as caught:
        parse_machine(machine(tiers, wrong), "m.yaml")
    assert "rate" in faults(caught.value)[0]


@pytest.mark.parametrize(
    ("phase", "file", "about"),
    [
        ("{do: read, file: f, synchronous: true}", ", exists: true",
         "jobs.0.phases.0.synchronous: is for writing: reading waits for its data anyway"),
        ("{do: write, file: f, direct: maybe}", "", "jobs.0.phases.0.direct: "),
        ("{do: write, file: f, direct: true}", ", shared: true, layout: [{stripe: 16 KiB}]",
         "jobs.0.phases.0.direct: is not for a file with a layout, and files.f has one"),
        ("{do: sync, file: f, direct: true}", "", "direct"),
    ],
)  # fmt: skip
def test_phases_that_cannot_be_durable_are_refused(phase: str, file: str, about: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_workload(WORKLOAD.format(phase=phase, file=file), "w.yaml")
    assert any(about in one for one in faults(caught.value)), faults(caught.value)


IO_NODES = """\
format: machine/2
name: io-nodes
nodes: {node: 2}
parts:
  crossbar: {kind: network, at: node, rate: 1 GB/s, latency: 5 us}
  io: {kind: io-server, at: node, overhead: 0.2 ms, piece: 5 us}
  raid: {kind: raid, at: node, rate: 50 MB/s, seek: 8 ms, cache: 64 MB, bus_rate: 100 MB/s}
buffer_caches: {buffers: {at: node, capacity: 1 MB, block: 4 KiB}}
filesystems:
  scratch: [{stripe: 8 KiB, of: node}, {route: [crossbar], server: io}, buffers, raid]
"""


@pytest.mark.parametrize(
    "how", ["synchronous: true", "direct: true", "synchronous: true, direct: true"]
)
def test_on_io_nodes_a_synchronous_write_syncs_and_a_direct_one_is_ordinary(how: str) -> None:
    made = parse_machine(IO_NODES, "m.yaml")

    def plan(more: str):  # type: ignore[no-untyped-def]
        phase = f"{{do: write, file: f{more}}}"
        return make_plan(made, parse_workload(WORKLOAD.format(phase=phase, file=""), "w.yaml"))

    results = [run(plan(f", {how}"), debug=True) for run in (run_reference, run_native)]
    first, second = ({**plain(one), "engine": "", "digest": ""} for one in results)
    assert first == second
    usual = run_native(plan(""), debug=True).elapsed_ns
    assert (results[0].elapsed_ns > usual) == ("synchronous" in how)
    assert (results[0].elapsed_ns == usual) == ("synchronous" not in how)
