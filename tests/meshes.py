"""Plans of small meshes on workstations with round numbers; any of their values can be given."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from simulator.config.mesh_plan import mesh_plan
from simulator.engine.mesh_plan import MeshPlan
from simulator.simulate_mesh import load_mesh_inputs

FOLDER = Path(__file__).parent / "data" / "config"
STATIONS, MESH = FOLDER / "workstations.yaml", FOLDER / "mesh.yaml"
US, MS = 1_000, 1_000_000

SIMPLE = {"machine.cpu.cache.line_time": "0 s", "machine.count": "64"}
"""Every point takes as long as another, and there are nodes enough."""


def small_plan(*, seed: int | None = None, **values: object) -> MeshPlan:
    """The plan of the small mesh; ``rows=3`` is of the mesh, ``message_server__poll="0 s"`` not."""
    settings = dict(SIMPLE)
    for key, value in values.items():
        path = f"machine.{key.replace('__', '.')}" if "__" in key else f"workload.{key}"
        settings[path] = str(value)
    machine, mesh = load_mesh_inputs(STATIONS, MESH, settings.items())
    return mesh_plan(machine, mesh, seed=seed or 0, noisy=seed is not None)


@st.composite
def plans(draw: st.DrawFn) -> MeshPlan:
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
        cpu__update=draw(st.sampled_from(["0 s", "100 ns", "20 us"])),
        cpu__variation=draw(st.sampled_from(["0 %", "10 %"])),
        message_server__interval=draw(st.sampled_from(["1 ms", "7 ms", "40 ms"])),
        message_server__poll=draw(st.sampled_from(["0 s", "10 us", "900 us"])),
        message_server__send=draw(times),
        message_server__deliver=draw(times),
        message_server__lookup=draw(times),
        message_server__location_cache=draw(st.sampled_from(["true", "false"])),
        lan__sharing=draw(st.sampled_from(["fifo", "fair"])),
        lan__latency=draw(times),
    )
