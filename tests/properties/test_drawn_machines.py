"""Machines with file systems of tiers drawn at random: refused, or their plans are good."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.config import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.config.machine_file import Machine
from simulator.reference.run import run_reference
from simulator.report.blocks import block_diagram
from tests.examples import examples
from tests.twins.plans.faults import faults

MACHINE = """\
format: machine/2
name: drawn
nodes: {{client: 3, server: {servers}, target: {{count: 2, per: server}}}}
parts:
  nic: {{kind: network, at: [client, server], {nic}}}
  san: {{kind: network, at: [server, target], rate: 1 GB/s, duplex: half}}
  bus: {{kind: queue, at: client, rate: {{read: 1 GB/s, write: 2 GB/s}}, duplex: {duplex}}}
  disk: {{kind: disk, at: server, rate: {{read: 100 MB/s, write: 80 MB/s}}, count: 3}}
  raid: {{kind: disk, at: target, rate: 100 MB/s, seek: 1 ms}}
  link:
    {{kind: shared, rate: {{read: {{1: 1 GB/s, 4: 800 MB/s}}, write: 1 GB/s}}, duplex: {duplex}}}
  threads: {{kind: pool, at: server, servers: 2}}
  rpc: {{kind: queue, at: server, overhead: 30 us}}
stores:
  pages: {{at: client, capacity: 1 MB, block: 10 kB, read_ahead: 50 kB}}
  cache: {{at: server, capacity: 1 MB, block: 20 kB, write: through}}
  all: {{capacity: 2 MB, block: 100 kB, policy: arc}}
filesystems:
  {home}
"""
JOB = """\
format: workload/2
name: drawn
files: {a: {size: 300 kB}, b: {size: 200 kB, shared: true, exists: true}}
jobs:
  - name: job
    processes: 3
    record: 70 kB
    phases:
      - {do: write, file: a}
      - {do: read, file: b, offset: rank}
      - {do: barrier}
      - {do: sync, file: a}
      - {do: read, file: a}
      - {do: create, file: b}
      - {do: stat, file: b, count: 2}
      - {do: lookup, file: b}
      - {do: open, file: b}
"""
NETWORKS = (
    "rate: 1 GB/s",
    "rate: {client: 1 GB/s, server: 2 GB/s}, latency: {server: 5 us}, ports: {server: 2}",
    "rate: 1 GB/s, latency: 5 us, overhead: {client: 1 us}, switching: circuit",
)
METADATA = (
    "",
    ", metadata: [[nic], {work: rpc}]",
    ", metadata: [[nic], {work: rpc, costs: {create: 400 us, lookup: 0 s}}], attributes: kept",
    ", metadata: [[nic], {hold: threads}], attributes: {min: 1 us, max: 1 ms}, close_to_open: true",
    ", metadata: [[nic], {work: rpc, costs: {open: 1 ms}}], close_to_open: false",
)
TIERS = (
    *("pages", "cache", "all", "disk", "raid", "link", "rpc", "bus", "nic", "san"),
    *("[nic]", "[san]", "[bus, nic]", "[nic, rpc]", "[link]", "[{part: nic, to: server}]"),
    *("{work: rpc}", "{hold: threads}", "{request: 30 kB}", "{request: 50 kB, window: 3}"),
    *("{stripe: 20 kB, of: server}", "{stripe: 20 kB, over: 2, of: disk}", "{forward: server}"),
    *("{stripe: 10 kB, of: target}", "{stripe: 10 kB, of: raid}", "{pieces: 5, over: disk}"),
    *("{stripe: 10 kB, of: target, placement: least-used}",),
    *("{stripe: 20 kB, over: 1, of: disk, placement: random}",),
    *("{stripe: 20 kB, of: server, redundancy: mirror}",),
    *("{stripe: 9 kB, of: disk, redundancy: 1+2, encode: rpc}",),
    *("{pieces: 4, over: raid}", "{route: [nic], request: 40 kB, header: 100 B, server: threads}"),
)


@settings(max_examples=examples(300))
@given(
    st.integers(1, 2),
    st.lists(st.sampled_from(TIERS), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from(METADATA),
    st.sampled_from(NETWORKS),
    st.sampled_from(("half", "full")),
)
def test_it_is_refused_or_its_plan_is_good(
    servers: int, tiers: list[str], disk: bool, metadata: str, nic: str, duplex: str
) -> None:
    tiers += ["disk"] if disk else []
    home = f"home: {{tiers: [{', '.join(tiers)}]{metadata}}}"
    text = MACHINE.format(servers=servers, home=home, nic=nic, duplex=duplex)
    try:
        machine = parse_machine(text)
    except ConfigError as refused:
        error = refused
    else:
        check(machine)
        return
    for problem in error.problems:
        assert problem.line == text.splitlines().index(f"  {home}") + 1
        assert problem.key.startswith("filesystems.home.tiers.")


def check(machine: Machine) -> None:
    """A machine that was accepted has a good plan, and runs."""
    workload = parse_workload(JOB)
    assert [one for one in fit(machine, workload) if one.severity == "error"] == []
    plan = make_plan(machine, workload)
    assert faults(plan) == []
    assert block_diagram(machine)
    assert run_reference(plan).end_ns > 0
