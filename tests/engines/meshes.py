"""Plans of small meshes on workstations with round numbers; any of their values can be given."""

from __future__ import annotations

from hypothesis import strategies as st

from simulator.config.errors import raise_errors
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.plan.plan import Plan
from simulator.plan.services import MeshPlan

STATIONS = """
format: machine/2
name: stations
nodes: {node: 64}
parts:
  processor: {kind: processor, at: node, update: 1 us,
              cache: {size: 64 KiB, line: 16 B, line_time: 0 s},
              resident: 1 MiB, page: 4 KiB, paging: {rate: 2 MB/s, seek: 10 ms, rotation: 16 ms},
              noise: {request: 0 %}}
  lan: {kind: queue, rate: 1 MB/s, overhead: 1 ms}
messages: [[lan]]
services:
  messages: {kind: message-server, at: node, interval: 10 ms, poll: 1 ms, send: 2 ms,
             deliver: 3 ms, lookup: 1 ms, copy_rate: 1 MB/s, header: 100 B, location_cache: true}
  processes: {kind: process-server, at: node, create: 50 ms}
"""
"""Every point takes as long as another, and there are nodes enough."""
MESH = """
format: workload/2
name: small-mesh
jobs:
  - name: mesh
    processes: 2
    launched: true
    phases: [{do: mesh, rows: 10, columns: 20, loops: 4}]
"""
MACHINE = {
    "update": "parts.processor.update",
    "variation": "parts.processor.noise.request",
    "resident": "parts.processor.resident",
    "latency": "parts.lan.overhead",
    "rate": "parts.lan.rate",
    "sharing": "parts.lan.kind",
    **{
        key: f"services.messages.{key}"
        for key in ("interval", "poll", "send", "deliver", "lookup", "copy_rate", "location_cache")
    },
    "create": "services.processes.create",
}
"""Short names of values of the machine -> their paths."""


def small_plan(*, seed: int | None = None, **values: object) -> Plan:
    """Return the plan of the small mesh: ``small_plan(rows=3, nodes=4, poll="0 s")``."""
    settings = []
    for key, value in values.items():
        path = f"workload.jobs.0.phases.0.{key}"
        if key == "nodes":
            path = "workload.jobs.0.processes"
        elif key in MACHINE:
            path = f"machine.{MACHINE[key]}"
        settings.append((path, str(value)))
    machine = parse_machine(STATIONS, "stations", settings)
    workload = parse_workload(MESH, "mesh", settings)
    raise_errors(fit(machine, workload))
    return make_plan(machine, workload, seed=seed or 0, noisy=seed is not None)


def mesh_of(plan: Plan) -> MeshPlan:
    """Return the one mesh of a plan."""
    (mesh,) = plan.services.meshes
    return mesh


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any small mesh on one to nine nodes, with servers of any cost."""
    nodes = draw(st.integers(1, 9))
    times = st.sampled_from(["0 s", "1 us", "300 us", "2 ms", "15 ms"])
    return small_plan(
        rows=draw(st.integers(1, 30)),
        columns=draw(st.integers(nodes, 30)),
        nodes=nodes,
        loops=draw(st.integers(2, 6)),
        order=draw(st.sampled_from(["blocks", "edges-first", "colours"])),
        seed=draw(st.none() | st.integers(0, 1000)),
        update=draw(st.sampled_from(["0 s", "100 ns", "20 us"])),
        variation=draw(st.sampled_from(["0 %", "10 %"])),
        interval=draw(st.sampled_from(["1 ms", "7 ms", "40 ms"])),
        poll=draw(st.sampled_from(["0 s", "10 us", "900 us"])),
        send=draw(times),
        deliver=draw(times),
        lookup=draw(times),
        location_cache=draw(st.sampled_from(["true", "false"])),
        sharing=draw(st.sampled_from(["queue", "shared"])),
        latency=draw(times),
    )
