"""Small machines with services as texts, with round numbers, and runs of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.config.errors import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.workload.follower import Follower
from tests.twins.plans.faults import check

US, MS, S = 10**3, 10**6, 10**9

STATIONS = """
format: machine/2
name: stations
nodes: {node: 4, server: 1}
parts:
  cpu: {kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 s, record_overhead: 0 s}
  processor: {kind: processor, at: node, update: 1 us}
  lan: {kind: queue, rate: 1 MB/s}
  disk: {kind: disk, at: server, rate: 1 MB/s}
filesystems: {home: [[lan], [disk]]}
messages: [[lan]]
services:
  messages: {kind: message-server, at: node, interval: 10 ms, poll: 0 s, send: 1 ms, deliver: 2 ms,
             copy_rate: 1000 PB/s, header: 100 B}
  processes: {kind: process-server, at: node, create: 50 ms}
"""
"""Polls cost nothing; a message costs its header on the LAN, 1 ms before and 2 ms behind it."""

SERVERS = """
format: machine/2
name: servers
nodes: {client: 4, big: 1, small: 1, files: 1}
parts:
  cpu: {kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 s, record_overhead: 0 s}
  net: {kind: link, rate: 1 MB/s, latency: 1 ms}
  nic: {kind: link, at: client, rate: 1 MB/s}
  big-pes: {kind: timeshare, at: big, pes: 4}
  small-pes: {kind: timeshare, at: small}
  disk: {kind: disk, at: files, rate: 1 MB/s}
  wire: {kind: delay, overhead: 0 s}
filesystems: {home: [[wire], [disk]]}
sites: {here: {network: net}}
services:
  big: {kind: numerical-server, at: big, site: here, conversion: 1 MB/s, accept: 1 ms, start: 2 ms,
        libraries: {lib: {problem: linpack, speed: 1 Mop/s}}}
  small: {kind: numerical-server, at: small, site: here, conversion: 1 MB/s, accept: 1 ms,
          start: 2 ms, libraries: {lib: {problem: linpack, speed: 500 kop/s}}}
  clients: {kind: numerical-client, at: client, site: here, conversion: 2 MB/s}
"""


def workload(jobs: str, files: str = "") -> str:
    """Return the text of a workload."""
    return f"format: workload/2\nname: work\n{files}\njobs:\n{jobs}\n"


def planned(machine: str, work: str, **options: Any) -> Plan:
    """Make a plan that fits and has no faults."""
    one, other = parse_machine(machine, "machine"), parse_workload(work, "workload")
    errors = [problem for problem in fit(one, other) if problem.severity == "error"]
    if errors:
        raise ConfigError(errors)
    plan = make_plan(one, other, **options)
    check(plan)
    return plan


def run(
    machine: str,
    work: str,
    *,
    followers: Mapping[int, Follower] | None = None,
    **options: Any,
) -> Result:
    """Run it, identities checked."""
    plan = planned(machine, work, **options)
    return run_reference(plan, debug=True, timeline=True, record=True, followers=followers)
