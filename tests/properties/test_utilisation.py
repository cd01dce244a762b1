"""No resource is busy for longer than the run: on drawn plans, and work of cores without number."""

from __future__ import annotations

from contextlib import suppress

import pytest

from simulator.native.run import run_native
from simulator.plan.errors import LimitError, SimulationError
from simulator.reference.run import run_reference
from simulator.run import run_plan
from tests.draws.plans.draw import plan_of
from tests.examples import examples
from tests.reference.runs import planned

MACHINE = """
nodes: {client: 4, server: NODE}
parts:
  nic: {kind: network, at: [client, server], rate: 10 GB/s}
  rpc: {kind: core, at: server, overhead: 1 ms}
  disk: {kind: disk, at: server, rate: 100 GB/s}
filesystems:
  home: [{route: [nic], request: 1 MiB}, {work: rpc}, disk]
"""
WORK = """
files: {out: {size: 2 MB}}
jobs: [{name: a, processes: 8, record: 1 MB, policy: posix, phases: [{do: write, file: out}]}]
"""


@pytest.mark.drawn
def test_no_resource_of_a_drawn_plan_is_busy_for_longer_than_the_run() -> None:
    for seed in range(examples(200)):
        with suppress(LimitError, SimulationError):
            result = run_plan(plan_of(seed))
            for name, one in result.parts.items():
                assert one.utilisation(result.end_ns) <= 1 + 1e-9, (seed, name, one)


@pytest.mark.parametrize(
    ("node", "servers"), [("1", 0), ("{cores: 4}", 4), ("{count: 2, cores: 3}", 3)]
)
def test_work_of_cores_is_a_share_of_the_cores_of_its_node(node: str, servers: int) -> None:
    """Without a number of cores there is nothing of which it is a share: none is printed."""
    plan = planned(MACHINE.replace("NODE", node), WORK)
    for result in (run_reference(plan), run_native(plan)):
        found = [one for one in result.parts.values() if one.part == "rpc"]
        assert {one.servers for one in found} == {servers}
        for one in found:
            assert one.queues == bool(servers)
            assert one.busy_ns > result.end_ns * (servers or 1) * 0.5
            assert one.utilisation(result.end_ns) <= 1
